// Package message reads messages in whatever shape a producer writes them.
//
// The shapes of chat messages are few and tell themselves apart by their keys:
// OpenTelemetry parts, OpenAI chat and Responses, Anthropic and Bedrock blocks,
// Gemini contents, LangChain's serialised objects, the AI SDK, Genkit. So there
// is one reader for all of them, and a framework that was never seen is read
// where it uses one of these shapes.
//
//	envelope.go          what is around the messages: requests, replies, run inputs
//	message.go           one message: role, content, finish reason
//	call.go              calls and results that stand beside the content
//	part.go              one part: text, reasoning, tool call, tool result, media
//	item.go              items of the Responses API
//	hosted.go            tools that the provider runs itself, within a reply
//	approval.go          a person is asked whether a call may run, and answers
//	offer.go             definitions of tools that stand among messages
//	sequence.go          what messages say of each other: items of one reply, ids of calls
//	marked.go, react.go, tagged.go  messages that a framework or a model wrote into one text
//	reply.go             what a message keeps about the model call that gave it
//	role.go              spellings of roles and finish reasons
package message

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Side says whether messages were given to a model or came from it, which is
// the role of a message that states none.
type Side uint8

const (
	Input Side = iota
	Output
)

func (s Side) role() trace.Role {
	if s == Output {
		return trace.RoleAssistant
	}
	return trace.RoleUser
}

// envelopesMax is how many envelopes may lie in each other.
const envelopesMax = 8

// List returns the messages in data. Data that is in none of the shapes makes
// no message, except text, which is one.
func List(data any, side Side) []trace.Message {
	t := value.NewTree()
	defer t.Release()
	return In(t.Of(data), side)
}

// In is [List] of a node.
func In(data value.Node, side Side) []trace.Message {
	return answerSilence(merged(unmerged(data, side)))
}

// unmerged is the messages in data before those of one reply are joined.
func unmerged(data value.Node, side Side) []trace.Message {
	r := reader{side: side, tree: data.Tree()}
	r.any(data, 0)
	return r.out
}

// Text is [List] of a text that may hold data. A message that h has seen is not
// decoded again, whether the text is a list of messages or a request around one.
func Text(text string, side Side, h *trace.History) []trace.Message {
	t := value.NewTree()
	defer t.Release()
	if h == nil {
		return In(t.Read(text), side)
	}
	if elements := conversation(text); elements != nil {
		return joined(t, elements, side, h)
	}
	if list, ok := request(t, text, side, h); ok {
		return list
	}
	return In(t.Read(text), side)
}

// Payload is [Text] of what went into a model or came out of it. An object in
// which no message is found is what was said: structured output is.
func Payload(text string, side Side, h *trace.History) []trace.Message {
	list := Text(text, side, h)
	if len(list) > 0 {
		return list
	}
	t := value.NewTree()
	defer t.Release()
	d := t.Read(text)
	if !d.IsObject() || d.Len() == 0 || d.Has("__interrupt__") { // a LangGraph state that was handed out to ask a person
		return nil
	}
	if said, ok := d.First("content", "text").Text(); ok && d.Len() == 1 && side == Output {
		text = said
	}
	return []trace.Message{{Role: side.role(), Parts: []trace.Part{{Type: trace.PartText, Text: text}}}}
}

// conversation is the elements of a list of messages, or nil.
func conversation(text string) []string {
	elements, ok := value.Elements(text)
	if ok && len(elements) == 1 && strings.HasPrefix(elements[0], "[") { // LangChain: a list for each prompt
		elements, ok = value.Elements(elements[0])
	}
	if ok && len(elements) > 0 && (value.Member(elements[0], "role") != "" || value.Member(elements[0], "lc") != "") {
		return elements
	}
	return nil
}

// request reads an object whose messages are under a key that says so and that
// has no other place for a reply: what [reader.envelope] does, without decoding
// what was seen before.
func request(t *value.Tree, text string, side Side, h *trace.History) ([]trace.Message, bool) {
	members, ok := value.Members(text)
	if !ok {
		return nil, false
	}
	var elements []string
	var around []trace.Message
	for _, m := range members {
		switch m.Name {
		case "messages", "contents":
			if elements != nil {
				return nil, false
			}
			elements = conversation(m.Text)
		case "output", "outputs", "input", "inputs":
			if len(members) > 1 {
				return nil, false
			}
			elements = conversation(m.Text)
		case "system", "instructions", "system_instruction", "systemInstruction", "system_prompt", "config":
			r := reader{side: side, tree: t}
			r.instructions(t.Object(m.Name, t.Read(m.Text)))
			around = append(around, r.out...)
		case "choices", "candidates", "generations", "message", "content", "role", "lc", "parts", "type", "tool_calls", "toolCalls", "text", "body", "kwargs":
			return nil, false
		}
	}
	if elements == nil || len(around) > 1 {
		return nil, false
	}
	return append(around, joined(t, elements, side, h)...), true
}

