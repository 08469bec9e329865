package normalise_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// span is one span with what it stands in.
type span struct {
	resource pcommon.Resource
	scope    pcommon.InstrumentationScope
	span     ptrace.Span
}

// readFile reads the spans and log records of an OTLP JSON file, one document a
// line or one in all.
func readFile(t testing.TB, name string) (spans []span, logs []plog.Logs) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	docs := [][]byte{data}
	if filepath.Ext(name) == ".jsonl" {
		docs = nil
		lines := bufio.NewScanner(bytes.NewReader(data))
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			docs = append(docs, bytes.Clone(lines.Bytes()))
		}
	}
	for _, doc := range docs {
		if len(bytes.TrimSpace(doc)) == 0 {
			continue
		}
		if bytes.Contains(doc, []byte(`"resourceLogs"`)) {
			ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(doc)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			logs = append(logs, ld)
			continue
		}
		td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(doc)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					spans = append(spans, span{rs.Resource(), ss.Scope(), s})
				}
			}
		}
	}
	return spans, logs
}

// steps reads every span of a file.
func steps(t testing.TB, name string) []*trace.Step {
	t.Helper()
	r := normalise.New(normalise.Options{})
	spans, _ := readFile(t, name)
	var out []*trace.Step
	for _, s := range spans {
		out = append(out, r.Span(s.resource, s.scope, s.span))
	}
	return out
}

// make1 makes a span out of attributes, for tests of one shape.
func make1(name string, attrs map[string]any) *trace.Step {
	s := ptrace.NewSpan()
	s.SetName(name)
	_ = s.Attributes().FromRaw(attrs)
	return normalise.New(normalise.Options{}).Span(pcommon.NewResource(), pcommon.NewInstrumentationScope(), s)
}

func TestSpanOfNobody(t *testing.T) {
	s := make1("GET /", map[string]any{"http.method": "GET", "gen_ai.request.model": "gpt-4"})
	if s.Kind != trace.KindUnknown || s.KindSource != "fallback" {
		t.Errorf("kind = %v by %s, want unknown by fallback", s.Kind, s.KindSource)
	}
}
