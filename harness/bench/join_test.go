package bench

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// The journal stands in the agent's trace, one span for each call, below the
// agent's own record of it; and no step is counted twice.
func TestJournalInTheTrace(t *testing.T) {
	c := oneCase(t)
	dir := t.TempDir()
	f, err := agent.BuiltIn("recoverer")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), Options{Cases: []*cases.Case{c}, Agents: []*agent.File{f}, Arms: []cases.Arm{cases.Trapped}, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	runs, err := Records(filepath.Join(dir, RunsFile))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	entries, err := Journal(filepath.Join(dir, JournalFile))
	if err != nil {
		t.Fatal(err)
	}
	traces, _, err := offline.Traces(context.Background(), []string{filepath.Join(dir, TracesDir, runs[0].Run+".pb")}, offline.Options{})
	if err != nil || len(traces) != 1 {
		t.Fatalf("%d traces, %v", len(traces), err)
	}
	byID := map[string]*trace.Step{}
	for _, s := range traces[0].Steps {
		byID[s.SpanID] = s
	}
	served := 0
	for _, s := range traces[0].Steps {
		tool, ok := strings.CutPrefix(s.Name, "harness ")
		if !ok || tool == "run" {
			continue
		}
		served++
		p := byID[s.ParentID]
		if p == nil || p.Kind != trace.KindTool || p.Tool.Name != tool {
			t.Errorf("%s is below %+v, want the agent's own span of the call", s.Name, p)
		}
		if s.Kind != trace.KindUnknown || s.Tool != nil || s.Input.Captured() || s.Output.Captured() {
			t.Errorf("%s is a step of kind %v", s.Name, s.Kind)
		}
	}
	if served != len(entries) || runs[0].Calls != len(entries) || served == 0 {
		t.Errorf("%d spans of the harness and %d calls of the agent, the journal has %d", served, runs[0].Calls, len(entries))
	}
}

func span(trace, id, parent string, attributes ...*commonpb.KeyValue) *tracepb.Span {
	bytes := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			panic(err)
		}
		return b
	}
	return &tracepb.Span{TraceId: bytes(trace), SpanId: bytes(id), ParentSpanId: bytes(parent), Attributes: attributes}
}

// A run that neither kept the trace it was given nor tells its run id is found
// by its session, in as many traces as it has; another's traces stay.
func TestJoinBySession(t *testing.T) {
	trace := func(digit string) string { return strings.Repeat(digit, 32) }
	tests := []struct {
		name    string
		session string // of the baggage
		key     string
		value   string
	}{
		{"the run is the session", "", "langfuse.session.id", "run-7"},
		{"the session came with a call", "s-1", "gen_ai.conversation.id", "s-1"},
		{"a thread", "s-1", "langsmith.metadata.thread_id", "s-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSink()
			s.add(&coltrace.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{
				span(trace("a"), "00000000000000a1", "", journal.Text(tt.key, tt.value)), span(trace("a"), "00000000000000a2", "00000000000000a1"),
				span(trace("b"), "00000000000000b1", "", journal.Text(tt.key, tt.value)),
				span(trace("c"), "00000000000000c1", "", journal.Text(tt.key, "other"), journal.Text("note", tt.value)),
			}}}}}})
			data, err := s.take(request{run: "run-7", traceID: trace("d"), spanID: "00000000000000d1", journal: []journal.Entry{
				{Run: "run-7", Seq: 1, Tool: "search", Caller: journal.Caller{Session: tt.session}},
				{Run: "run-7", Seq: 2, Tool: "search", Caller: journal.Caller{TraceID: trace("b"), SpanID: "00000000000000b1"}},
			}})
			if err != nil {
				t.Fatal(err)
			}
			var msg tracepb.TracesData
			if err := proto.Unmarshal(data, &msg); err != nil {
				t.Fatal(err)
			}
			// The two traces are one below the run; the entry that does not say
			// whose it is stands below the run too.
			const run, a1, a2, b1 = "00000000000000d1", "00000000000000a1", "00000000000000a2", "00000000000000b1"
			want := map[string][]string{"": {"harness run"}, run: {a1, b1, "harness search"}, a1: {a2}, b1: {"harness search"}}
			got := map[string][]string{}
			anySpan(msg.ResourceSpans, func(sp *tracepb.Span) bool {
				name, parent := cmp.Or(sp.Name, hex.EncodeToString(sp.SpanId)), hex.EncodeToString(sp.ParentSpanId)
				got[parent] = append(got[parent], name)
				if id := hex.EncodeToString(sp.TraceId); id != trace("d") {
					t.Errorf("%s is in the trace %s, want the run's", name, id)
				}
				return false
			})
			if d := gocmp.Diff(want, got); d != "" {
				t.Errorf("spans by parent (-want +got):\n%s", d)
			}
			if _, there := s.traces[trace("c")]; !there || len(s.traces) != 1 {
				t.Errorf("%d traces are left, want the other's", len(s.traces))
			}
		})
	}
}

