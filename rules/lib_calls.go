package rules

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var repetitionFunctions = []Function{
	{Name: "repeats", Args: []Arg{{Name: "call", Kind: argStep}}, Result: intType, Content: true,
		Doc: "how many earlier calls of the same agent had the same tool and the same arguments; 0 for the first, and where the arguments were not captured", Example: `all(tools(), repeats(#) == 0)`,
		call: onStep(func(w *run, s *step) any { w.need(s); return w.ix.callsBy().same.rank[s.pos] }, 0)},
	{Name: "sameCalls", Args: []Arg{{Name: "call", Kind: argStep}}, Result: stepsType, Many: true, Content: true, Instead: "repeats(step)",
		Doc: "calls of the same agent with the same tool and arguments, in order, this one included", Example: `len(sameCalls(first(tools()))) == 1`,
		call: onStep(func(w *run, s *step) any { w.need(s); return w.ix.callsBy().same.of(s) }, noSteps)},
	{Name: "nearRepeats", Args: []Arg{{Name: "call", Kind: argStep}}, Result: intType, Content: true,
		Doc: "like repeats, where arguments count as equal that differ only in case, punctuation, spaces or the order of words", Example: `all(tools(), nearRepeats(#) == 0)`,
		call: onStep(func(w *run, s *step) any { w.need(s); return w.ix.callsBy().near().rank[s.pos] }, 0)},
	{Name: "nearCalls", Args: []Arg{{Name: "call", Kind: argStep}}, Result: stepsType, Many: true, Content: true, Instead: "nearRepeats(step)",
		Doc: "calls of the same agent that are equal as nearRepeats says, in order, this one included", Example: `len(nearCalls(first(tools()))) == 1`,
		call: onStep(func(w *run, s *step) any { w.need(s); return w.ix.callsBy().near().of(s) }, noSteps)},
	{Name: "nextSame", Args: []Arg{{Name: "call", Kind: argStep}}, Result: stepType,
		Doc: "next call of the same tool, whatever its arguments, that began when this one was over; nil where there is none", Example: `nextSame(first(tools("search_web"))) == last(tools("search_web"))`,
		call: onStep(func(w *run, s *step) any { return w.ix.nextSame(s) }, (*step)(nil))},
	{Name: "retried", Args: []Arg{{Name: "call", Kind: argStep}}, Result: stepType,
		Doc: "first of the next 64 calls of the same tool that succeeded and goes after the same target: its arguments are the same, share a word or number, take one from the error, or were found by a call between the two, and it does not name something else of the question in place of what this call names; where arguments were not captured the tool decides; nil where there is none", Example: `retried(first(tools("search_web"))).tool.ok`,
		call: onStep(func(w *run, s *step) any { return w.ix.retried(s) }, (*step)(nil))},
	{Name: "answeredBefore", Args: []Arg{{Name: "call", Kind: argStep}}, Result: stepType, Content: true,
		Doc: "latest earlier call of the same agent with the same tool and arguments that succeeded, so that this one asks for what is known already; nil where there is none, as for a retry of a failed call, and where the results of these calls differ: what they read changes, and is polled or read again", Example: `answeredBefore(last(tools())) == nil`,
		call: onStep(func(w *run, s *step) any { w.need(s); return w.answeredBefore(s) }, (*step)(nil))},
	{Name: "nearAnsweredBefore", Args: []Arg{{Name: "call", Kind: argStep}}, Result: stepType, Content: true,
		Doc: "like answeredBefore, for calls that are equal as nearRepeats says, whatever their results", Example: `nearAnsweredBefore(last(tools())) == nil`,
		call: onStep(func(w *run, s *step) any { w.need(s); return w.ix.callsBy().near().known[s.pos] }, (*step)(nil))},
	{Name: "replaced", Args: []Arg{{Name: "call", Kind: argStep}}, Result: stepType, Content: true,
		Doc: "first of the next 64 calls, of another tool and another request of the model, that succeeded, goes after the same target as retried says, and does the same work: the names of the tools share a word, or something that only its result says stands in the answer or in the arguments of a later call; nil where there is none", Example: `replaced(first(tools("search_web"))) == nil`,
		call: onStep(func(w *run, s *step) any { return w.ix.replaced(s) }, (*step)(nil))},
	{Name: "loops", Args: []Arg{{Name: "times", Kind: argInt}}, Result: stepsType, Many: true, Linear: true, Content: true, Instead: "loops outside the loop, under let:",
		Doc: "steps that begin a loop: one to eight calls in a row, with the same tools and arguments, made at least so many times in a row by one agent, all with success or all without, where the results of equal calls are the same: what differs is polled", Example: `len(loops(3)) == 0`,
		call: func(w *run, args []any) (any, error) {
			times, err := asInt(args[0])
			if err != nil || times < 2 {
				return nil, errText("loops: want a number of times from 2, have %s", describe(args[0]))
			}
			return w.ix.loops(times), nil
		}},
}

