package tracefile

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Libraries and proxies write conversations in ways of their own; each says the
// same messages.
func TestWrittenConversations(t *testing.T) {
	tests := []struct {
		name, doc, want string
	}{
		{"LangChain, messages_to_dict", `{"messages": [{"type": "human", "data": {"content": "q"}}, {"type": "ai", "data": {"content": "a"}}]}`,
			`[{"role": "human", "content": "q"}, {"role": "ai", "content": "a"}]`},
		{"LangChain, dumps", `[{"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "q"}}, {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": {"content": "a"}}]`,
			`[{"role": "HumanMessage", "content": "q"}, {"role": "AIMessage", "content": "a"}]`},
		{"Pydantic AI", `[{"kind": "request", "parts": [{"part_kind": "system-prompt", "content": "s"}, {"part_kind": "user-prompt", "content": "q"}]},
			{"kind": "response", "model_name": "m", "usage": {"input_tokens": 1}, "parts": [{"part_kind": "tool-call", "tool_name": "f", "args": "{}", "tool_call_id": "c"}]},
			{"kind": "request", "parts": [{"part_kind": "retry-prompt", "tool_name": "f", "tool_call_id": "c", "content": "timeout"}, {"part_kind": "retry-prompt", "content": "again"}]},
			{"kind": "response", "model_name": "m", "parts": [{"part_kind": "text", "content": "a"}]}]`,
			`[{"role": "system", "content": "s"}, {"role": "user", "content": "q"},
			{"role": "assistant", "model": "m", "usage": {"input_tokens": 1}, "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
			{"role": "tool", "tool_call_id": "c", "name": "f", "content": "timeout", "is_error": true}, {"role": "user", "content": "again"},
			{"role": "assistant", "model": "m", "usage": null, "content": [{"type": "text", "text": "a"}]}]`},
		{"a request with its response", `{"request": {"messages": [{"role": "user", "content": "q"}]}, "response": {"choices": [{"message": {"role": "assistant", "content": "a"}}]}}`,
			`[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]`},
		{"a request of Anthropic's with its response", `{"request": {"messages": [{"role": "user", "content": "q"}]}, "response": {"role": "assistant", "content": "a", "stop_reason": "end_turn"}}`,
			`[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a", "stop_reason": "end_turn"}]`},
		{"a batch of OpenAI's", `{"custom_id": "x", "response": {"status_code": 200, "body": {"choices": [{"message": {"role": "assistant", "content": "a"}}]}}}`,
			`[{"role": "assistant", "content": "a"}]`},
		{"a batch of Anthropic's", `{"custom_id": "x", "result": {"type": "succeeded", "message": {"role": "assistant", "content": "a"}}}`,
			`[{"role": "assistant", "content": "a", "stop_reason": null}]`},
		{"a request of Gemini's with its candidates", `{"contents": [{"role": "user", "parts": [{"text": "q"}]}], "candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}, "groundingMetadata": {"webSearchQueries": ["w"]}}]}`,
			`[{"role": "user", "parts": [{"text": "q"}]}, {"role": "assistant", "parts": [{"groundingMetadata": {"webSearchQueries": ["w"]}}, {"text": "a"}]}]`},
		{"tools that the provider ran", `{"input": [{"role": "user", "content": "q"}], "output": [{"type": "mcp_list_tools"}, {"type": "web_search_call", "id": "w"}, {"type": "mcp_call", "id": "m"}, {"type": "message", "role": "assistant", "content": "a"}]}`,
			`[{"role": "user", "content": "q"}, {"type": "message", "role": "assistant", "content": [{"type": "web_search_call", "id": "w"}, {"type": "mcp_call", "id": "m"}, {"type": "text", "text": "a"}]}]`},
		{"tools that others ran", `{"input": [{"role": "user", "content": "q"}, {"type": "local_shell_call", "call_id": "k"}, {"type": "local_shell_call_output", "id": "k", "output": "r"},
			{"type": "mcp_approval_request", "id": "p"}, {"type": "mcp_approval_response", "approval_request_id": "p", "approve": false, "reason": "no"}]}`,
			`[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "local_shell_call", "call_id": "k"}]}, {"role": "tool", "tool_call_id": "k", "content": "r"},
			{"role": "assistant", "content": [{"type": "mcp_approval_request", "id": "p"}]}, {"role": "tool", "tool_call_id": "p", "content": {"type": "execution-denied", "reason": "no"}}]`},
		{"an approval that was given", `{"input": [{"role": "user", "content": "q"}, {"type": "mcp_approval_request", "id": "p"}, {"type": "mcp_approval_response", "approval_request_id": "p", "approve": true}], "output": [{"type": "mcp_call", "id": "m"}]}`,
			`[{"role": "user", "content": "q"}, {"role": "assistant", "content": [{"type": "mcp_approval_request", "id": "p"}, {"type": "mcp_call", "id": "m"}]}]`},
	}
	for _, tt := range tests {
		var doc, want any
		for text, into := range map[string]*any{tt.doc: &doc, tt.want: &want} {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				t.Fatal(tt.name, err)
			}
		}
		var got any
		b, _ := json.Marshal(conversation(doc))
		_ = json.Unmarshal(b, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if unread := unreadEntries(runsIn(doc)[0].entries); len(unread) > 0 {
			t.Errorf("%s: unread %q", tt.name, unread)
		}
	}
}
