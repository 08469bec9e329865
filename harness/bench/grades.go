package bench

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Grades gives each run's trace with the funnel of its main trap as findings,
// rules trap/EVENT. Runs that could not be made, and clean runs, in which
// nothing was planted, have none.
func Grades(ctx context.Context, dir string, runs []Record, each func(*trace.Grade) error) error {
	for _, u := range units(latest(runs)) {
		if u.p != &u.r.Passages[0] {
			continue
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
			g := &trace.Grade{Trace: t, Findings: u.p.Findings(t), NormaliserVersion: normalise.Version, GradedAt: u.r.GradedAt}
			for _, f := range g.Findings {
				c := trace.RuleCount{Rule: f.Rule, RuleHash: f.RuleHash}
				c.Add(f.Outcome)
				g.Counts = append(g.Counts, c)
			}
			g.Evidence = evidence.Build(t)
			if err := each(g); err != nil {
				return err
			}
		}
	}
	return nil
}
