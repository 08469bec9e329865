package offline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
)

const captured = "../../testdata/traces/"

func options(t *testing.T) Options {
	return Options{Problem: func(p *tracefile.Problem) { t.Error(p) }}
}

// S2 of otel-openai: three model calls whose content comes as log records in a
// file of their own (truth file: two searches, two results).
func TestLogsOfAnotherFileJoin(t *testing.T) {
	traces, stats, err := Traces(context.Background(), []string{captured + "otel-openai/S2.logs.otlp.jsonl", captured + "otel-openai/S2.otlp.jsonl"}, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 1 || stats.Traces != 1 || stats.Unjoined != 0 {
		t.Fatalf("%d traces, stats %+v; want 1 and nothing unjoined", len(traces), stats)
	}
	var tools []string
	for _, s := range traces[0].Steps {
		if s.Kind == trace.KindTool {
			tools = append(tools, s.Tool.Name+" "+s.Tool.Arguments.Text())
		}
	}
	want := []string{`search_web {"query":"Nimbus Pad 12 price"}`, `search_web {"query":"Nimbus official store Pad 12 price"}`}
	if diff := cmp.Diff(want, tools); diff != "" {
		t.Error(diff)
	}
	if r := traces[0].Release; r.Reason != trace.ReleaseEndOfInput || !r.Complete {
		t.Errorf("release %+v, want complete at the end of the input", r)
	}
}

// S5: three user turns, a trace each, in the order in which they were asked.
func TestTracesComeInTheOrderInWhichTheyBegan(t *testing.T) {
	traces, _, err := Traces(context.Background(), []string{captured + "openinference-manual/S5.otlp.jsonl"}, options(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 3 {
		t.Fatalf("%d traces, want 3", len(traces))
	}
	for i := 1; i < len(traces); i++ {
		if traces[i].Start.Before(traces[i-1].Start) {
			t.Errorf("trace %d began before trace %d", i, i-1)
		}
	}
}

func TestSpansAreKeptWithTheirTrace(t *testing.T) {
	o := options(t)
	o.KeepSpans = true
	total := 0
	stats, err := Each(context.Background(), []string{captured + "openinference-manual/S5.otlp.jsonl"}, o, func(i Item) Item { return i }, func(i Item) error {
		for _, rs := range i.Spans.ResourceSpans().All() {
			if service, _ := rs.Resource().Attributes().Get("service.name"); service.Str() != "openinference-manual-agent" {
				t.Errorf("service.name is %q", service.Str())
			}
			for _, s := range rs.ScopeSpans().At(0).Spans().All() {
				if total++; s.TraceID().String() != i.Trace.ID {
					t.Errorf("a span of trace %s came with trace %s", s.TraceID(), i.Trace.ID)
				}
			}
		}
		return nil
	})
	if err != nil || total != stats.Spans || total == 0 {
		t.Errorf("%d spans kept of %d read, err %v", total, stats.Spans, err)
	}
}

// A log record without a trace id belongs to the span with its response id; one
// that fits nowhere is counted.
func TestRecordsWithoutATraceID(t *testing.T) {
	const (
		span = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"chat m","startTimeUnixNano":"5","endTimeUnixNano":"6",
			"attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.response.id","value":{"stringValue":"r1"}}]}]}]}]}`
		record = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"7","eventName":"gen_ai.client.inference.operation.details","attributes":[
			{"key":"gen_ai.response.id","value":{"stringValue":"ID"}},
			{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"joined\"}]}]"}}]}]}]}]}`
	)
	o := options(t)
	o.Input.Stdin = strings.NewReader(strings.ReplaceAll(record, "ID", "r1") + span + strings.ReplaceAll(record, "ID", "nowhere"))
	traces, stats, err := Traces(context.Background(), []string{"-"}, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(traces) != 1 || traces[0].Answer != "joined" {
		t.Errorf("traces %+v, want one with the answer of its record", traces)
	}
	if stats.Unjoined != 1 {
		t.Errorf("%d unjoined records, want 1", stats.Unjoined)
	}
}

// Conversations without times come in the order of their files and lines, and
// say where they stand, held in memory or not.
func TestConversationsKeepTheOrderOfTheInputs(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, questions ...string) string {
		var text strings.Builder
		for _, q := range questions {
			text.WriteString(`{"messages": [{"role": "user", "content": "` + q + `"}, {"role": "assistant", "content": "a"}]}` + "\n")
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	z, a := write("z.jsonl", "one", "two", "three", "four"), write("a.jsonl", "five", "six")
	want := []string{"one " + z + ":1", "two " + z + ":2", "three " + z + ":3", "four " + z + ":4", "five " + a + ":1", "six " + a + ":2"}
	for _, memory := range []int64{0, 1} {
		o := options(t)
		o.Memory = memory
		traces, _, err := Traces(context.Background(), []string{z, a}, o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, tr := range traces {
			got = append(got, tr.Question+" "+tr.Source)
		}
		if memory > 0 { // what is in temporary files comes in their order
			slices.SortFunc(got, func(x, y string) int { return slices.Index(want, x) - slices.Index(want, y) })
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("memory %d (-want +got):\n%s", memory, diff)
		}
	}
}

// Traces whose memory is used again for those that follow are the same, down to
// the last field of each step.
func TestRecycledTracesAreTheSame(t *testing.T) {
	files, err := filepath.Glob(captured + "*/S*.otlp.jsonl")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d captured files: %v", len(files), err)
	}
	traces, _, err := Traces(t.Context(), files, options(t))
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, tr := range traces {
		want = append(want, written(tr))
	}
	_, err = Each(t.Context(), files, options(t), func(i Item) Item { return i }, func(i Item) error {
		got = append(got, written(i.Trace))
		i.Recycle()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// written is the digest of a trace, which is of its content, and what assembly
// put beside it.
func written(tr *trace.Trace) string {
	s := tr.ID + " " + tr.Digest
	for _, step := range tr.Steps {
		s += fmt.Sprintf(" %s %s %s %d", step.ID, step.CausedBy, step.Agent.Name, step.Turn)
	}
	return s
}

// A run that is stopped says how many traces were not handed on, in memory or not.
func TestStoppedEach(t *testing.T) {
	var lines strings.Builder
	for i := range 300 {
		fmt.Fprintf(&lines, `{"messages": [{"role": "user", "content": "q%d"}, {"role": "assistant", "content": "a"}]}`+"\n", i)
	}
	path := filepath.Join(t.TempDir(), "many.jsonl")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{0, 1} {
		o := options(t)
		o.Memory, o.Workers = memory, 1
		why := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		n := 0
		stats, err := Each(ctx, []string{path}, o, func(i Item) *trace.Trace { return i.Trace }, func(*trace.Trace) error {
			if n++; n == 5 {
				cancel(why)
			}
			return nil
		})
		if !errors.Is(err, why) || stats.Traces != 300 || stats.Left != 300-n || n < 5 || n > 10 {
			t.Errorf("memory %d: %d handed on, %d of %d left, err %v; want few, and the rest left", memory, n, stats.Left, stats.Traces, err)
		}
	}
}
