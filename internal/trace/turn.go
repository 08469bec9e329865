package trace

import (
	"slices"
	"strings"
)

// Turn is what the user asked and was told in one turn of a conversation.
type Turn struct {
	Last     int    // number of the user turn that it ends with, as Step.Turn counts
	Question string // what the user said; empty where nobody recorded it
	Answer   string
	Step     *Step // that gave the answer
}

// Earlier lists, in order, the turns before the one that the trace's own
// question and answer are of, as far as they were answered: what the user said
// between two answers belongs to the second. A trace of one turn has none, and
// neither has a run of an agent that states what it was given: what is said
// inside of it is part of how it goes on.
//
// The answer of a turn is found as the trace's own is: the text of the turn's
// last model call, unless the outermost agent of the turn says that it answered
// otherwise.
func (t *Trace) Earlier() []Turn {
	final := t.last()
	if final == nil || final.Turn <= 1 {
		return nil
	}
	a := t.runs(final.TraceID)
	var turns []Turn
	for n := 1; n < final.Turn; n++ {
		if turn, ok := a.turn(n); ok {
			turns = append(turns, turn)
		}
	}
	return turns
}

// Before lists, in order, the turns that were over when the trace began, as the
// messages tell that a step of its first turn was given: of a conversation each of
// whose turns is a trace of its own. They have no steps. What a model of the trace
// replied is none of it, and what got no answer is part of the turn that follows.
func (t *Trace) Before() []Turn {
	replied := make(map[string]bool)
	for _, s := range t.Steps {
		if s.Turn > 1 {
			break
		}
		turns := over(s.Input.List())
		if len(turns) > 0 && !slices.ContainsFunc(turns, func(t Turn) bool { return replied[t.Answer] }) {
			return turns
		}
		if s.Kind == KindLLM {
			replied[LastSaid(s.Output.List(), RoleAssistant)] = true
		}
	}
	return nil
}

// over lists the turns before the one that the last message of the user begins.
func over(list []Message) []Turn {
	last := len(list) - 1
	for last >= 0 && (list[last].Role != RoleUser || strings.TrimSpace(list[last].Text()) == "") {
		last--
	}
	var turns []Turn
	answered := true
	for i := range max(last, 0) {
		text := list[i].Text()
		switch {
		case strings.TrimSpace(text) == "":
		case list[i].Role == RoleUser:
			if answered {
				turns = append(turns, Turn{})
			}
			turns[len(turns)-1].Question, answered = text, false
		case list[i].Role == RoleAssistant && len(turns) > 0:
			turns[len(turns)-1].Answer, answered = text, true
		}
	}
	if !answered {
		turns = turns[:len(turns)-1]
	}
	return turns
}

// Asked is what the user said in the last turn: what the trace's question is of a
// run of one turn. A run of several states what it began with.
func (t *Trace) Asked() string {
	if final := t.last(); final != nil && final.Turn > 1 {
		if turn, _ := t.runs(final.TraceID).turn(final.Turn); turn.Question != "" {
			return turn.Question
		}
	}
	return t.Question
}

// last is a step of the last turn: the one that gave the answer, or where there
// is none the first of the latest turn.
func (t *Trace) last() *Step {
	if s := t.Step(t.AnswerStep); s != nil {
		return s
	}
	var last *Step
	for _, s := range t.Steps {
		if last == nil || s.TraceID == last.TraceID && s.Turn > last.Turn {
			last = s
		}
	}
	return last
}

// TurnEnd is the index of the first step that comes after the answer of a turn
// was given.
func (t *Trace) TurnEnd(turn *Turn) int {
	for i, s := range t.Steps {
		switch {
		case s == turn.Step && s.Kind == KindLLM:
			return t.SpokenBy(i)
		case s.TraceID == turn.Step.TraceID && s.Turn > turn.Last:
			return i
		}
	}
	return len(t.Steps)
}

// SpokenBy is the index of the first step that comes after the model call at index i
// had said what it says. One that tools ran within, as where a framework records a
// reply with all calls on its way as one, says its last words after them.
func (t *Trace) SpokenBy(i int) int {
	end, limit := t.Steps[i].End, i+1
	for j := i + 1; j < len(t.Steps) && t.Steps[j].Start.Before(end); j++ {
		if s := t.Steps[j]; !s.Start.IsZero() && !s.End.After(end) && s.Kind != KindLLM {
			limit = j + 1
		}
	}
	return limit
}

// placed is a step with what lies around it.
type placed struct {
	*Step
	depth  int
	goesOn int  // last turn of the steps in it
	within int  // last turn of the runs around it that state what they were given
	hidden bool // part of how a tool, a guardrail or an evaluator does its work
}

type runs map[int][]*placed // by turn, in order

