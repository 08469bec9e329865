package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/rubric/pool"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// judgedTraces is how many traces are in work at once where judges are asked:
// waiting for a judge takes no processor. How many calls run at once is for the
// judges' own limits to say.
const judgedTraces = 64

// grading is one run of verb grade: traces in, a stream of grades out.
type grading struct {
	set    *rules.Set
	claims *funnel.PlantedFile // nil where no traps are known of
	judges *rubric.Grader      // nil where no rubrics are asked for
	at     time.Time
	start  report.Start
	read   offline.Stats   // what run found in the inputs
	unread func() []string // what could not be read of them
	// stopped is the signal that ended run before it was done; nil where none did.
	stopped error
}

// run grades the inputs and returns what was found. When ctx ends, that is what was
// found until then, and the report says so.
func (g *grading) run(ctx context.Context, inputs []string, o offline.Options, handler report.Handler) (*report.Summary, error) {
	counter := report.NewCounter(g.start)
	if err := handler.Start(g.start); err != nil {
		return nil, err
	}
	var traces []*trace.Trace // for sessions, where a rule asks for them
	var err error
	type gradedItem struct {
		*trace.Grade
		recycle func()
	}
	g.read, err = offline.Each(ctx, inputs, o,
		func(i offline.Item) gradedItem { return gradedItem{g.trace(ctx, i.Trace), i.Recycle} },
		func(item gradedItem) error {
			graded := item.Grade
			if g.hasSessions() {
				traces = append(traces, graded.Trace)
			}
			if g.claims != nil {
				g.claims.Of(graded.Trace) // met, whether or not a rule asks for its traps
			}
			counter.Trace(graded)
			err := handler.Trace(graded)
			if g.judges == nil {
				grade.Recycle(g.set, graded)
				if !g.hasSessions() {
					item.recycle()
				}
			}
			return err
		})
	if err != nil && !errors.As(err, new(stopped)) {
		return nil, err
	}
	sessions := assemble.Sessions(traces)
	for len(sessions) > 0 && ctx.Err() == nil {
		s := sessions[0]
		sessions = sessions[1:]
		session := &report.Session{}
		session.ID, session.Grade = grade.Session(g.set, s, g.at)
		if g.judges != nil {
			g.judges.Session(ctx, session.Grade, session.ID, s.Traces)
		}
		for _, t := range s.Traces {
			session.TraceIDs = append(session.TraceIDs, t.ID)
		}
		counter.Session(session)
		if err := handler.Session(session); err != nil {
			return nil, err
		}
	}
	summary := counter.Summary()
	summary.Unread = g.unread()
	if ctx.Err() != nil {
		g.stopped = context.Cause(ctx)
		summary.Stopped = g.missing(len(sessions))
	} else if g.claims != nil {
		summary.UnmetClaims, _ = g.claims.Unmet()
	}
	return summary, handler.End(summary)
}

// missing says what of the inputs was not graded when a run was stopped, with so
// many sessions of what was.
func (g *grading) missing(sessions int) string {
	if g.read.Traces == 0 {
		return fmt.Sprintf("the inputs were not read to their end (%d MiB were), so that nothing is graded", g.read.Bytes>>20)
	}
	text := fmt.Sprintf("%d of %d traces are not graded", g.read.Left, g.read.Traces)
	if g.judges != nil {
		text += ", and of the others what no judge had answered is skipped (" + pool.SkipClosed + ")"
	}
	if g.read.Left > 0 && g.hasSessions() {
		return text + "; no session is graded"
	}
	if sessions > 0 {
		text += fmt.Sprintf("; %d sessions are not graded", sessions)
	}
	return text
}

// trace grades one trace: rules first, since they may leave judges nothing to
// be asked.
func (g *grading) trace(ctx context.Context, t *trace.Trace) *trace.Grade {
	graded := grade.Closed(g.set, t, g.at)
	if g.judges != nil {
		g.judges.Closed().Grade(ctx, graded)
	}
	return graded
}

// hasSessions reports whether something is graded on sessions as a whole.
func (g *grading) hasSessions() bool {
	return g.set.HasSessionRules() || g.judges != nil && g.judges.HasSessionRubrics()
}

// estimate says what the rubrics would cost, and asks nobody.
func (g *grading) estimate(ctx context.Context, cmd *cobra.Command, inputs []string, o offline.Options, p *problems) error {
	if g.judges == nil {
		return usagef("--dry-run estimates what rubrics cost; name some with --rubrics")
	}
	var estimates []rubric.Estimate
	var traces []*trace.Trace // for sessions
	stats, err := offline.Each(ctx, inputs, o,
		func(i offline.Item) *trace.Grade { return grade.Closed(g.set, i.Trace, g.at) },
		func(graded *trace.Grade) error {
			estimates = g.judges.Closed().Estimate(estimates, graded.Trace, graded.Findings)
			if g.judges.HasSessionRubrics() {
				traces = append(traces, graded.Trace)
			}
			return nil
		})
	p.close(stats)
	if err != nil {
		return err
	}
	if stats.Traces == 0 {
		return noTrace(stats)
	}
	for _, s := range assemble.Sessions(traces) {
		id, graded := grade.Session(g.set, s, g.at)
		estimates = g.judges.EstimateSession(estimates, id, s.Traces, graded.Findings)
	}
	return rubric.WriteEstimate(cmd.OutOrStdout(), estimates)
}
