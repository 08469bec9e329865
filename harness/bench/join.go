package bench

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
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

// take hands over the spans of a run: those in the trace that the agent was given
// and those whose resource names the run, else those of its session, else by
// content: the trace that holds one of the texts that were served to the run and
// to no other. nil where there are none.
//
// An agent may make a trace of its own for every turn, or for every call of its
// model: several traces become the run's one. To the spans are added the run
// itself, where they are below the span that the agent was given as parent, since
// the trace would else lack its root; and the journal's entries as spans of the
// harness. Log records follow their spans, as a message of their own.
func (s *sink) take(m request) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := s.find(m)
	var all []*tracepb.ResourceSpans
	var logs []*logspb.ResourceLogs
	for _, id := range ids {
		all, logs = append(all, s.traces[id]...), append(logs, s.logs[id]...)
		delete(s.traces, id)
		delete(s.logs, id)
	}
	delete(s.runs, m.run)
	if len(all) == 0 {
		return nil, nil
	}
	id := ids[0]
	if len(ids) > 1 {
		id = m.traceID
		if err := join(all, logs, m); err != nil {
			return nil, err
		}
	}
	if root := rootOf(all, m.spanID, m.run); root != nil {
		all = append(all, root)
	}
	if len(m.journal) > 0 {
		spans, err := journalSpans(m, id, ids, all)
		if err != nil {
			return nil, err
		}
		all = append(all, spans)
	}
	spans, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: all})
	if err != nil || len(logs) == 0 {
		return spans, err
	}
	records, err := proto.Marshal(&logspb.LogsData{ResourceLogs: logs})
	if err != nil {
		return nil, err
	}
	return slices.Concat(framed(spans), framed(records)), nil
}

// framed is a message behind its length, as files of several messages have it.
func framed(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)
}

// find is the ids of the run's traces.
func (s *sink) find(m request) []string {
	if ids := s.named(m); len(ids) > 0 {
		return ids
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

// named is the ids of the traces that the run was given or that name it.
func (s *sink) named(m request) []string {
	ids := slices.Clone(s.runs[m.run])
	if s.traces[m.traceID] != nil && !slices.Contains(ids, m.traceID) {
		ids = append(ids, m.traceID)
	}
	return ids
}

// join puts spans and records of several traces below the run's span, in its
// trace.
func join(all []*tracepb.ResourceSpans, logs []*logspb.ResourceLogs, m request) error {
	traceID, err := hex.DecodeString(m.traceID)
	if err != nil {
		return fmt.Errorf("join the traces of run %s: %w", m.run, err)
	}
	spanID, err := hex.DecodeString(m.spanID)
	if err != nil {
		return fmt.Errorf("join the traces of run %s: %w", m.run, err)
	}
	anySpan(all, func(span *tracepb.Span) bool {
		span.TraceId = traceID
		if len(span.ParentSpanId) == 0 {
			span.ParentSpanId = spanID
		}
		return false
	})
	for _, rl := range logs {
		for _, sl := range rl.ScopeLogs {
			for _, r := range sl.LogRecords {
				r.TraceId = traceID
			}
		}
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

// journalSpans is the entries as spans of the trace, below the spans of the calls
// where those were in one of the run's traces, else below the root.
func journalSpans(m request, id string, ids []string, all []*tracepb.ResourceSpans) (*tracepb.ResourceSpans, error) {
	traceID, err := hex.DecodeString(id)
	if err != nil {
		return nil, fmt.Errorf("put the journal of run %s into its trace: %w", m.run, err)
	}
	top := topOf(all)
	var spans []*tracepb.Span
	for _, e := range m.journal {
		if slices.Contains(ids, e.Caller.TraceID) {
			e.Caller.TraceID = id
		}
		spans = append(spans, e.Span(traceID, top))
	}
	return journal.Resource(m.run, spans...), nil
}

// topOf is the first span that has no parent; nil where none is.
func topOf(all []*tracepb.ResourceSpans) (top []byte) {
	anySpan(all, func(span *tracepb.Span) bool {
		if len(span.ParentSpanId) == 0 {
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
			if e.Reply != "" && !e.Refused && holds(spans, e.Reply) {
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
