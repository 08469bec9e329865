package evidence

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Gave reports whether the question, the instructions or an earlier message state
// the value of a link, whatever observations carry it too: what a tool echoes has
// been given all the same. Link.Given only says that nothing else carries it.
func (l *Ledger) Gave(k *Link) bool {
	if k.earlier {
		return k.Given || k.gave
	}
	return k.Given || l.given.Gives(&k.Atom)
}

// given reads what the model was given besides observations: the question, the
// instructions, and the messages of earlier turns.
type given struct {
	texts *atom.Texts
	seen  map[string]bool // the texts, where they are many
	prev  []trace.Message // of the call before
	read  int             // steps
}

func (g *given) add(text string) {
	if text != "" && !g.has(text) {
		g.texts.Add(text)
	}
}

// has reports a text that was given before, and notes it.
func (g *given) has(text string) bool {
	const few = 16
	list := g.texts.List
	if len(list) < few {
		return slices.Contains(list, text)
	}
	if g.seen == nil {
		g.seen = make(map[string]bool, 2*few)
		for _, t := range list {
			g.seen[t] = true
		}
	}
	known := g.seen[text]
	g.seen[text] = true
	return known
}

// until reads on to the end of steps, of which it has read the first.
func (g *given) until(steps []*trace.Step) *atom.Texts {
	for ; g.read < len(steps); g.read++ {
		s := steps[g.read]
		if s.Kind != trace.KindLLM || s.DuplicateOf != "" || !s.Input.Captured() {
			continue
		}
		list := s.Input.List()
		turn := lastTurn(list)
		for i := range list {
			m := &list[i]
			if i < len(g.prev) && sameMessage(&g.prev[i], m) && i != turn {
				if m.Role != trace.RoleAssistant || i >= turn {
					continue
				}
			}
			if m.Role == trace.RoleSystem || m.Role == trace.RoleUser && !resultAsText(list, i) || m.Role == trace.RoleAssistant && i < turn {
				g.add(m.Text())
			}
		}
		g.prev = list
	}
	return g.texts
}
