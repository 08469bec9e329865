package assemble_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
)

const tracesDir = "../../testdata/traces"

// recording is what a file holds, read but not assembled.
type recording struct {
	order     []string // trace ids, in order of first arrival
	steps     map[string][]*trace.Step
	fragments map[string][]*trace.Fragment
}

// record reads the spans and logs of files that match a pattern.
func record(t testing.TB, pattern string) *recording {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(tracesDir, pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files %s: %v", pattern, err)
	}
	rec := &recording{steps: make(map[string][]*trace.Step), fragments: make(map[string][]*trace.Fragment)}
	reader := normalise.New(normalise.Options{})
	var mu sync.Mutex
	_, err = tracefile.Read(context.Background(), files, tracefile.Options{Workers: 1}, tracefile.Sink{
		Data: func(d tracefile.Data) error {
			mu.Lock()
			defer mu.Unlock()
			rec.spans(reader, d.Traces)
			rec.logs(reader, d.Logs)
			return nil
		},
		Problem: func(p *tracefile.Problem) { t.Errorf("read %v", p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func (r *recording) spans(reader *normalise.Reader, td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				step := reader.Span(rs.Resource(), ss.Scope(), s)
				r.know(step.TraceID)
				r.steps[step.TraceID] = append(r.steps[step.TraceID], step)
			}
		}
	}
}

func (r *recording) logs(reader *normalise.Reader, ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, l := range sl.LogRecords().All() {
				if f := reader.Log(rl.Resource(), sl.Scope(), l); f != nil {
					r.know(f.TraceID)
					r.fragments[f.TraceID] = append(r.fragments[f.TraceID], f)
				}
			}
		}
	}
}

func (r *recording) know(id string) {
	if r.steps[id] == nil && r.fragments[id] == nil {
		r.order = append(r.order, id)
	}
}

// assemble makes the traces of a recording.
func (r *recording) assemble() []*trace.Trace {
	var traces []*trace.Trace
	for _, id := range r.order {
		traces = append(traces, assemble.Trace(id, r.steps[id], r.fragments[id], trace.Release{Reason: trace.ReleaseEndOfInput}))
	}
	return traces
}
