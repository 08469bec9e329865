package message

import (
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Agents whose model has no tool calls of its own write them as text: what they
// think, which tool they want, what it returned, what they answer (ReAct). CrewAI
// puts the task that the user gave into such a text too.
const (
	reactThought     = "Thought:"
	reactAction      = "\nAction:"
	reactInput       = "\nAction Input:"
	reactObservation = "\nObservation:"
	reactAnswer      = "\nFinal Answer:"
	taskBegin        = "Current Task:"
	taskEnd          = "\n\nThis is the expected criteria for your final answer:"
)

// react makes messages of an assistant's text in that form, and nil of any other.
func react(m *trace.Message) []trace.Message {
	if m.Role != trace.RoleAssistant || len(m.Parts) == 0 || m.Parts[0].Type != trace.PartText {
		return nil
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(m.Parts[0].Text), reactThought)
	if !ok {
		return nil
	}
	said := *m
	if thought, answer, ok := strings.Cut(text, reactAnswer); ok && !strings.Contains(answer, reactAction) {
		said.Parts = append(saidPart(nil, "thought", strings.TrimSpace(thought)), textPart(strings.TrimSpace(answer)))
		said.Parts = append(said.Parts, m.Parts[1:]...)
		return []trace.Message{said}
	}
	thought, action, ok := strings.Cut(text, reactAction)
	if !ok {
		return nil
	}
	name, input, ok := strings.Cut(action, reactInput)
	if !ok {
		return nil
	}
	input, result, _ := strings.Cut(input, reactObservation)
	name = strings.TrimSpace(name)
	said.Parts = append(saidPart(nil, "thought", strings.TrimSpace(thought)), trace.Part{Type: trace.PartToolCall, Name: name, Value: trace.RawValue(strings.TrimSpace(input), value.Decode)})
	said.Parts = append(said.Parts, m.Parts[1:]...)
	out := []trace.Message{said}
	if result = strings.TrimSpace(result); result != "" {
		out = append(out, heard(name, result))
	}
	return out
}

// callingBegin begins the text in which smolagents repeats an assistant's calls.
const callingBegin = "Calling tools:\n["

// calling makes calls of an assistant's text that lists them as Python writes
// them, and nil of any other.
func calling(m *trace.Message) []trace.Message {
	if m.Role != trace.RoleAssistant || len(m.Parts) != 1 || m.Parts[0].Type != trace.PartText || !strings.HasPrefix(m.Parts[0].Text, callingBegin) {
		return nil
	}
	t := value.NewTree()
	defer t.Release()
	list := t.Read(m.Parts[0].Text[len(callingBegin)-1:])
	if !list.IsList() {
		return nil
	}
	said := *m
	if said.Parts = addCalls(nil, t.Object("tool_calls", list)); len(said.Parts) == 0 {
		return nil
	}
	return []trace.Message{said}
}

// hear sets what a tool returned, or how it failed, from what an agent was told
// in words.
func hear(p *trace.Part, text string) {
	p.IsError = p.IsError || strings.HasPrefix(text, "Error:\n") // smolagents
	text = strings.TrimPrefix(text, "Observation:\n")
	if list := quoted(text); list != nil {
		p.Value = trace.DataValue(list)
	} else {
		p.Value = trace.RawValue(text, value.Decode)
	}
}

// heard is a message with what a tool returned.
func heard(name, text string) trace.Message {
	p := trace.Part{Type: trace.PartToolResult, Name: name}
	hear(&p, text)
	return trace.Message{Role: trace.RoleTool, Parts: []trace.Part{p}}
}

// quoted reads a list as DSPy writes it, [1] «first», each on a line of its own.
func quoted(text string) (list []any) {
	if !strings.HasPrefix(text, "[1] «") && !strings.HasPrefix(text, "«") {
		return nil
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimPrefix(line, "["+strconv.Itoa(i+1)+"] ")
		if !strings.HasPrefix(line, "«") || !strings.HasSuffix(line, "»") {
			return nil
		}
		list = append(list, value.Decode(strings.Trim(line, "«»")))
	}
	return list
}

// task makes of a user's message with CrewAI's demands around the task two: the
// demands as a system message, and the task. It is nil for any other message.
func task(m *trace.Message) []trace.Message {
	if m.Role != trace.RoleUser || len(m.Parts) != 1 || m.Parts[0].Type != trace.PartText {
		return nil
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(m.Parts[0].Text), taskBegin)
	if !ok {
		return nil
	}
	given, demands, ok := strings.Cut(text, taskEnd)
	if !ok {
		return nil
	}
	user := *m
	user.Parts = []trace.Part{textPart(strings.TrimSpace(given))}
	return []trace.Message{{Role: trace.RoleSystem, Parts: []trace.Part{textPart(strings.TrimSpace(taskEnd + demands))}}, user}
}
