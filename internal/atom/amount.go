package atom

import (
	"math"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Amount is a number that a text states. A value in several units, such as
// 1 h 30 min, is one amount, in the first of them.
type Amount struct {
	Value float64
	Grain float64 // the worth of one in the last written digit
	Unit  string  // as of [Atom]; a year that is known as a date has none
	Noun  string  // what a number without a unit counts; empty where that is not known
	Mark  string  // the word after a number without a unit that looks like the symbol of one
	Per   string  // what a unit without a known whole is counted by: 5 USD/month, 6 L/100km
	Text  string  // as it stands in the text
}

// Amounts returns the amounts of a text in order.
func Amounts(text string) []Amount {
	var out []Amount
	for _, a := range Scan(text) {
		end := a.Offset + a.Length
		switch {
		case a.Part == PartLater && len(out) > 0:
			last := &out[len(out)-1]
			last.Text = text[strings.LastIndex(text[:a.Offset], last.Text):end]
		case a.Numeric():
			m := Amount{Value: a.Num, Grain: a.Grain, Unit: a.Unit, Noun: a.Noun, Text: a.Text}
			if a.Unit == "" {
				m.Mark = markAfter(text, end)
			} else {
				m.Per = perAfter(text, end)
			}
			out = append(out, m)
		case a.Kind == Date && len(a.Value) == 4 && lang.Atoi(a.Value) > 0:
			out = append(out, Amount{Value: float64(lang.Atoi(a.Value)), Grain: 1, Text: a.Text})
		}
	}
	return out
}

// markAfter is the word after a number if it looks like a symbol: short, with a
// capital, and no word with a capital at its head.
func markAfter(text string, end int) string {
	sc := scanner{s: text}
	w := sc.wordAt(end)
	if len(w) == 0 || len(w) > 4 || lang.Lower(w) == w || len(w) > 2 && lang.Lower(w[1:]) == w[1:] {
		return ""
	}
	return w
}

// perAfter is what a unit that ends at end is counted by: a unit's symbol or a word,
// with its number where that is not one.
func perAfter(text string, end int) string {
	p := end
	for _, w := range []string{"/", " / ", " per ", " a ", " an ", " each ", " every "} {
		if strings.HasPrefix(text[end:], w) {
			p = end + len(w)
			break
		}
	}
	if p == end {
		return ""
	}
	sc := scanner{s: text}
	n := lang.DigitsEnd(text, p)
	count := text[p:n]
	den, stop := lang.WordAt(text, sc.space(n))
	if stop == n {
		return ""
	}
	if u := UnitOf(den); u != "" {
		den = u
	}
	if count == "1" {
		count = ""
	}
	return count + den
}

// In is the value and the grain in another unit. A percentage is a hundredth of
// a number without a unit. It is false where no factor between the units is known.
func (a Amount) In(unit string) (value, grain float64, ok bool) {
	switch {
	case a.Unit == unit:
		return a.Value, a.Grain, true
	case a.Unit == "%" && unit == "":
		return a.Value / 100, a.Grain / 100, true
	case a.Unit == "" && unit == "%":
		return a.Value * 100, a.Grain * 100, true
	case !SameDimension(a.Unit, unit):
		return 0, 0, false
	}
	v, g, _ := Base(a.Value, a.Grain, a.Unit)
	to := Measures[unit]
	return (v - to.Off) / to.By, g / to.By, true
}

// Same reports whether two amounts have one value and one unit.
func (a Amount) Same(b Amount) bool { return a.Value == b.Value && a.Unit == b.Unit }

// Rounds reports whether a conversion between two units leaves digits that are
// rounded: their factor is no power of ten.
func Rounds(from, to string) bool {
	a, b := Measures[from], Measures[to]
	if a.By == 0 || b.By == 0 {
		return false
	}
	power := math.Log10(a.By / b.By)
	return math.Abs(power-math.Round(power)) > 1e-9
}

// Measured reports whether it is known what a unit measures: what has another
// dimension is then another thing.
func Measured(unit string) bool { return Measures[unit].By != 0 || IsCurrency(unit) }
