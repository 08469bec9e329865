package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/tracegrade/tracegrade/internal/funnel"
)

// RunAttribute joins spans to a run where the trace context is lost.
const RunAttribute = funnel.RunAttribute

// Service and Scope are the harness's own.
const (
	Service = "tracegrade-harness"
	Scope   = "tracegrade.harness"
)

// Span is the call as a span of the harness. It is below the caller's span where
// that is of the same trace, else below parent, which may be nil. It carries
// rpc.method and none of the attributes that make a step of a span: the step is
// the agent's own record of the call.
func (e *Entry) Span(traceID, parent []byte) *tracepb.Span {
	if id, err := hex.DecodeString(e.Caller.TraceID); err == nil && string(id) == string(traceID) {
		if span, err := hex.DecodeString(e.Caller.SpanID); err == nil {
			parent = span
		}
	}
	traps, shown := []string{}, []string{}
	for _, s := range e.Served {
		traps = append(traps, s.Trap)
		if s.Shown {
			shown = append(shown, s.Trap)
		}
	}
	start := uint64(e.Start.UnixNano())
	sum := sha256.Sum256(fmt.Appendf(nil, "%x %s %s %s %d", traceID, e.Case, e.Arm, e.Run, e.Seq))
	return &tracepb.Span{
		TraceId: traceID, SpanId: sum[:8], ParentSpanId: parent, Name: "harness " + e.Tool, Kind: tracepb.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: start, EndTimeUnixNano: start + uint64(e.Took),
		Attributes: []*commonpb.KeyValue{
			Text("rpc.method", e.Tool), Text(RunAttribute, e.Run), Text("tracegrade.journal.case", e.Case), Text("tracegrade.journal.arm", string(e.Arm)),
			{Key: "tracegrade.journal.seq", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: int64(e.Seq)}}},
			Text("tracegrade.journal.arguments", string(e.Args)), Text("tracegrade.journal.result", e.Reply),
			{Key: "tracegrade.journal.failed", Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: e.Failed}}},
			texts("tracegrade.journal.traps", traps), texts("tracegrade.journal.shown", shown),
		},
	}
}

// Resource holds spans of a run of the harness.
func Resource(run string, spans ...*tracepb.Span) *tracepb.ResourceSpans {
	return &tracepb.ResourceSpans{
		Resource:   &resourcepb.Resource{Attributes: []*commonpb.KeyValue{Text("service.name", Service), Text(RunAttribute, run)}},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: Scope}, Spans: spans}},
	}
}

// Text is an attribute that is a text.
func Text(key, value string) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: value}}}
}

func texts(key string, values []string) *commonpb.KeyValue {
	list := &commonpb.ArrayValue{}
	for _, v := range values {
		list.Values = append(list.Values, &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: v}})
	}
	return &commonpb.KeyValue{Key: key, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: list}}}
}
