package bench

import (
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	collogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tracegrade/tracegrade/harness/journal"
)

// Limits of what the sink takes.
const (
	maxExport = 64 << 20 // bytes of one export, unpacked
	maxTraces = 100_000  // traces that no run has taken yet
)

// sink receives spans and log records over OTLP/HTTP and keeps them by trace
// until a run takes them.
type sink struct {
	mu     sync.Mutex
	traces map[string][]*tracepb.ResourceSpans // hex trace id -> spans
	logs   map[string][]*logspb.ResourceLogs   // hex trace id -> log records, which may hold what spans lack
	runs   map[string][]string                 // run id of a resource -> hex trace ids, in order of arrival
}

func newSink() *sink {
	return &sink{traces: map[string][]*tracepb.ResourceSpans{}, logs: map[string][]*logspb.ResourceLogs{}, runs: map[string][]string{}}
}

// ServeHTTP takes POST /v1/traces and /v1/logs, protobuf or JSON, plain or gzip.
// Metrics, which SDKs send to the same endpoint, are let go.
func (s *sink) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var err error
	room := true
	switch traces, logs := new(coltrace.ExportTraceServiceRequest), new(collogs.ExportLogsServiceRequest); {
	case req.Method == http.MethodPost && req.URL.Path == "/v1/traces":
		if err = decode(req, traces); err == nil {
			room = s.add(traces)
		}
	case req.Method == http.MethodPost && req.URL.Path == "/v1/logs":
		if err = decode(req, logs); err == nil {
			room = s.addLogs(logs)
		}
	case req.Method == http.MethodPost && req.URL.Path == "/v1/metrics":
	default:
		http.Error(w, "only POST /v1/traces, /v1/logs and /v1/metrics are taken here", http.StatusNotFound)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !room {
		http.Error(w, "too many traces that no run has taken", http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", req.Header.Get("Content-Type"))
	if strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		fmt.Fprint(w, "{}")
	}
}

func decode(req *http.Request, msg proto.Message) error {
	var body io.Reader = http.MaxBytesReader(nil, req.Body, maxExport)
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return fmt.Errorf("unpack the export: %w", err)
		}
		body = io.LimitReader(z, maxExport)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("read the export: %w", err)
	}
	if strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		data, err = hexToBase64(data)
		if err == nil {
			err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, msg)
		}
	} else {
		err = proto.Unmarshal(data, msg)
	}
	if err != nil {
		return fmt.Errorf("decode the export: %w", err)
	}
	return nil
}

func (s *sink) add(msg *coltrace.ExportTraceServiceRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rs := range msg.ResourceSpans {
		run := ""
		for _, kv := range rs.GetResource().GetAttributes() {
			if kv.Key == journal.RunAttribute {
				run = kv.Value.GetStringValue()
			}
		}
		parts := map[string]*tracepb.ResourceSpans{}
		for _, ss := range rs.ScopeSpans {
			scopes := map[string]*tracepb.ScopeSpans{}
			for _, span := range ss.Spans {
				id := hex.EncodeToString(span.TraceId)
				if scopes[id] == nil {
					if parts[id] == nil {
						parts[id] = &tracepb.ResourceSpans{Resource: rs.Resource, SchemaUrl: rs.SchemaUrl}
					}
					scopes[id] = &tracepb.ScopeSpans{Scope: ss.Scope, SchemaUrl: ss.SchemaUrl}
					parts[id].ScopeSpans = append(parts[id].ScopeSpans, scopes[id])
				}
				scopes[id].Spans = append(scopes[id].Spans, span)
			}
		}
		for id, part := range parts {
			if len(s.traces) >= maxTraces && s.traces[id] == nil {
				return false
			}
			s.traces[id] = append(s.traces[id], part)
			if run != "" && !slices.Contains(s.runs[run], id) {
				s.runs[run] = append(s.runs[run], id)
			}
		}
	}
	return true
}

// addLogs keeps the records that name a trace; which run it is of is for the
// spans to say.
func (s *sink) addLogs(msg *collogs.ExportLogsServiceRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, rl := range msg.ResourceLogs {
		for _, sl := range rl.ScopeLogs {
			records := map[string][]*logspb.LogRecord{}
			for _, r := range sl.LogRecords {
				if id := hex.EncodeToString(r.TraceId); id != "" {
					records[id] = append(records[id], r)
				}
			}
			for id, list := range records {
				if len(s.logs) >= maxTraces && s.logs[id] == nil {
					return false
				}
				s.logs[id] = append(s.logs[id], &logspb.ResourceLogs{Resource: rl.Resource, SchemaUrl: rl.SchemaUrl, ScopeLogs: []*logspb.ScopeLogs{
					{Scope: sl.Scope, SchemaUrl: sl.SchemaUrl, LogRecords: list},
				}})
			}
		}
	}
	return true
}

// arrived is how many spans of the run are here, of the traces that it was given
// or that name it, and whether one of them is the last of its trace: that which
// has no parent, or the run as its parent.
func (s *sink) arrived(m request) (n int, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.named(m) {
		anySpan(s.traces[id], func(span *tracepb.Span) bool {
			n++
			ended = ended || len(span.ParentSpanId) == 0 || hex.EncodeToString(span.ParentSpanId) == m.spanID
			return false
		})
	}
	return n, ended
}
