package evidence

import (
	"math"
	"strings"
)

// Amount is a number that a text states. A value in several units, such as
// 1 h 30 min, is one amount, in the first of them.
type Amount struct {
	Value float64
	Grain float64 // the worth of one in the last written digit
	Unit  string  // as of [Atom]; a year that is known as a date has none
	Noun  string  // what a number without a unit counts; empty where that is not known
	Mark  string  // the word after a number without a unit that looks like the symbol of one
	Text  string  // as it stands in the text
}

// Amounts returns the amounts of a text in order.
func Amounts(text string) []Amount {
	var out []Amount
	for _, a := range Scan(text) {
		end := a.Offset + a.Length
		switch {
		case a.part == partLater && len(out) > 0:
			last := &out[len(out)-1]
			last.Text = text[strings.LastIndex(text[:a.Offset], last.Text):end]
		case a.Numeric():
			m := Amount{Value: a.num, Grain: a.grain, Unit: a.Unit, Noun: a.noun, Text: a.Text}
			if a.Unit == "" {
				m.Mark = markAfter(text, end)
			}
			out = append(out, m)
		case a.Kind == KindDate && len(a.Value) == 4 && atoi(a.Value) > 0:
			out = append(out, Amount{Value: float64(atoi(a.Value)), Grain: 1, Text: a.Text})
		}
	}
	return out
}

// markAfter is the word after a number if it looks like a symbol: short, with a
// capital, and no word with a capital at its head.
func markAfter(text string, end int) string {
	sc := scanner{s: text}
	w := sc.wordAt(end)
	if len(w) == 0 || len(w) > 4 || lower(w) == w || len(w) > 2 && lower(w[1:]) == w[1:] {
		return ""
	}
	return w
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
	case !sameDimension(a.Unit, unit):
		return 0, 0, false
	}
	v, g, _ := base(a.Value, a.Grain, a.Unit)
	to := measures[unit]
	return (v - to.off) / to.by, g / to.by, true
}

// Same reports whether two amounts have one value and one unit.
func (a Amount) Same(b Amount) bool { return a.Value == b.Value && a.Unit == b.Unit }

// Rounds reports whether a conversion between two units leaves digits that are
// rounded: their factor is no power of ten.
func Rounds(from, to string) bool {
	a, b := measures[from], measures[to]
	if a.by == 0 || b.by == 0 {
		return false
	}
	power := math.Log10(a.by / b.by)
	return math.Abs(power-math.Round(power)) > 1e-9
}

// Measured reports whether it is known what a unit measures: what has another
// dimension is then another thing.
func Measured(unit string) bool { return measures[unit].by != 0 || currency(unit) }

// Commits reports whether a text states value as its own. It does not where it
// denies it or asks about it only, offers it as one of several, or states one of
// the others with more commitment: asserted against quoted, quoted against
// doubted. A value that is asserted counts beside others that are: they may be
// of other things.
func Commits(text, value string, others []string) bool {
	c := Claim{True: Answer{Text: value}}
	if len(others) > 0 {
		c.False = Answer{Text: others[0], Also: others[1:]}
	}
	s := statements{undecided: -1}
	for _, sentence := range sentencesOf(text) {
		s.sentence(&c, sentence)
	}
	var best [2]stance
	for _, x := range s.list {
		best[x.side] = max(best[x.side], x.stance)
	}
	switch own := best[0]; {
	case own == silent || own >= asserted: // silent: it stands where no sentence is read
		return true
	case own <= rejected:
		return false
	case own == attributed:
		return best[1] <= attributed
	default:
		return best[1] < own
	}
}
