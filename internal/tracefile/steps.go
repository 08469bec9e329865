package tracefile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
)

// Steps are how agents log what they did where they keep no messages: an entry is
// what the model said with what it did, and what it observed, all in one or one
// after the other. Its fields say which; their names are few, whoever writes them.

// The names of the fields of a step, best first.
var (
	thoughtKeys = []string{"thought", "reasoning", "reasoning_content", "thinking", "final_thought"}
	saidKeys    = []string{"response", "model_output", "content", "text", "message", "output_text", "llm_output", "llm_response", "assistant", "completion", "generated_text"}
	toolKeys    = []string{"tool", "tool_name", "function_name", "name", "function", "action"}
	argsKeys    = []string{"arguments", "args", "input", "tool_input", "action_input", "parameters", "params"}
	resultKeys  = []string{"observation", "observations", "output", "result", "tool_output", "response_data"}
	answerKeys  = []string{"final_answer", "answer"}
	stepIDKeys  = []string{"tool_call_id", "call_id", "source_call_id", "tool_use_id", "toolCallId", "callID", "tool_id", "id"}
)

// isSteps reports whether a list is of steps: among its first entries one has both
// what was done and what came of it, or some call tools and others say what came of
// that or what somebody said.
func isSteps(entries []any) bool {
	called, came, asked, replied := false, false, false, false
	for _, o := range objects(entries[:min(len(entries), 20)]) {
		if knownRole(str(o, "role")) || shared(o) || rewritten(o) != nil {
			continue
		}
		if _, known := message.Item(str(o, "type")); known {
			continue
		}
		did := first(o, "action", "tool", "tool_name", "tool_calls", "code_action", "thought", "model_output", "response") != nil
		if did && first(o, "observation", "observations", "tool_output") != nil {
			return true
		}
		if str(o, "task") != "" && str(o, "agent") != "" && str(o, "status") != "" { // CrewAI's log of tasks
			return true
		}
		source := str(o, "source")
		if (source == "user" || source == "agent") && first(o, "message", "action", "observation") != nil {
			return true
		}
		named := str(o, "tool", "tool_name", "function_name") != ""
		called = called || named && first(o, argsKeys...) != nil
		came = came || (named || str(o, stepIDKeys...) != "") && first(o, "result", "output", "observation", "error") != nil
		if str(o, saidKeys...) != "" {
			who := whose(o)
			asked, replied = asked || who == "user", replied || who == "assistant"
		}
	}
	return called && came || asked && (called || replied)
}

// whose is the role of who an entry's words are, by what it is called; "" where that
// says nothing.
func whose(o map[string]any) string {
	for _, key := range [...]string{"type", "event", "kind", "source", "author", "task_type"} {
		word := strings.ToLower(str(o, key))
		who, _, _ := strings.Cut(strings.NewReplacer("-", "_", ".", "_", " ", "_").Replace(word), "_")
		switch who {
		case "user", "human":
			return "user"
		case "system":
			return "system"
		case "assistant", "agent", "ai", "llm", "model", "gpt", "bot", "thought", "final", "answer", "finish", "reply":
			return "assistant"
		}
	}
	return ""
}

// stepMessages is a list of steps as messages.
func stepMessages(entries []any) []map[string]any {
	turns, _ := readSteps(entries)
	return turns
}

// readSteps is a list of steps as messages, with what could not be read.
func readSteps(entries []any) (turns []map[string]any, unread []string) {
	log := newRunLog()
	for i, e := range entries {
		turns = append(turns, log.entry(e, i)...)
	}
	return turns, log.unread
}

// runLog reads the entries of one run in order.
type runLog struct {
	open   map[string][]string // ids of the calls of a tool that have no result yet
	tool   map[string]string   // tools of the calls, by the ids that the log gives them
	act    map[string]any      // the model's message that the entry before began in text, with what follows from it
	said   map[string]any      // the model's last message that is an entry of its own: calls that follow are its
	task   string              // that was given last
	last   string              // id of the last call that has no result yet
	unread []string            // entries of which nothing is known
}

func newRunLog() *runLog {
	return &runLog{open: map[string][]string{}, tool: map[string]string{}}
}

