package tracefile

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// langsmith is runs as LangSmith's API, SDK and bulk export give them: a list
// or one run a line, children nested or flat.
var langsmith = format{
	name:     "langsmith",
	looksFor: "runs with run_type and inputs",
	columns:  func(has func(string) bool) bool { return has("id") && has("run_type") },
	detect:   func(doc any) bool { return len(langsmithRuns(doc)) > 0 },
	read:     readLangsmith,
}

func langsmithRuns(doc any) []map[string]any {
	var found []map[string]any
	var visit func(v any)
	visit = func(v any) {
		for _, o := range objects(v) {
			if str(o, "id") != "" && str(o, "run_type") != "" {
				found = append(found, o)
			}
			visit(o["child_runs"])
		}
	}
	visit(doc)
	if o, ok := doc.(map[string]any); ok && len(found) == 0 {
		visit(o["runs"])
	}
	return found
}

func readLangsmith(doc any) (Data, error) {
	b := newBuilder()
	runs := langsmithRuns(doc)
	roots := map[string]string{} // of runs that name no trace, through their parents
	for _, r := range runs {
		id, traceID := str(r, "id"), str(r, "trace_id")
		if traceID == "" {
			traceID = id
			if root, ok := roots[str(r, "parent_run_id")]; ok {
				traceID = root
			}
		}
		roots[id] = traceID
		if r["start_time"] == nil {
			return Data{}, fmt.Errorf("langsmith: run %q has no start_time", id)
		}
		b.run(r, traceID)
	}
	return b.data(), nil
}

// run writes one run with the attributes that LangSmith's own OTel exporter
// writes, so that the same dialect reads both.
func (b *builder) run(r map[string]any, traceID string) {
	s := b.span("", "langsmith", "")
	s.SetTraceID(traceIDOf(traceID))
	s.SetSpanID(spanIDOf(str(r, "id")))
	s.SetParentSpanID(spanIDOf(str(r, "parent_run_id")))
	s.SetName(str(r, "name"))
	s.SetStartTimestamp(timeOf(r["start_time"]))
	s.SetEndTimestamp(timeOf(r["end_time"]))
	if failure := str(r, "error"); failure != "" {
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage(failure)
	}
	a := s.Attributes()
	put(a, "langsmith.span.kind", str(r, "run_type"))
	if kind := str(r, "run_type"); kind == "tool" {
		put(a, "gen_ai.tool.name", str(r, "name"))
	}
	putJSON(a, "gen_ai.prompt", r["inputs"])
	putJSON(a, "gen_ai.completion", r["outputs"])
	put(a, "langsmith.trace.session_name", str(r, "session_name"))
	if tags := list(r, "tags"); len(tags) > 0 {
		put(a, "langsmith.span.tags", strings.Trim(fmt.Sprint(tags...), "[]"))
	}
	for attr, key := range map[string]string{
		"gen_ai.usage.input_tokens":  "prompt_tokens",
		"gen_ai.usage.output_tokens": "completion_tokens",
		"gen_ai.usage.total_tokens":  "total_tokens",
	} {
		put(a, attr, r[key])
	}
	metadata := object(object(r, "extra"), "metadata")
	if metadata == nil {
		metadata = object(r, "metadata")
	}
	for k, v := range metadata {
		put(a, "langsmith.metadata."+k, v)
	}
	put(a, "gen_ai.request.model", str(metadata, "ls_model_name"))
	put(a, "gen_ai.system", str(metadata, "ls_provider"))
}
