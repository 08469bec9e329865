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
	var list []trace.Message
	found := false
	var seen map[string]bool
	for i := range b.events {
		e := &b.events[i]
		if src.event == messageEvent {
			m, at, ok := eventMessage(e.name, e.attrs)
			if ok {
				e.used = true
			}
			if ok && at == side {
				list, found = append(list, m...), true
			}
			continue
		}
		if e.name != src.event {
			continue
		}
		v, ok := e.attrs[src.member]
		if !ok || v == nil {
			continue
		}
		e.used = true
		raw := dataValue(v)
		if b.placeholder(src.name, raw.Text()) {
			continue
		}
		if s, ok := v.(string); ok {
			b.noteCut(src.name, s)
		}
		if seen[raw.Text()] { // an exact repeat
			continue
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[raw.Text()], found = true, true
		list = append(list, message.List(raw.Data(), side)...)
	}
	if !found {
		return trace.Messages{}, false
	}
	return trace.MessageList(list), true
}

// eventMessage reads one event or log record that is one message, and the side
// that it is on.
func eventMessage(name string, attrs map[string]any) (list []trace.Message, side message.Side, ok bool) {
	role := ""
	switch name {
	case "gen_ai.system.message", "gen_ai.tool.developer":
		role = "system"
	case "gen_ai.user.message":
		role = "user"
	case "gen_ai.assistant.message":
		role = "assistant"
	case "gen_ai.tool.message":
		role = "tool"
	case "gen_ai.choice":
		role, side = "assistant", message.Output
	default:
		return nil, 0, false
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
	if r, _ := m["role"].(string); r == "" {
		m["role"] = role
	}
	if _, ok := m["tool_calls"]; !ok && m["content"] == nil && m["message"] == nil && m["parts"] == nil && len(message.List(m, side)) == 0 {
		return nil, side, true // captured without content
	}
	return message.List(m, side), side, true
}

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
