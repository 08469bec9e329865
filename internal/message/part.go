package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Parts reads the content of one message: a text, a part, or a list of both.
func Parts(content any) []trace.Part {
	t := value.NewTree()
	defer t.Release()
	return parts(t.Of(content))
}

func parts(c value.Node) []trace.Part {
	switch c.Kind() {
	case value.KindText:
		s, _ := c.Text()
		return stringParts(c.Tree(), s)
	case value.KindList:
		list := make([]trace.Part, 0, c.Len())
		for e := range c.Elements() {
			switch e.Kind() {
			case value.KindText:
				if s, _ := e.Text(); s != "" {
					list = append(list, textPart(s))
				}
			case value.KindObject:
				list = appendPart(list, e)
			default:
				list = append(list, trace.Part{Type: trace.PartOther, Value: trace.DataValue(e.Data())})
			}
		}
		return list
	case value.KindObject:
		if inner := c.Get("parts"); inner.Kind() != value.KindAbsent {
			return parts(inner)
		}
		if inner := c.Get("content"); inner.Kind() != value.KindAbsent && !c.Get("type").Something() {
			return parts(inner)
		}
		return appendPart(nil, c)
	}
	return nil
}

// spelled reads a message that LangChain in Python wrote as text.
func spelled(t *value.Tree, s string) (value.Node, bool) {
	if !strings.HasPrefix(s, "content=") {
		return value.Node{}, false
	}
	m, ok := value.Fields(s)
	if !ok {
		return value.Node{}, false
	}
	if _, has := m["role"]; !has {
		meta, _ := m["response_metadata"].(map[string]any)
		calls, _ := m["tool_calls"].([]any)
		switch {
		case m["tool_call_id"] != nil:
			m["role"] = "tool"
		case len(meta) > 0 || len(calls) > 0 || m["usage_metadata"] != nil:
			m["role"] = "assistant"
		default:
			m["role"] = ""
		}
	}
	return t.Of(m), true
}

// classKey is the member in which the name of a class stands that Python printed.
const classKey = "__class__"

// printedMessages are the classes of messages, and of what is around one, that
// Python prints with their fields: LangChain's and LlamaIndex'.
var printedMessages = map[string]bool{
	"HumanMessage": true, "AIMessage": true, "AIMessageChunk": true, "SystemMessage": true, "ToolMessage": true, "FunctionMessage": true,
	"ChatMessage": true, "ChatResponse": true,
}

// printed reads a message as Python prints it, Haystack's with its parts by their
// classes.
func printed(t *value.Tree, s string) (value.Node, bool) {
	if !strings.HasPrefix(s, "ChatMessage(_role=") {
		class, _, _ := strings.Cut(s, "(")
		if !printedMessages[class] || !strings.HasSuffix(s, ")") {
			return value.Node{}, false
		}
		_, m := value.Call(s)
		if m == nil {
			return value.Node{}, false
		}
		m[classKey] = class
		return t.Of(m), true
	}
	_, m := value.Call(s)
	role, _ := m["_role"].(string) // <ChatRole.USER: 'user'>
	if at := strings.IndexByte(role, '\''); at >= 0 {
		role = strings.TrimRight(role[at:], "'>")[1:]
	}
	content, ok := m["_content"].([]any)
	if !ok || role == "" {
		return value.Node{}, false
	}
	for i, part := range content {
		inner, _ := part.(map[string]any)
		switch class, _ := inner[classKey].(string); class {
		case "ToolCall":
			content[i] = map[string]any{"tool_call": inner}
		case "ToolCallResult":
			content[i] = map[string]any{"tool_call_result": inner}
		case "ReasoningContent":
			content[i] = map[string]any{"type": "reasoning", "text": inner["reasoning_text"]}
		}
		delete(inner, classKey)
	}
	return t.Of(map[string]any{"role": role, "content": content, "meta": m["_meta"]}), true
}

// stringParts reads text that may be a list of parts in JSON, or, as one package
// writes them, a tool call as the repr of a Python object.
func stringParts(t *value.Tree, s string) []trace.Part {
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "[{") || strings.HasPrefix(s, "{") && strings.Contains(s[:min(len(s), 40)], `"text"`) {
		d := t.Read(s)
		switch {
		case d.IsList() && onlyParts(d):
			return parts(d)
		case d.IsObject() && isPart(d) && d.Len() <= 3:
			return appendPart(nil, d)
		}
	}
	if strings.HasPrefix(s, "Response") && strings.HasSuffix(s, ")") {
		if class, args := value.Call(s); strings.HasSuffix(class, "ToolCall") {
			return []trace.Part{callPart(t.Of(args))}
		}
	}
	if strings.HasPrefix(s, "<think>") {
		if thought, rest, ok := strings.Cut(s[len("<think>"):], "</think>"); ok {
			parts := []trace.Part{{Type: trace.PartReasoning, Text: strings.TrimSpace(thought)}}
			if rest = strings.TrimSpace(rest); rest != "" {
				parts = append(parts, textPart(rest))
			}
			return parts
		}
	}
	return []trace.Part{textPart(s)}
}

