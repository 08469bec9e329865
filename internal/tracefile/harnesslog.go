package tracefile

import "errors"

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
		log := newRunLog()
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
		c := conversationOf(o, turns, o)
		c.unread = log.unread
		all = append(all, c)
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
