package assemble

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// join puts the content of log records on the steps that they belong to, and
// makes steps of records that describe one. It returns the number of distinct
// records.
func (a *assembly) join(fragments []*trace.Fragment) int {
	fragments = distinct(fragments)
	if len(fragments) == 0 {
		return 0
	}
	a.stepsFromLogs(fragments)
	byResponse := a.byResponse()
	pieces := make(map[*node][]*trace.Fragment)
	for _, f := range fragments {
		if f.Step != nil {
			continue
		}
		n := a.bySpan[spanKey{f.TraceID, f.SpanID}]
		if n == nil || f.SpanID == "" {
			n = byResponse[f.ResponseID]
		}
		if n == nil {
			a.leave(f)
			continue
		}
		pieces[n] = append(pieces[n], f)
	}
	a.joinPieces(pieces)
	return len(fragments)
}

// leave counts a record that found no span, and keeps when it was: fragments come
// in the order of time.
func (a *assembly) leave(f *trace.Fragment) {
	a.unjoined++
	if unset(f.Time) {
		return
	}
	if a.left.from.IsZero() {
		a.left.from = f.Time
	}
	a.left.to = f.Time
}

// distinct leaves out records that arrived before, and orders the others by
// time. Records of one time keep their order.
func distinct(fragments []*trace.Fragment) []*trace.Fragment {
	seen := make(map[uint64]bool, len(fragments))
	kept := make([]*trace.Fragment, 0, len(fragments))
	for _, f := range fragments {
		if f != nil && !seen[f.Hash] {
			seen[f.Hash] = true
			kept = append(kept, f)
		}
	}
	slices.SortStableFunc(kept, func(x, y *trace.Fragment) int { return x.Time.Compare(y.Time) })
	return kept
}

func (a *assembly) byResponse() map[string]*node {
	found := make(map[string]*node)
	for _, n := range a.nodes {
		id := n.step.Model.ResponseID
		if id == "" {
			continue
		}
		if o := found[id]; o == nil || compareSteps(n.step, o.step) < 0 {
			found[id] = n
		}
	}
	delete(found, "")
	return found
}

// stepsFromLogs adds the steps that log records alone describe. Records of one
// call (asked for, decided, done) are one step; a record of what its span
// records too goes into that span.
func (a *assembly) stepsFromLogs(fragments []*trace.Fragment) {
	type callKey struct {
		call string
		kind trace.Kind
	}
	calls := make(map[callKey]*node)
	for _, f := range slices.SortedFunc(slices.Values(fragments), compareFragments) {
		s := f.Step
		if s == nil {
			continue
		}
		if n := a.bySpan[spanKey{f.TraceID, f.SpanID}]; n != nil && f.SpanID != "" {
			if n.step.Kind == s.Kind {
				fill(n.step, a.copyStep(s))
				fillStatus(n.step, s)
				continue
			}
			c := *s
			c.ParentID = f.SpanID
			s = &c
		}
		key := callKey{kind: s.Kind}
		switch {
		case s.Tool != nil && s.Tool.CallID != "":
			key.call = s.Tool.CallID
		case s.Model.ResponseID != "":
			key.call = s.Model.ResponseID
		}
		if n := calls[key]; n != nil && key.call != "" {
			fill(n.step, a.copyStep(s))
			fillStatus(n.step, s)
			if s.End.After(n.step.End) {
				n.step.End = s.End
			}
			continue
		}
		n := a.addLogStep(s, f.Hash)
		calls[key] = n
	}
}

// addLogStep adds a step for a record that has no span of its own.
func (a *assembly) addLogStep(s *trace.Step, hash uint64) *node {
	n := a.newNode(s)
	n.step.SpanID = ""
	n.step.ID = a.deriveID("log", s.TraceID, string(binary.BigEndian.AppendUint64(nil, hash)))
	a.ids[n.step.ID] = true
	a.nodes = append(a.nodes, n)
	return n
}

func compareFragments(x, y *trace.Fragment) int {
	return cmp.Or(x.Time.Compare(y.Time), cmp.Compare(x.Hash, y.Hash))
}

// joinPieces merges records into their steps, earlier steps first, so that
// what a message said before tells its place among records of one time.
func (a *assembly) joinPieces(pieces map[*node][]*trace.Fragment) {
	targets := make([]*node, 0, len(pieces))
	for n := range pieces {
		targets = append(targets, n)
	}
	slices.SortFunc(targets, func(x, y *node) int { return compareSteps(x.step, y.step) })
	told := make(history)
	for _, n := range targets {
		var inputs []piece
		var output []trace.Message
		for _, f := range pieces[n] {
			in, out := f.Input, f.Output // copies: decoding leaves the fragment as it was
			in.Share(&a.history)
			out.Share(&a.history)
			if list := in.List(); len(list) > 0 {
				inputs = append(inputs, piece{f.Time, list})
			}
			output = append(output, out.List()...)
			if f.Facts != nil {
				fill(n.step, a.copyStep(f.Facts))
				fillStatus(n.step, f.Facts)
			}
		}
		input := told.arrange(inputs)
		told.learn(input)
		told.learn(output)
		joinMessages(n.step, &n.step.Input, input, "log.input")
		joinMessages(n.step, &n.step.Output, output, "log.output")
	}
}

// joinMessages sets a step's messages from log records. Where the span has
// messages too, the records add what it lacks, or are said to be a repetition.
func joinMessages(s *trace.Step, have *trace.Messages, got []trace.Message, key string) {
	if len(got) == 0 {
		return
	}
	old := have.List()
	switch {
	case len(old) == 0 || s.Capture != trace.CaptureFull && anyContent(got) && !onlySystem(old):
		*have = trace.MessageList(got)
		if s.Capture == trace.CaptureOff && anyContent(got) {
			s.Capture = trace.CaptureFull
		}
	case onlySystem(old) && !onlySystem(got):
		merged := slices.Clone(old)
		for _, m := range got {
			if m.Role != trace.RoleSystem {
				merged = append(merged, m)
			}
		}
		*have = trace.MessageList(merged)
	default:
		lose(s, "duplicate", key, "")
	}
}

func onlySystem(list []trace.Message) bool {
	return !slices.ContainsFunc(list, func(m trace.Message) bool { return m.Role != trace.RoleSystem })
}

func anyContent(list []trace.Message) bool {
	for i := range list {
		for j := range list[i].Parts {
			if p := &list[i].Parts[j]; p.Text != "" || p.Value.Captured() || p.URI != "" {
				return true
			}
		}
	}
	return false
}