// need notes that a verdict rests on the arguments of a call.
func (w *run) need(s *step) {
	if _, captured := toolArguments(w, s); !captured {
		w.missing = true
	}
}

// answeredBefore is the call that answered already what a call asks. Calls whose
// results differ ask for something that changes; where a result was not captured
// nobody knows.
func (w *run) answeredBefore(s *step) *step {
	g := w.ix.callsBy().same
	earlier := g.known[s.pos]
	if earlier == nil {
		return nil
	}
	switch g.resultsOf(s) {
	case resultsDiffer:
		return nil
	case resultsUnknown:
		w.missing = true
		return nil
	}
	return earlier
}

// callIndex groups the calls of a trace.
type callIndex struct {
	ix     *index
	same   *callGroups
	nearby *callGroups
	byTool map[string][]any
	orders []int    // position among the calls of the same tool
	json   []string // arguments, by step; empty where not asked for yet
	again  bool     // an agent called one tool more than once
}

// callGroups is calls that count as equal.
type callGroups struct {
	group []int // by step; 0 for a step that is no call or was not captured
	lists [][]any
	rank  []int
	known []*step // latest earlier call of the group that succeeded
	told  map[int]results
}

// results says what the calls of a group returned that succeeded. The zero
// value is that nobody looked.
type results uint8

const (
	resultsSame results = iota + 1
	resultsDiffer
	resultsUnknown // one was not captured, and the others are the same
)

// resultsOf compares the results of the calls that count as equal to one.
func (g *callGroups) resultsOf(s *step) results {
	group := g.group[s.pos]
	if r := g.told[group]; r != 0 {
		return r
	}
	r := resultsSame
	var first *trace.Value
	for _, call := range g.lists[group] {
		c := call.(*step)
		result := &c.Tool.Result
		switch {
		case !c.ok():
		case !result.Captured() && c.Capture != trace.CaptureFull:
			r = resultsUnknown
		case first == nil:
			first = result
		case first.Text() != result.Text():
			r = resultsDiffer
		}
		if r == resultsDiffer {
			break
		}
	}
	if g.told == nil {
		g.told = map[int]results{}
	}
	g.told[group] = r
	return r
}

func (g *callGroups) of(s *step) any {
	if g.group[s.pos] == 0 {
		return noSteps
	}
	return g.lists[g.group[s.pos]]
}

func (ix *index) callsBy() *callIndex {
	if ix.calls == nil {
		ix.calls = &callIndex{ix: ix, json: make([]string, len(ix.steps))}
		ix.calls.same = ix.calls.group(func(json string) string { return json })
	}
	return ix.calls
}

func (c *callIndex) near() *callGroups {
	switch {
	case c.nearby != nil:
	case !c.again:
		c.nearby = c.same
	default:
		c.nearby = c.group(looseText)
	}
	return c.nearby
}

// work is what an agent does with a tool.
type work struct{ agent, tool string }

func workOf(s *step) work { return work{s.Agent.Name, s.Tool.Name} }

// callsAgain reports whether an agent called one tool more than once.
func (ix *index) callsAgain() bool {
	made := map[work]bool{}
	for i := range ix.steps {
		if s := &ix.steps[i]; isCall(s) {
			w := workOf(s)
			if made[w] {
				return true
			}
			made[w] = true
		}
	}
	return false
}

