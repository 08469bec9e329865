package tracefile

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Items of the Responses API are messages, and the calls of one answer are one.
func TestResponsesItems(t *testing.T) {
	var doc, want any
	decode := func(text string, into *any) {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	decode(`{"input": [{"role": "user", "content": "q"},
		{"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}, {"type": "function_call", "call_id": "c2", "name": "g", "arguments": "{}"},
		{"type": "function_call_output", "call_id": "c1", "output": "r"}, {"type": "function_call_output", "call_id": "c2", "output": "s"}],
		"output": [{"type": "message", "role": "assistant", "content": "a"}]}`, &doc)
	decode(`[{"role": "user", "content": "q"},
		{"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}, {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}}]},
		{"role": "tool", "tool_call_id": "c1", "content": "r"}, {"role": "tool", "tool_call_id": "c2", "content": "s"},
		{"type": "message", "role": "assistant", "content": "a"}]`, &want)
	got := make([]any, 0, 5)
	for _, m := range conversation(doc) {
		got = append(got, m)
	}
	if diff := cmp.Diff(want, any(got)); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// A document that is not of the format that was asked for says so.
func TestForcedFormatThatDoesNotFit(t *testing.T) {
	got := read(t, Options{Format: "jaeger"}, write(t, "f.json", []byte(`{"id": "t", "observations": [{"id": "o", "traceId": "t", "type": "SPAN"}]}`)))
	if len(got.problems) != 1 || !strings.Contains(got.problems[0], "no jaeger document: looked for spans with operationName") {
		t.Errorf("problems %q: want one that says what was looked for", got.problems)
	}
}

// Each way of writing a conversation says the same.
func TestConversationsOfOthers(t *testing.T) {
	tests := []struct {
		name, doc string
		want      []string // role, and what is beside it, of each message
	}{
		{"Gemini", `{"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [{"role": "user", "parts": [{"text": "q"}]},
			{"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]},
			{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"r": 2}}}]}, {"role": "model", "parts": [{"text": "done"}]}]}`,
			[]string{`system [{"text":"s"}]`, `user [{"text":"q"}]`, `model [{"functionCall":{"args":{"a":1},"name":"f"}}]`,
				`user [{"functionResponse":{"name":"f","response":{"r":2}}}]`, `model [{"text":"done"}]`}},
		{"ShareGPT", `{"system": "s", "conversations": [{"from": "human", "value": "q"}, {"from": "function_call", "value": "{\"name\": \"f\", \"arguments\": {\"a\": 1}}"},
			{"from": "observation", "value": "2"}, {"from": "gpt", "value": "done"}]}`,
			[]string{`system "s"`, `user "q"`, `assistant [{"function":{"arguments":{"a":1},"name":"f"},"type":"function"}]`, `tool "2"`, `assistant "done"`}},
		{"ShareGPT, a function that is a result", `[{"from": "human", "value": "q"}, {"from": "function", "value": "{\"name\": \"rain\"}"}]`,
			[]string{`user "q"`, `tool "{\"name\": \"rain\"}"`}},
		{"a system prompt in both places", `{"system": "s", "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "q"}]}`,
			[]string{`system "s"`, `user "q"`}},
		{"a mail is no conversation", `[{"from": "a@example.org", "subject": "q"}]`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var doc any
			if err := json.Unmarshal([]byte(tt.doc), &doc); err != nil {
				t.Fatal(err)
			}
			o, _ := doc.(map[string]any)
			var got []string
			if turns := conversation(doc); turns != nil {
				for _, m := range conversationOf(o, turns, o).turns {
					got = append(got, str(m, "role")+" "+jsonText(first(m, "tool_calls", "parts", "content")))
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
		})
	}
}

// The replies of every way of writing a conversation are model calls.
func TestRepliesOfOthers(t *testing.T) {
	text := `{"contents": [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [{"text": "a"}]}]}
{"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}
{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}
`
	got := read(t, Options{}, write(t, "c.jsonl", []byte(text)))
	if len(got.problems) != 0 || got.stats.Documents != 3 || got.stats.Spans != 6 {
		t.Errorf("problems %q, stats %+v: want three conversations of two spans", got.problems, got.stats)
	}
}

// A JSON array of documents is read as one document a line is: the same traces,
// each with its place, and an entry that is none is a problem of its own.
func TestListOfDocuments(t *testing.T) {
	read := func(content, format string) (ids, places, problems []string) {
		t.Helper()
		_, err := Read(t.Context(), []string{write(t, "f.json", []byte(content))}, Options{Format: format, Workers: 1}, Sink{
			Data: func(d Data) error {
				ids = append(ids, d.Traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).TraceID().String())
				places = append(places, strconv.Itoa(d.Place.Line))
				return nil
			},
			Problem: func(p *Problem) { problems = append(problems, strconv.Itoa(p.Place.Line)+" "+p.Err.Error()) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return ids, places, problems
	}
	shareGPT := `{"id": "a", "conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}`
	openAI := `{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]}`
	bare := `[{"role": "user", "content": "r"}, {"role": "assistant", "content": "b"}]`
	for _, entries := range [][]string{{shareGPT, openAI, shareGPT}, {openAI}, {bare, openAI}, {spanDoc("a"), spanDoc("b")}} {
		for _, format := range []string{"", "messages"} {
			if format != "" && strings.Contains(entries[0], "resourceSpans") {
				format = "otlp"
			}
			want, lines, _ := read(strings.Join(entries, "\n"), format)
			got, places, problems := read("["+strings.Join(entries, ",\n")+"]", format)
			if len(want) != len(entries) || !cmp.Equal(want, got) || !cmp.Equal(lines, places) || problems != nil {
				t.Errorf("%q as %q: traces %v at lines %v, problems %q, want %v at %v as with an entry a line", entries, format, got, places, problems, want, lines)
			}
		}
	}
	ids, _, problems := read("["+openAI+",\n{\"messages\": []},\n"+shareGPT+"]", "")
	if len(ids) != 2 || len(problems) != 1 || !strings.HasPrefix(problems[0], "2 no known trace format: an object with the keys \"messages\"") {
		t.Errorf("traces %v, problems %q: want two traces and the second entry refused", ids, problems)
	}
}

// A list of which nobody is known is refused; an entry that is no message is said.
func TestEntriesThatAreNoMessages(t *testing.T) {
	tests := []struct {
		name, doc string
		unread    []string
		err       string // beginning
	}{
		{"of known roles", `[{"role": "user", "content": "q"}, {"role": "AI", "content": null}, {"role": "ipython", "content": "r"}, {"role": "developer", "content": [{"type": "text", "text": "s"}]}]`, nil, ""},
		{"no role is known", `[{"role": "customer", "content": "q"}, {"role": "helper", "content": "a"}]`, nil, `messages: no message is of a known role, the first has "customer": want user`},
		{"one role is not", `{"messages": [{"role": "user", "content": "q"}, {"role": "critic", "content": "no"}, {"role": "assistant", "content": "a"}]}`, []string{`message 2: the role "critic", want user, assistant, system or tool`}, ""},
		{"ShareGPT", `{"conversations": [{"from": "human", "value": "q"}, {"from": "narrator", "value": "n"}]}`, []string{`message 2: the role "narrator", want user, assistant, system or tool`}, ""},
		{"wrong types", `[{"role": "user", "content": "q"}, 7, null, {"role": 5, "content": "x"}, {"role": "user", "content": 3.5}, {"text": "y"}, {"role": "assistant", "content": "a"}]`,
			[]string{"message 2: a number, want an object", "message 3: null, want an object", "message 4: the role is a number, want a text", "message 5: the content is a number, want a text or a list of parts", "message 6: no role"}, ""},
		{"items of the Responses API", `{"input": [{"role": "user", "content": "q"}], "output": [{"type": "reasoning", "id": "r", "summary": []}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]}`, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := json.NewDecoder(strings.NewReader(tt.doc))
			d.UseNumber()
			var doc any
			if err := d.Decode(&doc); err != nil {
				t.Fatal(err)
			}
			chats, err := readMessages(doc)
			if tt.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), tt.err) {
					t.Errorf("error %v, want one that begins with %q", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.unread, chats[0].unread); diff != "" {
				t.Errorf("unread (-want +got):\n%s", diff)
			}
		})
	}
}

// Tokens of a sample as its API counted them, on the run and on the reply.
func TestUsageOfConversations(t *testing.T) {
	var doc any
	d := json.NewDecoder(strings.NewReader(`{"messages": [{"role": "user", "content": "q"},
		{"role": "assistant", "content": "a", "usage": {"input_tokens": 12, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 30, "output_tokens": 20}}],
		"usage": {"prompt_tokens": 80, "completion_tokens": 40, "prompt_tokens_details": {"cached_tokens": 16}, "completion_tokens_details": {"reasoning_tokens": 20}}}`))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	got, err := messages.data(doc, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]map[string]any{
		"conversation": {"input_tokens": int64(80), "output_tokens": int64(40), "cache_read.input_tokens": int64(16), "reasoning.output_tokens": int64(20)},
		"chat":         {"input_tokens": int64(942), "output_tokens": int64(20), "cache_read.input_tokens": int64(900), "cache_write.input_tokens": int64(30)},
	} {
		has := map[string]any{}
		for _, s := range got.Traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			for k, v := range s.Attributes().All() {
				if key, ok := strings.CutPrefix(k, "gen_ai.usage."); ok && s.Name() == name {
					has[key] = v.AsRaw()
				}
			}
		}
		if diff := cmp.Diff(want, has); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What tools answered after the last reply is the run's, and in the body of a
// request it is what the model was told, whose reply was not saved.
func TestConversationsThatEndWithResults(t *testing.T) {
	asked := `{"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}`
	told := `{"role": "tool", "tool_call_id": "c", "content": "r"}`
	for _, tt := range []struct {
		name, doc string
		chats     int
		root      string // output of the run
		last      bool   // whether the last model call has an output
	}{
		{"a run that stopped", `{"messages": [{"role": "user", "content": "q"}, ` + asked + `, ` + told + `], "model": "m"}`, 1, `[{"content":"r","role":"tool","tool_call_id":"c"}]`, true},
		{"a reply is all", `{"messages": [` + asked + `, ` + told + `]}`, 1, `[{"content":"r","role":"tool","tool_call_id":"c"}]`, true},
		{"a reply is last", `{"messages": [{"role": "user", "content": "q"}, ` + asked + `], "max_tokens": 9}`, 1, "", true},
		{"a request", `{"messages": [{"role": "user", "content": "q"}, ` + asked + `, ` + told + `], "model": "m", "max_tokens": 9}`, 2, "", false},
		{"a request that goes on", `{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}, {"role": "user", "content": "p"}], "temperature": 0}`, 2, "", false},
		{"Anthropic's", `{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": "r"}]}]}`, 1, `[{"content":[{"content":"r","tool_use_id":"c","type":"tool_result"}],"role":"user"}]`, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var doc any
			if err := json.Unmarshal([]byte(tt.doc), &doc); err != nil {
				t.Fatal(err)
			}
			got, err := messages.data(doc, 0)
			if err != nil {
				t.Fatal(err)
			}
			chats, root, last := 0, "", false
			for _, s := range got.Traces.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
				out, has := s.Attributes().Get("gen_ai.output.messages")
				switch {
				case s.Name() == "chat":
					chats, last = chats+1, has
				case has:
					root = out.Str()
				}
			}
			if chats != tt.chats || root != tt.root || last != tt.last {
				t.Errorf("%d model calls, run told %s, the last has an output: %v; want %d, %s, %v", chats, root, last, tt.chats, tt.root, tt.last)
			}
		})
	}
}
