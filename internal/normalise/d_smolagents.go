package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// smolagents is Hugging Face's smolagents through OpenInference. Its agents think
// aloud in their replies.
var smolagents = smolagentsVia()

func smolagentsVia() dialect {
	d := via(openInference, "smolagents", []string{"openinference.instrumentation.smolagents"}, Framework{
		Title:   "smolagents",
		Reads:   "agents, steps, model calls, tools through OpenInference; the Thought: lines of replies as reasoning; documents out of Markdown search results",
		Lacks:   "ids of tool calls (code agents call tools from code); an agent's tokens are sums",
		Content: contentOfOpenInference,
		Session: sessionOfOpenInference,
	})
	d.read = func(b *bag, s *trace.Step) {
		readOpenInference(b, s)
		if s.Kind == trace.KindAgent && s.Agent.Name == "" {
			s.Agent.Name = strings.TrimSuffix(s.Name, ".run") // its name, else its class
		}
		if s.Kind != trace.KindLLM || !s.Output.Captured() {
			return
		}
		out := s.Output
		s.Output = trace.LazyMessages(func() []trace.Message { return thoughtLines(out.List()) })
	}
	return d
}

// thoughtLines makes the text that follows "Thought:" reasoning, up to the code
// or action that it leads to.
func thoughtLines(list []trace.Message) []trace.Message {
	for i := range list {
		var parts []trace.Part
		for _, p := range list[i].Parts {
			rest, ok := strings.CutPrefix(p.Text, "Thought:")
			if p.Type != trace.PartText || !ok {
				parts = append(parts, p)
				continue
			}
			end := len(rest)
			for _, mark := range []string{"<code>", "\nCode:", "\n```", "\nAction:"} {
				if at := strings.Index(rest, mark); at >= 0 {
					end = min(end, at)
				}
			}
			parts = append(parts, trace.Part{Type: trace.PartReasoning, Text: strings.TrimSpace(rest[:end])})
			if tail := strings.TrimSpace(rest[end:]); tail != "" {
				parts = append(parts, trace.Part{Type: trace.PartText, Text: tail})
			}
		}
		list[i].Parts = parts
	}
	return list
}
