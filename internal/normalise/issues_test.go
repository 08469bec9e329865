package normalise_test

import (
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// TestIssues holds the input shapes that broke other readers of agent spans, one
// row an issue. The numbers are those of the table of known faults that this
// package was built from. The rows of traceStage need the other
// spans of the trace and are tested in package assemble.
func TestIssues(t *testing.T) {
	tests := []struct {
		number int
		issue  string
		step   func(t *testing.T) *trace.Step
		want   []string // lines of sayStep
	}{
		{1, "langfuse#14633: AI SDK 7, chat", func(t *testing.T) *trace.Step {
			return aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Q"}]}]`,
				"gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"A"}],"finish_reason":"stop"}]`).in("gen_ai").read()
		}, []string{`llm "chat m" by gen_ai.operation.name, vercel-ai`, "in user: Q", "out assistant !stop: A"}},
		{1, "langfuse#14633: AI SDK 7, tool", func(t *testing.T) *trace.Step {
			return aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f", "gen_ai.tool.call.arguments", `{"a":1}`, "gen_ai.tool.call.result", "R").in("gen_ai").read()
		}, []string{"tool f", `args {"a":1}`, `result "R"`}},
		{2, "langfuse#12657: content in one event of operation details", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat").event("gen_ai.client.inference.operation.details",
				"gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Q"}]}]`, "gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"A"}]}]`).read()
		}, []string{"in user: Q", "out assistant: A"}},
		{2, "langfuse#12657: in several", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat").
				event("gen_ai.client.inference.operation.details", "gen_ai.system_instructions", `[{"type":"text","content":"S"}]`).
				event("gen_ai.client.inference.operation.details", "gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Q"}]}]`).
				event("gen_ai.client.inference.operation.details", "gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"A"}]}]`).read()
		}, []string{"in system: S | user: Q", "out assistant: A"}},
		{4, "langfuse#11135: whole numbers", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.usage.input_tokens", 7, "gen_ai.usage.output_tokens", "3").read()
		}, []string{"usage own 7+3 reasoning 0 cache 0/0"}},
		{5, "langfuse#9002: Pydantic AI 1, events", func(t *testing.T) *trace.Step {
			return aSpan("chat m", "gen_ai.operation.name", "chat", "model_request_parameters", "{}", "events",
				`[{"event.name":"gen_ai.system.message","content":"S"},{"event.name":"gen_ai.user.message","content":"Q","role":"user"},{"event.name":"gen_ai.choice","index":0,"message":{"role":"assistant","content":"A"}}]`).read()
		}, []string{"in system: S | user: Q", "out assistant: A"}},
		{6, "langfuse#5457: LangGraph through Traceloop", func(t *testing.T) *trace.Step {
			return aSpan("LangGraph.workflow", "traceloop.span.kind", "workflow", "traceloop.entity.input", `{"inputs": {"q": "Q"}}`, "traceloop.entity.output", `{"outputs": {"a": "A"}}`).read()
		}, []string{`workflow "LangGraph.workflow" by traceloop.span.kind, openllmetry`, `rawin {"inputs": {"q": "Q"}}`, `rawout {"outputs": {"a": "A"}}`}},
		{7, "langfuse#8682: type span with a model", func(t *testing.T) *trace.Step {
			return aSpan("x", "langfuse.observation.type", "span", "langfuse.observation.model.name", "gpt-4o", "langfuse.observation.output", "A").read()
		}, []string{`llm "x" by langfuse.observation.model.name, langfuse`, "out assistant: A"}},
		{8, "langfuse#10148: doGenerate without model", func(t *testing.T) *trace.Step {
			return aSpan("ai.generateText.doGenerate", "ai.operationId", "ai.generateText.doGenerate").read()
		}, []string{`workflow "ai.generateText.doGenerate" by ai.operationId, vercel-ai`}},
		{9, "langfuse#10884: Pydantic AI running tool", func(t *testing.T) *trace.Step {
			return aSpan("running tool", "gen_ai.tool.name", "roulette", "logfire.msg", "running tool: other", "tool_arguments", `{"n":18}`, "tool_response", "winner").in("pydantic-ai").read()
		}, []string{"tool roulette", `args {"n":18}`, `result "winner"`}},
		{10, "langfuse#7038: Semantic Kernel events", func(t *testing.T) *trace.Step {
			return aSpan("chat.completions gpt-4", "gen_ai.operation.name", "chat.completions").
				event("gen_ai.user.message", "gen_ai.event.content", `{"role":"user","content":"Q"}`).
				event("gen_ai.choice", "gen_ai.event.content", `{"index":0,"message":{"role":"assistant","content":"A"},"finish_reason":"Stop"}`).read()
		}, []string{"in user: Q", "out assistant !stop: A"}},
		{11, "langfuse#11492: Strands system prompt", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat").event("gen_ai.system.message", "content", `[{"text":"S"}]`).event("gen_ai.user.message", "content", `[{"text":"Q"}]`).read()
		}, []string{"in system: S | user: Q"}},
		{12, "langfuse#4408: ai.response.object", func(t *testing.T) *trace.Step {
			return aSpan("ai.generateObject.doGenerate", "ai.operationId", "ai.generateObject.doGenerate", "ai.model.id", "m", "ai.response.object", `{"a":1}`).read()
		}, []string{`out assistant: {"a":1}`}},
		{13, "langfuse#4443: ai.result.text", func(t *testing.T) *trace.Step {
			return aSpan("ai.generateText.doGenerate", "ai.operationId", "ai.generateText.doGenerate", "ai.model.id", "m", "ai.result.text", "A").read()
		}, []string{"out assistant: A"}},
		{14, "langfuse#9074: ADK tool with empty llm_request", func(t *testing.T) *trace.Step {
			return aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f", "gcp.vertex.agent.llm_request", "{}", "gcp.vertex.agent.llm_response", "{}",
				"gcp.vertex.agent.tool_call_args", `{"a":1}`, "gcp.vertex.agent.tool_response", `{"b":2}`).read()
		}, []string{`args {"a":1}`, `result {"b":2}`}},
		{15, "langfuse#14962: a prompt's name alone", func(t *testing.T) *trace.Step {
			return aSpan("x", "langfuse.observation.prompt.name", "p", "langfuse.observation.prompt.version", 3).read()
		}, []string{`unknown "x" by fallback, unknown`}},
		{16, "litellm#35193: a model on SQL", func(t *testing.T) *trace.Step {
			return aSpan("SELECT", "db.system", "postgresql", "gen_ai.request.model", "gpt-5").read()
		}, []string{`unknown "SELECT" by fallback, unknown`}},
		{17, "litellm#30249: no kind at all", func(t *testing.T) *trace.Step {
			return aSpan("completion", "gen_ai.request.model", "gpt-5", "gen_ai.usage.input_tokens", 4, "gen_ai.prompt.0.role", "user", "gen_ai.prompt.0.content", "Q").read()
		}, []string{`llm "completion" by messages, general`, "in user: Q"}},
		{18, "litellm#4767: the name of the constant", func(t *testing.T) *trace.Step {
			return aSpan("litellm_request", "SpanAttributes.LLM_PROMPTS.0.role", "user", "SpanAttributes.LLM_PROMPTS.0.content", "Q", "SpanAttributes.LLM_COMPLETIONS.0.content", "A").read()
		}, []string{"in user: Q", "out assistant: A"}},
		{19, "phoenix#10622: conventions alone", func(t *testing.T) *trace.Step {
			return aSpan("invoke_agent a", "gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "a").read()
		}, []string{`agent "invoke_agent a" by gen_ai.operation.name, otel-genai`, "agent a"}},
		{20, "openinference#3426: chat with an agent's name", func(t *testing.T) *trace.Step {
			return aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.agent.name", "a").read()
		}, []string{`llm "chat m" by gen_ai.operation.name, otel-genai`}},
		{21, "openinference#3471: system instructions beside messages", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.system_instructions", `[{"type":"text","content":"S"}]`,
				"gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Q"}]},{"role":"assistant","parts":[{"type":"text","content":"A"}]},{"role":"user","parts":[{"type":"text","content":"Q2"}]}]`).read()
		}, []string{"in system: S | user: Q | assistant: A | user: Q2"}},
		{22, "openinference#3421: Traceloop task that retrieves", func(t *testing.T) *trace.Step {
			return aSpan("VectorStoreRetriever.task", "traceloop.span.kind", "task", "gen_ai.operation.name", "vector_db_retrieve", "traceloop.entity.name", "VectorStoreRetriever",
				"traceloop.entity.input", `{"query":"Q"}`, "traceloop.entity.output", `{"documents":[{"page_content":"C","metadata":{"source":"https://x"}}],"count":1}`).read()
		}, []string{`retriever "VectorStoreRetriever.task" by gen_ai.operation.name, openllmetry`, "doc https://x"}},
		{23, "openinference#3241: execute_tool", func(t *testing.T) *trace.Step {
			return aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f", "gen_ai.tool.call.id", "c1", "gen_ai.tool.call.arguments", map[string]any{"a": 1}, "gen_ai.tool.call.result", map[string]any{"b": 2}).read()
		}, []string{"tool f c1", `args {"a":1}`, `result {"b":2}`}},
		{26, "openinference#3342: Anthropic's tool definitions", func(t *testing.T) *trace.Step {
			return aSpan("Messages", "openinference.span.kind", "LLM", "llm.tools.0.tool.json_schema", `{"name":"f","description":"d","input_schema":{"type":"object"}}`).read()
		}, []string{"offered f"}},
		{27, "openinference#1154: a crew's tokens", func(t *testing.T) *trace.Step {
			return aSpan("Crew.kickoff", "openinference.span.kind", "CHAIN", "llm.token_count.prompt", 10, "llm.token_count.completion", 5).read()
		}, []string{"usage aggregate 10+5 reasoning 0 cache 0/0"}},
		{28, "openinference#2627: sources in metadata alone", func(t *testing.T) *trace.Step {
			return aSpan("r", "openinference.span.kind", "RETRIEVER", "retrieval.documents.0.document.content", "C", "retrieval.documents.0.document.metadata", `{'source': 'https://x', 'date': '2024-05-01'}`).read()
		}, []string{"doc https://x 2024-05-01"}},
		{28, "openinference#2627: documents in a blob alone", func(t *testing.T) *trace.Step {
			return aSpan("r", "openinference.span.kind", "RETRIEVER", "output.value", `{"documents":[{"page_content":"C","metadata":{"url":"https://x"}}]}`).read()
		}, []string{"doc https://x"}},
		{29, "strands#1267: tokens of an agent", func(t *testing.T) *trace.Step {
			return aSpan("invoke_agent a", "gen_ai.operation.name", "invoke_agent", "gen_ai.usage.input_tokens", 10, "gen_ai.usage.output_tokens", 5).read()
		}, []string{"usage aggregate 10+5 reasoning 0 cache 0/0"}},
		{30, "strands#1876: a cycle without common attributes", func(t *testing.T) *trace.Step {
			return aSpan("execute_event_loop_cycle", "event_loop.cycle_id", "1").read()
		}, []string{`workflow "execute_event_loop_cycle" by name, strands`}},
		{31, "strands-evals#311: an agent below another", func(t *testing.T) *trace.Step {
			b := aSpan("sub", "openinference.span.kind", "AGENT")
			b.span.SetParentSpanID([8]byte{1})
			return b.read()
		}, []string{`agent "sub" by openinference.span.kind, openinference`}},
		{32, "strands-evals#366: contents and content.0", func(t *testing.T) *trace.Step {
			return aSpan("x", "openinference.span.kind", "LLM", "llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.contents.0.message_content.type", "text",
				"llm.input_messages.0.message.contents.0.message_content.text", "Q", "llm.output_messages.0.message.role", "assistant", "llm.output_messages.0.message.content.0", "A").read()
		}, []string{"in user: Q", "out assistant: A"}},
		{33, "traceroot#1610: AI SDK 7, tokens of the agent", func(t *testing.T) *trace.Step {
			return aSpan("invoke_agent m", "gen_ai.operation.name", "invoke_agent", "gen_ai.usage.input_tokens", 9).in("gen_ai").read()
		}, []string{"usage aggregate 9+0 reasoning 0 cache 0/0"}},
		{35, "semconv-genai#19: aggregated usage", func(t *testing.T) *trace.Step {
			return aSpan("invoke_agent a", "gen_ai.operation.name", "invoke_agent", "agent_name", "a", "model_name", "m", "gen_ai.aggregated_usage.input_tokens", 12, "gen_ai.aggregated_usage.output_tokens", 3).in("pydantic-ai").read()
		}, []string{`agent "invoke_agent a" by agent_name, pydantic-ai`, "usage aggregate 12+3 reasoning 0 cache 0/0"}},
		{38, "semconv-genai#141: a result under role user", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.input.messages", `[{"role":"user","parts":[{"type":"tool_call_response","id":"c","name":"f","response":"R"}]}]`).read()
		}, []string{`in tool: <c "R">`}},
		{39, "pydantic-ai#3741: result in place of response", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.input.messages", `[{"role":"tool","parts":[{"type":"tool_call_response","id":"c","result":"R"}]}]`).read()
		}, []string{`in tool: <c "R">`}},
		{40, "openllmetry#3350: a number of an odd type", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.usage.reasoning_tokens", map[string]any{"a": 1}, "gen_ai.usage.output_tokens", 5).read()
		}, []string{"usage own 0+5 reasoning 0 cache 0/0"}},
		{41, "adk#4083: a map in place of a text", func(t *testing.T) *trace.Step {
			return aSpan("call_llm", "gcp.vertex.agent.llm_request", map[string]any{"model": "g", "contents": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": "Q"}}}}}).read()
		}, []string{"in user: Q", "model  g  []"}},
		{42, "adk#1826: the empty root", func(t *testing.T) *trace.Step {
			return aSpan("invocation").in("gcp.vertex.agent").read()
		}, []string{`workflow "invocation" by name, google-adk`}},
		{44, "kagent#2734: a failure with the status unset", func(t *testing.T) *trace.Step {
			return aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f", "gcp.vertex.agent.tool_call_args", `{"a":1}`, "gcp.vertex.agent.tool_response", `{"content":[{"type":"text","text":"no such pod"}],"isError":true}`).read()
		}, []string{`args {"a":1}`, `result "no such pod"`, "error no such pod", "failed payload"}},
		{45, "otel-python-contrib#4185: a call as Python text", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"ResponseFunctionToolCall(arguments='{}', call_id='c', name='n', type='function_call')"}]}]`).read()
		}, []string{"out assistant: [n c {}]"}},
		{47, "mlflow#24237: an empty type", func(t *testing.T) *trace.Step {
			return aSpan("x", "mlflow.spanType", `"null"`, "gen_ai.operation.name", "chat").read()
		}, []string{`llm "x" by gen_ai.operation.name, mlflow`}},
		{48, "opik#7150: an agent with a model's name", func(t *testing.T) *trace.Step {
			return aSpan("a run", "agent_name", "a", "model_name", "gpt-4o", "gen_ai.usage.input_tokens", 5, "final_result", "A").in("pydantic-ai").read()
		}, []string{`agent "a run" by agent_name, pydantic-ai`, "rawout A"}},
		{48, "opik#7150: provider google by host", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.system", "google", "server.address", "us-central1-aiplatform.googleapis.com", "gen_ai.request.model", "gemini-2.5").read()
		}, []string{"model gcp.vertex_ai gemini-2.5  []"}},
		{48, "opik#7150: an exception event alone", func(t *testing.T) *trace.Step {
			return aSpan("running tool", "gen_ai.tool.name", "f").event("exception", "exception.type", "ValueError", "exception.message", "bad").read()
		}, []string{"error bad", "failed exception ValueError"}},
		{49, "opik#7489: gen_ai.tool without operation", func(t *testing.T) *trace.Step {
			return aSpan("x", "gen_ai.tool.name", "f", "gen_ai.tool.call.id", "c").read()
		}, []string{`tool "x" by gen_ai.tool.call.id, general`, "tool f c"}},
		{50, "opik#7319: Claude Code, interaction", func(t *testing.T) *trace.Step {
			return aSpan("claude_code.interaction", "user_prompt", "Q").read()
		}, []string{`agent "claude_code.interaction" by name, claude-code`, "rawin Q"}},
		{50, "opik#7319: Claude Code, model", func(t *testing.T) *trace.Step {
			return aSpan("claude_code.llm_request", "model", "claude-x", "response.model_output", "A", "input_tokens", 4, "output_tokens", 2, "cache_read_tokens", 10).read()
		}, []string{"out assistant: A", "usage own 14+2 reasoning 0 cache 10/0", "model anthropic claude-x  []"}},
		{50, "opik#7319: Claude Code, tool", func(t *testing.T) *trace.Step {
			return aSpan("claude_code.tool", "tool_name", "Bash", "tool_use_id", "t1", "tool_input", `{"command":"ls"}`).event("tool.output", "output", "a.txt").read()
		}, []string{"tool Bash t1", `args {"command":"ls"}`, `result "a.txt"`}},
		{51, "opik#3441: thread id in metadata", func(t *testing.T) *trace.Step {
			return aSpan("x", "openinference.span.kind", "CHAIN", "metadata", `{"thread_id":"th-1"}`).read()
		}, []string{"session th-1"}},
		{52, "posthog#66614: OpenInference without operation", func(t *testing.T) *trace.Step {
			return aSpan("x", "openinference.span.kind", "LLM").read()
		}, []string{`llm "x" by openinference.span.kind, openinference`}},
		{53, "sentry-go#1311: invoke_agent", func(t *testing.T) *trace.Step {
			return aSpan("x", "gen_ai.operation.name", "invoke_agent").read()
		}, []string{`agent "x" by gen_ai.operation.name, otel-genai`}},
		{53, "sentry-go#1311: execute_tool in capitals", func(t *testing.T) *trace.Step {
			return aSpan("x", "gen_ai.operation.name", "EXECUTE_TOOL", "gen_ai.tool.name", "f").read()
		}, []string{`tool "x" by gen_ai.operation.name, otel-genai`}},
		{56, "agent-framework#3637: workflow.run", func(t *testing.T) *trace.Step {
			return aSpan("workflow.run", "workflow.id", "w").in("agent_framework").read()
		}, []string{`workflow "workflow.run" by name, microsoft-agent-framework`}},
		{56, "agent-framework#6626: operation against name", func(t *testing.T) *trace.Step {
			return aSpan("chat gpt-4", "gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "planner").read()
		}, []string{`agent "chat gpt-4" by gen_ai.operation.name, otel-genai`, "agent planner"}},
		{57, "collector-contrib#48421: flattened messages", func(t *testing.T) *trace.Step {
			return aSpan("x", "openinference.span.kind", "LLM", "llm.input_messages.0.message.role", "user", "llm.input_messages.0.message.content", "Q").read()
		}, []string{"in user: Q"}},
		{57, "collector-contrib#50133: all parts of a message", func(t *testing.T) *trace.Step {
			return aSpan("x", "openinference.span.kind", "LLM", "llm.input_messages.0.message.role", "user",
				"llm.input_messages.0.message.contents.1.message_content.type", "text", "llm.input_messages.0.message.contents.1.message_content.text", "two",
				"llm.input_messages.0.message.contents.0.message_content.type", "text", "llm.input_messages.0.message.contents.0.message_content.text", "one").read()
		}, []string{"in user: one two"}},
		{58, "azure-sdk#45211: both spellings of the provider", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.provider.name", "az.ai.openai", "gen_ai.request.model", "m").read()
		}, []string{"model azure.ai.openai m  []"}},
		{62, "semconv#2585: tools that the provider runs", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"server_tool_call","id":"s","name":"web_search","server_tool_call":{"type":"web_search","query":"x"}},{"type":"server_tool_call_response","id":"s","server_tool_call_response":{"n":1}}]}]`).read()
		}, []string{`out assistant: [web_search s {"query":"x","type":"web_search"}] <s {"n":1}>`}},
		{63, "datadog-docs#38874: content in place of parts", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.input.messages", `[{"role":"user","content":"Q"},{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]`).read()
		}, []string{"in user: Q | assistant: [f c {}]"}},
		{64, "sentry-javascript#17863: cut", func(t *testing.T) *trace.Step {
			return aSpan("chat", "gen_ai.operation.name", "chat", "gen_ai.input.messages", `[{"role":"user","content":"Q"},{"role":"user","content":"the la`).read()
		}, []string{"in user: Q | user: the la", "capture partial", "loss cut gen_ai.input.messages"}},
		{67, "opentelemetry-python-genai#124: metadata spread", func(t *testing.T) *trace.Step {
			return aSpan("retrieval kb", "gen_ai.operation.name", "retrieval", "gen_ai.retrieval.documents", `[{"id":"d1","content":"C","url":"https://x","date":"2024-05-01"}]`).read()
		}, []string{"doc d1  https://x 2024-05-01"}},
	}
	traceStage := map[int]bool{3: true, 24: true, 25: true, 34: true, 36: true, 37: true, 43: true, 46: true, 54: true, 55: true, 59: true, 60: true, 61: true}
	logStage := map[int]bool{65: true, 66: true} // TestLogs
	seen := map[int]bool{}
	for _, tt := range tests {
		seen[tt.number] = true
		t.Run(tt.issue, func(t *testing.T) {
			s := tt.step(t)
			if missing := lacks(s, tt.want...); missing != nil {
				t.Errorf("lacks %q\nhas   %q", missing, sayStep(s))
			}
		})
	}
	for n := 1; n <= 67; n++ {
		if !seen[n] && !traceStage[n] && !logStage[n] {
			t.Errorf("row %d of the table has no test", n)
		}
	}
}

