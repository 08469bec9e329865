package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Parts reads the content of one message: a text, a part, or a list of both.
func Parts(content any) []trace.Part {
	switch c := content.(type) {
	case string:
		return stringParts(c)
	case []any:
		parts := make([]trace.Part, 0, len(c))
		for _, e := range c {
			switch e := e.(type) {
			case string:
				if e != "" {
					parts = append(parts, textPart(e))
				}
			case map[string]any:
				parts = appendPart(parts, e)
			default:
				parts = append(parts, trace.Part{Type: trace.PartOther, Value: trace.DataValue(e)})
			}
		}
		return parts
	case map[string]any:
		if inner, ok := c["parts"]; ok {
			return Parts(inner)
		}
		if inner, ok := c["content"]; ok && c["type"] == nil {
			return Parts(inner)
		}
		return appendPart(nil, c)
	}
	return nil
}

// spelled reads a message that LangChain in Python wrote as text.
func spelled(s string) (map[string]any, bool) {
	if !strings.HasPrefix(s, "content=") {
		return nil, false
	}
	m, ok := value.Fields(s)
	if !ok {
		return nil, false
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
	return m, true
}

// stringParts reads text that may be a list of parts in JSON, or, as one package
// writes them, a tool call as the repr of a Python object.
func stringParts(s string) []trace.Part {
	if s == "" {
		return nil
	}
	if strings.HasPrefix(s, "[{") || strings.HasPrefix(s, "{") && strings.Contains(s[:min(len(s), 40)], `"text"`) {
		switch d := value.Decode(s).(type) {
		case []any:
			if onlyParts(d) {
				return Parts(d)
			}
		case map[string]any:
			if isPart(d) && len(d) <= 3 {
				return appendPart(nil, d)
			}
		}
	}
	if strings.HasPrefix(s, "Response") && strings.HasSuffix(s, ")") {
		if class, args := value.Call(s); strings.HasSuffix(class, "ToolCall") {
			return []trace.Part{callPart(args)}
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
func onlyParts(list []any) bool {
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok || !isPart(m) {
			return false
		}
	}
	return len(list) > 0
}

// blockKeys are the keys that make a map without a type a part.
var blockKeys = []string{
	"text", "toolUse", "toolResult", "reasoningContent", "function_call", "functionCall", "function_response", "functionResponse",
	"toolRequest", "toolResponse", "reasoning", "inlineData", "inline_data", "fileData", "file_data", "media", "image", "document", "json",
	"message_content", "tool_call", "thought",
}

// partTypes are the values of "type" that name parts and never messages.
var partTypes = map[string]bool{
	"text": true, "input_text": true, "output_text": true, "refusal": true, "summary_text": true, "reasoning_text": true,
	"thinking": true, "redacted_thinking": true, "redacted_reasoning": true, "reasoningContent": true,
	"tool_call": true, "tool_call_response": true, "tool_use": true, "tool_result": true, "tool-call": true, "tool-result": true, "tool-error": true,
	"toolUse": true, "toolResult": true, "tool_call_result": true,
	"server_tool_call": true, "server_tool_call_response": true, "server_tool_use": true, "web_search_tool_result": true,
	"mcp_tool_use": true, "mcp_tool_result": true, "code_execution_tool_result": true,
	"image": true, "image_url": true, "input_image": true, "audio": true, "input_audio": true, "video": true, "document": true, "file": true, "input_file": true,
	"blob": true, "uri": true, "media": true, "file_data": true, "compaction": true, "json": true,
}

func isPart(m map[string]any) bool {
	if value.Has(m, "role", "lc") {
		return false
	}
	if t, ok := m["type"].(string); ok {
		return partTypes[t] || t == "reasoning" && value.Has(m, "text", "content") && !value.Has(m, "summary", "id")
	}
	return value.Has(m, blockKeys...) && !value.Has(m, "tool_calls", "messages", "toolCalls")
}

// appendPart reads one part, which may hold several.
func appendPart(parts []trace.Part, m map[string]any) []trace.Part {
	m = plain(m)
	if t, ok := m["type"].(string); ok {
		return typed(parts, t, m)
	}
	return shaped(parts, m)
}

// typed reads a part that says what it is.
func typed(parts []trace.Part, t string, m map[string]any) []trace.Part {
	switch t {
	case "text", "input_text", "output_text", "refusal", "markdown":
		s := value.Text(m, "content", "text", "refusal")
		if s == "" {
			if inner, ok := m["text"].(map[string]any); ok {
				s = value.Text(inner, "value", "content")
			}
		}
		if s == "" && value.Has(m, "content", "text") {
			return parts
		}
		if s == "" {
			return parts // captured without content
		}
		return append(parts, stringParts(s)...)
	case "reasoning", "thinking", "reasoningContent", "summary_text", "reasoning_text", "redacted_thinking", "redacted_reasoning", "thought":
		return reasoning(parts, m)
	case "tool_call", "tool_use", "toolUse", "tool-call", "function_call", "server_tool_call", "server_tool_use", "mcp_tool_use", "function":
		if inner, ok := m["toolUse"].(map[string]any); ok {
			m = inner
		}
		return append(parts, callPart(m))
	case "tool_call_response", "tool_result", "toolResult", "tool-result", "tool-error", "tool_call_result", "function_call_output", "function_response",
		"server_tool_call_response", "web_search_tool_result", "mcp_tool_result", "code_execution_tool_result":
		if inner, ok := m["toolResult"].(map[string]any); ok {
			m = inner
		}
		return append(parts, resultPart(m))
	case "image", "image_url", "input_image", "audio", "input_audio", "video", "document", "file", "input_file", "blob", "uri", "media", "file_data":
		return append(parts, mediaPart(t, m))
	case "compaction":
		return append(parts, textPart(value.Text(m, "content")))
	}
	return shaped(parts, m)
}

// shaped reads a part that its keys alone tell apart.
func shaped(parts []trace.Part, m map[string]any) []trace.Part {
	for _, key := range []string{"message_content", "tool_call"} { // OpenInference wraps each
		if inner, ok := m[key].(map[string]any); ok {
			if key == "tool_call" {
				return append(parts, callPart(inner))
			}
			if call, ok := m["tool_call"].(map[string]any); ok {
				return append(parts, callPart(call))
			}
			return appendPart(parts, inner)
		}
	}
	for _, key := range []string{"function_call", "functionCall", "toolUse", "toolRequest"} {
		if inner, ok := m[key].(map[string]any); ok {
			return append(parts, callPart(inner))
		}
	}
	for _, key := range []string{"function_response", "functionResponse", "toolResult", "toolResponse"} {
		if inner, ok := m[key].(map[string]any); ok {
			return append(parts, resultPart(inner))
		}
	}
	for _, key := range []string{"inlineData", "inline_data", "fileData", "file_data", "media", "image", "document", "video"} {
		if inner, ok := m[key].(map[string]any); ok {
			return append(parts, mediaPart(key, inner))
		}
	}
	if value.Has(m, "reasoning", "reasoningContent", "thinking") {
		return reasoning(parts, m)
	}
	if s, ok := m["text"].(string); ok {
		if value.True(m["thought"]) {
			return append(parts, trace.Part{Type: trace.PartReasoning, Text: s})
		}
		if s == "" {
			return parts
		}
		return append(parts, textPart(s))
	}
	if s, ok := m["content"].(string); ok && m["type"] == nil {
		return append(parts, textPart(s))
	}
	return append(parts, trace.Part{Type: trace.PartOther, Value: trace.DataValue(m)})
}

// reasoning reads a model's thoughts under any of their names. Thoughts that the
// provider encrypted make no part.
func reasoning(parts []trace.Part, m map[string]any) []trace.Part {
	s := value.Text(m, "content", "text", "thinking", "reasoning", "reasoningText")
	if s == "" {
		for _, key := range []string{"reasoningContent", "reasoningText", "content"} {
			if inner, ok := m[key].(map[string]any); ok {
				return reasoning(parts, inner)
			}
		}
		for _, key := range []string{"summary", "content"} {
			if list, ok := m[key].([]any); ok {
				for _, e := range list {
					if em, ok := e.(map[string]any); ok {
						parts = reasoning(parts, em)
					}
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
func callPart(m map[string]any) trace.Part {
	if inner, ok := m["tool_call"].(map[string]any); ok {
		m = inner
	}
	p := trace.Part{Type: trace.PartToolCall}
	p.ID = value.Text(m, "call_id", "callId", "id", "tool_call_id", "toolCallId", "tool_use_id", "toolUseId", "ref")
	p.Name = value.Text(m, "name", "toolName", "tool_name")
	args := first(m, "arguments", "args", "input", "toolInput", "parameters")
	if f, ok := m["function"].(map[string]any); ok {
		if name := value.Text(f, "name"); name != "" {
			p.Name = name
		}
		if a := first(f, "arguments", "args"); a != nil {
			args = a
		}
	} else if s, ok := m["function"].(string); ok && p.Name == "" {
		p.Name = s
	}
	if server, ok := m["server_tool_call"].(map[string]any); ok && args == nil {
		args = server
	}
	if args == nil {
		for _, key := range []string{"arguments", "args", "input"} {
			if a, ok := m[key]; ok {
				args = a
			}
		}
	}
	if args != nil {
		p.Value = rawOrData(args)
	}
	return p
}

// resultPart reads what a tool returned.
func resultPart(m map[string]any) trace.Part {
	p := trace.Part{Type: trace.PartToolResult}
	p.ID = value.Text(m, "call_id", "callId", "tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "id", "ref")
	p.Name = value.Text(m, "name", "toolName", "tool_name")
	status, _ := m["status"].(string)
	p.IsError = status == "error" || value.True(m["is_error"]) || value.True(m["isError"]) || m["type"] == "tool-error"
	for _, key := range []string{"response", "result", "content", "output", "server_tool_call_response", "error"} {
		v, ok := m[key]
		if !ok {
			continue
		}
		if tagged, isMap := v.(map[string]any); isMap && key == "output" { // AI SDK: {type: "json", value}
			t, _ := tagged["type"].(string)
			if value.Has(tagged, "value") {
				p.IsError = p.IsError || strings.HasPrefix(t, "error") || t == "execution-denied"
				v = tagged["value"]
			} else if s, isText := tagged["text"].(string); isText && t == "text" { // OpenAI Agents in JavaScript
				v = s
			}
		}
		p.Value = resultValue(v)
		break
	}
	return p
}

// resultValue is the value of what a tool returned; a list of text blocks is
// the text that it holds.
func resultValue(content any) trace.Value {
	list, ok := content.([]any)
	if !ok || len(list) != 1 {
		return rawOrData(content)
	}
	m, ok := list[0].(map[string]any)
	if !ok {
		return rawOrData(content)
	}
	m = plain(m)
	if inner, ok := m["message_content"].(map[string]any); ok {
		m = inner
	}
	if t, _ := m["type"].(string); t != "" && t != "text" && t != "json" {
		return rawOrData(content)
	}
	switch {
	case value.Has(m, "json") && len(m) <= 2:
		return rawOrData(unjson(m["json"]))
	case value.Has(m, "text") && len(m) <= 3:
		return rawOrData(m["text"])
	case value.Has(m, "content") && m["type"] == "text":
		return rawOrData(m["content"])
	}
	return rawOrData(content)
}

// unjson takes Strands' {"$value": x} off.
func unjson(v any) any {
	if m, ok := v.(map[string]any); ok && len(m) == 1 {
		if inner, ok := m["$value"]; ok {
			return inner
		}
	}
	return v
}

func rawOrData(v any) trace.Value {
	if s, ok := v.(string); ok {
		return trace.RawValue(s, value.Decode)
	}
	return trace.DataValue(v)
}

// mediaPart keeps what a file is and where, not its bytes.
func mediaPart(t string, m map[string]any) trace.Part {
	p := trace.Part{Type: trace.PartMedia, Modality: value.Text(m, "modality")}
	p.MIME = value.Text(m, "mime_type", "mimeType", "media_type", "mediaType", "contentType", "format")
	p.URI = value.Text(m, "uri", "url", "fileUri", "file_uri", "file_id", "fileId")
	for _, key := range []string{"image_url", "source", "image", "input_audio", "file", "audio"} {
		switch inner := m[key].(type) {
		case string:
			if p.URI == "" {
				p.URI = inner
			}
		case map[string]any:
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
