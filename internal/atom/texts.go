package atom

import (
	"math"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Stated reports whether text states value: the atoms of value in any writing,
// also rounded, converted or scaled; without atoms, its very words. What a rate is
// for ("9 l/100 km") a text may leave out, or write without a number ("a hundred
// kilometres"), but not replace by another.
func Stated(text, value string) bool {
	atoms := Scan(value)
	if len(atoms) == 0 {
		return lang.IndexWord(text, value) >= 0
	}
	have := NewTexts(text)
	for i := range atoms {
		if !have.Holds(&atoms[i], text) && (i == 0 || !denominator(value[:atoms[i].Offset]) || slices.ContainsFunc(have.Atoms(), func(a Atom) bool { return SameDimension(a.Unit, atoms[i].Unit) })) {
			return false
		}
	}
	return true
}

// denominator reports whether what stands behind a text is what a rate is for.
func denominator(before string) bool {
	return lang.HasAnySuffix(strings.TrimRight(before, " "), "/", " per", " every", "每")
}

// Texts finds the values of some texts, such as the question, the instructions
// and the earlier messages of an agent. The zero value holds none.
type Texts struct {
	atoms []Atom
	head  map[uint64]int32 // key -> 1 + the last atom of it
	next  []int32          // 1 + the atom of the same key before, parallel to keys
	of    []int32          // the atom that a link of the chain stands for
	List  []string         // the texts, for names and quotes
	read  int              // how many of the texts have been scanned

	ofFirst int // atoms of the first text
}

// NewTexts indexes one text.
func NewTexts(text string) *Texts {
	g := &Texts{}
	g.Add(text)
	return g
}

// Reset makes it hold none, and keeps its memory for others, where that is not much.
func (g *Texts) Reset() {
	const most = 1 << 10
	if len(g.atoms) > most || len(g.List) > most {
		*g = Texts{}
		return
	}
	clear(g.atoms)
	clear(g.head)
	clear(g.List)
	*g = Texts{atoms: g.atoms[:0], head: g.head, next: g.next[:0], of: g.of[:0], List: g.List[:0]}
}

// Add adds a text.
func (g *Texts) Add(text string) {
	if text != "" {
		g.List = append(g.List, text)
	}
}

// First are the atoms of the first text, which is the question where there is one.
func (g *Texts) First() []Atom {
	if g.read == 0 && len(g.List) > 0 {
		g.scan(g.List[0])
		g.read, g.ofFirst = 1, len(g.atoms)
	}
	return g.atoms[:g.ofFirst]
}

// Atoms are the atoms of all texts. They are only scanned when they are
// asked for: most values are carried by observations.
func (g *Texts) Atoms() []Atom {
	g.First()
	for ; g.read < len(g.List); g.read++ {
		g.scan(g.List[g.read])
	}
	return g.atoms
}

func (g *Texts) scan(text string) {
	from := len(g.atoms)
	g.atoms = Append(slices.Grow(g.atoms, min(2+len(text)/32, 4096)), text)
	if len(g.atoms) > from && g.head == nil {
		g.head = make(map[uint64]int32, len(g.atoms))
	}
	for i := from; i < len(g.atoms); i++ {
		a := &g.atoms[i]
		g.link(a.Key(), i)
		if a.Kind == Date {
			for _, v := range Coarser(a.Value) {
				g.link(lang.Hash(v), i)
			}
		}
	}
}

func (g *Texts) link(key uint64, atom int) {
	g.next = append(g.next, g.head[key])
	g.of = append(g.of, int32(atom))
	g.head[key] = int32(len(g.next))
}

// States returns the atom of the texts that says the same as a, or nil.
func (g *Texts) States(a *Atom) *Atom {
	g.Atoms()
	for at := g.head[a.Key()]; at > 0; at = g.next[at-1] {
		if b := &g.atoms[g.of[at-1]]; a.fit(b) > 0 && (a.Part != PartFirst || a.Num == b.Num) {
			return b
		}
	}
	return nil
}

// Gives reports whether the texts say what an atom says, by its value or, for a name
// or a quote, by its letters.
func (g *Texts) Gives(a *Atom) bool {
	if a.Kind == Name || a.Kind == Quote {
		return slices.ContainsFunc(g.List, func(text string) bool { return spelled(a, text) })
	}
	return g.States(a) != nil
}

// spelled reports whether a text has the letters of a name, as whole words where
// its script has such, or of a quote, which may begin and end anywhere.
func spelled(a *Atom, text string) bool {
	if a.Kind == Name {
		return lang.IndexWord(text, a.Value) >= 0
	}
	return lang.ContainsFold(text, a.Value)
}

// Holds reports whether the indexed text states a: exactly, else rounded or converted.
func (g *Texts) Holds(a *Atom, text string) bool {
	switch a.Kind {
	case Quote, Name:
		return spelled(a, text)
	}
	if g.States(a) != nil {
		return true
	}
	if !a.Numeric() {
		return false
	}
	atoms := g.Atoms()
	for i := range atoms {
		a, b := a.percent(&atoms[i]), atoms[i].percent(a)
		if !b.Numeric() || !SameDimension(a.Unit, b.Unit) || b.Trivial() {
			continue
		}
		v, _, n := Base(a.Num, a.Grain, a.Unit)
		w, _, m := Base(b.Num, b.Grain, b.Unit)
		// Either may be the rounded one.
		if half := math.Max(a.Coarse(true)*n.By, b.Coarse(true)*m.By) / 2; math.Abs(w-v) <= half*(1+1e-9) && math.Abs(w-v) <= math.Abs(v)*.05 {
			return true
		}
	}
	return false
}

// Trivial reports an atom that says nothing by occurring twice.
func (a *Atom) Trivial() bool {
	return a.Kind == Number && (a.Unit == "th" || a.Num == math.Trunc(a.Num) && math.Abs(a.Num) < 13)
}

// percent is a bare fraction as a percentage, where the other is one: 0.125, and
// 12.5 %; else the atom itself.
func (a *Atom) percent(other *Atom) *Atom {
	if a.Kind != Number || a.Unit != "" || other.Kind != Percent || a.Num == math.Trunc(a.Num) || math.Abs(a.Num) >= 1 {
		return a
	}
	p := *a
	p.Kind, p.Unit, p.Num, p.Grain = Percent, other.Unit, 100*a.Num, 100*a.Grain
	return &p
}
