package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var claudeCodeKinds = map[string]trace.Kind{
	"claude_code.interaction": trace.KindAgent, "claude_code.llm_request": trace.KindLLM, "claude_code.tool": trace.KindTool,
	"claude_code.tool.execution": trace.KindTool, "claude_code.tool.blocked_on_user": trace.KindWorkflow, "claude_code.hook": trace.KindWorkflow,
}

// claudeCode is Claude Code's own telemetry: spans where enhanced telemetry is
// on, and log events.
var claudeCode = dialect{
	name:   "claude-code",
	scopes: []string{"com.anthropic.claude_code"},
	is: func(b *bag) bool {
		return strings.HasPrefix(b.name, "claude_code.") || strings.HasPrefix(b.scope, "com.anthropic.claude_code")
	},
	kind: func(b *bag) (trace.Kind, string) {
		if kind, ok := claudeCodeKinds[b.name]; ok {
			return named(kind)
		}
		return 0, ""
	},
	own: fields{
		requestModel: {"model"},
		finish:       {"stop_reason"},
		system:       {"user_system_prompt"},
		offered:      {"tools"},
		payloadIn:    {"user_prompt", "new_context", "prompt"},
		payloadOut:   {"response.model_output", "response"},
		toolName:     {"tool_name"},
		callID:       {"tool_use_id"},
		arguments:    {"tool_input", "tool_parameters", "event:tool.output/tool_input", "event:tool.output/input", "full_command", "file_path"},
		result:       {"event:tool.output/output", "event:tool.output/tool_output", "event:tool.output/content", "tool_output"},
		success:      {"success"},
		failure:      {"error"},
		agentID:      {"agent_id"},
		agentName:    {"subagent_type"},
		inputTokens:  {"input_tokens"},
		outputTokens: {"output_tokens"},
		cacheRead:    {"cache_read_tokens"},
		cacheWrite:   {"cache_creation_tokens"},
		cost:         {"cost_usd"},
		responseID:   {"request_id"},
	},
	tokens: habit{inputExcludesCache: true},
	read:   readClaudeCode,
	log:    logClaudeCode,
	noise:  []string{"system_reminders", "system_prompt_preview", "hook_*", "terminal.type", "organization.id", "user.*", "app.*"},
	doc: Framework{
		Title: "Claude Code",
		Reads: "interactions, model requests, tools and their execution; the log events user_prompt, assistant_response, api_request, api_error, tool_result",
		Lacks: "the model's text unless detailed beta tracing is on; trace ids on log events in many builds (they are joined by session)",
		Content: "`OTEL_LOG_USER_PROMPTS=1`, `OTEL_LOG_TOOL_DETAILS=1`, `OTEL_LOG_TOOL_CONTENT=1`; spans need `CLAUDE_CODE_ENABLE_TELEMETRY=1` and " +
			"`CLAUDE_CODE_ENHANCED_TELEMETRY_BETA=1`",
	},
}

func readClaudeCode(b *bag, s *trace.Step) {
	if s.Kind != trace.KindTool {
		return
	}
	if strings.HasPrefix(s.Tool.Name, "claude_code.") {
		s.Tool.Name = ""
	}
	if a := &s.Tool.Arguments; a.Captured() && !value.Looks(a.Text()) { // a command or a path alone
		s.Tool.Arguments = trace.DataValue(map[string]any{"command": a.Text()})
	}
}

// logClaudeCode reads an event as a step of its own.
func logClaudeCode(b *bag, rec *record) bool {
	if !strings.HasPrefix(b.scope, "com.anthropic.claude_code") {
		return false
	}
	kind := trace.KindUnknown
	switch strings.TrimPrefix(rec.event, "claude_code.") {
	case "user_prompt":
		kind = trace.KindWorkflow
	case "api_request", "api_error", "assistant_response":
		kind = trace.KindLLM
	case "tool_result":
		kind = trace.KindTool
	default:
		return false
	}
	b.logStep(rec, kind)
	return true
}

// logStep makes a step of a record that alone describes one.
func (b *bag) logStep(rec *record, kind trace.Kind) *trace.Step {
	s := &trace.Step{Name: rec.event, Scope: b.scope, Kind: kind, KindSource: "log"}
	b.describe(s)
	if n, ok := floatOf(rec.attrs["duration_ms"]); ok && n > 0 && n < 1e9 {
		s.End = rec.fragment.Time
		s.Start = s.End.Add(-millis(n))
	}
	rec.fragment.Step = s
	return s
}
