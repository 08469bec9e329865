package normalise_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// TestTraps holds the traps that cut across producers, by their number in the
// map, as far as one span tells. Those of the trace stage (3, 6, 7, 12, 13, 15) are
// tested in package assemble.
func TestTraps(t *testing.T) {
	tests := []struct {
		name string
		step *trace.Step
		want []string
	}{
		{"T1 a wrong scope", aSpan("call_llm", "gcp.vertex.agent.llm_request", `{"contents":[{"role":"user","parts":[{"text":"Q"}]}]}`).in("opentelemetry.instrumentation.httpx").read(),
			[]string{`llm "call_llm" by name, google-adk`, "in user: Q"}},
		{"T2 an agent's name on HTTP", aSpan("GET /x", "gen_ai.agent.name", "gemini-cli", "gen_ai.conversation.id", "c", "http.request.method", "GET").read(),
			[]string{`unknown "GET /x" by fallback, unknown`, "session c"}},
		{"T2 a model on an agent", aSpan("a run", "agent_name", "a", "model_name", "m").in("pydantic-ai").read(), []string{`agent "a run" by agent_name, pydantic-ai`}},
		{"T4 sums", aSpan("ai.generateText", "ai.operationId", "ai.generateText", "ai.usage.inputTokens", 9).read(), []string{"usage aggregate 9+0 reasoning 0 cache 0/0"}},
		{"T5 several events of one name", aSpan("chat", "gen_ai.operation.name", "chat").
			event("gen_ai.client.inference.operation.details", "gen_ai.input.messages", `[{"role":"user","content":"one"}]`).
			event("gen_ai.client.inference.operation.details", "gen_ai.input.messages", `[{"role":"user","content":"two"}]`).
			event("gen_ai.client.inference.operation.details", "gen_ai.input.messages", `[{"role":"user","content":"two"}]`).read(),
			[]string{"in user: one | user: two"}},
		{"T8 cut JSON", aSpan("llm_call", "gen_ai.operation.name", "llm_call", "gen_ai.output.messages", `{"parts":[{"text":"thought","thought":true},{"text":"answ`).in("gemini-cli").read(),
			[]string{"out assistant: (thought) answ", "capture partial"}},
		{"T8 text cut at the same length", aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f",
			"gen_ai.tool.call.arguments", `{"a":"bcdefghij`, "gen_ai.tool.call.result", "plain text, cut").read(),
			[]string{"capture partial", "loss cut gen_ai.tool.call.arguments", "loss cut gen_ai.tool.call.result"}},
		{"T9 the key of a result", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.input.messages",
			`[{"role":"tool","parts":[{"type":"tool_call_response","id":"1","content":"a"},{"type":"tool_call_response","id":"2","output":"b"}]}]`).read(), []string{`in tool: <1 "a"> <2 "b">`}},
		{"T10 reasoning", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.output.messages",
			`[{"role":"assistant","parts":[{"type":"thinking","content":"a"},{"type":"reasoning","content":"b"},{"type":"reasoningContent","content":{"reasoningText":{"text":"c"}}},{"type":"redacted_thinking","data":"x"}]}]`).read(),
			[]string{"out assistant: (a) (b) (c)"}},
		{"T10 reasoning of the AI SDK", aSpan("ai.generateText.doGenerate", "ai.operationId", "ai.generateText.doGenerate", "ai.model.id", "m", "ai.response.text", "A", "ai.response.reasoning", "R").read(),
			[]string{"out assistant: (R) A"}},
		{"T14 an OpenAI hand-off", aSpan("handoff to b", "openinference.span.kind", "TOOL", "tool.name", "handoff_to_b", "input.value", `{"from_agent":"a"}`).read(),
			[]string{`handoff "handoff to b" by openinference.span.kind, openinference`}},
		{"T14 Traceloop", aSpan("a → b.handoff", "gen_ai.handoff.from_agent", "a", "gen_ai.handoff.to_agent", "b").read(),
			[]string{`handoff "a → b.handoff" by gen_ai.handoff.to_agent, openllmetry`, "tool handoff to b", `args {"from_agent":"a","to_agent":"b"}`}},
		{"T14 the conventions", aSpan("execute_tool x", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "x", "gen_ai.transfer.target.name", "b").read(),
			[]string{`handoff "execute_tool x" by gen_ai.transfer.target.name, otel-genai`}},
		{"T14 a tool that is only called so", aSpan("execute_tool transfer_to_account", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "transfer_to_account",
			"gen_ai.tool.call.arguments", `{"amount":5,"iban":"x"}`).read(), []string{`tool "execute_tool transfer_to_account" by gen_ai.operation.name, otel-genai`}},
		{"T14 a tool that is only called so, with one argument", aSpan("execute_tool transfer_to_savings", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "transfer_to_savings",
			"gen_ai.tool.call.arguments", `{"amount":5}`).read(), []string{`tool "execute_tool transfer_to_savings" by gen_ai.operation.name, otel-genai`}},
		{"T14 a transfer with a reason", aSpan("transfer_to_billing", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "transfer_to_billing",
			"gen_ai.tool.call.arguments", `{"reason":"an invoice"}`).read(), []string{`handoff "transfer_to_billing" by gen_ai.operation.name, otel-genai`}},
		{"T16 a list as text", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.request.model", "m", "gen_ai.response.finish_reasons", `["stop"]`).read(), []string{"model  m  [stop]"}},
		{"T16 with commas", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.request.model", "m", "gen_ai.response.finish_reason", "FinishReason.STOP,FinishReason.TOOL_CALLS").read(),
			[]string{"model  m  [stop tool_call]"}},
		{"T17 numbers as text", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.usage.input_tokens", "120", "gen_ai.usage.output_tokens", "12").read(), []string{"usage own 120+12 reasoning 0 cache 0/0"}},
		{"T18 a prompt's name is no message", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.prompt.name", "p", "gen_ai.prompt.version", "3", "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "Q").read(),
			[]string{"in user: Q"}},
		{"T18 input and output of nobody", aSpan("x", "input", "a long text with words", "output", "another long text").read(), []string{`unknown "x" by fallback, unknown`}},
		{"T19 a framework as provider", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.provider.name", "strands-agents", "gen_ai.request.model", "us.anthropic.claude-sonnet-4").read(),
			[]string{"model aws.bedrock us.anthropic.claude-sonnet-4  []"}},
		{"T20 attempts are no failure", aSpan("claude_code.llm_request", "model", "claude-x", "success", true).event("gen_ai.request.attempt", "attempt", "1").read(),
			[]string{"model anthropic claude-x  []", "capture off"}},
		{"T22 a system prompt in two places", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.system_instructions", `[{"type":"text","content":"S"}]`,
			"gen_ai.input.messages", `[{"role":"system","parts":[{"type":"text","content":"S"}]},{"role":"user","parts":[{"type":"text","content":"Q"}]}]`).read(), []string{"in system: S | user: Q"}},
		{"T25 a date in metadata", aSpan("r", "openinference.span.kind", "RETRIEVER", "retrieval.documents.0.document.content", "C", "retrieval.documents.0.document.metadata", `{"last_modified":"2019-03-01"}`).read(),
			[]string{"doc 2019-03-01"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if missing := lacks(tt.step, tt.want...); missing != nil {
				t.Errorf("lacks %q\nhas   %q", missing, sayStep(tt.step))
			}
		})
	}
}

