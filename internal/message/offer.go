package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/value"
)

// Offered is the definitions of tools that stand among messages, as some
// producers write what a model was offered: each the content of a message of its
// own. It is nil where there are none.
func Offered(text string) []any {
	elements := conversation(text)
	if elements == nil {
		elements = conversation(value.Member(text, "messages"))
	}
	var out []any
	for _, e := range elements {
		if !strings.Contains(e, `"name"`) || !strings.Contains(e, `"parameters"`) && !strings.Contains(e, `"description"`) && !strings.Contains(e, `chema"`) {
			continue // most messages are not decoded for this
		}
		t := value.NewTree()
		if m := t.Read(e); offer(m) {
			out = append(out, m.Get("content").Data())
		}
		t.Release()
	}
	return out
}

// offer reports whether a message is no more than the definition of a tool. What
// answers a call is a result, whatever it looks like.
func offer(m value.Node) bool {
	return m.Has("role") && !m.Has("tool_call_id", "toolCallId", "tool_use_id", "callId") && isDefinition(m.Get("content"))
}

// isDefinition reports whether an object defines a tool: it has a name and the
// schema of its parameters or, as a function, at least words about it. Arguments
// make it a call.
func isDefinition(m value.Node) bool {
	if !m.IsObject() {
		return false
	}
	words := false
	if f := m.Get("function"); f.IsObject() {
		m, words = f, m.Get("type").IsText("function")
	}
	if m.TextAt("name") == "" || m.Has("arguments", "args", "input", "id", "call_id") {
		return false
	}
	for _, key := range [...]string{"parameters", "input_schema", "inputSchema"} {
		if schema := m.Get(key); schema.IsObject() && (schema.Has("properties") || schema.Get("type").IsText("object")) {
			return true
		}
	}
	return words && m.TextAt("description") != ""
}
