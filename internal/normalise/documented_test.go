package normalise_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// TestDocumented reads spans of producers of which none were at hand, made of the
// attributes that they publish.
func TestDocumented(t *testing.T) {
	tests := []struct {
		name string
		step *trace.Step
		want []string
	}{
		{"Spring AI, tool", aSpan("tool_call weather", "gen_ai.operation.name", "framework", "gen_ai.system", "spring_ai", "spring.ai.kind", "tool_call",
			"spring.ai.tool.definition.name", "weather", "spring.ai.tool.call.arguments", `{"city":"Oslo"}`, "spring.ai.tool.call.result", `"4C"`).read(),
			[]string{`tool "tool_call weather" by spring.ai.kind, spring-ai`, "tool weather", `args {"city":"Oslo"}`, `result "4C"`}},
		{"Spring AI, vector store", aSpan("qdrant query", "spring.ai.kind", "vector_store", "db.operation.name", "query", "db.vector.query.content", "Q").read(),
			[]string{`retriever "qdrant query" by gen_ai.operation.name, spring-ai`, `args "Q"`}},
		{"Braintrust, model", aSpan("Chat Completion", "braintrust.span_attributes", `{"type":"llm"}`, "braintrust.input_json", `[{"role":"user","content":"Q"}]`,
			"braintrust.output_json", `[{"finish_reason":"stop","message":{"role":"assistant","content":"A"}}]`, "braintrust.metrics", `{"prompt_tokens":7,"completion_tokens":2,"tokens":9}`).read(),
			[]string{`llm "Chat Completion" by braintrust.span_attributes, braintrust`, "in user: Q", "out assistant !stop: A", "usage own 7+2 reasoning 0 cache 0/0"}},
		{"Sentry, model", aSpan("chat m", "gen_ai.operation.name", "chat", "gen_ai.request.messages", `[{"role":"user","content":"Q"}]`, "gen_ai.response.text", "A",
			"gen_ai.response.tool_calls", `[{"name":"f","type":"function_call","call_id":"c","arguments":"{}"}]`).read(),
			[]string{"in user: Q", "out assistant: A [f c {}]"}},
		{"Sentry, tool", aSpan("execute_tool f", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "f", "gen_ai.tool.input", `{"a":1}`, "gen_ai.tool.output", "R").read(),
			[]string{"tool f", `args {"a":1}`, `result "R"`}},
		{"LangChain in Python through OpenInference", aSpan("get_weather", "openinference.span.kind", "TOOL", "tool.name", "get_weather", "input.value", `{'city': 'Oslo'}`,
			"output.value", `content='4C' name='get_weather' tool_call_id='c1'`).read(), []string{"tool get_weather c1", `args {"city":"Oslo"}`, `result "4C"`}},
		{"LangSmith's arguments in Python's spelling", aSpan("f", "langsmith.span.kind", "tool", "gen_ai.prompt", `{"input": "{'sku': 'Z', 'n': 2}"}`, "gen_ai.completion", `{"output": "R"}`).read(),
			[]string{"tool f", `args {"n":2,"sku":"Z"}`}},
		{"a parameter that is called input", aSpan("f", "gen_ai.tool.name", "f", "gen_ai.tool.call.arguments", `{"input": "{\"a\": 1}"}`).read(), []string{`args {"input":"{\"a\": 1}"}`}},
		{"DSPy, tool", aSpan("stock", "openinference.span.kind", "TOOL", "tool.name", "stock", "input.value", `{"kwargs": {"sku": "Z"}}`, "output.value", "R").read(),
			[]string{"tool stock", `args {"sku":"Z"}`}},
		{"Semantic Kernel, older tokens", aSpan("chat.completions m", "gen_ai.operation.name", "chat.completions", "gen_ai.request.model", "m", "gen_ai.response.prompt_tokens", 7, "gen_ai.response.completion_tokens", 2).
			in("Microsoft.SemanticKernel.Connectors.OpenAI").read(), []string{"usage own 7+2 reasoning 0 cache 0/0"}},
		{"somebody's own tool", aSpan("tool.call", "tool.name", "stock", "tool.input", `{"sku":"Z"}`, "tool.output", "R").read(), []string{`tool "tool.call" by tool.name, general`, "tool stock", `args {"sku":"Z"}`, `result "R"`}},
		{"somebody's own, by evidence", aSpan("ask", "llm.request.model", "x", "gen_ai.request.model", "m", "gen_ai.usage.input_tokens", 3, "gen_ai.output.messages", `[{"role":"assistant","content":"A"}]`).read(),
			[]string{`llm "ask" by model, general`, "out assistant: A"}},
		{"CrewAI through OpenLLMetry, a crew", aSpan("crewai.workflow", "crewai.crew.id", "k1", "gen_ai.operation.name", "invoke_agent", "crewai.crew.result", "It costs 9.", "crewai.crew.tasks_output",
			`[TaskOutput(description='How much?', raw='It costs 9.', pydantic=None, output_format=<OutputFormat.RAW: 'raw'>, messages=[{'role': 'user', 'content': 'How much?'}, {'role': 'assistant', 'content': '', 'tool_calls': [{'id': 'c1', 'type': 'function', 'function': {'name': 'find', 'arguments': '{"q": "pad"}'}}]}, {'role': 'tool', 'content': '9', 'tool_call_id': 'c1', 'name': 'find'}, {'role': 'assistant', 'content': 'It costs 9.'}], tool_failures=[])]`).
			in("opentelemetry.instrumentation.crewai.instrumentation").read(),
			[]string{`workflow "crewai.workflow" by crewai.crew.id, openllmetry`, `out user: How much? | assistant: [find c1 {"q":"pad"}] | tool: <c1 "9"> | assistant: It costs 9.`}},
		{"CrewAI through OpenLLMetry, an older crew", aSpan("crewai.workflow", "crewai.crew.id", "k1", "crewai.crew.result", "It costs 9.", "crewai.crew.tasks_output", `[TaskOutput(description='How much?', raw='It costs 9.')]`).
			in("opentelemetry.instrumentation.crewai.instrumentation").read(), []string{"rawout It costs 9."}},
		{"LiveKit, a model call", aSpan("llm_node", "lk.chat_ctx", `{"items":[{"id":"i0","type":"message","role":"system","content":["Be brief."]},{"id":"i1","type":"message","role":"user","content":["How much?"]},
			{"id":"i2","type":"function_call","call_id":"c1","name":"find","arguments":"{\"q\": \"pad\"}"},{"id":"i3","type":"function_call_output","call_id":"c1","name":"find","output":"9","is_error":false}]}`,
			"lk.response.text", "It costs 9.", "gen_ai.request.model", "gpt-4.1-mini", "lk.function_tools", `["find"]`).in("livekit-agents").read(),
			[]string{`llm "llm_node" by name, livekit`, "model openai gpt-4.1-mini  []", `in system: Be brief. | user: How much? | assistant: [find c1 {"q":"pad"}] | tool: <c1 "9">`, "out assistant: It costs 9."}},
		{"LiveKit, a reply that asks for a tool", aSpan("llm_node", "lk.chat_ctx", `{"items":[{"type":"message","role":"user","content":["How much?"]}]}`, "lk.response.text", "",
			"lk.response.function_calls", `[{"call_id":"c1","name":"find","arguments":"{\"q\": \"pad\"}","type":"function_call"}]`).in("livekit-agents").read(),
			[]string{`out assistant: [find c1 {"q":"pad"}]`}},
		{"LiveKit, a tool", aSpan("function_tool", "lk.function_tool.id", "c1", "lk.function_tool.name", "find", "lk.function_tool.arguments", `{"q": "pad"}`, "lk.function_tool.is_error", false, "lk.function_tool.output", "9").in("livekit-agents").read(),
			[]string{`tool "function_tool" by name, livekit`, "tool find c1", `args {"q":"pad"}`, `result "9"`}},
		{"LiveKit, a tool that failed", aSpan("function_tool", "lk.function_tool.name", "find", "lk.function_tool.is_error", true, "lk.function_tool.output", "no such page").in("livekit-agents").read(),
			[]string{"tool find", `result "no such page"`, "failed attribute"}},
		{"LiveKit since 1.8, a tool that failed", aSpan("function_tool", "lk.function_tool.name", "find", "lk.function_tool.is_error", true, "lk.pii.function_tool.output", "no such page", "error.type", "tool_error", "gen_ai.operation.name", "execute_tool").in("livekit-agents").read(),
			[]string{"tool find", `result "no such page"`, "failed attribute tool_error", "error no such page"}},
		{"AG2, what a sub-agent used", aSpan("record_usage subtask", "ag2.span.type", "usage", "ag2.usage.kind", "subtask", "gen_ai.response.model", "gpt-4.1-mini", "gen_ai.usage.input_tokens", 90, "gen_ai.usage.output_tokens", 9).in("opentelemetry.instrumentation.ag2").read(),
			[]string{`workflow "record_usage subtask" by ag2.usage.kind, ag2`}},
		{"LiveKit, a turn of the user", aSpan("user_turn", "lk.user_transcript", "How much is the pad?").in("livekit-agents").read(), []string{`workflow "user_turn" by name, livekit`, "rawin How much is the pad?"}},
		{"LiveKit, speech", aSpan("tts_node", "lk.input_text", "It costs 9.").in("livekit-agents").read(), []string{`unknown "tts_node" by fallback, livekit`}},
		{"Copilot, the agent", aSpan("invoke_agent copilot", "gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "copilot", "gen_ai.conversation.id", "s1", "github.copilot.turn_count", 2, "gen_ai.usage.input_tokens", 90).in("github.copilot").read(),
			[]string{`agent "invoke_agent copilot" by gen_ai.operation.name, copilot`, "agent copilot", "session s1", "usage aggregate 90+0 reasoning 0 cache 0/0"}},
		{"Copilot, a model call", aSpan("chat gpt-4o", "gen_ai.operation.name", "chat", "gen_ai.provider.name", "github", "gen_ai.request.model", "gpt-4o", "gen_ai.response.finish_reasons", []any{"tool_calls"}, "github.copilot.cost", 1.5, "copilot_chat.chat_session_id", "s1").in("copilot-chat").read(),
			[]string{`llm "chat gpt-4o" by gen_ai.operation.name, copilot`, "session s1", "model github gpt-4o  [tool_call]"}},
		{"Copilot, a tool", aSpan("execute_tool readFile", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "readFile", "gen_ai.tool.call.id", "c1", "gen_ai.tool.call.arguments", `{"path":"a.go"}`, "gen_ai.tool.call.result", "package a").in("copilot-chat").read(),
			[]string{`tool "execute_tool readFile" by gen_ai.operation.name, copilot`, "tool readFile c1", `args {"path":"a.go"}`, `result "package a"`}},
		{"LangWatch, a model call", aSpan("ask", "langwatch.span.type", "llm", "langwatch.thread.id", "t1", "langwatch.input", `{"type":"chat_messages","value":[{"role":"user","content":"How much?"}]}`,
			"langwatch.output", `{"type":"text","value":"It costs 9."}`, "gen_ai.request.model", "gpt-4o").in("langwatch").read(),
			[]string{`llm "ask" by langwatch.span.type, langwatch`, "session t1", "in user: How much?", "out assistant: It costs 9."}},
		{"LangWatch, a retrieval", aSpan("find", "langwatch.span.type", "rag", "langwatch.input", `{"type":"text","value":"pad"}`, "langwatch.rag.contexts", `[{"document_id":"d1","chunk_id":"k","content":"The pad costs 9."}]`).read(),
			[]string{`retriever "find" by langwatch.span.type, langwatch`, `args "pad"`, "doc d1"}},
		{"LangWatch, a tool", aSpan("calc", "langwatch.span.type", "tool", "langwatch.input", `{"type":"json","value":{"a":1}}`, "langwatch.output", `{"type":"json","value":{"b":2}}`).read(), []string{"tool calc", `args {"a":1}`, `result {"b":2}`}},
		{"Spring AI, a chat client", aSpan("spring_ai chat_client", "gen_ai.operation.name", "framework", "gen_ai.system", "spring_ai", "spring.ai.kind", "chat_client", "spring.ai.chat.client.conversation.id", "c1", "spring.ai.chat.client.tool.names", "find").read(),
			[]string{`agent "spring_ai chat_client" by spring.ai.kind, spring-ai`, "session c1"}},
		{"Spring AI, a model call", aSpan("chat gpt-4o", "gen_ai.operation.name", "chat", "gen_ai.system", "openai", "gen_ai.request.model", "gpt-4o", "gen_ai.usage.input_tokens", "12", "gen_ai.usage.output_tokens", "3", "gen_ai.response.finish_reasons", `["STOP"]`).in("org.springframework.ai").read(),
			[]string{`llm "chat gpt-4o" by gen_ai.operation.name, spring-ai`, "model openai gpt-4o  [stop]", "usage own 12+3 reasoning 0 cache 0/0"}},
		{"Braintrust, a tool", aSpan("find", "braintrust.span_attributes", `{"type":"tool"}`, "braintrust.input_json", `{"q":"pad"}`, "braintrust.output_json", `"9"`).read(), []string{`tool "find" by braintrust.span_attributes, braintrust`, `args {"q":"pad"}`, `result "9"`}},
		{"Braintrust, a task", aSpan("run", "braintrust.span_attributes", `{"type":"task"}`, "braintrust.input", "How much?", "braintrust.output", "9").read(), []string{`workflow "run" by braintrust.span_attributes, braintrust`, "rawin How much?", "rawout 9"}},
		{"Sentry, the agent", aSpan("invoke_agent Shop", "gen_ai.operation.name", "invoke_agent", "gen_ai.agent.name", "Shop", "gen_ai.request.messages", `[{"role":"user","content":"How much?"}]`, "gen_ai.response.text", "It costs 9.").read(),
			[]string{`agent "invoke_agent Shop" by gen_ai.operation.name, otel-genai`, "agent Shop", "in user: How much?", "rawout It costs 9."}},
		{"Sentry, a model call", aSpan("chat gpt-4o", "gen_ai.operation.name", "chat", "gen_ai.request.model", "gpt-4o", "gen_ai.request.messages", `[{"role":"user","content":"How much?"}]`, "gen_ai.response.text", `["It costs 9."]`, "gen_ai.request.available_tools", `[{"name":"find"}]`,
			"gen_ai.response.tool_calls", `[{"name":"find","type":"function_call","arguments":"{\"q\": \"pad\"}"}]`).read(),
			[]string{"offered find", "in user: How much?", `out assistant: It costs 9. [find  {"q":"pad"}]`}},
		{"Sentry, a tool", aSpan("execute_tool find", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "find", "gen_ai.tool.input", `{"q": "pad"}`, "gen_ai.tool.output", "9").read(),
			[]string{`tool "execute_tool find" by gen_ai.operation.name, otel-genai`, "tool find", `args {"q":"pad"}`, `result "9"`}},
		{"Haystack, an invoker of tools", aSpan("haystack.component.run", "haystack.component.name", "invoker", "haystack.component.type", "ToolInvoker",
			"haystack.component.input", `{"messages":[{"role":"assistant","content":[{"tool_call":{"tool_name":"find","arguments":{"q":"pad"},"id":"c1"}}]}]}`,
			"haystack.component.output", `{"tool_messages":[{"role":"tool","content":[{"tool_call_result":{"result":"9","origin":{"tool_name":"find","arguments":{"q":"pad"},"id":"c1"},"error":false}}]}]}`).read(),
			[]string{`workflow "haystack.component.run" by haystack.component.type, haystack`, `in assistant: [find c1 {"q":"pad"}]`, `out tool: <c1 "9">`}},
		{"BeeAI, what a tool was given", aSpan("find", "openinference.span.kind", "TOOL", "tool.name", "find", "input.value", `{"input": {"q": "pad"}, "options": null}`, "output.value", "9").read(),
			[]string{"tool find", `args {"q":"pad"}`, `result "9"`}},
		{"home-made, a model call", aSpan("call_llm", "model", "my-model", "prompt", "How much?", "response", "It costs 9.", "prompt_tokens", 12, "session_id", "s1").read(),
			[]string{`llm "call_llm" by plain keys, home-made`, "session s1", "in user: How much?", "out assistant: It costs 9.", "usage own 12+0 reasoning 0 cache 0/0"}},
		{"home-made, a model that its family tells", aSpan("step 3", "llm.model", "openai/gpt-4o", "input", `[{"role":"user","content":"How much?"}]`, "output", "9").read(),
			[]string{`llm "step 3" by plain keys, home-made`, "in user: How much?", "out assistant: 9"}},
		{"home-made, a tool by its name", aSpan("tool:search", "args", `{"q":"pad"}`, "result", "9").read(), []string{`tool "tool:search" by plain keys, home-made`, "tool search", `args {"q":"pad"}`, `result "9"`}},
		{"home-made, a tool by its key", aSpan("run", "tool_name", "search", "input", "pad", "output", "9", "error", "timeout").read(), []string{`tool "run" by plain keys, home-made`, "tool search", `args "pad"`, `result "9"`, "error timeout", "failed attribute"}},
		{"home-made, a run", aSpan("handle", "question", "How much?", "answer", "9").read(), []string{`workflow "handle" by plain keys, home-made`, "rawin How much?", "rawout 9"}},
		{"home-made, an agent", aSpan("shop_agent", "question", "How much?", "answer", "9").read(), []string{`agent "shop_agent" by plain keys, home-made`}},
		{"Sentry, by its operation", aSpan("ask", "sentry.op", "gen_ai.chat", "gen_ai.request.model", "m", "gen_ai.usage.input_tokens", 20, "gen_ai.usage.input_tokens.cached", 5, "gen_ai.usage.output_tokens", 7,
			"gen_ai.usage.output_tokens.reasoning", 2).read(), []string{`llm "ask" by sentry.op, sentry`, "usage own 20+7 reasoning 2 cache 5/0"}},
		{"Sentry, another operation", aSpan("GET /", "sentry.op", "http.server").read(), []string{`unknown "GET /" by fallback, sentry`}},
		{"AgentOps, an agent", aSpan("w.agent", "agentops.span.kind", "agent", "operation.name", "w", "agentops.agent.input", `{"args":["Q"],"kwargs":{}}`, "agentops.agent.output", `"A"`).read(),
			[]string{`agent "w.agent" by agentops.span.kind, agentops`, "agent w"}},
		{"AgentOps, a tool", aSpan("find.tool", "agentops.span.kind", "tool", "operation.name", "find", "agentops.tool.input", `{"args":[],"kwargs":{"q":"pad"}}`, "agentops.tool.output", `"9"`).read(),
			[]string{`tool "find.tool" by agentops.span.kind, agentops`, "tool find", `args {"q":"pad"}`, `result "9"`}},
		{"AgentOps, a tool as an entity", aSpan("find", "agentops.span.kind", "tool", "tool.name", "find", "agentops.entity.input", `{"q":"pad"}`, "agentops.entity.output", "9").read(),
			[]string{"tool find", `args {"q":"pad"}`, `result "9"`}},
		{"LangChain4j in Quarkus, a model call", aSpan("completion m", "gen_ai.request.model", "m", "gen_ai.content.prompt", "Q", "gen_ai.content.completion", "A", "gen_ai.response.finish_reasons", "TOOL_EXECUTION").read(),
			[]string{`llm "completion m" by messages, langchain4j`, "in user: Q", "out assistant: A", "model  m  [tool_call]"}},
		{"LangChain4j in Quarkus, a tool", aSpan("langchain4j.tools.find").read(), []string{`tool "langchain4j.tools.find" by name, langchain4j`, "tool find"}},
		{"LangChain4j in Quarkus, a service", aSpan("langchain4j.aiservices.Shop.ask").read(), []string{`agent "langchain4j.aiservices.Shop.ask" by name, langchain4j`}},
		{"n8n, an agent", aSpan("node.execute", "n8n.node.type", "@n8n/n8n-nodes-langchain.agent", "n8n.node.name", "AI Agent").read(), []string{`agent "node.execute" by n8n.node.type, n8n`}},
		{"n8n, a model", aSpan("node.execute", "n8n.node.type", "@n8n/n8n-nodes-langchain.lmChatOpenAi", "n8n.node.name", "OpenAI").read(), []string{`llm "node.execute" by n8n.node.type, n8n`}},
		{"n8n, a tool of any node", aSpan("node.execute", "n8n.node.type", "n8n-nodes-base.httpRequestTool", "n8n.node.name", "get stock", "n8n.node.input", `{"sku":"Z"}`, "n8n.node.output", `{"n":9}`).read(),
			[]string{`tool "node.execute" by n8n.node.type, n8n`, "tool get stock", `args {"sku":"Z"}`, `result {"n":9}`}},
		{"n8n, another node", aSpan("node.execute", "n8n.node.type", "n8n-nodes-base.httpRequest", "n8n.node.name", "get").read(), []string{`workflow "node.execute" by n8n.node.type, n8n`}},
		{"Azure AI Agents, a run", aSpan("process_thread_run", "gen_ai.operation.name", "process_thread_run", "gen_ai.system", "az.ai.agents", "gen_ai.thread.id", "t1").read(),
			[]string{`agent "process_thread_run" by gen_ai.operation.name, otel-genai`, "session t1"}},
		{"one sign is none: a car", aSpan("price", "model", "Civic", "input", "2019", "output", "9000").read(), []string{`unknown "price" by fallback, unknown`}},
		{"one sign is none: any span with input and output", aSpan("resize", "input", "a.png", "output", "b.png").read(), []string{`unknown "resize" by fallback, unknown`}},
		{"a request that carries a prompt", aSpan("POST", "http.method", "POST", "prompt", "How much?", "response", "9", "model", "gpt-4o").read(), []string{`unknown "POST" by fallback, unknown`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if missing := lacks(tt.step, tt.want...); missing != nil {
				t.Errorf("lacks %q\nhas   %q", missing, sayStep(tt.step))
			}
		})
	}
}