// entry reads one entry as the messages that it stands for.
func (l *runLog) entry(entry any, i int) []map[string]any {
	o, ok := entry.(map[string]any)
	if !ok {
		if text, isText := entry.(string); isText {
			return l.written(text)
		}
		return []map[string]any{{"role": "assistant", "content": jsonText(entry)}}
	}
	l.act = nil
	if chatRoles[strings.ToLower(str(o, "role"))] {
		l.said = nil
		return []map[string]any{o}
	}
	if own := rewritten(o); own != nil {
		l.said = nil
		return own
	}
	if inner := list(o, "messages"); inner != nil && spoken(inner) != nil {
		l.said = nil
		return spoken(inner)
	}
	o = openHands(o)
	if calls := objects(o["tool_calls"]); len(calls) > 0 {
		return l.calls(o, calls, i)
	}
	id := str(o, stepIDKeys...)
	name, arguments, result, failed := toolOf(o, l.tool[id])
	if name == "" && l.last != "" && first(o, "observation", "tool_output", "tool_result") != nil {
		// What was observed, of the call that waits.
		id = l.last
		name = l.tool[id]
		result, failed = resultOf(o)
	}
	if name == "" {
		return l.words(o, i)
	}
	if arguments == nil && len(l.open[name]) > 0 {
		// The result of an entry before: the first of its tool that waits.
		if id == "" {
			id = l.open[name][0]
		}
		if k := slices.Index(l.open[name], id); k >= 0 {
			l.open[name] = slices.Delete(l.open[name], k, k+1)
			l.last = ""
			return []map[string]any{toolTurn(id, name, result, failed)}
		}
	}
	if id == "" {
		id = fmt.Sprintf("log_%d", i)
	}
	l.tool[id], l.last = name, id
	if arguments == nil {
		arguments = map[string]any{}
	}
	call := map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments}}
	var turns []map[string]any
	if said := spokenIn(o); l.said != nil && said["content"] == "" && said["reasoning_content"] == nil {
		l.said["tool_calls"] = append(list(l.said, "tool_calls"), call)
	} else {
		said["tool_calls"] = []any{call}
		turns = append(turns, said)
		l.said = nil
	}
	if result == nil {
		l.open[name] = append(l.open[name], id)
		return turns
	}
	l.last = ""
	return append(turns, toolTurn(id, name, result, failed))
}

// words reads an entry that names no tool: what somebody said.
func (l *runLog) words(o map[string]any, i int) []map[string]any {
	role := cmp.Or(whose(o), "assistant")
	said := spokenIn(o)
	if task := str(o, "task"); task != "" && said["content"] == "" {
		var turns []map[string]any
		if task != l.task {
			turns = append(turns, map[string]any{"role": "user", "content": task})
		}
		l.said, l.task = nil, task
		if done := str(o, "output", "result"); done != "" {
			said["content"] = done
			return append(turns, said)
		}
		return turns
	}
	if said["content"] == "" {
		if said["content"] = str(o, "output", "prompt"); said["content"] == "" && said["reasoning_content"] == nil {
			if len(l.unread) < maxUnread {
				l.unread = append(l.unread, fmt.Sprintf("entry %d: no message, call or result, with %s", i+1, keyList(o)))
			}
			return nil
		}
	}
	if role != "assistant" {
		l.said = nil
		return []map[string]any{{"role": role, "content": said["content"]}}
	}
	l.said = said
	return []map[string]any{said}
}

// calls reads a step in which the model called tools, with what they returned.
func (l *runLog) calls(o map[string]any, calls []map[string]any, i int) []map[string]any {
	said := spokenIn(o)
	var asked []any
	var ids, names []string
	var own []map[string]any // results that stand in their calls
	for k, c := range calls {
		f := c
		if inner := object(c, "function"); inner != nil {
			f = inner
		}
		id, name := str(c, stepIDKeys...), str(f, "name", "function_name", "tool_name", "tool", "function")
		arguments := first(f, argsKeys...)
		if answer := first(object(f, argsKeys...), answerKeys...); name == "final_answer" && answer != nil {
			said["content"] = answer
			continue
		}
		if id == "" {
			id = fmt.Sprintf("log_%d_%d", i, k)
		}
		if arguments == nil {
			arguments = map[string]any{}
		}
		asked = append(asked, map[string]any{"id": id, "type": "function", "function": map[string]any{"name": name, "arguments": arguments}})
		ids, names = append(ids, id), append(names, name)
		l.tool[id] = name
		if result, failed := resultOf(c); result != nil {
			own = append(own, toolTurn(id, name, result, failed))
		}
	}
	l.said = nil
	turns := []map[string]any{said}
	if len(asked) == 0 {
		return turns
	}
	said["tool_calls"] = asked
	turns = append(turns, own...)
	answered := own != nil
	for _, r := range objects(first(object(o, "observation"), "results")) {
		answered = true
		id := str(r, stepIDKeys...)
		if id == "" {
			id = ids[0]
		}
		turns = append(turns, toolTurn(id, l.tool[id], first(r, "content", "output", "result"), saysFailed(r)))
	}
	if result, failed := resultOf(o); !answered && result != nil {
		// One text for all of them is that of the last.
		turns = append(turns, toolTurn(ids[len(ids)-1], names[len(names)-1], result, failed))
	}
	return turns
}

