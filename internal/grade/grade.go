// Package grade puts the findings of a trace together with the identity of
// everything that produced them.
package grade

import (
	"time"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// Trace grades t with the rules of set. at is the time that stands in the
// grade; nothing else depends on it.
func Trace(set *rules.Set, t *trace.Trace, at time.Time) *trace.Grade {
	findings, counts := set.Eval(t)
	return &trace.Grade{
		Trace: t, Findings: findings, Counts: counts,
		NormaliserVersion: normalise.Version, GradedAt: at.UTC(),
	}
}
