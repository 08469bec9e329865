package tracefile

import (
	"maps"
	"strings"
)

// uiReplies cuts a message of the Vercel AI SDK's useChat, which is what an
// interface shows of a whole turn, into the replies of the model and the results of
// its tools: a new reply begins where a step does, and with what is said after
// calls. It is nil for any other message.
func uiReplies(m map[string]any) (turns []map[string]any) {
	if !isReply(m) {
		return nil
	}
	var parts, results []any
	calls := 0
	flush := func() {
		if len(parts) > 0 {
			reply := maps.Clone(m)
			reply["parts"] = parts
			delete(reply, "id") // of the message
			delete(reply, "content")
			delete(reply, "toolInvocations")
			turns = append(turns, reply)
		}
		if len(results) > 0 {
			turns = append(turns, map[string]any{"role": "tool", "content": results})
		}
		parts, results = nil, nil
	}
	for _, part := range uiParts(m) {
		p, _ := part.(map[string]any)
		call, result := uiCall(p)
		if begins := str(p, "type") == "step-start" || str(p, "type") == "step-finish"; begins || len(results) > 0 && call == nil {
			flush()
			if begins {
				continue
			}
		}
		if call == nil {
			parts = append(parts, part)
			continue
		}
		calls++
		parts = append(parts, call)
		if result != nil {
			results = append(results, result)
		}
	}
	flush()
	if calls == 0 {
		return nil
	}
	counted := false // the tokens of all are the last one's
	for i := len(turns) - 1; i >= 0; i-- {
		if !isReply(turns[i]) {
			continue
		}
		for _, key := range [...]string{"usage", "tokens", "metrics", "cost"} {
			if counted {
				delete(turns[i], key)
			}
		}
		counted = true
	}
	return turns
}

// uiParts is the parts of a message; before version 5 the calls of a reply may stand
// beside its text.
func uiParts(m map[string]any) []any {
	if parts := list(m, "parts"); parts != nil {
		return parts
	}
	var parts []any
	for _, call := range list(m, "toolInvocations") {
		parts = append(parts, map[string]any{"type": "tool-invocation", "toolInvocation": call})
	}
	if text := str(m, "content"); text != "" {
		parts = append(parts, map[string]any{"type": "text", "text": text})
	}
	return parts
}

// uiCall is the call that a part shows, and its result, as the SDK gives both to a
// model; nil where it shows none, or has none yet.
func uiCall(p map[string]any) (call, result map[string]any) {
	if inner := object(p, "toolInvocation"); inner != nil {
		p = inner
	}
	if inner := object(p, "state"); inner != nil { // OpenCode
		p = map[string]any{"toolCallId": p["callID"], "toolName": p["tool"], "state": inner["status"], "input": inner["input"], "output": inner["output"], "errorText": inner["error"]}
	}
	id, state := str(p, "toolCallId"), str(p, "state")
	if id == "" || state == "" {
		return nil, nil
	}
	name := str(p, "toolName")
	if name == "" {
		name = strings.TrimPrefix(str(p, "type"), "tool-")
	}
	input := first(p, "input", "args", "rawInput")
	if input == nil {
		input = map[string]any{}
	}
	call = map[string]any{"type": "tool-call", "toolCallId": id, "toolName": name, "input": input}
	var output map[string]any
	switch state {
	case "output-available", "result", "completed":
		output = map[string]any{"type": "json", "value": first(p, "output", "result")}
	case "output-error", "error":
		output = map[string]any{"type": "error-text", "value": p["errorText"]}
	case "output-denied":
		output = map[string]any{"type": "execution-denied", "reason": object(p, "approval")["reason"]}
	default:
		return call, nil
	}
	return call, map[string]any{"type": "tool-result", "toolCallId": id, "toolName": name, "output": output}
}