// spokenIn is what the model said and thought in an entry, with what that took, as
// its message.
func spokenIn(o map[string]any) map[string]any {
	thought, said := str(o, thoughtKeys...), first(o, answerKeys...)
	if said == nil {
		said = str(o, saidKeys...)
	}
	m := map[string]any{"role": "assistant", "content": said}
	switch {
	case said == "":
		m["content"] = thought
	case thought != "" && thought != said:
		m["reasoning_content"] = thought
	}
	if model := str(o, "model", "model_name"); model != "" {
		m["model"] = model
	}
	if usage := usageIn(o); usage != nil {
		m["usage"] = usage
	}
	return m
}

// usageIn is the tokens of a step, which may stand in the entry itself.
func usageIn(o map[string]any) map[string]any {
	if usage := object(o, "usage", "token_usage", "models_usage", "metrics", "usage_metadata", "usageMetadata"); usage != nil {
		return usage
	}
	if first(o, "input_tokens", "prompt_tokens") != nil || first(o, "output_tokens", "completion_tokens") != nil {
		return o
	}
	return nil
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
// are nil. A result that names no tool is of the one that its call's id is known
// to be of.
func toolOf(o map[string]any, known string) (name string, arguments, result any, failed bool) {
	call := object(o, "tool_call", "action", "function_call")
	if call == nil {
		call = o
	}
	name = cmp.Or(strings.TrimSpace(str(call, toolKeys...)), known)
	arguments = first(call, argsKeys...)
	result, failed = resultOf(o)
	if name == "" || arguments == nil && result == nil {
		return "", nil, nil, false
	}
	if command := str(o, "action"); arguments == nil && name == strings.TrimSpace(command) && strings.ContainsAny(strings.TrimSpace(command), " \n") {
		// A line of commands, the first word of which is the tool's name.
		name, arguments = strings.Fields(command)[0], map[string]any{"command": command}
	}
	return name, arguments, result, failed
}

// resultOf is what a step came to. An error is the result where there is no other.
func resultOf(o map[string]any) (result any, failed bool) {
	result = first(o, resultKeys...)
	failed = saysFailed(o)
	if e := first(o, "error", "error_message", "exception"); e != nil && e != false && e != "" {
		failed = true
		if (result == nil || result == "") && e != true {
			if message := object(o, "error"); str(message, "message") != "" {
				e = message["message"]
			}
			result = e
		}
	}
	return result, failed
}

// saysFailed reports whether a flag of an entry says that its call failed.
func saysFailed(o map[string]any) bool {
	switch strings.ToLower(str(o, "status", "outcome")) {
	case "error", "failed", "failure", "timeout", "exception":
		return true
	}
	return first(o, "is_error", "isError", "failed") == true || first(o, "success", "ok") == false
}

// openHands writes an event of OpenHands as a step: its action and its observation
// are words for what its args and its content are. Any other entry stays as it is.
func openHands(o map[string]any) map[string]any {
	args := object(o, "args")
	switch action := str(o, "action"); {
	case str(o, "source") == "":
	case action == "message" || action == "finish" || action == "system":
		who := str(o, "source")
		if action == "system" {
			who = "system"
		}
		return map[string]any{"source": who, "text": cmp.Or(str(args, "content", "final_thought"), str(o, "message"))}
	case action == "think":
		return map[string]any{"source": o["source"], "thought": args["thought"]}
	case action != "" && args != nil:
		meta := object(o, "tool_call_metadata")
		return map[string]any{"id": o["id"], "tool": cmp.Or(str(meta, "function_name"), action), "arguments": without(args, "thought"), "thought": args["thought"]}
	case str(o, "observation") != "" && o["content"] != nil:
		status := "ok"
		if str(o, "observation") == "error" || o["success"] == false {
			status = "error"
		}
		return map[string]any{"id": o["cause"], "result": o["content"], "status": status}
	}
	return o
}

// without is an object without one of its members.
func without(o map[string]any, key string) map[string]any {
	out := make(map[string]any, len(o))
	for k, v := range o {
		if k != key {
			out[k] = v
		}
	}
	return out
}
