package tracefile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// harnesslog is the plain result of an agent harness: {"final_answer": text,
// "internal_logs": [entries]}, where an entry is text, a chat message, or an
// object that names a tool with its input and its output or error; or one text
// of lines with labels. An entry is read by its fields: what its type or event is
// called is the harness's own.
var harnesslog = format{
	name:     "internal_logs",
	looksFor: "final_answer and internal_logs",
	detect:   func(doc any) bool { return len(harnessRuns(doc)) > 0 },
	chats:    readHarnessLog,
}

func harnessRuns(doc any) []map[string]any {
	var found []map[string]any
	for _, o := range objects(doc) {
		_, answer := o["final_answer"]
		if answer && entriesOf(o) != nil {
			found = append(found, o)
		}
	}
	return found
}

// entriesOf is the entries of a run's log; nil where there is none.
func entriesOf(run map[string]any) []any {
	switch logs := run["internal_logs"].(type) {
	case []any:
		return logs
	case string:
		return textEntries(logs)
	}
	return nil
}

// readHarnessLog turns each run into a conversation: what a harness logs is
// what the model said and what its tools returned, in order.
func readHarnessLog(doc any) ([]chat, error) {
	runs := harnessRuns(doc)
	if len(runs) == 0 {
		return nil, errors.New("internal_logs: no object with final_answer and internal_logs")
	}
	var all []chat
	for _, o := range runs {
		var turns []map[string]any
		if q := str(o, "question", "task", "query", "prompt", "input", "instruction"); q != "" {
			turns = append(turns, map[string]any{"role": "user", "content": q})
		}
		log := runLog{open: map[string][]string{}, tool: map[string]string{}}
		for i, entry := range entriesOf(o) {
			turns = append(turns, log.entry(entry, i)...)
		}
		answer := o["final_answer"]
		if text, ok := answer.(string); !ok && answer != nil {
			answer = jsonText(answer)
		} else if ok {
			answer = text
		}
		if answer != nil && !endsWith(turns, answer) {
			turns = append(turns, map[string]any{"role": "assistant", "content": answer})
		}
		all = append(all, conversationOf(o, turns))
	}
	return all, nil
}

// endsWith reports whether the last message already is the answer.
func endsWith(turns []map[string]any, answer any) bool {
	if len(turns) == 0 {
		return false
	}
	last := turns[len(turns)-1]
	return str(last, "role") == "assistant" && last["content"] == answer && last["tool_calls"] == nil
}

// runLog reads the entries of one run in order.
type runLog struct {
	open map[string][]string // ids of the calls of a tool that have no result yet
	tool map[string]string   // tools of the calls, by the ids that the log gives them
	act  map[string]any      // the model's message that the entry before began in text, with what follows from it
}

// entry reads one entry as the messages that it stands for.
func (l *runLog) entry(entry any, i int) []map[string]any {
	o, ok := entry.(map[string]any)
	if !ok {
		text, isText := entry.(string)
		if isText {
			return l.written(text)
		}
		return []map[string]any{{"role": "assistant", "content": jsonText(entry)}}
	}
	l.act = nil
	if chatRoles[strings.ToLower(str(o, "role"))] {
		return []map[string]any{o}
	}
	thought := str(o, "thought", "reasoning", "thinking", "content", "text", "message", "response")
	id := str(o, "tool_call_id", "call_id", "id")
	name, arguments, result, failed := toolOf(o, l.tool[id])
	if name == "" {
		if thought == "" {
			thought = str(o, "output")
		}
		if thought == "" {
			thought = jsonText(o)
		}
		role := "assistant"
		if t := strings.ToLower(str(o, "type", "event", "kind", "source", "author")); t == "user" || t == "human" || strings.HasPrefix(t, "user_") {
			role = "user"
		}
		said := map[string]any{"role": role, "content": thought}
		for _, key := range [...]string{"model", "usage"} {
			if v := o[key]; v != nil && role == "assistant" {
				said[key] = v
			}
		}
		return []map[string]any{said}
	}
	if arguments == nil && len(l.open[name]) > 0 {
		// The result of an entry before: the first of its tool that waits.
		if id == "" {
			id = l.open[name][0]
		}
		if k := slices.Index(l.open[name], id); k >= 0 {
			l.open[name] = slices.Delete(l.open[name], k, k+1)
			return []map[string]any{toolTurn(id, name, result, failed)}
		}
	}
	if id == "" {
		id = fmt.Sprintf("log_%d", i)
	} else {
		l.tool[id] = name
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	call := map[string]any{"role": "assistant", "content": thought, "tool_calls": []any{map[string]any{
		"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments},
	}}}
	turns := []map[string]any{call}
	if result == nil {
		l.open[name] = append(l.open[name], id)
		return turns
	}
	return append(turns, toolTurn(id, name, result, failed))
}

// chatRoles are the roles of chat messages. Any other is what a harness calls an
// entry.
var chatRoles = map[string]bool{
	"user": true, "human": true, "assistant": true, "ai": true, "model": true, "system": true, "developer": true, "tool": true, "function": true,
}

// toolTurn is the message of a tool's result.
func toolTurn(id, name string, result any, failed bool) map[string]any {
	text, isText := result.(string)
	if !isText {
		text = jsonText(result)
	}
	turn := map[string]any{"role": "tool", "tool_call_id": id, "name": name, "content": text}
	if failed {
		turn["is_error"] = true
	}
	return turn
}

// toolOf finds the tool call of an entry, which stands in the entry itself or
// in an object under "tool_call" or "action", and what it came to. No arguments
// are nil. An error is the result where there is no other. A result that names no
// tool is of the one that its call's id is known to be of.
func toolOf(o map[string]any, known string) (name string, arguments, result any, failed bool) {
	call := object(o, "tool_call", "action", "function_call")
	if call == nil {
		call = o
	}
	name = cmp.Or(str(call, "tool", "tool_name", "name", "function", "action"), known)
	arguments = first(call, "arguments", "args", "input", "tool_input", "action_input", "parameters", "params")
	result = first(o, "observation", "output", "result", "tool_output", "response_data")
	failed = saysFailed(o)
	if e := first(o, "error", "error_message", "exception"); e != nil && e != false && e != "" {
		failed = true
		if (result == nil || result == "") && e != true {
			result = e
		}
	}
	if name == "" || arguments == nil && result == nil {
		return "", nil, nil, false
	}
	return name, arguments, result, failed
}

// saysFailed reports whether a flag of an entry says that its call failed.
func saysFailed(o map[string]any) bool {
	switch strings.ToLower(str(o, "status", "outcome")) {
	case "error", "failed", "failure", "timeout", "exception":
		return true
	}
	return first(o, "is_error", "isError", "failed") == true || first(o, "success", "ok") == false
}
