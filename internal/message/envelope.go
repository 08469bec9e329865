package message

import (
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// envelope reads messages out of what is around them: the body of a request or
// a reply, the inputs or outputs of a framework's run.
func (r *reader) envelope(m map[string]any, depth int) {
	if r.reply(m, depth) {
		return
	}
	r.instructions(m)
	for _, key := range []string{"messages", "contents", "input_messages", "inputMessages"} {
		if v, ok := m[key]; ok {
			r.any(v, depth+1)
			return
		}
	}
	if s := value.Text(m, "combined_chunk_content"); s != "" { // Logfire's streamed replies
		r.any(s, depth+1)
		return
	}
	for _, key := range []string{"body", "replies", "inputs", "outputs", "kwargs", "request", "response", "input", "prompt", "prompts", "output", "message", "data", "result"} {
		v, ok := m[key]
		if !ok || v == nil {
			continue
		}
		switch v := v.(type) {
		case string:
			if v != "" && speaks(key) {
				r.any(v, depth+1)
				return
			}
		case []any, map[string]any:
			before := len(r.out)
			r.any(v, depth+1)
			if len(r.out) > before {
				return
			}
		}
	}
	if list, ok := m["args"].([]any); ok && len(list) > 0 {
		r.any(list[0], depth+1)
	}
}

// speaks reports whether a plain text under a key is what somebody said.
func speaks(key string) bool {
	switch key {
	case "input", "prompt", "output", "message", "inputs", "outputs", "result":
		return true
	}
	return false
}

// instructions reads the system prompt of a request.
func (r *reader) instructions(m map[string]any) {
	for _, key := range []string{"system", "instructions", "system_instruction", "systemInstruction", "system_prompt"} {
		v, ok := m[key]
		if !ok || v == nil || v == "" {
			continue
		}
		if parts := Parts(v); len(parts) > 0 {
			r.add(trace.Message{Role: trace.RoleSystem, Parts: parts})
		}
		return
	}
	if config, ok := m["config"].(map[string]any); ok {
		r.instructions(config)
	}
}

// reply reads the reply of a model, in the shapes that have a place of their
// own for it.
func (r *reader) reply(m map[string]any, depth int) bool {
	for _, key := range []string{"choices", "candidates"} {
		if list, ok := m[key].([]any); ok {
			for _, c := range list {
				r.choice(c, depth)
			}
			return true
		}
	}
	if gens, ok := m["generations"].([]any); ok {
		for _, g := range gens {
			r.generation(g, depth)
		}
		return true
	}
	if value.Has(m, "message") && (value.Has(m, "finish_reason", "finishReason", "stopReason", "index")) {
		r.choice(m, depth)
		return true
	}
	if c, ok := m["content"].(map[string]any); ok && value.Has(c, "parts") {
		r.choice(m, depth)
		return true
	}
	if o, ok := m["output"].(map[string]any); ok && value.Has(o, "message") { // Bedrock Converse
		before := len(r.out)
		r.any(o["message"], depth+1)
		r.finishLast(before, finish(m))
		return true
	}
	if list, ok := m["output"].([]any); ok && (value.Has(m, "status", "object") || r.side == Output) {
		before := len(r.out)
		r.any(list, depth+1)
		if len(r.out) > before {
			return true
		}
	}
	if r.side == Output && value.Has(m, "text", "toolCalls", "reasoning", "reasoningText") { // AI SDK
		r.message(m)
		return true
	}
	return false
}

// choice reads one choice of a reply.
func (r *reader) choice(c any, depth int) {
	m, ok := c.(map[string]any)
	if !ok {
		r.any(c, depth+1)
		return
	}
	inner := first(m, "message", "delta", "content")
	before := len(r.out)
	if inner == nil {
		if s := value.Text(m, "text"); s != "" {
			r.any(s, depth+1)
		}
	} else {
		r.any(inner, depth+1)
	}
	if reason := finish(m); reason != "" && len(r.out) == before {
		r.add(trace.Message{Role: trace.RoleAssistant})
	}
	r.finishLast(before, finish(m))
}

func (r *reader) finishLast(before int, reason string) {
	if len(r.out) > before && reason != "" {
		r.out[len(r.out)-1].FinishReason = reason
	}
}

// generation reads LangChain's generations: [[{text, message, generation_info}]].
func (r *reader) generation(g any, depth int) {
	switch g := g.(type) {
	case []any:
		if depth < envelopesMax {
			for _, e := range g {
				r.generation(e, depth+1)
			}
		}
	case map[string]any:
		before := len(r.out)
		if msg, ok := plain(g)["message"].(map[string]any); ok {
			r.any(msg, depth+1)
		} else if s := value.Text(plain(g), "text"); s != "" {
			r.any(s, depth+1)
		}
		for _, key := range []string{"generation_info", "generationInfo"} {
			if info, ok := g[key].(map[string]any); ok {
				r.finishLast(before, finish(info))
			}
		}
	}
}

// item reads one item of the Responses API, which lists what other APIs put
// into one message. Items of one reply are joined later.
func item(m map[string]any) (trace.Message, bool) {
	t, _ := m["type"].(string)
	msg := trace.Message{Role: trace.RoleAssistant, Name: itemName}
	switch t {
	case "function_call", "custom_tool_call", "computer_call", "local_shell_call":
		call := callPart(m)
		if call.Name == "" {
			call.Name = t
		}
		msg.Parts = []trace.Part{call}
	case "function_call_output", "function_call_result", "custom_tool_call_output":
		msg.Role, msg.Name = trace.RoleTool, ""
		msg.Parts = []trace.Part{resultPart(m)}
	case "web_search_call", "file_search_call", "code_interpreter_call", "mcp_call", "image_generation_call", "hosted_tool_call":
		msg.Parts = hosted(t, m)
	case "reasoning":
		if value.Has(m, "role") {
			return msg, false
		}
		msg.Parts = reasoning(nil, m)
	case "message":
		role, _ := m["role"].(string)
		if role == "" {
			role = "assistant"
		}
		if msg.Role = Role(role); msg.Role != trace.RoleAssistant {
			msg.Name = ""
		}
		msg.Parts, msg.FinishReason = contentParts(m), finish(m)
		settle(&msg)
	default:
		return msg, false
	}
	return msg, true
}

// hosted reads a tool that the provider ran itself: a call and, where the item
// has it, the result.
func hosted(t string, m map[string]any) []trace.Part {
	call := trace.Part{Type: trace.PartToolCall, ID: value.Text(m, "id", "call_id"), Name: value.Text(m, "name")}
	if call.Name == "" {
		call.Name = t[:len(t)-len("_call")]
	}
	if args := first(m, "arguments", "action", "queries", "code", "input"); args != nil {
		call.Value = rawOrData(args)
	}
	parts := []trace.Part{call}
	if out := first(m, "results", "outputs", "output", "result"); out != nil {
		parts = append(parts, trace.Part{Type: trace.PartToolResult, ID: call.ID, Name: call.Name, Value: rawOrData(out)})
	}
	return parts
}

// System returns the system prompt in a request's text without decoding the
// rest of it, or "".
func System(text string) string {
	for _, key := range []string{"system", "instructions", "systemInstruction", "system_instruction"} {
		raw := value.Member(text, key)
		if raw == "" || raw == "null" {
			continue
		}
		var s string
		for _, p := range Parts(value.Decode(raw)) {
			if p.Type == trace.PartText {
				if s != "" {
					s += "\n"
				}
				s += p.Text
			}
		}
		return s
	}
	return ""
}
