package assemble

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// markDuplicates makes one step of each thing that was recorded several times:
// by a framework and the client library below it, by two instrumentations of
// one library, by both ends of a connection, by the two halves of a stream, by
// placeholders and by chunks. The others stay listed and name the one.
func (a *assembly) markDuplicates() {
	a.markNoise()
	a.pairStreams()
	a.pairModelCalls()
	a.foldReceipts()
	a.foldRecords()
	a.pairToolCalls()
	a.foldNested()
	for _, n := range a.nodes {
		n.primary = n.root()
		if n.duplicate() {
			n.step.DuplicateOf = n.primary.step.ID
		}
	}
}

// root follows the chain of duplicates to the step that stands for all.
func (n *node) root() *node {
	for n.primary != n {
		n.primary = n.primary.primary
		n = n.primary
	}
	return n
}

// unite makes one step of what x and y stand for. The outer one stays where the
// kinds of content are equal, since it is the one that the framework knows.
func unite(x, y *node) {
	x, y = x.root(), y.root()
	if x == y {
		return
	}
	keep, drop := x, y
	if prefer(y, x) {
		keep, drop = y, x
	}
	drop.primary = keep
	for _, p := range append(drop.others, drop.producer()) {
		if len(keep.others) < window && !keep.recordedBy(p) {
			keep.others = append(keep.others, p)
		}
	}
	told := keep.step.Status.Failed || richness(&keep.step.Output) > 0
	fill(keep.step, drop.step)
	// A failed attempt inside a call that succeeded is no failure of the call.
	if keep.step.Kind != trace.KindLLM || !told {
		fillStatus(keep.step, drop.step)
	}
}

// prefer reports whether x rather than y is to stand for both.
func prefer(x, y *node) bool {
	if x.step.Kind == trace.KindLLM {
		if cx, cy := contents(x.step), contents(y.step); cx != cy {
			return cx > cy
		}
	}
	switch {
	case x.under(y), y.under(x):
		return y.under(x)
	case (x.above == nil) != (y.above == nil): // the one that is part of something
		return x.above != nil
	}
	return compareSteps(x.step, y.step) < 0
}

// markNoise folds placeholders and chunks into the span that they belong to.
func (a *assembly) markNoise() {
	for _, n := range a.nodes {
		h, p := n.step.Hints, n.parent
		switch {
		case p == nil:
		case h.Pending && !p.step.Hints.Pending:
			n.primary = p
		case h.Chunk && n.above != nil:
			n.primary = n.above
		case h.Chunk:
			n.primary = p
		}
	}
}

// pairStreams joins a request with the record of its streamed reply.
func (a *assembly) pairStreams() {
	open := make(map[string][]*node)
	for _, n := range a.nodes {
		if n.step.Hints.StreamKey == "" || n.duplicate() {
			continue
		}
		key := n.step.Kind.String() + " " + n.step.Hints.StreamKey
		waiting := open[key]
		// In a trace that was put together before, the request has its reply.
		at := slices.IndexFunc(waiting, func(request *node) bool { return !repliesDiffer(request.step, n.step) })
		if len(n.step.Output.List()) > 0 && at >= 0 {
			request := waiting[at]
			open[key] = slices.Delete(waiting, at, at+1)
			n.primary = request
			fill(request.step, n.step)
			fillStatus(request.step, n.step)
			continue
		}
		open[key] = append(waiting, n)
	}
}

// window bounds how far back a record is looked for among those of equal key.
const window = 64

// pair unites nodes of equal key that are records of one thing. Nodes of one
// branch are left to foldNested.
func (a *assembly) pair(kind func(trace.Kind) bool, key func(*node) string, same func(x, y *node, alone bool) bool) {
	if !a.recordedTwice(kind) {
		return
	}
	groups := make(map[string][]*node)
	var keys []string
	for _, n := range a.nodes {
		if n.duplicate() || !kind(n.step.Kind) {
			continue
		}
		k := key(n)
		if k == "" {
			continue
		}
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], n)
	}
	for _, k := range keys {
		if group := groups[k]; len(group) > 1 {
			pairGroup(group, same)
		}
	}
}

