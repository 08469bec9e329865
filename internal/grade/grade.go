// Package grade puts the findings of a trace together with the identity of
// everything that produced them.
package grade

import (
	"slices"
	"time"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// Trace grades t with the rules of set. at is the time that stands in the
// grade; nothing else depends on it.
func Trace(set *rules.Set, t *trace.Trace, at time.Time) *trace.Grade {
	findings, counts, ledger := set.EvalEvidence(t, nil)
	g := &trace.Grade{
		Trace: t, Findings: findings, Counts: counts,
		NormaliserVersion: normalise.Version, GradedAt: at.UTC(),
	}
	if ledger != nil {
		g.Evidence = ledger
	}
	return g
}

// Recycle takes back a grade of set that nothing looks at any more, as memory for
// later ones. It need not be called.
func Recycle(set *rules.Set, g *trace.Grade) {
	set.Recycle(g.Findings, g.Counts)
	if l, ok := g.Evidence.(*evidence.Ledger); ok {
		l.Recycle()
	}
	*g = trace.Grade{}
}

// Closed is Trace for a trace whose session is known in full: rules of scope
// session are left to [Session] instead of being skipped.
func Closed(set *rules.Set, t *trace.Trace, at time.Time) *trace.Grade {
	g := Trace(set, t, at)
	if !set.HasSessionRules() {
		return g
	}
	g.Findings = slices.DeleteFunc(g.Findings, func(f trace.Finding) bool { return set.OfSession(f.Rule) })
	g.Counts = slices.DeleteFunc(g.Counts, func(c trace.RuleCount) bool { return set.OfSession(c.Rule) })
	return g
}

// Session grades the rules of scope session on a conversation. The grade hangs
// on the session's last trace, and holds nothing but findings about the
// session. A session without an id is named by its first trace. The id is empty
// for a trace that belongs to no session, on which the rules do not apply.
func Session(set *rules.Set, s assemble.Session, at time.Time) (id string, g *trace.Grade) {
	id = s.Name()
	findings, counts := set.EvalSession(id, s.Traces)
	return id, &trace.Grade{
		Trace: s.Traces[len(s.Traces)-1], Findings: findings, Counts: counts,
		NormaliserVersion: normalise.Version, GradedAt: at.UTC(),
	}
}
