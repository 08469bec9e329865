package evidence

import (
	"math"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// numberLike reports a number that is an identifier: of a port, a telephone.
func numberLike(v string) bool {
	v, phone := strings.CutPrefix(v, "+")
	return len(v) >= 2 && (len(v) < 6 || phone) && strings.Trim(v, "0123456789 -()") == ""
}

func versionLike(v string) bool {
	return v != "" && lang.IsDigit(v[0]) && strings.IndexByte(v, '.') > 0 && len(v) < 12
}

// mayDiffer is the cheap test before frames are made.
func mayDiffer(a, b *atom.Atom) bool {
	switch {
	case a.Part == atom.PartLater || b.Part == atom.PartLater:
		return false
	case a.Numeric() && b.Numeric():
		if a.Unit != b.Unit && (!atom.SameDimension(a.Unit, b.Unit) || a.Unit == "pp" || b.Unit == "pp") || b.Unit == "th" {
			return false
		}
		return !agree(a, b)
	case a.Kind == atom.Date && b.Kind == atom.Date:
		return !datesAgree(a.Value, b.Value) && datesCompare(a.Value, b.Value)
	case a.Kind == atom.Identifier && b.Kind == atom.Identifier:
		if numberLike(a.Value) || numberLike(b.Value) {
			return numberLike(a.Value) && numberLike(b.Value) && a.Value != b.Value
		}
		return versionLike(a.Value) && versionLike(b.Value) && a.Value != b.Value && !strings.HasPrefix(a.Value, b.Value+".") && !strings.HasPrefix(b.Value, a.Value+".")
	case a.Kind == atom.Name && b.Kind == atom.Name:
		return !strings.EqualFold(a.Value, b.Value) && !partOf(lang.Lower(a.Value), terms{lang.Lower(b.Value)})
	}
	return false
}

// agree reports whether one value may be the other, rounded.
func agree(a, b *atom.Atom) bool {
	v, _, m := atom.Base(a.Num, a.Grain, a.Unit)
	w, _, n := atom.Base(b.Num, b.Grain, b.Unit)
	half := math.Max(a.Coarse(false)*m.By, b.Coarse(false)*n.By) / 2 * (1 + 1e-9)
	if a.Unit == "" && b.Unit == "" && a.Raw.Exp >= 0 && b.Raw.Exp >= 0 && a.Scale == 0 && b.Scale == 0 && math.Abs(a.Num) < 1000 {
		half = 0
	}
	if v == w {
		return true
	}
	if written := math.Max(a.Grain*m.By, b.Grain*n.By) / 2 * (1 + 1e-9); a.Unit != "" && a.Scale == 0 && b.Scale == 0 && math.Abs(v-w) <= written {
		return true
	}
	return math.Abs(v-w) <= half && math.Abs(v-w) <= math.Max(math.Abs(v), math.Abs(w))*.05
}

func datesAgree(a, b string) bool {
	if strings.HasSuffix(a, "s") || strings.HasSuffix(b, "s") { // 1926, and the 1920s
		f, t, ok := atom.DayNumber(a)
		g, u, other := atom.DayNumber(b)
		return ok && other && f < u && g < t
	}
	return a == b || strings.HasPrefix(a, b) || strings.HasPrefix(b, a) || strings.HasSuffix(a, strings.TrimLeft(b, "-")) && strings.HasPrefix(b, "--") || strings.HasPrefix(a, "--") && strings.HasSuffix(b, strings.TrimLeft(a, "-"))
}

// datesCompare reports whether two dates are of one kind: two times of day,
// two periods, two dates; a year and a date are where their years differ.
func datesCompare(a, b string) bool {
	x, y := dateShape(a), dateShape(b)
	if x == y {
		return true
	}
	return (x == 'y' || y == 'y') && (x == 'd' || y == 'd') && lang.IsDigit(a[0]) && lang.IsDigit(b[0]) && a[:4] != b[:4]
}

// dateShape tells times of day, dates and periods apart.
func dateShape(v string) byte {
	switch {
	case strings.IndexByte(v, ':') > 0 && len(v) < 9:
		return 't'
	case strings.ContainsAny(v, "QH"):
		return 'q'
	case len(v) == 4:
		return 'y'
	}
	return 'd'
}

// against decides whether two frames, whose atoms differ, contradict each other.
func (f *frame) against(g *frame) (string, bool) {
	// A value that the other sentence also states, or a range that holds it, is no contradiction.
	for i := range g.same {
		if sameValue(&f.atom, &g.same[i]) {
			return "", false
		}
	}
	for i := range f.same {
		if sameValue(&g.atom, &f.same[i]) {
			return "", false
		}
	}
	if f.atom.Numeric() && (within(&f.atom, &g.atom, g.same) || within(&g.atom, &f.atom, f.same)) {
		return "", false
	}
	subject, ok := f.rivals(g)
	if !ok {
		subject, ok = f.slipped(g)
	}
	if !ok || f.contrasts(g) || f.bounds(g) {
		return "", false
	}
	return subject, true
}

// slipped reports figures of one unit that are each other with two digits in each
// other's place, in sentences that share a name or a code and no other time: one of them is a slip,
// however the rest is worded.
func (f *frame) slipped(g *frame) (string, bool) {
	a, b := &f.atom, &g.atom
	if !a.Numeric() || !b.Numeric() || a.Significant() < 3 || clash(f.periods, g.periods) || clashCodes(f.codes, g.codes) || !atom.SameDimension(a.Unit, b.Unit) {
		return "", false
	}
	if numberSlip(trimZeros(digitsOf(a.Num, a.Grain)), trimZeros(digitsOf(b.Num, b.Grain))) != transposed || a.Num > 12*b.Num || b.Num > 12*a.Num {
		return "", false
	}
	common, _, _ := compare(f.names, g.names)
	if common == 0 && len(f.codes)*len(g.codes) == 0 {
		if n, onlyF, onlyG := compare(f.rest, g.rest); n < 2 || n < min(onlyF, onlyG) {
			return "", false
		}
	}
	return f.common(g), true
}

// rivals decides whether two different values are of one subject.
func (f *frame) rivals(g *frame) (string, bool) {
	if f.atom.Kind == atom.Name {
		return f.againstName(g)
	}
	if f.atom.Kind == atom.Date && dateShape(f.atom.Value) == 'y' && f.key == "" && g.key == "" && otherFigures(f.others, g.others) {
		return "", false // each year has its figure
	}
	if f.atom.Kind == atom.Number && f.atom.Noun != "" && g.atom.Noun != "" && lang.Stem(f.atom.Noun) != lang.Stem(g.atom.Noun) && f.attr&g.attr == 0 && !f.han {
		return "", false
	}
	if f.atom.Kind == atom.Number && g.atom.Kind == atom.Number && (f.atom.Noun == "") != (g.atom.Noun == "") && f.key == "" && g.key == "" && f.attr&g.attr == 0 && !f.han && !g.han {
		return "", false // only one of them counts something
	}
	return f.subject(g)
}

// otherFigures reports that two sentences give different figures of one unit.
func otherFigures(a, b []atom.Atom) bool {
	for i := range a {
		for j := range b {
			if x, y := &a[i], &b[j]; x.Part != atom.PartLater && y.Part != atom.PartLater && atom.SameDimension(x.Unit, y.Unit) && (x.Unit != "" || x.Noun == y.Noun) && !agree(x, y) {
				return true
			}
		}
	}
	return false
}

func sameValue(a, b *atom.Atom) bool {
	if a.Numeric() && b.Numeric() {
		return atom.SameDimension(a.Unit, b.Unit) && agree(a, b)
	}
	return a.Kind == atom.Date && b.Kind == atom.Date && datesAgree(a.Value, b.Value) || a.Value == b.Value
}

// within reports whether a lies between b and another value of b's sentence.
func within(a, b *atom.Atom, same []atom.Atom) bool {
	v, _, _ := atom.Base(a.Num, a.Grain, a.Unit)
	w, _, _ := atom.Base(b.Num, b.Grain, b.Unit)
	for i := range same {
		u, _, _ := atom.Base(same[i].Num, same[i].Grain, same[i].Unit)
		if v >= math.Min(u, w) && v <= math.Max(u, w) && same[i].Unit == b.Unit {
			return true
		}
	}
	return false
}

// roles are attributes whose value is a name: there is one of them at a time.
var roles = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`ceo cfo cto chairman chair president minister mayor capital author director founder inventor winner champion head leader governor king queen owner
 captain coach editor headquarter headquartered located birthplace manager principal referee refereed composer composed investigator architect conductor discovered invented wrote written designed painted`) {
		m[lang.Stem(w)] = true
	}
	return m
}()