func textPart(s string) trace.Part { return trace.Part{Type: trace.PartText, Text: s} }

// onlyParts reports whether every element of a list is a part of a message.
func onlyParts(list value.Node) bool {
	any := false
	for e := range list.Elements() {
		if !e.IsObject() || !isPart(e) {
			return false
		}
		any = true
	}
	return any
}

// blockKeys are the keys that make a map without a type a part.
var blockKeys = map[string]bool{
	"text": true, "toolUse": true, "toolResult": true, "reasoningContent": true, "function_call": true, "functionCall": true,
	"function_response": true, "functionResponse": true, "toolRequest": true, "toolResponse": true, "reasoning": true, "inlineData": true,
	"inline_data": true, "fileData": true, "file_data": true, "media": true, "image": true, "document": true, "json": true,
	"executableCode": true, "executable_code": true, "codeExecutionResult": true, "code_execution_result": true,
	"message_content": true, "tool_call": true, "tool_call_result": true, "thought": true,
}

// partTypes are the values of "type" that name parts and never messages.
var partTypes = map[string]bool{
	"text": true, "input_text": true, "output_text": true, "refusal": true, "summary_text": true, "reasoning_text": true,
	"thinking": true, "redacted_thinking": true, "redacted_reasoning": true, "reasoningContent": true,
	"tool_call": true, "tool_call_response": true, "tool_use": true, "tool_result": true, "tool-call": true, "tool-result": true, "tool-error": true,
	"toolUse": true, "toolResult": true, "toolresult": true, "tool_call_result": true,
	"server_tool_call": true, "server_tool_call_response": true, "server_tool_use": true, "mcp_tool_use": true,
	"image": true, "image_url": true, "input_image": true, "audio": true, "input_audio": true, "video": true, "document": true, "file": true, "input_file": true,
	"blob": true, "uri": true, "media": true, "file_data": true, "compaction": true, "json": true,
}

func isPart(m value.Node) bool {
	if m.Has("role", "lc") {
		return false
	}
	if t, ok := m.Get("type").Text(); ok {
		return partTypes[t] || isApproval(t) || strings.HasSuffix(t, "_tool_result") || t == "reasoning" && m.Has("text", "content") && !m.Has("summary", "id")
	}
	for name := range m.Members() {
		if blockKeys[name] {
			return !m.Has("tool_calls", "messages", "toolCalls")
		}
	}
	return m.Get("function").Has("arguments")
}

// appendPart reads one part, which may hold several.
func appendPart(parts []trace.Part, m value.Node) []trace.Part {
	m = plain(m)
	if isDefinition(m) {
		return parts // offered, not said
	}
	for _, key := range [...]string{"type", "block_type"} { // LlamaIndex has the second
		if t, ok := m.Get(key).Text(); ok {
			return typed(parts, t, m)
		}
	}
	return shaped(parts, m)
}

// typed reads a part that says what it is.
func typed(parts []trace.Part, t string, m value.Node) []trace.Part {
	switch t {
	case "text", "input_text", "output_text", "refusal", "markdown":
		s := m.TextAt("content", "text", "refusal")
		if s == "" {
			s = m.Get("text").TextAt("value", "content")
		}
		if s == "" && m.Has("content", "text") {
			return parts
		}
		if s == "" {
			return parts // captured without content
		}
		return append(parts, stringParts(m.Tree(), s)...)
	case "reasoning", "thinking", "reasoningContent", "summary_text", "reasoning_text", "redacted_thinking", "redacted_reasoning", "thought":
		return reasoning(parts, m)
	case "tool_call", "tool_use", "toolUse", "tool-call", "function_call", "server_tool_use", "mcp_tool_use", "function":
		if inner := m.Get("toolUse"); inner.IsObject() {
			m = inner
		}
		return append(parts, callPart(m))
	case "tool_call_response", "tool_result", "toolResult", "toolresult", "tool-result", "tool-error", "tool_call_result", "function_call_output", "function_response":
		if inner := m.Get("toolResult"); inner.IsObject() {
			m = inner
		}
		return append(parts, resultPart(m))
	case "image", "image_url", "input_image", "audio", "input_audio", "video", "document", "file", "input_file", "blob", "uri", "media", "file_data":
		return append(parts, mediaPart(t, m))
	case "compaction":
		return append(parts, textPart(m.TextAt("content")))
	case "server_tool_call":
		return append(parts, hosted(wrapped(m, t))...)
	case "server_tool_call_response":
		return append(parts, hostedResult(wrapped(m, t)))
	}
	if strings.HasSuffix(t, "_tool_result") { // Anthropic's, one for each tool of its own
		return append(parts, hostedResult(m))
	}
	if msg, ok := item(m); ok {
		return append(parts, msg.Parts...)
	}
	if isApproval(t) {
		return approval(parts, t, m)
	}
	return shaped(parts, m)
}

