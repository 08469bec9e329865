package evidence

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Values returns the atoms of a text, and of JSON those of each of its strings and
// numbers by itself: a key and the marks of a string are writing, so that a status, a
// language or a currency alone is no value. A quoted single word is none either.
func Values(text string) []atom.Atom {
	root, ok := parseData(text, nil)
	if !ok {
		return slices.DeleteFunc(atom.Scan(text), func(a atom.Atom) bool { return plainWord(&a) })
	}
	var out []atom.Atom
	var read func(n *node)
	read = func(n *node) {
		for i := range n.kids {
			read(&n.kids[i])
		}
		if n.kind == nodeString || n.kind == nodeScalar {
			out = append(out, Values(n.text)...)
		}
	}
	read(&root)
	return out
}

// plainWord reports a quotation of one word, or of two Chinese characters: an enum's
// member or an emphasis rather than somebody's words.
func plainWord(a *atom.Atom) bool {
	if a.Kind != atom.Quote {
		return false
	}
	if lang.IsHan(a.Value) {
		return utf8.RuneCountInString(a.Value) <= 2
	}
	return !strings.ContainsAny(a.Value, " ,;")
}

// Flows returns the values of a that occur in b: the same in any writing, also
// rounded or converted, a percentage as its fraction too. Small bare integers and
// ordinals, which occur everywhere, do not count.
func Flows(a, b string) []atom.Atom {
	var out []atom.Atom
	have := atom.NewTexts(b)
	for _, x := range Values(a) {
		if !x.Trivial() && have.Holds(&x, b) {
			out = append(out, x)
		}
	}
	return out
}

// CarriedBy returns the indexes of the observations that a text rests on: those
// that carry one of its values, or an operand of it, in the order of the trace.
func (l *Ledger) CarriedBy(text string) []int {
	own := &Ledger{Observations: l.Observations, Cut: []string{}}
	k := linker{scratch: &scratch{}, room: &room{}, ledger: own, index: l.index, given: l.given, limit: math.MaxInt, missing: l.Missing}
	k.text(text, func(off, length int) Place { return Place{Offset: off, Length: length} })
	seen := make(map[int]bool)
	for i := range own.Links {
		if s := own.Links[i].State; s == Carried || s == Derived {
			for _, o := range own.Links[i].Observations {
				seen[o] = true
			}
		}
	}
	out := make([]int, 0, len(seen))
	for i := range l.Observations {
		if seen[i] {
			out = append(out, i)
		}
	}
	return out
}

// Atoms returns the atoms of one observation with their places.
func (l *Ledger) Atoms(observation int) ([]atom.Atom, []Place) {
	o := &l.Observations[observation]
	var atoms []atom.Atom
	var places []Place
	for i := range o.pieces {
		from := len(atoms)
		atoms = atom.Append(atoms, o.pieces[i].text)
		for j := from; j < len(atoms); j++ {
			places = append(places, o.pieces[i].place(o.StepID, atoms[j].Offset, atoms[j].Length))
		}
	}
	return atoms, places
}
