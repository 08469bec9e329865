package assemble

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// link stands for a beginning of a list of messages. It is good within one
// process.
type link uint64

var linkSeed = maphash.MakeSeed()

// extend is the link of a beginning and one more message.
func extend(l link, p print) link {
	var b [8 + len(p)]byte
	binary.NativeEndian.PutUint64(b[:], uint64(l))
	copy(b[8:], p[:])
	return link(maphash.Bytes(linkSeed, b[:]))
}

// chain makes the links of all beginnings of a list, the empty one first.
func chain(list []print) []link {
	chains := make([]link, len(list)+1)
	for i, p := range list {
		chains[i+1] = extend(chains[i], p)
	}
	return chains
}

// follow finds the model call whose conversation n goes on with: the latest one
// whose whole input is the beginning of n's. Where a framework rewrites the
// beginning (another system prompt, old messages left out), the last two
// messages of an earlier input tell. It returns the keys under which n itself
// is found.
func (a *assembly) follow(n *node, ends, pairs map[link][]*node) (whole, pair link) {
	chains := chain(n.input)
	last := len(n.input)
	pairAt := func(i int) link {
		if i < 2 {
			return chains[i]
		}
		return extend(extend(0, n.input[i-2]), n.input[i-1])
	}
	n.fresh = -1
	for i := last; i > 0 && n.previous == nil; i-- {
		if m := whoSaid(ends[chains[i]], n, i); m != nil {
			n.previous, n.fresh = m, i
		}
	}
	for i := last; i > 1 && n.previous == nil; i-- {
		if m := whoSaid(pairs[pairAt(i)], n, i); m != nil {
			n.previous, n.fresh = m, i
		}
	}
	if hint := n.step.Hints.NewFrom; hint > 0 && hint <= last {
		n.fresh = hint
	}
	if n.fresh < 0 {
		n.fresh = trailing(n.step.Input.List())
	}
	if n.previous != nil && n.fresh < last {
		n.previous = a.whoAsked(n.previous, n.step.Input.List()[n.fresh:])
		n.previous.next = n
	}
	return chains[last], pairAt(last)
}

// whoSaid chooses among model calls of equal input: the latest whose reply is
// what n's input goes on with, else the latest whose reply was not recorded,
// else the latest.
func whoSaid(calls []*node, n *node, at int) *node {
	switch len(calls) {
	case 0:
		return nil
	case 1:
		return calls[0]
	}
	e := newEncoder()
	defer e.release()
	reply := replyIn(e, n.step.Input.List()[at:])
	var open *node
	for _, m := range slices.Backward(calls[max(0, len(calls)-window):]) {
		if reply != "" && replyKey(e, m.step) == reply {
			return m
		}
		if open == nil && richness(&m.step.Output) < 2 {
			open = m
		}
	}
	if open != nil && reply != "" {
		return open
	}
	return calls[len(calls)-1]
}

// whoAsked is the model call whose reply a history goes on with: m, unless the
// ids of the calls in it are another's. A framework that asks anew, with other
// words before, drops the first reply.
func (a *assembly) whoAsked(m *node, fresh []trace.Message) *node {
	for i := 0; i < len(fresh) && fresh[i].Role == trace.RoleAssistant; i++ {
		for j := range fresh[i].Parts {
			p := &fresh[i].Parts[j]
			if p.Type != trace.PartToolCall || p.ID == "" {
				continue
			}
			var by *node
			for _, c := range a.byCallID[p.ID] {
				if c.by == m {
					return m
				}
				by = c.by
			}
			if by != nil && by.step.Kind == trace.KindLLM && len(m.calls) > 0 {
				return by
			}
		}
	}
	return m
}

// trailing is the index of the first message that is new in a conversation
// whose beginning is not in the trace: what the user said last, else the
// results after the last that the assistant said.
func trailing(list []trace.Message) int {
	for i := len(list) - 1; i >= 0; i-- {
		switch {
		case list[i].Role == trace.RoleAssistant:
			return i + 1
		case resultIn(&list[i]) && i < len(list)-1 && !resultIn(&list[i+1]):
			return i + 1
		}
	}
	return 0
}

func resultIn(m *trace.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trace.Part) bool { return p.Type == trace.PartToolResult })
}
