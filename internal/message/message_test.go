package message_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// say writes messages so that they can be compared at a glance:
//
//	role "name" !finish: text (reasoning) [call id args] <result id value>
func say(list []trace.Message) []string {
	var out []string
	for _, m := range list {
		var b strings.Builder
		b.WriteString(string(m.Role))
		if m.Name != "" {
			fmt.Fprintf(&b, " %q", m.Name)
		}
		if m.FinishReason != "" {
			b.WriteString(" !" + m.FinishReason)
		}
		b.WriteByte(':')
		for _, p := range m.Parts {
			switch p.Type {
			case trace.PartText:
				b.WriteString(" " + p.Text)
			case trace.PartReasoning:
				b.WriteString(" (" + p.Text + ")")
			case trace.PartToolCall:
				fmt.Fprintf(&b, " [%s %s %s]", p.Name, p.ID, trace.EncodeJSON(p.Value.Data()))
			case trace.PartToolResult:
				mark := ""
				if p.IsError {
					mark = "!"
				}
				fmt.Fprintf(&b, " <%s%s %s %s>", mark, p.ID, p.Name, trace.EncodeJSON(p.Value.Data()))
			case trace.PartMedia:
				fmt.Fprintf(&b, " {%s %s %s}", p.Modality, p.MIME, p.URI)
			case trace.PartOther:
				fmt.Fprintf(&b, " other%s", p.Value.Text())
			}
		}
		out = append(out, b.String())
	}
	return out
}

