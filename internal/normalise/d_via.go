package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// via is a framework that writes another dialect's spans, recognised by the
// scope of its instrumentation. It reads as that dialect does and has a name of
// its own, so that advice can be given for it.
func via(base dialect, name string, scopes []string, doc Framework) dialect {
	marks := base.marks
	d := base
	d.name, d.doc, d.under, d.marks, d.scopes, d.kind, d.noise, d.fields = name, doc, scopes, nil, nil, nil, nil, nil
	ids := make([]keyID, 0, len(marks))
	for _, m := range marks {
		ids = append(ids, key(m))
	}
	d.is = func(b *bag) bool {
		for _, scope := range scopes {
			if strings.HasPrefix(b.scope, scope) {
				for _, id := range ids {
					if b.has(id) || b.hasGroup(id) {
						return true
					}
				}
			}
		}
		return false
	}
	return d
}

// llamaIndex is LlamaIndex through OpenInference.
var llamaIndex = via(openInference, "llamaindex", []string{"openinference.instrumentation.llama_index", "@arizeai/openinference-instrumentation-llama"}, Framework{
	Title:   "LlamaIndex",
	Reads:   "queries, retrievers with documents, model calls, tools through OpenInference; model calls and workflows through OpenLLMetry",
	Lacks:   "tool spans, tool calls and usage in JavaScript through OpenLLMetry; there the results are in the next prompt, as JSON without quotes",
	Content: "as OpenInference or OpenLLMetry",
})

// langChain is LangChain and LangGraph through OpenInference.
var langChain = via(openInference, "langchain", []string{"openinference.instrumentation.langchain", "@arizeai/openinference-instrumentation-langchain"}, Framework{
	Title:   "LangChain, LangGraph",
	Reads:   "graphs, nodes, model calls, tools, retrievers through OpenInference; thread and user of the metadata",
	Lacks:   "ids of tool calls in the messages that a model is given (they are matched)",
	Content: "as OpenInference",
})

// openAIAgents is the OpenAI Agents SDK through OpenInference.
var openAIAgents = via(openInference, "openai-agents", []string{"openinference.instrumentation.openai_agents", "@arizeai/openinference-instrumentation-openai-agents"}, Framework{
	Title:   "OpenAI Agents SDK",
	Reads:   "workflows, agents, turns, model calls, tools, hand-offs, guardrails through OpenInference; the same through OpenLLMetry, Logfire and OpenTelemetry's instrumentation",
	Lacks:   "a session (group id) in JavaScript; the words of a failed tool, which the SDK redacts",
	Content: "as OpenInference; `OPENAI_AGENTS_DISABLE_TRACING` must not be set",
})

// dspy is DSPy through OpenInference.
var dspy = via(openInference, "dspy", []string{"openinference.instrumentation.dspy"}, Framework{
	Title:   "DSPy",
	Reads:   "modules, predictions, model calls, retrievers through OpenInference",
	Content: "as OpenInference",
})

// smolagents is Hugging Face's smolagents through OpenInference. Its agents think
// aloud in their replies.
var smolagents = smolagentsVia()

func smolagentsVia() dialect {
	d := via(openInference, "smolagents", []string{"openinference.instrumentation.smolagents"}, Framework{
		Title:   "smolagents",
		Reads:   "agents, steps, model calls, tools through OpenInference; the Thought: lines of replies as reasoning; documents out of Markdown search results",
		Lacks:   "ids of tool calls (code agents call tools from code); an agent's tokens are sums",
		Content: "as OpenInference",
	})
	d.read = func(b *bag, s *trace.Step) {
		readOpenInference(b, s)
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
