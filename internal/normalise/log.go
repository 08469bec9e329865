package normalise

import (
	"hash/fnv"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var kEventName = key("event.name")

// record is a log record on its way to a fragment.
type record struct {
	event    string // event name, from wherever it stands
	body     any    // decoded
	attrs    map[string]any
	fragment *trace.Fragment
}

// detailsEvent carries a whole model call as attributes.
const detailsEvent = "gen_ai.client.inference.operation.details"

// log reads a record: first the dialects that log, then the conventions' events,
// then ADOT's form, then whatever has the shape of messages.
func (r *Reader) log(b *bag, resource pcommon.Resource, scope pcommon.InstrumentationScope, lr plog.LogRecord) *trace.Fragment {
	b.resource, b.scope = resource, scope.Name()
	b.add(lr.Attributes())
	rec := record{event: b.str(kEventName), body: decoded(rawValue(lr.Body(), 0))}
	if rec.event == "" { // loggers for Rust put the place in the code there, where an attribute has the name
		rec.event = lr.EventName()
	}
	if name, ok := rec.body.(string); rec.event == "" && ok && strings.HasPrefix(name, "gen_ai.") {
		rec.event = name
	}
	b.name = rec.event
	b.claim()
	rec.attrs = rawMap(lr.Attributes(), 0)
	rec.fragment = &trace.Fragment{Event: rec.event, ResponseID: b.text(responseID)}
	if id := lr.TraceID(); !id.IsEmpty() {
		rec.fragment.TraceID = id.String()
	}
	if id := lr.SpanID(); !id.IsEmpty() {
		rec.fragment.SpanID = id.String()
	}
	if rec.fragment.Time = lr.Timestamp().AsTime(); lr.Timestamp() == 0 {
		rec.fragment.Time = lr.ObservedTimestamp().AsTime()
	}
	if !b.logged(&rec) {
		return nil
	}
	rec.fragment.Hash = hashRecord(&rec, lr)
	r.finishFragment(b, &rec)
	return rec.fragment
}

// logged reads the record, and reports whether it carries anything.
func (b *bag) logged(rec *record) bool {
	for i := range b.c.dialects {
		if d := &b.c.dialects[i]; d.log != nil && d.log(b, rec) {
			if rec.fragment.Step != nil {
				rec.fragment.Step.Dialect = d.name
			}
			return true
		}
	}
	switch rec.event {
	case detailsEvent:
		b.details(rec)
		return true
	case "gen_ai.evaluation.result":
		b.evaluation(rec)
		return true
	case "gen_ai.client.operation.exception":
		b.logException(rec)
		return true
	}
	if list, side, ok := eventMessage(rec.event, rec.message()); ok {
		m := trace.MessageList(list)
		if len(list) == 0 {
			m = trace.Messages{} // an empty body: capture is off
		}
		if side == message.Output {
			rec.fragment.Output = m
		} else {
			rec.fragment.Input = m
		}
		return true
	}
	return rec.inputOutput() || b.plainMessages(rec)
}

// message is the fields of a record that is one message: of its body, or of its
// attributes where the body is text.
func (rec *record) message() map[string]any {
	switch body := rec.body.(type) {
	case map[string]any:
		return body
	case string:
		if _, ok := rec.attrs["gen_ai.event.content"]; !ok && body != "" && body != rec.event {
			if _, there := rec.attrs["content"]; !there {
				out := map[string]any{"content": body}
				for _, k := range []string{"id", "role", "finish_reason", "tool_calls", "message"} {
					if v, ok := rec.attrs[k]; ok {
						out[k] = v
					}
				}
				return out
			}
		}
	}
	out := map[string]any{}
	for _, k := range []string{"gen_ai.event.content", "content", "id", "role", "finish_reason", "tool_calls", "message", "index"} {
		if v, ok := rec.attrs[k]; ok {
			out[k] = v
		}
	}
	return out
}

// details reads a record that carries what a span would.
func (b *bag) details(rec *record) {
	if body, ok := rec.body.(map[string]any); ok { // attributes in the body, as some SDKs do
		e := spanEvent{name: detailsEvent, attrs: body}
		b.events = append(b.events, e)
	}
	facts := &trace.Step{Name: rec.event, Scope: b.scope}
	b.settleKind(facts)
	if facts.Kind == trace.KindUnknown {
		facts.Kind, facts.KindSource = trace.KindLLM, "event"
	}
	b.describe(facts)
	rec.fragment.Input, rec.fragment.Output = facts.Input, facts.Output
	facts.Input, facts.Output = trace.Messages{}, trace.Messages{}
	rec.fragment.Facts = facts
}

// evaluation reads somebody else's result about a span.
func (b *bag) evaluation(rec *record) {
	e := evaluationOf(rec.attrs, "gen_ai.evaluation.", "score.value", "score.label")
	rec.fragment.Facts = &trace.Step{Hints: trace.Hints{Evaluation: e}}
}

func (b *bag) logException(rec *record) {
	b.events = append(b.events, spanEvent{name: "exception", attrs: rec.attrs})
	facts := &trace.Step{Kind: trace.KindLLM}
	b.status(facts)
	rec.fragment.Facts = facts
}

// inputOutput reads a body of the form {input: {messages}, output: {messages}},
// into which ADOT moves the content of spans.
func (rec *record) inputOutput() bool {
	body, ok := rec.body.(map[string]any)
	if !ok {
		return false
	}
	found := false
	for _, side := range []struct {
		name string
		side message.Side
		into *trace.Messages
	}{{"input", message.Input, &rec.fragment.Input}, {"output", message.Output, &rec.fragment.Output}} {
		m, ok := body[side.name].(map[string]any)
		if !ok || m["messages"] == nil {
			continue
		}
		list := nestedContents(m["messages"])
		*side.into = trace.LazyMessages(func() []trace.Message { return message.List(list, side.side) })
		found = true
	}
	return found
}

// nestedContents takes ADOT's {"content": "[…]"} and {"message": …} off the
// content of messages.
func nestedContents(data any) any {
	list, _ := data.([]any)
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			continue
		}
		inner, ok := decoded(m["content"]).(map[string]any)
		if !ok {
			continue
		}
		if c, ok := inner["content"]; ok {
			m["content"] = decoded(c)
		} else if c, ok := inner["message"]; ok {
			m["content"] = decoded(c)
		} else if c, ok := inner["tool.result"]; ok {
			m["content"] = decoded(c)
		}
		if f, ok := inner["finish_reason"]; ok {
			m["finish_reason"] = f
		}
	}
	return list
}

