package gradeprocessor

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// BenchmarkPipeline is the processor alone, per span of the recorded traces:
// what it costs between a decoded request and the next consumer. With rubrics,
// no more traces are admitted to the judges.
func BenchmarkPipeline(b *testing.B) {
	for _, way := range []struct {
		name, rules string
		rubrics     []string
	}{{"reliability", "pack:reliability", nil}, {"all", "pack:all", nil}, {"all with rubrics", "pack:all", []string{"pack:all"}}} {
		b.Run(way.name, func(b *testing.B) {
			cfg := createDefaultConfig().(*Config)
			cfg.Rules, cfg.ReloadInterval = []string{way.rules}, 0
			if way.rubrics != nil {
				cfg.Rubrics.Files, cfg.Rubrics.Judges = way.rubrics, filepath.Join("testdata", "judges.yaml")
			}
			cfg.Assemble.TotalBytes = 16 << 30
			f := NewFactory()
			p, err := f.CreateTraces(b.Context(), nop(), cfg, consumertest.NewNop())
			if err != nil {
				b.Fatal(err)
			}
			g := p.(*traces).Value
			if err := g.rules.open(); err != nil {
				b.Fatal(err)
			}
			defer g.rules.close()
			g.stage.hold.Traces = 0
			g.out.send = func(ptrace.Traces) {}
			list, spans := recordedTraces(b)
			n := uint64(0)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				round := make([]ptrace.Traces, len(list))
				for i, td := range list {
					round[i] = ptrace.NewTraces()
					td.CopyTo(round[i])
					n++
					for _, rs := range round[i].ResourceSpans().All() {
						for _, ss := range rs.ScopeSpans().All() {
							for _, s := range ss.Spans().All() {
								id := s.TraceID()
								binary.BigEndian.PutUint64(id[:], n)
								s.SetTraceID(id)
							}
						}
					}
				}
				b.StartTimer()
				for _, td := range round {
					arrivals, _ := g.arrivals(td)
					for i := range arrivals {
						g.release(releasedOf(&arrivals[i]))
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(spans), "ns/span")
		})
	}
}

// recordedTraces reads the recorded runs, one request a run.
func recordedTraces(b *testing.B) ([]ptrace.Traces, int) {
	b.Helper()
	files, err := filepath.Glob("../../testdata/traces/*/S*.otlp.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	var list []ptrace.Traces
	spans := 0
	for _, f := range files {
		if strings.HasSuffix(f, ".logs.otlp.jsonl") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			b.Fatal(err)
		}
		all := ptrace.NewTraces()
		for line := range strings.Lines(string(data)) {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
			if err != nil {
				b.Fatal(err)
			}
			td.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
		}
		spans += all.SpanCount()
		list = append(list, all)
	}
	return list, spans
}

// releasedOf is what the buffer makes of an arrival that is a whole trace.
func releasedOf(a *assemble.Arrival[payload]) assemble.Released[payload] {
	return assemble.Released[payload]{
		TraceID: a.TraceID, Payloads: []payload{a.Payload}, Spans: len(a.Steps),
		Trace: assemble.Trace(a.TraceID, a.Steps, a.Fragments, trace.Release{Reason: trace.ReleaseRootQuiet}),
	}
}
