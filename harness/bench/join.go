package bench

import (
	"bytes"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/tracegrade/tracegrade/harness/journal"
)

// request is what is known of a run when its spans are looked for.
type request struct {
	run     string
	traceID string // that the agent was given, as hex
	spanID  string // of the run itself: the parent that the agent was given
	journal []journal.Entry
}

// take hands over the spans of a run: by its trace id, else by the run id in the
// resource, else by the session, else by content: the trace that holds one of the
// texts that were served to the run and to no other. nil where there are none.
//
// To them are added the journal's entries as spans of the harness, and where the
// agent's spans are below the span that it was given as parent, that span: the
// run itself. Without it the trace would lack its root.
func (s *sink) take(m request) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.find(m)
	var all []*tracepb.ResourceSpans
	main, most := "", 0
	for _, id := range ids {
		spans := s.traces[id]
		delete(s.traces, id)
		if n := size(spans); n > most {
			main, most = id, n
		}
		if root := rootOf(spans, m.spanID, m.run); root != nil {
			spans = append(spans, root)
		}
		all = append(all, spans...)
	}
	delete(s.runs, m.run)
	if len(all) == 0 {
		return nil, nil
	}
	if len(m.journal) > 0 {
		all = append(all, journalSpans(m, main, ids, all))
	}
	return proto.Marshal(&tracepb.TracesData{ResourceSpans: all})
}

// find is the ids of the run's traces.
func (s *sink) find(m request) []string {
	if s.traces[m.traceID] != nil {
		return []string{m.traceID}
	}
	if id := s.runs[m.run]; s.traces[id] != nil {
		return []string{id}
	}
	sessions := map[string]bool{m.run: true}
	for _, e := range m.journal {
		if e.Caller.Session != "" {
			sessions[e.Caller.Session] = true
		}
	}
	if ids := s.ofSession(sessions); len(ids) > 0 {
		return ids
	}
	if id := s.fingerprint(m.journal); id != "" {
		return []string{id}
	}
	return nil
}

// ofSession is the traces with a span of one of the sessions, in order.
func (s *sink) ofSession(sessions map[string]bool) []string {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(s.traces)) {
		if anySpan(s.traces[id], func(span *tracepb.Span) bool {
			return slices.ContainsFunc(span.Attributes, func(kv *commonpb.KeyValue) bool {
				return sessions[kv.Value.GetStringValue()] && namesSession(kv.Key)
			})
		}) {
			ids = append(ids, id)
		}
	}
	return ids
}

// namesSession reports whether a key is an id of a session, conversation or
// thread, whoever writes it.
func namesSession(key string) bool {
	key = strings.ToLower(strings.NewReplacer(".", "", "_", "", "-", "").Replace(key))
	return slices.ContainsFunc([]string{"sessionid", "conversationid", "threadid", "chatid"}, func(name string) bool { return strings.HasSuffix(key, name) })
}

// journalSpans is the entries as spans of the traces that made the calls. An
// entry that does not say which goes to the largest, below its root.
func journalSpans(m request, main string, ids []string, all []*tracepb.ResourceSpans) *tracepb.ResourceSpans {
	var spans []*tracepb.Span
	for i := range m.journal {
		e := &m.journal[i]
		id := main
		if slices.Contains(ids, e.Caller.TraceID) {
			id = e.Caller.TraceID
		}
		traceID, err := hex.DecodeString(id)
		if err != nil {
			continue
		}
		spans = append(spans, e.Span(traceID, topOf(all, traceID)))
	}
	return journal.Resource(m.run, spans...)
}

// topOf is the first span of a trace that has no parent; nil where none is.
func topOf(all []*tracepb.ResourceSpans, traceID []byte) (top []byte) {
	anySpan(all, func(span *tracepb.Span) bool {
		if len(span.ParentSpanId) == 0 && bytes.Equal(span.TraceId, traceID) {
			top = span.SpanId
		}
		return top != nil
	})
	return top
}

// anySpan reports whether one of the spans is as is says.
func anySpan(all []*tracepb.ResourceSpans, is func(*tracepb.Span) bool) bool {
	for _, rs := range all {
		for _, ss := range rs.ScopeSpans {
			if slices.ContainsFunc(ss.Spans, is) {
				return true
			}
		}
	}
	return false
}

func size(all []*tracepb.ResourceSpans) (n int) {
	anySpan(all, func(*tracepb.Span) bool { n++; return false })
	return n
}

// rootOf is the span of the run, around the spans that are below it; nil where
// none is.
func rootOf(spans []*tracepb.ResourceSpans, spanID, run string) *tracepb.ResourceSpans {
	id, err := hex.DecodeString(spanID)
	if err != nil {
		return nil
	}
	var root *tracepb.Span
	anySpan(spans, func(span *tracepb.Span) bool {
		if !bytes.Equal(span.ParentSpanId, id) {
			return false
		}
		if root == nil {
			root = &tracepb.Span{
				TraceId: span.TraceId, SpanId: id, Name: "harness run", Kind: tracepb.Span_SPAN_KIND_INTERNAL,
				StartTimeUnixNano: span.StartTimeUnixNano, EndTimeUnixNano: span.EndTimeUnixNano,
				Attributes: []*commonpb.KeyValue{journal.Text(journal.RunAttribute, run)},
			}
		}
		root.StartTimeUnixNano = min(root.StartTimeUnixNano, span.StartTimeUnixNano)
		root.EndTimeUnixNano = max(root.EndTimeUnixNano, span.EndTimeUnixNano)
		return false
	})
	if root == nil {
		return nil
	}
	return journal.Resource(run, root)
}

// fingerprint is the only trace that holds one of the replies; empty where none
// or several do.
func (s *sink) fingerprint(served []journal.Entry) string {
	found := ""
	for id, spans := range s.traces {
		for _, e := range served {
			if e.Reply != "" && holds(spans, e.Reply) {
				if found != "" && found != id {
					return ""
				}
				found = id
			}
		}
	}
	return found
}

func holds(spans []*tracepb.ResourceSpans, text string) bool {
	for _, rs := range spans {
		data, err := proto.Marshal(rs)
		if err == nil && bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}
