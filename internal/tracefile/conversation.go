package tracefile

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// messages is conversations, one a document: {"messages": [{role, content,
// tool_calls}], "tools": […]} as OpenAI and those after it have them, {"input":
// […], "output": […]} of the Responses API, {"contents": [{role, parts}]} of
// Gemini, {"conversations": [{from, value}]} of ShareGPT, or the bare list; see
// written.go for those of libraries and for a request with its response, steps.go
// for the steps of agents, and runs.go for where in a document they are looked for.
var messages = format{
	name:     "messages",
	entry:    isEntry,
	looksFor: "messages with role and content, contents with role and parts, conversations with from and value, steps with an action and an observation, down to four levels deep, a prompt with a completion, or a CSV with the columns role and content",
	columns:  func(has func(string) bool) bool { return has("role") && has("content") },
	detect:   func(doc any) bool { return conversation(doc) != nil },
	chats:    readMessages,
}

// isEntry reports whether a line is one message, or one step, of a conversation that
// has a line for each.
func isEntry(line string) bool {
	const lineMax = 1 << 20 // a longer one is a document of its own
	if len(line) > lineMax || value.Member(line, "messages") != "" || otlpKeys[firstKey([]byte(line))] != "" {
		return false
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	var m map[string]any
	if d.Decode(&m) != nil || first(m, "usage", "stop_reason", "choices", "run_type", "observations", "final_answer") != nil {
		return false
	}
	return knownRole(str(m, "role")) && first(m, "content", "parts", "tool_calls") != nil || shared(m) || rewritten(m) != nil || isSteps([]any{m}) || isState(m)
}

// conversation is the messages of a document's first conversation; nil where it has
// none.
func conversation(doc any) []map[string]any {
	if runs := runsIn(doc); len(runs) > 0 {
		return runs[0].said
	}
	return nil
}

// messagesOf writes as messages what is none as such: the items of ShareGPT, and
// those of the Responses API: function_calls, which one answer of the model may
// have several of, and their function_call_outputs.
func messagesOf(items []map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(items))
	var asked map[string]any // the message of the calls just before
	for _, m := range itemsAsMessages(items) {
		before := asked
		asked = nil
		if replies := uiReplies(m); replies != nil {
			out = append(out, replies...)
			continue
		}
		if own := rewritten(m); own != nil {
			for _, m := range own {
				if replies := uiReplies(m); replies != nil {
					out = append(out, replies...)
				} else {
					out = append(out, m)
				}
			}
			continue
		}
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
func isReply(m map[string]any) bool { return message.Role(str(m, "role")) == trace.RoleAssistant }

// isUsers reports whether a message is the user's.
func isUsers(m map[string]any) bool { return message.Role(str(m, "role")) == trace.RoleUser }

func readMessages(doc any) ([]chat, error) {
	var runs []run
	for _, part := range conversationsOf(doc) {
		runs = append(runs, runsIn(part)...)
	}
	if len(runs) == 0 {
		return nil, errors.New("messages: no list of objects with role and content, role and parts, or from and value, and none of steps")
	}
	var all []chat
	var refused error
	for _, r := range runs {
		if !slices.ContainsFunc(r.said, func(m map[string]any) bool { return knownRole(str(m, "role")) }) {
			refused = fmt.Errorf("messages: no message is of a known role, the first has %.40q: want user, assistant, system or tool", str(r.said[0], "role"))
			continue
		}
		r.own()
		c := conversationOf(r.document(), oneReply(r.said), r.around...)
		c.unread = append(unreadEntries(r.entries), unreadReplies(r.around)...)
		c.beside = unreadBeside(r.around)
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, refused
	}
	return latest(all), nil
}

// latest leaves out conversations that another one of their session begins with: the
// states that a graph's checkpoints keep, each of which has all messages until then.
func latest(all []chat) []chat {
	if len(all) < 2 {
		return all
	}
	type point struct {
		session string
		told    [sha256.Size]byte // all messages until there
	}
	within, ends := map[point]bool{}, make([]point, len(all))
	for i := range all {
		at := point{session: all[i].session}
		for j, m := range all[i].turns {
			if j > 0 {
				within[at] = true
			}
			at.told = sha256.Sum256(append(at.told[:], jsonText(m)...))
		}
		ends[i] = at
	}
	out := make([]chat, 0, len(all))
	for i, c := range all {
		if c.session == "" || !within[ends[i]] {
			out = append(out, c)
			within[ends[i]] = true // the same again
		}
	}
	return out
}

func knownRole(role string) bool {
	switch message.Role(role) {
	case trace.RoleUser, trace.RoleAssistant, trace.RoleSystem, trace.RoleTool:
		return true
	}
	return false
}

// unreadReplies says how many replies to one request are not read: a conversation
// goes on with one of them.
func unreadReplies(around []map[string]any) (said []string) {
	for _, o := range around[:min(len(around), 1)] {
		for _, key := range [...]string{"choices", "candidates"} {
			if n := len(list(o, key)); n > 1 {
				said = append(said, fmt.Sprintf("%s: the first of %d is read", key, n))
			}
		}
	}
	return said
}

// besideRead are the names under which something about a conversation is read, or stands
// that is about the request or the file and is no content of the run.
var besideRead = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, list := range [][]string{listKeys[:], wrapKeys[:], sessionKeys, modelKeys, settings, askedKeys, givenKeys, completionKeys, requestKeys, responseKeys, {
		"id", "trace_id", "user_id", "userId", "user", "agent", "agent_name", "agent_info", "appName", "tools", "functions", "submission", "choices", "candidates", "content", "usage", "usageMetadata", "usage_metadata",
		"system", "systemInstruction", "system_instruction", "system_prompt", "instructions", "current_node", "message", "role", "reasoning",
		"metadata", "config", "configurable", "checkpoint", "info", "eval", "environment", "version", "schema_version", "object", "type", "title", "name", "next", "task_id", "test_name",
	}} {
		for _, name := range list {
			names[name] = true
		}
	}
	return names
})