func TestShapes(t *testing.T) {
	in, out := message.Input, message.Output
	tests := []struct {
		name string
		side message.Side
		text string
		want []string
	}{
		{"OpenTelemetry", in, `[{"role":"system","parts":[{"type":"text","content":"S"}]},{"role":"user","parts":[{"type":"text","content":"Q"}]},
			{"role":"assistant","parts":[{"type":"reasoning","content":"R"},{"type":"tool_call","id":"c1","name":"f","arguments":{"a":1}}]},
			{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":{"ok":true}}]}]`,
			[]string{"system: S", "user: Q", `assistant: (R) [f c1 {"a":1}]`, `tool: <c1  {"ok":true}>`}},
		{"OpenTelemetry, result under four names", in, `[{"role":"tool","parts":[{"type":"tool_call_response","id":"1","response":"a"},{"type":"tool_call_response","id":"2","result":"b"},
			{"type":"tool_call_response","id":"3","content":"c"},{"type":"tool_call_response","id":"4","output":"d"}]}]`,
			[]string{`tool: <1  "a"> <2  "b"> <3  "c"> <4  "d">`}},
		{"tool results under role user", in, `[{"role":"user","parts":[{"type":"tool_call_response","id":"1","name":"f","result":"a"}]}]`, []string{`tool: <1 f "a">`}},
		{"server tools", out, `[{"role":"assistant","parts":[{"type":"server_tool_call","id":"s","name":"web_search","server_tool_call":{"type":"web_search","query":"x"}},
			{"type":"server_tool_call_response","id":"s","server_tool_call_response":{"hits":2}}],"finish_reason":"stop"}]`,
			[]string{`assistant !stop: [web_search s {"query":"x","type":"web_search"}] <s  {"hits":2}>`}},
		{"server tools that hold their results", out, `[{"role":"assistant","parts":[{"type":"server_tool_call","id":"w","name":"web_search","server_tool_call":{"type":"web_search","status":"completed","action":{"query":"x","sources":[{"type":"url","url":"https://e.example"}]}}}]},
			{"role":"assistant","parts":[{"type":"server_tool_call","id":"m","name":"depots","server_tool_call":{"type":"mcp","status":"failed","arguments":"{\"city\":\"Ghent\"}","error":{"type":"mcp_tool_execution_error","content":[{"type":"text","text":"timeout"}]}}}]}]`,
			[]string{`assistant: [web_search w {"query":"x"}] <w web_search [{"type":"url","url":"https://e.example"}]>`, `assistant: [depots m {"city":"Ghent"}] <!m depots "timeout">`}},
		{"server tools with their input wrapped", out, `[{"role":"assistant","parts":[{"type":"server_tool_call","id":"s","name":"web_search","server_tool_call":{"type":"web_search","input":{"query":"x"}}},
			{"type":"server_tool_call_response","id":"s","server_tool_call_response":{"type":"web_search","content":[{"url":"https://e.example"}]}}]}]`,
			[]string{`assistant: [web_search s {"query":"x"}] <s  [{"url":"https://e.example"}]>`}},
		{"Anthropic's own tools", out, `{"role":"assistant","content":[{"type":"server_tool_use","id":"a","name":"web_fetch","input":{"url":"u"}},{"type":"web_fetch_tool_result","tool_use_id":"a","content":{"type":"web_fetch_result","url":"u"}},
			{"type":"server_tool_use","id":"b","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"b","content":{"type":"web_search_tool_result_error","error_code":"max_uses_exceeded"}},
			{"type":"mcp_tool_use","id":"c","name":"depots","server_name":"air","input":{}},{"type":"mcp_tool_result","tool_use_id":"c","is_error":true,"content":[{"type":"text","text":"offline"}]},{"type":"text","text":"A"}]}`,
			[]string{`assistant: [web_fetch a {"url":"u"}] <a  {"type":"web_fetch_result","url":"u"}> [web_search b {}] <!b  {"error_code":"max_uses_exceeded","type":"web_search_tool_result_error"}> [depots c {}] <!c  "offline"> A`}},
		{"Responses tools of the provider", out, `{"object":"response","output":[{"type":"mcp_list_tools","id":"l","server_label":"air","tools":[{"name":"depots"}]},{"type":"file_search_call","id":"f","status":"completed","queries":["x"],"results":[{"filename":"d.md","text":"T"}]},
			{"type":"code_interpreter_call","id":"c","status":"completed","code":"print(1)","outputs":[{"type":"logs","logs":"1"}]},{"type":"web_search_call","id":"w","status":"completed","action":{"type":"search","query":"x"}},
			{"type":"mcp_call","id":"m","name":"depots","arguments":"{}","error":"timeout","output":null},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]}]}`,
			[]string{`assistant: [file_search f ["x"]] <f file_search [{"filename":"d.md","text":"T"}]> [code_interpreter c "print(1)"] <c code_interpreter [{"logs":"1","type":"logs"}]> [web_search w {"query":"x","type":"search"}] <w web_search null> [depots m {}] <!m depots "timeout"> A`}},
		{"Responses tools that others run", in, `[{"type":"local_shell_call","call_id":"k","action":{"command":["ls"]}},{"type":"local_shell_call_output","id":"k","output":"a"},{"type":"computer_call","call_id":"p","action":{"type":"click"}}]`,
			[]string{`assistant: [local_shell_call k {"command":["ls"]}]`, `tool: <k  "a">`, `assistant: [computer_call p {"type":"click"}]`}},
		{"Responses approval refused", in, `[{"type":"mcp_approval_request","id":"a","name":"refund","arguments":"{}"},{"type":"mcp_approval_response","approval_request_id":"a","approve":false,"reason":"no"}]`,
			[]string{`assistant: [refund a {}]`, `tool: <!a  {"reason":"no","type":"execution-denied"}>`}},
		{"Responses approval given", in, `[{"type":"mcp_approval_request","id":"a","name":"refund","arguments":"{}"},{"type":"mcp_approval_response","approval_request_id":"a","approve":true},
			{"type":"mcp_call","id":"m","approval_request_id":"a","name":"refund","arguments":"{}","output":"done"}]`,
			[]string{`assistant: [refund a {}] [refund a {}] <a refund "done">`}},
		{"Gemini's code", out, `{"candidates":[{"content":{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"1/0"}},{"codeExecutionResult":{"outcome":"OUTCOME_FAILED","output":"boom"}},{"text":"A"}]}}]}`,
			[]string{`assistant: [code_execution  {"code":"1/0","language":"PYTHON"}] <! code_execution "boom"> A`}},
		{"Gemini's search", out, `{"candidates":[{"content":{"role":"model","parts":[{"text":"A"}]},"groundingMetadata":{"webSearchQueries":["q"],"groundingChunks":[{"web":{"uri":"https://e.example","title":"E"}}]}}]}`,
			[]string{`assistant: [google_search  {"queries":["q"]}] < google_search [{"title":"E","uri":"https://e.example"}]> A`}},
		{"media", in, `[{"role":"user","parts":[{"type":"uri","modality":"image","mime_type":"image/png","uri":"https://x/y.png"},{"type":"blob","modality":"audio","mime_type":"audio/wav","content":"AAAA"}]}]`,
			[]string{"user: {image image/png https://x/y.png} {audio audio/wav }"}},

		{"OpenAI chat request", in, `{"model":"m","messages":[{"role":"developer","content":"S"},{"role":"user","content":[{"type":"text","text":"Q"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]},
			{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"R"}]}`,
			[]string{"system: S", "user: Q {image image/png }", `assistant: [f c1 {"a":1}]`, `tool: <c1  "R">`}},
		{"OpenAI chat reply", out, `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"A","reasoning_content":"T"},"finish_reason":"length"}]}`,
			[]string{"assistant !length: (T) A"}},
		{"OpenAI Responses request", in, `{"instructions":"S","input":[{"role":"user","content":"Q"},{"type":"reasoning","id":"r","summary":[{"type":"summary_text","text":"T"}]},
			{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"R"}]}`,
			[]string{"system: S", "user: Q", "assistant: (T) [f c1 {}]", `tool: <c1  "R">`}},
		{"OpenAI Responses reply", out, `{"object":"response","status":"completed","output":[{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"A"}]},
			{"type":"web_search_call","id":"w","action":{"query":"x"}}]}`, []string{`assistant: A [web_search w {"query":"x"}]`}},
		{"a person approves a call, or does not", in, `[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"f","arguments":{}},{"type":"function_approval_request","id":"a","function_call":{"call_id":"c1","name":"f","arguments":"{}"}}]},
			{"role":"user","parts":[{"type":"function_approval_response","id":"a","approved":false,"function_call":{"call_id":"c1","name":"f","arguments":"{}"}}]},
			{"role":"tool","parts":[{"type":"tool-approval-response"}]},{"role":"user","parts":[{"type":"function_approval_response","approved":true}]}]`,
			[]string{"assistant: [f c1 {}]", `user: [f c1 {}] <c1 f {"type":"execution-denied"}>`, "tool:", "user:"}},
		{"approval in the Responses API", in, `[{"role":"user","content":"Q"},{"type":"mcp_approval_request","id":"m1","name":"f","arguments":"{\"a\":1}"},{"type":"mcp_approval_response","approval_request_id":"m1","approve":false,"reason":"no"}]`,
			[]string{"user: Q", `assistant: [f m1 {"a":1}]`, `tool: <!m1  {"reason":"no","type":"execution-denied"}>`}},
		{"a failed call of a server", out, `{"object":"response","status":"completed","output":[{"type":"mcp_call","id":"x","approval_request_id":"m1","name":"f","arguments":"{}","output":null,"error":"timeout"}]}`,
			[]string{`assistant: [f m1 {}] <!m1 f "timeout">`}},
		{"tools that say their errors beside the content", in, `[{"role":"tool","tool_call_id":"c1","function":"f","content":"","error":{"type":"timeout","message":"no"}},{"role":"tool","tool_call_id":"c2","content":"R","error":false},
			{"role":"tool","tool_call_id":"c3","content":"R","error":null},{"role":"tool","tool_call_id":"c4","content":"R","error":"no"}]`, []string{`tool: <!c1 f "no">`, `tool: <c2  "R">`, `tool: <c3  "R">`, `tool: <!c4  "R">`}},
		{"a tool of OpenAI's that takes text", out, `{"role":"assistant","tool_calls":[{"id":"c1","type":"custom","custom":{"name":"f","input":"A"}}]}`, []string{`assistant: [f c1 "A"]`}},
		{"OpenAI Agents in JavaScript", in, `[{"role":"user","content":"Q"},{"type":"function_call","callId":"c1","name":"f","arguments":"{}"},
			{"type":"function_call_result","callId":"c1","name":"f","output":{"type":"text","text":"R"}}]`, []string{"user: Q", "assistant: [f c1 {}]", `tool: <c1 f "R">`}},

		{"a system prompt said twice", in, `{"items":[{"type":"message","role":"system","content":["S"]},{"type":"agent_config_update","instructions":"S","tools_added":["f"]},{"type":"message","role":"user","content":["Q"]}]}`,
			[]string{"system: S", "user: Q"}},
		{"a system prompt that was changed", in, `{"items":[{"type":"message","role":"system","content":["S"]},{"type":"message","role":"user","content":["Q"]},{"type":"message","role":"system","content":["T"]}]}`,
			[]string{"system: S", "user: Q", "system: T"}},
		{"Anthropic request", in, `{"system":"S","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":[{"type":"thinking","thinking":"T"},{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"boom"}]}]}]}`,
			[]string{"system: S", "user: Q", `assistant: (T) [f t1 {"a":1}]`, `tool: <!t1  "boom">`}},
		{"Anthropic reply", out, `{"role":"assistant","type":"message","content":[{"type":"text","text":"A"}],"stop_reason":"max_tokens"}`, []string{"assistant !length: A"}},
		{"Bedrock blocks", in, `[{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"T","signature":"s"}}},{"toolUse":{"toolUseId":"t1","name":"f","input":{"a":1}}}]},
			{"role":"user","content":[{"toolResult":{"toolUseId":"t1","status":"error","content":[{"json":{"$value":[1]}}]}}]}]`,
			[]string{`assistant: (T) [f t1 {"a":1}]`, `tool: <!t1  [1]>`}},
		{"Bedrock blocks of one message", out, `[{"text":"A"},{"toolUse":{"toolUseId":"t1","name":"f","input":{}}}]`, []string{"assistant: A [f t1 {}]"}},
		{"Bedrock Converse reply", out, `{"output":{"message":{"role":"assistant","content":[{"text":"A"}]}},"stopReason":"end_turn"}`, []string{"assistant !stop: A"}},
		{"Gemini request", in, `{"model":"g","config":{"system_instruction":"S"},"contents":[{"role":"user","parts":[{"text":"Q"}]},{"role":"model","parts":[{"text":"T","thought":true},{"function_call":{"id":"c","name":"f","args":{"a":1}}}]},
			{"role":"user","parts":[{"function_response":{"id":"c","name":"f","response":{"error":"no"}}}]}]}`,
			[]string{"system: S", "user: Q", `assistant: (T) [f c {"a":1}]`, `tool: <c f {"error":"no"}>`}},
		{"Gemini reply, camel case", out, `{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}`, []string{"assistant !stop: [f  {}]"}},
		{"Gemini output as one object", out, `{"parts":[{"text":"T","thought":true},{"text":"A","thoughtSignature":"x"}],"role":"model"}`, []string{"assistant: (T) A"}},
		{"LangChain serialised", in, `{"messages":[[{"lc":1,"type":"constructor","id":["langchain_core","messages","SystemMessage"],"kwargs":{"content":"S"}},
			{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"Q"}},
			{"lc":1,"type":"constructor","id":["x","AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"f","args":{"a":1},"id":"c1","type":"tool_call"}],"additional_kwargs":{"tool_calls":[{"id":"c1"}],"reasoning_content":"T"},"response_metadata":{"finish_reason":"tool_calls"}}},
			{"lc":1,"type":"constructor","id":["x","ToolMessage"],"kwargs":{"status":"error","content":"E","name":"f","tool_call_id":"c1"}}]]}`,
			[]string{"system: S", "user: Q", `assistant !tool_call: (T) [f c1 {"a":1}]`, `tool "f": <!c1 f "E">`}},
		{"LangChain generations", out, `{"generations":[[{"text":"A","generation_info":{"finish_reason":"stop"},"message":{"lc":1,"type":"constructor","id":["x","AIMessage"],"kwargs":{"content":"A"}}}]]}`,
			[]string{"assistant !stop: A"}},
		{"LangChain in Python, as text", in, `{"messages":["content='Q' additional_kwargs={} response_metadata={}","content='' additional_kwargs={} response_metadata={'model_name': 'm'} tool_calls=[{'name': 'f', 'args': {'a': 1}, 'id': 'c1'}]","content='4C' name='f' tool_call_id='c1'"]}`,
			[]string{"user: Q", `assistant: [f c1 {"a":1}]`, `tool "f": <c1 f "4C">`}},
		{"LangChain plain", in, `{"input":[{"type":"human","content":"Q"},{"type":"ai","content":"A"}]}`, []string{"user: Q", "assistant: A"}},
		{"AI SDK prompt", in, `[{"role":"user","content":[{"type":"text","text":"Q"}]},{"role":"assistant","content":[{"type":"reasoning","text":"T"},{"type":"tool-call","toolCallId":"c","toolName":"f","input":{"a":1}}]},
			{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"f","output":{"type":"error-text","value":"no"}}]}]`,
			[]string{"user: Q", `assistant: (T) [f c {"a":1}]`, `tool: <!c f "no">`}},
		{"AI SDK step", out, `{"text":"A","reasoningText":"T","toolCalls":[{"toolCallId":"c","toolName":"f","args":{"a":1}}]}`, []string{`assistant: (T) A [f c {"a":1}]`}},
		{"Genkit", out, `{"message":{"role":"model","content":[{"reasoning":"T"},{"toolRequest":{"name":"f","ref":"c","input":{"a":1}}}]},"finishReason":"stop"}`,
			[]string{`assistant !stop: (T) [f c {"a":1}]`}},
		{"OpenInference, expanded", in, `[{"role":"assistant","contents":[{"message_content":{"type":"reasoning","text":"T"}},{"message_content":{"type":"tool_use"},"tool_call":{"id":"c","function":{"name":"f","arguments":"{}"}}}],
			"tool_calls":[{"tool_call":{"id":"c","function":{"name":"f","arguments":"{}"}}}]}]`, []string{"assistant: (T) [f c {}]"}},
		{"smolagents roles", in, `[{"role":"tool-call","content":"Calling f"},{"role":"tool-response","content":"R"}]`, []string{"assistant: Calling f", `tool: <  "R">`}},
		{"Haystack replies", out, `{"replies":[{"role":"assistant","content":[{"tool_call":{"tool_name":"add","arguments":{"a":1},"id":"c1"}}]}]}`, []string{`assistant: [add c1 {"a":1}]`}},
		{"tags of thought", out, `[{"role":"assistant","content":"<think>T</think>\nA"}]`, []string{"assistant: (T) A"}},
		{"a call as the repr of an object", out, `[{"role":"assistant","parts":[{"type":"text","content":"ResponseFunctionToolCall(arguments='{\"a\":1}', call_id='c', name='f', type='function_call')"}]}]`,
			[]string{`assistant: [f c {"a":1}]`}},
		{"content that is a list in JSON", in, `[{"role":"user","content":"[{\"type\": \"text\", \"text\": \"Q\"}]"}]`, []string{"user: Q"}},
		{"encoded twice", in, `"[{\"role\":\"user\",\"content\":\"Q\"}]"`, []string{"user: Q"}},
		{"python repr", in, `[{'role': 'user', 'content': "it's Q"}]`, []string{"user: it's Q"}},
		{"cut", in, `[{"role":"user","parts":[{"type":"text","content":"trunc`, []string{"user: trunc"}},
		{"plain text", in, "Q", []string{"user: Q"}},
		{"plain reply", out, "A", []string{"assistant: A"}},
		{"no messages", in, `{"question":"Q"}`, nil},
		{"text that looks like data stays", in, `[{"role":"user","content":"{\"a\": 1}"}]`, []string{`user: {"a": 1}`}},
		{"a tool message without id", in, `[{"role":"tool","parts":[{"type":"text","content":"R"}]}]`, []string{`tool: <  "R">`}},
		{"results in the user's words", in, "[{\"role\":\"user\",\"content\":\"Q\"},{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"\"}]},{\"role\":\"user\",\"content\":\"R\"}]",
			[]string{"user: Q", "assistant:", `tool: <  "R">`}},
		{"calls with the ids of their items", in, `[{"role":"assistant","parts":[{"type":"tool_call","id":"fc_1","name":"f","arguments":{}},{"type":"tool_call","id":"fc_2","name":"g","arguments":{}}]},
			{"role":"tool","parts":[{"type":"tool_call_response","id":"call_1","response":"R"}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"call_2","response":"S"}]}]`,
			[]string{"assistant: [f call_1 {}] [g call_2 {}]", `tool: <call_1  "R">`, `tool: <call_2  "S">`}},
		{"results of other calls", in, `[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"f","arguments":{}},{"type":"tool_call","id":"c2","name":"g","arguments":{}}]},
			{"role":"tool","parts":[{"type":"tool_call_response","id":"c2","response":"S"}]}]`,
			[]string{"assistant: [f c1 {}] [g c2 {}]", `tool: <c2  "S">`}},
		{"data without quotes after the assistant", in, "[{\"role\":\"assistant\",\"content\":\"A\"},{\"role\":\"user\",\"content\":\"{\\n  a: x,\\n  b: 2\\n}\"},{\"role\":\"user\",\"content\":\"Q\"}]",
			[]string{"assistant: A", `tool: <  {"a":"x","b":2}>`, "user: Q"}},
		{"roles that are missing", in, `[{"tool_call_id":"c","content":"R"},{"role":"","content":"Q"},{"role":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]`,
			[]string{`tool: <c  "R">`, "user: Q", "assistant: [f c {}]"}},
		{"parts without content", in, `[{"role":"user","parts":[{"type":"text"}]},{"role":"tool","parts":[{"type":"tool_call_response","id":"c"}]}]`, []string{"user:", `tool: <c  null>`}},
		{"an unknown part is kept", out, `[{"role":"assistant","parts":[{"type":"hologram","data":1}]}]`, []string{`assistant: other{"data":1,"type":"hologram"}`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, say(message.Text(tt.text, tt.side, nil))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// With a history, twice, it is the same.
			var h trace.History
			for range 2 {
				if diff := cmp.Diff(tt.want, say(message.Text(tt.text, tt.side, &h))); diff != "" {
					t.Errorf("with a history (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestRole(t *testing.T) {
	for word, want := range map[string]trace.Role{
		"human": "user", "ai": "assistant", "model": "assistant", "developer": "system", "function": "tool", "ipython": "tool", "tool-call": "assistant",
		"tool-response": "tool", "USER": "user", "MessageRole.ASSISTANT": "assistant", "": "", "critic": "critic",
	} {
		if got := message.Role(word); got != want {
			t.Errorf("Role(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestFinish(t *testing.T) {
	for want, words := range map[string][]string{
		"stop":           {"stop", "end_turn", "STOP", "stop_sequence", "completed", "FinishReason.STOP", "Stop", "endTurn"},
		"length":         {"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "incomplete"},
		"tool_call":      {"tool_calls", "tool_call", "tool-calls", "tool_use", "toolUse", "function_call", "ToolCalls"},
		"content_filter": {"content_filter", "content-filter", "SAFETY", "refusal", "guardrail_intervened", "RECITATION", "BLOCKLIST"},
		"error":          {"error", "failed", "cancelled"},
		"other":          {"pause_turn", "unknown", "N/A", "OTHER"},
		"":               {""},
	} {
		for _, w := range words {
			if got := message.Finish(w); got != want {
				t.Errorf("Finish(%q) = %q, want %q", w, got, want)
			}
		}
	}
}

// A conversation that grows by two messages a call is decoded once.
func TestHistoryDecodesOnce(t *testing.T) {
	var h trace.History
	texts := []string{
		`[{"role":"user","content":"one"},{"role":"assistant","content":"two"}]`,
		`[{"role":"user","content":"one"},{"role":"assistant","content":"two"},{"role":"user","content":"three"}]`,
	}
	a, b := message.Text(texts[0], message.Input, &h), message.Text(texts[1], message.Input, &h)
	if &a[0].Parts[0] != &b[0].Parts[0] {
		t.Error("the first message was decoded twice")
	}
	if len(b) != 3 {
		t.Errorf("%d messages, want 3", len(b))
	}
}

func TestLooks(t *testing.T) {
	for text, want := range map[string]bool{
		`[{"role":"user"}]`: true, `{"messages":[]}`: true, `{"question":"x"}`: false, "plain": false, `[{"lc":1}]`: true, `["a"]`: false,
	} {
		if got := message.Looks(text); got != want {
			t.Errorf("Looks(%s) = %v, want %v", text, got, want)
		}
	}
}

func TestSystem(t *testing.T) {
	for text, want := range map[string]string{
		`{"model":"m","system":"S","messages":[]}`:                           "S",
		`{"system":[{"type":"text","text":"A"},{"type":"text","text":"B"}]}`: "A\nB",
		`{"instructions":null,"x":1}`:                                        "",
		`{"messages":[{"role":"system","content":"no"}]}`:                    "",
	} {
		if got := message.System(text); got != want {
			t.Errorf("System(%s) = %q, want %q", text, got, want)
		}
	}
}

func FuzzList(f *testing.F) {
	for _, s := range []string{`[{"role":"user","parts":[{"type":"text"}]}]`, `{"choices":[{"message":{}}]}`, `{"generations":[[[]]]}`, `[[[[]]]]`, `{"output":{"message":{"output":{}}}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var h trace.History
		for _, side := range []message.Side{message.Input, message.Output} {
			for _, m := range message.Text(s, side, &h) {
				for i := range m.Parts {
					m.Parts[i].Value.Data()
				}
			}
			message.List(value.Decode(s), side)
		}
		message.System(s)
	})
}

// What a model said is not lost because it is no message: structured output is
// text, and data that says nothing is nothing.
func TestPayloadOfStructuredOutput(t *testing.T) {
	const answer = `{"answer":"The price is $12.","confidence":0.9}`
	got := message.Payload(answer, message.Output, nil)
	want := []trace.Message{{Role: trace.RoleAssistant, Parts: []trace.Part{{Type: trace.PartText, Text: answer}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("messages %v, want %v", got, want)
	}
	for _, nothing := range []string{"{}", "[]", ""} {
		if got := message.Payload(nothing, message.Output, nil); got != nil {
			t.Errorf("%q is %v, want nothing", nothing, got)
		}
	}
}

// A state that a graph hands out to ask a person is not what was said.
func TestInterruptedState(t *testing.T) {
	text := `{"messages": [], "__interrupt__": [{"value": {"action": "delete_db"}, "id": "a"}]}`
	if list := message.Payload(text, message.Output, nil); len(list) != 0 {
		t.Errorf("%d messages, want none: %v", len(list), list)
	}
}
