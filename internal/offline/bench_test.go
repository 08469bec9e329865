package offline_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// cpu is the process's CPU time: on a busy machine the clock says little.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// recording is the captured traces as the lines of OTLP JSON files.
func recording(b *testing.B) (lines [][]byte, size int) {
	files, err := filepath.Glob("../../testdata/traces/*/S*[0-9].otlp.jsonl")
	if err != nil || len(files) == 0 {
		b.Fatalf("no captured traces: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			lines = append(lines, line)
			size += len(line)
		}
	}
	return lines, size
}

// renewed gives the traces of td ids that depend on n.
func renewed(td ptrace.Traces, n uint32) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				id := s.TraceID()
				binary.BigEndian.PutUint32(id[:], n)
				s.SetTraceID(id)
			}
		}
	}
}

// stages adds up the CPU time of each part of the pipeline.
type stages struct {
	names []string
	spent map[string]time.Duration
	last  time.Duration
}

func (s *stages) done(name string) {
	now := cpu()
	if _, known := s.spent[name]; !known {
		s.names = append(s.names, name)
	}
	s.spent[name] += now - s.last
	s.last = cpu()
}

// BenchmarkStages is what each stage costs a span of the captured traces, in
// microseconds of CPU: the stages run one after the other over all traces, each
// time with fresh ids. "evidence again" and "graded" go over the same traces
// once more; their difference is the rules alone.
func BenchmarkStages(b *testing.B) {
	packs := []string{"pack:reliability", "pack:evidence", "pack:efficiency"}
	if os.Getenv("TRACEGRADE_BENCH_PACKS") == "all" {
		packs = []string{"pack:all"}
	}
	set, err := ruleset.Load(packs)
	if err != nil {
		b.Fatal(err)
	}
	lines, size := recording(b)
	reader := normalise.New(normalise.Options{Attributes: set.Attributes()})
	st := &stages{spent: map[string]time.Duration{}}
	spans, n := 0, uint32(0)
	b.ReportAllocs()
	for b.Loop() {
		n++
		docs := make([]ptrace.Traces, len(lines))
		st.last = cpu()
		for i, line := range lines {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			if err != nil {
				b.Fatal(err)
			}
			docs[i] = td
		}
		st.done("unmarshal")
		for _, td := range docs {
			renewed(td, n)
			spans += td.SpanCount()
		}
		steps, order := map[string][]*trace.Step{}, []string(nil)
		byTrace := map[string]ptrace.Traces{}
		st.last = cpu()
		for _, td := range docs {
			for _, rs := range td.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						step := reader.Span(rs.Resource(), ss.Scope(), s)
						if steps[step.TraceID] == nil {
							order = append(order, step.TraceID)
						}
						steps[step.TraceID] = append(steps[step.TraceID], step)
					}
				}
			}
		}
		st.done("normalise")
		for _, td := range docs {
			for _, rs := range td.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						id := s.TraceID().String()
						if _, ok := byTrace[id]; !ok {
							byTrace[id] = ptrace.NewTraces()
						}
						to := byTrace[id].ResourceSpans().AppendEmpty()
						rs.Resource().CopyTo(to.Resource())
						in := to.ScopeSpans().AppendEmpty()
						ss.Scope().CopyTo(in.Scope())
						s.CopyTo(in.Spans().AppendEmpty())
					}
				}
			}
		}
		traces := make([]*trace.Trace, len(order))
		grades := make([]*trace.Grade, len(order))
		st.last = cpu()
		for i, id := range order {
			traces[i] = assemble.Trace(id, steps[id], nil, trace.Release{Reason: trace.ReleaseEndOfInput})
		}
		st.done("assemble")
		for _, t := range traces {
			evidence.Build(t)
		}
		st.done("evidence")
		for _, t := range traces {
			evidence.Build(t)
		}
		st.done("evidence again")
		for i, t := range traces {
			grades[i] = grade.Trace(set, t, time.Unix(0, 1))
		}
		st.done("graded")
		for i, id := range order {
			wire.Write(byTrace[id], grades[i], wire.Options{Own: steps[id]})
		}
		st.done("wire")
	}
	for _, name := range st.names {
		b.ReportMetric(float64(st.spent[name].Nanoseconds())/1e3/float64(spans), "us-"+strings.ReplaceAll(name, " ", "-")+"/span")
	}
	b.ReportMetric(float64(st.spent["graded"]-st.spent["evidence again"])/1e3/float64(spans), "us-rules/span")
	b.ReportMetric(float64(size)/float64(spans/int(n)), "bytes/span")
}
