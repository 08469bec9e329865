package tracefile

import (
	"maps"
	"slices"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// itemsAsMessages writes as messages the items of the Responses API that are none
// and no function's: what the provider ran stands in the reply that goes on after
// it, and what others ran, or a person refused, is answered by a result.
func itemsAsMessages(list []map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(list))
	var asked []any // of the reply that goes on
	end := func() {
		if asked != nil {
			out = append(out, map[string]any{"role": "assistant", "content": asked})
			asked = nil
		}
	}
	for _, m := range list {
		t := str(m, "type")
		role, known := message.Item(t)
		switch {
		case !known || str(m, "role") != "" || t == "function_call" || t == "function_call_output":
			if asked != nil && isReply(m) {
				m = maps.Clone(m)
				m["content"] = slices.Concat(asked, blocks(m["content"]))
				asked = nil
			}
			end()
			out = append(out, m)
		case role == trace.RoleAssistant:
			asked = append(asked, m)
		case role == trace.RoleTool && m["approve"] != true: // else the call itself follows
			end()
			result := m["output"]
			if m["approve"] == false {
				result = map[string]any{"type": "execution-denied"}
				if why := str(m, "reason"); why != "" {
					result = map[string]any{"type": "execution-denied", "reason": why}
				}
			}
			out = append(out, map[string]any{"role": "tool", "tool_call_id": str(m, "call_id", "approval_request_id", "id"), "content": result})
		}
	}
	end()
	return out
}
