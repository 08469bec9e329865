package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Role normalises a producer's word for who a message is from. A word that is
// none of the known ones is kept; an empty one stays empty.
func Role(s string) trace.Role {
	switch s {
	case "user", "human", "HumanMessage", "HumanMessageChunk":
		return trace.RoleUser
	case "assistant", "ai", "model", "AIMessage", "AIMessageChunk", "tool-call", "bot":
		return trace.RoleAssistant
	case "system", "developer", "SystemMessage":
		return trace.RoleSystem
	case "tool", "function", "tool-response", "ipython", "ToolMessage", "FunctionMessage", "observation", "tool_result", "toolResult":
		return trace.RoleTool
	case "":
		return ""
	}
	if _, rest, ok := strings.Cut(s, ": '"); ok && s[0] == '<' { // as Python prints one: <MessageRole.USER: 'user'>
		return Role(strings.TrimSuffix(rest, "'>"))
	}
	if low := strings.ToLower(s); low != s {
		return Role(strings.TrimPrefix(low, "messagerole."))
	}
	return trace.Role(s)
}

// finishes maps the spellings of finish reasons, lower-cased and with - and . as
// _, to the normal ones.
var finishes = map[string]string{
	"stop": "stop", "end_turn": "stop", "endturn": "stop", "stop_sequence": "stop", "completed": "stop", "complete": "stop", "eos": "stop",
	"length": "length", "max_tokens": "length", "maxtokens": "length", "max_output_tokens": "length", "incomplete": "length", "model_length": "length",
	"tool_call": "tool_call", "tool_calls": "tool_call", "toolcalls": "tool_call", "tool_use": "tool_call", "tooluse": "tool_call", "function_call": "tool_call", "tool_execution": "tool_call",
	"content_filter": "content_filter", "contentfilter": "content_filter", "safety": "content_filter", "refusal": "content_filter",
	"guardrail_intervened": "content_filter", "recitation": "content_filter", "blocklist": "content_filter", "prohibited_content": "content_filter",
	"error": "error", "failed": "error", "cancelled": "error", "canceled": "error", "malformed_function_call": "error",
}

// Finish normalises a finish reason to stop, length, tool_call, content_filter,
// error or other. An empty one stays empty.
func Finish(s string) string {
	s = strings.Trim(s, ` "'`)
	if s == "" {
		return ""
	}
	low := strings.ToLower(s)
	if i := strings.LastIndexByte(low, '.'); i >= 0 { // FinishReason.STOP
		low = low[i+1:]
	}
	if f, ok := finishes[strings.ReplaceAll(low, "-", "_")]; ok {
		return f
	}
	return "other"
}
