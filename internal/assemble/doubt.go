package assemble

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// doubt takes back what was guessed to be a tool, a retrieval or an embedding in
// a trace that shows no agent and no model otherwise: any service runs tools and
// searches. Such a step keeps its place, as any span that is not an agent's.
func (a *assembly) doubt() {
	if slices.ContainsFunc(a.nodes, func(n *node) bool { return ofAnAgent(n.step) }) {
		return
	}
	for _, n := range a.nodes {
		switch s := n.step; s.Kind {
		case trace.KindTool, trace.KindRetriever, trace.KindEmbedding:
			s.Kind, s.KindSource, s.Dialect = trace.KindUnknown, "fallback", "unknown"
			s.Tool, s.Documents, s.RawInput = nil, nil, trace.Value{}
		default:
		}
	}
}

// ofAnAgent reports whether a step is evidence of an agent: its producer says
// what it is, or it was guessed to be one, or its model.
func ofAnAgent(s *trace.Step) bool {
	if s.Hints.Guess {
		return s.Kind == trace.KindAgent || s.Kind == trace.KindLLM
	}
	return s.Kind != trace.KindUnknown
}
