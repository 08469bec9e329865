package assemble

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// collect makes one node for each span id. A span that was delivered several
// times is read once; where the deliveries differ, the one that ended last
// wins, and a placeholder never wins. Steps without a span id are told apart by
// their content. It returns the number of distinct spans.
func (a *assembly) collect(steps []*trace.Step) int {
	if a.bySpan == nil {
		a.bySpan = make(map[spanKey]*node, len(steps))
		a.ids = make(map[string]bool, len(steps))
		a.byCallID = make(map[string][]*call)
	}
	a.nodes = slices.Grow(a.nodes, len(steps))
	a.slab.reserve(len(steps))
	a.copies.reserve(len(steps))
	a.asked.reserve(0)
	a.below.reserve(len(steps))
	a.fingers.reserve(0)
	for _, s := range steps {
		if s == nil {
			continue
		}
		if s.SpanID == "" {
			a.addSpanless(s, "span")
			a.rootSeen = a.rootSeen || s.ParentID == ""
			continue
		}
		n, seen := a.bySpan[keyOf(s)]
		switch {
		case !seen:
			n = a.newNode(s)
			a.bySpan[keyOf(s)] = n
			a.nodes = append(a.nodes, n)
		default:
			if another(s, n.step) {
				n.clash = true
			}
			if supersedes(s, n.step) {
				n.step = a.copyStep(s)
			}
		}
	}
	for _, n := range a.nodes {
		if n.step.SpanID != "" {
			a.claimID(n)
		}
		if n.clash {
			n.step.Losses = append(slices.Clip(n.step.Losses), trace.Loss{Reason: "same_id", Key: "span_id"})
		}
	}
	return len(a.nodes)
}

func (a *assembly) newNode(s *trace.Step) *node {
	n := a.slab.take()
	n.step, n.primary = a.copyStep(s), n
	return n
}

// copyStep copies a step that was handed in, without what an earlier assembly
// derived.
func (a *assembly) copyStep(s *trace.Step) *trace.Step {
	c := a.copies.take()
	*c = *s
	c.DuplicateOf, c.CausedBy, c.Turn = "", "", 0
	if c.Tool != nil && c.Tool.CallIDFrom == inferred {
		t := *c.Tool
		t.CallID, t.CallIDFrom = "", ""
		c.Tool = &t
	}
	c.Input.Share(&a.history)
	c.Output.Share(&a.history)
	return c
}

// claimID gives a span's step its span id, or a derived one where spans of
// several traces share it.
func (a *assembly) claimID(n *node) {
	id := n.step.SpanID
	if a.ids[id] {
		id = a.deriveID("span", n.step.TraceID, n.step.SpanID)
	}
	a.ids[id] = true
	n.step.ID = id
}

// addSpanless adds a step that has no span, unless the same one is there.
func (a *assembly) addSpanless(s *trace.Step, what string) *node {
	sum := contentSum(s)
	key := spanKey{s.TraceID, what + "\x00" + string(sum[:])}
	if n, seen := a.bySpan[key]; seen {
		return n
	}
	n := a.newNode(s)
	n.step.ID = a.deriveID(what, s.TraceID, string(sum[:]))
	a.ids[n.step.ID] = true
	a.bySpan[key] = n
	a.nodes = append(a.nodes, n)
	return n
}

// deriveID makes an id, in the form of a span id, that depends on nothing but
// its arguments and is not in use yet.
func (a *assembly) deriveID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p))))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	for {
		id := hex.EncodeToString(h.Sum(nil)[:8])
		if !a.ids[id] {
			return id
		}
		h.Write([]byte{'+'})
	}
}

// another reports whether two records of one span id are of two spans, rather
// than of one that was delivered again or went on: the name, the start or the
// parent is another.
func another(s, t *trace.Step) bool {
	if s.Hints.Pending || t.Hints.Pending {
		return false
	}
	return s.Name != t.Name || !s.Start.Equal(t.Start) || s.ParentID != t.ParentID
}

// supersedes reports whether s is to be read instead of t, a record of the
// same span. It is a total order, so that arrival does not matter.
func supersedes(s, t *trace.Step) bool {
	if s.Hints.Pending != t.Hints.Pending {
		return t.Hints.Pending
	}
	if c := s.End.Compare(t.End); c != 0 {
		return c > 0
	}
	if c := s.Start.Compare(t.Start); c != 0 {
		return c < 0
	}
	x, y := contentSum(s), contentSum(t)
	return bytes.Compare(x[:], y[:]) > 0
}

// compareSteps orders steps by their own fields alone: by start, then the one
// that ended last (an enclosing span), then by id.
func compareSteps(s, t *trace.Step) int {
	return cmp.Or(s.Start.Compare(t.Start), t.End.Compare(s.End), cmp.Compare(s.TraceID, t.TraceID), cmp.Compare(s.ID, t.ID))
}
