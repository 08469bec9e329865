package assemble

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// placeUntimed gives the nodes whose spans state no start, or no end, a place
// in time by what they rest on:
//
//   - a parent begins before its children, and ends after them;
//   - a tool is after the model call that asked for it, and before the one that
//     was told its result;
//   - of the model calls of one agent the one with the shorter input is first,
//     since a conversation only grows, and the tools of one are before the next.
//
// What begins after something is placed one nanosecond after it. What a span
// does state is kept. Where nothing tells, or the evidence contradicts itself,
// a node begins with its parent.
func (a *assembly) placeUntimed() {
	if !slices.ContainsFunc(a.nodes, untimed) {
		return
	}
	m := newMoments(a.nodes)
	a.relate(m, untimed)
	m.settle()
	for _, n := range a.nodes {
		n.at, n.end = m.at[n.begin()], m.at[n.over()]
		switch {
		case !n.end.Before(n.at):
		case m.fixed[n.over()]: // its own end speaks against the evidence
			n.at = n.end
		default:
			n.end = n.at
		}
	}
}

// relate tells m what parents say of the order of things, and of the agents that
// have a node as asked for, what their messages do.
func (a *assembly) relate(m *moments, asked func(*node) bool) {
	agents := make(map[*node][]*node)
	for _, n := range a.nodes {
		m.order(n.begin(), n.over(), 0)
		if p := n.parent; p != nil {
			m.order(p.begin(), n.begin(), 0)
			m.order(n.over(), p.over(), 0)
		}
		if acts(n.step.Kind) {
			agents[n.agent()] = append(agents[n.agent()], n)
		}
	}
	for _, nodes := range agents {
		if slices.ContainsFunc(nodes, asked) {
			m.converse(nodes)
		}
	}
}

// breakTies moves steps that began at one time, as the clock of their spans
// tells it, a few nanoseconds apart, in the order that placeUntimed would find
// for them. What the clock tells is kept: no step is moved past another.
func (a *assembly) breakTies() {
	tied := a.tied()
	if len(tied) == 0 {
		return
	}
	m := newMoments(a.nodes)
	m.latest = make(map[moment]time.Time, len(tied))
	for _, n := range a.nodes {
		m.at[n.begin()], m.fixed[n.begin()] = n.at, !tied[n]
		m.at[n.over()], m.fixed[n.over()] = n.at, false // the last begin within it
		if tied[n] {
			m.latest[n.begin()] = n.at.Add(time.Duration(2 * len(a.nodes)))
		}
	}
	a.relate(m, func(n *node) bool { return tied[n] })
	m.settle()
	for n := range tied {
		n.at = m.at[n.begin()]
		if n.end.Before(n.at) {
			n.end = n.at
		}
	}
}

// tied are the nodes that state the start that a model call and another step of
// its agent state, neither within the other. The nodes are sorted by start.
func (a *assembly) tied() map[*node]bool {
	var tied map[*node]bool
	for from, to := 0, 0; from < len(a.nodes); from = to {
		start := a.nodes[from].step.Start
		for to = from + 1; to < len(a.nodes) && a.nodes[to].step.Start.Equal(start); to++ {
		}
		if to-from == 1 || unset(start) || !unordered(a.nodes[from:to]) {
			continue
		}
		if tied == nil {
			tied = make(map[*node]bool)
		}
		for _, n := range a.nodes[from:to] {
			tied[n] = true
		}
	}
	return tied
}

// unordered reports whether a model call and another step of its agent are among
// nodes, neither within the other.
func unordered(nodes []*node) bool {
	var list []*node
	for _, n := range nodes {
		if acts(n.step.Kind) {
			list = append(list, n)
		}
	}
	if len(list) < 2 {
		return false
	}
	slices.SortFunc(list, func(x, y *node) int { return cmp.Compare(x.first, y.first) })
	before := make(map[*node]*node, 1) // the last one by agent
	for _, n := range list {
		agent := n.agent()
		if p := before[agent]; p != nil && !n.under(p) && (p.step.Kind == trace.KindLLM || n.step.Kind == trace.KindLLM) {
			return true
		}
		before[agent] = n
	}
	return false
}

// untimed reports whether a span does not say from when to when it was.
func untimed(n *node) bool {
	return unset(n.step.Start) || unset(n.step.End) || n.step.End.Before(n.step.Start)
}

