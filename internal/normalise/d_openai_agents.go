package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

// openAIAgents is the OpenAI Agents SDK through OpenInference.
var openAIAgents = func() dialect {
	d := via(openInference, "openai-agents", []string{"openinference.instrumentation.openai_agents", "@arizeai/openinference-instrumentation-openai-agents"}, Framework{
		Title:   "OpenAI Agents SDK",
		Reads:   "workflows, agents, turns, model calls, tools, hand-offs, guardrails through OpenInference; the same through OpenLLMetry, Logfire and OpenTelemetry's instrumentation",
		Lacks:   "a session (group id) in JavaScript; the words of a failed tool, which the SDK redacts",
		Content: contentOfOpenInference + "; `OPENAI_AGENTS_DISABLE_TRACING` must not be set",
		Session: sessionOfOpenInference + "; the SDK's own `group_id` is in Logfire's spans only",
	})
	d.kind = func(b *bag) (trace.Kind, string) {
		if d.is(b) && listsTools(b) {
			return named(trace.KindUnknown)
		}
		return 0, ""
	}
	read := d.read
	d.read = func(b *bag, s *trace.Step) {
		s.Hints.Transport = s.Hints.Transport || listsTools(b)
		read(b, s)
	}
	return d
}()

// listsTools reports whether a span asks an MCP server for its tools, which
// OpenInference calls a tool like the calls themselves. Those name their tool.
func listsTools(b *bag) bool { return b.name == "mcp_tools" && b.text(toolName) == "" }
