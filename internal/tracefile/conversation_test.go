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
				for _, m := range conversationOf(o, turns).turns {
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
