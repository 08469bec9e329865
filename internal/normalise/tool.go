package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// tool fills the call of a step that is one.
func (b *bag) tool(s *trace.Step) {
	switch s.Kind {
	case trace.KindTool, trace.KindHandoff, trace.KindMemory, trace.KindRetriever, trace.KindReranker:
	default:
		return
	}
	t := &trace.Tool{
		Name:        b.text(toolName),
		CallID:      b.text(callID),
		Type:        b.text(toolType),
		Description: b.text(toolDescription),
	}
	s.Tool = t
	if t.Name == "" && !generic(s.Name) {
		t.Name = nameOfTool(s.Name)
	}
	if className(t.Name) {
		t.Name = ""
	}
	if s.Kind == trace.KindTool && handoffTarget(t.Name) != "" && b.handsOff(t.Name) {
		s.Kind = trace.KindHandoff
	}
	if s.Kind == trace.KindRetriever || s.Kind == trace.KindReranker {
		t.Arguments, _, _ = b.value(query)
	}
	if !t.Arguments.Captured() {
		t.Arguments = b.callValue(arguments, payloadIn)
	}
	t.Arguments = unwrapArguments(t.Arguments)
	raw := b.callValue(result, payloadOut)
	if raw.Captured() {
		b.settleResult(s, payload.Unwrap(raw))
	}
	if !t.Arguments.Captured() && s.Input.Captured() {
		b.fromParts(s)
	}
	s.Input, s.Output = trace.Messages{}, trace.Messages{}
}

// callValue is the first value of one field, else of another.
func (b *bag) callValue(f, fallback field) trace.Value {
	if v, _, ok := b.value(f); ok {
		return v
	}
	v, _, _ := b.value(fallback)
	return v
}

// settleResult takes what an unwrapped result says.
func (b *bag) settleResult(s *trace.Step, r payload.Result) {
	s.Tool.Result = r.Value
	if s.Tool.CallID == "" {
		s.Tool.CallID = r.CallID
	}
	if s.Tool.Name == "" {
		s.Tool.Name = r.Name
	}
	if r.Failed && s.Kind != trace.KindRetriever {
		s.Status = trace.Status{Failed: true, Message: r.Message, Source: "payload"}
		s.Tool.Error = r.Message
		if r.Refused {
			s.Status.ErrorType = trace.Refused
		}
	}
}

// fromParts takes arguments and result from the messages of a tool span, where a
// producer writes them as a tool_call and a tool_result part.
func (b *bag) fromParts(s *trace.Step) {
	for _, m := range s.Input.List() {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Type == trace.PartToolCall {
				s.Tool.Arguments = p.Value
				if s.Tool.CallID == "" {
					s.Tool.CallID = p.ID
				}
				if s.Tool.Name == "" {
					s.Tool.Name = p.Name
				}
			}
		}
	}
	for _, m := range s.Output.List() {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Type == trace.PartToolResult && !s.Tool.Result.Captured() {
				r := payload.Unwrap(p.Value)
				r.Failed = r.Failed || p.IsError
				b.settleResult(s, r)
			}
		}
	}
}

// unwrapArguments takes off what tracers of functions put around arguments:
// {"args": [], "kwargs": {…}}, and LangChain's {"input_str", "inputs", …} and
// {"input": "{'a': 1}"}, Python's writing of them.
func unwrapArguments(v trace.Value) trace.Value {
	if !v.Captured() || !v.Structured() && !wrapsArguments(v.Text()) {
		return v
	}
	m, ok := v.Data().(map[string]any)
	if !ok {
		return v
	}
	if inner, ok := m["inputs"].(map[string]any); ok && value.Only(m, "inputs", "input_str", "tags", "metadata", "kwargs", "name", "run_id") {
		return trace.DataValue(inner)
	}
	if s, ok := m["input_str"].(string); ok {
		return trace.RawValue(s, value.Decode)
	}
	if s, ok := m["input"].(string); ok && len(m) == 1 && strings.HasPrefix(s, "{'") {
		if inner, ok := value.Decode(s).(map[string]any); ok {
			return trace.DataValue(inner)
		}
	}
	if inner, ok := m["input"].(map[string]any); ok && value.Has(m, "options") && value.Only(m, "input", "options", "error") { // BeeAI
		return trace.DataValue(inner)
	}
	args, hasArgs := m["args"].([]any)
	kwargs, hasKwargs := m["kwargs"].(map[string]any)
	if (hasArgs || hasKwargs) && value.Only(m, "args", "kwargs", "sanitize_inputs_outputs") {
		switch {
		case len(args) == 0:
			if kwargs == nil {
				kwargs = map[string]any{}
			}
			return trace.DataValue(kwargs)
		case len(args) == 1 && len(kwargs) == 0:
			if s, ok := args[0].(string); ok {
				return trace.RawValue(s, value.Decode)
			}
			return trace.DataValue(args[0])
		}
	}
	return v
}