// TestFailures holds the disguises of a failed step (T11, T23): eleven ways in
// which producers say it, and what is none.
func TestFailures(t *testing.T) {
	tool := func(pairs ...any) built {
		return aSpan("execute_tool f", append([]any{"gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f"}, pairs...)...)
	}
	tests := []struct {
		name    string
		step    *trace.Step
		source  string // empty where nothing failed
		message string
	}{
		{"status", tool().failed("boom").read(), "status", "boom"},
		{"status and event", tool().failed("Error").event("exception", "exception.message", "boom").read(), "status", "boom"},
		{"event, status OK", tool().event("exception", "exception.message", "boom").read(), "exception", "boom"},
		{"error.type", tool("error.type", "tool_error").read(), "attribute", ""},
		{"tool status", tool("gen_ai.tool.status", "error", "error.message", "boom").read(), "attribute", "boom"},
		{"success false", aSpan("claude_code.tool", "tool_name", "f", "success", "false", "error", "boom").read(), "attribute", "boom"},
		{"Langfuse level", aSpan("t", "langfuse.observation.type", "tool", "langfuse.observation.level", "ERROR", "langfuse.observation.status_message", "boom").read(), "attribute", "boom"},
		{"Logfire error", aSpan("Function: {name}", "logfire.msg_template", "Function: {name}", "name", "f", "output", "a sentence", "error", `{"message":"boom","data":{}}`).read(), "attribute", "boom"},
		{"payload isError", tool("gen_ai.tool.call.result", `{"content":[{"type":"text","text":"boom"}],"isError":true}`).read(), "payload", "boom"},
		{"payload error", tool("gen_ai.tool.call.result", `{"error":"boom"}`).read(), "payload", "boom"},
		{"payload of LangChain", aSpan("t", "openinference.span.kind", "TOOL", "output.value", `{"output":{"lc":1,"kwargs":{"status":"error","tool_call_id":"c","content":"boom"}}}`).read(), "payload", "boom"},
		{"payload beside a code", tool("error.type", "TOOL_ERROR", "gen_ai.tool.call.result", `{"error":"boom"}`).failed("TOOL_ERROR").read(), "status", "boom"},
		{"payload in words", tool("gen_ai.tool.call.result", "Error: boom").read(), "payload", "Error: boom"},

		{"error null", tool("gen_ai.tool.call.result", `{"error":null,"rate":1}`).read(), "", ""},
		{"error.type of an HTTP span is the span's", aSpan("GET", "http.method", "GET").read(), "", ""},
		{"success", aSpan("claude_code.tool", "tool_name", "f", "success", "true").read(), "", ""},
		{"a document about errors", tool("gen_ai.tool.call.result", `[{"title":"Errors","url":"https://x","content":"Error: 404 explained"}]`).read(), "", ""},
		{"a model that says error", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assistant","content":"Error: is a word"}]`).read(), "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.step.Status
			if got.Failed != (tt.source != "") || got.Source != tt.source || got.Message != tt.message {
				t.Errorf("status = %+v, want source %q, message %q", got, tt.source, tt.message)
			}
			if tool := tt.step.Tool; tool != nil && tt.source != "" && tool.Error == "" {
				t.Error("the tool has no error")
			}
		})
	}
}

