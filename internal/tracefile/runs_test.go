package tracefile

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// decoded is a document as the reader decodes it.
func decoded(t *testing.T, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// told writes a conversation as it will be read: whose each message is, what it
// says, calls and returns.
func told(c chat) string {
	var out []string
	list := message.List(plain(listOf(c.turns)), message.Input)
	for i := range list {
		said := []string{string(list[i].Role) + ":"}
		for j := range list[i].Parts {
			switch p := &list[i].Parts[j]; p.Type {
			case trace.PartToolCall:
				said = append(said, p.Name+p.Value.Text())
			case trace.PartToolResult:
				mark := "->"
				if p.IsError {
					mark = "-> failed"
				}
				said = append(said, mark, p.Value.Text())
			case trace.PartReasoning:
				said = append(said, "("+p.Text+")")
			default:
				said = append(said, p.Text)
			}
		}
		out = append(out, strings.Join(said, " "))
	}
	return strings.Join(out, " | ")
}

// What libraries, benchmarks and exports write around messages, and in place of
// them, is the same conversation.
func TestConversationsWhereverTheyStand(t *testing.T) {
	const want = `user: q | assistant: find{"a":1} | tool: -> r | assistant: done`
	openAI := `{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{\"a\":1}"}}]},
		{"role":"tool","tool_call_id":"c","content":"r"},{"role":"assistant","content":"done"}`
	tests := []struct{ name, doc, want string }{
		{"a state", `{"values":{"messages":[` + openAI + `]},"next":[]}`, want},
		{"samples of a log", `{"eval":{"model":"m"},"samples":[{"id":1,"messages":[` + openAI + `],"events":[{"role":"user","content":"again"}]}]}`, want},
		{"simulations beside tasks", `{"tasks":[{"id":"1","actions":[{"name":"find","arguments":{}}]}],"simulations":[{"messages":[` + openAI + `]}]}`, want},
		{"a run with its history and its trajectory", `{"trajectory":[{"action":"x","observation":"y"}],"history":[` + openAI + `],"info":{}}`, want},
		{"under a name of somebody's own", `{"experiment":"e","transcript_of_today":[` + openAI + `]}`, want},
		{"LangChain's messages with their fields alone", `{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"id":"c","name":"find","args":{"a":1}}]},{"type":"tool","tool_call_id":"c","content":"r"},{"type":"ai","content":"done"}]}`, want},
		{"AutoGen's events", `{"messages":[{"source":"user","type":"TextMessage","content":"q"},{"source":"h","type":"ToolCallRequestEvent","content":[{"id":"c","name":"find","arguments":"{\"a\":1}"}]},
			{"source":"h","type":"ToolCallExecutionEvent","content":[{"call_id":"c","name":"find","content":"r","is_error":false}]},{"source":"h","type":"TextMessage","content":"done"}]}`, want},
		{"AutoGen's history as the asker sees it", `{"chat_history":[{"role":"assistant","name":"asker","content":"q"},{"role":"assistant","name":"helper","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{\"a\":1}"}}]},
			{"role":"tool","name":"asker","content":"r","tool_responses":[{"tool_call_id":"c","content":"r"}]},{"role":"user","name":"helper","content":"done"}]}`, want},
		{"Semantic Kernel", `[{"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"q"}]},{"Role":{"Label":"Assistant"},"Items":[{"$type":"FunctionCallContent","Id":"c","FunctionName":"find","Arguments":{"a":1}}]},
			{"Role":{"Label":"tool"},"Items":[{"$type":"FunctionResultContent","CallId":"c","FunctionName":"find","Result":"r"}]},{"Role":{"Label":"Assistant"},"Items":[{"$type":"TextContent","Text":"done"}]}]`, want},
		{"Google's ADK", `{"id":"s","appName":"a","events":[{"author":"user","content":{"role":"user","parts":[{"text":"q"}]}},{"author":"h","content":{"role":"model","parts":[{"functionCall":{"id":"c","name":"find","args":{"a":1}}}]}},
			{"author":"h","content":{"role":"user","parts":[{"functionResponse":{"id":"c","name":"find","response":"r"}}]}},{"author":"h","content":{"role":"model","parts":[{"text":"done"}]}}]}`, want},
		{"a tree of messages, along the branch that is current", `{"current_node":"c","mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["q"]}},"parent":"r"},"r":{"message":null},
			"b":{"message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["another"]}},"parent":"a"},"c":{"message":{"author":{"role":"assistant"},"content":{"content_type":"text","parts":["done"]}},"parent":"a"}}}`, `user: q | assistant: done`},
		{"a sender", `{"chat_messages":[{"sender":"human","text":"q"},{"sender":"assistant","text":"done"}]}`, `user: q | assistant: done`},
		{"what an interface shows", `[{"role":"user","parts":[{"type":"text","text":"q"}]},{"role":"assistant","parts":[{"type":"tool-find","toolCallId":"c","state":"output-available","input":{"a":1},"output":"r"},{"type":"text","text":"done"}]}]`, want},
		{"and its failed calls", `[{"role":"user","content":"q"},{"role":"assistant","parts":[{"type":"dynamic-tool","toolName":"find","toolCallId":"c","state":"output-error","input":{"a":1},"errorText":"no"}]}]`, `user: q | assistant: find{"a":1} | tool: -> failed no`},
		{"and as older ones wrote them", `[{"role":"user","content":"q"},{"role":"assistant","content":"done","toolInvocations":[{"state":"result","toolCallId":"c","toolName":"find","args":{"a":1},"result":"r"}]}]`, want},
		{"an error beside an empty content", `[{"role":"user","content":"q"},{"role":"assistant","tool_calls":[{"id":"c","function":"find","arguments":{"a":1}}]},{"role":"tool","tool_call_id":"c","function":"find","content":"","error":{"type":"timeout","message":"too slow"}}]`,
			`user: q | assistant: find{"a":1} | tool: -> failed too slow`},
		{"a scratchpad in one text", `[{"role":"user","content":"q"},{"role":"assistant","content":"Thought: t\nAction: find\nAction Input: {\"a\":1}\nObservation: r\nThought: u\nFinal Answer: done"}]`, `user: q | assistant: t find{"a":1} | tool: -> r | assistant: u | assistant: done`},
		{"blocks of code that somebody ran", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"look\n\n` + "```bash\\nls\\n```" + `"},{"role":"user","content":"<returncode>0</returncode>"},{"role":"assistant","content":"done"}]}`,
			`user: q | assistant: look bash{"command":"ls"} | tool: -> <returncode>0</returncode> | assistant: done`},
		{"a block of code that nobody ran", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"` + "```bash\\nls\\n```" + `"},{"role":"user","content":"thanks"}]}`, "user: q | assistant: ```bash\nls\n``` | user: thanks"},
		{"a call in elements, as blocks of text", `[{"role":"user","content":[{"type":"text","text":"q"}]},{"role":"assistant","content":[{"type":"text","text":"look\n\n<find>\n<a>1</a>\n<b>x < y</b>\n</find>"}]},
			{"role":"user","content":[{"type":"text","text":"[find for '1'] Result:"},{"type":"text","text":"r"}]},{"role":"assistant","content":"<attempt_completion>\n<result>\ndone\n</result>\n</attempt_completion>"}]`,
			`user: q | assistant: look find{"a":"1","b":"x < y"} | tool: -> r | assistant: done`},
		{"elements that nobody answers as a call", `[{"role":"user","content":"q"},{"role":"assistant","content":"<find><a>1</a></find>"},{"role":"user","content":"thanks"}]`, "user: q | assistant: <find><a>1</a></find> | user: thanks"},
		{"an action that the user answers", `[{"role":"user","content":"q"},{"role":"assistant","content":"Thought: t\nAction: find[1]"},{"role":"user","content":"Observation: r"},{"role":"assistant","content":"done"}]`, `user: q | assistant: t find1 | tool: -> r | assistant: done`},
		{"a prompt beside the run", `{"history":[{"role":"user","content":"q"}],"trajectory":[{"thought":"t","action":"find","action_input":{"a":1},"observation":"r"}]}`, `user: q | assistant: t find{"a":1} | tool: -> r`},
		{"a question with its answer", `{"question":"q","contexts":["c"],"answer":"done","reference":"x"}`, `system: ["c"] | user: q | assistant: done`},
		{"a prompt with its completion", `{"prompt":"q","completion":"done"}`, `user: q | assistant: done`},
		{"a record of both bodies", `{"request_id":"r","request_body":{"messages":[{"role":"user","content":"q"}]},"response_body":"{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"done\"}}]}"}`, `user: q | assistant: done`},
		{"a response beside what was asked", `{"model":"m","input":[{"role":"user","content":"q"}],"response":{"choices":[{"message":{"role":"assistant","content":"done"}}]}}`, `user: q | assistant: done`},
		{"a reply that is told twice", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"done"}]}],"output":{"choices":[{"message":{"role":"assistant","content":"done"}}]}}`, `user: q | assistant: done`},
		{"Bedrock's log", `{"modelId":"m","input":{"inputBodyJson":{"messages":[{"role":"user","content":[{"text":"q"}]}]}},"output":{"outputBodyJson":{"output":{"message":{"role":"assistant","content":[{"text":"done"}]}},"stopReason":"end_turn"}}}`, `user: q | assistant: done`},
		{"OpenCode", `{"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"q"}]},{"info":{"role":"assistant","modelID":"m"},"parts":[{"type":"tool","tool":"find","callID":"c","state":{"status":"completed","input":{"a":1},"output":"r"}},{"type":"text","text":"done"}]}]}`, want},
		{"a response with a text as its input", `{"object":"response","input":"q","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}]}`, `user: q | assistant: done`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chats, err := readMessages(decoded(t, tt.doc))
			if err != nil || len(chats) != 1 {
				t.Fatalf("%d conversations, error %v: want one", len(chats), err)
			}
			if diff := cmp.Diff(tt.want, told(chats[0])); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// What stands beside the messages and holds content is named; settings, ids and what
// is read are not.
func TestWhatStandsBesideMessages(t *testing.T) {
	chats, err := readMessages(decoded(t, `{"id":"7","created":"2026-05-01 10:00:00","metadata":{"a":"b c"},"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],
		"tools":[{"name":"find"}],"model":"m","epoch":1,"temperature":0.5,"scores":{"match":"C"},"note":"two words","labels":["x"],"empty":{}}`))
	if err != nil || len(chats) != 1 {
		t.Fatal(chats, err)
	}
	if diff := cmp.Diff([]string{"note", "scores"}, chats[0].beside); diff != "" {
		t.Errorf("beside (-want +got):\n%s", diff)
	}
	root := conversationSpans(chats[0], "k").Traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	if said, _ := root.Attributes().Get(importBeside); said.AsString() != "note\nscores" {
		t.Errorf("the conversation says %q", said.AsString())
	}
}

// The states that a graph's checkpoints keep are one conversation: the last state has
// what the others have. What another session has is another conversation.
func TestStatesOfAGraph(t *testing.T) {
	state := func(thread string, messages ...string) string {
		return `{"values":{"messages":[` + strings.Join(messages, ",") + `]},"next":[],"config":{"configurable":{"thread_id":"` + thread + `"}}}`
	}
	q, call, r, done := `{"type":"human","content":"q"}`, `{"type":"ai","content":"","tool_calls":[{"id":"c","name":"find","args":{"a":1}}]}`, `{"type":"tool","tool_call_id":"c","content":"r"}`, `{"type":"ai","content":"done"}`
	states := []string{state("x", q, call, r, done), state("x", q, call, r, done), state("x", q, call, r), state("x", q, call), state("x", q), state("y", q, call)}
	const want = `x user: q | assistant: find{"a":1} | tool: -> r | assistant: done
y user: q | assistant: find{"a":1}`
	chats, err := readMessages(decoded(t, "["+strings.Join(states, ",")+"]"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range chats {
		got = append(got, c.session+" "+told(c))
	}
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Errorf("conversations (-want +got):\n%s", diff)
	}
	for name, content := range map[string]string{"a list": "[" + strings.Join(states, ",") + "]", "a state a line": strings.Join(states, "\n")} {
		if result := read(t, Options{}, write(t, "f", []byte(content))); result.stats.Documents != 1 || result.stats.Spans != 5 {
			t.Errorf("%s: %d documents with %d spans, want 1 with 5", name, result.stats.Documents, result.stats.Spans)
		}
	}
}

// Messages may be the rows of a table, and Python's repr of a list.
func TestMessagesInOtherWriting(t *testing.T) {
	for _, tt := range []struct{ name, content string }{
		{"a row each", "conversation_id,role,content\n7,user,q\n7,assistant,\"do\nne\"\n8,user,q\n8,assistant,done\n"},
		{"Python's", `[{'id': 7, 'messages': [{'role': 'user', 'content': "Who's there?"}, {'role': 'assistant', 'content': None, 'refusal': 'no'}]}, {'messages': [{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': 'done'}]}]`},
	} {
		if got := read(t, Options{}, write(t, "f", []byte(tt.content))); got.stats.Spans != 4 || got.stats.Problems != 0 {
			t.Errorf("%s: %d spans, %d problems, want 4 and none", tt.name, got.stats.Spans, got.stats.Problems)
		}
	}
	got := read(t, Options{}, write(t, "f", []byte(`[{'role': 'user', 'content': 'q'}, {'role': 'assistant', 'content': `)))
	if got.stats.Spans != 0 || got.stats.Problems != 1 {
		t.Errorf("a list that is cut off: %d spans, %d problems, want none and 1", got.stats.Spans, got.stats.Problems)
	}
}

// Steps are read by what their fields are called, whoever writes them.
func TestSteps(t *testing.T) {
	tests := []struct{ name, doc, want string }{
		{"an action with its input", `[{"thought":"t","action":"find","action_input":{"a":1},"observation":"r"},{"thought":"u","final_answer":"done"}]`, `assistant: t find{"a":1} | tool: -> r | assistant: (u) done`},
		{"a line of commands", `{"trajectory":[{"action":"open app.py","observation":"r","thought":"t","response":"t"}]}`, `assistant: t open{"command":"open app.py"} | tool: -> r`},
		{"calls with results by their ids", `{"steps":[{"source":"user","message":"q"},{"source":"agent","message":"look","tool_calls":[{"tool_call_id":"c","function_name":"find","arguments":{"a":1}}],"observation":{"results":[{"source_call_id":"c","content":"r"}]}}]}`,
			`user: q | assistant: look find{"a":1} | tool: -> r`},
		{"code with what it printed, and an answer that is a call", `[{"task":"q"},{"step_number":1,"model_output":"t","tool_calls":[{"id":"c","type":"function","function":{"name":"python","arguments":"1+1"}}],"observations":"2"},
			{"step_number":2,"model_output":"u","tool_calls":[{"id":"d","type":"function","function":{"name":"final_answer","arguments":{"answer":"done"}}}],"observations":""}]`, `user: q | assistant: t python1+1 | tool: -> 2 | assistant: done`},
		{"an error of a step", `[{"step":1,"thought":"t","tool_calls":[{"id":"c","name":"find","arguments":{"a":1}}],"observation":null,"error":{"message":"no"}},{"thought":"u","observation":"x","action":"stop"}]`,
			`assistant: t find{"a":1} | tool: -> failed no | assistant: u stop{} | tool: -> x`},
		{"actions and observations apart", `[{"id":0,"source":"user","action":"message","args":{"content":"q"}},{"id":1,"source":"agent","action":"run","args":{"command":"ls","thought":"t"}},
			{"id":2,"source":"agent","cause":1,"observation":"run","content":"r"},{"id":3,"source":"agent","action":"finish","args":{"final_thought":"done"}}]`, `user: q | assistant: t run{"command":"ls"} | tool: -> r | assistant: done`},
		{"calls with their results in them", `[{"llm_response":"t","tool_calls":[{"name":"find","args":{"a":1},"result":"r"},{"name":"find","args":{"a":2},"error":"no"}],"observation":null},{"thought":"u","observation":"x","action":"stop"}]`,
			`assistant: t find{"a":1} find{"a":2} | tool: -> r | tool: -> failed no | assistant: u stop{} | tool: -> x`},
		{"messages within steps", `[{"thought":"t","action":"find","action_input":{"a":1},"observation":"r"},{"iteration":2,"messages":[{"role":"assistant","content":"done"}]}]`, `assistant: t find{"a":1} | tool: -> r | assistant: done`},
		{"events by their names", `[{"event":"user_message","text":"q"},{"event":"tool_call","tool":"find","arguments":{"a":1},"id":"c"},{"event":"tool_result","id":"c","result":"r"},{"event":"assistant_message","text":"done"}]`,
			`user: q | assistant: find{"a":1} | tool: -> r | assistant: done`},
		{"a log of tasks", `[{"task":"q","agent":"A","status":"started"},{"task":"q","agent":"A","status":"completed","output":"done"}]`, `user: q | assistant: done`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chats, err := readMessages(decoded(t, tt.doc))
			if err != nil || len(chats) != 1 {
				t.Fatalf("%d conversations, error %v: want one", len(chats), err)
			}
			if diff := cmp.Diff(tt.want, told(chats[0])); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// What merely has a word of a conversation in it is none.
func TestWhatIsNoConversation(t *testing.T) {
	for _, doc := range []string{
		`{"input": "src/main.ts", "output": "dist"}`,
		`{"steps": [{"name": "build", "run": "make"}]}`,
		`[{"type": "function", "name": "f"}]`,
		`{"events": [{"type": "click", "message": "m"}], "logs": [{"level": "info", "message": "m"}]}`,
		`{"mapping": {"a": {"parent": "a"}}, "current_node": "a"}`,
		`[{"event": "user_login", "message": "m"}, {"event": "http", "message": "m"}]`,
		`{"request": {"url": "u"}, "response": {"status": 200}}`,
		`{"traces": [{"question": "q", "answer": "a"}]}`,
		`{"question": "q", "answer": "a", "calls": [{"of": "what"}]}`,
		`{"tasks": [{"actions": [{"name": "find", "arguments": {}}]}]}`,
	} {
		if runs := runsIn(decoded(t, doc)); len(runs) > 0 {
			t.Errorf("%s: read as %v", doc, runs[0].said)
		}
	}
}

// A file with a message, or a step, a line is one conversation, or as many as its
// lines name.
func TestMessagesALine(t *testing.T) {
	for _, tt := range []struct {
		name, lines string
		want        []string
	}{
		{"of one", `{"role":"user","content":"q"}` + "\n" + `{"role":"assistant","content":"a"}` + "\n" + `{"role":"user","content":"r"}` + "\n" + `{"role":"assistant","content":"b"}`, []string{";  0: a /;  0: b /"}},
		{"of two", `{"session_id":"x","role":"user","content":"q"}` + "\n" + `{"session_id":"y","role":"user","content":"q"}` + "\n" + `{"session_id":"y","role":"assistant","content":"b"}` + "\n" + `{"session_id":"x","role":"assistant","content":"a"}`,
			[]string{"x;  0: a /", "y;  0: b /"}},
		{"steps", `{"source":"user","message":"q"}` + "\n" + `{"source":"agent","message":"a","metrics":{"prompt_tokens":7,"completion_tokens":2}}`, []string{";  0: a 7/2"}},
		{"events, the first of which is of nobody", `{"type":"init","session_id":"s","model":"m"}` + "\n" + `{"type":"message","role":"user","content":"q"}` + "\n" + `{"type":"tool_use","tool_name":"find","tool_id":"c","parameters":{}}` + "\n" +
			`{"type":"tool_result","tool_id":"c","output":"r"}` + "\n" + `{"type":"message","role":"assistant","content":"a"}`, []string{"s; m 0:  find /; m 0: a /"}},
		{"replies of a batch", `{"role":"assistant","content":"a","usage":{"input_tokens":1}}` + "\n" + `{"role":"assistant","content":"b","usage":{"input_tokens":2}}`, []string{";  0: a 1/", ";  0: b 2/"}},
		{"what Claude Code prints", `{"type":"system","subtype":"init","session_id":"s"}` + "\n" + `{"type":"assistant","session_id":"s","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"a"}],"usage":{"input_tokens":3,"output_tokens":1}}}`, []string{"s; m 0: a 3/1"}},
		{"what Codex prints", `{"type":"thread.started","thread_id":"t"}` + "\n" + `{"type":"turn.started"}` + "\n" + `{"type":"item.completed","item":{"id":"i","type":"command_execution","command":"ls","aggregated_output":"r","status":"failed"}}` + "\n" +
			`{"type":"item.completed","item":{"id":"j","type":"agent_message","text":"a"}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":9}}`, []string{"t;  0: command_execution /;  2: a /"}},
	} {
		turns, problems := turnsOf(t, Options{}, tt.lines+"\n")
		if diff := cmp.Diff(tt.want, turns); diff != "" || len(problems) > 0 {
			t.Errorf("%s: problems %q, turns (-want +got):\n%s", tt.name, problems, diff)
		}
	}
}

// Tokens, model and id that a record has beside one reply are of that reply.
func TestWhatARecordSaysOfItsReply(t *testing.T) {
	for _, tt := range []struct{ name, doc, want string }{
		{"a request with its response", `{"request":{"model":"m","messages":[{"role":"user","content":"q"}]},"response":{"id":"chatcmpl-1","model":"m-2","choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}}`,
			"m-2 chatcmpl-1 5 2 0"},
		{"Gemini, whose candidates leave thoughts out", `{"request":{"contents":[{"role":"user","parts":[{"text":"q"}]}]},"response":{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}],"modelVersion":"g","usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"thoughtsTokenCount":30}}}`,
			"g  5 32 30"},
		{"a response", `{"object":"response","id":"resp_1","model":"m","input":[{"role":"user","content":"q"}],"output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}],"usage":{"input_tokens":5,"output_tokens":2,"output_tokens_details":{"reasoning_tokens":1}}}`,
			"m resp_1 5 2 1"},
	} {
		data, err := messages.data(decoded(t, tt.doc), 0)
		if err != nil {
			t.Fatal(err)
		}
		spans := data.Traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans()
		get := func(i int, key string) string {
			v, ok := spans.At(i).Attributes().Get(key)
			if !ok {
				return ""
			}
			return v.AsString()
		}
		reasoning := get(1, "gen_ai.usage.reasoning.output_tokens")
		if reasoning == "" {
			reasoning = "0"
		}
		got := strings.Join([]string{get(1, "gen_ai.request.model"), get(1, "gen_ai.response.id"), get(1, "gen_ai.usage.input_tokens"), get(1, "gen_ai.usage.output_tokens"), reasoning}, " ")
		if spans.Len() != 2 || got != tt.want || get(0, "gen_ai.usage.input_tokens") != "" {
			t.Errorf("%s: %d spans, the reply's %q, want %q and none on the run", tt.name, spans.Len(), got, tt.want)
		}
	}
}

// Of several replies to one request the others are losses.
func TestRepliesThatAreNotRead(t *testing.T) {
	chats, err := readMessages(decoded(t, `{"messages":[{"role":"user","content":"q"}],"choices":[{"message":{"role":"assistant","content":"a"}},{"message":{"role":"assistant","content":"b"}}]}`))
	if want := []string{"choices: the first of 2 is read"}; err != nil || !cmp.Equal(chats[0].unread, want) {
		t.Errorf("unread %q, error %v, want %q", chats[0].unread, err, want)
	}
}

// listOf is messages as a list of data.
func listOf(turns []map[string]any) []any {
	out := make([]any, len(turns))
	for i, m := range turns {
		out[i] = m
	}
	return out
}
