package evidence

import (
	"math"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// near derives a value by rounding or conversion from one that an observation
// states, or that was given.
func (k *linker) near(l *Link, near lang.Words, text string) bool {
	a := &l.Atom
	v, _, m := atom.Base(a.Num, a.Grain, a.Unit)
	plain := a.Rounding(saysAbout(text, a))
	half := plain * m.By
	var found []candidate
	try := func(unit string, p *posting) {
		w, g, _ := atom.Base(p.num, float64(p.grain), unit)
		if k.later(p.obs) || math.Abs(w-v) > half || g > 2*half && unit == a.Unit || w == v && unit == a.Unit && p.how == asWritten {
			return
		}
		f := k.fitPosting(a, p)
		if unit != a.Unit && m.Dim != atom.DimNone && atom.SameDimension(unit, a.Unit) {
			f = 3
		}
		if f > 0 {
			found = append(found, candidate{p: p, fit: f})
		}
	}
	for _, unit := range k.units(a.Unit, m) {
		if unit == "" && (a.Unit != "" || a.Noun == "折") {
			k.bare(a, plain, text, &found)
			continue
		}
		n := atom.Measures[unit]
		by, off := 1.0, 0.0
		if n.By != 0 {
			by, off = n.By, n.Off
		}
		low, high := (v-half-off)/by, (v+half-off)/by
		k.index.between(low, high, func(p *posting) bool {
			if atom.UnitNames[p.unit] == unit {
				try(unit, p)
			}
			return len(found) < maxCandidates
		})
	}
	found = k.choose(a, found, near)
	kept := found[:0]
	for _, c := range found {
		if c.score >= 2 || c.score >= 1 && a.Significant() >= 2 || a.Significant() >= 4 || k.rare(a, plain, c.p) || k.sole(a, c.p) {
			kept = append(kept, c)
		}
	}
	if len(kept) > 0 {
		l.State, l.How = Derived, "rounded"
		for _, c := range kept {
			if unit := atom.UnitNames[c.p.unit]; unit != a.Unit && atom.SameDimension(unit, a.Unit) || c.p.how == converted || unit == "" && a.Unit == "%" && math.Abs(c.p.num) <= 1 && math.Abs(a.Num) > 1 {
				l.How = "converted"
			}
			if n := len(l.Observations); n < 8 {
				k.source(l, c.p)
				if len(l.Observations) > n {
					l.Operands = append(l.Operands, k.index.text(c.p))
				}
			}
		}
		return true
	}
	given := k.given.Atoms()
	for i := range given {
		g := &given[i]
		if !g.Numeric() {
			continue
		}
		w, gr, _ := atom.Base(g.Num, g.Grain, g.Unit)
		if atom.SameDimension(g.Unit, a.Unit) && math.Abs(w-v) <= half && gr <= 2*half && (g.Unit != a.Unit || a.Unit != "") {
			l.State, l.How, l.Given = Derived, "rounded", true
			if g.Unit != a.Unit {
				l.How = "converted"
			}
			l.Operands = append(l.Operands, g.Text)
			return true
		}
	}
	return false
}

// bare finds numbers without a unit that round to the value: in its own unit,
// fractions of one where it is a percentage or tenths (八折), or a hundredth of a
// currency that only the value names. How finely a number is written matters only
// where it has to be rounded: 0.2 is 20 %.
func (k *linker) bare(a *atom.Atom, half float64, text string, found *[]candidate) {
	try := func(by float64, may func(p *posting) bool) {
		low, high := (a.Num-half)/by, (a.Num+half)/by
		k.index.between(min(low, high), max(low, high), func(p *posting) bool {
			w, g := p.num*by, math.Abs(float64(p.grain)*by)
			exact := math.Abs(w-a.Num) <= 1e-9*math.Abs(a.Num)
			if p.unit == 0 && !k.later(p.obs) && (exact && by != 1 || !exact && g <= 2*half*(1+1e-6)) && may(p) {
				if f := k.fitPosting(a, p); f > 0 {
					*found = append(*found, candidate{p: p, fit: f})
				}
			}
			return len(*found) < maxCandidates
		})
	}
	fraction := func(p *posting) bool { return math.Abs(p.num) <= 1 && p.grain < 1 }
	try(1, func(*posting) bool { return true })
	switch {
	case a.Unit == "%":
		try(100, fraction)
		if from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length); a.Num > 0 && saysDown(text[from:to]) {
			try(-100, fraction)
		}
	case a.Kind == atom.Money:
		try(.01, func(p *posting) bool {
			o := &k.index.obs[p.obs]
			return inMinorUnits(o.pieces[p.piece].key) && o.currencyBeside() == ""
		})
	case a.Noun == "折":
		try(10, fraction)
	}
}

