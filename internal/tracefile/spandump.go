package tracefile

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// spandump is the exports of span stores that write one object per span:
// Phoenix ({name, context: {trace_id, span_id}, attributes: nested}), its data
// frames ("context.trace_id", "attributes.llm…" as columns), OpenInference dumps
// with span_attributes and child_spans, and whatever has trace_id, span_id and
// attributes side by side.
var spandump = format{
	name:     "spans",
	looksFor: "span objects with context.trace_id, with span_attributes, or with trace_id, span_id and attributes",
	columns:  func(has func(string) bool) bool { return has("context.span_id") },
	detect:   func(doc any) bool { return len(dumpedSpans(doc)) > 0 },
	read:     readSpanDump,
}

// dumpedSpans finds the span objects of a document: itself, a list, or under
// "spans", with their child_spans.
func dumpedSpans(doc any) []map[string]any {
	var found []map[string]any
	var visit func(v any, depth int)
	visit = func(v any, depth int) {
		for _, o := range objects(v) {
			if isDumpedSpan(o) {
				found = append(found, o)
			} else if depth < 2 { // {"data": {"spans": […]}} is MLflow's
				visit(o["spans"], depth+1)
				visit(o["data"], depth+1)
			}
			visit(o["child_spans"], depth+1)
		}
	}
	visit(doc, 0)
	return found
}

func isDumpedSpan(o map[string]any) bool {
	if c := object(o, "context", "span_context"); c != nil {
		return str(c, "trace_id", "traceId") != "" && str(c, "span_id", "spanId") != ""
	}
	return str(o, "context.span_id") != "" || str(o, "span_id") != "" && (o["span_attributes"] != nil || str(o, "trace_id") != "" && object(o, "attributes") != nil)
}

func readSpanDump(doc any) (Data, error) {
	b := newBuilder()
	o, _ := doc.(map[string]any)
	ofTrace := object(object(o, "info"), "trace_metadata") // MLflow's
	for _, o := range dumpedSpans(doc) {
		context := object(o, "context", "span_context")
		traceID, spanID := str(o, "context.trace_id", "trace_id"), str(o, "context.span_id", "span_id")
		if context != nil {
			traceID, spanID = str(context, "trace_id", "traceId"), str(context, "span_id", "spanId")
		}
		if traceID == "" {
			return Data{}, fmt.Errorf("span %q has no trace id", spanID)
		}
		service := str(o, "service_name")
		if service == "" {
			service = str(object(object(o, "resource"), "attributes"), "service.name")
		}
		s := b.span(service, str(o, "scope_name"), str(o, "scope_version"))
		s.SetTraceID(traceIDOf(strings.TrimPrefix(traceID, "0x")))
		s.SetSpanID(spanIDOf(strings.TrimPrefix(spanID, "0x")))
		s.SetParentSpanID(spanIDOf(strings.TrimPrefix(str(o, "parent_id", "parent_span_id", "parentId"), "0x")))
		s.SetName(str(o, "name", "span_name"))
		s.SetStartTimestamp(timeOf(first(o, "start_time", "timestamp", "startTime", "start_time_unix_nano", "start_time_ns")))
		s.SetEndTimestamp(timeOf(first(o, "end_time", "endTime", "end_time_unix_nano", "end_time_ns")))
		if s.EndTimestamp() == 0 {
			s.SetEndTimestamp(s.StartTimestamp() + durationOf(o["duration"]))
		}
		dumpedStatus(s, o)
		attrs := dumpedAttributes(o)
		if kind := str(o, "span_kind"); kind != "" && attrs["openinference.span.kind"] == nil && isOpenInferenceKind(kind) {
			attrs["openinference.span.kind"] = kind
		} else {
			setKind(s, str(o, "span_kind", "kind"))
		}
		if s.ParentSpanID().IsEmpty() {
			putAll(s.Attributes(), ofTrace)
		}
		putAll(s.Attributes(), attrs)
		dumpedEvents(s, o["events"])
	}
	return b.data(), nil
}

func dumpedStatus(s ptrace.Span, o map[string]any) {
	if status := object(o, "status"); status != nil {
		setStatus(s, str(status, "status_code", "code"), str(status, "description", "message"))
		return
	}
	setStatus(s, str(o, "status_code", "statusCode"), str(o, "status_message", "statusMessage"))
}

// dumpedAttributes flattens attributes from wherever they stand. Those that stand
// beside their span's ids are as somebody wrote them, and an object among them is
// data, unless they are OpenInference's.
func dumpedAttributes(o map[string]any) map[string]any {
	attrs := map[string]any{}
	if given := object(o, "attributes"); given != nil && str(o, "span_id") != "" && given["openinference"] == nil {
		maps.Copy(attrs, given)
		return attrs
	}
	flatten("", first(o, "attributes", "span_attributes"), attrs)
	delete(attrs, "")
	for k, v := range o {
		if key, ok := strings.CutPrefix(k, "attributes."); ok {
			flatten(key, v, attrs)
		}
	}
	return attrs
}

func dumpedEvents(s ptrace.Span, v any) {
	for _, o := range objects(v) {
		e := s.Events().AppendEmpty()
		e.SetName(str(o, "name", "Name"))
		e.SetTimestamp(timeOf(first(o, "timestamp", "Timestamp")))
		putAll(e.Attributes(), object(o, "attributes", "Attributes"))
	}
}

func isOpenInferenceKind(kind string) bool {
	switch strings.ToUpper(kind) {
	case "LLM", "TOOL", "CHAIN", "AGENT", "RETRIEVER", "RERANKER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT":
		return true
	}
	return false
}

// first returns the value of the first key that is there.
func first(o map[string]any, keys ...string) any {
	for _, k := range keys {
		if v := o[k]; v != nil {
			return v
		}
	}
	return nil
}

// durationOf reads an ISO 8601 duration of hours, minutes and seconds
// ("PT1M2.5S"), or a Go duration.
func durationOf(v any) pcommon.Timestamp {
	text, _ := v.(string)
	iso, ok := strings.CutPrefix(text, "PT")
	if ok {
		text = strings.ToLower(iso)
	}
	if d, err := time.ParseDuration(text); err == nil {
		return pcommon.Timestamp(max(d, 0))
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || seconds < 0 {
		return 0
	}
	return pcommon.Timestamp(seconds * 1e9)
}
