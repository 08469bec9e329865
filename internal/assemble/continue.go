package assemble

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// continuedMax bounds the messages of an input that is put together of several
// calls: each repeats those before, which is quadratic.
const continuedMax = 2000

// continueInputs gives a model call all that the model was given where only what
// is new was recorded: because the provider keeps the conversation (the
// previous_response_id of OpenAI's Responses API), or because the producer does
// not write it again.
func (a *assembly) continueInputs() {
	var byReply map[string]*node
	for _, n := range a.nodes {
		if n.step.Kind != trace.KindLLM {
			continue
		}
		if base := n.step.Hints.Continues; base != "" {
			if before := byReply[base]; before != nil {
				a.goOn(n, slices.Concat(before.step.Input.List(), before.step.Output.List()))
			} else if before := a.bySpan[spanKey{n.step.TraceID, base}]; before != nil && before.at.Before(n.at) {
				list := before.step.Input.List()
				a.goOn(n, list[:max(0, len(list)-n.step.Hints.Dropped)])
			}
		}
		if id := n.step.Model.ResponseID; id != "" {
			if byReply == nil {
				byReply = make(map[string]*node)
			}
			byReply[id] = n
		}
	}
}

// goOn puts a conversation before the input of n, unless it begins with it. The
// system prompt of n stands for that of the conversation.
func (a *assembly) goOn(n *node, before []trace.Message) {
	own := n.step.Input.List()
	instructions := 0
	for instructions < len(own) && own[instructions].Role == trace.RoleSystem {
		instructions++
	}
	said := before
	for len(said) > 0 && said[0].Role == trace.RoleSystem {
		said = said[1:]
	}
	if instructions > 0 {
		before = said
	}
	if len(before) == 0 || len(before)+len(own) > continuedMax || beginsAlike(own[instructions:], said) {
		return
	}
	n.step.Input = trace.MessageList(slices.Concat(own[:instructions], before, own[instructions:]))
}

// beginsAlike reports whether two conversations have the same first message.
func beginsAlike(x, y []trace.Message) bool {
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	e := newEncoder()
	defer e.release()
	return e.printOf(&x[0]) == e.printOf(&y[0])
}