// recordedTwice reports whether more than one producer recorded steps of a kind.
func (a *assembly) recordedTwice(kind func(trace.Kind) bool) bool {
	var first *node
	for _, n := range a.nodes {
		switch {
		case n.duplicate() || !kind(n.step.Kind):
		case first == nil:
			first = n
		case n.producer() != first.producer():
			return true
		}
	}
	return false
}

func pairGroup(group []*node, same func(x, y *node, alone bool) bool) {
	producers := make(map[producer]int)
	alone := true // no producer recorded the key twice
	for _, n := range group {
		producers[n.producer()]++
		alone = alone && producers[n.producer()] == 1
	}
	if len(producers) == 1 {
		return
	}
	for i, n := range group {
		for _, m := range slices.Backward(group[max(0, i-window):i]) {
			r := m.root()
			if r.recordedBy(n.producer()) || r == n.root() || n.under(m) || m.under(n) || !same(m, n, alone) {
				continue
			}
			unite(m, n)
			break
		}
	}
}

// producer says who recorded a span: two producers may record one thing, one
// producer records it once.
type producer struct{ scope, service, side string }

func (n *node) producer() producer {
	return producer{n.step.Scope, n.step.Service.Name, n.step.Hints.RPCSide}
}

func (n *node) recordedBy(p producer) bool { return n.producer() == p || slices.Contains(n.others, p) }

// overlap reports whether two spans were at work at the same time, for at
// least half of the shorter one.
func overlap(x, y *node) bool {
	from, to := x.at, x.end
	if y.at.After(from) {
		from = y.at
	}
	if y.end.Before(to) {
		to = y.end
	}
	shorter := min(x.end.Sub(x.at), y.end.Sub(y.at))
	return !to.Before(from) && 2*to.Sub(from) >= shorter
}

func isLLM(k trace.Kind) bool  { return k == trace.KindLLM }
func isTool(k trace.Kind) bool { return k == trace.KindTool }

// pairModelCalls finds model calls that several instrumentations recorded side
// by side: by the provider's id of the reply, else by time with equal usage or
// equal output.
func (a *assembly) pairModelCalls() {
	a.pair(isLLM, func(n *node) string { return n.step.Model.ResponseID },
		func(x, y *node, alone bool) bool { return alone || overlap(x, y) })
	a.pair(isLLM, func(n *node) string {
		u := n.step.Usage
		if u.Scope == trace.UsageNone || u.Input+u.Output == 0 {
			return ""
		}
		return strconv.FormatInt(u.Input, 10) + "/" + strconv.FormatInt(u.Output, 10)
	}, func(x, y *node, _ bool) bool {
		return overlap(x, y) && modelsAgree(x.step, y.step) && !repliesDiffer(x.step, y.step) && !questionsDiffer(x.step, y.step)
	})
	e := newEncoder()
	defer e.release()
	a.pair(isLLM, func(n *node) string { return replyKey(e, n.step) },
		func(x, y *node, _ bool) bool {
			return overlap(x, y) && modelsAgree(x.step, y.step) && usageAgrees(x.step, y.step) && !questionsDiffer(x.step, y.step)
		})
}

// foldReceipts folds what a producer writes after a model call about nothing but
// its tokens into the call.
func (a *assembly) foldReceipts() {
	for i, n := range a.nodes {
		if n.duplicate() || n.step.Kind != trace.KindLLM || n.step.Usage.Input+n.step.Usage.Output == 0 || contents(n.step) > 0 || n.step.Model.ResponseID != "" {
			continue
		}
		for _, m := range slices.Backward(a.nodes[max(0, i-window):i]) {
			if m.parent == n.parent && (isTool(m.step.Kind) || m.step.Kind == trace.KindRetriever) {
				break // what follows a tool is another call, which was told its result
			}
			if m.parent == n.parent && m.step.Kind == trace.KindLLM && m.producer() == n.producer() && contents(m.step) > 0 && !m.end.After(n.at) && sameCounts(m.step.Usage, n.step.Usage) {
				n.primary = m.root()
				break
			}
		}
	}
}

