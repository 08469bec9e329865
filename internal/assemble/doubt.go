package assemble

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
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

// unmask makes runs of what was guessed to be a model call by its name and words
// alone, and encloses a call that names its model or counts tokens: a service
// calls its turns "chat" too.
func (a *assembly) unmask() {
	seen := make(map[*node]bool)
	for _, n := range a.nodes {
		if n.step.Kind != trace.KindLLM || bare(n.step) {
			continue
		}
		for p := n.parent; p != nil && !seen[p]; p = p.parent {
			seen[p] = true
			if s := p.step; s.Kind == trace.KindLLM && s.Hints.Guess && bare(s) {
				s.Kind, s.KindSource = trace.KindWorkflow, "a model call within"
				if text, ok := s.Input.Source(); ok && !value.Looks(text) { // what the run was given
					s.Input, s.RawInput = trace.Messages{}, trace.RawValue(text, value.Decode)
				}
			}
		}
	}
}

// bare reports whether a model call says nothing of its model.
func bare(s *trace.Step) bool {
	return s.Model.Request == "" && s.Model.Response == "" && s.Usage.Scope == trace.UsageNone
}