// shaped reads a part that its keys alone tell apart.
func shaped(parts []trace.Part, m value.Node) []trace.Part {
	for _, key := range []string{"message_content", "tool_call"} { // OpenInference wraps each
		if inner := m.Get(key); inner.IsObject() {
			if key == "tool_call" {
				return append(parts, callPart(inner))
			}
			if call := m.Get("tool_call"); call.IsObject() {
				return append(parts, callPart(call))
			}
			return appendPart(parts, inner)
		}
	}
	for _, key := range []string{"function_call", "functionCall", "toolUse", "toolRequest"} {
		if inner := m.Get(key); inner.IsObject() {
			return append(parts, callPart(inner))
		}
	}
	for _, key := range []string{"function_response", "functionResponse", "toolResult", "toolResponse", "tool_call_result"} {
		if inner := m.Get(key); inner.IsObject() {
			return append(parts, resultPart(inner))
		}
	}
	if ran := executed(m); ran != nil {
		return append(parts, *ran)
	}
	if search := grounding(m); search != nil {
		return append(parts, search...)
	}
	for _, key := range []string{"inlineData", "inline_data", "fileData", "file_data", "media", "image", "document", "video"} {
		if inner := m.Get(key); inner.IsObject() {
			return append(parts, mediaPart(key, inner))
		}
	}
	if m.Has("reasoning", "reasoningContent", "thinking") {
		return reasoning(parts, m)
	}
	if f := m.Get("function"); f.Has("arguments") { // a call that does not say that it is one (Rig)
		return append(parts, callPart(m))
	}
	if s := m.Get("text").TextAt("value"); s != "" { // the Assistants API
		return append(parts, textPart(s))
	}
	if s, ok := m.Get("text").Text(); ok {
		if m.Get("thought").True() {
			return append(parts, trace.Part{Type: trace.PartReasoning, Text: s})
		}
		if s == "" {
			return parts
		}
		return append(parts, textPart(s))
	}
	if s, ok := m.Get("content").Text(); ok && !m.Get("type").Something() {
		return append(parts, textPart(s))
	}
	return append(parts, trace.Part{Type: trace.PartOther, Value: trace.DataValue(m.Data())})
}

// reasoning reads a model's thoughts under any of their names. Thoughts that the
// provider encrypted make no part.
func reasoning(parts []trace.Part, m value.Node) []trace.Part {
	s := m.TextAt("content", "text", "thinking", "reasoning", "reasoningText")
	if s == "" {
		for _, key := range []string{"reasoningContent", "reasoningText", "content"} {
			if inner := m.Get(key); inner.IsObject() {
				return reasoning(parts, inner)
			}
		}
		for _, key := range []string{"summary", "content"} {
			for e := range m.Get(key).Elements() {
				if e.IsObject() {
					parts = reasoning(parts, e)
				}
			}
		}
	}
	if s == "" {
		return parts
	}
	return append(parts, trace.Part{Type: trace.PartReasoning, Text: s})
}