// sole reports the only number that a value can be of in the only record of its
// result: however few digits it has, it is no chance. Of percentages and of numbers
// without a unit it is the only fraction of one or percentage.
func (k *linker) sole(a *atom.Atom, p *posting) bool {
	x := k.index
	if !x.alone(int(p.obs)) {
		return false
	}
	at := x.firstOf(p.obs)
	for n := 0; at < len(x.posts) && x.posts[at].obs == p.obs; at, n = at+1, n+1 {
		q := &x.posts[at]
		if n >= maxSole {
			return false
		}
		if !atom.Kinds[q.kind].Numeric() || q.piece == p.piece && q.off == p.off {
			continue
		}
		unit := atom.UnitNames[q.unit]
		switch {
		case unit != "":
			if unit == a.Unit || unit == atom.UnitNames[p.unit] || atom.SameDimension(unit, a.Unit) {
				return false
			}
		case p.unit != 0 || (a.Unit == "%" || a.Noun == "折") && math.Abs(q.num) > 1:
		case !identityKey(&x.obs[q.obs].pieces[q.piece], atom.Number):
			return false
		}
	}
	return true
}

// rare reports a value that a number is of, within half a grain of it, by no chance: the
// numbers in units of its kind are so few that hardly one in ten other values would find one.
func (k *linker) rare(a *atom.Atom, half float64, p *posting) bool {
	const chance, most = .1, 400
	x := k.index
	if len(x.posts) > most {
		return false
	}
	unit := atom.UnitNames[p.unit]
	n, near := 0.0, math.Abs(p.num)
	for i := range x.posts {
		q := &x.posts[i]
		if v := math.Abs(q.num); atom.Kinds[q.kind].Numeric() && q.how == asWritten && atom.SameDimension(unit, atom.UnitNames[q.unit]) && (q.unit != p.unit || v >= near/4 && v <= near*4) {
			n++
		}
	}
	return n*2*half <= chance*math.Abs(a.Num)
}

// maxSole bounds the numbers of a record among which one is the only one.
const maxSole = 64

// units lists the units that a value in unit may have been converted from: its
// own first, then those of its dimension, and none.
func (k *linker) units(unit string, m atom.Measure) []string {
	out := []string{unit}
	if m.Dim != atom.DimNone {
		for _, u := range atom.UnitNames {
			if u != unit && atom.Measures[u].Dim == m.Dim {
				out = append(out, u)
			}
		}
	}
	if unit != "" {
		out = append(out, "")
	}
	return out
}

// saysAbout reports a value that is given as a rough one: about 40, 40 or so,
// 约40, 40左右.
func saysAbout(text string, a *atom.Atom) bool {
	const before, after = 26, 12
	end := a.Offset + a.Length
	s := text[max(0, a.Offset-before):a.Offset]
	if at := strings.LastIndexAny(s, ".,;:!?(\n0123456789"); at >= 0 {
		s = s[at+1:]
	}
	if aboutWords.In(s) {
		return true
	}
	s = text[end:min(len(text), end+after)]
	return lang.HasAnyPrefix(s, "左右", "多", "余", "上下") || strings.HasPrefix(s, " or so") || strings.Contains(s, "左右")
}

var aboutWords = lang.MakePhrases("about", "around", "roughly", "approx", "nearly", "almost", "over ", "more than", "less than", "under ", "some ", "just ", "close to", "~", "≈", "circa", "约", "近", "超过", "大概", "接近")

