package clickhousegradeexporter

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/tracegrade/tracegrade/internal/store"
)

// nowhere is a database that takes everything.
type nowhere struct{}

func (nowhere) Insert(context.Context, *store.Batch) error { return nil }
func (nowhere) Close() error                               { return nil }

// BenchmarkRows is what the exporter does itself with the spans of the recorded
// traces: rows and redaction, without the insert.
func BenchmarkRows(b *testing.B) {
	files, err := filepath.Glob("../../testdata/traces/*/S*.otlp.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	td := ptrace.NewTraces()
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil || strings.HasSuffix(f, ".logs.otlp.jsonl") {
			continue
		}
		for line := range strings.Lines(string(data)) {
			one, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(line))
			if err != nil {
				b.Fatal(err)
			}
			one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		}
	}
	w, err := newWriter(testConfig("clickhouse://127.0.0.1:1"), zap.NewNop())
	if err != nil {
		b.Fatal(err)
	}
	w.db = nowhere{}
	b.ReportAllocs()
	for b.Loop() {
		if err := w.write(b.Context(), td); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(td.SpanCount()), "ns/span")
}
