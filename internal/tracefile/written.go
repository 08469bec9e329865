package tracefile

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// libraries are the ways in which libraries write messages that have no role.
var libraries = [...]func(m map[string]any) []map[string]any{ofLangChain, ofPydanticAI, ofSemanticKernel, ofAutoGen, ofEnvelope, ofSender}

// rewritten is a message that a library wrote in its own way, as one or more with a
// role; nil where it is none of these.
func rewritten(m map[string]any) []map[string]any {
	if str(m, "role") != "" {
		return nil
	}
	for _, read := range libraries {
		if own := read(m); own != nil {
			return own
		}
	}
	return nil
}

// ofLangChain reads what messages_to_dict writes, {"type": "ai", "data": {…}}, what
// dumps does, {"lc": 1, "id": […, "AIMessage"], "kwargs": {…}}, and the fields of a
// message alone, {"type": "ai", "content": …}.
func ofLangChain(m map[string]any) []map[string]any {
	class, body := str(m, "type"), object(m, "data")
	if id := list(m, "id"); m["lc"] != nil && len(id) > 0 {
		class, _ = id[len(id)-1].(string)
		body = object(m, "kwargs")
	}
	if body == nil && m["content"] != nil {
		body = m
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

// ofSemanticKernel reads {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent"}]}.
func ofSemanticKernel(m map[string]any) []map[string]any {
	role := str(object(m, "Role", "role", "AuthorRole"), "Label", "label")
	items := objects(first(m, "Items", "items"))
	if role == "" || items == nil && first(m, "Content", "content") == nil {
		return nil
	}
	own := map[string]any{"role": strings.ToLower(role), "model": str(m, "ModelId"), "content": first(m, "Content", "content")}
	var said, calls []any
	var out []map[string]any
	for _, item := range items {
		name := strings.Trim(str(item, "PluginName")+"-"+str(item, "FunctionName"), "-")
		switch str(item, "$type") {
		case "FunctionCallContent":
			calls = append(calls, map[string]any{"id": first(item, "Id", "id"), "type": "function", "function": map[string]any{"name": name, "arguments": item["Arguments"]}})
		case "FunctionResultContent":
			out = append(out, map[string]any{"role": "tool", "tool_call_id": first(item, "CallId", "callId"), "name": name, "content": item["Result"]})
		case "TextContent":
			said = append(said, map[string]any{"type": "text", "text": item["Text"]})
		default:
			said = append(said, item)
		}
	}
	if out != nil {
		return out
	}
	if said != nil {
		own["content"] = said
	}
	if calls != nil {
		own["tool_calls"] = calls
	}
	return []map[string]any{own}
}

// ofAutoGen reads the messages and events of AutoGen, {"source": "helper", "type":
// "ToolCallRequestEvent", "content": [{id, name, arguments}]}.
func ofAutoGen(m map[string]any) []map[string]any {
	source, kind := str(m, "source"), str(m, "type")
	if source == "" || m["content"] == nil || !strings.HasSuffix(kind, "Message") && !strings.HasSuffix(kind, "Event") {
		return nil
	}
	role := "assistant"
	if source == "user" || source == "user_proxy" {
		role = "user"
	}
	own := map[string]any{"role": role, "name": source, "content": m["content"], "usage": m["models_usage"], "timestamp": m["created_at"]}
	var calls []any
	var results []map[string]any
	for _, c := range objects(m["content"]) {
		switch {
		case str(c, "call_id") != "":
			results = append(results, map[string]any{"role": "tool", "tool_call_id": c["call_id"], "name": c["name"], "content": c["content"], "is_error": c["is_error"]})
		case str(c, "name") != "" && c["arguments"] != nil:
			calls = append(calls, map[string]any{"id": c["id"], "type": "function", "function": map[string]any{"name": c["name"], "arguments": c["arguments"]}})
		}
	}
	switch {
	case results != nil:
		return results
	case calls != nil:
		own["content"], own["tool_calls"] = nil, calls
	case kind == "ThoughtEvent":
		own["content"] = []any{map[string]any{"type": "reasoning", "text": m["content"]}}
	}
	return []map[string]any{own}
}

// ofEnvelope reads an entry that has its message in an object of its own, beside
// whose it is, when it was and what it took: {"author": "helper", "content": {"role":
// "model", "parts": […]}, "usageMetadata": {…}}, {"type": "assistant", "message": {…}}.
func ofEnvelope(m map[string]any) []map[string]any {
	inner := object(m, "message", "content")
	if info := object(m, "info"); info != nil && str(info, "role") != "" && m["parts"] != nil { // OpenCode
		own := maps.Clone(info)
		own["parts"], own["model"] = m["parts"], str(info, "modelID")
		return []map[string]any{own}
	}
	if inner == nil || first(inner, "role", "parts", "content", "tool_calls") == nil {
		return nil
	}
	if inner["content_type"] != nil { // ChatGPT's export: m is the message, its content the parts
		return ofChatGPT(m, inner)
	}
	own := maps.Clone(inner)
	if str(own, "role") == "" {
		who := str(m, "role", "author", "type", "sender", "source")
		if !knownRole(who) {
			return nil
		}
		own["role"] = who
	}
	for key, names := range map[string][]string{"usage": {"usage", "usageMetadata", "usage_metadata"}, "timestamp": {"timestamp", "created_at", "time"}, "model": {"model", "modelVersion"}} {
		if own[key] == nil {
			if v := first(m, names...); v != nil {
				own[key] = v
			}
		}
	}
	return []map[string]any{own}
}

// ofChatGPT reads a message of ChatGPT's export. What it says to a tool is a call,
// whose recipient is the tool.
func ofChatGPT(m, content map[string]any) []map[string]any {
	author := object(m, "author")
	own := map[string]any{"role": str(author, "role"), "timestamp": m["create_time"], "model": str(object(m, "metadata"), "model_slug")}
	if own["role"] == "" {
		return nil
	}
	own["content"] = first(content, "text", "result", "content")
	if parts := list(content, "parts"); parts != nil {
		own["content"] = parts
	}
	if to := str(m, "recipient"); own["role"] == "assistant" && to != "" && to != "all" {
		said, isText := own["content"].(string)
		if !isText {
			said = strings.Join(textsOf(own["content"]), "\n")
		}
		own["content"], own["tool_calls"] = nil, []any{map[string]any{"type": "function", "function": map[string]any{"name": to, "arguments": said}}}
	}
	if name := str(author, "name"); name != "" {
		own["name"] = name
	}
	return []map[string]any{own}
}

// textsOf are the texts of a list.
func textsOf(v any) (texts []string) {
	for _, e := range blocks(v) {
		if s, ok := e.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// ofSender reads a message whose role is called sender, speaker or author:
// {"sender": "human", "text": …}.
func ofSender(m map[string]any) []map[string]any {
	who := strings.ToLower(str(m, "sender", "speaker", "author", "Role"))
	said := first(m, "content", "text", "message")
	if said == nil || !knownRole(who) {
		return nil
	}
	own := maps.Clone(m)
	own["role"], own["content"] = who, said
	return []map[string]any{own}
}

// The names of a request and of its response in a record of both.
var (
	requestKeys  = []string{"request", "request_body", "requestBody", "req", "body", "input"}
	responseKeys = []string{"response", "response_body", "responseBody", "res", "result", "completion", "output"}
)

// paired is a record of a request with its response, or of a response alone as a
// batch gives it, as one object: {"request": {"messages"}, "response": {"choices"}},
// {"custom_id", "response": {"body"}}, {"custom_id", "result": {"message"}}; what was
// asked may stand beside the response, and either may be JSON in a text.
func paired(doc any) any {
	o, ok := doc.(map[string]any)
	if !ok {
		return doc
	}
	said, key := bodyOf(o, responseKeys)
	if said == nil || replyOf(said) == nil && !isResponse(said) {
		return doc
	}
	given, _ := bodyOf(o, requestKeys)
	if given == nil {
		given = without(o, key)
	}
	whole := map[string]any{}
	maps.Copy(whole, given)
	maps.Copy(whole, said)
	if id := str(o, "custom_id", "id"); id != "" {
		whole["id"] = id
	}
	for _, key := range [...]string{"model", "modelId", "session_id", "conversation_id", "thread_id", "user_id", "timestamp", "trace_id"} {
		if whole[key] == nil && o[key] != nil {
			whole[key] = o[key]
		}
	}
	return whole
}

// bodyOf is the object under the first of the keys, without what is around it, and
// the key.
func bodyOf(o map[string]any, keys []string) (map[string]any, string) {
	for _, key := range keys {
		body := asObject(o[key])
		if body == nil {
			continue
		}
		for _, inner := range [...]string{"body", "inputBodyJson", "outputBodyJson"} {
			if b := asObject(body[inner]); b != nil {
				body = b
			}
		}
		if m := object(body, "message"); m != nil && isReply(m) { // a batch of Anthropic's
			body = m
		}
		return body, key
	}
	return nil, ""
}

// asObject is an object, or the one that a text holds.
func asObject(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		return v
	case string:
		if strings.HasPrefix(v, "{") {
			d := json.NewDecoder(strings.NewReader(v))
			d.UseNumber()
			var o map[string]any
			if d.Decode(&o) == nil {
				return o
			}
		}
	}
	return nil
}

// replyIn is the reply that a record holds beside what was asked: the first of the
// choices, the first of Gemini's candidates with what it is grounded on, or the
// object itself where it is the reply. What the record says of the call is its.
func replyIn(o map[string]any) []any {
	reply := replyOf(o)
	if reply == nil {
		return nil
	}
	reply = maps.Clone(reply)
	if model := str(o, "model", "modelVersion"); model != "" {
		reply["model"] = model
	}
	if usage := usageOf(o); usage != nil {
		reply["usage"] = usage
	}
	if id := str(o, "id", "responseId"); strings.HasPrefix(id, "chatcmpl") || strings.HasPrefix(id, "msg_") || o["responseId"] != nil {
		reply["response_id"] = id
	}
	return []any{reply}
}

// counted reports whether the tokens that an object has are those of its reply,
// and of no others.
func counted(o map[string]any) bool { return replyOf(o) != nil || isResponse(o) }

// isResponse reports whether an object is a response of OpenAI's, whose output is
// one reply.
func isResponse(o map[string]any) bool {
	return str(o, "object") == "response" && list(o, "output") != nil
}

// own gives the last reply of a response what the response says of it.
func (r run) own() {
	if len(r.around) == 0 || !isResponse(r.around[0]) {
		return
	}
	for i := len(r.said) - 1; i >= 0; i-- {
		if m := r.said[i]; isReply(m) {
			o := r.around[0]
			m = maps.Clone(m)
			m["model"], m["usage"], m["response_id"] = str(o, "model"), usageOf(o), str(o, "id")
			r.said[i] = m
			return
		}
	}
}

func replyOf(o map[string]any) map[string]any {
	for _, c := range objects(o["choices"]) {
		if m := object(c, "message"); m != nil {
			m = maps.Clone(m)
			if why := str(c, "finish_reason"); why != "" {
				m["finish_reason"] = why
			}
			return m
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
		return reply
	}
	if m := object(object(o, "output"), "message"); isReply(m) { // Bedrock's Converse
		m = maps.Clone(m)
		m["stop_reason"] = o["stopReason"]
		return m
	}
	if isReply(o) && o["content"] != nil {
		return map[string]any{"role": "assistant", "content": o["content"], "stop_reason": o["stop_reason"]}
	}
	return nil
}
