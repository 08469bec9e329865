package tracefile

import (
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
		if depth == 0 && !isState(v[:min(len(v), 1)]...) {
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
		var asked *run // a list in which nobody replies: what the next one replies to
		lists := listsIn(o)
		if entries := exchange(o); entries != nil && len(around) == 1 {
			lists = slices.Values([][]any{entries})
		}
		for entries := range lists {
			switch said := spoken(entries); {
			case said == nil:
			case !slices.ContainsFunc(said, isReply):
				if asked == nil {
					asked = &run{entries, said, around}
				}
			default:
				if asked != nil && !slices.ContainsFunc(said, isUsers) {
					said = slices.Concat(asked.said, said)
				}
				*found = append(*found, run{entries, said, around})
				return
			}
		}
		if asked != nil {
			*found = append(*found, *asked)
			return
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

// isState reports whether an object is a state of a graph at a checkpoint, whose
// messages are all until then.
func isState(entries ...any) bool {
	for _, e := range entries {
		if o, _ := e.(map[string]any); list(object(o, "values"), "messages") != nil && first(o, "config", "checkpoint", "checkpoint_id", "metadata") != nil {
			return true
		}
	}
	return false
}

// Names of what was asked, of what the model was given to answer from, and of the
// answer, in records that have a text for each.
var (
	askedKeys      = []string{"prompt", "question", "query", "instruction", "user_input"}
	givenKeys      = []string{"contexts", "retrieved_contexts", "context"}
	completionKeys = []string{"completion", "response", "answer", "generated_text", "prediction"}
)

// exchange is a record of a question and its answer as messages; nil for any other,
// and for one that lists what happened in between, which is not told so.
func exchange(o map[string]any) []any {
	text := func(keys []string) string {
		for _, key := range keys {
			if s, _ := o[key].(string); strings.TrimSpace(s) != "" {
				return s
			}
		}
		return ""
	}
	asked, said := text(askedKeys), text(completionKeys)
	if asked == "" || said == "" {
		return nil
	}
	for key, v := range o {
		if entries, isList := v.([]any); isList && len(objects(entries)) > 0 && !slices.Contains(givenKeys, key) {
			return nil
		}
	}
	var out []any
	switch given := first(o, givenKeys...).(type) {
	case nil:
	case string:
		out = append(out, map[string]any{"role": "system", "content": given})
	default:
		out = append(out, map[string]any{"role": "system", "content": jsonText(given)})
	}
	return append(out, map[string]any{"role": "user", "content": asked}, map[string]any{"role": "assistant", "content": said})
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
	out := writtenCalls(list)
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