// unreadBeside names, in order, what holds content beside the messages and is not read:
// scores, targets, notes.
func unreadBeside(around []map[string]any) (names []string) {
	for _, o := range around[:min(len(around), 1)] {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if len(names) < maxUnread && !besideRead()[key] && bearing(o[key]) {
				names = append(names, key)
			}
		}
	}
	return names
}

// bearing reports whether a value is content rather than a setting: words, or data.
func bearing(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.IndexByte(strings.TrimSpace(v), ' ') > 0 && timeOf(v) == 0
	case []any:
		return slices.ContainsFunc(v, bearing)
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// maxUnread bounds how many entries of a list are named that are no messages.
const maxUnread = 20

// unreadEntries says which entries of a conversation are no messages, or not of
// anybody who is known.
func unreadEntries(entries []any) []string {
	if isSteps(entries) {
		_, unread := readSteps(entries)
		return unread
	}
	var said []string
	for i, e := range entries {
		why := unreadEntry(e)
		switch {
		case why == "":
		case len(said) == maxUnread:
			return append(said, "and more")
		default:
			said = append(said, fmt.Sprintf("message %d: %s", i+1, why))
		}
	}
	return said
}

// unreadEntry says why an entry is no message; it is empty where it is one.
func unreadEntry(e any) string {
	o, ok := e.(map[string]any)
	if !ok {
		return fmt.Sprintf("%s, want an object", kindOf(e))
	}
	role := o["role"]
	if shared(o) {
		role = unshared(o)["role"]
	}
	switch r := role.(type) {
	case nil:
		_, known := message.Item(str(o, "type"))
		if !known && rewritten(o) == nil && len(message.List(value.Decode(jsonText(o)), message.Input)) == 0 {
			return "no role"
		}
	case string:
		if !knownRole(r) {
			return fmt.Sprintf("the role %.40q, want user, assistant, system or tool", r)
		}
	default:
		return fmt.Sprintf("the role is %s, want a text", kindOf(role))
	}
	switch c := o["content"].(type) {
	case bool, json.Number:
		return fmt.Sprintf("the content is %s, want a text or a list of parts", kindOf(c))
	}
	return ""
}

// kindOf says what a value of JSON is.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a truth value"
	case json.Number:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	}
	return "an object"
}

