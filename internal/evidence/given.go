package evidence

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// textIndex holds the atoms of what was given: the question, the
// instructions, earlier messages.
type textIndex struct {
	atoms []Atom
	head  map[uint64]int32 // key -> 1 + the last atom of it
	next  []int32          // 1 + the atom of the same key before, parallel to keys
	of    []int32          // the atom that a link of the chain stands for
	text  []string         // for names and quotes
	read  int              // how many of the texts have been scanned

	ofFirst int // atoms of the first text
}

func (g *textIndex) add(text string) {
	if text != "" {
		g.text = append(g.text, text)
	}
}

// first are the atoms of the first text, which is the question where there is one.
func (g *textIndex) first() []Atom {
	if g.read == 0 && len(g.text) > 0 {
		g.scan(g.text[0])
		g.read, g.ofFirst = 1, len(g.atoms)
	}
	return g.atoms[:g.ofFirst]
}

// numbers are the atoms of all texts. They are only scanned when they are
// asked for: most values are carried by observations.
func (g *textIndex) numbers() []Atom {
	g.first()
	for ; g.read < len(g.text); g.read++ {
		g.scan(g.text[g.read])
	}
	return g.atoms
}

func (g *textIndex) scan(text string) {
	from := len(g.atoms)
	g.atoms = appendAtoms(slices.Grow(g.atoms, min(2+len(text)/32, 4096)), text)
	if len(g.atoms) > from && g.head == nil {
		g.head = make(map[uint64]int32, len(g.atoms))
	}
	for i := from; i < len(g.atoms); i++ {
		a := &g.atoms[i]
		g.link(keyOf(a), i)
		if a.Kind == KindDate {
			for _, v := range coarser(a.Value) {
				g.link(hashOf(v), i)
			}
		}
	}
}

func (g *textIndex) link(key uint64, atom int) {
	g.next = append(g.next, g.head[key])
	g.of = append(g.of, int32(atom))
	g.head[key] = int32(len(g.next))
}

// states returns the given atom that says the same as a, or nil.
func (g *textIndex) states(a *Atom) *Atom {
	g.numbers()
	for at := g.head[keyOf(a)]; at > 0; at = g.next[at-1] {
		if b := &g.atoms[g.of[at-1]]; fit(a, b) > 0 && (a.part != partFirst || a.num == b.num) {
			return b
		}
	}
	return nil
}

// gives reports whether the texts say what an atom says, by its value or, for a name
// or a quote, by its letters.
func (g *textIndex) gives(a *Atom) bool {
	if a.Kind == KindName || a.Kind == KindQuote {
		return slices.ContainsFunc(g.text, func(text string) bool { return containsFold(text, a.Value) })
	}
	return g.states(a) != nil
}

// Gave reports whether the question, the instructions or an earlier message state
// the value of a link, whatever observations carry it too: what a tool echoes has
// been given all the same. Link.Given only says that nothing else carries it.
func (l *Ledger) Gave(k *Link) bool {
	return k.Given || l.given.gives(&k.Atom)
}

// givenTexts reads what the model was given besides observations: the
// question, the instructions, and the messages of earlier turns.
func (b *builder) givenTexts() *textIndex {
	g := &textIndex{}
	seen := map[string]bool{"": true}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			g.add(text)
		}
	}
	add(b.t.Question)
	var prev []trace.Message
	for _, s := range b.t.Steps {
		if s.Kind != trace.KindLLM || s.DuplicateOf != "" || !s.Input.Captured() {
			continue
		}
		list := s.Input.List()
		turn := lastTurn(list)
		for i := range list {
			m := &list[i]
			if i < len(prev) && sameMessage(&prev[i], m) && i != turn {
				if m.Role != trace.RoleAssistant || i >= turn {
					continue
				}
			}
			if m.Role == trace.RoleSystem || m.Role == trace.RoleUser && !resultAsText(list, i) || m.Role == trace.RoleAssistant && i < turn {
				add(m.Text())
			}
		}
		prev = list
	}
	return g
}