// nearest is the two operands of the value's sentence that stand nearest to it.
func nearest(ops []operand, at, from, to int) []operand {
	var out []operand
	for _, o := range ops {
		if o.rank >= 150 && o.at >= from && o.at < to {
			out = append(out, o)
		}
	}
	slices.SortStableFunc(out, func(a, b operand) int { return abs(a.at-at) - abs(b.at-at) })
	return out[:min(2, len(out))]
}

// saysAge reports a number that is an age by the words around it.
func saysAge(text string, from, to int, a *atom.Atom) bool {
	before, after := lang.Lower(strings.TrimRight(text[from:a.Offset], " *")), lang.Lower(text[a.Offset+a.Length:to])
	return lang.HasAnySuffix(before, "aged", "age of", "age", "年龄") || strings.HasPrefix(after, "岁") || lang.HasAnySuffix(before, "turned", "turns", "turn") || lang.HasAnyPrefix(strings.TrimLeft(after, " "), "at the time", "when ")
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

var oneWords = lang.MakePhrases("one ", "1 ")

// computed derives a value by arithmetic. The fewer the digits of the value and
// the farther the operands, the more must speak for it: a derivation that
// chance would find as easily is none.
func (k *linker) computed(l *Link, near lang.Words, text string, from, to int, links []Link) bool {
	a := &l.Atom
	if a.Num == 0 || a.Kind == atom.Number && a.InWords && a.Num <= 12 && a.Num >= 1 {
		return false
	}
	if k.exhausted(l) {
		return false
	}
	ops := k.operands(l, near, text, from, to, links)
	k.seek(len(ops), len(k.index.found))
	if len(ops) < 2 {
		return false
	}
	if a.Unit == "°" { // 13 degrees warmer: of the scale that the temperatures are in
		for i := range ops {
			if atom.Measures[ops[i].unit].Dim == atom.DimTemperature && ops[i].rank >= 150 {
				scaled := *a
				scaled.Unit, a = ops[i].unit, &scaled
				break
			}
		}
	}
	if a.Part == atom.PartFirst { // 2 h 45 min longer, of 465 and 630 minutes
		for i := range ops {
			if o := &ops[i]; o.unit != a.Unit && atom.SameDimension(o.unit, a.Unit) {
				o.num, o.grain, o.unit = convert(o.num, o.unit, a.Unit), convert(o.grain, o.unit, a.Unit), a.Unit
			}
		}
	}
	intro := introduction(text, from)
	grain := a.Grain
	if saysAbout(text, a) {
		grain = a.Coarse(true)
	}
	c := calculation{a: a, half: grain * .5 * (1 + 1e-9), ops: ops, digits: a.Significant(), cue: k.cuesOf(text[from:to]) | cues(intro),
		trend: trendOf(text, a), arbitrary: func(used []operand) bool { return k.arbitrary(used, text[from:to], text) }}
	if k.bodyMass() {
		c.cue |= cueSquare
	}
	if a.InWords && a.Num < 1 { // two thirds of them
		c.cue |= cueRatio
	}
	if a.Kind == atom.Number && a.Unit == "" && saysAge(text, from, to, a) { // at the age of 33
		years := *a
		years.Kind, years.Unit = atom.Quantity, "y"
		c.a = &years
		c.cue |= cueDifference
	}
	if atom.Measures[a.Unit].Dim == atom.DimTime && strings.HasSuffix(text[from:a.Offset], " in ") { // in 3 days
		c.cue |= cueDifference
	}
	c.dates(ops)
	ops = slices.DeleteFunc(ops, func(o operand) bool { return momentUnits[o.unit] })
	c.ops = ops
	c.per, _ = perOf(text, a.Offset, a.Offset+a.Length)
	if !c.found {
		c.rates(ops)
	}
	if !c.found && oneWords.In(text[from:to]) {
		c.reciprocals(ops)
	}
	if beside := nearest(ops, a.Offset, from, to); !c.found && len(beside) == 2 {
		c.ops = beside
		c.pairs(beside)
		c.ops = ops
	}
	if !c.found {
		c.pairs(ops)
	}
	if !c.found {
		c.scaled(ops)
	}
	if !c.found {
		c.many(ops)
	}
	if !c.found {
		c.twoSteps(ops)
	}
	if !c.found {
		return false
	}
	k.make(l, c.how, c.used)
	l.exact = c.result
	return true
}