// joined reads the elements of a list one by one, which is the same as reading
// the list unless the elements are parts of one message.
func joined(t *value.Tree, elements []string, side Side, h *trace.History) []trace.Message {
	out := make([]trace.Message, 0, len(elements))
	for _, text := range elements {
		out = append(out, h.Decode(string(side.role()), text, func(string) []trace.Message { return unmerged(t.Read(text), side) })...)
	}
	return answerSilence(merged(out))
}

// Looks reports whether the beginning of a text or data is that of messages, so
// that what a workflow was given can be told from messages without decoding it.
func Looks(text string) bool {
	if !value.Looks(text) {
		return false
	}
	head := text[:min(len(text), 2000)]
	for rest := head; ; {
		at := strings.IndexByte(rest, '"')
		if at < 0 {
			break
		}
		escaped := at > 0 && rest[at-1] == '\\'
		if rest = rest[at+1:]; marksMessages(rest) || escaped && strings.HasPrefix(rest, `role\"`) {
			return true
		}
	}
	// Within JSON it is the repr of some object that mentions a role.
	quote := strings.IndexAny(head, `"'`)
	return quote >= 0 && head[quote] == '\'' && strings.Contains(head, `'role'`)
}

// marksMessages reports whether what follows a quote is a key that messages, or
// what is around them, have, or a message as Python prints it.
func marksMessages(rest string) bool {
	for _, mark := range [...]string{`role"`, `lc"`, `parts"`, `generations"`, `choices"`, `toolCalls"`, `messages"`, `ChatMessage(`} {
		if strings.HasPrefix(rest, mark) {
			return true
		}
	}
	return false
}

// reader collects messages.
type reader struct {
	side Side
	tree *value.Tree
	out  []trace.Message
}

func (r *reader) add(m trace.Message) {
	if len(m.Parts) == 0 && m.Role == "" {
		return
	}
	if m.Role == trace.RoleSystem && r.instructed(&m) {
		return
	}
	last := len(r.out)
	r.out = append(r.out, m)
	for _, written := range [...]func(*trace.Message) []trace.Message{unmark, react, calling, tagged, task} {
		if list := written(&r.out[last]); list != nil {
			r.out = append(r.out[:last], list...)
			return
		}
	}
}

// instructed reports whether a system prompt stands in the list already: some
// histories hold it as a message and again as what an agent is configured with.
func (r *reader) instructed(m *trace.Message) bool {
	for i := range r.out {
		if seen := &r.out[i]; seen.Role == trace.RoleSystem && len(seen.Parts) == 1 && len(m.Parts) == 1 && seen.Parts[0].Type == trace.PartText && m.Parts[0].Type == trace.PartText && seen.Parts[0].Text == m.Parts[0].Text {
			return true
		}
	}
	return false
}

// any reads messages out of a list, a message, an envelope or a text.
func (r *reader) any(d value.Node, depth int) {
	if depth > envelopesMax {
		return
	}
	switch d.Kind() {
	case value.KindText:
		s, _ := d.Text()
		r.text(s, depth)
	case value.KindList:
		r.list(d, depth)
	case value.KindObject:
		d = plain(d)
		if isMessage(d) {
			r.message(d)
		} else {
			r.envelope(d, depth)
		}
	}
}

// text reads messages out of a text.
func (r *reader) text(s string, depth int) {
	if depth > envelopesMax {
		return
	}
	inner := r.tree.Read(s)
	if s, isText := inner.Text(); !isText {
		r.any(inner, depth+1)
	} else if m, ok := spelled(r.tree, s); ok {
		r.message(m)
	} else if m, ok := printed(r.tree, s); ok {
		r.any(m, depth+1)
	} else if s != "" {
		r.add(trace.Message{Role: r.side.role(), Parts: stringParts(r.tree, s)})
	}
}

// list reads a list of messages, or of the parts of one message.
func (r *reader) list(list value.Node, depth int) {
	if onlyParts(list) {
		if said := parts(list); len(said) > 0 {
			m := trace.Message{Role: r.side.role(), Parts: said}
			settle(&m)
			r.add(m)
		}
		return
	}
	start := len(r.out)
	r.out = slices.Grow(r.out, list.Len())
	for e := range list.Elements() {
		r.any(e, depth+1)
	}
	r.out = append(r.out[:start], merged(r.out[start:])...)
}

// isMessage reports whether m is a message, not something around messages.
func isMessage(m value.Node) bool {
	role, hasRole := m.Get("role").Text()
	if hasRole {
		return role != "" || m.Has("parts", "content", "tool_calls")
	}
	if m.Has("tool_call_id") && m.Has("content") {
		return true
	}
	t, _ := m.Get("type").Text()
	if items[t] != 0 {
		return true
	}
	if class, ok := m.Get(classKey).Text(); ok && printedMessages[class] {
		t = class
	}
	switch t {
	case "human", "ai", "AIMessageChunk", "system", "tool", "function", "HumanMessage", "AIMessage", "SystemMessage", "ToolMessage", "FunctionMessage":
		return m.Has("content", "data", "tool_calls")
	case "reasoning":
		return m.Has("summary", "encrypted_content", "id") || m.Has("content") && !m.Has("text")
	case "message":
		return m.Has("content")
	}
	// A reply of a model that says nothing of a role.
	return m.Has("tool_calls", "toolCalls") && (m.Has("content", "text") || m.Len() == 1) || m.Get("parts").IsList() && !m.Has("contents")
}

