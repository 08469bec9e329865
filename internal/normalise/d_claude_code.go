package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/payload"
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
		arguments:    {"tool_input", "tool_parameters", "event:tool.output/tool_input", "event:tool.output/input"},
		result:       {"event:tool.output/output", "event:tool.output/tool_output", "event:tool.output/content", "tool_output", "new_context"},
		success:      {"success"},
		failure:      {"error"},
		agentID:      {"agent_id"},
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

// claudeCodeArguments are attributes that have one argument of a tool alone, by
// the argument's name.
var claudeCodeArguments = []struct {
	key  keyID
	name string
}{{key("full_command"), "command"}, {key("file_path"), "file_path"}, {key("skill_name"), "skill"}, {key("subagent_type"), "subagent_type"}}

var (
	kDecision   = key("decision")
	kNewContext = key("new_context")
)

func readClaudeCode(b *bag, s *trace.Step) {
	switch s.Kind {
	case trace.KindLLM, trace.KindAgent:
		if b.has(kNewContext) {
			readClaudeContext(s)
		}
	case trace.KindTool:
		readClaudeTool(b, s)
	}
	if b.name == "claude_code.tool.blocked_on_user" {
		b.refuse(s, b.str(kDecision))
	}
}

func readClaudeTool(b *bag, s *trace.Step) {
	t := s.Tool
	if strings.HasPrefix(t.Name, "claude_code.") {
		t.Name = ""
	}
	if _, given, ok := headed(t.Arguments.Text()); ok {
		t.Arguments = trace.RawValue(given, value.Decode)
	}
	if _, told, ok := headed(t.Result.Text()); ok {
		b.settleResult(s, payload.Unwrap(trace.RawValue(told, value.Decode)))
	}
	for _, a := range claudeCodeArguments {
		if given := b.str(a.key); given != "" && !t.Arguments.Captured() {
			t.Arguments = trace.DataValue(map[string]any{a.name: given})
		}
	}
}

// refuse makes the step of a decision that went against a call the record of what
// the call came to. Of any other decision nothing comes.
func (b *bag) refuse(s *trace.Step, decision string) bool {
	switch decision {
	case "reject", "rejected", "deny", "denied", "abort":
	default:
		return false
	}
	s.Kind, s.KindSource = trace.KindTool, "decision"
	if s.Tool == nil {
		s.Tool = &trace.Tool{Name: b.text(toolName), CallID: b.text(callID)}
	}
	s.Status = trace.Status{Failed: true, ErrorType: trace.Refused, Message: "the call was not allowed", Source: "attribute"}
	s.Tool.Error = s.Status.Message
	return true
}

// headed is a text in which detailed tracing has a section: a line that says what
// it is, in brackets, and what it is.
func headed(text string) (heading, rest string, ok bool) {
	heading, rest, ok = strings.Cut(text, "]\n")
	if !ok || !strings.HasPrefix(heading, "[") || strings.IndexByte(heading, '\n') >= 0 {
		return "", "", false
	}
	return heading[1:], rest, true
}

// readClaudeContext makes messages of what a request was given anew: sections of
// the user's words and of results of tools, under a line that says so.
func readClaudeContext(s *trace.Step) {
	list := s.Input.List()
	if len(list) != 1 {
		return
	}
	text := list[0].Text()
	if _, _, ok := headed(text); !ok {
		return
	}
	var messages []trace.Message
	for _, section := range strings.Split(text, "\n\n---\n\n") {
		heading, said, ok := headed(section)
		id, result := strings.CutPrefix(heading, "TOOL RESULT: ")
		switch {
		case !ok && len(messages) > 0: // of a text that has such a line itself
			last := messages[len(messages)-1].Parts
			if p := &last[0]; p.Type == trace.PartText {
				p.Text += "\n\n---\n\n" + section
			} else {
				p.Value = trace.RawValue(p.Value.Text()+"\n\n---\n\n"+section, value.Decode)
			}
		case result:
			messages = append(messages, trace.Message{Role: trace.RoleTool, Parts: []trace.Part{{Type: trace.PartToolResult, ID: id, Value: trace.RawValue(said, value.Decode)}}})
		default:
			messages = append(messages, trace.Message{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: said}}})
		}
	}
	s.Input = trace.MessageList(messages)
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
	case "tool_decision":
		return b.logRefusal(rec)
	default:
		return false
	}
	b.logStep(rec, kind)
	return true
}

// logRefusal reads a record of a decision, where it went against the call.
func (b *bag) logRefusal(rec *record) bool {
	decision, _ := rec.attrs["decision"].(string)
	s := &trace.Step{Name: rec.event, Scope: b.scope}
	if !b.refuse(s, decision) {
		return false
	}
	s.KindSource = "log"
	rec.fragment.Step = s
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