// foldRecords folds log records that have neither the span nor the id of what
// they tell of: of nothing but what a model said, into the last call begun before
// it that may have said so, and of a tool's call, into that of the same arguments
// which ended next to it.
func (a *assembly) foldRecords() {
	for i, n := range a.nodes {
		if n.step.KindSource != fromLog || n.duplicate() {
			continue
		}
		var found *node
		switch {
		case n.step.Kind == trace.KindLLM && n.step.Usage.Scope == trace.UsageNone && n.step.Model.ResponseID == "" && richness(&n.step.Output) == 2:
			for _, m := range a.nodes[max(0, i-window):i] {
				if n.besides(m) && modelsAgree(m.step, n.step) && !repliesDiffer(m.step, n.step) {
					found = m
				}
			}
		case isTool(n.step.Kind) && n.step.Tool != nil && n.step.Tool.CallID == "" && n.step.Tool.Arguments.Captured():
			for _, m := range a.nodes[max(0, i-window):min(len(a.nodes), i+window)] {
				if n.besides(m) && m.step.KindSource != fromLog && toolOf(m.step).Name == n.step.Tool.Name && equalValues(&toolOf(m.step).Arguments, &n.step.Tool.Arguments) &&
					(found == nil || m.end.Sub(n.end).Abs() < found.end.Sub(n.end).Abs()) {
					found = m
				}
			}
		}
		if found != nil {
			n.primary = found
			fill(found.step, n.step)
			fillStatus(found.step, n.step)
		}
	}
}

// fromLog is the evidence for the kind of a step that a log record alone tells of.
const fromLog = "log"

// besides reports whether two nodes are of one kind, side by side.
func (n *node) besides(m *node) bool {
	return m != n && m.step.Kind == n.step.Kind && !m.duplicate() && m.parent == n.parent
}

func sameCounts(u, v trace.Usage) bool {
	u.Scope = v.Scope
	return u == v
}

// replyKey is the text and the calls of a reply, without what producers add.
func replyKey(e *encoder, s *trace.Step) string {
	e.b = e.b[:0]
	for _, m := range s.Output.List() {
		for i := range m.Parts {
			switch p := &m.Parts[i]; p.Type {
			case trace.PartText:
				e.text(strings.TrimSpace(p.Text))
			case trace.PartToolCall:
				e.texts(p.Name, canonical(&p.Value))
			}
		}
	}
	return string(e.b)
}

func repliesDiffer(s, t *trace.Step) bool {
	if richness(&s.Output) < 2 || richness(&t.Output) < 2 {
		return false
	}
	e := newEncoder()
	defer e.release()
	return replyKey(e, s) != replyKey(e, t)
}

// questionsDiffer reports whether two calls are known to be given other words
// of the user's.
func questionsDiffer(s, t *trace.Step) bool {
	x, y := trace.LastSaid(s.Input.List(), trace.RoleUser), trace.LastSaid(t.Input.List(), trace.RoleUser)
	return x != "" && y != "" && strings.TrimSpace(x) != strings.TrimSpace(y)
}

// modelsAgree reports whether two names may mean one model: an alias and its
// dated version, with or without the provider's name before it.
func modelsAgree(s, t *trace.Step) bool {
	for _, x := range []string{s.Model.Response, s.Model.Request} {
		for _, y := range []string{t.Model.Response, t.Model.Request} {
			if sameModel(x, y) {
				return true
			}
		}
	}
	return s.Model.Response+s.Model.Request == "" || t.Model.Response+t.Model.Request == ""
}

func sameModel(x, y string) bool {
	x, y = strings.ToLower(x[strings.LastIndexByte(x, '/')+1:]), strings.ToLower(y[strings.LastIndexByte(y, '/')+1:])
	return x != "" && y != "" && (strings.HasPrefix(x, y) || strings.HasPrefix(y, x))
}

// usageAgrees reports whether two counts may be of one call. Producers differ
// in whether cached and reasoning tokens are part of the totals.
func usageAgrees(s, t *trace.Step) bool {
	u, v := s.Usage, t.Usage
	if u.Scope == trace.UsageNone || v.Scope == trace.UsageNone || u.Input+u.Output == 0 || v.Input+v.Output == 0 {
		return true
	}
	cache := max(u.CacheRead+u.CacheWrite, v.CacheRead+v.CacheWrite)
	reasoning := max(u.Reasoning, v.Reasoning)
	return within(u.Input, v.Input, cache) && within(u.Output, v.Output, reasoning)
}

func within(x, y, margin int64) bool { return x-y <= margin && y-x <= margin }
