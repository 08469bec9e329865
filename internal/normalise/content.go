package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// content fills input and output. An llm step's are messages, whatever shape they
// came in; another step's are messages where the producer says so, or where they
// look like it, and raw otherwise.
func (b *bag) content(s *trace.Step) {
	s.Input = b.messages(messagesIn, message.Input)
	s.Output = b.messages(messagesOut, message.Output)
	switch s.Kind {
	case trace.KindTool, trace.KindHandoff, trace.KindMemory, trace.KindRetriever, trace.KindReranker:
		return // their input and output are arguments and results
	case trace.KindEmbedding:
		s.RawInput, _, _ = b.value(payloadIn) // the output is numbers
		return
	}
	if !s.Input.Captured() {
		if v, key, ok := b.value(payloadIn); ok {
			b.place(s, v, key, message.Input)
		}
	}
	if !s.Output.Captured() {
		if v, key, ok := b.value(payloadOut); ok {
			b.place(s, v, key, message.Output)
		}
	}
	b.prependSystem(s)
}

// place puts a payload where it belongs.
func (b *bag) place(s *trace.Step, v trace.Value, key string, side message.Side) {
	if s.Kind == trace.KindLLM || b.looksLikeMessages(&v) {
		m := lazyValue(v, side)
		if side == message.Input {
			s.Input = m
		} else {
			s.Output = m
		}
		return
	}
	if side == message.Input {
		s.RawInput = v
	} else {
		s.RawOutput = v
	}
}

func (b *bag) looksLikeMessages(v *trace.Value) bool {
	if v.Structured() {
		return len(message.List(v.Data(), message.Input)) > 0
	}
	return message.Looks(v.Text())
}

// lazyValue reads a value as messages on first use.
func lazyValue(v trace.Value, side message.Side) trace.Messages {
	if v.Structured() {
		data := v.Data()
		return trace.LazyMessages(func() []trace.Message { return message.List(data, side) })
	}
	return trace.TextMessages(v.Text(), func(text string, h *trace.History) []trace.Message { return message.Text(text, side, h) })
}

// messages is the first of a field's places that has messages. Another
// producer's copy of them is noted where it is not the same text.
func (b *bag) messages(f field, side message.Side) trace.Messages {
	var found trace.Messages
	var first *source
	for i := range b.order(f) {
		src := &b.order(f)[i]
		if first != nil {
			if src.owner != first.owner && b.differs(src, first) {
				b.lose("duplicate", src.name, "of "+first.name)
			}
			continue
		}
		if m, ok := b.messagesAt(src, side); ok {
			found, first = m, src
		}
	}
	return found
}

func (b *bag) messagesAt(src *source, side message.Side) (trace.Messages, bool) {
	switch src.kind {
	case event:
		return b.eventMessages(src, side)
	case eventList:
		if a, ok := b.attr(src.id); ok {
			return b.listed(a, side)
		}
	case group:
		if pairs := b.pairs(src.id, src.name); len(pairs) > 0 {
			return b.groupMessages(src.name, pairs, side), true
		}
	default:
		if v, ok := b.valueAt(src); ok && !emptyList(&v) {
			return lazyValue(v, side), true
		}
	}
	return trace.Messages{}, false
}

// differs reports whether a span has one more carrier of a field, with another
// text.
func (b *bag) differs(src, first *source) bool {
	switch src.kind {
	case attribute, eventList:
		if !b.has(src.id) {
			return false
		}
		other := b.attrs[b.at[src.id]-1].val
		return first.kind != attribute || !b.has(first.id) || !other.Equal(b.attrs[b.at[first.id]-1].val)
	case group:
		return b.hasGroup(src.id)
	}
	return false
}

func emptyList(v *trace.Value) bool {
	return !v.Structured() && (v.Text() == "[]" || v.Text() == "{}" || v.Text() == "")
}

// groupMessages reads messages whose parts are attributes of their own.
func (b *bag) groupMessages(prefix string, pairs []value.Pair, side message.Side) trace.Messages {
	for _, p := range pairs {
		first, rest, _ := strings.Cut(p.Path, ".")
		if wrap, inner, ok := strings.Cut(rest, "."); ok && wrap == "message" && inner != "" && inner[0] >= '0' && inner[0] <= '9' || strings.HasPrefix(prefix, "llm.") && !ok {
			b.lose("unmapped", prefix+"."+p.Path, "no member of a message")
		}
		if !value.IsIndex(first) {
			_, unused := value.Expand(pairs) // rare, so that the common case is lazy
			b.outOfRange(prefix, unused)
			break
		}
	}
	if len(pairs) > value.SlotsMax/4 {
		_, unused := value.Expand(pairs)
		b.outOfRange(prefix, unused)
	}
	return trace.LazyMessages(func() []trace.Message {
		data, _ := value.Expand(pairs)
		return message.List(unwrapIndexed(data, side), side)
	})
}

// unwrapIndexed takes OpenInference's "message." off, and gives a role to what
// the Responses API lists without one.
func unwrapIndexed(data any, side message.Side) any {
	list, ok := data.([]any)
	if !ok {
		return data
	}
	for i, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			continue
		}
		for _, wrap := range [...]string{"message", "prompt", "completion"} {
			if inner, ok := m[wrap].(map[string]any); ok {
				m = inner
			}
		}
		list[i] = m
		if _, ok := m["role"]; !ok && (m["content"] != nil || m["contents"] != nil || m["tool_calls"] != nil) {
			m["role"] = ""
		}
	}
	for i := 0; side == message.Input && i+1 < len(list); i++ {
		m, _ := list[i].(map[string]any)
		next, _ := list[i+1].(map[string]any)
		if m == nil || m["role"] != "" || next["role"] != "assistant" {
			continue
		}
		// Thoughts that precede a tool call: an item of their own, without role.
		m["role"] = "assistant"
		if parts, ok := m["contents"].([]any); ok {
			for _, p := range parts {
				if inner, ok := p.(map[string]any)["message_content"].(map[string]any); ok && inner["type"] == "text" {
					inner["type"] = "reasoning"
				}
			}
		}
	}
	return list
}

// prependSystem puts a system prompt that stands apart before the messages, once.
func (b *bag) prependSystem(s *trace.Step) {
	v, _, ok := b.value(system)
	if !ok {
		return
	}
	if !s.Input.Captured() && s.Kind != trace.KindLLM {
		return
	}
	rest := s.Input
	s.Input = trace.SharedMessages(func(h *trace.History) []trace.Message {
		rest.Share(h)
		list := rest.List()
		for i := range list {
			if list[i].Role == trace.RoleSystem {
				return list
			}
		}
		data := v.Data()
		if m, ok := data.(map[string]any); ok && m["role"] != nil {
			return append(message.List(data, message.Input), list...)
		}
		parts := message.Parts(data)
		if len(parts) == 0 {
			return list
		}
		return append([]trace.Message{{Role: trace.RoleSystem, Parts: parts}}, list...)
	})
}
