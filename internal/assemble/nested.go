package assemble

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// foldNested makes one step of records that enclose one another with nothing
// but structure between them: a framework's model call around the client
// library's, a tool span around both ends of an MCP call, a retriever around
// the database's query. Inner ones come first, so that a chain folds into one.
func (a *assembly) foldNested() {
	inner := make(map[*node][]*node) // by the enclosing step
	a.walkUp(func(n *node) {
		within := inner[n]
		if acts(n.step.Kind) {
			within = fold(n, within)
		}
		up := n.above
		if up == nil {
			return
		}
		if acts(n.step.Kind) {
			within = []*node{n.root()}
		}
		inner[up] = append(inner[up], within...)
	})
}

// fold unites n with the records of the same thing directly within it, and
// returns what of them stays. A model call around several others is none: it
// becomes structure, and the others stand for themselves.
func fold(n *node, within []*node) []*node {
	same := distinctOf(n, within)
	switch n.step.Kind {
	case trace.KindTool:
		for _, m := range same {
			if sameToolCall(n.step, m.step) {
				unite(n, m)
			}
		}
	case trace.KindLLM:
		return foldModelCall(n, same)
	case trace.KindEmbedding, trace.KindReranker, trace.KindRetriever:
		if len(same) == 1 && usageAgrees(n.step, same[0].step) {
			unite(n, same[0])
		}
	case trace.KindAgent:
		if len(same) == 1 && sameAgentRun(n.step, same[0].step) {
			unite(n, same[0])
		}
	default:
	}
	return nil
}

// sameAgentRun reports whether an agent's span and the only one within it are
// one run.
func sameAgentRun(outer, inner *trace.Step) bool {
	if m := outer.Hints.Merge; m != "" && m == inner.Hints.Merge {
		return true
	}
	return outer.Agent.Name != "" && outer.Agent.Name == inner.Agent.Name
}

// distinctOf lists the different steps of n's kind among the given ones.
func distinctOf(n *node, nodes []*node) []*node {
	var list []*node
	seen := make(map[*node]bool)
	for _, m := range nodes {
		if m = m.root(); m.step.Kind == n.step.Kind && m != n.root() && !seen[m] {
			seen[m] = true
			list = append(list, m)
		}
	}
	return list
}

func foldModelCall(n *node, inner []*node) []*node {
	answered := 0
	for _, m := range inner {
		if !m.step.Status.Failed {
			answered++
		}
	}
	if answered > 1 && n.root() == n && len(n.others) == 0 {
		n.step.Kind, n.step.KindSource = trace.KindWorkflow, "several model calls within"
		first := slices.MinFunc(inner, func(x, y *node) int { return cmp.Or(x.at.Compare(y.at), compareSteps(x.step, y.step)) })
		fillMessages(&first.step.Input, &n.step.Input)
		if n.step.Usage.Scope == trace.UsageOwn {
			n.step.Usage.Scope = trace.UsageAggregate
		}
		return inner
	}
	if answered > 1 {
		return nil
	}
	for _, m := range inner {
		if m.step.Status.Failed && answered == 1 || sameModelCall(n.step, m.step) {
			unite(n, m)
		}
	}
	return nil
}

// sameModelCall reports whether a model call and the only one within it are
// one call.
func sameModelCall(outer, inner *trace.Step) bool {
	if m := outer.Hints.Merge; m != "" && m == inner.Hints.Merge {
		return true
	}
	o, i := outer.Model.ResponseID, inner.Model.ResponseID
	if o != "" && o == i {
		return true
	}
	usage := outer.Usage.Scope != trace.UsageNone && inner.Usage.Scope != trace.UsageNone
	switch {
	case usage && !usageAgrees(outer, inner):
		return false
	case o != "" && i != "", !modelsAgree(outer, inner): // a gateway may rename both
		return usage
	}
	return true
}

