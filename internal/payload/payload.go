// Package payload reads what tools and retrievers returned: it takes the
// wrappings of frameworks and protocols off, finds out whether the call failed
// though its span says nothing of it, and finds documents in search results.
//
// It is used for the results on spans and, by package assemble, for results
// that occur only in the next prompt.
package payload

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// wrappingsMax is how many wrappings may lie in each other.
const wrappingsMax = 8

// Result is what a tool returned, unwrapped.
type Result struct {
	Value  trace.Value
	CallID string // where a wrapping names the call
	Name   string // where a wrapping names the tool
	// Failed is true where a wrapping or the value itself says so; Message is
	// what it says.
	Failed  bool
	Message string
	// Refused is true of a call that failed since a person did not let it run.
	Refused bool
}

// Unwrap takes off what frameworks (LangChain's ToolMessage, OpenLLMetry's
// envelopes, Strands' blocks, the AI SDK's tagged outputs) and protocols (MCP's
// content list) put around a result. What says that the call waits for a person's
// approval is no result: the value is not captured.
func Unwrap(v trace.Value) Result {
	r := Result{Value: v}
	data := v.Data()
	if waits(data) {
		return Result{}
	}
	for range wrappingsMax {
		inner, ok := r.peel(data)
		if !ok {
			break
		}
		if s, isText := inner.(string); isText {
			r.Value = trace.RawValue(s, value.Decode)
		} else {
			r.Value = trace.DataValue(inner)
		}
		data = r.Value.Data()
	}
	if words, refused := Refusal(data); refused {
		r.Failed, r.Refused, r.Message = true, true, words
		return r
	}
	if !r.Failed {
		r.Message, r.Failed = Failure(data)
	} else if r.Message == "" {
		r.Message = r.Value.Text()
	}
	return r
}

// peel takes one wrapping off.
func (r *Result) peel(data any) (any, bool) {
	switch d := data.(type) {
	case string:
		if strings.HasPrefix(d, "content=") && strings.Contains(d, "tool_call_id=") { // LangChain in Python, as text
			if m, ok := value.Fields(d); ok {
				return r.peelMap(m)
			}
		}
	case []any:
		if len(d) == 1 {
			if m, ok := d[0].(map[string]any); ok {
				return block(m)
			}
		}
	case map[string]any:
		return r.peelMap(d)
	}
	return nil, false
}

func (r *Result) peelMap(m map[string]any) (any, bool) {
	if kwargs, ok := m["kwargs"].(map[string]any); ok && value.Has(m, "lc") { // LangChain, serialised
		return kwargs, true
	}
	if inner, ok := m["data"].(map[string]any); ok && value.Text(m, "type") == "tool" && value.Only(m, "type", "data") { // LangChain's message_to_dict
		return inner, true
	}
	if raw, ok := m["raw_output"]; ok && value.Has(m, "tool_name") && value.Has(m, "raw_input") { // LlamaIndex's ToolOutput
		r.note("", value.Text(m, "tool_name"), value.True(m["is_error"]))
		return raw, true
	}
	if inner, ok := m["tool_output"]; ok && value.Has(m, "tool_name") && value.Has(m, "tool_id") { // LlamaIndex's ToolCallResult
		r.note(value.Text(m, "tool_id"), value.Text(m, "tool_name"), false)
		return inner, true
	}
	if value.Has(m, "tool_call_id", "toolCallId") && value.Has(m, "content") { // a tool message
		r.note(value.Text(m, "tool_call_id", "toolCallId"), value.Text(m, "name"), value.Text(m, "status") == "error")
		return m["content"], true
	}
	if inner, ok := m["response"].(map[string]any); ok && value.Has(m, "name") && value.Only(m, "id", "name", "response", "parts", "scheduling", "will_continue") { // Gemini's FunctionResponse
		r.note(value.Text(m, "id"), value.Text(m, "name"), false)
		return inner, true
	}
	if t := value.Text(m, "type"); value.Has(m, "value") && len(m) == 2 { // the AI SDK's tagged output
		switch t {
		case "text", "json", "content", "error-text", "error-json", "execution-denied":
			r.Failed = r.Failed || strings.HasPrefix(t, "error") || t == "execution-denied"
			return m["value"], true
		}
	}
	if list, ok := m["content"].([]any); ok && value.Only(m, "content", "isError", "is_error", "structuredContent", "structured_content", "resultType", "result_type", "_meta", "meta", "status", "toolUseId", "jsonrpc") {
		r.note(value.Text(m, "toolUseId"), "", value.True(m["isError"]) || value.True(m["is_error"]) || value.Text(m, "status") == "error")
		for _, key := range []string{"structuredContent", "structured_content"} {
			if s := m[key]; s != nil {
				return s, true
			}
		}
		return blocks(list)
	}
	if s, ok := m["text"].(string); ok && value.Text(m, "type") == "text" && value.Only(m, "type", "text", "annotations", "meta", "_meta") {
		return s, true
	}
	for _, key := range []string{"output", "outputs"} {
		if v, ok := m[key]; ok && value.Only(m, key, "kwargs", "tags", "metadata", "name") {
			return v, true
		}
	}
	return nil, false
}

func (r *Result) note(id, name string, failed bool) {
	if id != "" {
		r.CallID = id
	}
	if name != "" {
		r.Name = name
	}
	r.Failed = r.Failed || failed
}

// block reads a list of one block: {text}, {json}, {type: text, text}.
func block(m map[string]any) (any, bool) {
	if v, ok := m["json"]; ok && value.Only(m, "json", "type") {
		if inner, ok := v.(map[string]any); ok && len(inner) == 1 && value.Has(inner, "$value") {
			return inner["$value"], true
		}
		return v, true
	}
	if v, ok := m["text"].(string); ok && value.Only(m, "text", "type", "annotations") {
		return v, true
	}
	if v, ok := m["toolResult"].(map[string]any); ok && len(m) == 1 {
		return v, true
	}
	return nil, false
}

// blocks joins the text blocks of an MCP result.
func blocks(list []any) (any, bool) {
	if len(list) == 1 {
		if m, ok := list[0].(map[string]any); ok {
			return block(m)
		}
	}
	var texts []string
	for _, e := range list {
		m, _ := e.(map[string]any)
		s, ok := m["text"].(string)
		if !ok {
			return nil, false
		}
		texts = append(texts, s)
	}
	return strings.Join(texts, "\n"), len(texts) > 0
}
