package rules

import (
	"slices"
	"time"

	"github.com/tracegrade/tracegrade/internal/admit"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// step is a step at run time: the recorded one, and where it stands.
type step struct {
	*trace.Step
	ix  *index
	pos int // position among the steps of the trace

	tools     *toolset // cache of offeredTo
	requested []any    // cache of requestedCalls
}

func (s *step) ok() bool { return !s.Status.Failed && (s.Tool == nil || s.Tool.Error == "") }

func (s *step) errorText() string {
	switch {
	case s.Tool != nil && s.Tool.Error != "":
		return s.Tool.Error
	case !s.Status.Failed:
		return ""
	case s.Status.Message != "":
		return s.Status.Message
	case s.Status.ErrorType != "":
		return s.Status.ErrorType
	}
	return "error"
}

func (s *step) duration() time.Duration {
	if s.Start.IsZero() || s.End.Before(s.Start) {
		return 0
	}
	return s.End.Sub(s.Start)
}

func (s *step) model() string {
	if s.Model.Response != "" {
		return s.Model.Response
	}
	return s.Model.Request
}

var noTool = &trace.Tool{}

func (s *step) call() *trace.Tool {
	if s.Tool == nil {
		return noTool
	}
	return s.Tool
}

func (s *step) toolName() string { return s.call().Name }

func (s *step) lossReasons() []string {
	reasons := make([]string, len(s.Losses))
	for i, l := range s.Losses {
		reasons[i] = l.Reason
	}
	return reasons
}

// acts reports whether the step does something by itself, rather than holding
// other steps together.
func (s *step) acts() bool {
	switch s.Kind {
	case trace.KindUnknown, trace.KindAgent, trace.KindWorkflow:
		return false
	}
	return true
}

// index is one trace, and what rules ask of it: each part is made when a
// function first needs it, in one pass over the trace, and kept for all rules.
// It belongs to one evaluation and is not safe for concurrent use.
type index struct {
	trace     *trace.Trace
	parts     []*trace.Trace         // of a session, in order; nil for one trace
	steps     []step                 // all, duplicates too
	readTexts map[string]*admit.Text // as read for admissions
	fruitful  map[int]bool           // turns in which a call succeeded; see succeeded
	ids       map[string]*step       // by step id and by span id
	lists     map[string]any         // selections, by key; boxed []any in trace order
	kinds     []kindList             // selections by kind
	forest    forest
	line      timeline
	calls     *callIndex
	toolIndex *callIndex
	wordIndex *wordIndex
	ledger    *ledger
	talk      *conversation
	rounds    map[*step]int    // see roundsOf
	known     *evidence.Ledger // made by an earlier evaluation; nil where none did

	contentKnown, content bool

	passages []funnel.Passage // made on demand
	followed bool             // passages were made
}

func newIndex(t *trace.Trace) *index { return new(index).of(t) }

// of makes an index that holds nothing the index of t.
func (ix *index) of(t *trace.Trace) *index {
	ix.trace = t
	ix.steps = slices.Grow(ix.steps, len(t.Steps))[:len(t.Steps)]
	for i, s := range t.Steps {
		ix.steps[i] = step{Step: s, ix: ix, pos: i}
	}
	if ix.lists == nil {
		ix.lists, ix.ids = map[string]any{}, make(map[string]*step, len(t.Steps))
	}
	return ix
}

// spareMax is the most steps of an index of which the memory is kept.
const spareMax = 256

// forget makes an index hold nothing. Its memory is used for the next trace.
func (ix *index) forget() {
	if len(ix.steps) > spareMax {
		*ix = index{}
		return
	}
	clear(ix.steps)
	clear(ix.lists)
	clear(ix.ids)
	ix.forest.made, ix.line.made = false, false
	*ix = index{steps: ix.steps[:0], lists: ix.lists, ids: ix.ids, forest: ix.forest, line: ix.line}
}

// room is n zero values, in the memory of a list where they fit.
func room[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// byID finds a step by its id or its span's; a duplicate is found as the step
// that it repeats. It returns nil for an unknown id.
func (ix *index) byID(id string) *step {
	if id == "" {
		return nil
	}
	if len(ix.ids) == 0 {
		for i := range ix.steps {
			s := &ix.steps[i]
			for _, key := range [2]string{s.ID, s.SpanID} {
				if key == "" || ix.ids[key] != nil {
					continue
				}
				ix.ids[key] = s
				if s.ID == s.SpanID {
					break
				}
			}
		}
	}
	s := ix.ids[id]
	for hops := 0; s != nil && s.DuplicateOf != "" && hops < 8; hops++ {
		original := ix.ids[s.DuplicateOf]
		if original == nil || original == s {
			break
		}
		s = original
	}
	return s
}

// list returns the steps, without duplicates, that keep accepts; it is made
// once for each key.
func (ix *index) list(key string, keep func(s *step) bool) any {
	if boxed, ok := ix.lists[key]; ok {
		return boxed
	}
	var list []any
	for i := range ix.steps {
		if s := &ix.steps[i]; s.DuplicateOf == "" && keep(s) {
			list = append(list, s)
		}
	}
	var boxed any = list
	ix.lists[key] = boxed
	return boxed
}

// ofKinds is the steps, without duplicates, whose kinds are bits of mask.
func (ix *index) ofKinds(mask uint32) any {
	for _, k := range ix.kinds {
		if k.mask == mask {
			return k.list
		}
	}
	n := 0
	for i := range ix.steps {
		if s := &ix.steps[i]; s.DuplicateOf == "" && mask&(1<<s.Kind) != 0 {
			n++
		}
	}
	list := make([]any, 0, n)
	for i := range ix.steps {
		if s := &ix.steps[i]; s.DuplicateOf == "" && mask&(1<<s.Kind) != 0 {
			list = append(list, s)
		}
	}
	ix.kinds = append(ix.kinds, kindList{mask, list})
	return ix.kinds[len(ix.kinds)-1].list
}

// kindList is the steps of some kinds.
type kindList struct {
	mask uint32
	list any
}

// answerStep is the step that gave the final answer.
func (ix *index) answerStep() *step { return ix.speaker(ix.trace.AnswerStep) }

// speaker is the step that gave an answer. Where the producer recorded it on
// the agent alone, which began before all else, it is the agent's last model
// call.
func (ix *index) speaker(id string) *step {
	s := ix.byID(id)
	if s == nil || s.acts() {
		return s
	}
	f := ix.tree()
	for i := len(ix.steps) - 1; i > s.pos; i-- {
		if x := &ix.steps[i]; x.Kind == trace.KindLLM && x.DuplicateOf == "" && f.within(x, s) {
			return x
		}
	}
	return s
}

// inputMissing reports whether what the model was told was redacted in any of its
// calls, so that what the user asked may be among it.
func (ix *index) inputMissing() bool {
	return slices.ContainsFunc(ix.trace.Steps, func(s *trace.Step) bool {
		return s.Kind == trace.KindLLM && s.Capture == trace.CaptureRedacted
	})
}

// hasContent reports whether any llm or agent step recorded messages: if none
// did, an empty answer says nothing about the agent.
func (ix *index) hasContent() bool {
	if !ix.contentKnown {
		ix.contentKnown, ix.content = true, ix.trace.ContentCaptured()
	}
	return ix.content
}

func (ix *index) turns() int {
	turns := 0
	for _, s := range ix.trace.Steps {
		turns = max(turns, s.Turn)
	}
	return turns
}

func (ix *index) cost() float64 {
	sum := 0.0
	for _, s := range ix.trace.Steps {
		if s.DuplicateOf == "" {
			sum += s.Cost.Amount
		}
	}
	return sum
}

// forest is the steps by parenthood. Cycles and missing parents make roots;
// a child of a duplicate is a child of the step that it repeats.
type forest struct {
	made     bool // of the trace at hand
	root     *step
	parent   []*step
	children [][]any
	enter    []int // order of a walk from the roots: descendants are a range
	leave    []int
	depth    []int
	walk     []*step // by enter

	numbers []int   // which the lists of them lie in
	steps   []*step // and those of steps
}

func (ix *index) tree() *forest {
	if !ix.forest.made {
		ix.forest.grow(ix)
	}
	return &ix.forest
}

// grow makes the forest of a trace, in the memory of the one before.
func (f *forest) grow(ix *index) {
	n := len(ix.steps)
	numbers, steps := room(f.numbers, 4*n), room(f.steps, 2*n)
	*f = forest{
		made: true, numbers: numbers, steps: steps,
		parent: steps[:n], walk: steps[n : n : 2*n], children: room(f.children, n),
		enter: numbers[:n], leave: numbers[n : 2*n], depth: numbers[2*n : 3*n],
	}
	for i := range ix.steps {
		f.parent[i] = ix.parentOf(&ix.steps[i])
	}
	f.cutCycles(ix)
	ix.gather(f.children, numbers[3*n:], func(s *step) *step {
		if s.DuplicateOf != "" {
			return nil
		}
		return f.parent[s.pos]
	})
	var roots []*step
	for i := range ix.steps {
		s := &ix.steps[i]
		switch p := f.parent[i]; {
		case s.DuplicateOf != "" || p != nil:
		default:
			roots = append(roots, s)
			if f.root == nil && s.SpanID != "" {
				f.root = s
			}
		}
	}
	f.number(roots)
}

// gather makes, for each step, the list of those that belong to it, in order;
// they lie in one block. counts has a 0 for each step.
func (ix *index) gather(lists [][]any, counts []int, owner func(s *step) *step) {
	total := 0
	for i := range ix.steps {
		if o := owner(&ix.steps[i]); o != nil {
			counts[o.pos]++
			total++
		}
	}
	block := make([]any, total)
	for i, n := range counts {
		if n > 0 {
			lists[i], block = block[:0:n], block[n:]
		}
	}
	for i := range ix.steps {
		if o := owner(&ix.steps[i]); o != nil {
			lists[o.pos] = append(lists[o.pos], &ix.steps[i])
		}
	}
}

// parentOf follows the stated parent past duplicates of the step itself.
func (ix *index) parentOf(s *step) *step {
	id := s.ParentID
	for hops := 0; hops < 8; hops++ {
		p := ix.byID(id)
		if p != s {
			return p
		}
		if raw := ix.ids[id]; raw != nil && raw != s {
			id = raw.ParentID
			continue
		}
		break
	}
	return nil
}

// cutCycles makes the first step of each cycle a root.
func (f *forest) cutCycles(ix *index) {
	const unseen, onPath, done = 0, 1, 2
	state := make([]uint8, len(ix.steps))
	var path []int
	for i := range ix.steps {
		path = path[:0]
		at := i
		for state[at] == unseen {
			state[at] = onPath
			path = append(path, at)
			p := f.parent[at]
			if p == nil {
				break
			}
			if state[p.pos] == onPath {
				f.parent[at] = nil
				break
			}
			at = p.pos
		}
		for _, at := range path {
			state[at] = done
		}
	}
}

// number walks from the roots without recursion: a chain may be as deep as the
// trace is long.
func (f *forest) number(roots []*step) {
	type frame struct {
		s    *step
		next int
	}
	var stack []frame
	for _, r := range roots {
		stack = append(stack, frame{s: r})
		f.open(r, 0)
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			kids := f.children[top.s.pos]
			if top.next == len(kids) {
				f.leave[top.s.pos] = len(f.walk)
				stack = stack[:len(stack)-1]
				continue
			}
			kid := kids[top.next].(*step)
			top.next++
			f.open(kid, len(stack))
			stack = append(stack, frame{s: kid})
		}
	}
}

func (f *forest) open(s *step, depth int) {
	f.enter[s.pos], f.depth[s.pos] = len(f.walk), depth
	f.walk = append(f.walk, s)
}

func (f *forest) depthOf(s *step) int { return f.depth[s.pos] }

// within reports whether s is a descendant of a.
func (f *forest) within(s, a *step) bool {
	return s != a && f.enter[s.pos] > f.enter[a.pos] && f.enter[s.pos] < f.leave[a.pos]
}

// timeline is the steps by time. Order is defined so that it is a strict
// partial order whatever the clocks say: see [timeline.before].
type timeline struct {
	made   bool    // of the trace at hand
	start  []int64 // never decreasing along the trace
	end    []int64 // for an llm step not later than the start of what it caused
	acts   []*step // steps that act, in order
	actPos []int   // position in acts of the step, or of the next one that acts
	cause  []*step
	caused [][]any

	times   []int64 // which the lists of them lie in
	numbers []int
	steps   []*step
}

func (ix *index) order() *timeline {
	if !ix.line.made {
		ix.line.lay(ix)
	}
	return &ix.line
}

// lay makes the timeline of a trace, in the memory of the one before.
func (l *timeline) lay(ix *index) {
	n := len(ix.steps)
	times, numbers, steps := room(l.times, 2*n), room(l.numbers, 2*n), room(l.steps, 2*n)
	*l = timeline{
		made: true, times: times, numbers: numbers, steps: steps,
		start: times[:n], end: times[n:], actPos: numbers[:n], acts: steps[:0:n], cause: steps[n:], caused: room(l.caused, n),
	}
	latest := int64(-1 << 63)
	for i := range ix.steps {
		s := &ix.steps[i]
		if !s.Start.IsZero() {
			latest = max(latest, s.Start.UnixNano())
		}
		l.start[i] = latest
		l.end[i] = latest
		if !s.Start.IsZero() && s.End.After(s.Start) {
			l.end[i] = max(latest, s.End.UnixNano())
		}
		l.actPos[i] = len(l.acts)
		if s.acts() && s.DuplicateOf == "" {
			l.acts = append(l.acts, s)
		}
	}
	for i := range ix.steps {
		s := &ix.steps[i]
		c := ix.byID(s.CausedBy)
		if c == nil || c == s || s.DuplicateOf != "" {
			continue
		}
		l.cause[i] = c
		if c.pos < i && l.end[c.pos] > l.start[i] {
			l.end[c.pos] = l.start[i]
		}
	}
	ix.gather(l.caused, numbers[n:], func(s *step) *step { return l.cause[s.pos] })
}

// before reports whether a was over when b began. Steps of equal times are in
// the order of the trace, and what an llm step caused comes after it even where
// its span is still open.
func (l *timeline) before(a, b *step) bool {
	return a.pos < b.pos && l.end[a.pos] <= l.start[b.pos]
}
