package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// regrading is one run of verb regrade: stored traces in, rows of findings out.
type regrading struct {
	set     *rules.Set
	rubrics *rubric.Set    // nil where none are named
	judges  *rubric.Grader // nil where no rubrics are named
	store   *store.Store
	out     io.Writer
	errs    io.Writer
	limit   int
	// What is wanted: of steps and traces, and of sessions.
	fences, ofSessions []store.Fence

	mu       sync.Mutex // guards what follows
	handler  *storing
	failed   error
	tally    map[string]int
	findings int
	partial  int
}

// chooseRules makes the fences of the rules and rubrics that are wanted: of
// all, or of those in only. With skipped they are those of rubrics for judges on
// steps and traces.
func (r *regrading) chooseRules(only []string, skipped bool) error {
	known := map[string]bool{}
	add := func(f store.Fence, scope trace.Scope) {
		f.NormaliserVersion = normalise.Version
		known[f.Rule] = true
		switch {
		case len(only) > 0 && !slices.Contains(only, f.Rule):
		case scope == trace.ScopeSession:
			if !skipped {
				r.ofSessions = append(r.ofSessions, f)
			}
		default:
			r.fences = append(r.fences, f)
		}
	}
	if !skipped {
		for _, rule := range r.set.Rules() {
			add(store.Fence{Rule: rule.ID, RuleHash: rule.Hash}, rule.Scope)
		}
	}
	if r.rubrics != nil {
		for _, of := range r.rubrics.Rubrics() {
			if !skipped || of.Type == rubric.TypeJudge {
				add(store.Fence{Rule: of.ID, RuleHash: of.Hash, JudgeHash: r.judges.JudgeHash(of.ID)}, of.Scope)
			}
		}
	}
	for _, id := range only {
		if !known[id] {
			return usagef("--rule %q: there is none of this id among what is to be graded", id)
		}
	}
	return nil
}

// unfinished lists the traces with rubrics that a judge still has to answer.
func (r *regrading) unfinished(ctx context.Context, sel store.Selection, reasons []string) ([]store.Ungraded, error) {
	if len(reasons) == 0 {
		reasons = rubric.Unfinished
	}
	pairs, err := r.store.Unfinished(ctx, store.UnfinishedOptions{Selection: sel, Fences: r.fences, Reasons: reasons, Limit: r.limit})
	if len(pairs) == r.limit {
		r.limited()
	}
	var todo []store.Ungraded
	for _, p := range pairs {
		if n := len(todo); n == 0 || todo[n-1].Key != p.TraceID {
			todo = append(todo, store.Ungraded{Key: p.TraceID, Traces: []string{p.TraceID}, NormaliserVersion: normalise.Version})
		}
		last := &todo[len(todo)-1]
		last.Rules = append(last.Rules, p.Rule)
	}
	return todo, err
}

func (r *regrading) limited() {
	fmt.Fprintf(r.errs, "tracegrade: warning: --limit %d is reached: run it again for the rest\n", r.limit)
}

// sessionTracesMax is the longest session that is graded: its traces are held
// together.
const sessionTracesMax = 2000

// each loads what is to be graded, and hands it to f: traces one by one, and
// each session with all its traces.
func (r *regrading) each(ctx context.Context, todo []store.Ungraded, f func(store.Ungraded, []*trace.Trace) error) error {
	var ids []string
	of := map[string]int{} // place in todo, by trace id
	for i, u := range todo {
		if len(u.Traces) > sessionTracesMax {
			fmt.Fprintf(r.errs, "tracegrade: warning: session %q has %d traces and is not graded: %d is the most\n", u.Key, len(u.Traces), sessionTracesMax)
			continue
		}
		for _, id := range u.Traces {
			ids = append(ids, id)
			of[id] = i
		}
	}
	var held []*trace.Trace // of one session, whose traces come one after another
	flush := func() error {
		if len(held) == 0 {
			return nil
		}
		traces := held
		held = nil
		return f(todo[of[traces[0].ID]], traces)
	}
	loaded, err := r.store.LoadTraces(ctx, ids, func(t *trace.Trace) error {
		if len(held) > 0 && of[held[0].ID] != of[t.ID] {
			if err := flush(); err != nil {
				return err
			}
		}
		held = append(held, t)
		return nil
	})
	r.partial += loaded.Partial
	if err != nil {
		return err
	}
	return flush()
}

// estimate says how much there is to grade and what judges would cost, and asks
// nobody.
func (r *regrading) estimate(ctx context.Context, todo, sessions []store.Ungraded) error {
	fmt.Fprintf(r.out, "%d traces and %d sessions are to be graded\n", len(todo), len(sessions))
	if r.judges == nil {
		return nil
	}
	var estimates []rubric.Estimate
	err := r.each(ctx, todo, func(u store.Ungraded, traces []*trace.Trace) error {
		ruled := grade.Closed(r.set, traces[0], time.Now())
		estimates = r.judges.Only(u.Rules...).Closed().Estimate(estimates, traces[0], ruled.Findings)
		return nil
	})
	if err == nil {
		err = r.each(ctx, sessions, func(u store.Ungraded, traces []*trace.Trace) error {
			for _, s := range assemble.Sessions(traces) {
				id, ruled := grade.Session(r.set, s, time.Now())
				estimates = r.judges.Only(u.Rules...).EstimateSession(estimates, id, s.Traces, ruled.Findings)
			}
			return nil
		})
	}
	if err != nil {
		return err
	}
	return rubric.WriteEstimate(r.out, estimates)
}

