package tracefile

import "maps"

// uiReplies cuts a message of the Vercel AI SDK's useChat, which is what an
// interface shows of a whole turn, into the replies of the model: a new one begins
// where a step does, and with what is said after calls. It is nil for any other
// message.
func uiReplies(m map[string]any) (replies []map[string]any) {
	if !isReply(m) {
		return nil
	}
	var parts []any
	called, calls := false, 0
	flush := func() {
		if len(parts) > 0 {
			reply := maps.Clone(m)
			reply["parts"] = parts
			delete(reply, "id") // of the message
			replies = append(replies, reply)
		}
		parts, called = nil, false
	}
	for _, part := range list(m, "parts") {
		p, _ := part.(map[string]any)
		isCall := str(p, "toolCallId") != "" && str(p, "state") != ""
		if begins := str(p, "type") == "step-start"; begins || called && !isCall {
			flush()
			if begins {
				continue
			}
		}
		if isCall {
			called = true
			calls++
		}
		parts = append(parts, part)
	}
	flush()
	if calls == 0 {
		return nil
	}
	return replies
}
