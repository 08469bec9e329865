package gradeprocessor

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
)

// BenchmarkPipeline is the processor alone, in CPU time per span of the recorded
// traces: what it costs between a decoded request and the next consumer. With
// rubrics, no more traces are admitted to the judges.
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
			n, spent := uint64(0), time.Duration(0)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				round := make([]ptrace.Traces, len(list))
				for i, request := range list {
					td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(request)
					if err != nil {
						b.Fatal(err)
					}
					round[i] = td
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
				g.buffer = assemble.NewBuffer(cfg.Assemble.options(), g.release)
				before := cpu()
				b.StartTimer()
				for _, td := range round {
					if err := p.ConsumeTraces(b.Context(), td); err != nil {
						b.Fatal(err)
					}
				}
				if err := g.buffer.Shutdown(b.Context()); err != nil {
					b.Fatal(err)
				}
				spent += cpu() - before
			}
			b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N)/float64(spans), "cpu-ns/span")
		})
	}
}

// recordedTraces reads the recorded runs, one request a run, as they are sent.
func recordedTraces(b *testing.B) ([][]byte, int) {
	b.Helper()
	files, err := filepath.Glob("../../testdata/traces/*/S*.otlp.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	var list [][]byte
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
		request, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(all)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, request)
	}
	return list, spans
}

// cpu is the process's CPU time: on a busy machine the clock says little.
func cpu() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
