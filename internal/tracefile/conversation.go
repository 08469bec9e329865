package tracefile

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/value"
)

// messages is conversations, one a document: {"messages": [{role, content,
// tool_calls}], "tools": […]} as OpenAI and those after it have them, {"input":
// […], "output": […]} of the Responses API, {"contents": [{role, parts}]} of
// Gemini, {"conversations": [{from, value}]} of ShareGPT, or the bare list.
var messages = format{
	name:     "messages",
	looksFor: "messages with role and content, contents with role and parts, or conversations with from and value",
	detect:   func(doc any) bool { return conversation(doc) != nil },
	chats:    readMessages,
}

func conversation(doc any) []map[string]any {
	found := objects(doc)
	if o, ok := doc.(map[string]any); ok {
		found = objects(first(o, "messages", "contents", "conversation", "conversations"))
		if found == nil { // of OpenAI's Responses API
			found = append(objects(o["input"]), objects(o["output"])...)
		}
	}
	if len(found) == 0 || str(found[0], "role") == "" && !shared(found[0]) {
		return nil
	}
	return messagesOf(found)
}

// messagesOf writes as messages what is none as such: the items of ShareGPT, and
// those of the Responses API: function_calls, which one answer of the model may
// have several of, and their function_call_outputs.
func messagesOf(items []map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(items))
	var asked map[string]any // the message of the calls just before
	for _, m := range items {
		before := asked
		asked = nil
		switch {
		case str(m, "role") != "":
		case shared(m):
			m = unshared(m)
		case str(m, "type") == "function_call":
			call := map[string]any{"id": m["call_id"], "type": "function", "function": map[string]any{"name": m["name"], "arguments": m["arguments"]}}
			if before != nil {
				before["tool_calls"] = append(before["tool_calls"].([]any), call)
				asked = before
				continue
			}
			m = map[string]any{"role": "assistant", "tool_calls": []any{call}}
			asked = m
		case str(m, "type") == "function_call_output":
			m = map[string]any{"role": "tool", "tool_call_id": m["call_id"], "content": m["output"]}
		}
		out = append(out, m)
	}
	return out
}

// shared reports whether m is a message as ShareGPT has them.
func shared(m map[string]any) bool {
	_, says := m["value"].(string)
	return says && str(m, "from") != ""
}

// unshared is a message of ShareGPT with the names that others use. Calls are
// JSON in its text.
func unshared(m map[string]any) map[string]any {
	role := str(m, "from")
	switch role {
	case "human":
		role = "user"
	case "gpt", "chatgpt", "bing", "bard":
		role = "assistant"
	case "function_call", "function":
		if calls := sharedCalls(str(m, "value")); calls != nil {
			return map[string]any{"role": "assistant", "tool_calls": calls}
		}
		role = "tool"
	case "observation", "function_response", "tool_response":
		role = "tool"
	}
	return map[string]any{"role": role, "content": m["value"]}
}

// sharedCalls are the calls that a text says: an object with name and arguments,
// or a list of them; nil where it is none.
func sharedCalls(text string) []any {
	var calls []any
	for _, c := range objects(value.Decode(text)) {
		if str(c, "name") == "" || c["arguments"] == nil {
			return nil
		}
		calls = append(calls, map[string]any{"type": "function", "function": map[string]any{"name": c["name"], "arguments": c["arguments"]}})
	}
	return calls
}

// isReply reports whether a message is the model's.
func isReply(m map[string]any) bool {
	role := str(m, "role")
	return role == "assistant" || role == "ai" || role == "model"
}

func readMessages(doc any) ([]chat, error) {
	turns := conversation(doc)
	if turns == nil {
		return nil, errors.New("messages: no list of objects with role and content, role and parts, or from and value")
	}
	return []chat{conversationOf(doc, turns)}, nil
}

// chat is one conversation that is to be written as spans.
type chat struct {
	document                        any // that it was read from, as it stands there
	id, session, user, model, agent string
	traceID                         pcommon.TraceID // empty where the document gives none
	tools                           any
	turns                           []map[string]any
}

