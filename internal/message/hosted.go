package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Tools that the provider runs itself (a search of the web, code, an MCP server)
// are called and answered within one reply. Whatever the API, such a call is a
// call and a result in the message that the model gave, in this order, and the
// text after them is what the model said when it knew the result. A result
// without a value was not recorded.

// hosted reads what says of a call both what was asked and how it went.
func hosted(m value.Node) []trace.Part {
	t, _ := m.Get("type").Text()
	call := trace.Part{Type: trace.PartToolCall, ID: m.TextAt("approval_request_id", "id", "call_id"), Name: m.TextAt("name")}
	if call.Name == "" {
		call.Name = strings.TrimSuffix(t, "_call")
	}
	args := m.First("arguments", "input", "action", "queries", "code")
	found := args.Get("sources") // of a search, beside what was searched for
	switch {
	case found.Something():
		call.Value = trace.DataValue(without(args, "sources"))
	case args.Something():
		call.Value = rawOrData(args)
	case !m.Has("status", "output"):
		call.Value = trace.DataValue(without(m, "id", "name"))
	}
	status, _ := m.Get("status").Text()
	fault := m.Get("error")
	out := m.First("results", "outputs", "output", "result")
	if !out.Something() {
		out = found
	}
	if status == "" && !out.Something() && !fault.Something() {
		return []trace.Part{call} // its result is a part of its own
	}
	result := trace.Part{Type: trace.PartToolResult, ID: call.ID, Name: call.Name, IsError: status == "failed" || fault.Something()}
	switch {
	case out.Something():
		result.Value = rawOrData(out)
	case fault.Get("content").IsList():
		result.Value = resultValue(fault.Get("content"))
	case fault.Something():
		result.Value = rawOrData(fault)
	}
	return []trace.Part{call, result}
}

// wrapped takes off what the conventions of OpenTelemetry put around a call, or a
// result, that is of the provider's own kind.
func wrapped(m value.Node, key string) value.Node {
	inner := m.Get(key)
	if !inner.IsObject() {
		return m
	}
	for _, name := range [...]string{"id", "name"} {
		if v := m.Get(name); v.Something() {
			inner = inner.With(name, v)
		}
	}
	return inner
}

// hostedResult reads the result of a call that is a part before it.
func hostedResult(m value.Node) trace.Part {
	p := resultPart(m)
	if content := m.Get("content"); content.IsObject() {
		t, _ := content.Get("type").Text()
		p.IsError = p.IsError || strings.HasSuffix(t, "_error")
	}
	if !p.Value.Captured() && m.Len() > 0 {
		p.Value = trace.DataValue(without(m, "id", "name", "tool_use_id"))
	}
	return p
}

// without is the data of an object that lacks some members.
func without(m value.Node, names ...string) map[string]any {
	d, _ := m.Data().(map[string]any)
	rest := make(map[string]any, len(d))
	for name, v := range d {
		rest[name] = v
	}
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

// executed reads code that Gemini wrote and ran, or what that came to; nil where
// a part is neither.
func executed(m value.Node) *trace.Part {
	const tool = "code_execution"
	if code := m.First("executableCode", "executable_code"); code.IsObject() {
		return &trace.Part{Type: trace.PartToolCall, ID: code.TextAt("id"), Name: tool, Value: trace.DataValue(without(code, "id"))}
	}
	out := m.First("codeExecutionResult", "code_execution_result")
	if !out.IsObject() {
		return nil
	}
	outcome := out.TextAt("outcome")
	return &trace.Part{
		Type: trace.PartToolResult, ID: out.TextAt("id"), Name: tool, Value: rawOrData(out.Get("output")),
		IsError: strings.HasSuffix(outcome, "FAILED") || strings.HasSuffix(outcome, "DEADLINE_EXCEEDED"),
	}
}

// grounded puts before the reply of a candidate the search that Gemini grounded it
// on.
func (r *reader) grounded(candidate value.Node, reply int) {
	if search := grounding(candidate); search != nil && reply < len(r.out) {
		said := &r.out[len(r.out)-1]
		said.Parts = append(search, said.Parts...)
	}
}

// grounding is the search that a reply was grounded on: its queries, and where the
// pages are that it found; nil where there was none.
func grounding(m value.Node) []trace.Part {
	meta := m.First("groundingMetadata", "grounding_metadata")
	queries := meta.First("webSearchQueries", "web_search_queries", "retrievalQueries", "retrieval_queries")
	chunks := meta.First("groundingChunks", "grounding_chunks")
	if !queries.Something() && !chunks.Something() {
		return nil
	}
	search := []trace.Part{{Type: trace.PartToolCall, Name: "google_search"}, {Type: trace.PartToolResult, Name: "google_search"}}
	if queries.Something() {
		search[0].Value = trace.DataValue(map[string]any{"queries": queries.Data()})
	}
	var found []any
	for chunk := range chunks.Elements() {
		if page := chunk.First("web", "retrievedContext", "retrieved_context", "maps"); page.IsObject() {
			found = append(found, page.Data())
		}
	}
	if found != nil {
		search[1].Value = trace.DataValue(found)
	}
	return search
}
