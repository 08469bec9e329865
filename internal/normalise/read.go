package normalise

import (
	"encoding/hex"
	"math"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kServiceName    = key("service.name")
	kServiceVersion = key("service.version")
)

// read makes the step of a loaded bag.
func (r *Reader) read(b *bag) *trace.Step {
	s := &trace.Step{Name: b.name, Scope: b.scope, Dialect: "unknown"}
	if b.isSpan {
		b.identify(s)
	}
	b.serve(s)
	if d := b.dialect(); d != nil {
		s.Dialect = d.name
	}
	b.settleKind(s)
	b.rpc(s)
	b.carry(s)
	b.describe(s)
	r.keepAttributes(b, s)
	return s
}

// describe fills the fields of a step whose kind is known.
func (b *bag) describe(s *trace.Step) {
	s.Session = b.text(session)
	s.User = b.text(user)
	s.Agent = trace.Agent{ID: b.text(agentID), Name: b.text(agentName), Version: b.text(agentVersion)}
	b.model(s)
	b.offer(s)
	b.content(s)
	b.tool(s)
	b.documents(s)
	b.given(s)
	b.verdicts(s)
	b.usage(s)
	b.price(s)
	if d := b.dialect(); d != nil && d.read != nil {
		d.read(b, s)
	}
	b.status(s)
	b.capture(s)
	b.unmapped(s)
	s.Losses = b.losses
	b.losses = nil
}

// identify copies what every span has.
func (b *bag) identify(s *trace.Step) {
	if id := b.span.SpanID(); !id.IsEmpty() {
		s.SpanID = hexText(id[:])
	} else {
		b.lose("no_id", "span_id", "")
	}
	s.ID = s.SpanID
	if id := b.span.TraceID(); !id.IsEmpty() {
		if id != b.ids.trace {
			b.ids.trace, b.ids.traceText = id, hexText(id[:])
		}
		s.TraceID = b.ids.traceText
	} else {
		b.lose("no_id", "trace_id", "")
	}
	if id := b.span.ParentSpanID(); !id.IsEmpty() {
		if id != b.ids.parent {
			b.ids.parent, b.ids.parentText = id, hexText(id[:])
		}
		s.ParentID = b.ids.parentText
	}
	s.Start, s.End = b.moment("start", b.span.StartTimestamp()), b.moment("end", b.span.EndTimestamp())
	if !s.End.IsZero() && s.End.Before(s.Start) {
		b.lose("no_time", "end", "before the start")
	}
	for i := 0; i < b.span.Links().Len() && i < linksMax; i++ {
		l := b.span.Links().At(i)
		s.Hints.Links = append(s.Hints.Links, trace.Link{TraceID: l.TraceID().String(), SpanID: l.SpanID().String()})
	}
}

// moment reads a time of the span. 0 is none, and what does not fit into the
// nanoseconds of 292 years is nonsense.
func (b *bag) moment(key string, t pcommon.Timestamp) time.Time {
	switch {
	case t == 0:
		b.lose("no_time", key, "")
		return time.Time{}
	case t > math.MaxInt64:
		b.lose("no_time", key, "beyond the year 2262")
		return time.Time{}
	}
	return t.AsTime()
}

// hexText is an id of at most 16 bytes as text.
func hexText(id []byte) string {
	var text [32]byte
	return string(text[:hex.Encode(text[:], id)])
}

// linksMax bounds the links of one span.
const linksMax = 100

// serve finds the service: of the resource, else of the span (OpenLIT).
func (b *bag) serve(s *trace.Step) {
	s.Service = trace.Service{Name: resourceText(b.resource, "service.name"), Version: resourceText(b.resource, "service.version")}
	if s.Service.Name == "" {
		s.Service.Name = b.str(kServiceName)
	}
	if s.Service.Version == "" {
		s.Service.Version = b.str(kServiceVersion)
	}
}

func resourceText(resource pcommon.Resource, key string) string {
	if v, ok := resource.Attributes().Get(key); ok {
		return v.AsString()
	}
	return ""
}

// keepAttributes copies the attributes that rules name.
func (r *Reader) keepAttributes(b *bag, s *trace.Step) {
	for _, k := range r.keep {
		v, ok := b.lookup(k)
		if !ok {
			v, ok = b.resource.Attributes().Get(k)
		}
		if !ok {
			continue
		}
		if s.Attributes == nil {
			s.Attributes = make(map[string]any, len(r.keep))
		}
		s.Attributes[k] = rawValue(v, 0)
	}
}

// Attributes is what [Options].Attributes with the given keys would keep of a
// span.
func (r *Reader) Attributes(resource pcommon.Resource, span ptrace.Span, keys []string) map[string]any {
	kept := make(map[string]any, len(keys))
	for _, k := range keys {
		v, ok := span.Attributes().Get(k)
		if !ok {
			v, ok = resource.Attributes().Get(k)
		}
		if ok {
			kept[k] = rawValue(v, 0)
		}
	}
	return kept
}

// lookup finds an attribute by any key, those of no table included.
func (b *bag) lookup(k string) (pcommon.Value, bool) {
	for i := range b.attrs {
		if b.attrs[i].key == k {
			return b.attrs[i].val, true
		}
	}
	return pcommon.Value{}, false
}
