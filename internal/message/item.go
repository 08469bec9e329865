package message

import (
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// An itemKind says what an item of the Responses API is, which lists what other
// APIs put into one message.
type itemKind uint8

const (
	callItem     itemKind = 1 + iota // a call that whoever asked the model runs
	resultItem                       // what such a call returned
	hostedItem                       // a call that the provider ran, with its result
	approvalItem                     // what a person said to a call that the provider was to run
	listItem                         // tools that a server has
)

// items is the kinds of items by their types.
var items = map[string]itemKind{
	"function_call": callItem, "custom_tool_call": callItem, "computer_call": callItem, "local_shell_call": callItem, "shell_call": callItem,
	"apply_patch_call": callItem, "mcp_approval_request": callItem,
	"function_call_output": resultItem, "function_call_result": resultItem, "custom_tool_call_output": resultItem, "computer_call_output": resultItem,
	"computer_call_result": resultItem, "local_shell_call_output": resultItem, "shell_call_output": resultItem, "apply_patch_call_output": resultItem,
	"web_search_call": hostedItem, "file_search_call": hostedItem, "code_interpreter_call": hostedItem, "mcp_call": hostedItem,
	"image_generation_call": hostedItem, "hosted_tool_call": hostedItem,
	"mcp_approval_response": approvalItem,
	"mcp_list_tools":        listItem,
}

// Item is whose an item of the Responses API of a type is, other than a message or
// a thought: empty where it is nobody's, and not known where there is no such type.
func Item(t string) (whose trace.Role, known bool) {
	switch items[t] {
	case callItem, hostedItem:
		return trace.RoleAssistant, true
	case resultItem, approvalItem:
		return trace.RoleTool, true
	case listItem:
		return "", true
	}
	return "", false
}

// item reads one item of the Responses API. Items of one reply are joined later.
func item(m value.Node) (trace.Message, bool) {
	t, _ := m.Get("type").Text()
	msg := trace.Message{Role: trace.RoleAssistant, Name: itemName}
	switch items[t] {
	case callItem:
		call := callPart(m)
		if call.Name == "" {
			call.Name = t
		}
		if did := m.First("action", "operation"); !call.Value.Captured() && did.Something() {
			call.Value = rawOrData(did)
		}
		msg.Parts = []trace.Part{call}
	case resultItem:
		msg.Role, msg.Name = trace.RoleTool, ""
		msg.Parts = []trace.Part{resultPart(m)}
	case hostedItem:
		msg.Parts = hosted(m)
	case approvalItem:
		msg.Role, msg.Name = trace.RoleTool, ""
		if m.Get("approve").Kind() != value.KindFalse {
			return trace.Message{}, true // the call follows
		}
		msg.Parts = []trace.Part{{Type: trace.PartToolResult, ID: m.TextAt("approval_request_id"), Value: denial(m), IsError: true}}
	case listItem:
		return trace.Message{}, true
	default:
		return statement(msg, t, m)
	}
	return msg, true
}

// statement reads an item that is what a model thought or said.
func statement(msg trace.Message, t string, m value.Node) (trace.Message, bool) {
	switch t {
	case "reasoning":
		if m.Has("role") {
			return msg, false
		}
		msg.Parts = reasoning(nil, m)
	case "message":
		role, _ := m.Get("role").Text()
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
