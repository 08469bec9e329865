package normalise_test

import (
	"path/filepath"
	"testing"
)

// TestDialects reads spans of producers of which there is no captured run, from
// other projects' fixtures. The lines are what the fixture and its producer's source say.
func TestDialects(t *testing.T) {
	type step struct {
		name string
		want []string
	}
	tests := []struct {
		file  string
		steps []step
	}{
		{"constructed/mlflow.json", []step{
			{"agent", []string{`agent "agent" by mlflow.spanType, mlflow`, `rawin {"q": "x"}`, "rawout y"}},
			{"Completions", []string{"model openai gpt-5  [tool_call]", "usage own 10+2 reasoning 0 cache 0/0", "in user: x", `out assistant !tool_call: [add call_1 {"a":1}]`, "offered add"}},
			{"retr", []string{`retriever "retr" by mlflow.spanType, mlflow`, `args "q"`, "doc d1  https://ex.org"}},
			{"tool", []string{`args {"a":1}`, `result "3"`}}, // a span's name that names no tool
			{"x", []string{`unknown "x" by fallback, mlflow`}},
		}},
		{"constructed/haystack.json", []step{
			{"haystack.pipeline.run", []string{`workflow "haystack.pipeline.run" by name, haystack`, `rawin {"retriever": {"query": "x"}}`}},
			{"haystack.agent.step.tool", []string{"tool add", `args {"a":1}`, "error boom", "failed payload"}},
			{"haystack.agent.run", []string{`agent "haystack.agent.run" by name, haystack`}},
		}},
		{"constructed/claude_code_traces.json", []step{
			{"claude_code.interaction", []string{"rawin list files", "session sess-1", "user u-1"}},
			{"claude_code.tool", []string{"tool Bash toolu_1", `args {"command":"ls"}`, `result "a.txt\nb.txt"`}},
			{"claude_code.tool.execution", []string{"error ShellError", "failed status"}},
			{"claude_code.tool.blocked_on_user", []string{`workflow "claude_code.tool.blocked_on_user" by name, claude-code`}},
		}},
		{"constructed/litellm.json", []step{
			{"litellm_request", []string{`llm "litellm_request" by name, litellm`, "model openai gpt-5  [stop]", "in user: x", "out assistant !stop: y"}},
			{"raw_gen_ai_request", []string{"in user: x"}},
			{"SELECT", []string{`unknown "SELECT" by fallback, litellm`}},
		}},
		{"constructed/openlit.json", []step{
			{"chat gpt-5", []string{"in user: x", "out assistant: y", "usage own 5+2 reasoning 1 cache 0/0"}},
			{"invoke_agent a", []string{"agent a", "rawout y"}},
			{"retrieval kb", []string{`retriever "retrieval kb" by gen_ai.operation.name, openlit`, `args "x"`}},
			{"execute_tool t", []string{"tool t", `args {"a":1}`, `result "ok"`}},
			{"vectordb chroma.query", []string{`retriever "vectordb chroma.query" by gen_ai.operation.name, openlit`}},
		}},
		{"constructed/agent_framework_python.json", []step{
			{"workflow.run", []string{`workflow "workflow.run" by name, microsoft-agent-framework`}},
			{"executor.process planner", []string{`workflow "executor.process planner" by name, microsoft-agent-framework`, "agent planner"}},
			{"invoke_agent planner", []string{"session th-1", "usage aggregate 50+5 reasoning 0 cache 0/0"}},
			{"chat gpt-5", []string{"model openai gpt-5  [stop]", `out assistant !tool_call: [t c1 {"a":1}]`}},
			{"execute_tool t", []string{"tool t", `args {"a":1}`, `result "ok"`}}, // the call id "unknown" is none
		}},
		{"constructed/dotnet_meai_and_sk.json", []step{
			{"orchestrate_tools", []string{`workflow "orchestrate_tools" by gen_ai.operation.name, microsoft-extensions-ai`}},
			{"chat gpt-5", []string{"model openai gpt-5  [stop]", "in user: x", "out assistant !stop: y"}},
		}},
		{"constructed/crewai_native.json", []step{
			{"Crew Created", []string{`unknown "Crew Created" by fallback, crewai-native`}},
			{"Tool Usage", []string{`unknown "Tool Usage" by fallback, crewai-native`}},
		}},
		{"constructed/strands_latest_op_details_x3.json", []step{
			{"chat", []string{`in system: You are a weather bot | user: Weather in Oslo?`, `out assistant !tool_call: (need the tool) [get_weather t1 {"city":"Oslo"}]`}},
			{"execute_tool get_weather", []string{"tool get_weather t1", `args {"city":"Oslo"}`, `result "4C"`}},
		}},
		{"constructed/openllmetry_legacy_langchain_rag.json", []step{
			{"RetrievalQA.workflow", []string{"session s-9", "user u-9"}},
			{"VectorStoreRetriever.task", []string{`retriever "VectorStoreRetriever.task" by gen_ai.operation.name, openllmetry`, "doc https://ex.org/oslo 2024-05-01"}},
			{"ChatOpenAI.chat", []string{"model openai gpt-4o-mini gpt-4o-mini-2024-07-18 [stop]", "offered get", "out assistant !stop: Oslo",
				`in system: Use context | user: Norway? | assistant: [get call_1 {"a":1}] | tool: <call_1 "4C">`}},
			{"chroma.query", []string{`retriever "chroma.query" by event, openllmetry`, "doc d1  https://ex.org/oslo"}},
		}},
		{"constructed/langsmith_otel.json", []step{
			{"LangGraph", []string{`workflow "LangGraph" by langsmith.span.kind, langsmith`}},
		}},
		{"otlp/strands-evals__autogen_live_spans.json", []step{
			{"create_agent math_assistant", []string{`agent "create_agent math_assistant" by gen_ai.operation.name, autogen`, "agent math_assistant"}},
			{"execute_tool calculate", []string{"tool calculate toolu_bdrk_011nDreLrC9nv8NZs6iGrx6d", "capture off"}},
		}},
		{"otlp/strands-evals__smolagents_live_spans.json", []step{
			{"DuckDuckGoSearchTool", []string{"tool web_search", `args {"query":"population of Tokyo"}`, "doc Tokyo - Wikipedia https://en.wikipedia.org/wiki/Tokyo"}},
			{"CodeAgent.run", []string{`agent "CodeAgent.run" by openinference.span.kind, smolagents`, "usage aggregate 6256+163 reasoning 0 cache 0/0"}},
		}},
		{"otlp/strands-evals__pydantic_ai_live_spans.json", []step{
			{"chat us.anthropic.claude-sonnet-4-5-20250929-v1:0", []string{"model aws.bedrock us.anthropic.claude-sonnet-4-5-20250929-v1:0 us.anthropic.claude-sonnet-4-5-20250929-v1:0 [tool_call]",
				"offered get_weather", "session 019f8b0c-5147-74b5-b1e4-f9b086da98e0", `out assistant !tool_call: [get_weather tooluse_ThYFd3WOkO59ZUHC77SIdX {"city":"Seattle"}]`}},
			{"execute_tool get_weather", []string{"tool get_weather tooluse_ThYFd3WOkO59ZUHC77SIdX", `args {"city":"Seattle"}`, `result "62°F, cloudy with light rain"`}},
		}},
		{"otlp/strands-evals__adk_live_spans.json", []step{
			{"execute_tool calculator", []string{"tool calculator uwpsprd2", `args {"expression":"15 * 37"}`, `result {"result":"555"}`}},
			{"call_llm", []string{"usage own 157+51 reasoning 32 cache 0/0", "offered calculator", `out assistant !stop: [calculator uwpsprd2 {"expression":"15 * 37"}]`}},
			{"invocation", []string{`workflow "invocation" by name, google-adk`}},
		}},
		{"otlp/strands-evals__openai_agents_genai_live_spans.json", []step{
			{"lookup_stock_price.tool", []string{"tool lookup_stock_price", `args {"ticker":"AMZN"}`, `result "AMZN: $240.98"`}},
			{"research_specialist.agent", []string{`agent "research_specialist.agent" by traceloop.span.kind, openllmetry`, "agent research_specialist"}},
		}},
		{"otlp/langwatch__codex-B.session_task_turn.json", []step{
			{"session_task.turn", []string{`llm "session_task.turn" by codex.turn.token_usage.input_tokens, codex`, "session 019e9bfe-7749-7440-8506-39152afbc9ff",
				"usage own 13297+23 reasoning 10 cache 4480/0", "capture off"}},
		}},
		{"otlp/langwatch__gemini-B.llm_call.json", []step{
			{"llm_call", []string{`llm "llm_call" by gen_ai.operation.name, gemini-cli`, "session 945bd8d5-0657-4385-a99e-30240bfd2e00", "model gcp.gemini gemini-3.1-flash-lite  []"}},
		}},
		{"otlp/logfire-test__openai_agents__function_tool_exception.json", []step{
			{"Function: {name}", []string{`tool "Function: {name}" by name, logfire`, "tool tool", "args {}", "error Ouch, don't do that again!", "failed exception RuntimeError"}},
			{"Agent run: {name!r}", []string{"agent Start Agent"}},
			{"Turn {turn} for agent Start Agent", []string{"usage aggregate 244+10 reasoning 0 cache 0/0"}},
		}},
		{"otlp/logfire-test__openai_agents__input_guardrails.json", []step{
			{"Guardrail {name!r} {triggered=}", []string{`guardrail "Guardrail {name!r} {triggered=}" by name, logfire`, `rawout {"name":"zero_guardrail","triggered":false}`}},
			{"Responses API with {gen_ai.request.model!r}", []string{"in user: 1+1?", "out assistant: 1 + 1 equals 2.", "model openai gpt-4o gpt-4o-2024-08-06 []"}},
		}},
		{"otlp/logfire-test__openai_agents_mcp__mcp.json", []step{
			{"MCP request: tools/call random_number", []string{"tool random_number", "args {}", `result {"result":4}`}},
			{"MCP server handle request: tools/call", []string{"tool random_number", "args {}", `result {"result":4}`}},
			{"MCP request: initialize", []string{`unknown "MCP request: initialize" by fallback, logfire`}},
		}},
		{"otlp/langfuse-test__pydantic_ai_agent_root.json", []step{
			{"roulette_agent run", []string{`agent "roulette_agent run" by pydantic_ai.all_messages, pydantic-ai`, "agent roulette_agent", "usage aggregate 174+31 reasoning 0 cache 0/0",
				"rawout Congratulations! You've won by placing your bet on square eighteen. 🎉"}},
		}},
	}
	for _, tt := range tests {
		t.Run(filepath.Base(tt.file), func(t *testing.T) {
			for _, want := range tt.steps {
				s := fixture(t, tt.file, want.name)
				if missing := lacks(s, want.want...); missing != nil {
					t.Errorf("%q lacks %q\nhas %q", want.name, missing, sayStep(s))
				}
			}
		})
	}
}