// TestLogs reads the log records of producers that log in place of tracing (row
// 65), evaluations (66), and content that belongs to spans.
func TestLogs(t *testing.T) {
	type want struct {
		event string
		lines []string
	}
	for _, tt := range []struct {
		file string
		want []want
	}{
		{"constructed/claude_code_logs.json", []want{
			{"user_prompt", []string{`workflow "user_prompt" by log, claude-code`, "session sess-1", "capture redacted"}},
			{"api_request", []string{`llm "api_request" by log, claude-code`, "usage own 18304+120 reasoning 0 cache 18000/300", "model anthropic claude-opus-4-6  []"}},
			{"tool_result", []string{`tool "tool_result" by log, claude-code`, "tool Bash toolu_1", `args {"command":"ls -l /nope"}`, "error ShellError", "failed attribute"}},
			{"api_error", []string{`llm "api_error" by log, claude-code`, "failed attribute"}},
		}},
		{"constructed/codex_logs.json", []want{
			{"codex.user_prompt", []string{`workflow "codex.user_prompt" by log, codex`, "session 019e9bfe-7749-7440-8506-39152afbc9ff", "capture redacted"}},
			{"codex.sse_event", []string{`llm "codex.sse_event" by log, codex`, "usage own 13297+23 reasoning 10 cache 4480/0"}},
			{"codex.tool_result", []string{"tool exec_command call_1", `args {"cmd":"ls"}`, `result "a.txt\n"`}},
		}},
		{"constructed/gemini_cli_logs.json", []want{
			{"gemini_cli.user_prompt", []string{"rawin hello", "session gs-1"}},
			{"gemini_cli.api_response", []string{"usage own 100+25 reasoning 5 cache 0/0", "model gcp.gemini gemini-3.1-pro  [stop]"}},
			{"gemini_cli.tool_call", []string{"tool read_file", `args {"path":"a.txt"}`, "error File not found", "failed attribute file_not_found"}},
		}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			list := fragments(t, filepath.Join(fixtures(t), tt.file))
			if len(list) != len(tt.want) {
				t.Errorf("%d fragments, want %d", len(list), len(tt.want))
			}
			for i, f := range list[:min(len(list), len(tt.want))] {
				if f.Event != tt.want[i].event || f.Step == nil {
					t.Errorf("fragment %d is %q with step %v, want %q with a step", i, f.Event, f.Step != nil, tt.want[i].event)
					continue
				}
				if missing := lacks(f.Step, tt.want[i].lines...); missing != nil {
					t.Errorf("%s lacks %q\nhas %q", f.Event, missing, sayStep(f.Step))
				}
			}
		})
	}
}

