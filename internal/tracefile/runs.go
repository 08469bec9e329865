package tracefile

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// A run is one conversation of a document: the entries of its list, and the
// objects that it stands in, the innermost first.
type run struct {
	entries []any
	said    []map[string]any // the entries as messages
	around  []map[string]any
}

// document is what a run is told from others by: the object that it stands in.
func (r run) document() any {
	if len(r.around) > 0 {
		return r.around[0]
	}
	return r.entries
}

// listKeys are the names under which a conversation's own list stands, best first:
// of several in one object only one is read, since they tell the same again.
var listKeys = [...]string{
	"messages", "contents", "conversation", "conversations", "history", "chat_history", "chat_messages", "dialog", "dialogue", "transcript",
	"traj", "trajectory", "steps", "turns", "events", "mapping", "internal_logs", "logs", "items",
}

// wrapKeys are the names of what stands around conversations: a state, a result, a
// log with samples. Others are looked into only where they hold lists.
var wrapKeys = [...]string{"samples", "simulations", "tasks_output", "runs", "episodes", "rollouts", "chats", "sessions", "threads", "values", "state", "data", "result", "results", "output", "outputs"}

// Limits of the search for conversations in a document.
const (
	runsDepth = 4
	runsMax   = 100_000
)

// runsIn finds the conversations of a document: the list itself, or what stands in
// an object, at whatever place a library, a benchmark or an export puts it.
func runsIn(doc any) []run {
	var found []run
	seek(doc, nil, 0, &found)
	return found
}

// conversationKeys name the conversation that an entry belongs to.
var conversationKeys = []string{"conversation_id", "conversationId", "session_id", "sessionId", "thread_id", "chat_id"}

// conversationsOf takes the entries of a list apart where each says of which
// conversation it is.
func conversationsOf(doc any) []any {
	entries, _ := doc.([]any)
	for _, key := range conversationKeys {
		of := func(e any) string {
			o, _ := e.(map[string]any)
			return str(o, key)
		}
		if len(entries) == 0 || slices.ContainsFunc(entries, func(e any) bool { return of(e) == "" }) {
			continue
		}
		var order []string
		lists := map[string][]any{}
		for _, e := range entries {
			if lists[of(e)] == nil {
				order = append(order, of(e))
			}
			lists[of(e)] = append(lists[of(e)], e)
		}
		out := make([]any, len(order))
		for i, id := range order {
			out[i] = map[string]any{key: id, "messages": lists[id]}
		}
		return out
	}
	return []any{doc}
}

func seek(v any, around []map[string]any, depth int, found *[]run) {
	if depth > runsDepth || len(*found) >= runsMax {
		return
	}
	switch v := v.(type) {
	case []any:
		if said := spoken(v); said != nil {
			*found = append(*found, run{v, said, around})
			return
		}
		if depth == 0 {
			return // a list of documents is read one by one
		}
		for _, e := range v {
			if _, isText := e.(string); !isText {
				seek(e, around, depth+1, found)
			}
		}
	case map[string]any:
		o := paired(v).(map[string]any)
		around = append([]map[string]any{o}, around...)
		for entries := range listsIn(o) {
			if said := spoken(entries); said != nil {
				*found = append(*found, run{entries, said, around})
				return
			}
		}
		before := len(*found)
		for _, key := range wrapKeys {
			if seek(o[key], around, depth+1, found); len(*found) > before {
				return
			}
		}
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if inner, isList := o[key].([]any); isList {
				seek(inner, around, depth+1, found)
			}
		}
	}
}

// spoken is a list's entries as messages; nil where they are none.
func spoken(entries []any) []map[string]any {
	found := objects(entries)
	if len(found) == 0 {
		return nil
	}
	if isSteps(entries) {
		return inTurn(stepMessages(entries))
	}
	if str(found[0], "role") == "" && !shared(found[0]) && rewritten(found[0]) == nil {
		return nil
	}
	return inTurn(messagesOf(found))
}

// listsIn are the lists of an object that may be its conversation, with the reply
// that stands beside one, best first.
func listsIn(o map[string]any) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for _, key := range listKeys {
			var entries []any
			switch list := o[key].(type) {
			case []any:
				entries = list
			case map[string]any:
				if entries = pathOf(list, str(o, "current_node")); entries == nil {
					entries = []any{list}
				}
			}
			if len(entries) > 0 && !yield(withReply(entries, replyIn(o))) {
				return
			}
		}
		// OpenAI's Responses API
		said, _ := o["output"].([]any)
		reply := replyIn(o)
		in, _ := o["input"].([]any)
		if text := str(o, "input"); text != "" && len(said)+len(reply) > 0 {
			in = []any{map[string]any{"role": "user", "content": text}}
		}
		if entries := slices.Concat(in, said, reply); len(entries) > 0 {
			yield(entries)
		}
	}
}

