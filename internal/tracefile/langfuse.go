package tracefile

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// langfuse is what Langfuse's API and its exports give: traces with
// observations, or observations alone.
var langfuse = format{
	name:     "langfuse",
	looksFor: "observations with traceId and type, or a trace with observations",
	columns: func(has func(string) bool) bool {
		return has("id") && has("type") && (has("traceId") && has("startTime") || has("trace_id") && has("start_time"))
	},
	detect: func(doc any) bool { return len(langfuseTraces(doc)) > 0 },
	read:   readLangfuse,
}

// langfuseTraces returns objects that are traces with observations, or
// observations without their trace.
func langfuseTraces(doc any) []map[string]any {
	var found []map[string]any
	for _, o := range objects(doc) {
		for _, t := range append(objects(o["data"]), o) {
			if isObservation(t) || len(objects(t["observations"])) > 0 && isObservation(objects(t["observations"])[0]) {
				found = append(found, t)
			}
		}
	}
	return found
}

func isObservation(o map[string]any) bool {
	return str(o, "id") != "" && str(o, "traceId", "trace_id") != "" && str(o, "type") != "" &&
		first(o, "startTime", "start_time") != nil
}

func readLangfuse(doc any) (Data, error) {
	b := newBuilder()
	for _, t := range langfuseTraces(doc) {
		if isObservation(t) {
			b.observation(t, nil)
			continue
		}
		id := str(t, "id")
		if id == "" {
			return Data{}, fmt.Errorf("langfuse: a trace with observations has no id")
		}
		for _, o := range objects(t["observations"]) {
			b.observation(o, t)
		}
	}
	return b.data(), nil
}

// observation writes one observation with the attributes that Langfuse's own
// SDK writes, so that the same dialect reads both.
func (b *builder) observation(o, t map[string]any) {
	s := b.span("", "langfuse-sdk", "")
	s.SetTraceID(traceIDOf(str(o, "traceId", "trace_id")))
	s.SetSpanID(spanIDOf(str(o, "id")))
	s.SetParentSpanID(spanIDOf(str(o, "parentObservationId", "parent_observation_id")))
	s.SetName(str(o, "name"))
	s.SetStartTimestamp(timeOf(first(o, "startTime", "start_time")))
	s.SetEndTimestamp(timeOf(first(o, "endTime", "end_time")))
	if str(o, "level") == "ERROR" {
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage(str(o, "statusMessage", "status_message"))
	}
	a := s.Attributes()
	put(a, "langfuse.observation.type", strings.ToLower(str(o, "type")))
	for attr, v := range map[string]any{
		"langfuse.observation.input":            o["input"],
		"langfuse.observation.output":           o["output"],
		"langfuse.observation.metadata":         o["metadata"],
		"langfuse.observation.model.parameters": first(o, "modelParameters", "model_parameters"),
		"langfuse.observation.usage_details":    langfuseUsage(o),
		"langfuse.observation.cost_details":     first(o, "costDetails", "cost_details"),
	} {
		putJSON(a, attr, v)
	}
	put(a, "langfuse.observation.model.name", str(o, "model", "providedModelName"))
	put(a, "langfuse.observation.level", str(o, "level"))
	put(a, "langfuse.observation.status_message", str(o, "statusMessage", "status_message"))
	put(a, "langfuse.environment", str(o, "environment"))
	if t == nil {
		t = map[string]any{"sessionId": first(o, "sessionId", "session_id"), "userId": first(o, "userId", "user_id"), "name": first(o, "traceName", "trace_name")}
	}
	put(a, "session.id", str(t, "sessionId", "session_id"))
	put(a, "user.id", str(t, "userId", "user_id"))
	put(a, "langfuse.release", str(t, "release"))
	if s.ParentSpanID().IsEmpty() {
		put(a, "langfuse.trace.name", str(t, "name"))
		putJSON(a, "langfuse.trace.input", t["input"])
		putJSON(a, "langfuse.trace.output", t["output"])
	}
}

// langfuseUsage is the tokens of an observation: an object, or the columns of a table.
func langfuseUsage(o map[string]any) any {
	if usage := first(o, "usageDetails", "usage_details", "usage"); usage != nil {
		return usage
	}
	columns := map[string]any{}
	for name, keys := range map[string][]string{"input": {"inputUsage", "inputTokens", "promptTokens"}, "output": {"outputUsage", "outputTokens", "completionTokens"}, "total": {"totalUsage", "totalTokens"}} {
		if n := first(o, keys...); n != nil {
			columns[name] = n
		}
	}
	if len(columns) == 0 {
		return nil
	}
	return columns
}
