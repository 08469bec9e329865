package assemble

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Session is the traces of one conversation, in the order in which they began.
type Session struct {
	ID     string // empty where no trace has one
	Traces []*trace.Trace
}

// Name is the session's id, or that of its first trace where several traces
// belong together without one. It is empty for a trace that belongs to no
// session: it has no id, and no other trace goes on with it.
func (s *Session) Name() string {
	if s.ID != "" || len(s.Traces) == 1 {
		return s.ID
	}
	return s.Traces[0].ID
}

// Sessions groups traces into conversations: by session id and, because
// producers that make a trace of every turn or model call often give none, by
// content. A trace belongs to the session of another where its first model call
// goes on with the other's conversation, or where both record one model call; equal replies
// of two services are two calls.
// Traces of different session ids or users are never put together.
func Sessions(traces []*trace.Trace) []Session {
	ordered := slices.Clone(traces)
	slices.SortFunc(ordered, func(x, y *trace.Trace) int {
		return cmp.Or(x.Start.Compare(y.Start), bySource(x.Source, y.Source), cmp.Compare(x.ID, y.ID))
	})
	g := newGrouping(ordered)
	g.byID()
	g.byConversation()
	g.byCall()
	return g.sessions()
}

// bySource orders traces of one time, or of none, as their file has them.
func bySource(x, y string) int {
	file, line := place(x)
	other, below := place(y)
	return cmp.Or(cmp.Compare(file, other), cmp.Compare(line, below))
}

// place parts a trace's source, FILE:LINE or FILE:+OFFSET.
func place(source string) (file string, at int) {
	i := strings.LastIndexByte(source, ':')
	if i < 0 {
		return source, 0
	}
	at, err := strconv.Atoi(source[i+1:])
	if err != nil {
		return source, 0
	}
	return source[:i], at
}

// grouping joins traces into sets, each named by its first trace.
type grouping struct {
	traces []*trace.Trace
	set    []int // for each trace another of its set, nearer to the first; itself for the first
	id     []string
	user   []string
	calls  [][]*trace.Step // model calls of each trace, without repetitions
}

func newGrouping(traces []*trace.Trace) *grouping {
	g := &grouping{
		traces: traces, set: make([]int, len(traces)), id: make([]string, len(traces)),
		user: make([]string, len(traces)), calls: make([][]*trace.Step, len(traces)),
	}
	for i, t := range traces {
		g.set[i], g.id[i], g.user[i] = i, t.Session, t.User
		for _, s := range t.Steps {
			if s.Kind == trace.KindLLM && s.DuplicateOf == "" {
				g.calls[i] = append(g.calls[i], s)
			}
		}
	}
	return g
}

func (g *grouping) find(i int) int {
	for g.set[i] != i {
		g.set[i] = g.set[g.set[i]]
		i = g.set[i]
	}
	return i
}

// join puts two traces into one set, unless what is known of them differs.
func (g *grouping) join(i, j int) {
	i, j = g.find(i), g.find(j)
	if i == j || differ(g.id[i], g.id[j]) || differ(g.user[i], g.user[j]) {
		return
	}
	first, other := min(i, j), max(i, j)
	g.set[other] = first
	fillText(&g.id[first], g.id[other])
	fillText(&g.user[first], g.user[other])
}

func differ(x, y string) bool { return x != "" && y != "" && x != y }

func (g *grouping) byID() {
	first := make(map[string]int)
	for i, t := range g.traces {
		if t.Session == "" {
			continue
		}
		if j, known := first[t.Session]; known {
			g.join(j, i)
		} else {
			first[t.Session] = i
		}
	}
}

// byConversation joins a trace with the latest one before it whose last words
// its first model call was given.
func (g *grouping) byConversation() {
	type said struct {
		in    int
		reply string
	}
	ends := make(map[link][]said)
	var a assembly // for the prints that traces share
	e := newEncoder()
	defer e.release()
	for i := range g.traces {
		if len(g.calls[i]) == 0 {
			continue
		}
		list := g.calls[i][0].Input.List()
		prints := a.printsOf(e, list)
		chains := chain(prints)
		for k := len(prints) - 1; k > 0; k-- {
			reply := replyIn(e, list[k:])
			at := slices.IndexFunc(ends[chains[k]], func(s said) bool { return reply != "" && s.reply == reply })
			if at >= 0 {
				g.join(ends[chains[k]][at].in, i)
				break
			}
		}
		for _, s := range g.calls[i] {
			chains := chain(a.printsOf(e, s.Input.List()))
			whole := chains[len(chains)-1]
			if reply := replyKey(e, s); reply != "" {
				ends[whole] = append([]said{{i, reply}}, ends[whole]...)
			}
		}
	}
}

// replyIn is the reply key of what the assistant says at the beginning of list.
func replyIn(e *encoder, list []trace.Message) string {
	n := 0
	for n < len(list) && list[n].Role == trace.RoleAssistant {
		n++
	}
	return replyKey(e, &trace.Step{Output: trace.MessageList(list[:n])})
}