// withReply is a list with the reply that stands beside it, which may be its last
// entry once more: then what is said of it there is said of that.
func withReply(entries, reply []any) []any {
	if len(reply) == 0 {
		return entries
	}
	last, _ := entries[len(entries)-1].(map[string]any)
	again := reply[0].(map[string]any)
	if !isReply(last) || words(last) == "" || words(last) != words(again) {
		return slices.Concat(entries, reply)
	}
	whole := maps.Clone(again)
	maps.Copy(whole, last)
	return append(slices.Clone(entries[:len(entries)-1]), whole)
}

// words is the text of a message, without its thoughts.
func words(m map[string]any) string {
	var said []string
	for _, b := range blocks(first(m, "content", "parts")) {
		if o, ok := b.(map[string]any); ok && (str(o, "type") == "" || str(o, "type") == "text" || str(o, "type") == "output_text") {
			said = append(said, str(o, "text"))
		}
	}
	return strings.TrimSpace(strings.Join(said, "\n"))
}

// pathOf is the entries of a tree of messages, of which each names its parent, from
// the root to the last one; nil where an object is no such tree.
func pathOf(tree map[string]any, last string) []any {
	var path []any
	node := object(tree, last)
	for range len(tree) { // a tree may be broken so that it is a ring
		if node == nil {
			break
		}
		if m := object(node, "message"); m != nil {
			path = append(path, m)
		}
		node = object(tree, str(node, "parent"))
	}
	slices.Reverse(path)
	return path
}

// inTurn is messages with what is told in one text apart, and with the roles that
// their names have: AutoGen writes a history as one of the two sees it, who calls
// itself the assistant.
func inTurn(list []map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(list))
	for _, m := range list {
		if rounds := scratchpad(m); rounds != nil {
			out = append(out, rounds...)
			continue
		}
		out = append(out, m)
	}
	out = fencedActions(out)
	asker := ""
	if len(out) > 0 && isReply(out[0]) && out[0]["tool_calls"] == nil {
		asker = str(out[0], "name")
	}
	answers := func(m map[string]any) bool {
		return message.Role(str(m, "role")) == trace.RoleUser && str(m, "name") != "" && str(m, "name") != asker
	}
	if asker == "" || !slices.ContainsFunc(out, answers) {
		return out
	}
	for i, m := range out {
		role := ""
		switch {
		case answers(m):
			role = "assistant"
		case isReply(m) && str(m, "name") == asker:
			role = "user"
		default:
			continue
		}
		out[i] = maps.Clone(m)
		out[i]["role"] = role
	}
	return out
}

// scratchpad cuts an assistant's text in which an agent wrote what it thought, did
// and observed, perhaps several times; nil for any other message.
func scratchpad(m map[string]any) []map[string]any {
	text, _ := m["content"].(string)
	if !isReply(m) || m["tool_calls"] != nil || !strings.Contains(text, "\nAction:") || !strings.Contains(text, "\nObservation:") {
		return nil
	}
	log := newRunLog()
	var turns []map[string]any
	for i, e := range textEntries(text) {
		turns = append(turns, log.entry(e, i)...)
	}
	for key, v := range m {
		if _, own := turns[0][key]; !own {
			turns[0][key] = v
		}
	}
	return turns
}

// shells are the languages of blocks of code that an agent without tools writes for
// whoever runs them.
var shells = map[string]bool{"bash": true, "sh": true, "shell": true, "mswea_bash_command": true, "python": true, "py": true}

// observes reports whether a user's text is what running a block of code came to.
func observes(text string) bool {
	text = strings.ToLower(strings.TrimSpace(text))
	for _, mark := range [...]string{"<returncode>", "<output>", "observation:", "execution result", "execution logs:"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// fencedActions makes calls of the one block of code that an agent's message has
// where the user's message after it is what running it came to.
func fencedActions(list []map[string]any) []map[string]any {
	for i := 0; i+1 < len(list); i++ {
		said, isText := list[i]["content"].(string)
		seen, _ := list[i+1]["content"].(string)
		if !isText || !isReply(list[i]) || list[i]["tool_calls"] != nil || message.Role(str(list[i+1], "role")) != trace.RoleUser || !observes(seen) {
			continue
		}
		before, rest, ok := strings.Cut(said, "```")
		lang, code, _ := strings.Cut(rest, "\n")
		code, after, closed := strings.Cut(code, "```")
		if lang = strings.TrimSpace(lang); !ok || !closed || !shells[lang] || strings.Contains(after, "```") {
			continue
		}
		id := fmt.Sprintf("block_%d", i)
		reply, result := maps.Clone(list[i]), maps.Clone(list[i+1])
		reply["content"] = strings.TrimSpace(before + after)
		reply["tool_calls"] = []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": lang, "arguments": map[string]any{"command": strings.TrimSpace(code)}}}}
		result["role"], result["tool_call_id"] = "tool", id
		list[i], list[i+1] = reply, result
	}
	return list
}
