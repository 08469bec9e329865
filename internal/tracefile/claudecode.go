package tracefile

import (
	"maps"
	"slices"
	"strings"
)

// claudeCode is the sessions that Claude Code keeps in ~/.claude/projects: of the
// user and the assistant, whose messages are those of Anthropic's API, one block
// of a reply a line, and of much else; and what it prints with
// `--output-format stream-json`, which says the same with other names of ids.
var claudeCode = format{
	name:     "claude-code",
	looksFor: "entries with type, sessionId, and message or uuid",
	entry: func(line string) bool {
		switch kind := entryText(line, "type"); kind {
		case "":
			return false
		case "summary":
			return entryText(line, "leafUuid") != ""
		case "file-history-snapshot":
			return entryText(line, "messageId") != ""
		}
		if entryText(line, "session_id") != "" && entryText(line, "type") == "system" && entryText(line, "subtype") != "" {
			return true
		}
		return entryText(line, "sessionId") != "" && entryText(line, "projectHash") == ""
	},
	detect: func(doc any) bool { return anyEntry(doc, isClaudeEntry) },
	chats:  readClaudeCode,
}

// isClaudeEntry reports whether an entry is of the user or the assistant.
func isClaudeEntry(e map[string]any) bool {
	return claudeSession(e) != "" && (str(e, "type") == "user" || str(e, "type") == "assistant") && object(e, "message") != nil
}

// claudeSession is the session of an entry.
func claudeSession(e map[string]any) string { return str(e, "sessionId", "session_id") }

// readClaudeCode reads a session. What sub-agents did is entries of side chains,
// in the same file or in one of their own: conversations beside it.
func readClaudeCode(doc any) ([]chat, error) {
	entries, _ := doc.([]any)
	sessions := map[string]*session{}
	var order []string
	for _, e := range objects(entries) {
		if !isClaudeEntry(e) {
			continue
		}
		agent := ""
		if e["isSidechain"] == true {
			agent = str(e, "agentId")
			if agent == "" {
				agent = "sub-agent"
			}
		}
		if by := str(e, "parent_tool_use_id"); by != "" {
			agent = "sub-agent " + by
		}
		key := claudeSession(e) + " " + agent
		s := sessions[key]
		if s == nil {
			s = &session{id: claudeSession(e), agent: agent}
			sessions[key] = s
			order = append(order, key)
		}
		s.claude(e)
	}
	var all []chat
	for _, key := range order {
		all = append(all, sessions[key].chats()...)
	}
	if len(all) == 0 {
		return nil, errNoEntries
	}
	return all, nil
}

// claude takes an entry.
func (s *session) claude(e map[string]any) {
	m := maps.Clone(object(e, "message"))
	if str(m, "role") == "" {
		m["role"] = e["type"]
	}
	if isReply(m) {
		// What Claude Code itself says in the assistant's place, of an API that
		// failed, is no reply.
		if str(m, "model") != "<synthetic>" {
			s.reply(str(m, "id"), m, e["timestamp"])
		}
		return
	}
	if e["isMeta"] != true && e["isCompactSummary"] != true && asks(m["content"]) {
		s.begin()
	}
	s.add(m, e["timestamp"])
}

// asks reports whether the content of a user's message is a question: it has
// text, and no results of tools.
func asks(content any) bool {
	text := false
	for _, b := range objects(blocks(content)) {
		switch str(b, "type") {
		case "tool_result":
			return false
		case "text", "input_text":
			text = text || strings.TrimSpace(str(b, "text")) != ""
		}
	}
	return text || slices.ContainsFunc(blocks(content), func(b any) bool { s, _ := b.(string); return s != "" })
}
