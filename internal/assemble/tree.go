package assemble

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// link finds the parent of every node, cuts cycles, and gives every node a
// place in time. It leaves the nodes in an order that arrival cannot change.
func (a *assembly) link() {
	slices.SortFunc(a.nodes, func(x, y *node) int { return compareSteps(x.step, y.step) })
	missing := make(map[spanKey]bool)
	for _, n := range a.nodes {
		s := n.step
		if s.ParentID == "" {
			a.rootSeen = a.rootSeen || s.SpanID != ""
			continue
		}
		parent := a.bySpan[spanKey{s.TraceID, s.ParentID}]
		switch {
		case parent == nil:
			missing[spanKey{s.TraceID, s.ParentID}] = true
		case parent == n:
			a.cycles++
		default:
			n.parent = parent
		}
	}
	a.missingParents = len(missing)
	a.cutCycles()
	for _, n := range a.nodes {
		if n.parent != nil {
			n.parent.kids++
		}
	}
	for _, n := range a.nodes {
		p := n.parent
		if p == nil {
			a.roots = append(a.roots, n)
			continue
		}
		if p.children == nil {
			p.children = a.below.list(p.kids)[:0]
		}
		p.children = append(p.children, n)
	}
	a.placeInTime()
	slices.SortStableFunc(a.nodes, func(x, y *node) int { return cmp.Or(x.at.Compare(y.at), compareSteps(x.step, y.step)) })
}

// cutCycles makes a root of the first node of every cycle of parents.
func (a *assembly) cutCycles() {
	const done = -1
	for i, n := range a.nodes {
		walk := i + 1
		for m := n; m != nil && m.seen != done; m = m.parent {
			if m.seen != walk {
				m.seen = walk
				continue
			}
			first := m
			for o := m.parent; o != m; o = o.parent {
				if compareSteps(o.step, first.step) < 0 {
					first = o
				}
			}
			first.parent = nil
			a.cycles++
			break
		}
		for m := n; m != nil && m.seen == walk; m = m.parent {
			m.seen = done
		}
	}
}

// unset reports whether a time is none: OTLP has 0, which is 1970, for one that
// a producer left out, and a trace without any begins at the zero time.
func unset(t time.Time) bool { return !t.After(epoch) }

var epoch = time.Unix(0, 0)

// nanos is t as OTLP has it, and 0 for a time that is not set.
func nanos(t time.Time) int64 {
	if unset(t) {
		return 0
	}
	return t.UnixNano()
}

// placeInTime gives every node a begin and an end. A span without a start began
// with its parent, a root without one with the trace, unless placeUntimed knows
// better; an end before the start is none.
func (a *assembly) placeInTime() {
	var first time.Time
	for _, n := range a.nodes {
		if !unset(n.step.Start) {
			first = n.step.Start
			break
		}
	}
	place := 0
	a.walk(func(n *node) {
		place++
		n.first, n.last, n.topmost = place, place, n
		n.at, n.end = n.step.Start, n.step.End
		if unset(n.at) {
			n.at = first
			if n.parent != nil {
				n.at = n.parent.at
			}
		}
		if n.end.Before(n.at) {
			n.end = n.at
		}
		if p := n.parent; p != nil {
			n.depth, n.above, n.topmost = p.depth+1, p.above, p.topmost
			if acts(p.step.Kind) && !p.step.Hints.Pending && !p.step.Hints.Chunk {
				n.above = p
			}
		}
	})
	a.walkUp(func(n *node) {
		if n.parent != nil {
			n.parent.last = max(n.parent.last, n.last)
		}
	})
	a.placeUntimed()
	a.breakTies()
}

// under reports whether n is below m in the tree.
func (n *node) under(m *node) bool { return m.first < n.first && n.first <= m.last }

// walkUp visits every node, children first.
func (a *assembly) walkUp(visit func(*node)) {
	for _, n := range slices.Backward(a.parentsFirst()) {
		visit(n)
	}
}

// walk visits every node, parents first.
func (a *assembly) walk(visit func(*node)) {
	for _, n := range a.parentsFirst() {
		visit(n)
	}
}

