package tracefile

import "strings"

// speakers are the labels at the beginning of a line of a log that is text, and
// whose words follow. An action and its input are the model's call.
var speakers = map[string]string{
	"user": "user", "human": "user", "question": "user", "query": "user", "task": "user",
	"system":      "system",
	"observation": "tool", "tool": "tool", "tool result": "tool", "tool output": "tool", "result": "tool",
	"assistant": "assistant", "ai": "assistant", "agent": "assistant", "final": "assistant", "final answer": "assistant", "answer": "assistant",
	"thought": "thought", "action": "action", "action input": "input",
}

// labelled is a text with whose it is; a text without a label is nobody's.
func labelled(line string) (speaker, text string) {
	label, rest, ok := strings.Cut(line, ":")
	if who := speakers[strings.ToLower(strings.TrimSpace(label))]; ok && who != "" {
		return who, strings.TrimSpace(rest)
	}
	return "", line
}

// textEntries cuts a log that is one text at the lines that have a label.
func textEntries(text string) []any {
	var out []any
	start, at := 0, 0
	for line := range strings.Lines(text) {
		if who, _ := labelled(line); at > start && who != "" {
			out, start = append(out, text[start:at]), at
		}
		at += len(line)
	}
	if start < at {
		out = append(out, text[start:])
	}
	return out
}

// written reads an entry that is text, which may go on with the message before:
// a thought, the action that it leads to and the action's input are one.
func (l *runLog) written(text string) []map[string]any {
	who, said := labelled(strings.TrimSpace(text))
	open := l.act
	l.act = nil
	switch who {
	case "":
		return []map[string]any{{"role": "assistant", "content": said}}
	case "thought":
		l.act = map[string]any{"role": "assistant", "content": said}
	case "action":
		name, arguments := actionOf(said)
		call := []any{map[string]any{"type": "function", "function": map[string]any{"name": name, "arguments": arguments}}}
		if open != nil && open["tool_calls"] == nil {
			open["tool_calls"], l.act = call, open
			return nil
		}
		l.act = map[string]any{"role": "assistant", "content": "", "tool_calls": call}
	case "input":
		if calls, _ := open["tool_calls"].([]any); calls != nil {
			calls[0].(map[string]any)["function"].(map[string]any)["arguments"] = said
			return nil
		}
		return []map[string]any{{"role": "assistant", "content": said}}
	default:
		return []map[string]any{{"role": who, "content": said}}
	}
	return []map[string]any{l.act}
}

// actionOf reads an action: the name of a tool, or a call with its arguments in
// parentheses or brackets.
func actionOf(text string) (name string, arguments any) {
	if at := strings.IndexAny(text, "(["); at >= 0 {
		closing := map[byte]string{'(': ")", '[': "]"}[text[at]]
		if inner, closed := strings.CutSuffix(text[at+1:], closing); closed {
			return strings.TrimSpace(text[:at]), inner
		}
	}
	return text, map[string]any{}
}
