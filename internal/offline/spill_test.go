package offline

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// everything is all that Each hands on of the given inputs, by trace id.
func everything(t *testing.T, memory int64, inputs ...string) (map[string]string, Stats) {
	t.Helper()
	o := options(t)
	o.Memory, o.KeepSpans = memory, true
	got := make(map[string]string)
	stats, err := Each(context.Background(), inputs, o,
		func(i Item) [2]string {
			return [2]string{i.Trace.ID, fmt.Sprintf("%s, revision %d, %d unjoined, spans %s", i.Trace.Digest, i.Trace.Revision, i.Trace.Unjoined, spanIDs(i.Spans))}
		},
		func(r [2]string) error {
			if got[r[0]] != "" {
				t.Errorf("trace %s came twice", r[0])
			}
			got[r[0]] = r[1]
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return got, stats
}

// spanIDs lists the spans that came with a trace, in no order.
func spanIDs(td ptrace.Traces) string {
	var ids []string
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				ids = append(ids, s.SpanID().String()+" "+ss.Scope().Name())
			}
		}
	}
	slices.Sort(ids)
	return fmt.Sprint(ids)
}

// What does not fit into memory gives the same traces out of temporary files.
func TestSpilledTracesAreTheSame(t *testing.T) {
	var inputs []string
	for _, framework := range []string{"otel-openai", "langchain-openinference", "strands", "openlit", "openinference-openai"} {
		files, err := filepath.Glob(captured + framework + "/*.otlp.jsonl")
		if err != nil || len(files) == 0 {
			t.Fatalf("no runs of %s: %v", framework, err)
		}
		inputs = append(inputs, files...)
	}
	want, all := everything(t, 0, inputs...)
	if len(want) < 50 {
		t.Fatalf("%d traces, want more than 50", len(want))
	}
	for _, memory := range []int64{1, 100_000, 1_000_000} {
		t.Run(fmt.Sprint(memory), func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("TMPDIR", dir)
			got, stats := everything(t, memory, inputs...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-in memory +spilled):\n%s", diff)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left in the folder for temporary files: %v, %v", left, err)
			}
			if stats != all {
				t.Errorf("stats %+v, want %+v", stats, all)
			}
		})
	}
}

// A log record that names only a reply finds it in the temporary files too.
func TestSpilledReplies(t *testing.T) {
	spans := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"chat m",` +
		`"startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},` +
		`{"key":"gen_ai.response.id","value":{"stringValue":"r1"}}]}]}]}]}`
	logs := `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"2","eventName":"gen_ai.client.inference.operation.details","attributes":[` +
		`{"key":"gen_ai.response.id","value":{"stringValue":"r1"}},` +
		`{"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"hello\"}]}]"}}]}]}]}]}`
	for _, memory := range []int64{0, 1} {
		o := options(t)
		o.Memory = memory
		o.Input.Stdin = bytes.NewReader([]byte(logs + "\n" + spans + "\n"))
		var traces []*trace.Trace
		stats, err := Each(context.Background(), []string{"-"}, o, func(i Item) *trace.Trace { return i.Trace },
			func(tr *trace.Trace) error { traces = append(traces, tr); return nil })
		if err != nil {
			t.Fatal(err)
		}
		if len(traces) != 1 || traces[0].Answer != "hello" || stats.Unjoined != 0 {
			t.Errorf("memory %d: %d traces, stats %+v", memory, len(traces), stats)
		}
	}
}

// An attribute that is nested deeper than protobuf is read does not end a run
// that spills, and its trace is the same as one that was held.
func TestDeepAttributesSpill(t *testing.T) {
	deep := strings.Repeat(`{"arrayValue":{"values":[`, 300) + `{"stringValue":"bottom"}` + strings.Repeat(`]}}`, 300)
	file := filepath.Join(t.TempDir(), "deep.json")
	text := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"chat m",` +
		`"startTimeUnixNano":"1","endTimeUnixNano":"2","attributes":[{"key":"gen_ai.output.messages","value":` + deep + `}]}]}]}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	held, _ := everything(t, 0, file)
	spilled, _ := everything(t, 1, file)
	if diff := cmp.Diff(held, spilled); diff != "" || len(held) != 1 {
		t.Errorf("%d traces (-held +spilled):\n%s", len(held), diff)
	}
}