// run grades and stores.
func (r *regrading) run(ctx context.Context, todo, sessions []store.Ungraded) (err error) {
	texts := ruleset.Texts(r.set)
	if r.judges != nil {
		texts = append(texts, ruleset.RubricTexts(r.rubrics, r.judges)...)
	}
	if r.handler, err = newStoring(context.WithoutCancel(ctx), r.store, texts, time.Now()); err != nil {
		return err
	}
	var asking sync.WaitGroup
	places := make(chan struct{}, judgedTraces)
	grade := func(of func(context.Context, store.Ungraded, []*trace.Trace) []*trace.Grade) func(store.Ungraded, []*trace.Trace) error {
		return func(u store.Ungraded, traces []*trace.Trace) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			places <- struct{}{}
			asking.Go(func() {
				defer func() { <-places }()
				r.keep(of(ctx, u, traces))
			})
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.failed
		}
	}
	err = r.each(ctx, todo, grade(r.trace))
	if err == nil {
		err = r.each(ctx, sessions, grade(r.session))
	}
	asking.Wait()
	if err == nil || ctx.Err() != nil {
		err = r.failed
	}
	if err == nil {
		err = r.handler.End(nil)
	}
	if err != nil {
		return err
	}
	if ctx.Err() != nil { // what was judged until then is stored
		writeTally(r.out, r.tally)
		writeSpent(r.out, r.judges)
		return fmt.Errorf("%w; %d findings are stored, and the same command goes on with the others", context.Cause(ctx), r.findings)
	}
	warnPartial(r.errs, r.partial, len(todo))
	fmt.Fprintf(r.out, "%d findings on %d traces and %d sessions\n", r.findings, len(todo), len(sessions))
	writeTally(r.out, r.tally)
	writeSpent(r.out, r.judges)
	return nil
}

// askedRows is how many rows are stored together where judges are asked: few,
// because each cost a reply and what is stored is not asked again.
const askedRows = 200

// keep stores grades that hold nothing but findings and counts.
func (r *regrading) keep(grades []*trace.Grade) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range grades {
		for _, f := range g.Findings {
			r.findings++
			r.tally[strings.TrimSpace(f.Outcome.String()+" "+f.Reason)]++
		}
		if r.failed == nil {
			r.failed = r.handler.findings(g)
		}
	}
	if r.failed == nil && r.judges != nil && r.handler.batch.Len() >= askedRows {
		r.failed = r.handler.flush()
	}
}

// trace grades one trace with the rules that it lacks.
func (r *regrading) trace(ctx context.Context, u store.Ungraded, traces []*trace.Trace) []*trace.Grade {
	g := grade.Closed(r.set, traces[0], time.Now())
	if r.judges != nil {
		r.judges.Only(u.Rules...).Closed().Grade(ctx, g)
	}
	return []*trace.Grade{only(g, u)}
}

// session grades one session. Its findings hang on its last trace: on the others
// an older grading may have left some, which counts of nothing take away.
func (r *regrading) session(ctx context.Context, u store.Ungraded, traces []*trace.Trace) []*trace.Grade {
	var grades []*trace.Grade
	for _, s := range assemble.Sessions(traces) {
		id, g := grade.Session(r.set, s, time.Now())
		if r.judges != nil {
			r.judges.Only(u.Rules...).Session(ctx, g, id, s.Traces)
		}
		g = only(g, u)
		grades = append(grades, g)
		for _, t := range s.Traces[:len(s.Traces)-1] {
			none := &trace.Grade{Trace: t, NormaliserVersion: g.NormaliserVersion, GradedAt: g.GradedAt}
			for _, c := range g.Counts {
				none.Counts = append(none.Counts, trace.RuleCount{Rule: c.Rule, RuleHash: c.RuleHash, JudgeHash: c.JudgeHash})
			}
			grades = append(grades, none)
		}
	}
	return grades
}

// only is a grade with nothing but what the rules of u found, under the
// normaliser that read the trace.
func only(g *trace.Grade, u store.Ungraded) *trace.Grade {
	o := &trace.Grade{Trace: g.Trace, NormaliserVersion: u.NormaliserVersion, GradedAt: time.Now().UTC()}
	for _, f := range g.Findings {
		if slices.Contains(u.Rules, f.Rule) {
			o.Findings = append(o.Findings, f)
		}
	}
	for _, c := range g.Counts {
		if slices.Contains(u.Rules, c.Rule) {
			o.Counts = append(o.Counts, c)
		}
	}
	return o
}

// writeTally prints how many findings came to each outcome, the most frequent
// first.
func writeTally(w io.Writer, tally map[string]int) {
	var names []string
	for name := range tally {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := tally[b] - tally[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range names {
		fmt.Fprintf(w, "%8d %s\n", tally[name], name)
	}
}
