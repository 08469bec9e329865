package assemble

import "github.com/tracegrade/tracegrade/internal/trace"

// Order puts the steps of a trace that was assembled before, and whose order
// was lost, back into the order in which things happened, and counts the cycles
// of their parents. The steps stay as they are.
func Order(steps []*trace.Step) (ordered []*trace.Step, cycles int) {
	a := &assembly{bySpan: make(map[spanKey]*node, len(steps)), ids: make(map[string]bool, len(steps))}
	for _, s := range steps {
		n := &node{step: s}
		n.primary = n
		a.nodes = append(a.nodes, n)
		if s.SpanID != "" {
			a.bySpan[keyOf(s)] = n
		}
	}
	a.placeCalls()
	a.link()
	a.order()
	ordered = make([]*trace.Step, len(a.nodes))
	for i, n := range a.nodes {
		ordered[i] = n.step
	}
	return ordered, a.cycles
}

// placeCalls numbers the calls of each reply that became steps.
func (a *assembly) placeCalls() {
	places := map[[2]string]int{} // by asking step and call id
	for _, n := range a.nodes {
		var asked []string
		ran := map[string]bool{} // within the reply, by the provider
		for _, m := range n.step.Output.List() {
			for i := range m.Parts {
				switch p := &m.Parts[i]; p.Type {
				case trace.PartToolCall:
					asked = append(asked, p.ID)
				case trace.PartToolResult:
					ran[p.ID] = n.step.Kind == trace.KindLLM
				}
			}
		}
		for place, id := range asked {
			if ran[id] {
				place -= len(asked)
			}
			places[[2]string{n.step.ID, id}] = place
		}
	}
	for _, n := range a.nodes {
		switch s := n.step; {
		case s.Tool == nil:
		case s.CausedBy != "":
			n.place = places[[2]string{s.CausedBy, s.Tool.CallID}]
		case s.Synthetic:
			n.place = -1 // before the model call that was told of it
		}
	}
}
