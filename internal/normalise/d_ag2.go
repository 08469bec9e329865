package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

var kAG2Usage = key("ag2.usage.kind")

// ag2 is AG2, since version 1 with a telemetry middleware of its own. It writes
// the GenAI conventions; beside each model call stands a span that says its
// tokens once more, which is folded into the call.
var ag2 = dialect{
	name:   "ag2",
	marks:  []string{"ag2.*"},
	scopes: []string{"opentelemetry.instrumentation.ag2"},
	fields: fields{
		payloadIn:       {"ag2.human_input.prompt"},
		payloadOut:      {"ag2.human_input.response"},
		reasoningTokens: {"gen_ai.usage.thinking_tokens"},
		totalTokens:     {"ag2.usage.total_tokens"},
	},
	read: func(b *bag, s *trace.Step) {
		if b.str(kAG2Usage) == "subtask" { // the sum of a sub-agent's calls, which are recorded too
			s.Kind, s.KindSource, s.Usage = trace.KindWorkflow, keyNames[kAG2Usage], trace.Usage{}
		}
	},
	noise: []string{"ag2.*"},
	doc: Framework{
		Title:   "AG2",
		Reads:   "agents, model calls with their messages, tool calls with their results, questions to a person",
		Lacks:   "the session: each turn is a trace of its own; the model that was asked for",
		Content: "`TelemetryMiddleware(capture_content=True)` (the default)",
	},
}
