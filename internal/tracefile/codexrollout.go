package tracefile

import "slices"

// codexRollout is the sessions that Codex keeps in ~/.codex/sessions: entries
// with a payload, of which the items of the Responses API are what was said and
// done, and the events say where turns begin and what they cost.
var codexRollout = format{
	name:     "codex",
	looksFor: "entries with timestamp, type and payload: session_meta, response_item",
	entry: func(line string) bool {
		return entryText(line, "type") == "session_meta" && entryText(line, "timestamp") != ""
	},
	detect: func(doc any) bool {
		return anyEntry(doc, func(e map[string]any) bool { return str(e, "type") == "session_meta" && object(e, "payload") != nil })
	},
	chats: readCodexRollout,
}

func readCodexRollout(doc any) ([]chat, error) {
	entries, _ := doc.([]any)
	r := rollout{}
	list := objects(entries)
	r.marked = slices.ContainsFunc(list, func(e map[string]any) bool { return str(object(e, "payload"), "type") == "task_started" })
	for _, e := range list {
		r.entry(e)
	}
	all := r.chats()
	if len(all) == 0 {
		return nil, errNoEntries
	}
	return all, nil
}

// rollout is a session while its entries are read.
type rollout struct {
	session
	marked bool           // its turns say where they begin
	model  string         // of the turn
	open   map[string]any // the reply that the next items belong to
	last   map[string]any // the last reply
	told   string         // tokens of the session, where they were last told
}

func (r *rollout) entry(e map[string]any) {
	p := object(e, "payload")
	switch str(e, "type") {
	case "session_meta":
		r.id = str(p, "id", "session_id")
		r.system = str(object(p, "base_instructions"), "text")
		if r.system == "" {
			r.system = str(p, "instructions")
		}
	case "turn_context":
		if model := str(p, "model"); model != "" {
			r.model = model
		}
	case "event_msg":
		r.event(p)
	case "response_item":
		r.item(p, e["timestamp"])
	}
}

// event reads where a turn begins, and the tokens of the reply before it. They
// are told again where limits change.
func (r *rollout) event(p map[string]any) {
	switch str(p, "type") {
	case "task_started":
		r.open = nil
		r.begin()
	case "token_count":
		info := object(p, "info")
		spent := jsonText(info["total_token_usage"])
		usage := object(info, "last_token_usage")
		if r.last == nil || usage == nil || spent == r.told {
			return
		}
		r.told = spent
		r.last["usage"] = map[string]any{
			"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"],
			"input_tokens_details":  map[string]any{"cached_tokens": usage["cached_input_tokens"]},
			"output_tokens_details": map[string]any{"reasoning_tokens": usage["reasoning_output_tokens"]},
		}
		r.open = nil
	}
}

// item reads an item of the Responses API. What the model said and asked for,
// one after the other, is one reply.
func (r *rollout) item(p map[string]any, at any) {
	content := p["content"]
	var call map[string]any
	switch str(p, "type") {
	case "message":
		if !isReply(p) {
			if !r.marked && r.last != nil && list(r.last, "tool_calls") == nil && str(p, "role") == "user" {
				r.begin()
			}
			r.open = nil
			r.add(map[string]any{"role": p["role"], "content": content}, at)
			return
		}
	case "reasoning":
		content = blocks(nil)
		for _, b := range objects(p["summary"]) {
			content = append(content.([]any), map[string]any{"type": "reasoning", "content": b["text"]})
		}
	case "function_call":
		call = map[string]any{"name": p["name"], "arguments": p["arguments"]}
	case "custom_tool_call":
		call = map[string]any{"name": p["name"], "arguments": p["input"]}
	case "local_shell_call", "web_search_call":
		call = map[string]any{"name": p["type"], "arguments": p["action"]}
	case "function_call_output", "custom_tool_call_output":
		r.open = nil
		r.add(map[string]any{"role": "tool", "tool_call_id": p["call_id"], "content": p["output"]}, at)
		return
	default:
		return
	}
	more := map[string]any{"role": "assistant", "content": content}
	if call != nil {
		more = map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": first(p, "call_id", "id"), "type": "function", "function": call}}}
	}
	if r.open != nil {
		goesOn(r.open, more)
		return
	}
	more["model"] = r.model
	r.open, r.last = more, more
	r.add(more, at)
}