// byCall joins traces that record one model call: by the provider's id of the
// reply, or by an equal reply at the same time from another instrumentation.
func (g *grouping) byCall() {
	type record struct {
		in   int
		step *trace.Step
	}
	known := make(map[string][]record)
	e := newEncoder()
	defer e.release()
	for i := range g.traces {
		for _, s := range g.calls[i] {
			var keys []string
			if id := s.Model.ResponseID; id != "" {
				keys = append(keys, "id "+id)
			}
			if richness(&s.Output) >= 2 {
				keys = append(keys, "reply "+replyKey(e, s))
			}
			for _, k := range keys {
				before := known[k]
				for _, r := range slices.Backward(before[max(0, len(before)-window):]) {
					byID := strings.HasPrefix(k, "id ")
					if !byID && differ(g.traces[i].Service.Name, g.traces[r.in].Service.Name) {
						continue // two programs: instrumentations of one call share the service
					}
					if r.in != i && recordOneCall(s, r.step, byID) {
						g.join(r.in, i)
						break
					}
				}
				known[k] = append(before, record{i, s})
			}
		}
	}
}

// recordOneCall reports whether two calls of equal reply, or of one reply's id,
// are one. Short replies are equal by chance: the usage or the user's words
// must be too.
func recordOneCall(s, t *trace.Step, byID bool) bool {
	if !atOnce(s, t) || !modelsAgree(s, t) || !usageAgrees(s, t) || questionsDiffer(s, t) {
		return false
	}
	asked := trace.LastSaid(s.Input.List(), trace.RoleUser)
	sameWords := asked != "" && trace.LastSaid(t.Input.List(), trace.RoleUser) != ""
	sameUsage := s.Usage.Scope != trace.UsageNone && t.Usage.Scope != trace.UsageNone && s.Usage.Input+s.Usage.Output > 0
	return byID || s.Scope != t.Scope && (sameWords || sameUsage)
}

// atOnce reports whether two steps were at work at the same time.
func atOnce(s, t *trace.Step) bool {
	return overlap(&node{at: s.Start, end: s.End}, &node{at: t.Start, end: t.End})
}

func (g *grouping) sessions() []Session {
	place := make(map[int]int)
	var list []Session
	for i, t := range g.traces {
		first := g.find(i)
		at, known := place[first]
		if !known {
			at = len(list)
			place[first] = at
			list = append(list, Session{ID: g.id[first]})
		}
		list[at].Traces = append(list[at].Traces, t)
	}
	return list
}

// SessionTraceID is the trace id of a session that its producer only logs, as
// steps without any trace.
func SessionTraceID(session string) string {
	sum := sha256.Sum256([]byte("session " + session))
	return hex.EncodeToString(sum[:16])
}

// Steps lists the steps of the session's traces, trace by trace, each as its trace
// has it, with the tokens of all of them. What several traces record (a call in the
// agent's trace and in the gateway's, a tool without a span in one and with it in
// another) is one step, which holds what any of them knows; the others name it as the
// step that they repeat. The traces are only read.
func (s *Session) Steps() ([]*trace.Step, trace.Usage) {
	var steps []*trace.Step
	for _, t := range s.Traces {
		steps = append(steps, t.Steps...)
	}
	if len(s.Traces) < 2 {
		return steps, s.Traces[0].Usage
	}
	whole := s.Trace()
	at := make(map[spanKey]int, len(steps)) // of spans
	for i, step := range steps {
		if step.SpanID != "" {
			at[keyOf(step)] = i
		}
	}
	one := make(map[string]*trace.Step, len(whole.Steps)) // of the whole, by id
	ran := make(map[string]*trace.Step)                   // tools of the whole, by call
	for _, w := range whole.Steps {
		one[w.ID] = w
		if w.Kind == trace.KindTool && w.DuplicateOf == "" && !w.Synthetic && toolOf(w).CallID != "" {
			ran[w.Tool.CallID] = w
		}
	}
	repeats := func(i int, w *trace.Step) {
		j, known := at[keyOf(w)]
		if !known || w.TraceID == steps[i].TraceID {
			return
		}
		again, first := *steps[i], *w
		again.DuplicateOf = steps[j].ID
		first.ID, first.Turn, first.CausedBy, first.DuplicateOf = steps[j].ID, steps[j].Turn, steps[j].CausedBy, steps[j].DuplicateOf
		steps[i], steps[j] = &again, &first
	}
	for _, w := range whole.Steps {
		if i, known := at[keyOf(w)]; known && w.SpanID != "" && w.DuplicateOf != "" {
			repeats(i, one[w.DuplicateOf])
		}
	}
	for i, step := range steps {
		if w := ran[toolOf(step).CallID]; step.Synthetic && w != nil && toolOf(w).Name == toolOf(step).Name {
			repeats(i, w)
		}
	}
	return steps, whole.Usage
}

// Trace puts the traces of a session together as one: calls that one trace made
// and another tells the result of, model calls that two traces record, turns,
// usage, question and answer are found as within one trace. Its id is that of
// the first trace.
func (s *Session) Trace() *trace.Trace {
	var steps []*trace.Step
	release := trace.Release{Reason: trace.ReleaseEndOfInput}
	revision, unjoined := 0, 0
	for _, t := range s.Traces {
		revision += t.Revision
		unjoined += t.Unjoined
		release.Reason = t.Release.Reason
		for _, step := range t.Steps {
			if !step.Synthetic {
				steps = append(steps, step)
			}
		}
	}
	var id string
	if len(s.Traces) > 0 {
		id = s.Traces[0].ID
	}
	a := &assembly{id: id, unjoined: unjoined}
	a.collect(steps)
	t := a.build(release)
	t.Revision = revision
	return t
}
