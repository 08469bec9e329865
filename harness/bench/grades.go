package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Grades gives each run's trace with the funnels of its traps as findings, rules
// trap/EVENT. Runs that could not be made, and clean runs, in which nothing was
// planted, have none.
func Grades(ctx context.Context, dir string, runs []Record, each func(*trace.Grade) error) error {
	for _, u := range units(latest(runs)) {
		if u.p != &u.r.Passages[0] {
			continue // the run was seen
		}
		path := filepath.Join(dir, TracesDir, u.r.Run+".pb")
		traces, _, err := offline.Traces(ctx, []string{path}, offline.Options{Workers: 1})
		if err != nil {
			return fmt.Errorf("read the spans of run %s: %w", u.r.Run, err)
		}
		for _, t := range traces {
			if t.ID != u.r.TraceID {
				continue
			}
			g := &trace.Grade{Trace: t, Findings: funnel.Findings(t, u.r.Passages), NormaliserVersion: normalise.Version, GradedAt: u.r.GradedAt}
			g.Counts = counts(g.Findings)
			g.Evidence = evidence.Build(t)
			if err := each(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// counts is how often each rule came to each outcome, in the order of the events.
func counts(findings []trace.Finding) []trace.RuleCount {
	var list []trace.RuleCount
	for _, f := range findings {
		i := slices.IndexFunc(list, func(c trace.RuleCount) bool { return c.Rule == f.Rule })
		if i < 0 {
			i = len(list)
			list = append(list, trace.RuleCount{Rule: f.Rule, RuleHash: f.RuleHash})
		}
		list[i].Add(f.Outcome)
	}
	for i := range list {
		// A rule that applies to one of two traps applies to the trace.
		c := &list[i]
		c.NotApplicable = min(c.NotApplicable, 1)
		if c.Pass+c.Fail > 0 {
			c.NotApplicable = 0
		}
	}
	return list
}
