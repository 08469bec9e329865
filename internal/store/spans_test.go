package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// recorded is what a capture holds of one trace.
type recorded struct {
	spans     ptrace.Traces
	steps     []*trace.Step
	fragments []*trace.Fragment
}

// readCapture reads the files of one run: spans, and log records where there
// are any.
func readCapture(t *testing.T, reader *normalise.Reader, spans string) map[string]*recorded {
	t.Helper()
	files := []string{spans}
	if logs := strings.TrimSuffix(spans, ".otlp.jsonl") + ".logs.otlp.jsonl"; exists(logs) {
		files = append(files, logs)
	}
	traces := map[string]*recorded{}
	get := func(id string) *recorded {
		if traces[id] == nil {
			traces[id] = &recorded{spans: ptrace.NewTraces()}
		}
		return traces[id]
	}
	var mu sync.Mutex
	_, err := tracefile.Read(t.Context(), files, tracefile.Options{Workers: 1}, tracefile.Sink{
		Problem: func(p *tracefile.Problem) { t.Error(p) },
		Data: func(d tracefile.Data) error {
			mu.Lock()
			defer mu.Unlock()
			for _, rs := range d.Traces.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, s := range ss.Spans().All() {
						r := get(s.TraceID().String())
						r.steps = append(r.steps, reader.Span(rs.Resource(), ss.Scope(), s))
						to := r.spans.ResourceSpans().AppendEmpty()
						rs.Resource().CopyTo(to.Resource())
						scope := to.ScopeSpans().AppendEmpty()
						ss.Scope().CopyTo(scope.Scope())
						s.CopyTo(scope.Spans().AppendEmpty())
					}
				}
			}
			for _, rl := range d.Logs.ResourceLogs().All() {
				for _, sl := range rl.ScopeLogs().All() {
					for _, rec := range sl.LogRecords().All() {
						if f := reader.Log(rl.Resource(), sl.Scope(), rec); f != nil {
							r := get(f.TraceID)
							r.fragments = append(r.fragments, f)
						}
					}
				}
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// gradeOf makes a grade with one finding on each step and one on the trace, of
// every outcome in turn: what is carried does not depend on rules.
func gradeOf(tr *trace.Trace) *trace.Grade {
	g := &trace.Grade{Trace: tr, Evidence: evidence.Build(tr), NormaliserVersion: normalise.Version, GradedAt: time.Unix(1_796_100_000, 5).UTC()}
	count := trace.RuleCount{Rule: "every-step", RuleHash: "h1"}
	for i, s := range tr.Steps {
		f := trace.Finding{
			Rule: "every-step", RuleHash: "h1", Scope: trace.ScopeSpan, SubjectID: s.ID, SpanID: s.SpanID, StepID: s.ID,
			Outcome: trace.Outcome(1 + i%5), Severity: trace.SeverityHigh, Reason: "r", Message: "m", Witness: []string{s.Witness()},
		}
		count.Add(f.Outcome)
		g.Findings = append(g.Findings, f)
	}
	whole := trace.RuleCount{Rule: "whole", RuleHash: "h2", Fail: 1}
	g.Findings = append(g.Findings, trace.Finding{Rule: "whole", RuleHash: "h2", Scope: trace.ScopeTrace, SubjectID: tr.ID, Outcome: trace.OutcomeFail})
	g.Counts = []trace.RuleCount{count, whole}
	return g
}

// The live path sends a grade over the wire as spans, in any batches; the
// offline path makes rows of the grade itself. Both give the same rows.
func TestFromSpansEqualsFromGrade(t *testing.T) {
	captures, err := filepath.Glob("../../testdata/traces/*/S*.otlp.jsonl")
	if err != nil || len(captures) < 50 {
		t.Fatalf("%d captures, error %v", len(captures), err)
	}
	// Only the grader knows which attributes rules name.
	grader := normalise.New(normalise.Options{Attributes: []string{"gen_ai.request.model", "llm.model_name", "service.name", "nobody.has.it"}})
	exporter := normalise.New(normalise.Options{})
	for _, file := range captures {
		if strings.HasSuffix(file, ".logs.otlp.jsonl") {
			continue
		}
		t.Run(strings.TrimPrefix(file, "../../testdata/traces/"), func(t *testing.T) {
			for id, r := range readCapture(t, grader, file) {
				tr := assemble.Trace(id, r.steps, r.fragments, trace.Release{Reason: trace.ReleaseEndOfInput})
				g := gradeOf(tr)
				want := FromGrade(g, false)
				got := overTheWire(t, r, g, exporter)
				diffRows(t, want, got)
			}
		})
	}
}

// overTheWire writes g onto its spans, sends every span alone as OTLP JSON and
// makes rows of what arrives.
func overTheWire(t *testing.T, r *recorded, g *trace.Grade, reader *normalise.Reader) Batch {
	t.Helper()
	joined := map[string]bool{}
	for _, f := range r.fragments {
		joined[f.SpanID] = true
	}
	wire.Write(r.spans, g, wire.Options{
		Own:    r.steps,
		Joined: func(own *trace.Step) bool { return joined[own.SpanID] },
	})
	var got Batch
	for _, rs := range r.spans.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				one := ptrace.NewTraces()
				to := one.ResourceSpans().AppendEmpty()
				rs.Resource().CopyTo(to.Resource())
				scope := to.ScopeSpans().AppendEmpty()
				ss.Scope().CopyTo(scope.Scope())
				s.CopyTo(scope.Spans().AppendEmpty())
				data, err := (&ptrace.JSONMarshaler{}).MarshalTraces(one)
				if err != nil {
					t.Fatal(err)
				}
				back, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
				if err != nil {
					t.Fatal(err)
				}
				back.MarkReadOnly()
				got.Add(FromSpans(back, reader))
			}
		}
	}
	return got
}

// diffRows compares what ends up in the tables: of several rows with one key
// the newest.
func diffRows(t *testing.T, want, got Batch) {
	t.Helper()
	steps := map[string]StepRow{}
	for _, s := range got.Steps {
		if old, twice := steps[s.StepID]; !twice || s.RowVersion > old.RowVersion {
			steps[s.StepID] = s
		}
	}
	got.Steps = nil
	for _, s := range steps {
		got.Steps = append(got.Steps, s)
	}
	opts := []cmp.Option{
		cmpopts.EquateEmpty(),
		cmpopts.SortSlices(func(a, b StepRow) bool { return a.StepID < b.StepID }),
		cmpopts.SortSlices(func(a, b ObservationRow) bool { return fmt.Sprint(a) < fmt.Sprint(b) }),
		cmpopts.SortSlices(func(a, b LinkRow) bool { return fmt.Sprint(a) < fmt.Sprint(b) }),
		cmpopts.SortSlices(func(a, b FindingRow) bool { return a.Rule+a.Subject < b.Rule+b.Subject }),
	}
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("rows (-offline +live):\n%s", diff)
	}
}
