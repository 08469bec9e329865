package evidence

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// subject decides whether two frames speak of one thing, and names what they
// have in common.
func (f *frame) subject(g *frame) (string, bool) {
	if f.attr != 0 && g.attr != 0 && f.attr&g.attr == 0 || (f.leads || g.leads) && f.attr&g.attr == 0 {
		return "", false
	}
	if f.head != g.head && f.head != "" && !g.rest.has(f.head) || g.head != f.head && g.head != "" && !f.rest.has(g.head) {
		return "", false
	}
	if _, onlyF, onlyG := compare(f.scope, g.scope); onlyF > 0 && onlyG > 0 {
		return "", false
	}
	if clash(f.periods, g.periods) || clashCodes(f.codes, g.codes) || clashAtoms(f.others, g.others) {
		return "", false
	}
	if missing(f.where, g) || missing(g.where, f) {
		return "", false
	}
	common, onlyF, onlyG := compare(f.names, g.names)
	if len(f.codes) > 0 && len(g.codes) > 0 { // one of them is the same
		common++
	}
	if len(f.names) > 0 && len(g.names) > 0 && (common == 0 || onlyF > 0 && onlyG > 0) {
		return "", false
	}
	if f.atom.Kind == atom.Identifier && !(f.latest() && g.latest()) && !(numberLike(f.atom.Value) && f.attr&g.attr&numberedBits != 0) {
		return "", false
	}
	restCommon, restF, restG := compare(f.rest, g.rest)
	attr := f.attr&g.attr != 0 || f.labels(g) || g.labels(f) || f.key != "" && f.key == g.key || f.atom.Noun != "" && lang.Stem(f.atom.Noun) == lang.Stem(g.atom.Noun)
	switch {
	case f.inferred && restG > restCommon || g.inferred && restF > restCommon: // it may be another thing
		return "", false
	case common > 0 && attr:
		if common < 2 && restF > 0 && restG > 0 && restCommon == 0 && (!f.han || restF > 2 && restG > 2) { // laid off, hired
			return "", false
		}
	case common > 0 && !attr && restCommon < 2 && (f.attr == 0 && g.attr != 0 && restF > 0 || g.attr == 0 && f.attr != 0 && restG > 0): // weighs, and carries
		return "", false
	case common > 0: // no attribute in common: the words must agree
		if restCommon == 0 || restCommon < restF || restCommon < restG {
			return "", false
		}
	case f.key != "" && f.key == g.key && restF+restG == 0: // two records, of which nothing else is said
	default: // no name: the words must be nearly the same
		total := restCommon + max(restF, restG)
		if restCommon == 0 || restCommon*10 < total*6 || restF > 0 && restG > 0 && restCommon*10 < total*7 {
			bare := (restF == 0 || restG == 0) && restF+restG <= 2 && f.key == "" && g.key == "" && len(f.names)+len(g.names) == 0
			if !(attr && (restCommon > 0 && (restF == 0 || restG == 0) || bare)) {
				return "", false
			}
		}
	}
	return f.common(g), true
}

// withoutUnit is the words of a key without the unit at their end.
func withoutUnit(words string) string {
	at := strings.LastIndexByte(words, ' ')
	if at > 0 && keyUnits()[lang.Lower(words[at+1:])].unit != "" {
		return words[:at]
	}
	return words
}

// labels reports a key that the other frame's text speaks of.
func (f *frame) labels(g *frame) bool {
	if f.label == "" || g.label != "" {
		return false
	}
	for w := range strings.FieldsSeq(f.label) {
		if len(w) > 2 && atom.Units[w] == "" && !strings.Contains(g.text, w) {
			return false
		}
	}
	return len(f.label) > 3
}

// common lists the names, else the words, that two frames share.
func (f *frame) common(g *frame) string {
	pick := func(a, b terms) []string {
		var out []string
		for _, w := range a {
			if b.has(w) {
				out = append(out, w)
			}
		}
		slices.Sort(out)
		return out
	}
	out := pick(f.names, g.names)
	if len(out) == 0 {
		out = pick(f.rest, g.rest)
	}
	return strings.Join(out, " ")
}

func compare(a, b terms) (common, onlyA, onlyB int) {
	for _, w := range a {
		if b.has(w) || partOf(w, b) {
			common++
		} else {
			onlyA++
		}
	}
	for _, w := range b {
		if !a.has(w) && !partOf(w, a) {
			onlyB++
		}
	}
	return
}

// partOf reports a name that is a part of another: Nimbus Pad and Nimbus Pad 12.
// Numbers tell names apart.
func partOf(w string, set terms) bool {
	if strings.IndexByte(w, ' ') < 0 && len(w) < 4 {
		return false
	}
	for _, o := range set {
		long, short := o, w
		if len(w) > len(o) {
			long, short = w, o
		}
		if strings.HasPrefix(long, short+" ") || strings.HasSuffix(long, " "+short) {
			rest := strings.Replace(long, short, "", 1)
			if !strings.ContainsAny(rest, "0123456789") && !variantWords[strings.TrimSpace(rest)] {
				return true
			}
		}
	}
	return false
}

// variantWords tell models of one name apart.
var variantWords = lang.Set("max pro plus mini ultra lite se xl air s x sport junior half")

// missing reports places of which the other frame says nothing, though it names others.
func missing(where terms, g *frame) bool {
	for _, w := range where {
		if !g.names.has(w) && !g.rest.has(lang.Stem(w)) && !partOf(w, g.names) {
			return true
		}
	}
	return false
}

// clash reports two lists of dates that exclude each other: both name a time,
// and none of one covers one of the other.
func clash(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, x := range a {
		for _, y := range b {
			if x == y || strings.HasPrefix(x, y) && len(y) >= 4 && len(x) >= len(y) && !differentPart(x, y) || strings.HasPrefix(y, x) && len(x) >= 4 && !differentPart(x, y) {
				return false
			}
		}
	}
	return true
}

// differentPart tells a year from its quarter: figures of the one are not those of the other.
func differentPart(x, y string) bool {
	return strings.ContainsAny(x, "QH") != strings.ContainsAny(y, "QH")
}

func clashCodes(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return false
			}
		}
	}
	return true
}

// clashAtoms reports other quantities that tell variants apart: 128 GB and 256 GB.
func clashAtoms(a, b []atom.Atom) bool {
	for i := range a {
		for j := range b {
			x, y := &a[i], &b[j]
			if x.Unit == "" || !atom.SameDimension(x.Unit, y.Unit) {
				continue
			}
			v, _, _ := atom.Base(x.Num, x.Grain, x.Unit)
			w, _, _ := atom.Base(y.Num, y.Grain, y.Unit)
			if v != w {
				return true
			}
		}
	}
	return false
}
