package stance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
)

// widened is the claim with what answers write for its values besides their
// spellings: the other words of two outcomes, a person's name without the first
// one, a day's month or year. Observations are not read so: a month that a page
// mentions is no value of the claim. polar reports the outcomes.
func (c *Claim) widened() (wide *Claim, polar bool) {
	words, polar := c.outcomes()
	t, f := surname(c.True.Text), surname(c.False.Text)
	wide = new(Claim)
	*wide = *c
	wide.days = [2]string{dayOf(c.True.Text), dayOf(c.False.Text)}
	if !polar && (t == "" || f == "" || t == f) {
		return wide, false
	}
	for side, a := range [...]*Answer{&wide.True, &wide.False} {
		a.Also = slices.Clone(a.Also)
		if polar {
			a.Also = slices.Concat(a.Also, words[side], each("", hanDenials, hanOnly(words[1-side])))
		} else {
			a.Also = append(a.Also, [...]string{t, f}[side])
		}
	}
	return wide, polar
}

// hanDenials before an outcome make it the other one.
var hanDenials = phrases("没有", "没", "未", "未能", "并未", "尚未", "不")

func hanOnly(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w[0] < utf8.RuneSelf })
}

// surname is the last word of a name of two, both capitalised and neither of
// them a common word; empty where it is no such name.
func surname(name string) string {
	given, last, ok := strings.Cut(strings.TrimSpace(name), " ")
	if !ok || len(last) < 4 || !bareName(given) || !bareName(last) || atom.IsCommon(strings.ToLower(given)) || atom.IsCommon(strings.ToLower(last)) || atom.ClassWords[given] || atom.ClassWords[last] {
		return ""
	}
	return last
}

func bareName(w string) bool {
	for i, r := range w {
		if !unicode.IsLetter(r) && r != '-' && r != '\'' || i == 0 && !unicode.IsUpper(r) {
			return false
		}
	}
	return w != ""
}

// coarsely reports which of the claim's two days a text states by its month, year
// or decade alone, where those tell them apart.
func (c *Claim) coarsely(text string) (isTrue, isFalse bool) {
	t, f := c.days[0], c.days[1]
	if t == "" || f == "" {
		return false, false
	}
	for _, a := range atom.Scan(text) {
		if a.Kind != atom.Date || len(a.Value) != len("2006-01") && len(a.Value) != len("2006") {
			continue
		}
		inT, inF := strings.HasPrefix(t, a.Value), strings.HasPrefix(f, a.Value)
		if inT != inF {
			isTrue, isFalse = isTrue || inT, isFalse || inF
		}
	}
	return isTrue, isFalse
}

// dayOf is the date that a value is, to the day; empty where it is none.
func dayOf(value string) string {
	atoms := atom.Scan(value)
	if len(atoms) != 1 || atoms[0].Kind != atom.Date || len(atoms[0].Value) != len("2006-01-02") {
		return ""
	}
	return atoms[0].Value
}
