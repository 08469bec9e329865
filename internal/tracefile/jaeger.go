package tracefile

import (
	"encoding/json"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// jaeger is what Jaeger's UI and API download: {"data": [{spans, processes}]},
// or one such trace.
var jaeger = format{
	name:     "jaeger",
	looksFor: "spans with operationName and processes",
	detect:   func(doc any) bool { return len(jaegerTraces(doc)) > 0 },
	read:     readJaeger,
}

func jaegerTraces(doc any) []map[string]any {
	var found []map[string]any
	for _, o := range objects(doc) {
		for _, t := range append(objects(o["data"]), o) {
			if len(list(t, "spans")) > 0 && object(t, "processes") != nil {
				found = append(found, t)
			}
		}
	}
	return found
}

func readJaeger(doc any) (Data, error) {
	b := newBuilder()
	for _, t := range jaegerTraces(doc) {
		processes := object(t, "processes")
		for i, s := range objects(t["spans"]) {
			if str(s, "spanID") == "" {
				return Data{}, fmt.Errorf("trace %q: span %d has no spanID", str(t, "traceID"), i)
			}
			b.jaegerSpan(s, object(processes, str(s, "processID")))
		}
	}
	return b.data(), nil
}

func (b *builder) jaegerSpan(s, process map[string]any) {
	tags := jaegerFields(s["tags"])
	take := func(key string) string {
		v := str(tags, key)
		delete(tags, key)
		return v
	}
	scope, version := take("otel.scope.name"), take("otel.scope.version")
	if scope == "" {
		scope, version = take("otel.library.name"), take("otel.library.version")
	}
	span := b.span(str(process, "serviceName"), scope, version)
	span.SetName(str(s, "operationName"))
	span.SetTraceID(traceIDOf(str(s, "traceID")))
	span.SetSpanID(spanIDOf(str(s, "spanID")))
	span.SetParentSpanID(spanIDOf(str(s, "parentSpanID")))
	for _, r := range objects(s["references"]) {
		if str(r, "refType") == "CHILD_OF" && str(r, "traceID") == str(s, "traceID") {
			span.SetParentSpanID(spanIDOf(str(r, "spanID")))
			continue
		}
		l := span.Links().AppendEmpty()
		l.SetTraceID(traceIDOf(str(r, "traceID")))
		l.SetSpanID(spanIDOf(str(r, "spanID")))
	}
	span.SetStartTimestamp(timeOf(s["startTime"]))
	span.SetEndTimestamp(span.StartTimestamp() + micros(s["duration"]))
	setKind(span, take("span.kind"))
	setStatus(span, take("otel.status_code"), take("otel.status_description"))
	if failed, _ := tags["error"].(bool); failed && span.Status().Code() == ptrace.StatusCodeUnset {
		span.Status().SetCode(ptrace.StatusCodeError)
	}
	putAll(span.Attributes(), tags)
	for _, l := range objects(s["logs"]) {
		fields := jaegerFields(l["fields"])
		e := span.Events().AppendEmpty()
		e.SetName(str(fields, "event", "name"))
		e.SetTimestamp(timeOf(l["timestamp"]))
		delete(fields, "event")
		putAll(e.Attributes(), fields)
	}
}

// jaegerFields reads [{key, type, value}].
func jaegerFields(v any) map[string]any {
	fields := map[string]any{}
	for _, f := range objects(v) {
		fields[str(f, "key")] = f["value"]
	}
	return fields
}

func micros(v any) pcommon.Timestamp {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return pcommon.Timestamp(max(i, 0) * 1000)
}