// wrapsArguments looks for the keys of the wrappings.
func wrapsArguments(text string) bool {
	head := text[:min(len(text), 4000)]
	return strings.Contains(head, `"args"`) || strings.Contains(head, `"inputs"`) || strings.Contains(head, `"options"`) || strings.Contains(head, `"input_str"`) || strings.Contains(head, `'args'`) ||
		strings.Contains(head, `"kwargs"`) || strings.Contains(head, `'kwargs'`) || strings.Contains(head, `{'`)
}

// nameOfTool finds a tool's name in a span's name.
func nameOfTool(span string) string {
	if rest := afterPrefix(span, "execute_tool ", "tools/call ", "MCP request: tools/call ", "MCP server handle request: tools/call ", "Function: ", "running tool: ", "tool.execute ", "tool:", "tool.", "Tool.", "tool/", "call_tool ", "Tool: "); rest != "" {
		return rest
	}
	return strings.TrimSuffix(strings.TrimSuffix(span, ".tool"), ".__call__") // DSPy names a tool's span by its method
}

// className reports whether a name is that of a framework's class of tools, not
// of a tool.
func className(name string) bool {
	switch name {
	case "DynamicStructuredTool", "DynamicTool", "StructuredTool", "FunctionTool", "MCPTool", "BaseTool", "ToolInvoker", "(merged tools)":
		return true
	}
	return false
}

// generic reports whether a span's name is that of tool calls in general.
func generic(name string) bool {
	switch name {
	case "Tool", "tool", "ai.toolCall", "running tool", "running tools", "execute_tool", "tools/call", "tool_call", "function_tool", "invoke":
		return true
	}
	return false
}

// handoffTarget is the agent that a tool of this name hands over to, or "".
func handoffTarget(name string) string {
	return afterPrefix(name, "handoff to ", "handoff_to_", "transfer_to_", "transfer-to-", "Handoff: ")
}

// handsOff reports whether a tool that is named like a hand-off is one: it takes
// nothing, or words for the other agent. A tool of the user's that happens to be
// called so takes something else.
func (b *bag) handsOff(name string) bool {
	if strings.HasPrefix(name, "handoff") || strings.HasPrefix(name, "Handoff") || name == "transfer_to_agent" {
		return true
	}
	v := b.callValue(arguments, payloadIn)
	m, ok := v.Data().(map[string]any)
	return !ok || value.Only(m, "agent_name", "agent", "reason", "message", "input", "task", "task_description", "summary", "context", "from_agent", "to_agent")
}

// documents fills what a retriever returned, and what a tool's result holds.
func (b *bag) documents(s *trace.Step) {
	switch s.Kind {
	case trace.KindRetriever, trace.KindReranker, trace.KindMemory:
		if v, _, ok := b.value(documents); ok {
			s.Documents = payload.Listed(flatten(v.Data()))
		}
		b.queryResults(s)
		if len(s.Documents) == 0 && s.Tool != nil && s.Tool.Result.Captured() {
			if s.Documents = payload.Documents(s.Tool.Result.Data()); len(s.Documents) == 0 && s.Kind == trace.KindRetriever {
				s.Documents = payload.Listed(s.Tool.Result.Data())
			}
		}
	case trace.KindTool:
		if v, _, ok := b.value(documents); ok {
			s.Documents = payload.Listed(flatten(v.Data()))
		} else if s.Tool != nil && s.Tool.Result.Captured() && !s.Status.Failed {
			s.Documents = payload.Documents(s.Tool.Result.Data())
		}
	}
}

// flatten takes OpenInference's "document." off each document.
func flatten(data any) any {
	if text, ok := data.(string); ok {
		data = value.Decode(text)
	}
	list, ok := data.([]any)
	if !ok {
		return data
	}
	flat := make([]any, len(list))
	for i, e := range list {
		flat[i] = e
		m, ok := e.(map[string]any)
		if !ok {
			continue
		}
		if inner, ok := m["document"].(map[string]any); ok && len(m) == 1 {
			flat[i] = inner
			continue
		}
		doc := make(map[string]any, len(m))
		for k, v := range m {
			doc[strings.TrimPrefix(k, "document.")] = v
		}
		flat[i] = doc
	}
	return flat
}