// sameToolCall reports whether a tool span and one within it are one call.
func sameToolCall(outer, inner *trace.Step) bool {
	if m := outer.Hints.Merge; m != "" && m == inner.Hints.Merge {
		return true
	}
	if id := outer.Hints.RPCID; id != "" && id == inner.Hints.RPCID && outer.Hints.RPCSide != inner.Hints.RPCSide {
		return true
	}
	o, i := toolOf(outer), toolOf(inner)
	if o.CallID != "" && i.CallID != "" {
		return o.CallID == i.CallID
	}
	if failedAlike(outer, inner) && equalValues(&o.Arguments, &i.Arguments) {
		return true // a failure may have a span, with a name, of its own
	}
	return sameName(o.Name, i.Name) && argumentsAgree(outer, inner)
}

var noTool trace.Tool

// toolOf is the step's tool, or one without anything.
func toolOf(s *trace.Step) *trace.Tool {
	if s.Tool == nil {
		return &noTool
	}
	return s.Tool
}

// sameName reports whether two names may mean one tool: one may carry the name
// of its server before it, and a producer may not know it.
func sameName(x, y string) bool {
	if len(x) < len(y) {
		x, y = y, x
	}
	if y == "" || strings.EqualFold(x, y) {
		return true
	}
	before, found := strings.CutSuffix(strings.ToLower(x), strings.ToLower(y))
	return found && strings.ContainsAny(before[len(before)-1:], "_./:- ")
}

func argumentsAgree(s, t *trace.Step) bool {
	x, y := &toolOf(s).Arguments, &toolOf(t).Arguments
	return !x.Captured() || !y.Captured() || equalValues(x, y) ||
		s.Capture != trace.CaptureFull || t.Capture != trace.CaptureFull
}

// pairToolCalls finds tool calls that several producers recorded side by side.
func (a *assembly) pairToolCalls() {
	a.pair(isTool, func(n *node) string { return toolOf(n.step).CallID },
		func(x, y *node, alone bool) bool {
			return (alone || overlap(x, y)) && sameName(toolOf(x.step).Name, toolOf(y.step).Name)
		})
	a.pair(isTool, func(n *node) string { return n.step.Hints.RPCID }, func(x, y *node, _ bool) bool {
		return overlap(x, y) && x.step.Hints.RPCSide != y.step.Hints.RPCSide &&
			sameName(toolOf(x.step).Name, toolOf(y.step).Name) && argumentsAgree(x.step, y.step)
	})
	a.pair(isTool, func(n *node) string { return strings.ToLower(toolOf(n.step).Name) }, func(x, y *node, _ bool) bool {
		return mayBeOneCall(x, y) && (equalValues(&toolOf(x.step).Arguments, &toolOf(y.step).Arguments) ||
			failedAlike(x.step, y.step) && argumentsAgree(x.step, y.step))
	})
	// A producer that names tools by their class knows a call by its result, which
	// a failed one does not have.
	a.pair(isTool, func(n *node) string {
		if args := &toolOf(n.step).Arguments; n.step.Status.Failed && args.Captured() {
			return canonical(args)
		}
		return ""
	}, func(x, y *node, _ bool) bool { return mayBeOneCall(x, y) && failedAlike(x.step, y.step) })
}

// mayBeOneCall reports whether two tool spans ran at the same time and are not
// known to be of two calls.
func mayBeOneCall(x, y *node) bool {
	s, t := toolOf(x.step), toolOf(y.step)
	return (s.CallID == "" || t.CallID == "" || s.CallID == t.CallID) && overlap(x, y)
}

// failedAlike reports whether two steps failed and do not tell of two failures.
func failedAlike(s, t *trace.Step) bool {
	x, y := failure(s), failure(t)
	return s.Status.Failed && t.Status.Failed && (strings.Contains(x, y) || strings.Contains(y, x))
}

func failure(s *trace.Step) string {
	return strings.TrimSpace(cmp.Or(s.Status.Message, toolOf(s).Error, s.Status.ErrorType))
}
