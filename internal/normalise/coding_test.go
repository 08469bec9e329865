package normalise_test

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// aRecord reads a log record whose event has a name, and which is a step.
func aRecord(t *testing.T, scope, eventName string, pairs ...any) *trace.Step {
	t.Helper()
	lr := plog.NewLogRecord()
	lr.SetEventName(eventName)
	put(lr.Attributes(), pairs)
	lr.SetTraceID(pcommon.TraceID{1})
	lr.SetSpanID(pcommon.SpanID{2})
	in := pcommon.NewInstrumentationScope()
	in.SetName(scope)
	f := normalise.New(normalise.Options{}).Log(pcommon.NewResource(), in, lr)
	if f == nil {
		return &trace.Step{}
	}
	if f.Step == nil {
		t.Fatal("the record is no step")
	}
	return f.Step
}

// What the spans and the log records of coding agents say of their calls.
func TestCodingAgents(t *testing.T) {
	const claude = "com.anthropic.claude_code.tracing"
	gemini := func(status, response string) built {
		return aSpan("tool_call", "gen_ai.operation.name", "tool_call", "gen_ai.tool.name", "read_file", "gen_ai.tool.call_id", "c1",
			"gen_ai.input.messages", `{"callId":"c1","name":"read_file","args":{"file_path":"a"},"isClientInitiated":false}`,
			"gen_ai.output.messages", `{"status":"`+status+`","request":{"callId":"c1","name":"read_file","args":{"file_path":"a"}},"response":{"callId":"c1","responseParts":[{"functionResponse":{"id":"c1","name":"read_file","response":`+response+`}}]},"tool":{"name":"read_file"}}`).in("gemini-cli")
	}
	for _, tt := range []struct {
		name string
		step *trace.Step
		want []string
	}{
		{"Claude Code: a path is the path", aSpan("claude_code.tool", "tool_name", "Read", "file_path", "/a").event("tool.output", "file_path", "/a", "content", "x").in(claude).read(),
			[]string{"tool Read", `args {"file_path":"/a"}`, `result "x"`}},
		{"Claude Code: a command is the command", aSpan("claude_code.tool", "tool_name", "Bash", "full_command", "ls").in(claude).read(), []string{"tool Bash", `args {"command":"ls"}`}},
		{"Claude Code: sections of detailed tracing", aSpan("claude_code.tool", "tool_name", "Read", "file_path", "/a", "tool_input", "[TOOL INPUT: Read]\n{\"file_path\":\"/a\",\"limit\":2}", "new_context", "[TOOL RESULT: Read]\n{\"n\":1}").in(claude).read(),
			[]string{`args {"file_path":"/a","limit":2}`, `result {"n":1}`}},
		{"Claude Code: a request is told results", aSpan("claude_code.llm_request", "model", "m", "new_context", "[TOOL RESULT: c1]\nx\n\n---\n\nb\n\n---\n\n[TOOL RESULT: c2]\n{\"n\":1}\n\n---\n\n[USER]\nQ\n\n---\n\nmore").in(claude).read(),
			[]string{`in tool: <c1 "x\n\n---\n\nb"> | tool: <c2 {"n":1}> | user: Q` + "\n\n---\n\nmore"}},
		{"Claude Code: a refusal is what the call came to", aSpan("claude_code.tool.blocked_on_user", "decision", "reject", "source", "user").in(claude).read(),
			[]string{`tool "claude_code.tool.blocked_on_user" by decision, claude-code`, "failed attribute refused"}},
		{"Claude Code: a call that was let run", aSpan("claude_code.tool.blocked_on_user", "decision", "accept", "source", "config").in(claude).read(),
			[]string{`workflow "claude_code.tool.blocked_on_user" by name, claude-code`}},
		{"Claude Code: a record of a refusal", aRecord(t, "com.anthropic.claude_code.events", "", "event.name", "tool_decision", "decision", "reject", "tool_name", "Write", "tool_use_id", "c1"),
			[]string{"tool Write c1", "failed attribute refused"}},
		{"Claude Code: a record of a call that was let run", aRecord(t, "com.anthropic.claude_code.events", "", "event.name", "tool_decision", "decision", "accept", "tool_name", "Read"), nil},
		{"Codex: the attribute names a record's event", aRecord(t, "codex_otel.log_only", "event otel/src/tool_result.rs:54", "event.name", "codex.tool_result", "tool_name", "exec_command", "call_id", "c1", "arguments", `{"cmd":"ls"}`, "output", "Chunk ID: 1\nProcess exited with code 2\nOutput:\nx\n", "success", "true", "conversation.id", "s"),
			[]string{"tool exec_command c1", `args {"cmd":"ls"}`, "session s", "failed payload"}},
		{"Codex: a denied call", aRecord(t, "codex_otel.log_only", "", "event.name", "codex.tool_decision", "tool_name", "exec_command", "call_id", "c1", "decision", "denied"), []string{"tool exec_command c1", "failed attribute refused"}},
		{"Codex: an event of a stream that counts nothing", aRecord(t, "codex_otel.log_only", "", "event.name", "codex.sse_event", "event.kind", "response.completed", "duration_ms", "0"), nil},
		{"Codex: a span of a tool, and the thread it ran on", aSpan("exec_command", "tool_name", "exec_command", "call_id", "c1", "codex.tool.phase", "dispatch", "thread.id", 3, "thread.name", "tokio").in("codex_exec").read(),
			[]string{`tool "exec_command" by codex.tool.phase, codex`, "tool exec_command c1"}},
		{"Codex: a response's tokens", aSpan("handle_responses", "gen_ai.usage.input_tokens", 365, "gen_ai.usage.output_tokens", 75, "codex.usage.reasoning_output_tokens", 5).in("codex_exec").read(),
			[]string{`llm "handle_responses" by name, codex`, "usage own 365+75 reasoning 5 cache 0/0"}},
		{"Gemini CLI: a call", gemini("success", `{"output":"x"}`).read(), []string{"tool read_file c1", `args {"file_path":"a"}`, `result "x"`}},
		{"Gemini CLI: a call that failed", gemini("error", `{"error":"File not found"}`).read(), []string{`args {"file_path":"a"}`, "error File not found", "failed payload"}},
		{"Gemini CLI: a call that was cancelled", gemini("cancelled", `{"error":"[Operation Cancelled] Reason: User denied execution."}`).read(), []string{"failed payload refused"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if missing := lacks(tt.step, tt.want...); len(missing) > 0 {
				t.Errorf("lacks %q:\n%q", missing, sayStep(tt.step))
			}
			if tt.want == nil && tt.step.Kind != trace.KindUnknown {
				t.Errorf("read as %q", sayStep(tt.step))
			}
			if tt.step.Session != "" && tt.step.Session != "s" {
				t.Errorf("session %q", tt.step.Session)
			}
		})
	}
}