// An instrumentation that makes a trace of every call of the model leaves one
// trace of a run that its resource names, and one that writes the content into
// log records leaves it there: what was checked after what is seen.
func TestTracesOfOneRunAreOne(t *testing.T) {
	for framework, several := range map[string]bool{"openinference-openai": true, "otel-openai": false} {
		t.Run(framework, func(t *testing.T) {
			s := newSink()
			send := func(file, path string) {
				data, err := os.ReadFile("../../testdata/traces/" + framework + "/" + file)
				if errors.Is(err, fs.ErrNotExist) {
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				named := strings.ReplaceAll(string(data), `"resource":{"attributes":[`, `"resource":{"attributes":[{"key":"tracegrade.run.id","value":{"stringValue":"run-7"}},`)
				for line := range strings.Lines(named) {
					req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(line))
					req.Header.Set("Content-Type", "application/json")
					w := httptest.NewRecorder()
					if s.ServeHTTP(w, req); w.Code != http.StatusOK {
						t.Fatalf("%s: status %d: %s", file, w.Code, w.Body)
					}
				}
			}
			send("S2.logs.otlp.jsonl", "/v1/logs")
			send("S2.otlp.jsonl", "/v1/traces")
			if several != (len(s.traces) > 1) {
				t.Fatalf("the recording has %d traces, want several: %v", len(s.traces), several)
			}
			data, err := s.take(request{run: "run-7", traceID: strings.Repeat("d", 32), spanID: "00000000000000d1"})
			if err != nil {
				t.Fatal(err)
			}
			if len(s.traces)+len(s.logs) > 0 {
				t.Errorf("%d traces and the records of %d are left", len(s.traces), len(s.logs))
			}
			path := filepath.Join(t.TempDir(), "run.pb")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			traces, _, err := offline.Traces(context.Background(), []string{path}, offline.Options{})
			if err != nil || len(traces) != 1 {
				t.Fatalf("%d traces, %v", len(traces), err)
			}
			p := funnel.Follow(traces[0], evidence.Build(traces[0]), []stance.Claim{scenarios["S2"].claim})[0]
			for name, e := range map[string]funnel.Event{"exposed": p.Exposed, "verified": p.Verified, "verified_yield": p.VerifiedYield, "correct": p.Correct} {
				if e.Is != funnel.Yes {
					t.Errorf("%s is %v, want yes", name, e.Is)
				}
			}
		})
	}
}

// Metrics are let go, what is none of the three is refused.
func TestSinkPaths(t *testing.T) {
	for target, want := range map[string]int{"POST /v1/metrics": 200, "GET /v1/traces": 404, "POST /": 404} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		if newSink().ServeHTTP(w, httptest.NewRequest(method, path, nil)); w.Code != want {
			t.Errorf("%s: status %d, want %d", target, w.Code, want)
		}
	}
}
