package assemble

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// doubt takes back what was guessed to be a tool, a retrieval or an embedding in
// a trace that shows no agent and no model otherwise: any service runs tools and
// searches. Such a step keeps its place and what it was given and gave.
func (a *assembly) doubt() {
	if slices.ContainsFunc(a.nodes, func(n *node) bool { return ofAnAgent(n.step) }) {
		return
	}
	for _, n := range a.nodes {
		switch s := n.step; s.Kind {
		case trace.KindTool, trace.KindRetriever, trace.KindEmbedding:
			if t := s.Tool; t != nil {
				s.RawInput, s.RawOutput = t.Arguments, t.Result
			}
			s.Kind, s.KindSource, s.Dialect = trace.KindUnknown, "fallback", "unknown"
			s.Tool, s.Documents = nil, nil
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