// parentsFirst is the nodes in the order of a walk of the tree. It is made once
// for as long as no node is added.
func (a *assembly) parentsFirst() []*node {
	if len(a.walked) == len(a.nodes) {
		return a.walked
	}
	a.walked = make([]*node, 0, len(a.nodes))
	stack := slices.Clone(a.roots)
	slices.Reverse(stack)
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		a.walked = append(a.walked, n)
		for _, c := range slices.Backward(n.children) {
			stack = append(stack, c)
		}
	}
	return a.walked
}

// order puts the steps in the order in which things happened: by time, and
// among those that began at one time a cause before its effect.
func (a *assembly) order() {
	for _, n := range a.nodes {
		a.ids[n.step.ID] = true
	}
	slices.SortFunc(a.nodes, func(x, y *node) int { return cmp.Or(x.at.Compare(y.at), compareSteps(x.step, y.step)) })
	var byID map[string]*node // made for the first tie
	for from := 0; from < len(a.nodes); {
		to := from + 1
		for to < len(a.nodes) && a.nodes[to].at.Equal(a.nodes[from].at) {
			to++
		}
		if to-from > 1 {
			if byID == nil {
				byID = make(map[string]*node, len(a.nodes))
				for _, n := range a.nodes {
					byID[n.step.ID] = n
				}
			}
			orderTies(a.nodes[from:to], byID)
		}
		from = to
	}
	for i, n := range a.nodes {
		n.rank = i
	}
}

// orderTies orders nodes that began at one time: a parent before its children,
// a model call before the tools that it asked for, these in the order of asking,
// and after those whose results it was told or its reply holds, else by end.
func orderTies(nodes []*node, byID map[string]*node) {
	waits := make(map[*node]int, len(nodes))
	effects := make(map[*node][]*node)
	for _, n := range nodes {
		waits[n] = 0
	}
	after := func(n, cause *node) {
		effects[cause] = append(effects[cause], n)
		waits[n]++
	}
	asked := make(map[string][]*node) // by the step that asked for them
	for _, n := range nodes {
		for _, cause := range []*node{n.parent, byID[n.step.CausedBy]} {
			switch _, tied := waits[cause]; {
			case cause == nil || cause == n || !tied:
			case cause != n.parent && n.place < 0: // within the reply
				after(cause, n)
			default:
				after(n, cause)
			}
		}
		if _, tied := waits[n.told]; tied {
			after(n.told, n)
		}
		if by := n.step.CausedBy; by != "" {
			asked[by] = append(asked[by], n)
		}
	}
	for _, calls := range asked {
		slices.SortStableFunc(calls, func(x, y *node) int { return cmp.Compare(x.place, y.place) })
		for i, n := range calls[1:] {
			if calls[i].place < n.place {
				after(n, calls[i])
			}
		}
	}
	var ready tieHeap
	for _, n := range nodes {
		if waits[n] == 0 {
			ready = append(ready, n)
		}
	}
	heap.Init(&ready)
	ordered := make([]*node, 0, len(nodes))
	for ready.Len() > 0 {
		n := heap.Pop(&ready).(*node)
		ordered = append(ordered, n)
		for _, e := range effects[n] {
			if waits[e]--; waits[e] == 0 {
				heap.Push(&ready, e)
			}
		}
	}
	if len(ordered) == len(nodes) { // a contradiction of parents and causes stays as it was
		copy(nodes, ordered)
	}
}

// tieHeap is a heap of nodes, the one that ended first on top.
type tieHeap []*node

func (h tieHeap) Len() int { return len(h) }
func (h tieHeap) Less(i, j int) bool {
	return cmp.Or(h[i].end.Compare(h[j].end), cmp.Compare(h[i].place, h[j].place), cmp.Compare(h[i].step.ID, h[j].step.ID)) < 0
}
func (h tieHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *tieHeap) Push(x any)   { *h = append(*h, x.(*node)) }
func (h *tieHeap) Pop() any {
	old := *h
	n := old[len(old)-1]
	*h = old[:len(old)-1]
	return n
}

// acts reports whether a kind is something that an agent did, rather than
// structure around it.
func acts(k trace.Kind) bool { return k != trace.KindUnknown && k != trace.KindWorkflow }
