package tracefile

import (
	"fmt"
	"maps"
	"strings"
)

// A textCall is a call that an agent without tools wrote into its text, for whoever
// reads it and answers as the user.
type textCall struct {
	before, after string // what it said around the call
	name          string
	arguments     any
	result        string
}

// textCalls are the ways in which agents write calls: of what was said, and what was
// said to it next.
var textCalls = [...]func(said, seen string) (textCall, bool){fencedCall, elementCall}

// writtenCalls makes calls and results of those that stand in texts.
func writtenCalls(list []map[string]any) []map[string]any {
	out := make([]map[string]any, 0, len(list))
	for i := 0; i < len(list); i++ {
		m := list[i]
		said := textIn(m)
		if !isReply(m) || m["tool_calls"] != nil || said == "" {
			out = append(out, m)
			continue
		}
		if rounds := scratchpad(m, said); rounds != nil {
			out = append(out, rounds...)
			continue
		}
		if text, ends := completion(said); ends {
			m = maps.Clone(m)
			m["content"] = text
			out = append(out, m)
			continue
		}
		rounds := answeredCall(m, said, list[i+1:], i)
		if rounds == nil {
			out = append(out, m)
			continue
		}
		out = append(out, rounds...)
		i++
	}
	return out
}

// answeredCall is a message with a call in its text and the message after it, which
// is the result, as both; nil where they are none.
func answeredCall(m map[string]any, said string, after []map[string]any, at int) []map[string]any {
	if len(after) == 0 || !isUsers(after[0]) {
		return nil
	}
	seen := textIn(after[0])
	if who, _ := labelled(strings.TrimSpace(seen)); who == "tool" {
		if rounds := scratchpad(m, said+"\n"+strings.TrimSpace(seen)); rounds != nil {
			return rounds
		}
	}
	for _, read := range textCalls {
		call, ok := read(said, seen)
		if !ok {
			continue
		}
		id := fmt.Sprintf("text_%d", at)
		reply, result := maps.Clone(m), maps.Clone(after[0])
		reply["content"] = strings.TrimSpace(call.before + call.after)
		reply["tool_calls"] = []any{map[string]any{"id": id, "type": "function", "function": map[string]any{"name": call.name, "arguments": call.arguments}}}
		result["role"], result["tool_call_id"], result["content"] = "tool", id, call.result
		return []map[string]any{reply, result}
	}
	return nil
}

// textIn is the text of a message that holds nothing else.
func textIn(m map[string]any) string {
	switch c := first(m, "content", "parts").(type) {
	case string:
		return c
	case []any:
		var texts []string
		for _, e := range c {
			o, _ := e.(map[string]any)
			if text, isText := o["text"].(string); isText && (str(o, "type") == "" || str(o, "type") == "text") {
				texts = append(texts, text)
				continue
			}
			return ""
		}
		return strings.Join(texts, "\n")
	}
	return ""
}

// scratchpad cuts a text in which an agent wrote what it thought, did and observed,
// perhaps several times; nil for any other. What the message says besides is the
// first's.
func scratchpad(m map[string]any, text string) []map[string]any {
	if !strings.Contains("\n"+text, "\nAction:") || !strings.Contains(text, "\nObservation:") {
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

// fencedCall is the one block of code that a text has, where what comes next is what
// running it came to.
func fencedCall(said, seen string) (c textCall, ok bool) {
	if !observes(seen) {
		return c, false
	}
	before, rest, ok := strings.Cut(said, "```")
	lang, code, _ := strings.Cut(rest, "\n")
	code, after, closed := strings.Cut(code, "```")
	if lang = strings.TrimSpace(lang); !ok || !closed || !shells[lang] || strings.Contains(after, "```") {
		return c, false
	}
	return textCall{before, after, lang, map[string]any{"command": strings.TrimSpace(code)}, seen}, true
}

// elementCall is an element of XML that is named after the tool, whose members are
// the arguments, where what comes next says that it is the tool's result (Cline, Roo
// Code): <read_file><path>a.go</path></read_file> and [read_file for 'a.go'] Result:.
func elementCall(said, seen string) (c textCall, ok bool) {
	label, result, ok := strings.Cut(strings.TrimSpace(seen), "] Result:")
	if !ok || !strings.HasPrefix(label, "[") {
		return c, false
	}
	c.name, _, _ = strings.Cut(label[1:], " ")
	before, inner, after, ok := cutElement(said, c.name)
	arguments, isCall := elementMembers(inner)
	if !ok || !isCall {
		return c, false
	}
	return textCall{before, after, c.name, arguments, strings.TrimSpace(result)}, true
}

// completion is the text that an agent ends its task with, which such agents write
// as a call.
func completion(said string) (text string, ends bool) {
	before, inner, after, ok := cutElement(said, "attempt_completion")
	members, isCall := elementMembers(inner)
	result, isText := members["result"].(string)
	if !ok || !isCall || !isText {
		return "", false
	}
	return strings.TrimSpace(strings.TrimSpace(before) + "\n\n" + result + "\n\n" + strings.TrimSpace(after)), true
}

// cutElement cuts a text around the last element of a name.
func cutElement(text, name string) (before, inner, after string, ok bool) {
	open, end := "<"+name+">", "</"+name+">"
	from := strings.LastIndex(text, open)
	if name == "" || from < 0 {
		return "", "", "", false
	}
	inner, after, ok = strings.Cut(text[from+len(open):], end)
	return text[:from], inner, after, ok
}

// elementMembers are the elements that a text consists of, by name; false where
// there is anything else in it.
func elementMembers(text string) (members map[string]any, ok bool) {
	members = map[string]any{}
	for {
		text = strings.TrimSpace(text)
		if text == "" {
			return members, true
		}
		name, rest, closed := strings.Cut(strings.TrimPrefix(text, "<"), ">")
		inner, after, ended := strings.Cut(rest, "</"+name+">")
		if text[0] != '<' || !closed || !ended || name == "" || strings.ContainsAny(name, "</ \n") {
			return nil, false
		}
		members[name], text = strings.TrimSpace(inner), after
	}
}