// againstName decides whether two names are rivals for one role of one thing:
// the sentences share a name and the role's word, and but for the two names
// they say nothing else.
func (f *frame) againstName(g *frame) (string, bool) {
	if len(f.names) > 1 || len(f.names) != len(g.names) || len(f.others)+len(g.others) > 0 || clash(f.periods, g.periods) {
		return "", false
	}
	common, onlyF, onlyG := compare(f.names, g.names)
	if common != len(f.names) || onlyF+onlyG > 0 {
		return "", false
	}
	shared := f.attr & g.attr
	role := shared&roleBits != 0
	for _, w := range f.rest {
		role = role || roles[w] && g.rest.has(w)
	}
	restCommon, restF, restG := compare(f.rest, g.rest)
	if !role || common == 0 && (restCommon == 0 || restF+restG > 0) || restF > restCommon+1 || restG > restCommon+1 {
		return "", false
	}
	return f.common(g), true
}

// roleHashes are the words of roles as [lang.Words] has them.
var roleHashes = func() lang.Words {
	var w lang.Words
	for r := range roles {
		w = append(w, lang.Hash(r))
	}
	for _, r := range []string{"ceo", "chief", "capital", "lead", "led", "author", "novel", "won", "winner", "chairman"} {
		w = append(w, lang.Hash(lang.Stem(r)))
	}
	return w
}()

