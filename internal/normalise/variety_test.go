package normalise_test

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// TestVariety reads shapes of spans that producers write beside the usual ones.
func TestVariety(t *testing.T) {
	tests := []struct {
		name string
		step *trace.Step
		want []string
	}{
		{"Azure AI agents, a run of the service", aSpan("process_thread_run", "gen_ai.operation.name", "process_thread_run", "gen_ai.system", "az.ai.agents", "gen_ai.thread.id", "t9", "gen_ai.request.model", "m", "gen_ai.usage.input_tokens", 8, "gen_ai.usage.output_tokens", 3).
			event("gen_ai.assistant.message", "gen_ai.event.content", `{"tool_calls":[{"id":"c","type":"function","function":{"name":"sales","arguments":{"year":2026}}}]}`).
			event("gen_ai.tool.message", "gen_ai.event.content", `{"content":"Q1 10","id":"c"}`).
			event("gen_ai.assistant.message", "gen_ai.event.content", `{"content":{"text":{"value":"It was 10."}},"role":"assistant"}`).read(),
			[]string{`agent "process_thread_run" by gen_ai.operation.name, otel-genai`, "session t9", `in assistant: [sales c {"year":2026}] | tool: <c "Q1 10">`, "out assistant: It was 10."}},
		{"Azure AI agents, what a user says", aSpan("create_message", "gen_ai.operation.name", "create_message").event("gen_ai.user.message", "gen_ai.event.content", `{"content":"Q","role":"user"}`).read(),
			[]string{`workflow "create_message" by gen_ai.operation.name, otel-genai`, "in user: Q"}},
		{"a model call that marks its reply", aSpan("chat m", "gen_ai.operation.name", "chat").event("gen_ai.user.message", "content", "Q").event("gen_ai.assistant.message", "content", "well,").event("gen_ai.choice", "message", "A").read(),
			[]string{"in user: Q | assistant: well,", "out assistant: A"}},
		{"Strands, many agents", aSpan("invoke_swarm", "gen_ai.operation.name", "invoke_swarm").event("gen_ai.user.message", "content", `[{"text":"Q"}]`).event("gen_ai.choice", "message", "A").read(),
			[]string{`workflow "invoke_swarm" by gen_ai.operation.name, otel-genai`, "in user: Q", "out assistant: A"}},
		{"OpenRouter", aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.prompt", `{"messages":[{"role":"user","content":"Q"}]}`, "gen_ai.completion", `{"completion":"A","reasoning":"hm","rawRequest":null}`).read(),
			[]string{"in user: Q", "out assistant: (hm) A"}},
		{"structured output with a number of that name", aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.completion", `{"completion":80}`).read(), []string{`out assistant: {"completion":80}`}},
		{"Rig, a call that does not say that it is one", aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assistant","content":[{"id":"c","function":{"name":"sub","arguments":{"x":2}}}]}]`,
			"gen_ai.input.messages", `[{"role":"user","content":[{"type":"toolresult","id":"c","content":[{"type":"text","text":"-3"}]}]}]`).read(),
			[]string{`out assistant: [sub c {"x":2}]`, `in tool: <c "-3">`}},
		{"Gemini, a call within the content and beside it", aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.output.messages",
			`[{"role":"model","content":[{"function_call":{"name":"temp","args":{"city":"Rome"}}}],"tool_calls":[{"id":"temp_0","type":"function","function":{"name":"temp","arguments":{"city":"Rome"}}}]}]`).read(),
			[]string{`out assistant: [temp temp_0 {"city":"Rome"}]`}},
		{"Gemini, two calls of one tool", aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.output.messages",
			`[{"role":"model","content":[{"function_call":{"name":"t","args":{"a":1}}},{"function_call":{"name":"t","args":{"a":2}}}],"tool_calls":[{"id":"t_0","function":{"name":"t","arguments":{"a":1}}},{"id":"t_1","function":{"name":"t","arguments":{"a":2}}}]}]`).read(),
			[]string{`out assistant: [t t_0 {"a":1}] [t t_1 {"a":2}]`}},
		{"Pydantic AI, tools by whose call the model answers", aSpan("chat m", "gen_ai.operation.name", "chat", "model_request_parameters",
			`{"function_tools":[{"name":"find","parameters_json_schema":{"type":"object"}}],"output_tools":[{"name":"final_result"}]}`).in("pydantic-ai").read(), []string{"offered find final_result"}},
		{"LlamaIndex, a reranker's private method", aSpan("CohereRerank._postprocess_nodes", "openinference.span.kind", "RERANKER", "reranker.query", "Q", "reranker.output_documents.0.document.id", "n1",
			"reranker.output_documents.0.document.content", "text").in("openinference.instrumentation.llama_index").read(), []string{`reranker "CohereRerank._postprocess_nodes" by openinference.span.kind, llamaindex`, `args "Q"`, "doc n1"}},
		{"LoongSuite, documents in one attribute", aSpan("retrieve", "gen_ai.span.kind", "RETRIEVER", "retrieval.document", `[{"content":"10 天","metadata":{"score":0.9,"document_id":"h1","document_name":"手册.pdf"}}]`).read(),
			[]string{"doc h1 手册.pdf"}},
		{"Prompt flow, documents with dots in their keys", aSpan("search", "span_type", "Retrieval", "framework", "promptflow", "retrieval.query", "Q", "inputs", `{"query":"Q"}`,
			"retrieval.documents", `[{"document.id":"k1","document.content":"30 days","document.metadata":{"url":"https://x.example/r"}}]`).read(), []string{"doc k1  https://x.example/r"}},
		{"Bedrock's knowledge base", aSpan("kb", "openinference.span.kind", "RETRIEVER", "retrieval.documents.0.document.id", "c1", "retrieval.documents.0.document.content", "text",
			"retrieval.documents.0.document.metadata", `{"location":{"s3Location":{"uri":"s3://kb/a.md"},"type":"S3"}}`).read(), []string{"doc c1  s3://kb/a.md"}},
		{"Logfire, older, the request of a stream", aSpan("Chat Completion with {request_data[model]!r}", "logfire.msg_template", "Chat Completion with {request_data[model]!r}", "logfire.span_type", "span", "request_data",
			`{"model":"m","messages":[{"role":"user","content":"Q"}],"stream":true}`).in("logfire.openai").read(), []string{`llm "Chat Completion with {request_data[model]!r}" by name, logfire`, "in user: Q"}},
		{"Logfire, older, the reply of a stream", aSpan("streaming response from {request_data[model]!r} took {duration:.2f}s", "logfire.msg_template", "streaming response from {request_data[model]!r} took {duration:.2f}s", "logfire.span_type", "log",
			"request_data", `{"model":"m","messages":[{"role":"user","content":"Q"}],"stream":true}`, "response_data", `{"combined_chunk_content":"A","chunk_count":3}`).in("logfire.openai").read(), []string{"out assistant: A"}},
		{"MLflow with DSPy", aSpan("Tool.wiki", "mlflow.spanType", `"TOOL"`, "mlflow.spanInputs", `{"title":"Peru"}`, "mlflow.spanOutputs", `"Lima"`).read(), []string{"tool wiki", `result "Lima"`}},
		{"TruLens, a retrieval", aSpan("rag.retrieve", "ai.observability.span_type", "retrieval", "ai.observability.retrieval.query_text", "Q", "ai.observability.retrieval.retrieved_contexts", []any{"a", "b"}).read(),
			[]string{`retriever "rag.retrieve" by ai.observability.span_type, trulens`, `args "Q"`}},
		{"TruLens, a generation", aSpan("rag.generate", "ai.observability.span_type", "generation", "ai.observability.call.kwargs.query", "Q", "ai.observability.call.return", "A", "ai.observability.cost.model", "m",
			"ai.observability.cost.num_prompt_tokens", 40, "ai.observability.cost.num_completion_tokens", 7).read(), []string{"in user: Q", "out assistant: A", "usage own 40+7 reasoning 0 cache 0/0", "model  m  []"}},
		{"a service's name before keys", aSpan("llm_completion", "app.model", "llama-3.3-70b", "app.prompt", "Q", "app.completion", "A", "app.tokens_in", 14, "app.tokens_out", 6).read(),
			[]string{"in user: Q", "out assistant: A", "usage own 14+6 reasoning 0 cache 0/0"}},
		{"keys in Chinese, of a model", aSpan("模型调用", "模型", "qwen-max", "提示", `[{"role":"user","content":"Q"}]`, "回复", "A", "输入词元", 20, "输出词元", 8).read(), []string{"in user: Q", "out assistant: A", "usage own 20+8 reasoning 0 cache 0/0"}},
		{"keys in Chinese, of a tool", aSpan("调用", "工具名", "查询订单", "参数", `{"订单号":"7"}`, "结果", `{"状态":"已发货"}`).read(), []string{"tool 查询订单", `args {"订单号":"7"}`, `result {"状态":"已发货"}`}},
		{"inputs and outputs", aSpan("chat", "span_type", "Flow", "inputs", `{"question":"Q"}`, "outputs", `"A"`).read(), []string{`workflow "chat" by plain keys, home-made`, `rawin {"question":"Q"}`, `rawout A`}},
		{"a tool by its name, with in and out", aSpan("ToolInvocation", "post.tool", "track", "post.tool.in", `{"n":3}`, "post.tool.out", `{"city":"Wien"}`).read(), []string{"tool track", `args {"n":3}`, `result {"city":"Wien"}`}},
		{"a tool by its keys alone", aSpan("execute:book", "tool.params", `{"room":5}`, "tool.response", `{"ref":"R-88"}`).read(), []string{"tool execute:book", `args {"room":5}`, `result {"ref":"R-88"}`}},
		{"a reply that does not say whose it is", aSpan("llm.generate", "llm.model_name", "claude-3-7", "llm.messages", `[{"role":"user","content":"Q"}]`, "llm.response", `{"content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"b1","name":"book","input":{"room":5}}],"stop_reason":"tool_use"}`).read(),
			[]string{`out assistant !tool_call: hm [book b1 {"room":5}]`}},
		{"a command that failed, in angle brackets", aSpan("execute_tool bash", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "bash", "gen_ai.tool.call.result", "make: *** [lint] Error 2\n<exited with exit code 2>").read(), []string{"failed payload"}},
		{"one that did not", aSpan("execute_tool bash", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "bash", "gen_ai.tool.call.result", "ok\n<exited with exit code 0>").read(), []string{"tool bash"}},
	}
	for _, tt := range tests {
		if tt.step.Dialect == "trulens" && tt.step.Kind == trace.KindRetriever && (len(tt.step.Documents) != 2 || tt.step.Documents[1].Content != "b") {
			t.Errorf("%s: documents %+v, want the two texts", tt.name, tt.step.Documents)
		}
		if missing := lacks(tt.step, tt.want...); missing != nil {
			t.Errorf("%s: lacks %q\nhas   %q", tt.name, missing, sayStep(tt.step))
		}
	}
	if last := tests[len(tests)-1].step; last.Status.Failed {
		t.Error("exit code 0 is read as a failure")
	}
}

