package tracefile

import "maps"

// codexExec is what `codex exec --json` prints: the items of a thread as they are
// done, and the tokens of each turn.
var codexExec = format{
	name:     "codex-exec",
	looksFor: "events thread.started, turn.started, item.completed and turn.completed",
	entry:    func(line string) bool { return entryText(line, "type") == "thread.started" },
	detect: func(doc any) bool {
		return anyEntry(doc, func(e map[string]any) bool { return str(e, "type") == "thread.started" && str(e, "thread_id") != "" })
	},
	chats: readCodexExec,
}

func readCodexExec(doc any) ([]chat, error) {
	entries, _ := doc.([]any)
	s := &session{}
	r := execution{session: s}
	for _, e := range objects(entries) {
		switch str(e, "type") {
		case "thread.started":
			s.id = str(e, "thread_id")
		case "turn.started":
			r.open = nil
			s.begin()
		case "turn.completed":
			s.took(object(e, "usage"))
		case "item.completed":
			r.item(object(e, "item"), e["timestamp"])
		}
	}
	all := s.chats()
	if len(all) == 0 {
		return nil, errNoEntries
	}
	return all, nil
}

// execution is a thread while its items are read.
type execution struct {
	*session
	open map[string]any // the reply that the next items belong to
}

// item reads an item: what the model thought or said, or what it ran and what that
// came to.
func (r *execution) item(item map[string]any, at any) {
	kind := str(item, "type", "item_type")
	switch kind {
	case "agent_message", "assistant_message":
		r.says(map[string]any{"role": "assistant", "content": item["text"]}, at)
		return
	case "reasoning":
		r.says(map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "reasoning", "content": item["text"]}}}, at)
		return
	}
	name, result := kind, first(item, "aggregated_output", "result", "output")
	var arguments any
	switch kind {
	case "command_execution":
		arguments = map[string]any{"command": item["command"]}
	case "mcp_tool_call":
		name = str(item, "tool")
		arguments = first(item, "arguments")
	case "web_search":
		arguments = map[string]any{"query": item["query"]}
	default:
		rest := maps.Clone(item)
		for _, key := range [...]string{"id", "type", "item_type", "status", "error"} {
			delete(rest, key)
		}
		arguments = rest
	}
	failure := first(item, "error")
	if message := object(item, "error"); message != nil {
		failure = first(message, "message")
	}
	if result == nil {
		result = failure
	}
	id := str(item, "id")
	r.says(map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments}}}}, at)
	if result == nil {
		result = ""
	}
	r.open = nil
	r.add(toolTurn(id, name, result, failure != nil || str(item, "status") == "failed"), at)
}

// says adds to the reply that is open, or opens one.
func (r *execution) says(m map[string]any, at any) {
	if r.open != nil {
		goesOn(r.open, m)
		return
	}
	r.open = m
	r.add(m, at)
}
