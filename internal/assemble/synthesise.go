package assemble

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// synthesise makes a step for every tool call that was answered and has no
// span: the model was told a result, or its conversation went on.
func (a *assembly) synthesise() {
	agents := make(map[string][]*node)
	for _, n := range a.nodes {
		if n.step.Kind == trace.KindAgent && !n.duplicate() && n.step.Agent.Name != "" {
			agents[n.step.Agent.Name] = append(agents[n.step.Agent.Name], n)
		}
	}
	for _, c := range a.calls {
		if c.tool != nil || c.result == nil && (c.by == nil || c.by.next == nil) {
			continue
		}
		if n := ranAs(c, agents[c.name]); n != nil {
			c.tool = n
			n.step.CausedBy = c.by.step.ID
			continue
		}
		n := a.syntheticNode(c)
		c.tool = n
		a.nodes = append(a.nodes, n)
		if n.parent != nil {
			n.parent.children = append(n.parent.children, n)
		} else {
			a.roots = append(a.roots, n)
		}
	}
}

// ranAs finds the agent that a call without a step named and that ran after it:
// it stands in the trace itself.
func ranAs(c *call, agents []*node) *node {
	if c.by == nil {
		return nil
	}
	for _, n := range agents {
		if n != c.by && n.step.CausedBy == "" && !n.at.Before(c.by.at) && !c.by.under(n) {
			return n
		}
	}
	return nil
}

func (a *assembly) syntheticNode(c *call) *node {
	near := c.by // the step beside which the call stands
	if near == nil {
		near = c.heard
	}
	s := a.copies.take()
	*s = trace.Step{
		TraceID: near.step.TraceID, ParentID: near.step.ParentID,
		Kind: trace.KindTool, KindSource: "call", Dialect: near.step.Dialect, Scope: near.step.Scope,
		Name: c.name, Agent: near.step.Agent, Service: near.step.Service,
		Session: near.step.Session, User: near.step.User,
		Synthetic: true, Capture: trace.CaptureFull,
		Tool: &trace.Tool{Name: c.name, CallID: c.id, Arguments: c.args},
	}
	if handedTo(strings.ToLower(c.name)) != "" {
		s.Kind = trace.KindHandoff
	}
	n := a.slab.take()
	*n = node{step: s, parent: near.parent, above: near.above, depth: near.depth, place: max(0, c.index)}
	n.primary = n
	if c.heard != c.by {
		n.told = c.heard
	}
	if c.by != nil {
		s.ID = a.deriveID("call", c.by.step.TraceID, c.by.step.ID, strconv.Itoa(c.index))
		s.CausedBy = c.by.step.ID
		if c.within() { // before what the reply says after it
			n.place = c.index - len(c.by.calls)
		}
	} else {
		n.place = -1 // before the model call that was told of it
		s.ID = a.deriveID("result", near.step.TraceID, near.step.ID, c.id, c.name, c.args.Text())
	}
	n.at, n.end = c.ran((*node).placed)
	a.ids[s.ID] = true
	if start, end := c.ran((*node).stated); !unset(start) {
		s.Start, s.End = start, end
	}
	if c.result != nil {
		tell(s, c.result)
	}
	a.explain(s)
	if c.within() && sealed(s) {
		s.Capture = trace.CapturePartial
	}
	if !s.Tool.Arguments.Captured() || !s.Tool.Result.Captured() && !s.Status.Failed {
		s.Capture = trace.CaptureOff
		if s.Tool.Arguments.Captured() || s.Tool.Result.Captured() {
			s.Capture = trace.CapturePartial
		}
	}
	return n
}

// ran is when a call without a span was made, by the times of the model calls
// that asked for it and were told of it.
func (c *call) ran(times func(*node) (begin, end time.Time)) (from, to time.Time) {
	if c.heard != nil {
		from, _ = times(c.heard)
	}
	told := from
	if c.by != nil {
		begin, end := times(c.by)
		if from = end; c.within() {
			from = begin
		}
	}
	if c.heard != nil && c.heard != c.by && told.After(from) {
		return from, told
	}
	return from, from
}

// sealed reports whether the pages that a provider's search found are named but not
// given: the provider shows their text to the model only, encrypted or not at all.
func sealed(s *trace.Step) bool {
	return len(s.Documents) > 0 && !slices.ContainsFunc(s.Documents, func(d trace.Document) bool { return d.Content != "" })
}

// handedTo is the agent to which a tool of this name hands over, or "".
func handedTo(name string) string {
	for _, prefix := range []string{"transfer_to_", "handoff_to_", "transfer_back_to_", "transfer-to-", "handoff to "} {
		if agent, found := strings.CutPrefix(name, prefix); found {
			return strings.ReplaceAll(agent, " ", "_")
		}
	}
	return ""
}