func conversationOf(document any, turns []map[string]any) chat {
	o, _ := document.(map[string]any)
	if system := systemOf(o); system != nil && str(turns[0], "role") != "system" {
		turns = append([]map[string]any{system}, turns...)
	}
	return chat{
		document: document,
		id:       str(o, "id", "trace_id", "conversation_id"),
		traceID:  cmp.Or(givenTraceID(strings.ReplaceAll(str(o, "trace_id"), "-", "")), givenTraceID(str(o, "id"))),
		session:  str(o, "session_id", "conversation_id", "thread_id"),
		user:     str(o, "user_id", "user"),
		model:    str(o, "model"),
		agent:    str(o, "agent", "agent_name"),
		tools:    first(o, "tools", "functions"),
		turns:    turns,
	}
}

// systemOf is the system prompt that stands beside the messages, as a message;
// nil where there is none.
func systemOf(o map[string]any) map[string]any {
	switch v := first(o, "system", "systemInstruction", "system_instruction", "system_prompt", "instructions").(type) {
	case string, []any:
		return map[string]any{"role": "system", "content": v}
	case map[string]any: // Gemini's
		return map[string]any{"role": "system", "parts": v["parts"]}
	}
	return nil
}

// conversationScope marks spans that were made of messages, to those who read
// them.
const conversationScope = "tracegrade.conversation"

// maxHistory bounds the bytes of repeated history that a conversation is
// written with: each turn repeats all before it, which is quadratic. Beyond
// it a turn has only what is new since the last one, and says so.
const maxHistory = 16 << 20

// conversationSpans makes one llm span of each assistant message, with all
// messages before it as its input. Tool calls have no spans of their own;
// assembly makes steps of them. Where messages carry no time, spans are a
// nanosecond apart, so that their order is kept and their duration is visibly
// not a measurement. The ids of spans are made of key.
func conversationSpans(c chat, key string) Data {
	b := newBuilder()
	root := b.span("", conversationScope, "")
	root.SetTraceID(c.traceID)
	root.SetSpanID(spanIDOf(key + "/root"))
	root.SetName("conversation")
	root.SetStartTimestamp(1)
	put(root.Attributes(), "gen_ai.operation.name", "invoke_agent")
	put(root.Attributes(), "gen_ai.agent.name", c.agent)
	put(root.Attributes(), "gen_ai.conversation.id", c.session)
	put(root.Attributes(), "user.id", c.user)
	put(root.Attributes(), "tracegrade.import.id", c.id)
	clock := pcommon.Timestamp(1)
	history, last := 0, 0
	for i, m := range c.turns {
		clock++
		if at := timeOf(first(m, "timestamp", "created_at", "time")); at > 0 {
			clock = max(clock, at)
			if root.StartTimestamp() == 1 {
				root.SetStartTimestamp(at)
			}
		}
		if !isReply(m) {
			continue
		}
		s := b.span("", conversationScope, "")
		s.SetTraceID(root.TraceID())
		s.SetSpanID(spanIDOf(fmt.Sprintf("%s/%d", key, i)))
		s.SetParentSpanID(root.SpanID())
		s.SetName("chat")
		s.SetStartTimestamp(clock)
		clock++
		s.SetEndTimestamp(clock)
		from := 0
		if history > maxHistory {
			from = last
			s.Attributes().PutStr("tracegrade.import.history", "new messages only")
		}
		history += writeTurn(s, c, from, i)
		last = i
	}
	root.SetEndTimestamp(clock + 1)
	return b.data()
}

// writeTurn writes the llm span of the assistant message at index i, with the
// messages from index from as its input. It returns the size of that input.
func writeTurn(s ptrace.Span, c chat, from, i int) int {
	m := c.turns[i]
	a := s.Attributes()
	put(a, "gen_ai.operation.name", "chat")
	if model := str(m, "model"); model != "" {
		put(a, "gen_ai.request.model", model)
	} else {
		put(a, "gen_ai.request.model", c.model)
	}
	input := jsonText(c.turns[from:i])
	a.PutStr("gen_ai.input.messages", input)
	putJSON(a, "gen_ai.output.messages", c.turns[i:i+1])
	if c.tools != nil {
		putJSON(a, "gen_ai.tool.definitions", c.tools)
	}
	usage := object(m, "usage")
	put(a, "gen_ai.usage.input_tokens", first(usage, "input_tokens", "prompt_tokens"))
	put(a, "gen_ai.usage.output_tokens", first(usage, "output_tokens", "completion_tokens"))
	return len(input)
}
