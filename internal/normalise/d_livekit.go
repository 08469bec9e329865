package normalise

import (
	"github.com/tracegrade/tracegrade/internal/trace"
)

var kLiveKitDropped = key("lk.input.dropped_from_base")

// liveKit is LiveKit Agents, for voice. llm_node holds llm_request, with the same
// tokens. Since version 1.8 its keys with words in them have "pii" in their names.
var liveKit = dialect{
	name:   "livekit",
	marks:  []string{"lk.*"},
	scopes: []string{"livekit-agents", "livekit"},
	kind: func(b *bag) (trace.Kind, string) {
		if !b.claimedBy("livekit") {
			return 0, ""
		}
		if b.has(kOperation) { // newer versions say it in the conventions' words
			return 0, ""
		}
		switch b.name {
		case "llm_node", "llm_request", "llm_request_run":
			return named(trace.KindLLM)
		case "function_tool":
			return named(trace.KindTool)
		case "agent_session", "agent_turn", "user_turn", "start_agent_activity", "on_enter", "on_exit", "drain_agent_activity":
			return named(trace.KindWorkflow)
		}
		return 0, ""
	},
	fields: fields{
		session:    {"lk.session_id", "lk.room_id"},
		agentName:  {"lk.agent_name", "lk.agent_label"},
		system:     {"lk.agent_task.instructions", "lk.instructions", "lk.pii.instructions"},
		payloadIn:  {"lk.chat_ctx", "lk.pii.chat_ctx", "lk.input_text", "lk.pii.input_text", "lk.user_input", "lk.pii.user_input", "lk.user_transcript", "lk.pii.user_transcript"},
		payloadOut: {"lk.response.text", "lk.pii.response.text", "lk.response.function_calls", "lk.pii.response.function_calls"},
		toolName:   {"lk.function_tool.name"},
		callID:     {"lk.function_tool.id"},
		arguments:  {"lk.function_tool.arguments", "lk.pii.function_tool.arguments"},
		result:     {"lk.function_tool.output", "lk.pii.function_tool.output"},
		success:    {"lk.function_tool.status"},
		continues:  {"lk.input.base_span_id"},
	},
	read: func(b *bag, s *trace.Step) {
		if a, ok := b.attr(kLiveKitDropped); ok {
			n, _ := number(a.val)
			s.Hints.Dropped = int(count(n))
		}
	},
	own:   fields{failure: {"lk.function_tool.is_error"}},
	noise: []string{"lk.*"},
	doc: Framework{
		Title:   "LiveKit Agents",
		Reads:   "turns, model calls with the chat context, function tools",
		Lacks:   "the session and the user, unless a room gives them",
		Content: "on by default",
	},
}
