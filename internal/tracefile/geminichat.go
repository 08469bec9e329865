package tracefile

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/value"
)

// geminiChat is the sessions that Gemini CLI keeps in ~/.gemini/tmp: one object
// with its messages, or a line for each message, for the session, and for what
// changed of them. A message that is written again has its calls in it.
var geminiChat = format{
	name:     "gemini-cli",
	looksFor: "sessionId, projectHash and messages of the types user and gemini",
	entry: func(line string) bool {
		return entryText(line, "projectHash") != "" && entryText(line, "sessionId") != "" && value.Member(line, "messages") == ""
	},
	detect: func(doc any) bool { return geminiSession(doc) != nil },
	chats:  readGeminiChat,
}

// geminiSession is the object of a session; nil where a document has none.
func geminiSession(doc any) map[string]any {
	if entries, ok := doc.([]any); ok && len(entries) > 0 {
		doc = entries[0]
	}
	o, _ := doc.(map[string]any)
	if str(o, "sessionId") == "" || str(o, "projectHash") == "" {
		return nil
	}
	return o
}

// geminiMessages is the messages of a session as they are in the end: of those
// with one id the last one, where the first stood.
func geminiMessages(entries []map[string]any) (all []map[string]any) {
	at := map[string]int{}
	add := func(m map[string]any) {
		id := str(m, "id")
		if i, known := at[id]; known && id != "" {
			all[i] = m
			return
		}
		at[id] = len(all)
		all = append(all, m)
	}
	for _, e := range entries {
		if set := object(e, "$set"); set != nil {
			e = set
		}
		if messages, ok := e["messages"].([]any); ok {
			all = all[:0]
			clear(at)
			for _, m := range objects(messages) {
				add(m)
			}
		} else if str(e, "type") != "" {
			add(e)
		}
	}
	return all
}

func readGeminiChat(doc any) ([]chat, error) {
	s := &session{id: str(geminiSession(doc), "sessionId")}
	for _, m := range geminiMessages(objects(doc)) {
		s.gemini(m)
	}
	all := s.chats()
	if len(all) == 0 {
		return nil, errNoEntries
	}
	return all, nil
}

// gemini takes a message. The results of calls stand beside them, and in newer
// files once more in a message of the user's.
func (s *session) gemini(m map[string]any) {
	at := m["timestamp"]
	parts := geminiParts(m["content"])
	switch str(m, "type") {
	case "user":
		if len(parts) == 0 || results(parts) {
			return
		}
		s.begin()
		s.add(map[string]any{"role": "user", "parts": parts}, at)
	case "gemini":
		var answers []any
		for _, call := range objects(m["toolCalls"]) {
			parts = append(parts, map[string]any{"functionCall": map[string]any{"id": call["id"], "name": call["name"], "args": call["args"]}})
			answers = append(answers, geminiParts(call["result"])...)
		}
		reply := map[string]any{"role": "model", "parts": parts, "model": m["model"]}
		if tokens := object(m, "tokens"); tokens != nil {
			reply["usage"] = map[string]any{
				"input_tokens": tokens["input"], "output_tokens": whole(tokens["output"]) + whole(tokens["thoughts"]),
				"input_tokens_details":  map[string]any{"cached_tokens": tokens["cached"]},
				"output_tokens_details": map[string]any{"reasoning_tokens": tokens["thoughts"]},
			}
		}
		s.add(reply, at)
		if len(answers) > 0 {
			s.add(map[string]any{"role": "user", "parts": answers}, at)
		}
	}
}

// geminiParts is content as a list of parts.
func geminiParts(content any) []any {
	switch c := content.(type) {
	case []any:
		return c
	case map[string]any:
		return []any{c}
	case string:
		if strings.TrimSpace(c) != "" {
			return []any{map[string]any{"text": c}}
		}
	}
	return nil
}

// results reports whether parts are all results of calls.
func results(parts []any) bool {
	for _, p := range parts {
		o, _ := p.(map[string]any)
		if o["functionResponse"] == nil {
			return false
		}
	}
	return true
}