// callPart reads a tool call.
func callPart(m value.Node) trace.Part {
	if inner := m.Get("tool_call"); inner.IsObject() {
		m = inner
	}
	p := trace.Part{Type: trace.PartToolCall}
	p.ID = m.TextAt("call_id", "callId", "id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "ref")
	p.Name = m.TextAt("name", "toolName", "tool_name")
	args := m.First("arguments", "args", "input", "toolInput", "parameters", "tool_kwargs")
	if f := m.Get("function"); f.IsObject() {
		if name := f.TextAt("name"); name != "" {
			p.Name = name
		}
		if a := f.First("arguments", "args"); a.Something() {
			args = a
		}
	} else if s, ok := f.Text(); ok && p.Name == "" {
		p.Name = s
	} else if c := m.Get("custom"); c.IsObject() { // OpenAI's tools that take text
		p.Name, args = c.TextAt("name"), c.First("input")
	}
	if !args.Something() {
		for _, key := range []string{"arguments", "args", "input"} {
			if a := m.Get(key); a.Kind() != value.KindAbsent {
				args = a
			}
		}
	}
	if args.Something() {
		p.Value = rawOrData(args)
	}
	return p
}

// resultPart reads what a tool returned.
func resultPart(m value.Node) trace.Part {
	p := trace.Part{Type: trace.PartToolResult}
	p.ID = m.TextAt("call_id", "callId", "tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "id", "ref")
	p.Name = m.TextAt("name", "toolName", "tool_name")
	p.IsError = m.Get("status").IsText("error") || m.Get("is_error").True() || m.Get("isError").True() || m.Get("type").IsText("tool-error") || m.Get("error").Kind() == value.KindTrue
	if origin := m.Get("origin"); origin.IsObject() { // Haystack: the call that it answers
		p.ID, p.Name = origin.TextAt("id"), origin.TextAt("tool_name")
	}
	for _, key := range []string{"response", "result", "content", "output", "error"} {
		v := m.Get(key)
		if v.Kind() == value.KindAbsent {
			continue
		}
		if v.IsObject() && key == "output" { // AI SDK: {type: "json", value}
			t, _ := v.Get("type").Text()
			if inner := v.Get("value"); inner.Kind() != value.KindAbsent {
				p.IsError = p.IsError || strings.HasPrefix(t, "error") || t == "execution-denied"
				v = inner
			} else if inner := v.Get("text"); inner.Kind() == value.KindText && t == "text" { // OpenAI Agents in JavaScript
				v = inner
			}
		}
		p.Value = resultValue(v)
		break
	}
	return p
}

// resultValue is the value of what a tool returned; a list of text blocks is
// the text that it holds.
func resultValue(content value.Node) trace.Value {
	m := content.Element(0)
	if !m.IsObject() || content.Len() != 1 {
		return rawOrData(content)
	}
	m = plain(m)
	if inner := m.Get("message_content"); inner.IsObject() {
		m = inner
	}
	if t, _ := m.Get("type").Text(); t != "" && t != "text" && t != "json" {
		return rawOrData(content)
	}
	switch {
	case m.Has("json") && m.Len() <= 2:
		return rawOrData(unjson(m.Get("json")))
	case m.Has("text") && m.Len() <= 3:
		return rawOrData(m.Get("text"))
	case m.Has("content") && m.Get("type").IsText("text"):
		return rawOrData(m.Get("content"))
	}
	return rawOrData(content)
}

// unjson takes Strands' {"$value": x} off.
func unjson(v value.Node) value.Node {
	if inner := v.Get("$value"); inner.Kind() != value.KindAbsent && v.Len() == 1 {
		return inner
	}
	return v
}

func rawOrData(v value.Node) trace.Value {
	if s, ok := v.Text(); ok {
		return trace.RawValue(s, value.Decode)
	}
	return trace.DataValue(v.Data())
}

// mediaPart keeps what a file is and where, not its bytes.
func mediaPart(t string, m value.Node) trace.Part {
	p := trace.Part{Type: trace.PartMedia, Modality: m.TextAt("modality")}
	p.MIME = m.TextAt("mime_type", "mimeType", "media_type", "mediaType", "contentType", "format")
	p.URI = m.TextAt("uri", "url", "fileUri", "file_uri", "file_id", "fileId")
	for _, key := range []string{"image_url", "source", "image", "input_audio", "file", "audio"} {
		switch inner := m.Get(key); inner.Kind() {
		case value.KindText:
			if p.URI == "" {
				p.URI, _ = inner.Text()
			}
		case value.KindObject:
			n := mediaPart(t, inner)
			if p.MIME == "" {
				p.MIME = n.MIME
			}
			if p.URI == "" {
				p.URI = n.URI
			}
		}
	}
	if strings.HasPrefix(p.URI, "data:") {
		head, _, _ := strings.Cut(strings.TrimPrefix(p.URI, "data:"), ",")
		p.URI = ""
		if mime, _, _ := strings.Cut(head, ";"); p.MIME == "" {
			p.MIME = mime
		}
	}
	if p.Modality == "" {
		p.Modality = modality(t, p.MIME)
	}
	return p
}

func modality(t, mime string) string {
	for _, word := range []string{"image", "audio", "video"} {
		if strings.Contains(t, word) || strings.HasPrefix(mime, word) {
			return word
		}
	}
	return "document"
}