// TestTokens holds the habits of counting tokens: input with
// cache, output with reasoning, whatever the producer's own way.
func TestTokens(t *testing.T) {
	chat := func(pairs ...any) *trace.Step {
		return aSpan("chat", append([]any{"gen_ai.operation.name", "chat"}, pairs...)...).read()
	}
	tests := []struct {
		name string
		step *trace.Step
		want trace.Usage
	}{
		{"the conventions", chat("gen_ai.usage.input_tokens", 100, "gen_ai.usage.output_tokens", 20, "gen_ai.usage.cache_read.input_tokens", 80, "gen_ai.usage.reasoning.output_tokens", 5),
			trace.Usage{Input: 100, Output: 20, CacheRead: 80, Reasoning: 5}},
		{"old names", chat("gen_ai.usage.prompt_tokens", 100, "gen_ai.usage.completion_tokens", 20), trace.Usage{Input: 100, Output: 20}},
		{"Anthropic's own spelling and habit", chat("gen_ai.system", "anthropic", "gen_ai.usage.input_tokens", 100, "gen_ai.usage.output_tokens", 20, "gen_ai.usage.cache_read_input_tokens", 80, "gen_ai.usage.cache_creation_input_tokens", 10),
			trace.Usage{Input: 190, Output: 20, CacheRead: 80, CacheWrite: 10}},
		{"more cache than input", chat("gen_ai.usage.input_tokens", 4, "gen_ai.usage.output_tokens", 20, "gen_ai.usage.cache_read.input_tokens", 80), trace.Usage{Input: 84, Output: 20, CacheRead: 80}},
		{"more cache written than input", chat("gen_ai.usage.input_tokens", 4, "gen_ai.usage.output_tokens", 20, "gen_ai.usage.cache_write.input_tokens", 80), trace.Usage{Input: 84, Output: 20, CacheWrite: 80}},
		{"more cache than input, and a total that leaves it out", chat("gen_ai.usage.input_tokens", 300, "gen_ai.usage.output_tokens", 50, "gen_ai.usage.total_tokens", 350, "gen_ai.usage.cache_read.input_tokens", 600, "gen_ai.usage.cache_write.input_tokens", 100),
			trace.Usage{Input: 1000, Output: 50, CacheRead: 600, CacheWrite: 100}},
		{"both spellings count once", chat("gen_ai.usage.input_tokens", 100, "gen_ai.usage.cache_read.input_tokens", 80, "gen_ai.usage.cache_read_input_tokens", 80), trace.Usage{Input: 100, CacheRead: 80}},
		{"a dotted 0 wins", chat("gen_ai.usage.input_tokens", 100, "gen_ai.usage.cache_read.input_tokens", 0, "gen_ai.usage.cache_read_input_tokens", 80), trace.Usage{Input: 100}},
		{"a total tells", aSpan("g", "langfuse.observation.type", "generation", "langfuse.observation.usage_details",
			`{"input":350,"output":20,"total":506,"input_cached_tokens":128,"output_reasoning_tokens":8}`).read(), trace.Usage{Input: 478, Output: 28, CacheRead: 128, Reasoning: 8}},
		{"a total tells of the other habit", aSpan("g", "langfuse.observation.type", "generation", "langfuse.observation.usage_details",
			`{"input":10,"output":2,"total":12,"cache_read_input_tokens":4}`).read(), trace.Usage{Input: 10, Output: 2, CacheRead: 4}},
		{"Bedrock through Strands", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.provider.name", "strands-agents", "gen_ai.usage.input_tokens", 10, "gen_ai.usage.output_tokens", 2, "gen_ai.usage.cache_read_input_tokens", 5).read(),
			trace.Usage{Input: 15, Output: 2, CacheRead: 5}},
		{"OpenAI through Strands", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.system", "strands-agents", "gen_ai.usage.input_tokens", 394, "gen_ai.usage.output_tokens", 33, "gen_ai.usage.total_tokens", 427, "gen_ai.usage.cache_read_input_tokens", 128).read(),
			trace.Usage{Input: 394, Output: 33, CacheRead: 128}},
		{"Gemini CLI leaves thoughts out", aSpan("llm_call", "gen_ai.operation.name", "llm_call", "gen_ai.usage.input_tokens", 10, "gen_ai.usage.output_tokens", 2, "gen_ai.usage.thoughts_token_count", 5).in("gemini-cli").read(),
			trace.Usage{Input: 10, Output: 7, Reasoning: 5}},
		{"ADK in Python counts them", aSpan("call_llm", "gcp.vertex.agent.llm_response", `{"usage_metadata":{"thoughts_token_count":32,"total_token_count":208}}`, "gen_ai.usage.input_tokens", 157, "gen_ai.usage.output_tokens", 51).read(),
			trace.Usage{Input: 157, Output: 51, Reasoning: 32}},
		{"ADK in JavaScript does not", aSpan("call_llm", "gcp.vertex.agent.llm_response", `{"usageMetadata":{"thoughtsTokenCount":7,"totalTokenCount":238}}`, "gen_ai.usage.input_tokens", 212, "gen_ai.usage.output_tokens", 19).read(),
			trace.Usage{Input: 212, Output: 26, Reasoning: 7}},
		{"Anthropic through OpenLLMetry in JavaScript", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.provider.name", "anthropic", "traceloop.entity.name", "x", "gen_ai.usage.input_tokens", 254,
			"gen_ai.usage.output_tokens", 33, "gen_ai.usage.total_tokens", 287, "gen_ai.usage.cache_read.input_tokens", 128).in("@traceloop/instrumentation-anthropic").read(),
			trace.Usage{Input: 382, Output: 33, CacheRead: 128}},
		{"reasoning alone", chat("gen_ai.usage.reasoning_tokens", 7), trace.Usage{Output: 7, Reasoning: 7}},
		{"OpenInference", aSpan("x", "openinference.span.kind", "LLM", "llm.token_count.prompt", 382, "llm.token_count.completion", 33, "llm.token_count.total", 415, "llm.token_count.prompt_details.cache_read", 128, "llm.token_count.completion_details.reasoning", 14).read(),
			trace.Usage{Input: 382, Output: 33, CacheRead: 128, Reasoning: 14}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Scope = trace.UsageOwn
			if tt.step.Usage != tt.want {
				t.Errorf("usage = %+v, want %+v", tt.step.Usage, tt.want)
			}
		})
	}
	if u := chat().Usage; u.Scope != trace.UsageNone {
		t.Errorf("no counts: scope %v, want none", u.Scope)
	}
	poll := aSpan("fetch_response", "gen_ai.operation.name", "fetch_response", "gen_ai.usage.input_tokens", 5).read()
	if poll.Usage.Scope != trace.UsageAggregate {
		t.Errorf("a poll's tokens are %v, want aggregate: they were counted before", poll.Usage.Scope)
	}
}

