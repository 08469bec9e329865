package normalise

import (
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kCodexTurn  = key("codex.turn.token_usage.input_tokens")
	kCodexPhase = key("codex.tool.phase")
	kCodexInput = key("gen_ai.usage.input_tokens")
)

// codex is OpenAI's Codex CLI: log events with content, and a span a turn.
var codex = dialect{
	name:   "codex",
	marks:  []string{"codex.turn.*", "codex.tool.phase", "codex.response.*"},
	scopes: []string{"codex_cli_rs", "codex_exec", "codex_mcp_server", "codex_otel"},
	is:     func(b *bag) bool { return strings.HasPrefix(b.name, "codex.") },
	kind: func(b *bag) (trace.Kind, string) {
		switch {
		case b.has(kCodexTurn):
			return trace.KindLLM, keyNames[kCodexTurn]
		case b.has(kCodexPhase):
			return trace.KindTool, keyNames[kCodexPhase]
		case b.name == "handle_responses" && b.has(kCodexInput):
			return named(trace.KindLLM)
		}
		return 0, ""
	},
	own: fields{
		session:         {"conversation.id", "thread.id"},
		requestModel:    {"model", "slug"},
		provider:        {"provider_name"},
		payloadIn:       {"prompt"},
		payloadOut:      {"response", "agent_response"},
		toolName:        {"tool_name"},
		callID:          {"call_id"},
		arguments:       {"arguments"},
		result:          {"output"},
		success:         {"success"},
		failure:         {"error.message"},
		inputTokens:     {"codex.turn.token_usage.input_tokens", "input_token_count"},
		outputTokens:    {"codex.turn.token_usage.output_tokens", "output_token_count"},
		cacheRead:       {"codex.turn.token_usage.cached_input_tokens", "cached_token_count"},
		reasoningTokens: {"codex.turn.token_usage.reasoning_output_tokens", "codex.usage.reasoning_output_tokens", "reasoning_token_count"},
		totalTokens:     {"codex.turn.token_usage.total_tokens", "tool_token_count"},
	},
	log:   logCodex,
	noise: []string{"codex.*", "target", "code.*", "originator", "auth_mode", "app.*"},
	doc: Framework{
		Title:   "Codex CLI",
		Reads:   "the log events user_prompt, sse_event (completed), tool_result, tool_decision (where it refuses), agent_response; the usage of a turn's span and of its responses, and the spans of tools",
		Lacks:   "the assistant's text, unless the event agent_response has it; content on spans; trace ids on the events of a stream, whose tokens are in a trace of their own",
		Content: "`[otel] log_user_prompt = true` in config.toml, and a log exporter",
	},
}

func logCodex(b *bag, rec *record) bool {
	name, ok := strings.CutPrefix(rec.event, "codex.")
	if !ok {
		return false
	}
	switch name {
	case "user_prompt":
		b.logStep(rec, trace.KindWorkflow)
	case "sse_event", "websocket_event":
		if rec.attrs["event.kind"] != "response.completed" || rec.attrs["input_token_count"] == nil {
			return false
		}
		b.logStep(rec, trace.KindLLM)
	case "agent_response":
		b.logStep(rec, trace.KindLLM)
	case "tool_result":
		b.logStep(rec, trace.KindTool)
	case "tool_decision":
		return b.logRefusal(rec)
	default:
		return false
	}
	return true
}

func millis(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