// placed is from when to when the node is taken to have been.
func (n *node) placed() (begin, end time.Time) { return n.at, n.end }

// stated is the same as the span says it, where it does.
func (n *node) stated() (begin, end time.Time) {
	begin, end = n.at, n.end
	if !unset(n.step.Start) {
		begin = n.step.Start
	}
	if !unset(n.step.End) && !n.step.End.Before(begin) {
		end = n.step.End
	}
	return begin, end
}

// agent is the nearest step above that is no model call: the one whose
// conversation n belongs to.
func (n *node) agent() *node {
	p := n.above
	for p != nil && p.step.Kind == trace.KindLLM {
		p = p.above
	}
	return p
}

// moment is the index of a begin or an end in moments.
type moment int

func (n *node) begin() moment { return moment(2 * (n.first - 1)) }
func (n *node) over() moment  { return n.begin() + 1 }

// moments are the begins and ends of all nodes, and what is known of their
// order.
type moments struct {
	at    []time.Time
	fixed []bool // stated by the span
	waits []int  // moments before this one that are not placed yet
	then  [][]later

	latest map[moment]time.Time // that evidence may move one to; what says more is not followed
}

// later is a moment that is at least gap after another.
type later struct {
	to  moment
	gap time.Duration
}

func newMoments(nodes []*node) *moments {
	m := &moments{}
	for range nodes {
		m.add(time.Time{}, false)
		m.add(time.Time{}, false)
	}
	for _, n := range nodes {
		m.at[n.begin()], m.fixed[n.begin()] = n.at, !unset(n.step.Start)
		m.at[n.over()], m.fixed[n.over()] = n.at, !unset(n.step.End) && !n.step.End.Before(n.step.Start)
		if m.fixed[n.over()] {
			m.at[n.over()] = n.step.End
		}
	}
	return m
}

func (m *moments) add(at time.Time, fixed bool) moment {
	m.at, m.fixed = append(m.at, at), append(m.fixed, fixed)
	m.waits, m.then = append(m.waits, 0), append(m.then, nil)
	return moment(len(m.at) - 1)
}

// order says that one moment was before another. A moment that is stated needs
// no evidence.
func (m *moments) order(before, after moment, gap time.Duration) {
	if !m.fixed[after] {
		m.then[before] = append(m.then[before], later{after, gap})
		m.waits[after]++
	}
}

// settle places every moment after those that are before it.
func (m *moments) settle() {
	var ready []moment
	for i := range m.at {
		if m.waits[i] == 0 {
			ready = append(ready, moment(i))
		}
	}
	for len(ready) > 0 {
		from := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		for _, s := range m.then[from] {
			if at := m.at[from].Add(s.gap); at.After(m.at[s.to]) {
				if latest, limited := m.latest[s.to]; !limited || !at.After(latest) {
					m.at[s.to] = at
				}
			}
			if m.waits[s.to]--; m.waits[s.to] == 0 {
				ready = append(ready, s.to)
			}
		}
	}
}

// converse orders the steps of one agent by what the messages of its model
// calls tell.
func (m *moments) converse(nodes []*node) {
	c := conversation{next: make(map[*node][]*node), asked: make(map[asking][]*node), heard: make(map[asking]*node), used: make(map[asking]int)}
	rounds := make(map[int][]*node) // model calls by the length of their input
	around := make(map[*node]bool)  // model calls with such below that go on
	for _, n := range nodes {
		for p := n; p.step.Kind == trace.KindLLM && p.above != nil; p = p.above {
			if p.above.step.Kind == trace.KindLLM && len(p.above.step.Input.List()) < len(n.step.Input.List()) {
				around[p.above] = true
			}
		}
	}
	for _, n := range nodes {
		if length := len(n.step.Input.List()); n.step.Kind == trace.KindLLM && length > 0 && !around[n] {
			rounds[length] = append(rounds[length], n)
		}
	}
	closed := make(map[*node]moment, len(nodes)) // when the tools that a model call asked for were done, too
	opens := moment(-1)                          // when those of the round before were
	var before []*node
	for _, length := range slices.Sorted(maps.Keys(rounds)) {
		closes := m.add(time.Time{}, false)
		for _, n := range rounds[length] {
			if opens >= 0 {
				m.order(opens, n.begin(), time.Nanosecond)
			}
			m.order(n.over(), closes, 0)
			closed[n] = closes
			c.read(n)
		}
		for _, n := range before {
			c.next[n] = rounds[length]
		}
		opens, before = closes, rounds[length]
	}
	for _, n := range nodes {
		if n.step.Kind == trace.KindLLM {
			continue
		}
		by, told := c.asker(n)
		if by != nil && !by.under(n) {
			switch {
			case n.under(by):
			case n.place < 0: // within its reply; see orderTies
				m.order(by.begin(), n.begin(), 0)
			default:
				m.order(by.over(), n.begin(), time.Nanosecond)
			}
			if closes, ok := closed[by]; ok {
				m.order(n.over(), closes, 0)
			}
		}
		if told != nil && told != by && !told.under(n) && !n.under(told) {
			m.order(n.over(), told.begin(), time.Nanosecond)
		}
	}
}