// TestHints checks what the trace stage needs to know (T3, T13, T21, T24).
func TestHints(t *testing.T) {
	pending := aSpan("chat", "gen_ai.operation.name", "chat", "logfire.span_type", "pending_span", "logfire.msg_template", "x").read()
	if !pending.Hints.Pending {
		t.Error("T21: a pending span is not marked")
	}
	request := `{"messages":[],"stream": true}`
	head := aSpan("Chat Completion with {request_data[model]!r}", "logfire.msg_template", "x", "gen_ai.operation.name", "chat", "request_data", request).read()
	tail := aSpan("streaming response from {request_data[model]!r} took {duration:.2f}s", "logfire.msg_template", "x", "logfire.span_type", "log", "gen_ai.operation.name", "chat", "request_data", request,
		"response_data", `{"combined_chunk_content":"A","chunk_count":2}`).read()
	if head.Hints.StreamKey == "" || head.Hints.StreamKey != tail.Hints.StreamKey {
		t.Errorf("T24: stream keys %q and %q, want equal ones", head.Hints.StreamKey, tail.Hints.StreamKey)
	}
	half := func(name, input string) string {
		return aSpan(name, "logfire.msg_template", "x", "gen_ai.operation.name", "chat", "request_data", `{"model":"m"}`, "gen_ai.input.messages", input).read().Hints.StreamKey
	}
	newer := half("Message with {request_data[model]!r}", "[1]")
	if newer == "" || newer != half("streaming response from {request_data[model]!r} took {duration:.2f}s", "[1]") || newer == half("streaming response from {request_data[model]!r} took {duration:.2f}s", "[2]") {
		t.Error("T24: halves whose request stands apart are told by what the model was given")
	}
	if got := say(&tail.Output); got != "assistant: A" {
		t.Errorf("T24: out %q", got)
	}
	client := aSpan("tools/call f", "mcp.method.name", "tools/call", "gen_ai.tool.name", "f", "jsonrpc.request.id", "7").read()
	server := aSpan("tools/call f", "mcp.method.name", "tools/call", "gen_ai.tool.name", "f", "jsonrpc.request.id", 7)
	server.span.SetKind(2)
	other := server.read()
	if client.Hints.RPCID != "7" || client.Hints.RPCSide != "client" || other.Hints.RPCID != "7" || other.Hints.RPCSide != "server" {
		t.Errorf("T13: %+v and %+v", client.Hints, other.Hints)
	}
	if list := aSpan("tools/list", "mcp.method.name", "tools/list").read(); !list.Hints.Transport || list.Kind != trace.KindUnknown {
		t.Errorf("protocol noise: %v, transport %v", list.Kind, list.Hints.Transport)
	}
	oi := func(name string, kv ...any) *trace.Step {
		kv = append(kv, "openinference.span.kind", "TOOL", "output.value", `["search"]`)
		return aSpan(name, kv...).in("@arizeai/openinference-instrumentation-openai-agents").read()
	}
	if list := oi("mcp_tools"); !list.Hints.Transport || list.Kind != trace.KindUnknown {
		t.Errorf("a list of tools: %v, transport %v", list.Kind, list.Hints.Transport)
	}
	if call := oi("mcp_tools", "tool.name", "mcp_tools"); call.Hints.Transport || call.Kind != trace.KindTool {
		t.Errorf("a tool that is called as the list is: %v, transport %v", call.Kind, call.Hints.Transport)
	}
	if http := aSpan("POST", "http.request.method", "POST", "gen_ai.conversation.id", "c").read(); !http.Hints.Transport {
		t.Error("an HTTP span is not marked as one that only carries a call")
	}
	if chunk := aSpan("chunk: 'reasoning'", "mastra.span.type", "model_chunk").read(); !chunk.Hints.Chunk || chunk.Kind != trace.KindUnknown {
		t.Errorf("a chunk: %v, marked %v", chunk.Kind, chunk.Hints.Chunk)
	}
	a := aSpan("call_llm", "gcp.vertex.agent.event_id", "e1").read()
	b := aSpan("generate_content m", "gen_ai.operation.name", "generate_content", "gcp.vertex.agent.event_id", "e1").read()
	if a.Hints.Merge == "" || a.Hints.Merge != b.Hints.Merge {
		t.Errorf("T3: merge keys %q and %q, want equal ones", a.Hints.Merge, b.Hints.Merge)
	}
}