// message reads one message.
func (r *reader) message(m value.Node) {
	if offer(m) {
		return // see [Offered]
	}
	if msg, ok := item(m); ok {
		r.add(msg)
		return
	}
	if d := m.Get("data"); d.IsObject() && !m.Has("content") { // LangChain's message_to_dict
		m = m.Over(d)
	}
	msg := trace.Message{Role: Role(role(m)), FinishReason: finish(m)}
	msg.Name, _ = m.Get("name").Text()
	id := m.TextAt("tool_call_id", "toolCallId", "tool_use_id", "callId")
	if id == "" {
		id = m.Get("additional_kwargs").TextAt("tool_call_id")
	}
	if msg.Role == "" {
		switch {
		case id != "":
			msg.Role = trace.RoleTool
		case m.Has("tool_calls", "toolCalls", "function_call"):
			msg.Role = trace.RoleAssistant
		default:
			msg.Role = r.side.role()
		}
	}
	if msg.Role == trace.RoleTool && id == "" {
		id = m.TextAt("id", "call_id")
	}
	if msg.Role == trace.RoleTool || id != "" {
		msg.Parts = toolContent(m, id, msg.Name)
	} else {
		msg.Parts = contentParts(m)
	}
	if thought := thoughts(m); len(thought) > 0 {
		msg.Parts = append(thought, msg.Parts...)
	}
	msg.Parts = addCalls(msg.Parts, m)
	settle(&msg)
	if msg.Role == trace.RoleAssistant {
		msg.Reply = reply(m)
	}
	r.add(msg)
}

// thoughts reads reasoning that stands beside the content.
func thoughts(m value.Node) []trace.Part {
	for _, from := range [...]value.Node{m, m.Get("additional_kwargs")} {
		if s := from.TextAt("reasoning_content", "reasoning", "thinking", "reasoning_text", "reasoningText"); s != "" {
			return []trace.Part{{Type: trace.PartReasoning, Text: s}}
		}
		for _, key := range []string{"reasoning", "reasoning_details", "thinking_blocks"} {
			var parts []trace.Part
			for e := range from.Get(key).Elements() {
				if !e.IsObject() {
					continue
				}
				if inner := e.Get("payload"); inner.IsObject() {
					e = inner
				}
				parts = reasoning(parts, e)
			}
			if len(parts) > 0 {
				return parts
			}
		}
	}
	return nil
}

// role is the word for the role in m.
func role(m value.Node) string {
	for _, key := range []string{"role", "type", "author"} {
		if s, _ := m.Get(key).Text(); s != "" && s != "message" {
			return s
		}
	}
	if class, _ := m.Get(classKey).Text(); printedMessages[class] {
		return class
	}
	return ""
}

// finish is why a message ended, normalised.
func finish(m value.Node) string {
	if s := m.TextAt("finish_reason", "finishReason", "stop_reason", "stopReason"); s != "" {
		return Finish(s)
	}
	return Finish(m.Get("response_metadata").TextAt("finish_reason", "stop_reason", "stopReason"))
}

// contentParts reads the content of a message under any of its names.
func contentParts(m value.Node) []trace.Part {
	for _, key := range []string{"parts", "contents", "content", "message", "text", "completion", "blocks", "tool_plan"} {
		c := m.Get(key)
		if !c.Something() || c.IsText("") {
			continue
		}
		if said := parts(c); len(said) > 0 {
			if key == "contents" {
				if rest := parts(m.Get("content")); len(rest) > 0 && !hasText(said) {
					said = append(said, rest...)
				}
			}
			return said
		}
	}
	return nil
}

func hasText(parts []trace.Part) bool {
	for i := range parts {
		if parts[i].Type == trace.PartText {
			return true
		}
	}
	return false
}

// settle gives a message the role that its parts say.
func settle(m *trace.Message) {
	if m.Role == trace.RoleTool {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Type == trace.PartText { // a result without an id
				text := p.Text
				*p = trace.Part{Type: trace.PartToolResult}
				hear(p, text)
			}
		}
		return
	}
	if m.Role != trace.RoleUser {
		return
	}
	results := 0
	for i := range m.Parts {
		if m.Parts[i].Type == trace.PartToolResult {
			results++
		}
	}
	if results > 0 && results == len(m.Parts) {
		m.Role = trace.RoleTool
	}
}

// plain unwraps what LangChain's serialiser puts around an object.
func plain(m value.Node) value.Node {
	kwargs := m.Get("kwargs")
	if !kwargs.IsObject() || !m.Has("lc") {
		return m
	}
	var class value.Node // the last part of the id
	for id := range m.Get("id").Elements() {
		class = id
	}
	if name, ok := class.Text(); ok && strings.Contains(name, "Message") {
		return kwargs.With("type", class)
	}
	return kwargs
}
