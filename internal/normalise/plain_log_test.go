package normalise_test

import (
	"encoding/json"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tracegrade/tracegrade/internal/normalise"
)

// Records of a producer that nobody knows are read where they hold messages. What
// belongs to no span, or only has keys that end alike, is not.
func TestPlainRecords(t *testing.T) {
	const q, a = "user: Q", "assistant: A"
	tests := []struct {
		name, body string // JSON
		attrs      []any
		in, out    string
	}{
		{"a conversation and its reply", `{"messages":[{"role":"user","content":"Q"}],"response":{"role":"assistant","content":"A"}}`, nil, q, a},
		{"a request", `{"model":"m","messages":[{"role":"user","content":"Q"}]}`, nil, q, ""},
		{"a reply", `{"choices":[{"message":{"role":"assistant","content":"A"}}]}`, nil, "", a},
		{"JSON in a text", `"{\"messages\":[{\"role\":\"user\",\"content\":\"Q\"}]}"`, nil, q, ""},
		{"a message of the user", `{"role":"user","content":"Q"}`, nil, q, ""},
		{"a message of the model", `{"role":"assistant","content":"A"}`, nil, "", a},
		{"attributes", `"llm call done"`, []any{"orion.prompt", "Q", "orion.completion", "A"}, q, a},
		{"an object that holds a request", `{"llm":{"x":1},"request":{"messages":[{"role":"user","content":"Q"}]}}`, nil, q, ""},

		{"words under a key of several meanings", `{"input":"Q","response":"A"}`, nil, "", ""},
		{"data that are no messages", `{"request":{"id":7},"response":{"ok":true}}`, nil, "", ""},
		{"a role of another sense", `{"role":"admin","content":"x"}`, nil, "", ""},
		{"a sentence", `"calling the model now"`, []any{"level", "info"}, "", ""},
	}
	read := func(body string, attrs []any, span pcommon.SpanID) (in, out string, read bool) {
		var data any
		if err := json.Unmarshal([]byte(body), &data); err != nil {
			t.Fatal(err)
		}
		lr := plog.NewLogRecord()
		if err := lr.Body().FromRaw(data); err != nil {
			t.Fatal(err)
		}
		put(lr.Attributes(), attrs)
		lr.SetTraceID(pcommon.TraceID{1})
		lr.SetSpanID(span)
		f := normalise.New(normalise.Options{}).Log(pcommon.NewResource(), pcommon.NewInstrumentationScope(), lr)
		if f == nil {
			return "", "", false
		}
		return say(&f.Input), say(&f.Output), true
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, out, ok := read(tt.body, tt.attrs, pcommon.SpanID{2})
			if in != tt.in || out != tt.out || ok != (tt.in+tt.out != "") {
				t.Errorf("read %q and %q (%t), want %q and %q", in, out, ok, tt.in, tt.out)
			}
			if _, _, ok := read(tt.body, tt.attrs, pcommon.SpanID{}); ok {
				t.Error("read without a span")
			}
		})
	}
}
