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

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
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

// sink receives spans over OTLP/HTTP and keeps them by trace until a run takes
// them.
type sink struct {
	mu     sync.Mutex
	traces map[string][]*tracepb.ResourceSpans // hex trace id -> spans
	runs   map[string][]string                 // run id of a resource -> hex trace ids, in order of arrival
}

func newSink() *sink {
	return &sink{traces: map[string][]*tracepb.ResourceSpans{}, runs: map[string][]string{}}
}

// ServeHTTP takes POST /v1/traces, protobuf or JSON, plain or gzip.
func (s *sink) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost || req.URL.Path != "/v1/traces" {
		http.Error(w, "only POST /v1/traces is taken here", http.StatusNotFound)
		return
	}
	msg, err := decode(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !s.add(msg) {
		http.Error(w, "too many traces that no run has taken", http.StatusTooManyRequests)
		return
	}
	w.Header().Set("Content-Type", req.Header.Get("Content-Type"))
	if strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		fmt.Fprint(w, "{}")
	}
}

func decode(req *http.Request) (*coltrace.ExportTraceServiceRequest, error) {
	var body io.Reader = http.MaxBytesReader(nil, req.Body, maxExport)
	if req.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("unpack the export: %w", err)
		}
		body = io.LimitReader(z, maxExport)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return nil, fmt.Errorf("read the export: %w", err)
	}
	msg := new(coltrace.ExportTraceServiceRequest)
	if strings.HasPrefix(req.Header.Get("Content-Type"), "application/json") {
		data, err = hexToBase64(data)
		if err == nil {
			err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, msg)
		}
	} else {
		err = proto.Unmarshal(data, msg)
	}
	if err != nil {
		return nil, fmt.Errorf("decode the export: %w", err)
	}
	return msg, nil
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

// arrived reports whether spans of the run are here.
func (s *sink) arrived(traceID, run string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.traces[traceID] != nil || len(s.runs[run]) > 0
}