// isCall reports whether a step is a call that a model makes.
func isCall(s *step) bool {
	return s.DuplicateOf == "" && s.Tool != nil && (s.Kind == trace.KindTool || s.Kind == trace.KindRetriever)
}

// group groups the calls of each agent by tool and by what canonical makes of
// their arguments as JSON.
func (c *callIndex) group(canonical func(json string) string) *callGroups {
	n := len(c.ix.steps)
	type key struct {
		work
		arguments string
	}
	groups, made := map[key]int{}, map[work]int{}
	for i := range c.ix.steps {
		if s := &c.ix.steps[i]; isCall(s) {
			w := workOf(s)
			made[w]++
			c.again = c.again || made[w] > 1
		}
	}
	g := &callGroups{group: make([]int, n), rank: make([]int, n), known: make([]*step, n), lists: make([][]any, 1)}
	latest := make([]*step, 1) // by group
	for i := range c.ix.steps {
		s := &c.ix.steps[i]
		if !isCall(s) || s.Tool.Name == "" || !s.Tool.Arguments.Captured() {
			continue
		}
		k := key{work: workOf(s)}
		if made[k.work] > 1 { // one alone is like no other, whatever its arguments
			if c.json[i] == "" {
				c.json[i] = trace.EncodeJSON(s.Tool.Arguments.Data())
			}
			k.arguments = canonical(c.json[i])
		}
		id, known := groups[k]
		if !known {
			id = len(g.lists)
			groups[k] = id
			g.lists, latest = append(g.lists, nil), append(latest, nil)
		}
		g.group[i], g.rank[i] = id, len(g.lists[id])
		g.lists[id] = append(g.lists[id], s)
		g.known[i] = latest[id]
		if s.ok() {
			latest[id] = s
		}
	}
	return g
}

// maxReplaced bounds how many later calls retried and replaced look at.
const maxReplaced = 64

func (ix *index) replaced(s *step) *step {
	if !isCall(s) {
		return nil
	}
	calls, _ := ix.list("calls", isCall).([]any)
	from, _ := slices.BinarySearchFunc(calls, s.pos+1, func(c any, pos int) int { return c.(*step).pos - pos })
	for _, c := range calls[from:min(len(calls), from+maxReplaced)] {
		other := c.(*step)
		if other.Tool.Name != s.Tool.Name && other.Agent.Name == s.Agent.Name && other.ok() && !ix.together(s, other) &&
			ix.goesAfter(s, other) && ix.words().sameWork(s, other) {
			return other
		}
	}
	return nil
}

// together reports two calls that one reply of the model asked for: neither was
// made because of what the other returned.
func (ix *index) together(a, b *step) bool {
	cause := ix.order().cause
	return cause[a.pos] != nil && cause[a.pos] == cause[b.pos]
}

// sameArguments reports two calls that were given the same, and not nothing.
func sameArguments(a, b *step) bool {
	x, _ := a.Tool.Arguments.Data().(map[string]any)
	y, _ := b.Tool.Arguments.Data().(map[string]any)
	return len(x) > 0 && trace.EncodeJSON(x) == trace.EncodeJSON(y)
}

// looseText is the words and numbers of a text in sorted order, in lower case.
func looseText(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r)
	})
	slices.Sort(words)
	return strings.Join(words, " ")
}

// tools groups the calls by tool, once.
func (c *callIndex) tools() {
	if c.byTool != nil {
		return
	}
	n := len(c.ix.steps)
	c.byTool, c.orders = map[string][]any{}, make([]int, n)
	for i := range c.ix.steps {
		if s := &c.ix.steps[i]; isCall(s) {
			c.orders[i] = len(c.byTool[s.Tool.Name])
			c.byTool[s.Tool.Name] = append(c.byTool[s.Tool.Name], s)
		}
	}
}

func (ix *index) nextSame(s *step) *step {
	if !isCall(s) {
		return nil
	}
	c := ix.toolCalls()
	list := c.byTool[s.Tool.Name]
	l := ix.order()
	for i := c.orders[s.pos] + 1; i < len(list) && i <= c.orders[s.pos]+maxOverlap; i++ {
		if next := list[i].(*step); l.before(s, next) {
			return next
		}
	}
	return nil
}

