package rules

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// HasSessionRules reports whether a rule of scope session is among them, so
// that sessions are worth gathering.
func (s *Set) HasSessionRules() bool { return len(s.ofSession) > 0 }

// OfSession reports whether a rule is one of scope session.
func (s *Set) OfSession(rule string) bool { return s.ofSession[rule] }

// EvalSession grades one session: the rules of scope session on all its traces
// together, in the order in which they began. Functions see the steps of all
// traces, answer is the last trace's and question the first's. The counts are
// those of session rules, in rule order. With an empty session the one trace
// belongs to none, and the rules do not apply to it.
func (s *Set) EvalSession(session string, traces []*trace.Trace) ([]trace.Finding, []trace.RuleCount) {
	w := s.runs.Get().(*run)
	defer w.end()
	w.begin(indexOfSession(session, traces))
	var findings []trace.Finding
	var counts []trace.RuleCount
	for _, c := range s.rules {
		if c.Scope != trace.ScopeSession {
			continue
		}
		f := w.ofSession(c, session)
		count := trace.RuleCount{Rule: c.ID, RuleHash: c.Hash}
		count.Add(f.Outcome)
		findings, counts = append(findings, f), append(counts, count)
	}
	return findings, counts
}

// ofSession is the finding of a session rule on a session whose traces are all
// known, or on a trace that belongs to none.
func (w *run) ofSession(c *compiled, session string) trace.Finding {
	if session == "" {
		return w.openSession(c)
	}
	w.step = nil
	f := w.report(c, nil, w.judge(c))
	f.Scope, f.SubjectID = trace.ScopeSession, session
	return f
}

// indexOfSession is the index over the traces of a session, read as one trace;
// over the trace itself where it belongs to no session.
func indexOfSession(session string, traces []*trace.Trace) *index {
	if session == "" {
		return newIndex(traces[0])
	}
	all, parts := JoinTraces(session, traces)
	ix := newIndex(all)
	ix.parts = parts
	return ix
}

// JoinTraces is what functions see of a session: its traces as one, with the
// session as its id, and the traces in the order in which they began. A trace that
// only repeats what others of them record is no part of the conversation.
func JoinTraces(session string, traces []*trace.Trace) (all *trace.Trace, parts []*trace.Trace) {
	parts = slices.Clone(traces)
	slices.SortStableFunc(parts, func(a, b *trace.Trace) int { return a.Start.Compare(b.Start) })
	all = &trace.Trace{ID: session, Session: session, Release: trace.Release{Reason: trace.ReleaseEndOfInput, Complete: true}}
	all.Steps, all.Usage = (&assemble.Session{Traces: parts}).Steps()
	parts = withoutRecords(parts, all.Steps)
	for i, t := range parts {
		if i == 0 {
			all.User, all.Service, all.Agent, all.Question, all.Start = t.User, t.Service, t.Agent, t.Question, t.Start
		}
		if t.Answer != "" || i == 0 {
			all.Answer, all.AnswerStep = t.Answer, t.AnswerStep
		}
		if t.End.After(all.End) {
			all.End = t.End
		}
		all.Revision += t.Revision
		all.Unjoined += t.Unjoined
		all.Release.Complete = all.Release.Complete && t.Release.Complete
		all.Release.MissingParents += t.Release.MissingParents
		all.Release.Cycles += t.Release.Cycles
	}
	return all, parts
}

// withoutRecords leaves the traces that have a model call which is not said to repeat
// that of another trace, or no model call at all.
func withoutRecords(parts []*trace.Trace, steps []*trace.Step) []*trace.Trace {
	owner := make(map[string]string, len(steps)) // trace of each step
	for _, s := range steps {
		owner[s.ID] = s.TraceID
	}
	repeats, calls := map[string]bool{}, map[string]bool{}
	for _, s := range steps {
		switch {
		case s.Kind != trace.KindLLM:
		case s.DuplicateOf == "":
			calls[s.TraceID] = true
		case owner[s.DuplicateOf] != s.TraceID:
			repeats[s.TraceID] = true
		}
	}
	return slices.DeleteFunc(parts, func(t *trace.Trace) bool { return repeats[t.ID] && !calls[t.ID] })
}

// answers is the final answer of each trace of the subject that has one.
func (ix *index) answers() []string {
	return ix.texts(func(t *trace.Trace) string { return t.Answer })
}

// questions is what the user asked in each trace of the subject that says it.
func (ix *index) questions() []string {
	return ix.texts(func(t *trace.Trace) string { return t.Question })
}

func (ix *index) texts(of func(t *trace.Trace) string) []string {
	parts := ix.parts
	if parts == nil {
		parts = []*trace.Trace{ix.trace}
	}
	list := []string{}
	for _, t := range parts {
		if text := of(t); text != "" {
			list = append(list, text)
		}
	}
	return list
}
