package journal

import (
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

const traceID, spanID = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"

// collector keeps what is exported to it.
func collector(t *testing.T) (address string, spans func() []*tracepb.Span) {
	var mu sync.Mutex
	var list []*tracepb.Span
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		msg := new(coltrace.ExportTraceServiceRequest)
		if err != nil || proto.Unmarshal(data, msg) != nil || r.URL.Path != "/v1/traces" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		for _, rs := range msg.ResourceSpans {
			list = append(list, rs.ScopeSpans[0].Spans...)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() []*tracepb.Span {
		mu.Lock()
		defer mu.Unlock()
		return list
	}
}

// A call of an agent that propagates its context is in the agent's trace, below
// the span that made it. The other calls of a run share a trace, and no other
// run's.
func TestExporter(t *testing.T) {
	address, spans := collector(t)
	x, err := NewExporter(context.Background(), address+"/")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Unix(100, 0)
	x.Add(Entry{Case: "c", Arm: "trap", Run: "r1", Seq: 1, Tool: "search", Args: []byte(`{"query":"x"}`), Reply: "found", Start: start, Took: time.Second,
		Caller: Caller{TraceID: traceID, SpanID: spanID}, Served: []Served{{Trap: "t1", Shown: true}, {Trap: "t2"}}})
	x.Add(Entry{Case: "c", Arm: "trap", Run: "r1", Seq: 2, Tool: "search", Start: start})
	x.Add(Entry{Case: "c", Arm: "trap", Run: "r1", Seq: 3, Tool: "search", Start: start})
	x.Add(Entry{Case: "c", Arm: "trap", Run: "r2", Seq: 1, Tool: "search", Start: start})
	if err := x.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := spans()
	if len(got) != 4 {
		t.Fatalf("%d spans, want 4", len(got))
	}
	s := got[0]
	attributes := map[string]string{}
	for _, kv := range s.Attributes {
		attributes[kv.Key] = kv.Value.String()
		if strings.HasPrefix(kv.Key, "gen_ai.") {
			t.Errorf("%s makes the span a step of the agent", kv.Key)
		}
	}
	if hex.EncodeToString(s.TraceId) != traceID || hex.EncodeToString(s.ParentSpanId) != spanID || s.EndTimeUnixNano-s.StartTimeUnixNano != 1e9 || s.Name != "harness search" ||
		!strings.Contains(attributes["tracegrade.journal.arguments"], "query") || !strings.Contains(attributes["tracegrade.journal.result"], "found") ||
		!strings.Contains(attributes["tracegrade.journal.traps"], "t2") || !strings.Contains(attributes["tracegrade.journal.shown"], "t1") || strings.Contains(attributes["tracegrade.journal.shown"], "t2") {
		t.Errorf("%v", s)
	}
	a, b, c := string(got[1].TraceId), string(got[2].TraceId), string(got[3].TraceId)
	if a != b || a == c || len(a) != 16 || string(got[1].SpanId) == string(got[2].SpanId) || len(got[1].ParentSpanId) != 0 {
		t.Errorf("traces %x, %x, %x: want the first two equal", a, b, c)
	}
}

// What cannot be sent is counted and explained when the exporter closes.
func TestExporterWithoutCollector(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "full", http.StatusBadRequest) }))
	defer srv.Close()
	x, err := NewExporter(context.Background(), srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	x.Add(Entry{Run: "r"})
	if err := x.Close(context.Background()); err == nil || !strings.Contains(err.Error(), "1 entries were not sent") || !strings.Contains(err.Error(), "400") {
		t.Errorf("%v, want the entry counted and the status", err)
	}
}
