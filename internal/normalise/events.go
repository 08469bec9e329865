package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// messageEvent is the pseudo event under which tables list the message events of
// the conventions up to 1.36, which are one message each.
const messageEvent = "gen_ai.message"

// eventMessages reads messages from span events: those of an operation's details
// merged over all events of the name, or one message an event.
func (b *bag) eventMessages(src *source, side message.Side) (trace.Messages, bool) {
	if src.event == messageEvent {
		return b.singleMessages(side)
	}
	var list []trace.Value
	seen := map[string]bool{}
	for i := range b.events {
		e := &b.events[i]
		v, ok := e.attrs[src.member]
		if e.name != src.event || !ok || v == nil {
			continue
		}
		e.used = true
		raw := dataValue(v)
		if b.placeholder(src.name, raw.Text()) || seen[raw.Text()] { // or an exact repeat
			continue
		}
		if s, ok := v.(string); ok {
			b.noteCut(src.name, s)
		}
		seen[raw.Text()] = true
		list = append(list, raw)
	}
	if len(list) == 0 {
		return trace.Messages{}, false
	}
	return trace.SharedMessages(func(h *trace.History) []trace.Message {
		var out []trace.Message
		for i := range list {
			if list[i].Structured() {
				out = append(out, message.List(list[i].Data(), side)...)
			} else {
				out = append(out, message.Text(list[i].Text(), side, h)...)
			}
		}
		return out
	}), true
}

// singleMessages reads the events that are one message each.
func (b *bag) singleMessages(side message.Side) (trace.Messages, bool) {
	var list []spanEvent
	replies := b.lastWords()
	for i := range b.events {
		e := &b.events[i]
		_, at, ok := messageEventRole(e.name)
		if i >= replies {
			at = message.Output
		}
		if !ok || at != side {
			continue
		}
		e.used = true
		for _, k := range [...]string{"content", "message", "tool_calls", "gen_ai.event.content", "parts", "text"} {
			if v, ok := e.attrs[k]; ok && v != nil && v != "" {
				if s, isText := v.(string); isText {
					if b.placeholder(k, s) {
						continue
					}
					b.noteCut(e.name+"/"+k, s)
				}
				list = append(list, *e)
				break
			}
		}
	}
	if len(list) == 0 {
		return trace.Messages{}, false
	}
	return trace.SharedMessages(func(h *trace.History) []trace.Message {
		var out []trace.Message
		for i := range list {
			e := &list[i]
			key := ""
			for _, k := range [...]string{"content", "message", "gen_ai.event.content", "id", toolResults} {
				s, _ := e.attrs[k].(string)
				key += "\x00" + s
			}
			if e.attrs["tool_calls"] != nil {
				h = nil // rare, and not in the key
			}
			out = append(out, h.Decode(e.name, key, func(string) []trace.Message {
				m, _, _ := eventMessage(e.name, e.attrs)
				return m
			})...)
		}
		return out
	}), true
}

// lastWords is the index of the first event from which on only the assistant
// speaks, on a span that marks no reply as one: an agent's (Azure AI agents).
func (b *bag) lastWords() int {
	first := len(b.events)
	for i := range b.events {
		switch role, side, ok := messageEventRole(b.events[i].name); {
		case !ok:
		case side == message.Output:
			return len(b.events)
		case role != "assistant":
			first = len(b.events)
		case first == len(b.events):
			first = i
		}
	}
	return first
}

// messageEventRole is whose message an event of this name is, and on which side.
func messageEventRole(name string) (role string, side message.Side, ok bool) {
	switch name {
	case "gen_ai.system.message", "gen_ai.tool.developer":
		return "system", message.Input, true
	case "gen_ai.user.message":
		return "user", message.Input, true
	case "gen_ai.assistant.message":
		return "assistant", message.Input, true
	case "gen_ai.tool.message":
		return "tool", message.Input, true
	case "gen_ai.choice":
		return "assistant", message.Output, true
	}
	return "", message.Input, false
}

// eventMessage reads one event or log record that is one message, and the side
// that it is on.
func eventMessage(name string, attrs map[string]any) (list []trace.Message, at message.Side, known bool) {
	role, side, ok := messageEventRole(name)
	if !ok {
		return nil, side, false
	}
	m := make(map[string]any, len(attrs)+1)
	for k, v := range attrs {
		m[k] = v
	}
	if raw, ok := attrs["gen_ai.event.content"]; ok { // .NET
		switch d := decoded(raw).(type) {
		case map[string]any:
			for k, v := range d {
				m[k] = v
			}
		default:
			m["content"] = d
		}
		delete(m, "gen_ai.event.content")
	}
	if inner, ok := decoded(m["message"]).(map[string]any); ok && side == message.Output {
		for k, v := range inner {
			m[k] = v
		}
		delete(m, "message")
	}
	for _, k := range []string{"content", "message", "tool_calls"} {
		if s, ok := m[k].(string); ok && strings.HasPrefix(strings.TrimSpace(s), "[") {
			if d, isList := value.Decode(s).([]any); isList {
				m[k] = d
			}
		}
	}
	if r, _ := m["role"].(string); r == "" || role == "tool" { // Vertex AI: what a user's side told
		m["role"] = role
	}
	bare := true
	for _, k := range [...]string{"tool_calls", "content", "message", "parts", "text", "function_call"} {
		bare = bare && m[k] == nil
	}
	if id, _ := m["id"].(string); bare && (role != "tool" || id == "") {
		return nil, side, true // captured without content
	}
	list = message.List(m, side)
	if told := decoded(attrs[toolResults]); told != nil && told != "" {
		list = append(list, message.List(map[string]any{"role": "tool", "content": told}, side)...)
	}
	return list, side, true
}

// toolResults is where Strands puts, beside the reply that asked for tools, what
// they gave.
const toolResults = "tool.result"

// decoded is data that may come as text.
func decoded(v any) any {
	if s, ok := v.(string); ok {
		return value.Decode(s)
	}
	return v
}

// dataValue is a value that may come as text or as data.
func dataValue(v any) trace.Value {
	if s, ok := v.(string); ok {
		return trace.RawValue(s, value.Decode)
	}
	return trace.DataValue(v)
}