// chat is one conversation that is to be written as spans.
type chat struct {
	document                        any // that it was read from, as it stands there
	id, session, user, model, agent string
	traceID                         pcommon.TraceID // empty where the document gives none
	tools                           any
	usage                           map[string]any // of the whole conversation
	turns                           []map[string]any
	submitted                       string   // what the run handed in with its last call
	unread                          []string // entries of its list that are no messages
	beside                          []string // what stands beside its messages and is not read
	start                           int      // of turns, where it begins; those before it are what the model knows
	told                            *int     // bytes of history that the conversations of a session were written with; nil for one alone
}

// conversationOf is a conversation with what stands around its messages, the
// innermost object first.
func conversationOf(document any, turns []map[string]any, around ...map[string]any) chat {
	c := chat{document: document, turns: turns}
	if entries, _ := document.([]any); len(entries) > 0 { // a list, whose first entry may say it of all
		o, _ := entries[0].(map[string]any)
		c.session, c.model = str(o, sessionKeys...), ""
		if str(o, "role", "source") == "" {
			c.model = str(o, modelKeys...)
		}
	}
	for i, o := range around {
		if i == 0 {
			if system := systemOf(o); system != nil && str(turns[0], "role") != "system" {
				c.turns = append([]map[string]any{system}, turns...)
			}
			c.id = str(o, "id", "trace_id", "conversation_id")
			c.traceID = cmp.Or(givenTraceID(strings.ReplaceAll(str(o, "trace_id"), "-", "")), givenTraceID(str(o, "id")))
			if !counted(o) {
				c.usage = usageOf(o)
			}
		}
		c.session = cmp.Or(c.session, named(o, sessionKeys...))
		if str(o, "appName") != "" && c.session == "" { // a session of Google's ADK
			c.session = str(o, "id")
		}
		c.user = cmp.Or(c.user, str(o, "user_id", "userId", "user"))
		c.model = cmp.Or(c.model, named(o, modelKeys...))
		c.agent = cmp.Or(c.agent, str(o, "agent", "agent_name", "appName"), str(object(o, "agent"), "name"))
		c.tools = cmp.Or(c.tools, first(o, "tools", "functions"))
		c.submitted = cmp.Or(c.submitted, str(o, "submission"), str(object(o, "info"), "submission"))
	}
	return c
}

// sessionKeys are the names of the conversation's id.
var sessionKeys = []string{"session_id", "sessionId", "conversation_id", "conversationId", "thread_id", "chat_id"}

// modelKeys are the names of the model.
var modelKeys = []string{"model", "model_name", "modelId", "model_id", "modelVersion", "llm"}

