package assemble

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// attest takes the model, the reply's id and the usage of model calls out of
// their replies, where a framework keeps them there.
func (a *assembly) attest() {
	for _, n := range a.nodes {
		if n.step.Kind == trace.KindLLM {
			for _, m := range n.step.Output.List() {
				takeReply(n.step, m.Reply)
			}
		}
	}
}

func takeReply(s *trace.Step, r *trace.Reply) {
	if r == nil {
		return
	}
	fillModel(&s.Model, &trace.Model{Response: r.Model})
	fillText(&s.Model.ResponseID, r.ResponseID)
	if s.Usage.Scope != trace.UsageAggregate {
		fillUsage(&s.Usage, &r.Usage)
	}
}

// borrowReplies completes model calls whose producer records less of the reply
// than the chain around them: a chain around a single model call returns what
// the model said. The chain is an ancestor or, where a producer writes all its
// spans side by side, a sibling that was at work for as long.
func (a *assembly) borrowReplies() {
	a.countCalls()
	siblings := make(map[*node][]*node) // of model calls, by parent
	for _, n := range a.nodes {
		if n.step.Kind == trace.KindLLM && !n.duplicate() {
			siblings[n.parent] = append(siblings[n.parent], n)
		}
	}
	for parent, calls := range siblings {
		around := a.roots
		if parent != nil {
			around = parent.children
		}
		for i, n := range calls {
			if wanting(n.step) {
				borrowFromSibling(n, around, calls, i)
			}
		}
	}
	for _, n := range a.nodes {
		if n.step.Kind != trace.KindLLM || n.duplicate() {
			continue
		}
		for p := n.parent; p != nil && p.modelCalls == 1 && wanting(n.step); p = p.parent {
			borrow(n.step, p.step)
		}
	}
}

// wanting reports whether a model call lacks what its reply usually tells.
func wanting(s *trace.Step) bool {
	return richness(&s.Output) < 2 || s.Usage.Scope == trace.UsageNone || s.Model.Response == "" || s.Model.Response == s.Model.Request
}

// countCalls counts the model calls that each step holds.
func (a *assembly) countCalls() {
	a.walkUp(func(n *node) {
		if n.parent == nil {
			return
		}
		n.parent.modelCalls += n.modelCalls
		if n.step.Kind == trace.KindLLM && !n.duplicate() {
			n.parent.modelCalls++
		}
	})
}

// borrowFromSibling looks for the tightest sibling of structure that was at
// work for all of the time of calls[i] and of no other call.
func borrowFromSibling(n *node, around, calls []*node, i int) {
	at, _ := slices.BinarySearchFunc(around, n, func(m, n *node) int {
		if m.at.After(n.at) {
			return 1
		}
		return -1
	})
	for _, m := range slices.Backward(around[max(0, at-window):at]) {
		switch {
		case acts(m.step.Kind) || m.end.Before(n.end):
		case i > 0 && calls[i-1].end.After(m.at), i+1 < len(calls) && calls[i+1].at.Before(m.end):
			return
		case borrow(n.step, m.step):
			return
		}
	}
}

// borrow completes a model call from what a chain around it returned, unless
// that is another reply.
func borrow(call, chain *trace.Step) bool {
	list := chain.Output.List()
	if len(list) == 0 || list[len(list)-1].Role != trace.RoleAssistant {
		return false
	}
	last := list[len(list)-1:]
	reply := trace.MessageList(last)
	said := strings.TrimSpace(trace.LastSaid(call.Output.List(), trace.RoleAssistant))
	if said != "" && said != strings.TrimSpace(last[0].Text()) {
		return false
	}
	if richer(&reply, &call.Output) {
		call.Output = reply
		call.Capture = min(call.Capture, chain.Capture)
	}
	addReasoning(&call.Output, &reply)
	takeReply(call, last[0].Reply)
	return true
}
