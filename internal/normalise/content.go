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
	if !v.Structured() && v.Text() == "null" {
		return // nothing was given, or returned
	}
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
	if side == message.Output {
		return trace.TextMessages(v.Text(), outputPayload)
	}
	return trace.TextMessages(v.Text(), inputPayload)
}

func inputPayload(text string, h *trace.History) []trace.Message {
	return message.Payload(text, message.Input, h)
}

func outputPayload(text string, h *trace.History) []trace.Message {
	return message.Payload(text, message.Output, h)
}

// messages is the first of a field's places that has messages. Another
// producer's copy of them is noted where it is not the same text. A list without
// messages is one that was recorded, where no place has more.
func (b *bag) messages(f field, side message.Side) trace.Messages {
	var found trace.Messages
	var first *source
	for src := range b.places(f) {
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
	if first == nil && b.statesNone(f) {
		return trace.MessageList(nil)
	}
	return found
}

// statesNone reports whether an attribute of a field holds a list without entries.
func (b *bag) statesNone(f field) bool {
	for src := range b.places(f) {
		if src.kind != attribute || !b.has(src.id) {
			continue
		}
		if v, ok := b.valueAt(src); ok && emptyList(&v) {
			return true
		}
	}
	return false
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
		v, ok := b.valueAt(src)
		switch {
		case !ok || emptyList(&v):
		case isScalar(&v):
			b.lose("wrong_type", src.name, "a number or a truth value, want messages")
		default:
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

// isScalar reports whether a value is neither text nor made of parts.
func isScalar(v *trace.Value) bool {
	if !v.Structured() {
		return false
	}
	switch v.Data().(type) {
	case int64, float64, bool:
		return true
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
		t := value.NewTree()
		defer t.Release()
		data, _ := t.Expand(pairs)
		return message.In(unwrapIndexed(data, side), side)
	})
}

// unwrapIndexed takes OpenInference's "message." off, and gives a role to what
// the Responses API lists without one.
func unwrapIndexed(data value.Node, side message.Side) value.Node {
	if !data.IsList() {
		return data
	}
	t := data.Tree()
	list := make([]value.Node, 0, data.Len())
	for m := range data.Elements() {
		for _, wrap := range [...]string{"message", "prompt", "completion"} {
			if inner := m.Get(wrap); inner.IsObject() {
				m = inner
			}
		}
		if m.IsObject() && m.Get("role").Kind() == value.KindAbsent &&
			(m.Get("content").Something() || m.Get("contents").Something() || m.Get("tool_calls").Something()) {
			m = m.With("role", t.Text(""))
		}
		list = append(list, m)
	}
	for i := 0; side == message.Input && i+1 < len(list); i++ {
		if m := list[i]; m.Get("role").IsText("") && list[i+1].Get("role").IsText("assistant") {
			// Thoughts that precede a tool call: an item of their own, without role.
			list[i] = asThoughts(m).With("role", t.Text("assistant"))
		}
	}
	return t.List(list...)
}

// asThoughts makes reasoning of the text parts of a message.
func asThoughts(m value.Node) value.Node {
	contents, t := m.Get("contents"), m.Tree()
	if !contents.IsList() {
		return m
	}
	parts := make([]value.Node, 0, contents.Len())
	for p := range contents.Elements() {
		if inner := p.Get("message_content"); inner.Get("type").IsText("text") {
			p = p.With("message_content", inner.With("type", t.Text("reasoning")))
		}
		parts = append(parts, p)
	}
	return m.With("contents", t.List(parts...))
}

// prependSystem puts a system prompt that stands apart before the messages, once.
func (b *bag) prependSystem(s *trace.Step) {
	if v, _, ok := b.value(system); ok && (s.Input.Captured() || s.Kind == trace.KindLLM) {
		s.Input = withSystem(v, s.Input)
	}
}

func withSystem(v trace.Value, rest trace.Messages) trace.Messages {
	return trace.SharedMessages(func(h *trace.History) []trace.Message {
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
