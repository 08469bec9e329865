package cases

import (
	"math"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
)

// oneValue reports whether two texts are one value in two writings: the same words,
// or one atom each of the same worth, whatever its unit, language or notation.
func oneValue(a, b string) bool {
	if strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) {
		return true
	}
	x, y := loneAtom(a), loneAtom(b)
	switch {
	case x == nil || y == nil:
		return false
	case x.Unit == y.Unit && x.Fit(y.Kind, y.Unit, atom.NounKey(y.Noun)) < 2:
		return false // they count different things
	case x.Numeric() && y.Numeric():
		return atom.SameDimension(x.Unit, y.Unit) && near(worth(x), worth(y))
	}
	return x.Kind == y.Kind && x.Key() == y.Key()
}

// loneAtom is the atom that is all of a text, but for the word that it counts; nil
// where there is none.
func loneAtom(text string) *atom.Atom {
	atoms := atom.Scan(text)
	if len(atoms) != 1 {
		return nil
	}
	a := &atoms[0]
	rest := strings.TrimSpace(text[:a.Offset] + text[a.Offset+a.Length:])
	if rest != "" && !strings.EqualFold(rest, a.Noun) {
		return nil
	}
	return a
}

func worth(a *atom.Atom) float64 {
	v, _, _ := atom.Base(a.Num, a.Grain, a.Unit)
	return v
}

// near allows for what conversion by floating point leaves.
func near(x, y float64) bool { return math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y)) }