// runs places the steps of one trace id. Parents stand before their children; a
// step that does not is taken for a root.
func (t *Trace) runs(id string) runs {
	all := make([]placed, 0, len(t.Steps))
	bySpan := make(map[string]int, len(t.Steps))
	parents := make([]int, 0, len(t.Steps))
	for _, s := range t.Steps {
		if s.TraceID != id {
			continue
		}
		p := placed{Step: s, goesOn: s.Turn}
		parent, known := bySpan[s.ParentID]
		if !known || s.ParentID == "" {
			parent = -1
		} else {
			p.depth = all[parent].depth + 1
		}
		if _, twice := bySpan[s.SpanID]; s.SpanID != "" && !twice {
			bySpan[s.SpanID] = len(all)
		}
		all, parents = append(all, p), append(parents, parent)
	}
	for i, parent := range slices.Backward(parents) {
		if parent >= 0 {
			all[parent].goesOn = max(all[parent].goesOn, all[i].goesOn)
		}
	}
	byTurn := runs{}
	for i, parent := range parents {
		p := &all[i]
		if parent >= 0 {
			up := &all[parent]
			p.within = up.within
			if up.Kind == KindAgent && (up.RawInput.Captured() || LastSaid(up.Input.List(), RoleUser) != "") {
				p.within = max(p.within, up.goesOn)
			}
			p.hidden = up.hidden || up.Kind == KindTool || up.Kind == KindGuardrail || up.Kind == KindEvaluator
		}
		if p.DuplicateOf == "" && !p.hidden {
			byTurn[p.Turn] = append(byTurn[p.Turn], p)
		}
	}
	return byTurn
}

// turn reads one user turn. It reports false where the user was told nothing in it.
func (r runs) turn(n int) (turn Turn, ok bool) {
	turn.Last = n
	var last, outer *placed
	for _, p := range r[n] {
		if turn.Question == "" && p.Input.Captured() {
			turn.Question = LastSaid(p.Input.List(), RoleUser)
		}
		if p.within > n || p.goesOn > n {
			continue
		}
		switch p.Kind {
		case KindLLM:
			if last == nil || !p.End.Before(last.End) {
				last = p
			}
		case KindAgent, KindWorkflow, KindUnknown:
			if (outer == nil || p.depth < outer.depth || p.depth == outer.depth && p.End.After(outer.End)) && p.OwnAnswer() != "" {
				outer = p
			}
		}
	}
	if last != nil && !asksForCalls(last.Step) {
		turn.Answer, turn.Step = Said(last.Output.List()), last.Step
	}
	if outer != nil && (turn.Answer == "" || outer.Kind == KindAgent && !strings.Contains(outer.OwnAnswer(), strings.TrimSpace(turn.Answer))) {
		turn.Answer, turn.Step = outer.OwnAnswer(), outer.Step
	}
	return turn, strings.TrimSpace(turn.Answer) != ""
}

// asksForCalls reports whether a reply asks for calls, other than those whose
// results it holds since the provider ran them.
func asksForCalls(s *Step) bool {
	calls := 0
	for _, m := range s.Output.List() {
		for i := range m.Parts {
			switch m.Parts[i].Type {
			case PartToolCall:
				calls++
			case PartToolResult:
				calls--
			}
		}
	}
	return calls > 0
}

// LastSaid is the text of the last message of a role that has any.
func LastSaid(list []Message, role Role) string {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role == role {
			if text := list[i].Text(); strings.TrimSpace(text) != "" {
				return text
			}
		}
	}
	return ""
}

// chosen is the reply that a conversation goes on with, of the choices that a model
// call may have been asked for: the first. Choices are told from what was said one
// after the other by their ends: each has words, finished the reply, and waits for no
// tool.
func chosen(reply []Message) []Message {
	for i := range reply {
		if m := &reply[i]; m.Role != RoleAssistant || m.FinishReason == "" || m.FinishReason == "tool_call" || strings.TrimSpace(m.Text()) == "" {
			return reply
		}
	}
	return reply[:min(len(reply), 1)]
}

// Said is what a reply tells the user when the model knew all that it was told:
// after the results of tools that the provider ran, where it goes on after them.
func Said(reply []Message) string {
	reply = chosen(reply)
	if len(reply) > 0 && reply[len(reply)-1].Role == RoleAssistant {
		m := &reply[len(reply)-1]
		for i, p := range slices.Backward(m.Parts) {
			if p.Type == PartToolResult {
				after := Message{Parts: m.Parts[i+1:]}
				if text := after.Text(); strings.TrimSpace(text) != "" {
					return text
				}
				break
			}
		}
	}
	return LastSaid(reply, RoleAssistant)
}

// OwnAnswer is what a step itself says that it answered: an agent, of its run.
func (s *Step) OwnAnswer() string {
	if text := LastSaid(s.Output.List(), RoleAssistant); text != "" {
		return text
	}
	if text, ok := s.RawOutput.Data().(string); ok {
		return text
	}
	return ""
}
