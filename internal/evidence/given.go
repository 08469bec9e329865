package evidence

import (
	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Gave reports whether the question, the instructions or an earlier message state
// the value of a link, whatever observations carry it too: what a tool echoes has
// been given all the same. Link.Given only says that nothing else carries it.
func (l *Ledger) Gave(k *Link) bool {
	given := k.given
	if given == nil {
		given = l.given
	}
	return k.Given || given.Gives(&k.Atom)
}

// givenTexts reads what the model was given besides observations, up to a step: the
// question, the instructions, and the messages of earlier turns.
func (b *builder) givenTexts(question string, limit int) *atom.Texts {
	g := &atom.Texts{}
	seen := map[string]bool{"": true}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			g.Add(text)
		}
	}
	add(question)
	var prev []trace.Message
	for _, s := range b.t.Steps[:limit] {
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