// finishFragment fills what every step of a record has.
func (r *Reader) finishFragment(b *bag, rec *record) {
	for _, s := range []*trace.Step{rec.fragment.Facts, rec.fragment.Step} {
		if s == nil {
			continue
		}
		s.TraceID, s.SpanID = rec.fragment.TraceID, ""
		s.Scope = b.scope
		b.serve(s)
		if s.Session == "" {
			s.Session = b.text(session)
		}
		if s.User == "" {
			s.User = b.text(user)
		}
	}
	if s := rec.fragment.Step; s != nil {
		s.ID = "log-" + strconv.FormatUint(rec.fragment.Hash, 16)
		if s.Start.IsZero() {
			s.Start = rec.fragment.Time
		}
		if s.End.IsZero() {
			s.End = rec.fragment.Time
		}
		r.keepAttributes(b, s)
	}
}

// hashRecord identifies a record by what it says, so that the same record hashes
// the same in whatever request it comes.
func hashRecord(rec *record, lr plog.LogRecord) uint64 {
	h := fnv.New64a()
	write := func(s string) {
		_, _ = h.Write([]byte(s))
		_, _ = h.Write([]byte{0})
	}
	write(strconv.FormatInt(rec.fragment.Time.UnixNano(), 10))
	write(rec.fragment.TraceID)
	write(rec.fragment.SpanID)
	write(rec.event)
	write(lr.Body().AsString())
	write(trace.EncodeJSON(rec.attrs))
	return h.Sum64()
}