// What a tool gave is told by the tool's event, whatever role its body names.
func TestToolEventOfAUserRole(t *testing.T) {
	logs := plog.NewLogs().ResourceLogs().AppendEmpty()
	scoped := logs.ScopeLogs().AppendEmpty()
	record := scoped.LogRecords().AppendEmpty()
	record.SetEventName("gen_ai.tool.message")
	if err := record.Body().FromRaw(map[string]any{"role": "user", "id": "temp_0", "content": map[string]any{"celsius": 14}}); err != nil {
		t.Fatal(err)
	}
	f := normalise.New(normalise.Options{}).Log(logs.Resource(), scoped.Scope(), record)
	if f == nil {
		t.Fatal("not read")
	}
	if got := say(&f.Input); got != `tool: <temp_0 {"celsius":14}>` {
		t.Errorf("read as %q", got)
	}
}

// What a span of somebody's own carries is kept for the call that may have asked
// for it; what carries a call, or far more than a tool has, is not.
func TestUnread(t *testing.T) {
	tests := []struct {
		name string
		span built
		want int
	}{
		{"two values of its own", aSpan("SkillRunner", "x.given", `{"part":"K-1"}`, "x.returned", "14 EUR", "x.took", 3, "code.function", "run"), 2},
		{"an HTTP request", aSpan("POST", "http.request.method", "POST", "x.given", `{"part":"K-1"}`), 0},
		{"a known kind", aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "x.given", `{"part":"K-1"}`), 0},
		{"very many", aSpan("boot", "a.a", "1", "a.b", "1", "a.c", "1", "a.d", "1", "a.e", "1", "a.f", "1", "a.g", "1", "a.h", "1", "a.i", "1"), 0},
	}
	for _, tt := range tests {
		if got := len(tt.span.read().Hints.Unread); got != tt.want {
			t.Errorf("%s: %d kept, want %d", tt.name, got, tt.want)
		}
	}
}
