package evidence

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Values returns the atoms of a text, and of JSON those of each of its strings and
// numbers by itself: a key and the marks of a string are writing, so that a status, a
// language or a currency alone is no value. A quoted single word is none either.
func Values(text string) []Atom {
	root, ok := parseData(text, nil)
	if !ok {
		return slices.DeleteFunc(Scan(text), func(a Atom) bool { return plainWord(&a) })
	}
	var out []Atom
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
func plainWord(a *Atom) bool {
	if a.Kind != KindQuote {
		return false
	}
	if hanWord(a.Value) {
		return utf8.RuneCountInString(a.Value) <= 2
	}
	return !strings.ContainsAny(a.Value, " ,;")
}

// Flows returns the values of a that occur in b: the same in any writing, also
// rounded or converted, a percentage as its fraction too. Small bare integers and
// ordinals, which occur everywhere, do not count.
func Flows(a, b string) []Atom {
	var out []Atom
	have := newTexts(b)
	for _, x := range Values(a) {
		if !trivial(&x) && have.holds(&x, b) {
			out = append(out, x)
		}
	}
	return out
}

// trivial reports an atom that says nothing by occurring twice.
func trivial(a *Atom) bool {
	return a.Kind == KindNumber && (a.Unit == "th" || a.num == math.Trunc(a.num) && math.Abs(a.num) < 13)
}

// newTexts indexes one text.
func newTexts(text string) *textIndex {
	g := &textIndex{}
	g.add(text)
	return g
}

// holds reports whether the indexed text states a: exactly, else rounded or converted.
func (g *textIndex) holds(a *Atom, text string) bool {
	switch a.Kind {
	case KindQuote, KindName:
		return containsFold(text, a.Value)
	}
	if g.states(a) != nil {
		return true
	}
	if !a.Numeric() {
		return false
	}
	atoms := g.numbers()
	for i := range atoms {
		a, b := a.percent(&atoms[i]), atoms[i].percent(a)
		if !b.Numeric() || !sameDimension(a.Unit, b.Unit) || trivial(b) {
			continue
		}
		v, _, n := base(a.num, a.grain, a.Unit)
		w, _, m := base(b.num, b.grain, b.Unit)
		// Either may be the rounded one.
		if half := math.Max(a.coarse(true)*n.by, b.coarse(true)*m.by) / 2; math.Abs(w-v) <= half*(1+1e-9) && math.Abs(w-v) <= math.Abs(v)*.05 {
			return true
		}
	}
	return false
}

// percent is a bare fraction as a percentage, where the other is one: 0.125, and
// 12.5 %; else the atom itself.
func (a *Atom) percent(other *Atom) *Atom {
	if a.Kind != KindNumber || a.Unit != "" || other.Kind != KindPercent || a.num == math.Trunc(a.num) || math.Abs(a.num) >= 1 {
		return a
	}
	p := *a
	p.Kind, p.Unit, p.num, p.grain = KindPercent, other.Unit, 100*a.num, 100*a.grain
	return &p
}

// Stated reports whether text states value: the atoms of value in any writing,
// also rounded, converted or scaled; without atoms, its very words.
func Stated(text, value string) bool {
	atoms := Scan(value)
	if len(atoms) == 0 {
		return containsFold(text, value)
	}
	have := newTexts(text)
	for i := range atoms {
		if !have.holds(&atoms[i], text) {
			return false
		}
	}
	return true
}

// CarriedBy returns the indexes of the observations that a text rests on: those
// that carry one of its values, or an operand of it, in the order of the trace.
func (l *Ledger) CarriedBy(text string) []int {
	own := &Ledger{Observations: l.Observations, Cut: []string{}}
	k := linker{scratch: &scratch{}, ledger: own, index: l.index, given: l.given, limit: math.MaxInt, missing: l.Missing}
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
func (l *Ledger) Atoms(observation int) ([]Atom, []Place) {
	o := &l.Observations[observation]
	var atoms []Atom
	var places []Place
	for i := range o.pieces {
		from := len(atoms)
		atoms = appendAtoms(atoms, o.pieces[i].text)
		for j := from; j < len(atoms); j++ {
			places = append(places, o.pieces[i].place(o.StepID, atoms[j].Offset, atoms[j].Length))
		}
	}
	return atoms, places
}
