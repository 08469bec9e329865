package payload

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/value"
)

// refusedTypes are types of a result that is none, since a person did not let
// the call run. A status or a decision may be what a tool returned of its own.
var refusedTypes = []string{"execution-denied", "execution_denied", "tool-output-denied", "output-denied"}

// refusedWords say in a sentence about a call that it was not let run.
var refusedWords = []string{"rejected", "denied", "declined", "refused", "disapproved", "not approved", "did not approve", "didn't approve", "not permitted by the user",
	"doesn't want to proceed", "does not want to proceed", "拒绝", "未批准", "不批准", "未授权"}

// ofCall are what a sentence calls the call itself.
var ofCall = []string{"this call", "tool call", "tool use", "tool execution", "tool request", "tool invocation", "function call", "permission to use", "permission to run", "工具调用", "调用工具", "执行工具", "工具执行"}

// refusalMax bounds the text of a refusal: a longer one is about something else.
const refusalMax = 1000

// Refusal reports whether what stands for a tool's result says that a person did
// not let the call run, and what it says: by its type, by holding nothing but that
// it was denied and why, or in a first sentence about the tool call itself.
func Refusal(data any) (words string, refused bool) {
	switch d := data.(type) {
	case string:
		return d, refusedText(d)
	case map[string]any:
		kind := value.Text(d, "type")
		if slices.Contains(refusedTypes, kind) || value.True(d["denied"]) && value.Only(d, "denied", "reason", "type") {
			return cmp.Or(value.Text(d, "reason", "message", "value"), kind, "denied"), true
		}
	}
	return "", false
}

// awaited are what a person gives before a call is run, and lacking how a sentence
// says that it is not there yet.
var (
	awaited = []string{"confirmation", "approval", "审批", "批准", "确认"}
	lacking = []string{"requires", "require", "needs", "is required", "awaiting", "awaits", "waiting for", "pending", "需要", "等待"}
)

// waits reports whether what stands for a result is that the call waits for a
// person's approval: the OpenAI Agents SDK's result of a tool whose item asks for
// it, as data or as Python prints it, or a sentence about the call itself that says
// so, alone or as an error.
func waits(data any) bool {
	switch d := data.(type) {
	case string:
		return strings.HasPrefix(d, "FunctionToolResult(") && strings.Contains(d, " run_item=ToolApprovalItem(") || saysOfCall(d, lacking, awaited)
	case map[string]any:
		if item, ok := d["run_item"].(map[string]any); ok {
			return value.Text(item, "type") == "tool_approval_item"
		}
		words, _ := only(d, "error", "message", "result").(string)
		return value.Only(d, "error", "message", "result", "status", "type") && saysOfCall(words, lacking, awaited)
	}
	return false
}

func refusedText(text string) bool { return saysOfCall(text, refusedWords) }

// saysOfCall reports whether the first sentence of a short text is about the call
// itself and has a word of each list.
func saysOfCall(text string, lists ...[]string) bool {
	if len(text) > refusalMax {
		return false
	}
	text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
	sentence := text
	if end := strings.IndexAny(text, ".\n。！!"); end >= 0 {
		sentence = text[:end]
	}
	has := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(sentence, w) })
	}
	return has(ofCall) && !slices.ContainsFunc(lists, func(words []string) bool { return !has(words) })
}
