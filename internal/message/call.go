package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// toolContent reads the content of a message that answers a tool call.
func toolContent(m value.Node, id, name string) []trace.Part {
	for _, key := range []string{"parts", "contents", "content"} {
		if list := m.Get(key); list.IsList() && onlyParts(list) {
			if said := parts(list); isResult(said) || callIDs(said) > 0 || onlyApprovals(list) {
				return said
			}
		}
	}
	var content value.Node
	for _, key := range []string{"content", "parts", "contents", "output", "result", "blocks"} {
		if c := m.Get(key); c.Something() {
			content = c
			break
		}
	}
	if name == "" {
		name, _ = m.Get("function").Text()
	}
	if !content.Something() && !m.Has("content", "parts") && !m.Get("error").Something() {
		if id == "" && name == "" {
			return nil
		}
		return []trace.Part{{Type: trace.PartToolResult, ID: id, Name: name}}
	}
	failed := m.Get("status").IsText("error") || m.Get("is_error").True() || m.Get("isError").True() || m.Get("error").True()
	if failure := m.Get("error"); failure.Something() && (failure.IsObject() || failure.Kind() == value.KindText) {
		failed = true
		if content.IsText("") || !content.Something() {
			content = failure
			if words := failure.Get("message"); words.Kind() == value.KindText {
				content = words
			}
		}
	}
	result := trace.Part{Type: trace.PartToolResult, ID: id, Name: name, Value: resultValue(content), IsError: failed}
	if !result.Value.Structured() {
		hear(&result, result.Value.Text())
	}
	return []trace.Part{result}
}

func isResult(parts []trace.Part) bool {
	for i := range parts {
		if parts[i].Type == trace.PartToolResult {
			return true
		}
	}
	return false
}

// addCalls appends the tool calls that stand beside the content. Producers
// repeat them inside it; a call with an id that is there already is not added.
func addCalls(parts []trace.Part, m value.Node) []trace.Part {
	calls := m.First("tool_calls", "toolCalls")
	if !calls.Something() {
		calls = m.Get("additional_kwargs").First("tool_calls", "function_call")
	}
	if !calls.Something() {
		calls = m.Get("function_call")
	}
	if s, ok := calls.Text(); ok {
		calls = m.Tree().Read(s)
	}
	there := callIDs(parts)
	add := func(c value.Node) {
		if !c.IsObject() {
			return
		}
		call := callPart(c)
		if call.Name == "" && call.ID == "" || there > 0 && (call.ID == "" || repeats(parts, call) || names(parts, call)) {
			return
		}
		parts = append(parts, apart(call)...)
	}
	add(calls)
	for c := range calls.Elements() {
		add(c)
	}
	for c := range m.Get("invalid_tool_calls").Elements() {
		if c.IsObject() && !repeats(parts, callPart(c)) {
			parts = append(parts, callPart(c))
		}
	}
	return parts
}

// apart takes calls of one tool apart that were joined while a reply came in
// pieces: their arguments follow each other in one text. Only the first keeps the
// id.
func apart(call trace.Part) []trace.Part {
	if call.Value.Structured() || !strings.HasPrefix(call.Value.Text(), "{") || !strings.Contains(call.Value.Text(), "}{") {
		return []trace.Part{call}
	}
	joined := value.Objects(call.Value.Text())
	if joined == nil {
		return []trace.Part{call}
	}
	list := make([]trace.Part, len(joined))
	for i, args := range joined {
		list[i] = call
		if list[i].Value = trace.RawValue(args, value.Decode); i > 0 {
			list[i].ID = ""
		}
	}
	return list
}

// callIDs counts the tool calls among parts.
func callIDs(parts []trace.Part) int {
	n := 0
	for i := range parts {
		if parts[i].Type == trace.PartToolCall {
			n++
		}
	}
	return n
}

// names gives a call's id to the first call of its name that has none, and reports
// whether there is one: the content of a reply has the call without the id (Gemini).
func names(parts []trace.Part, call trace.Part) bool {
	for i := range parts {
		if p := &parts[i]; p.Type == trace.PartToolCall && p.ID == "" && p.Name == call.Name {
			p.ID = call.ID
			return true
		}
	}
	return false
}

func repeats(parts []trace.Part, call trace.Part) bool {
	for i := range parts {
		if parts[i].Type == trace.PartToolCall && parts[i].ID == call.ID {
			return true
		}
	}
	return false
}
