package tracefile

import (
	"maps"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// rewritten is a message that a library wrote in its own way, as one or more with a
// role; nil where it is none of these.
func rewritten(m map[string]any) []map[string]any {
	if str(m, "role") != "" {
		return nil
	}
	if own := ofLangChain(m); own != nil {
		return own
	}
	return ofPydanticAI(m)
}

// ofLangChain reads what messages_to_dict writes, {"type": "ai", "data": {…}}, and
// what dumps does, {"lc": 1, "id": […, "AIMessage"], "kwargs": {…}}.
func ofLangChain(m map[string]any) []map[string]any {
	class, body := str(m, "type"), object(m, "data")
	if id := list(m, "id"); m["lc"] != nil && len(id) > 0 {
		class, _ = id[len(id)-1].(string)
		body = object(m, "kwargs")
	}
	if body == nil || !knownRole(class) {
		return nil
	}
	own := maps.Clone(body)
	own["role"] = class
	return []map[string]any{own}
}

// ofPydanticAI reads a ModelRequest, each part of which is somebody's, or a
// ModelResponse.
func ofPydanticAI(m map[string]any) []map[string]any {
	kind, parts := str(m, "kind"), objects(m["parts"])
	if kind != "request" && kind != "response" || len(parts) == 0 || str(parts[0], "part_kind") == "" {
		return nil
	}
	var out []map[string]any
	reply := map[string]any{"role": "assistant", "model": m["model_name"], "usage": m["usage"]}
	var said, calls []any
	for _, p := range parts {
		result := map[string]any{"role": "tool", "tool_call_id": p["tool_call_id"], "name": p["tool_name"], "content": p["content"]}
		switch what := str(p, "part_kind"); {
		case what == "system-prompt":
			out = append(out, map[string]any{"role": "system", "content": p["content"]})
		case what == "tool-return":
			out = append(out, result)
		case what == "retry-prompt" && str(p, "tool_name") != "":
			result["is_error"] = true
			out = append(out, result)
		case what == "user-prompt", what == "retry-prompt":
			out = append(out, map[string]any{"role": "user", "content": p["content"]})
		case what == "text", what == "thinking":
			said = append(said, map[string]any{"type": what, "text": p["content"]})
		case what == "tool-call":
			calls = append(calls, map[string]any{"id": p["tool_call_id"], "type": "function", "function": map[string]any{"name": p["tool_name"], "arguments": p["args"]}})
		}
	}
	if kind == "response" {
		if reply["content"] = said; calls != nil {
			reply["tool_calls"] = calls
		}
		out = append(out, reply)
	}
	return out
}

// paired is a record of a request with its response, or of a response alone as a
// batch gives it, as one object: {"request": {"messages"}, "response": {"choices"}},
// {"custom_id", "response": {"body"}}, {"custom_id", "result": {"message"}}.
func paired(doc any) any {
	o, ok := doc.(map[string]any)
	given, said := object(o, "request"), object(o, "response", "result")
	if !ok || said == nil || given == nil && str(o, "custom_id") == "" {
		return doc
	}
	if body := object(given, "body"); body != nil {
		given = body
	}
	if body := object(said, "body", "message"); body != nil {
		said = body
	}
	whole := map[string]any{"id": o["custom_id"]}
	maps.Copy(whole, said)
	maps.Copy(whole, given)
	return whole
}

// replyIn is the reply that a record holds beside what was asked: the first of the
// choices, the first of Gemini's candidates with what it is grounded on, or the
// object itself where it is the reply.
func replyIn(o map[string]any) []any {
	for _, c := range objects(o["choices"]) {
		if m := object(c, "message"); m != nil {
			return []any{m}
		}
	}
	for _, c := range objects(o["candidates"]) {
		content := object(c, "content")
		if content == nil {
			continue
		}
		reply := maps.Clone(content)
		reply["role"] = string(trace.RoleAssistant)
		if meta := object(c, "groundingMetadata", "grounding_metadata"); meta != nil {
			reply["parts"] = append([]any{map[string]any{"groundingMetadata": meta}}, list(content, "parts")...)
		}
		return []any{reply}
	}
	if isReply(o) && o["content"] != nil {
		return []any{map[string]any{"role": "assistant", "content": o["content"], "stop_reason": o["stop_reason"]}}
	}
	return nil
}