// TestToolParameters checks the two meanings of OpenInference's tool.parameters:
// arguments in some instrumentations, the tool's schema in others.
func TestToolParameters(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pairs []any
		want  string // arguments; empty where there are none
	}{
		{"arguments", []any{"tool.parameters", `{"city":"Oslo"}`}, `{"city":"Oslo"}`},
		{"input goes first", []any{"tool.parameters", `{"city":"Oslo"}`, "input.value", `{"city":"Rome"}`}, `{"city":"Rome"}`},
		{"a schema", []any{"tool.parameters", `{"type":"object","properties":{"city":{"type":"string"}}}`}, ""},
		{"descriptions", []any{"tool.parameters", `{"city":{"type":"string","description":"where"}}`}, ""},
	} {
		s := aSpan("t", append([]any{"openinference.span.kind", "TOOL"}, tt.pairs...)...).read()
		got := ""
		if s.Tool.Arguments.Captured() {
			got = trace.EncodeJSON(s.Tool.Arguments.Data())
		}
		if got != tt.want {
			t.Errorf("%s: arguments %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestVerdicts checks what other tools found on a span.
func TestVerdicts(t *testing.T) {
	score := 0.8
	for _, tt := range []struct {
		name string
		step *trace.Step
		want *trace.Evaluation
	}{
		{"an event", aSpan("chat", "gen_ai.operation.name", "chat").event("gen_ai.evaluation.result", "gen_ai.evaluation.name", "Relevance", "gen_ai.evaluation.score.value", 0.8,
			"gen_ai.evaluation.score.label", "good", "gen_ai.evaluation.explanation", "because").read(), &trace.Evaluation{Name: "Relevance", Label: "good", Explanation: "because", Score: &score}},
		{"an event of ours", aSpan("chat", "gen_ai.operation.name", "chat").event("gen_ai.evaluation.result", "gen_ai.evaluation.name", "r", "tracegrade.outcome", "fail").read(), nil},
		{"a span", aSpan("evaluate", "gen_ai.operation.name", "evaluate", "gen_ai.evaluation.name", "Relevance", "gen_ai.evaluation.score.value", 0.8).read(),
			&trace.Evaluation{Name: "Relevance", Score: &score}},
		{"OpenInference", aSpan("e", "openinference.span.kind", "EVALUATOR", "evaluations.0.evaluation.name", "toxicity", "evaluations.0.evaluation.score", 0.8, "evaluations.0.evaluation.label", "ok").read(),
			&trace.Evaluation{Name: "toxicity", Label: "ok", Score: &score}},
	} {
		if diff := cmp.Diff(tt.want, tt.step.Hints.Evaluation); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	guard := aSpan("guard", "gen_ai.operation.name", "apply_guardrail", "gen_ai.guardrail.verdict.type", "deny", "gen_ai.guardrail.verdict.reason", "a secret").read()
	if missing := lacks(guard, `guardrail "guard" by gen_ai.operation.name, otel-genai`, `rawout {"reason":"a secret","verdict":"deny"}`); missing != nil {
		t.Errorf("guardrail lacks %q\nhas %q", missing, sayStep(guard))
	}
	rerank := aSpan("rerank", "openinference.span.kind", "RERANKER", "reranker.query", "Q", "reranker.input_documents.0.document.content", "A", "reranker.input_documents.1.document.content", "B",
		"reranker.output_documents.0.document.id", "d2", "reranker.output_documents.0.document.content", "B").read()
	if missing := lacks(rerank, `args "Q"`, `rawin [{"content":"A"},{"content":"B"}]`, "doc d2"); missing != nil {
		t.Errorf("reranker lacks %q\nhas %q", missing, sayStep(rerank))
	}
}

// TestSessions checks the order in which ids of conversations are looked for.
func TestSessions(t *testing.T) {
	for _, tt := range []struct {
		want  string
		pairs []any
	}{
		{"conv", []any{"gen_ai.conversation.id", "conv", "session.id", "s", "langfuse.session.id", "l"}},
		{"s", []any{"session.id", "s", "langfuse.session.id", "l"}},
		{"l", []any{"langfuse.session.id", "l"}},
		{"t", []any{"traceloop.association.properties.thread_id", "t"}},
		{"m", []any{"metadata", `{"thread_id":"m"}`}},
		{"ls", []any{"langsmith.metadata.thread_id", "ls"}},
		{"v", []any{"ai.telemetry.metadata.sessionId", "v"}},
		{"v7", []any{"ai.settings.context.sessionId", "v7"}},
		{"g", []any{"gcp.vertex.agent.session_id", "g"}},
		{"f", []any{"mlflow.trace.session", "f"}},
		{"", []any{"gen_ai.conversation.id", "", "session.id", "<not specified>"}},
		{"", []any{"langsmith.trace.session_name", "the project"}},
		{"", []any{"sessionId", "a bare key counts for its own producer only"}},
	} {
		if got := aSpan("x", tt.pairs...).read().Session; got != tt.want {
			t.Errorf("%v: session %q, want %q", tt.pairs, got, tt.want)
		}
	}
}

// TestCapture checks how much of the content was recorded.
func TestCapture(t *testing.T) {
	for _, tt := range []struct {
		name string
		step *trace.Step
		want trace.Capture
	}{
		{"full", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.input.messages", `[{"role":"user","content":"Q"}]`).read(), trace.CaptureFull},
		{"off, model", aSpan("chat", "gen_ai.operation.name", "chat").read(), trace.CaptureOff},
		{"off, tool", aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f").read(), trace.CaptureOff},
		{"an agent has no content of its own", aSpan("invoke_agent a", "gen_ai.operation.name", "invoke_agent").read(), trace.CaptureFull},
		{"redacted", aSpan("x", "openinference.span.kind", "LLM", "input.value", "__REDACTED__").read(), trace.CaptureRedacted},
		{"not serializable", aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.call.result", "<not serializable>").read(), trace.CaptureRedacted},
		{"prose that begins with a bracket", aSpan("x", "openinference.span.kind", "LLM", "input.value", "[[ ## question ## ]] what is it").read(), trace.CaptureFull},
		{"cut beside indexed messages", aSpan("x", "openinference.span.kind", "LLM", "llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", "Q",
			"input.value", `{"messages":[{"role":"user","content":"Q"},{"role":"us`).read(), trace.CapturePartial},
		{"a producer's mark", aSpan("x", "openinference.span.kind", "LLM", "input.value", "long text... [TRUNCATED]").read(), trace.CapturePartial},
	} {
		if tt.step.Capture != tt.want {
			t.Errorf("%s: %v, want %v (%v)", tt.name, tt.step.Capture, tt.want, tt.step.Losses)
		}
	}
	for _, s := range steps(t, filepath.Join(captured, "vercel-ai-truncated", "S1.otlp.jsonl")) {
		if s.Kind == trace.KindLLM && s.Capture != trace.CapturePartial && s.Capture != trace.CaptureFull {
			t.Errorf("%s: %v", s.Name, s.Capture)
		}
	}
}

// TestAttributes checks that attributes which rules name are kept as they are.
func TestAttributes(t *testing.T) {
	spans, _ := readFile(t, filepath.Join(captured, "vercel-ai", "S1.otlp.jsonl"))
	r := normalise.New(normalise.Options{Attributes: []string{"ai.settings.maxRetries", "service.name", "ai.telemetry.metadata.tags", "nowhere"}})
	s := r.Span(spans[0].resource, spans[0].scope, spans[0].span)
	if s.Attributes["ai.settings.maxRetries"] != int64(2) || s.Attributes["service.name"] == nil {
		t.Errorf("attributes = %v", s.Attributes)
	}
	if _, ok := s.Attributes["nowhere"]; ok || len(s.Attributes) != 3 {
		t.Errorf("attributes = %v, want three", s.Attributes)
	}
}