func TestLogsOfSpans(t *testing.T) {
	join := func(list []*trace.Fragment, span string) (in, out string) {
		for _, f := range list {
			if f.SpanID == span {
				in += say(&f.Input)
				out += say(&f.Output)
			}
		}
		return in, out
	}
	t.Run("one record a message", func(t *testing.T) {
		in, out := join(fragments(t, filepath.Join(captured, "otel-openai", "S3.logs.otlp.jsonl")), "6715754876737ffb")
		wantIn := "system: You are a careful product research assistant. Use the tools to look things up before you answer, and name the source of every fact." +
			"user: Convert 999 US dollars to euros at the current rate." +
			`assistant: [fetch_exchange_rate call_3BJXWCUFJoCtqDMEVV742BZw {"base":"USD","quote":"EUR"}]` +
			`tool: <call_3BJXWCUFJoCtqDMEVV742BZw "Error: upstream timeout: rate service returned 503">`
		wantOut := `assistant !tool_call: [fetch_exchange_rate call_PYBgvIQzg7ekrOfyWB98wSRt {"base":"USD","quote":"EUR"}]`
		if in != wantIn || out != wantOut {
			t.Errorf("in  %s\nout %s", in, out)
		}
	})
	t.Run("without content", func(t *testing.T) {
		for _, f := range fragments(t, filepath.Join(captured, "otel-openai-nocontent", "S3.logs.otlp.jsonl")) {
			if f.Event == "gen_ai.user.message" && f.Input.Captured() {
				t.Errorf("an empty body gave %s, want nothing", say(&f.Input))
			}
		}
	})
	t.Run("operation details", func(t *testing.T) {
		for _, f := range fragments(t, filepath.Join(captured, "openlit", "S3.logs.otlp.jsonl"))[:1] {
			if f.ResponseID != "chatcmpl-FkUMCs9jnjtbgu8CwbvmXtbKvqeLh" || f.Facts == nil || f.Facts.Session != "session-openlit-s3" || f.Facts.Usage.Input != 307 {
				t.Errorf("facts = %+v, response %s", f.Facts, f.ResponseID)
			}
			if got := say(&f.Output); got != `assistant !tool_call: [fetch_exchange_rate call_7XksFy8q5xrHLUtgCt3Vzzdw {"base":"USD","quote":"EUR"}]` {
				t.Errorf("out %s", got)
			}
		}
	})
	t.Run("ADOT", func(t *testing.T) {
		f := fragments(t, filepath.Join(fixtures(t), "constructed", "adot_llo_log_record.json"))[0]
		if in := say(&f.Input); in != "system: You are a bot | user: Weather in Oslo?" && in != "system: You are a bot | user: Weather?" {
			t.Errorf("in %s", in)
		}
		if out := say(&f.Output); out != `assistant !tool_call: [get_weather t1 {"city":"Oslo"}]` {
			t.Errorf("out %s", out)
		}
	})
	t.Run("Spring AI", func(t *testing.T) {
		ld := plog.NewLogs()
		records := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
		for _, body := range []string{"Chat Model Prompt Content:\nWeather in Oslo?", "Chat Model Completion:\n4C", "Started in 2 seconds"} {
			lr := records.AppendEmpty()
			lr.SetSpanID([8]byte{1})
			lr.Body().SetStr(body)
		}
		in, out := join(read(normalise.New(normalise.Options{}), ld), "0100000000000000")
		if in != "user: Weather in Oslo?" || out != "assistant: 4C" {
			t.Errorf("in %q, out %q", in, out)
		}
	})
	t.Run("evaluation", func(t *testing.T) {
		found := false
		for _, f := range fragments(t, filepath.Join(fixtures(t), "constructed", "semconv_op_details_and_evaluation_logs.json")) {
			if f.Event != "gen_ai.evaluation.result" {
				continue
			}
			found = true
			if e := f.Facts.Hints.Evaluation; e == nil || e.Name == "" || e.Score == nil && e.Label == "" && e.ErrorType == "" {
				t.Errorf("evaluation = %+v, want a name and a score, label or error", e)
			}
		}
		if !found {
			t.Error("no evaluation was read")
		}
	})
	t.Run("the same record hashes the same", func(t *testing.T) {
		name := filepath.Join(captured, "otel-openai", "S1.logs.otlp.jsonl")
		a, b := fragments(t, name), fragments(t, name)
		seen := map[uint64]bool{}
		for i := range a {
			if a[i].Hash != b[i].Hash {
				t.Errorf("record %d hashes to %d and %d", i, a[i].Hash, b[i].Hash)
			}
			seen[a[i].Hash] = true
		}
		if len(seen) < 2 {
			t.Error("different records hash the same")
		}
	})
}