// conversation is what the model calls of one agent asked for and were told.
type conversation struct {
	asked map[asking][]*node // model calls by what they asked for, the shortest input first
	heard map[asking]*node   // the first model call whose input names a call
	next  map[*node][]*node  // model calls of the next longer input
	used  map[asking]int     // how many of asked have their tool
}

// asking is a call as a message names it: by id, else by name, with arguments
// or without.
type asking struct{ id, name, args string }

func askings(id, name string, args *trace.Value) []asking {
	if id != "" {
		return []asking{{id: id}}
	}
	return []asking{{name: nameKey(name), args: args.Text()}, {name: nameKey(name)}}
}

func (c *conversation) read(n *node) {
	for p := range parts(n.step.Output.List(), trace.PartToolCall) {
		keys := askings("", p.Name, &p.Value)
		if p.ID != "" {
			keys = append(keys, asking{id: p.ID})
		}
		for _, key := range keys {
			c.asked[key] = append(c.asked[key], n)
		}
	}
	hear := func(key asking) {
		if c.heard[key] == nil {
			c.heard[key] = n
		}
	}
	for p := range parts(n.step.Input.List(), trace.PartToolCall) {
		for _, key := range askings(p.ID, p.Name, &p.Value) {
			hear(key)
		}
	}
	for p := range parts(n.step.Input.List(), trace.PartToolResult) {
		hear(asking{id: p.ID})
	}
}

// asker finds the model call that asked for a step and, where that is not
// known, the first that was told of it.
func (c *conversation) asker(n *node) (by, told *node) {
	if n.above != nil && n.above.step.Kind == trace.KindLLM {
		return n.above, nil
	}
	t := toolOf(n.step)
	keys := askings("", calledName(n), &t.Arguments)
	if t.CallID != "" {
		keys = append([]asking{{id: t.CallID}}, keys...)
	}
	for _, key := range keys {
		list := c.asked[key]
		if len(list) == 0 {
			continue
		}
		for _, by := range list {
			if len(list) > 1 && c.answered(by, n) {
				return by, nil
			}
		}
		i := min(c.used[key], len(list)-1)
		c.used[key]++
		return list[i], nil
	}
	for _, key := range keys {
		if told := c.heard[key]; told != nil {
			return nil, told
		}
	}
	return nil, nil
}

// answered reports whether the model call after by was told n's result, and by
// was not.
func (c *conversation) answered(by, n *node) bool {
	t := toolOf(n.step)
	result := strings.TrimSpace(cmp.Or(t.Result.Text(), t.Error, n.step.Status.Message))
	if result == "" {
		return false
	}
	for _, next := range c.next[by] {
		list := next.step.Input.List()
		for p := range parts(list[min(len(by.step.Input.List()), len(list)):], trace.PartToolResult) {
			if strings.Contains(p.Value.Text(), result) {
				return true
			}
		}
	}
	return false
}

// parts are the parts of a kind in messages.
func parts(list []trace.Message, kind trace.PartType) iter.Seq[*trace.Part] {
	return func(yield func(*trace.Part) bool) {
		for i := range list {
			for j := range list[i].Parts {
				if p := &list[i].Parts[j]; p.Type == kind && !yield(p) {
					return
				}
			}
		}
	}
}
