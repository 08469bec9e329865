package bench

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/tracegrade/tracegrade/harness/agent"
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
	runs   map[string]string                   // run id of a resource -> hex trace id
}

func newSink() *sink {
	return &sink{traces: map[string][]*tracepb.ResourceSpans{}, runs: map[string]string{}}
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
			if kv.Key == agent.RunAttribute {
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
			if run != "" {
				s.runs[run] = id
			}
		}
	}
	return true
}

// arrived reports whether spans of the run are here.
func (s *sink) arrived(traceID, run string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.traces[traceID] != nil || s.runs[run] != ""
}

// take hands over the spans of a run: by its trace id, else by the run id in the
// resource, else by content: the trace that holds one of the texts that were
// served to the run and to no other.
//
// Where the agent's spans are below the span that it was given as parent, that
// span is added: the run itself, as a span of the harness's own service. Without
// it the trace would lack its root.
func (s *sink) take(traceID, spanID, run string, served []string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := traceID
	if s.traces[id] == nil {
		id = s.runs[run]
	}
	if s.traces[id] == nil {
		id = s.fingerprint(served)
	}
	spans := s.traces[id]
	delete(s.traces, id)
	delete(s.runs, run)
	if len(spans) == 0 {
		return nil, nil
	}
	if root := rootOf(spans, spanID, run); root != nil {
		spans = append(spans, root)
	}
	return proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
}

// rootOf is the span of the run, around the spans that are below it; nil where
// none is.
func rootOf(spans []*tracepb.ResourceSpans, spanID, run string) *tracepb.ResourceSpans {
	id, err := hex.DecodeString(spanID)
	if err != nil {
		return nil
	}
	var root *tracepb.Span
	for _, rs := range spans {
		for _, ss := range rs.ScopeSpans {
			for _, span := range ss.Spans {
				if !bytes.Equal(span.ParentSpanId, id) {
					continue
				}
				if root == nil {
					root = &tracepb.Span{
						TraceId: span.TraceId, SpanId: id, Name: "harness run", Kind: tracepb.Span_SPAN_KIND_INTERNAL,
						StartTimeUnixNano: span.StartTimeUnixNano, EndTimeUnixNano: span.EndTimeUnixNano,
						Attributes: []*commonpb.KeyValue{text(agent.RunAttribute, run)},
					}
				}
				root.StartTimeUnixNano = min(root.StartTimeUnixNano, span.StartTimeUnixNano)
				root.EndTimeUnixNano = max(root.EndTimeUnixNano, span.EndTimeUnixNano)
			}
		}
	}
	if root == nil {
		return nil
	}
	return &tracepb.ResourceSpans{
		Resource:   &resourcepb.Resource{Attributes: []*commonpb.KeyValue{text("service.name", "tracegrade-harness")}},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "tracegrade.harness"}, Spans: []*tracepb.Span{root}}},
	}
}

func text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

// fingerprint is the only trace that holds one of the texts; empty where none
// or several do.
func (s *sink) fingerprint(served []string) string {
	found := ""
	for id, spans := range s.traces {
		for _, text := range served {
			if text != "" && holds(spans, text) {
				if found != "" && found != id {
					return ""
				}
				found = id
			}
		}
	}
	return found
}

func holds(spans []*tracepb.ResourceSpans, text string) bool {
	for _, rs := range spans {
		data, err := proto.Marshal(rs)
		if err == nil && bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}