// named is a text under one of the keys of an object, or of what describes it: its
// configuration, its agent, its metadata.
func named(o map[string]any, keys ...string) string {
	if s := str(o, keys...); s != "" {
		return s
	}
	for _, key := range [...]string{"config", "configurable", "checkpoint", "agent", "agent_info", "eval", "info", "metadata"} {
		if inner := object(o, key); inner != nil {
			if s := named(inner, keys...); s != "" {
				return s
			}
		}
	}
	return ""
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

// settings are what a request to a model has beside messages, and a conversation
// has not.
var settings = []string{
	"temperature", "top_p", "top_k", "max_tokens", "max_completion_tokens", "max_output_tokens", "stream", "tool_choice", "parallel_tool_calls",
	"response_format", "reasoning_effort", "thinking", "stop", "stop_sequences", "generationConfig", "toolConfig",
}

// isRequest reports a document that is the body of a request to a model.
func isRequest(doc any) bool {
	o, ok := doc.(map[string]any)
	return ok && value.Has(o, settings...)
}

// conversationScope marks spans that were made of messages, to those who read
// them.
const conversationScope = "tracegrade.conversation"

// importUnread is the attribute of a conversation that says which of its entries
// could not be read.
const importUnread = "tracegrade.import.unread"

// importBeside is the attribute of a conversation that names, a line each, what stands
// beside its messages and is not read.
const importBeside = "tracegrade.import.beside"

// maxHistory bounds the bytes of repeated history that a conversation is
// written with: each turn repeats all before it, which is quadratic. Beyond
// it a turn has only what is new since the last one, and says so.
const maxHistory = 16 << 20

// conversationSpans makes one llm span of each assistant message, with all
// messages before it as its input; a request that was saved without its reply has
// one more, without output. Tool calls have no spans of their own;
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
	put(root.Attributes(), importUnread, strings.Join(c.unread, "; "))
	put(root.Attributes(), importBeside, strings.Join(c.beside, "\n"))
	putUsage(root.Attributes(), c.usage)
	clock := pcommon.Timestamp(1)
	told, last := c.told, c.start
	if told == nil {
		told = new(int)
	}
	replied := false
	turn := func(i int) { // that the message at i replies to
		s := b.span("", conversationScope, "")
		s.SetTraceID(root.TraceID())
		s.SetSpanID(spanIDOf(fmt.Sprintf("%s/%d", key, i)))
		s.SetParentSpanID(root.SpanID())
		s.SetName("chat")
		s.SetStartTimestamp(clock)
		clock++
		s.SetEndTimestamp(clock)
		from := 0
		if *told > maxHistory {
			from = last
			s.Attributes().PutStr("tracegrade.import.history", "new messages only")
		}
		*told += writeTurn(s, c, from, i)
		last, replied = i, true
	}
	for i, m := range c.turns {
		if i < c.start {
			continue
		}
		clock++
		if at := timeOf(first(m, "timestamp", "created_at", "time")); at > 0 {
			clock = max(clock, at)
			if root.StartTimestamp() == 1 {
				root.SetStartTimestamp(at)
			}
		}
		if isReply(m) {
			turn(i)
		}
	}
	switch end := len(c.turns); {
	case !replied || last == end-1:
	case isRequest(c.document):
		turn(end)
	default: // what tools answered to the last reply, which no later one was told
		after := c.turns[last+1:]
		if c.submitted != "" {
			after = append(slices.Clone(after), map[string]any{"role": "assistant", "content": c.submitted})
		}
		putJSON(root.Attributes(), "gen_ai.output.messages", after)
	}
	root.SetEndTimestamp(clock + 1)
	return b.data()
}

// writeTurn writes the llm span of the assistant message at index i, of which there
// is none after the last message, with the messages from index from as its input. It
// returns the size of that input.
func writeTurn(s ptrace.Span, c chat, from, i int) int {
	reply := c.turns[i:min(i+1, len(c.turns))]
	var m map[string]any
	if len(reply) > 0 {
		m = reply[0]
	}
	a := s.Attributes()
	put(a, "gen_ai.operation.name", "chat")
	put(a, "gen_ai.request.model", cmp.Or(str(m, "model"), c.model))
	put(a, "gen_ai.response.id", str(m, "response_id"))
	input := jsonText(c.turns[from:i])
	a.PutStr("gen_ai.input.messages", input)
	if m != nil {
		putJSON(a, "gen_ai.output.messages", reply)
	}
	if c.tools != nil {
		putJSON(a, "gen_ai.tool.definitions", c.tools)
	}
	putUsage(a, usageOf(m))
	return len(input)
}
