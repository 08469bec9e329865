package stance

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Sides reports whether a text states the true and the false value. Where one
// writing could be either, as a rounded number of two near ones, the exact
// spelling decides.
func (c *Claim) Sides(text string) (isTrue, isFalse bool) {
	isTrue, isFalse = c.True.StatedIn(text), c.False.Text != "" && c.False.StatedIn(text)
	if !isTrue && !isFalse {
		return c.coarsely(text)
	}
	if !isTrue || !isFalse {
		return isTrue, isFalse
	}
	// A spelling inside of the other's, as 合格 inside of 不合格, is not its own.
	t, f := spelled(without(text, c.False, c.True), c.True), spelled(without(text, c.True, c.False), c.False)
	switch {
	case t == f:
		return isTrue, isFalse
	case t:
		return true, c.besides(text, c.True, c.False)
	}
	return c.besides(text, c.False, c.True), true
}

// besides reports whether a text that spells a also states b, and nothing that
// could be either, elsewhere.
func (c *Claim) besides(text string, a, b Answer) bool {
	for _, v := range a.All() {
		if v == "" {
			continue
		}
		if i := lang.IndexWord(text, v); i >= 0 {
			text = text[:i] + "; " + text[i+len(v):]
		}
	}
	return b.StatedIn(text) && !a.StatedIn(text)
}

// without is the text without those spellings of a that hold one of b's.
func without(text string, a, b Answer) string {
	for _, v := range a.All() {
		for _, w := range b.All() {
			if len(v) > len(w) && w != "" && lang.ContainsFold(v, w) {
				text = strings.ReplaceAll(text, v, " ")
			}
		}
	}
	return text
}

func spelled(text string, a Answer) bool { return offset(text, a) < len(text) }

// offset is where one of the spellings first stands in a text, or its length.
func offset(text string, a Answer) int {
	first := len(text)
	for _, v := range a.All() {
		if v == "" {
			continue
		}
		if i := lang.IndexWord(text, v); i >= 0 {
			first = min(first, i)
		}
	}
	return first
}

// place is where a value stands in a text: by its spelling, else by the atom
// that is it; the text's length where it is in neither.
func (c *Claim) place(text string, side int) (from, to int) {
	a := [...]Answer{c.True, c.False}[side]
	from, to = len(text), len(text)
	for _, v := range a.All() {
		if v == "" {
			continue
		}
		if i := lang.IndexWord(text, v); i >= 0 && (i < from || i == from && i+len(v) > to) {
			from, to = i, i+len(v)
		}
	}
	if from < len(text) {
		return from, to
	}
	for _, x := range atom.Scan(text) {
		end := x.Offset + x.Length
		if is := c.clause(text[x.Offset:end]); is.states[side] && !is.states[1-side] {
			return x.Offset, end
		}
	}
	return from, to
}