var roleBits = attributeWords[lang.Stem("ceo")] | attributeWords[lang.Stem("capital")] | attributeWords["author"] | attributeWords["won"] | attributeWords["chairman"]

// maxFrames bounds the frames that are kept at once.
const maxFrames = 50_000

// conflictFinder makes the frames of postings, for values that observations may say otherwise of.
type conflictFinder struct {
	x      *index
	frames map[int32]*frame
	titles map[string][]atom.Atom // the atoms of titles that were read
}

// frame is the frame of a posting, made once.
func (c *conflictFinder) frame(i int32) *frame {
	if f, ok := c.frames[i]; ok {
		return f
	}
	x := c.x
	p := &x.posts[i]
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	title := subjectOf(o, pc)
	inTitle, ok := c.titles[title]
	if !ok && title != "" {
		inTitle = atom.Scan(title)
		if c.titles == nil || len(c.titles) > maxFrames {
			c.titles = map[string][]atom.Atom{}
		}
		c.titles[title] = inTitle
	}
	f := frameOf(pc.text, x.atoms(p.obs, p.piece), int(p.nth), pc.key, title, inTitle)
	if len(c.frames) > maxFrames {
		clear(c.frames)
	}
	c.frames[i] = &f
	return &f
}

// subjectOf is what an observation is about, for sentences that do not say so:
// its title, else the texts of a record's other members.
func subjectOf(o *Observation, pc *piece) string {
	if o.Title != "" && pc.text != o.Title {
		return o.Title
	}
	if o.about != "" && len(o.about) < 120 {
		return o.about
	}
	if len(o.pieces) > 1 && len(pc.text) < 40 {
		var sb strings.Builder
		for i := range o.pieces {
			if q := &o.pieces[i]; q != pc && len(q.text) < 60 && atom.Currencies[strings.ToUpper(q.text)] == "" && roleOf(q.key).role != roleDate && roleOf(q.key).role != roleURL {
				sb.WriteString(q.text)
				sb.WriteByte(' ')
			}
		}
		return sb.String()
	}
	return ""
}

func kindsCompare(a, b atom.Kind) bool { return a == b || a.Numeric() && b.Numeric() }
