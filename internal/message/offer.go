package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Offered is the definitions of tools that stand among messages, as some
// producers write what a model was offered: each the content of a message of its
// own, or between tags of the system prompt. It is nil where there are none.
func Offered(text string) []any {
	if !mayOffer(text) {
		return nil // most messages are not decoded for this
	}
	elements := conversation(text)
	if elements == nil {
		elements = conversation(value.Member(text, "messages"))
	}
	var out []any
	for _, e := range elements {
		if !mayOffer(e) {
			continue
		}
		t := value.NewTree()
		m := t.Read(e)
		if offer(m) {
			out = append(out, m.Get("content").Data())
		} else if prompt, ok := m.Get("content").Text(); ok && Role(role(m)) == trace.RoleSystem {
			out = append(out, taggedOffer(prompt)...)
		}
		t.Release()
	}
	return out
}

// mayOffer reports whether a text has the words of a definition, or the tags
// around some, also as JSON may escape them.
func mayOffer(text string) bool {
	if strings.Contains(text, "<"+tagOffer+">") || strings.Contains(text, `\u003c`+tagOffer+`\u003e`) {
		return true
	}
	return strings.Contains(text, `"name"`) && (strings.Contains(text, `"parameters"`) || strings.Contains(text, `"description"`) || strings.Contains(text, `chema"`))
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
