package tracefile

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/value"
)

// transcripts are the formats in which coding agents keep their sessions: an
// entry a line, and a file a session.
var transcripts = []format{claudeCode, codexRollout, codexExec, geminiChat}

// A gathering is the lines of a transcript, which are one document: what a line
// means is known from those before it.
type gathering struct {
	format *format
	limit  int
	document
	over bool // the limit
}

// transcriptOf is a gathering for a file that begins with this document, and whose
// first lines may be entries that belong together; nil where the file is no
// transcript.
func transcriptOf(first document, aLine bool, opts Options) *gathering {
	if len(first.bytes) == 0 || first.bytes[0] != '{' {
		return nil
	}
	for i := range formats {
		f := &formats[i]
		if f.entry != nil && (opts.Format == "" || opts.Format == f.name) && f.entry(string(first.bytes)) {
			return &gathering{format: f, limit: opts.MaxDocument, document: document{place: first.place}}
		}
	}
	if aLine && (opts.Format == "" || opts.Format == messages.name) {
		return &gathering{format: &messages, limit: opts.MaxDocument, document: document{place: first.place}}
	}
	return nil
}

// entriesALine reports whether the first lines of a file are objects none of which
// is a document of its own and which together are a conversation.
func entriesALine(head []byte) bool {
	if otlpKeys[firstKey(head)] != "" {
		return false
	}
	var entries []any
	for line := range bytes.Lines(head) {
		if len(entries) == 20 || line[len(line)-1] != '\n' {
			break
		}
		o := asObject(string(bytes.TrimLeft(bytes.TrimSpace(line), "\ufeff")))
		if o == nil || !isReply(o) && knows(o, "") {
			return false
		}
		entries = append(entries, o)
	}
	return len(entries) > 1 && isSteps(entries)
}

// add takes one more line. It returns a problem for the first that is too much.
func (g *gathering) add(d document) *Problem {
	defer d.release()
	switch {
	case g.over:
		return nil
	case len(g.bytes)+len(d.bytes)+2 > g.limit:
		g.over = true
		return &Problem{Place: d.place, Err: fmt.Errorf("%w: the transcript has more than %d bytes; what came before this line is read", errTooLarge, g.limit)}
	case len(g.bytes) == 0:
		g.bytes = append(g.bytes, '[')
	default:
		g.bytes = append(g.bytes, ',')
	}
	g.bytes = append(g.bytes, bytes.TrimSpace(d.bytes)...)
	return nil
}

// whole is all lines as one document.
func (g *gathering) whole() document {
	return document{place: g.place, bytes: append(g.bytes, ']')}
}

// entryText is a member of a line of JSON that is a text that is not empty.
func entryText(line, name string) string {
	text := strings.Trim(value.Member(line, name), `"`)
	if strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || text == "null" {
		return ""
	}
	return text
}

// anyEntry reports whether a document is a list of entries of a transcript.
func anyEntry(doc any, is func(e map[string]any) bool) bool {
	list, ok := doc.([]any)
	return ok && slices.ContainsFunc(objects(list[:min(len(list), 20)]), is)
}

// session is what entries of a transcript come to: messages, of which some begin
// a turn. Each turn is a trace.
type session struct {
	id, agent, model string
	system           string
	turns            []map[string]any
	starts           []int                  // where a turn begins
	spent            map[int]map[string]any // tokens of a turn, by where it begins
	replies          map[string]map[string]any
}

// begin says that the next message is the first of a turn.
func (s *session) begin() {
	if n := len(s.starts); n == 0 || s.starts[n-1] != len(s.turns) {
		s.starts = append(s.starts, len(s.turns))
	}
}

// took says what the turn that is open has cost, where it is told of the whole.
func (s *session) took(usage map[string]any) {
	if usage == nil || len(s.starts) == 0 {
		return
	}
	if s.spent == nil {
		s.spent = map[int]map[string]any{}
	}
	s.spent[s.starts[len(s.starts)-1]] = usage
}

// add takes a message with the time of its entry.
func (s *session) add(m map[string]any, at any) {
	m["timestamp"] = at
	s.turns = append(s.turns, m)
}

// reply takes what an assistant said; of the same id it is more of one reply.
func (s *session) reply(id string, m map[string]any, at any) {
	if id == "" {
		s.add(m, at)
		return
	}
	if known := s.replies[id]; known != nil {
		goesOn(known, m)
		return
	}
	if s.replies == nil {
		s.replies = map[string]map[string]any{}
	}
	s.replies[id] = m
	s.add(m, at)
}

// chats is a conversation for each turn that has a reply. It knows the ones
// before it, which are what the model was told.
func (s *session) chats() []chat {
	if len(s.starts) == 0 || s.starts[0] > 0 {
		s.starts = slices.Insert(s.starts, 0, 0)
	}
	told := 0
	spent := make([]map[string]any, len(s.starts))
	for i, start := range s.starts {
		spent[i] = s.spent[start]
	}
	if s.system != "" {
		s.turns = slices.Insert(s.turns, 0, map[string]any{"role": "system", "content": s.system})
		for i := range s.starts[1:] {
			s.starts[1+i]++
		}
	}
	var all []chat
	for i, start := range s.starts {
		end := len(s.turns)
		if i+1 < len(s.starts) {
			end = s.starts[i+1]
		}
		if !slices.ContainsFunc(s.turns[start:end], isReply) {
			continue
		}
		all = append(all, chat{
			document: []any{s.id, s.agent, s.turns[start:end]},
			session:  s.id, agent: s.agent, model: s.model,
			turns: s.turns[:end], start: start, told: &told, usage: spent[i],
		})
	}
	return all
}

var errNoEntries = errors.New("no entry of a transcript is a reply")

// goesOn adds to a reply what another message of the same id says. Its usage is
// that of the whole, and so the last one's.
func goesOn(reply, more map[string]any) {
	if jsonText(reply["content"]) != jsonText(more["content"]) {
		reply["content"] = slices.Concat(blocks(reply["content"]), blocks(more["content"]))
	}
	if calls := slices.Concat(list(reply, "tool_calls"), list(more, "tool_calls")); len(calls) > 0 {
		reply["tool_calls"] = calls
	}
	for _, key := range []string{"usage", "stop_reason"} {
		if more[key] != nil {
			reply[key] = more[key]
		}
	}
}

// blocks is content as a list of its parts.
func blocks(content any) []any {
	switch c := content.(type) {
	case []any:
		return c
	case string:
		if c != "" {
			return []any{map[string]any{"type": "text", "text": c}}
		}
	case map[string]any:
		return []any{c}
	}
	return nil
}

// oneReply joins the assistant's messages that have one id, in one turn: they are
// parts of one reply, which an API counted once.
func oneReply(turns []map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(turns))
	known := map[string]map[string]any{}
	for _, m := range turns {
		if !isReply(m) && asks(m["content"]) {
			clear(known)
		}
		id := str(m, "id")
		if id == "" || !isReply(m) || m["content"] == nil {
			out = append(out, m)
			continue
		}
		if reply := known[id]; reply != nil {
			goesOn(reply, m)
			continue
		}
		known[id] = maps.Clone(m)
		out = append(out, known[id])
	}
	return out
}
