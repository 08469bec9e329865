package trace

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessageJSON(t *testing.T) {
	decode := func(s string) any {
		var v any
		if json.Unmarshal([]byte(s), &v) != nil {
			return s
		}
		return v
	}
	m := Message{Role: RoleAssistant, Name: "planner", FinishReason: "tool_call", Parts: []Part{
		{Type: PartReasoning, Text: "think"},
		{Type: PartText, Text: "<a> \"q\" \\ \n\r\t\x01 é 亿 \u2028"},
		{Type: PartToolCall, ID: "c1", Name: "search", Value: RawValue(`{"q": "x <y>"}`, decode)},
		{Type: PartToolResult, ID: "c1", Name: "search", Value: TextValue("none"), IsError: true},
		{Type: PartMedia, Modality: "image", MIME: "image/png", URI: "https://x/y.png"},
		{Type: PartOther, Value: DataValue(map[string]any{"n": int64(1)})},
		{Type: PartToolCall, Name: "no_arguments"},
	}}
	want := `{"role":"assistant","name":"planner","parts":[` +
		`{"type":"reasoning","text":"think"},` +
		`{"type":"text","text":"<a> \"q\" \\ \n\r\t\u0001 é 亿 \u2028"},` +
		`{"type":"tool_call","id":"c1","name":"search","arguments":{"q":"x <y>"}},` +
		`{"type":"tool_result","id":"c1","name":"search","result":"none","is_error":true},` +
		`{"type":"media","modality":"image","mime":"image/png","uri":"https://x/y.png"},` +
		`{"type":"other","raw":{"n":1}},` +
		`{"type":"tool_call","name":"no_arguments"}],"finish_reason":"tool_call"}`
	if diff := cmp.Diff(want, string(m.AppendJSON(nil))); diff != "" {
		t.Errorf("AppendJSON (-want +got):\n%s", diff)
	}
}

func FuzzMessageJSON(f *testing.F) {
	f.Add("plain", "id")
	f.Add("\xff\xfe \x00 \"", "\\")
	f.Fuzz(func(t *testing.T, text, id string) {
		m := Message{Role: Role(id), Parts: []Part{{Type: PartText, Text: text}, {Type: PartToolCall, ID: id, Value: TextValue(text)}}}
		var got struct {
			Parts []struct{ Text, Arguments string }
		}
		if err := json.Unmarshal(m.AppendJSON(nil), &got); err != nil {
			t.Fatalf("not JSON: %v: %q", err, m.AppendJSON(nil))
		}
		want := replaceInvalid(text)
		if got.Parts[0].Text != want || got.Parts[1].Arguments != want {
			t.Errorf("read back %q and %q, want %q", got.Parts[0].Text, got.Parts[1].Arguments, want)
		}
	})
}

// replaceInvalid replaces every byte that is no UTF-8, one by one, as
// encoding/json does.
func replaceInvalid(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}
