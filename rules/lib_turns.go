package rules

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var turnFunctions = []Function{
	{Name: "turns", Result: turnsType, Many: true, Content: true, Instead: "turnOf(step), or turns outside the loop, under let:",
		Doc: "turns of the conversation that the trace holds, in order, each with what the user was told at its end; one that got no answer is part of the next. The last is the one that answer and answerStep are of; most traces have no other. Of a session those of all its traces", Example: `len(turns()) == 1 and turns()[0].answer == answer`,
		call: func(w *run, _ []any) (any, error) { return w.ix.conversation().turns, nil }},
	{Name: "turnOf", Args: []Arg{{Name: "step", Kind: argStep}}, Result: turnType, Content: true,
		Doc: "the one of turns() in which a step happened", Example: `turnOf(first(tools())).answer == answer`,
		call: onStep(func(w *run, s *step) any { return w.ix.turnOf(s) }, (*turn)(nil))},
}

var turnFields = []Field{
	{Name: "number", Doc: "position among turns(), from 1; 0 and less for what was said before the trace began", Example: `turns()[0].number == 1`, get: ofPtr(func(_ *run, t *turn) int { return t.number })},
	{Name: "question", Content: true, Doc: "what the user asked", Example: `turns()[0].question == question`, get: ofPtr(func(w *run, t *turn) string {
		w.missing = w.missing || t.Question == "" && !w.ix.hasContent()
		return t.Question
	})},
	{Name: "answer", Content: true, Doc: "what the user was told at the end; empty where the last turn has no answer", Example: `any(turns(), .answer contains "1,099")`, get: ofPtr(func(w *run, t *turn) string {
		w.missing = w.missing || t.Answer == "" && !w.ix.trace.AnswerCaptured()
		return t.Answer
	})},
	{Name: "previous", Doc: "turn before it; before the first of turns() those that were over when the trace began, as far as the messages tell them that the model was given; nil where there is none", Example: `last(turns()).previous == nil`, get: ofPtr(func(w *run, t *turn) *turn {
		return w.ix.turnBefore(t)
	})},
	{Name: "step", Doc: "step that gave the answer, as answerStep says; nil where there is none", Example: `turns()[0].step == answerStep`, get: ofPtr(func(_ *run, t *turn) *step { return t.by })},
}

// turn is one turn of a conversation.
type turn struct {
	trace.Turn
	number int // position in the conversation, from 1; 0 and less before it began
	by     *step
	id     string // of the step that gave the answer
}

// conversation is the turns of a trace, or of the traces of a session.
type conversation struct {
	turns   []any             // of *turn
	over    []*turn           // what was said before they began, in order; read when somebody asks
	began   bool              // over was read
	ofTrace map[string][2]int // of a session: where those of a trace begin and end
}

// conversation reads the turns, once. The last turn of a trace is its own,
// answered or not.
func (ix *index) conversation() *conversation {
	if ix.talk != nil {
		return ix.talk
	}
	c := &conversation{}
	ix.talk = c
	if ix.parts == nil {
		ix.converse(c, ix.trace)
		return c
	}
	c.ofTrace = map[string][2]int{}
	for _, t := range ix.parts {
		from := len(c.turns)
		ix.converse(c, t)
		c.ofTrace[t.ID] = [2]int{from, len(c.turns)}
	}
	return c
}

// turnBefore is the turn before another one; nil where there is none.
func (ix *index) turnBefore(t *turn) *turn {
	c := ix.conversation()
	if t.number > 1 {
		return c.turns[t.number-2].(*turn)
	}
	if !c.began {
		c.began = true
		first := ix.trace
		if ix.parts != nil {
			first = ix.parts[0]
		}
		said := first.Before()
		for i, x := range said {
			c.over = append(c.over, &turn{Turn: x, number: i + 1 - len(said)})
		}
	}
	if i := len(c.over) + t.number - 2; i >= 0 {
		return c.over[i]
	}
	return nil
}

func (ix *index) converse(c *conversation, t *trace.Trace) {
	add := func(x trace.Turn, id string) {
		c.turns = append(c.turns, &turn{Turn: x, number: len(c.turns) + 1, by: ix.speaker(id), id: id})
	}
	for _, earlier := range t.Earlier() {
		add(earlier, earlier.Step.ID)
	}
	add(trace.Turn{Question: t.Asked(), Answer: t.Answer}, t.AnswerStep)
}

// turnOf is the first turn that was not over before the step; the last of a trace
// has no end.
func (ix *index) turnOf(s *step) *turn {
	c := ix.conversation()
	list := c.turns
	if at, ok := c.ofTrace[s.TraceID]; ok {
		list = list[at[0]:at[1]]
	}
	i, _ := slices.BinarySearchFunc(list[:len(list)-1], s.Turn, func(t any, n int) int { return t.(*turn).Last - n })
	return list[i].(*turn)
}

// since lists the turns from the one in which a step happened: what the user was
// told after it. Without a step they are all.
func (ix *index) since(s *step) []any {
	c := ix.conversation()
	if s == nil {
		return c.turns
	}
	return c.turns[ix.turnOf(s).number-1:]
}
