package tracefile

import (
	"encoding/json"
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
