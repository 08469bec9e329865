package normalise_test

import (
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// People write the same of a step in many ways. What is a service's and no
// agent's is left alone, however it is written.
func TestPlainStyles(t *testing.T) {
	type object = map[string]any
	tests := []struct {
		name string
		span built
		kind trace.Kind
		says string // of a tool its name, arguments and result, of others what they were given and gave
	}{
		{"snake case", aSpan("tool", "tool", "find", "args", `{"id":7}`, "output", `"Monday"`), trace.KindTool, `find {"id":7} Monday`},
		{"camel case", aSpan("executeTool", "toolName", "find", "toolArgs", `{"id":7}`, "toolResult", `"Monday"`), trace.KindTool, `find {"id":7} Monday`},
		{"camel case, of a model", aSpan("callModel", "modelName", "gpt-4o", "userMessage", "Q", "outputText", "A"), trace.KindLLM, "user: Q assistant: A"},
		{"calls of a model", aSpan("callModel", "modelName", "gpt-4o", "userMessage", "Q", "outputText", "", "toolCalls", `[{"id":"c1","name":"find","arguments":{"id":7}}]`), trace.KindLLM, `user: Q assistant: [find c1 {"id":7}]`},
		{"calls of a model that are within its reply", aSpan("ask", "model", "gpt-4o", "prompt", "Q", "response", `{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"find","arguments":"{\"id\":7}"}}]}`), trace.KindLLM, `user: Q assistant: [find c1 {"id":7}]`},
		{"dots", aSpan("tool.find", "tool.input", `{"id":7}`, "tool.output", `"Monday"`), trace.KindTool, `find {"id":7} Monday`},
		{"an object named after the step", aSpan("tool", "tool", object{"name": "find", "input": object{"id": 7}, "output": "Monday"}), trace.KindTool, `find {"id":7} Monday`},
		{"an object of a model", aSpan("step", "llm", object{"model": "gpt-4o", "input": []any{object{"role": "user", "content": "Q"}}, "output": "A"}), trace.KindLLM, "user: Q assistant: A"},
		{"JSON in one attribute", aSpan("function", "span.data", `{"type":"tool","tool":"find","input":{"id":7},"output":"Monday"}`), trace.KindTool, `find {"id":7} Monday`},
		{"JSON of a model", aSpan("generation", "span.data", `{"type":"llm","model":"gpt-4o","prompt":"Q","completion":"A"}`), trace.KindLLM, "user: Q assistant: A"},
		{"JSON of an agent", aSpan("run", "data", `{"type":"agent","input":"Q","output":"A"}`), trace.KindAgent, "Q A"},
		{"a name of the producer's before keys", aSpan("gpt", "orion.span.kind", "llm", "orion.model", "gpt-4o", "orion.input", "Q", "orion.output", "A"), trace.KindLLM, "user: Q assistant: A"},
		{"and before a noun", aSpan("step 2", "acme.agent.tool.name", "find", "acme.agent.tool.params", `{"id":7}`, "acme.agent.tool.result", "Monday"), trace.KindTool, `find {"id":7} Monday`},
		{"a kind in two words", aSpan("find", "step.type", "tool_execution", "step.input", `{"id":7}`, "step.output", "Monday"), trace.KindTool, `find {"id":7} Monday`},
		{"a key that says how the value is written", aSpan("ask", "meta.kind.span_kind", "agent", "meta.input.value", "Q", "meta.output.text", "A"), trace.KindAgent, "Q A"},
		{"base64", aSpan("llm", "model", "gpt-4o", "prompt_b64", "UQ==", "completion_base64", "QQ=="), trace.KindLLM, "user: Q assistant: A"},
		{"capitals", aSpan("ChatCompletion", "Model", "gpt-4o", "Messages", `[{"Role":"user","Content":"Q"}]`, "Completion", "", "ToolCalls", `[{"Id":"c1","Name":"find","Arguments":{"OrderId":7}}]`),
			trace.KindLLM, `user: Q assistant: [find c1 {"OrderId":7}]`},
		{"indexes in brackets", aSpan("completion", "llm.request.model", "gpt-4o", "llm.request.messages[0].role", "user", "llm.request.messages[0].text", "Q", "llm.response.messages[0].role", "assistant",
			"llm.response.messages[0].tool_calls[0].name", "find", "llm.response.messages[0].tool_calls[0].arguments", `{"id":7}`), trace.KindLLM, `user: Q assistant: [find  {"id":7}]`},
		{"objects in an object", aSpan("zeta.model.invoke", "zeta.payload", `{"type":"model","model":"gpt-4o","request":{"messages":[{"role":"user","content":"Q"}]},"response":{"message":{"role":"assistant","content":"A"},"usage":{"prompt_tokens":12}}}`),
			trace.KindLLM, "user: Q assistant: A"},
		{"what the provider was sent and sent back", aSpan("call the model", "request.body", `{"model":"gpt-4o","messages":[{"role":"user","content":"Q"}]}`, "response.body", `{"model":"gpt-4o-1","choices":[{"message":{"role":"assistant","content":"A"}}]}`),
			trace.KindLLM, "user: Q assistant: A"},
		{"the same as the web's", aSpan("POST", "http.request.body", `{"model":"gpt-4o","messages":[{"role":"user","content":"Q"}]}`, "http.response.body", `{"model":"gpt-4o-1","choices":[{"message":{"role":"assistant","content":"A"}}]}`),
			trace.KindLLM, "user: Q assistant: A"},
		{"a reply of calls alone", aSpan("llm", "type", "llm", "model", "gpt-4o", "input", "Q", "output", object{"tool_calls": []any{object{"id": "c1", "name": "find", "arguments": object{"id": 7}}}}), trace.KindLLM, `user: Q assistant: [find c1 {"id":7}]`},
		{"the blocks of a message", aSpan("assistant message", "message.model", "claude-x", "message.content", `[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"c1","name":"find","input":{"id":7}}]`, "message.usage", `{"output_tokens":3}`),
			trace.KindLLM, ` assistant: (hm) [find c1 {"id":7}]`},
		{"a bare type", aSpan("find", "type", "tool", "input", object{"id": 7}, "output", "Monday"), trace.KindTool, `find {"id":7} Monday`},
		{"a goal", aSpan("run", "run.goal", "Q", "run.result", "A"), trace.KindWorkflow, "Q A"},
		{"events", aSpan("llm.call", "model", "gpt-4o").event("request", "messages", `[{"role":"user","content":"Q"}]`).event("response", "message", `{"role":"assistant","content":"A"}`), trace.KindLLM, "user: Q assistant: A"},
		{"events of a tool", aSpan("tool.call", "tool.name", "find").event("tool.input", "arguments", `{"id":7}`).event("tool.output", "result", "Monday"), trace.KindTool, `find {"id":7} Monday`},
		{"keys of its own beside the conventions'", aSpan("t", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "find", "acme.tool.params", `{"id":7}`, "acme.tool.response", "Monday"), trace.KindTool, `find {"id":7} Monday`},
		{"the conventions' keys before its own", aSpan("t", "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "find", "gen_ai.tool.call.arguments", `{"id":7}`, "args", `{"id":8}`, "result", "Monday"), trace.KindTool, `find {"id":7} Monday`},
		{"members in keys of their own", aSpan("tool.find", "tool.name", "find", "tool.args.id", int64(7), "tool.args.query", "Q", "tool.output", "Monday"), trace.KindTool, `find {"id":7,"query":"Q"} Monday`},
		{"and of what came back", aSpan("step", "step.type", "tool", "tool", "find", "inputs.id", int64(7), "outputs.day", "Monday"), trace.KindTool, `find {"id":7} {"day":"Monday"}`},
		{"the scope's name before keys", aSpan("find", "orion_event_type", "tool", "orion_inputs.id", int64(7), "orion_outputs.result", "Monday").in("orion"), trace.KindTool, `find {"id":7} Monday`},
		{"a retrieval", aSpan("rag.retrieve", "rag.query", "Q", "rag.documents", `[{"id":"d1","text":"Monday"}]`), trace.KindRetriever, "rag.retrieve Q "},

		{"keys of other fields that end alike", aSpan("tool work", "db.query.text", "select", "url.query", "a=b", "code.function.name", "main", "error.message", "no", "metadata.question", "Q", "server.response", "A"), trace.KindUnknown, ""},
		{"a kind of another sense", aSpan("find", "span.kind", "internal", "x.input", "a", "x.output", "b"), trace.KindUnknown, ""},
		{"a kind among other words", aSpan("find", "job.node_type", "machine tool", "x.input", "a", "x.output", "b"), trace.KindUnknown, ""},
		{"HTTP", aSpan("GET /tool", "http.request.method", "GET", "url.full", "https://x.example/tool", "input", "a", "output", "b"), trace.KindUnknown, ""},
		{"a database", aSpan("SELECT", "db.system", "postgresql", "db.statement", "select prompt, completion from tools"), trace.KindUnknown, ""},
		{"a queue", aSpan("orders publish", "messaging.system", "kafka", "data", `{"type":"tool","input":"a"}`), trace.KindUnknown, ""},
		{"bodies of the web", aSpan("POST", "http.request.body", `{"messages":["a"],"input":"b"}`, "http.response.body", `{"output":"c"}`), trace.KindUnknown, ""},
		{"a type of another sense", aSpan("find", "type", "gradle", "input", "a", "output", "b"), trace.KindUnknown, ""},
		{"a job", aSpan("resizeImage", "inputFile", "a.png", "outputFile", "b.png", "model", "canon-5d"), trace.KindUnknown, ""},
		{"machine learning that is no language model", aSpan("predict", "model", object{"name": "resnet-50", "input": "a.png", "output": "cat"}), trace.KindUnknown, ""},
		{"a step of a build", aSpan("step", "step.name", "compile", "step.type", "gradle", "span.type", "web"), trace.KindUnknown, ""},
		{"an order", aSpan("process order", "data", `{"type":"order","input":{"id":7},"output":{"ok":true}}`), trace.KindUnknown, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.span.read()
			says := ""
			switch {
			case s.Kind == trace.KindUnknown:
			case s.Tool != nil:
				says = s.Tool.Name + " " + s.Tool.Arguments.Text() + " " + s.Tool.Result.Text()
			case s.Kind == trace.KindLLM:
				says = say(&s.Input) + " " + say(&s.Output)
			default:
				says = s.RawInput.Text() + " " + s.RawOutput.Text()
			}
			if s.Kind != tt.kind || says != tt.says {
				t.Errorf("read as %s %q, want %s %q", s.Kind, says, tt.kind, tt.says)
			}
		})
	}
}

// A number is the operating system's thread, a text a conversation's; tokens are
// what an API counted, where a provider's reply says so in detail.
func TestPlainSessionsAndTokens(t *testing.T) {
	pairs := []any{"model", "claude-x", "prompt", "Q", "response", "A"}
	for _, tt := range []struct {
		key     string
		value   any
		session string
	}{
		{"thread.id", int64(47), ""}, {"thread.id", "c1", "c1"}, {"run.session", "c1", "c1"}, {"chat_id", "c1", "c1"},
	} {
		if s := aSpan("llm", append(slices.Clone(pairs), tt.key, tt.value)...).read(); s.Session != tt.session {
			t.Errorf("%s=%v: session %q, want %q", tt.key, tt.value, s.Session, tt.session)
		}
	}
	for _, tt := range []struct {
		usage string
		want  trace.Usage
	}{
		{`{"input_tokens":12,"cache_read_input_tokens":900,"cache_creation_input_tokens":30,"output_tokens":20}`, trace.Usage{Input: 942, Output: 20, CacheRead: 900, CacheWrite: 30, Scope: trace.UsageOwn}},
		{`{"prompt_tokens":80,"completion_tokens":40,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":20}}`,
			trace.Usage{Input: 80, Output: 40, CacheRead: 16, Reasoning: 20, Scope: trace.UsageOwn}},
	} {
		if s := aSpan("llm", append(slices.Clone(pairs), "message.usage", tt.usage)...).read(); s.Usage != tt.want {
			t.Errorf("%s: usage %+v, want %+v", tt.usage, s.Usage, tt.want)
		}
	}
}

// What stands around an agent's steps may know their conversation, and what those
// of the conventions were offered may stand under a bare key.
func TestPlainKeysBesideTheConventions(t *testing.T) {
	if s := aSpan("conversation", "conversation.id", "c1").read(); s.Session != "c1" || s.Kind != trace.KindUnknown {
		t.Errorf("session %q of kind %s, want c1 of unknown kind", s.Session, s.Kind)
	}
	s := aSpan("llm", "gen_ai.operation.name", "chat", "gen_ai.request.model", "gpt-4o", "input", `[{"role":"user","content":"Q"}]`, "output", "A", "tools", `[{"type":"function","function":{"name":"find"}}]`).read()
	if missing := lacks(s, "in user: Q", "out assistant: A", "offered find"); missing != nil {
		t.Errorf("lacks %q\nhas   %q", missing, sayStep(s))
	}
}
