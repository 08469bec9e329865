package rubric

import (
	"context"
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// HasSessionRubrics reports whether a rubric of scope session is among them, so
// that sessions are worth gathering.
func (g *Grader) HasSessionRubrics() bool {
	return slices.ContainsFunc(g.set.rubrics, func(r *Rubric) bool { return r.Scope == trace.ScopeSession })
}

// ofScope is a Grader with nothing but rubrics of scope session, or without any.
func (g *Grader) ofScope(session bool) *Grader {
	var ids []string
	for _, r := range g.set.rubrics {
		if g.wants(r.ID) && (r.Scope == trace.ScopeSession) == session {
			ids = append(ids, r.ID)
		}
	}
	return g.Only(ids...)
}

// Closed returns a Grader for traces whose sessions are known in full: rubrics
// of scope session are left to [Grader.Session] instead of being skipped.
func (g *Grader) Closed() *Grader { return g.ofScope(false) }

// Session adds the findings of rubrics of scope session to a grade of the
// session that the rules have made. They see its traces as one.
func (g *Grader) Session(ctx context.Context, of *trace.Grade, session string, traces []*trace.Trace) {
	s := g.ofScope(true)
	(&Begun{s, s.sessionItems(session, traces, of.Findings), of}).Finish(ctx)
}

// EstimateSession adds what grading one session would ask to the estimates.
func (g *Grader) EstimateSession(into []Estimate, session string, traces []*trace.Trace, ruled []trace.Finding) []Estimate {
	return g.estimate(into, g.ofScope(true).sessionItems(session, traces, ruled))
}

func (g *Grader) sessionItems(session string, traces []*trace.Trace, ruled []trace.Finding) []item {
	found, _ := g.set.guards.EvalSession(session, traces)
	all, parts := rules.JoinTraces(session, traces)
	subjects, settled := g.set.subjects(all, parts, found)
	return g.itemsOf(all, subjects, settled, ruled, nil, nil)
}
