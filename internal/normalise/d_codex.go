package normalise

import (
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var kCodexTurn = key("codex.turn.token_usage.input_tokens")

// codex is OpenAI's Codex CLI: log events with content, and a span a turn.
var codex = dialect{
	name:   "codex",
	marks:  []string{"codex.turn.*"},
	scopes: []string{"codex_cli_rs", "codex_exec", "codex_mcp_server", "codex_otel"},
	is:     func(b *bag) bool { return strings.HasPrefix(b.name, "codex.") },
	kind: func(b *bag) (trace.Kind, string) {
		if b.has(kCodexTurn) {
			return trace.KindLLM, keyNames[kCodexTurn]
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
		reasoningTokens: {"codex.turn.token_usage.reasoning_output_tokens", "reasoning_token_count"},
		totalTokens:     {"codex.turn.token_usage.total_tokens", "tool_token_count"},
	},
	log:   logCodex,
	noise: []string{"codex.*", "target", "code.*", "originator", "auth_mode", "app.*"},
	doc: Framework{
		Title:   "Codex CLI",
		Reads:   "the log events user_prompt, sse_event (completed), tool_result, agent_response; the usage of a turn's span",
		Lacks:   "the assistant's text in older builds; content on spans",
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
		if kind, _ := rec.attrs["event.kind"].(string); kind != "response.completed" {
			return false
		}
		b.logStep(rec, trace.KindLLM)
	case "agent_response":
		b.logStep(rec, trace.KindLLM)
	case "tool_result":
		b.logStep(rec, trace.KindTool)
	default:
		return false
	}
	return true
}

func millis(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