// toolCalls is the calls grouped by tool, without looking at arguments.
func (ix *index) toolCalls() *callIndex {
	if ix.toolIndex == nil {
		ix.toolIndex = &callIndex{ix: ix}
		ix.toolIndex.tools()
	}
	return ix.toolIndex
}

// retried is the next successful call of the same tool on the same target, by
// order of start: a retry may begin while the failed call's span is still open.
func (ix *index) retried(s *step) *step {
	if !isCall(s) {
		return nil
	}
	c := ix.toolCalls()
	later := c.byTool[s.Tool.Name][c.orders[s.pos]+1:]
	for _, other := range later[:min(len(later), maxReplaced)] {
		if other := other.(*step); other.ok() && ix.goesAfter(s, other) {
			return other
		}
	}
	return nil
}

// maxLookedUp bounds how many calls before a later one may have found its target.
const maxLookedUp = 8

// goesAfter reports whether a later call is for what a failed one was for: its target
// is the same, or a call between the two found what it is given, as a folder's list
// does after a file that is not there. A number of the question that the failed call
// was given has to stay: another order is none in its place.
func (ix *index) goesAfter(failed, later *step) bool {
	x := ix.words()
	if x.sameTarget(failed, later) {
		return true
	}
	a, b := x.of(failed), x.of(later)
	if lost, other := x.swapped(a, b); lost != "" && (other || strings.ContainsFunc(lost, unicode.IsNumber)) {
		return false
	}
	calls, _ := ix.list("calls", isCall).([]any)
	upTo, _ := slices.BinarySearchFunc(calls, later.pos, func(c any, pos int) int { return c.(*step).pos - pos })
	for _, c := range slices.Backward(calls[max(0, upTo-maxLookedUp):upTo]) {
		between := c.(*step)
		if between.pos <= failed.pos {
			return false
		}
		if between.ok() && between.Agent.Name == failed.Agent.Name && !ix.together(failed, between) && !ix.together(between, later) && within(b, x.ofResult(between)) {
			return true
		}
	}
	return false
}

// maxLoopPeriod is the longest sequence of calls that loops looks for.
const maxLoopPeriod = 8

// news reports whether a call that was made again told something new: it failed
// where it had succeeded, or the other way round, or such calls return different
// results, so that what they read changes, and is polled.
func (g *callGroups) news(first, again *step) bool {
	return first.ok() != again.ok() || g.resultsOf(again) == resultsDiffer
}

// loops finds, for each agent, runs in which a sequence of calls is repeated
// at least times in a row, and tells nothing new: for each period one pass that
// counts how long call[i] == call[i-period] has held.
func (ix *index) loops(times int) any {
	if times > 1 && !ix.callsAgain() {
		return []any(nil)
	}
	groups := ix.callsBy().same
	perAgent := map[string][]*step{}
	var agents []string
	for i := range ix.steps {
		if s := &ix.steps[i]; groups.group[i] != 0 {
			if perAgent[s.Agent.Name] == nil {
				agents = append(agents, s.Agent.Name)
			}
			perAgent[s.Agent.Name] = append(perAgent[s.Agent.Name], s)
		}
	}
	begins := map[*step]bool{}
	for _, agent := range agents {
		calls := perAgent[agent]
		covered := make([]bool, len(calls)) // inside a loop of a shorter period
		for period := 1; period <= maxLoopPeriod; period++ {
			for run, i := 0, period; i < len(calls); i++ {
				if groups.group[calls[i].pos] != groups.group[calls[i-period].pos] || groups.news(calls[i-period], calls[i]) {
					run = 0
					continue
				}
				run++
				if run >= period*(times-1) {
					begin := i - run - period + 1
					if !covered[begin] {
						begins[calls[begin]] = true
					}
					for j := i; j >= max(begin, 0) && !covered[j]; j-- {
						covered[j] = true
					}
				}
			}
		}
	}
	var list []any
	for i := range ix.steps {
		if begins[&ix.steps[i]] {
			list = append(list, &ix.steps[i])
		}
	}
	return list
}
