package stance

import (
	"math"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// onlyAtom is the one atom that a value is; nil where it is none or several.
func onlyAtom(value string) *atom.Atom {
	atoms := atom.Scan(value)
	if len(atoms) != 1 {
		return nil
	}
	return &atoms[0]
}

// coarsely reports which of the claim's two values a text that states neither
// means, where what it says fits one of them alone: a day by its month or year, or
// with day and month exchanged; a time on the face of a clock; a version by its
// first numbers; a price by what several cost.
func (c *Claim) coarsely(text string) (isTrue, isFalse bool) {
	if c.coarse[0] == nil || c.coarse[1] == nil || c.coarse[0].Kind != c.coarse[1].Kind && !versions(c.coarse) {
		return false, false
	}
	mean := func(fits func(value *atom.Atom) bool) {
		if t, f := fits(c.coarse[0]), fits(c.coarse[1]); t != f {
			isTrue, isFalse = isTrue || t, isFalse || f
		}
	}
	atoms := atom.Scan(text)
	counts := countsIn(atoms, text)
	for i := range atoms {
		a := &atoms[i]
		if a.Unit == "th" && lang.IsLetterAt(strings.TrimLeft(text[a.Offset+a.Length:], " "), 0) {
			continue // "the 30th anniversary"
		}
		mean(func(v *atom.Atom) bool { return dayWithin(v, a) || versionOf(v, a) || multiple(v, a, counts) })
	}
	if c.coarse[0].Kind == atom.Date && len(c.coarse[0].Value) == len("15:30") {
		for _, face := range atom.Faces(text) {
			mean(func(v *atom.Atom) bool { return faceOf(v.Value) == face })
		}
	}
	return isTrue, isFalse
}

// dayWithin reports whether a date is the month or the year of a day, or the day
// itself with the day and the month exchanged: 03/05/2018. A number of four digits
// may be the year.
func dayWithin(day, a *atom.Atom) bool {
	const iso = len("2006-01-02")
	if day.Kind != atom.Date || len(day.Value) != iso {
		return false
	}
	if a.Kind == atom.Number && a.Unit == "th" { // "the 30th"
		return lang.Atoi(day.Value[len("2006-01-"):]) == int(a.Num)
	}
	if a.Kind != atom.Date {
		return a.Kind == atom.Number && a.Unit == "" && len(a.Text) == len("2006") && strings.HasPrefix(day.Value, a.Text)
	}
	switch len(a.Value) {
	case len("2006"), len("2006-01"): // and --01-02, a day of any year
		return strings.HasPrefix(day.Value, a.Value) || strings.HasPrefix(a.Value, "--") && strings.HasSuffix(day.Value, a.Value[len("-"):])
	case iso:
		return strings.Contains(a.Text, "/") && a.Value == day.Value[:5]+day.Value[8:]+"-"+day.Value[5:7]
	}
	return false
}

// faceOf is a time as it stands on the face of a clock.
func faceOf(clock string) string {
	if len(clock) != len("15:30") || clock[2] != ':' {
		return ""
	}
	return atom.TwoDigits((lang.Atoi(clock[:2])+11)%12+1) + clock[2:]
}

// versions reports whether one of two values is a version, of which the other may
// look like a number: 3.9.1 and 3.10.
func versions(values [2]*atom.Atom) bool {
	return slices.ContainsFunc(values[:], func(a *atom.Atom) bool { return a.Kind == atom.Identifier })
}

// versionOf reports whether a number or code is a version's first numbers, of
// which it needs two, or has zeros that it does without: 3.9 and 3.9.0.
func versionOf(version, a *atom.Atom) bool {
	v, w := strings.TrimPrefix(version.Text, "v"), strings.TrimPrefix(a.Text, "v") // the value of a number has lost its last zeros
	if version.Kind != atom.Identifier && a.Kind != atom.Identifier || !dotted(v) || !dotted(w) || a.Unit != "" {
		return false
	}
	for strings.HasSuffix(w, ".0") && len(w) > len(v) {
		w = strings.TrimSuffix(w, ".0")
	}
	return strings.HasPrefix(v+".", w+".")
}

// dotted reports digits with points between them.
func dotted(v string) bool {
	return strings.Contains(v, ".") && strings.Trim(v, "0123456789.") == "" && !strings.HasPrefix(v, ".")
}

// totals say that an amount is that of several.
var totals = phrases("total", "altogether", "in all", "all together", "together", "sum", "combined", "for both", "一共", "总共", "共", "合计", "总计", "加起来")

// countsIn is how many a text that tells a total says that there are: its first few
// counts.
func countsIn(atoms []atom.Atom, text string) []float64 {
	const most = 8
	if !lang.HasAny(text, totals) {
		return nil
	}
	var out []float64
	for i := range atoms {
		if a := &atoms[i]; a.Kind == atom.Number && a.Unit == "" && a.Num > 1 && a.Num == math.Trunc(a.Num) && len(out) < most {
			out = append(out, a.Num)
		}
	}
	return out
}

// multiple reports whether an amount is that of several of a value: "for two people
// €162 in total".
func multiple(value, a *atom.Atom, counts []float64) bool {
	if value.Kind != atom.Money && value.Kind != atom.Quantity || a.Kind != value.Kind || !atom.SameDimension(value.Unit, a.Unit) {
		return false
	}
	each, grain, _ := atom.Base(value.Num, value.Grain, value.Unit)
	sum, _, _ := atom.Base(a.Num, a.Grain, a.Unit)
	return slices.ContainsFunc(counts, func(n float64) bool { return math.Abs(n*each-sum) < grain/2 })
}
