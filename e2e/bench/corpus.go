package main

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// corpus is the recorded traces, from which any number of traces is made by
// giving them fresh ids.
type corpus struct {
	list  []*recorded
	spans int
	bytes int // as protobuf
}

// recorded is one trace, each span with its resource and scope.
type recorded struct {
	folder string // below the folder of all recordings
	spans  []recordedSpan
}

type recordedSpan struct {
	resource ptrace.ResourceSpans
	scope    ptrace.ScopeSpans
	span     ptrace.Span
}

// readCorpus reads recorded traces, in the order of their files: the names of
// the files begin as pattern says; empty for all.
func readCorpus(dir, pattern string) (*corpus, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", pattern+"*.otlp.jsonl"))
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".logs.otlp.jsonl") })
	if len(files) == 0 {
		return nil, fmt.Errorf("no recorded traces in %s", dir)
	}
	c := &corpus{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		byID := map[pcommon.TraceID]*recorded{}
		for line := range strings.Lines(string(data)) {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f, err)
			}
			c.bytes += (&ptrace.ProtoMarshaler{}).TracesSize(td)
			for _, rs := range td.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						r := byID[s.TraceID()]
						if r == nil {
							r = &recorded{folder: filepath.Base(filepath.Dir(f))}
							byID[s.TraceID()] = r
							c.list = append(c.list, r)
						}
						r.spans = append(r.spans, recordedSpan{rs, ss, s})
						c.spans++
					}
				}
			}
		}
	}
	return c, nil
}

// source makes traces with fresh ids, one after the other.
type source struct {
	corpus *corpus
	next   uint64 // number of the next trace
	rest   []recordedSpan
	id     pcommon.TraceID
}

// traceID is the id of the n-th trace that a source makes.
func traceID(n uint64) (id pcommon.TraceID) {
	id[0] = 0xbe
	binary.BigEndian.PutUint64(id[8:], n)
	return id
}

// request makes a request of n spans. A trace may go on in the next one, as it
// does with real exporters.
func (s *source) request(n int) ptrace.Traces {
	td := ptrace.NewTraces()
	var last recordedSpan
	var to ptrace.SpanSlice
	for ; n > 0; n-- {
		if len(s.rest) == 0 {
			s.rest = s.corpus.list[int(s.next)%len(s.corpus.list)].spans
			s.id = traceID(s.next)
			s.next++
		}
		r := s.rest[0]
		s.rest = s.rest[1:]
		if r.resource != last.resource || r.scope != last.scope {
			rs := td.ResourceSpans().AppendEmpty()
			r.resource.Resource().CopyTo(rs.Resource())
			ss := rs.ScopeSpans().AppendEmpty()
			r.scope.Scope().CopyTo(ss.Scope())
			to, last = ss.Spans(), r
		}
		span := to.AppendEmpty()
		r.span.CopyTo(span)
		span.SetTraceID(s.id)
	}
	return td
}

// whole makes a request of whole traces with at least n spans.
func (s *source) whole(n int) ptrace.Traces {
	td := s.request(n)
	if len(s.rest) > 0 {
		s.request(len(s.rest)).ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	return td
}
