package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// strands is Strands Agents, which writes content as span events. Its provider
// is the framework's own name; who runs the model follows from the model.
var strands = dialect{
	name:   "strands",
	marks:  []string{"event_loop.cycle_id", "agent_loop.cycle_id", "event_loop.parent_cycle_id"},
	scopes: []string{"strands"},
	is: func(b *bag) bool {
		return b.str(kSystem) == "strands-agents" || b.str(kProviderName) == "strands-agents"
	},
	kind: func(b *bag) (trace.Kind, string) {
		if strings.HasPrefix(b.name, "execute_event_loop_cycle") || strings.HasPrefix(b.name, "execute_agent_loop_cycle") {
			return named(trace.KindWorkflow)
		}
		return 0, ""
	},
	own: fields{
		offered:     {"gen_ai.agent.tools"},
		system:      {"system_prompt"},
		totalTokens: {"gen_ai.usage.total_tokens"},
	},
	tokens: habit{inputExcludesCache: true},
	noise:  []string{"gen_ai.event.*", "event_loop.*", "agent_loop.*", "gen_ai.server.*", "gen_ai.tool.json_schema"},
	doc: Framework{
		Title:   "Strands Agents",
		Reads:   "agents, event loop cycles, model calls and tools with the messages of their span events, in the old and the latest form",
		Lacks:   "parallel tool calls of streamed chat completions (the SDK loses them)",
		Content: "on by default",
		Session: "`trace_attributes={\"session.id\": …}` of the agent",
	},
}
