package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// regradeFlags are the settings of verb regrade.
type regradeFlags struct {
	database databaseFlags
	stored   storedFlags
	rubric   rubricFlags
	rules    []string
	only     []string
	reasons  []string
	skipped  bool
	dryRun   bool
	limit    int
}

func regradeCommand() *cobra.Command {
	var f regradeFlags
	cmd := &cobra.Command{
		Use:   "regrade --skipped",
		Short: "Ask judges what was skipped or failed on the way to them, on stored traces",
		Long: `Complete the findings of rubrics that were skipped for want of time, budget or a
judge, or that failed on the way to one. The traces are loaded from ClickHouse,
only the rubrics that are unfinished are asked again, and their findings are
stored. What was left out for good (sampling, a limit of subjects) and what a judge said stay.

A second run finds nothing left to do, but for what was skipped again. Replies in
the judges' cache cost nothing.

Exit status: 0 done, also where nothing was left to do; 2 the command line, a
rubric or the configuration of judges is wrong; 3 trouble.`,
		Example: `  tracegrade regrade --skipped --rubrics pack:evidence --judges judges.yaml --dry-run
  tracegrade regrade --skipped --rubrics rubrics/ --judges judges.yaml --since 1d --rule grounded --reason budget_money
  tracegrade regrade --skipped --rubrics rubrics/ --judges judges.yaml --where "agent = 'shop'"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.skipped, "skipped", false, "complete skipped findings of rubrics (the only kind of regrading so far)")
	f.database.register(cmd)
	f.stored.registerSelection(cmd)
	f.rubric.register(cmd)
	f.rubric.registerReferences(cmd)
	flags.StringArrayVar(&f.rules, "rules", nil, "rule `FILE`, folder or pack:NAME that may decide a rubric's question first; may repeat (default: all shipped packs)")
	flags.StringArrayVar(&f.only, "rule", nil, "only this `RUBRIC`; may repeat")
	flags.StringArrayVar(&f.reasons, "reason", nil, "only findings with this `REASON` (late, budget_money, judge_down, ...); may repeat")
	flags.BoolVar(&f.dryRun, "dry-run", false, "ask no judge: say how many calls, tokens and how much money it would take")
	flags.IntVar(&f.limit, "limit", 100_000, "most rubrics on traces in one run")
	return cmd
}

func (f *regradeFlags) run(cmd *cobra.Command) error {
	if !f.skipped {
		return usagef("want --skipped: it says what is graded again")
	}
	if len(f.rubric.paths) == 0 {
		return usagef("want --rubrics: the rubrics of which findings were skipped")
	}
	if f.rubric.judges == "" {
		return usagef("want --judges: who is to be asked")
	}
	if f.limit < 1 {
		return usagef("--limit %d: want at least 1", f.limit)
	}
	for _, r := range f.reasons {
		if !slices.Contains(rubric.Unfinished, r) {
			return usagef("--reason %q: want one of %s", r, strings.Join(rubric.Unfinished, ", "))
		}
	}
	sel, err := f.stored.selection(time.Now())
	if err != nil {
		return err
	}
	set, err := ruleset.Load(f.rules)
	if err != nil {
		return usage(err)
	}
	rubrics, judges, err := f.rubric.open(set)
	if err != nil {
		return usage(err)
	}
	defer judges.Close(context.WithoutCancel(cmd.Context()))
	fences, err := f.fences(rubrics, judges)
	if err != nil {
		return err
	}
	s, closeStore, err := f.database.open(cmd, readWrite)
	if err != nil {
		return err
	}
	defer closeStore()
	reasons := f.reasons
	if len(reasons) == 0 {
		reasons = rubric.Unfinished
	}
	todo, err := s.Unfinished(cmd.Context(), store.UnfinishedOptions{Fences: fences, Reasons: reasons, From: sel.From, To: sel.To, Limit: f.limit})
	if err != nil {
		return err
	}
	r := &regrading{set: set, judges: judges, store: s, out: cmd.OutOrStdout()}
	if len(todo) == f.limit {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: warning: --limit %d is reached: run it again for the rest\n", f.limit)
	}
	if f.dryRun {
		return r.estimate(cmd.Context(), todo, sel)
	}
	return r.run(cmd.Context(), todo, sel, rubrics)
}

// fences are those of the rubrics that are wanted.
func (f *regradeFlags) fences(set *rubric.Set, judges *rubric.Grader) ([]store.Fence, error) {
	var fences []store.Fence
	known := map[string]bool{}
	for _, r := range set.Rubrics() {
		known[r.ID] = true
		if r.Type == rubric.TypeJudge && (len(f.only) == 0 || slices.Contains(f.only, r.ID)) {
			fences = append(fences, store.Fence{Rule: r.ID, RuleHash: r.Hash, JudgeHash: judges.JudgeHash(r.ID), NormaliserVersion: normalise.Version})
		}
	}
	for _, id := range f.only {
		if !known[id] {
			return nil, usagef("--rule %q: there is no such rubric in %s", id, strings.Join(f.rubric.paths, ", "))
		}
	}
	return fences, nil
}

// regrading is one run of verb regrade.
type regrading struct {
	set    *rules.Set
	judges *rubric.Grader
	store  *store.Store
	out    io.Writer
}

// regradeRows is how many rows are stored together: few, because each cost a
// judge's reply and what is stored is not asked again.
const regradeRows = 200

// loadAtOnce is how many traces are named in one question to the database.
const loadAtOnce = 2000

// each loads the traces that have something unfinished, and hands each to f with
// the ids of the rubrics.
func (r *regrading) each(ctx context.Context, todo []store.Unfinished, sel store.Selection, f func(*trace.Trace, []string) error) error {
	rubrics := map[string][]string{}
	var ids []string
	for _, u := range todo {
		if rubrics[u.TraceID] == nil {
			ids = append(ids, u.TraceID)
		}
		rubrics[u.TraceID] = append(rubrics[u.TraceID], u.Rule)
	}
	for part := range slices.Chunk(ids, loadAtOnce) {
		only := store.Selection{Where: "trace_id IN {unfinished:Array(String)}", Parameters: map[string]string{"unfinished": "['" + strings.Join(part, "','") + "']"}}
		if sel.Where != "" {
			only.Where += " AND (" + sel.Where + "\n)"
		}
		if _, err := r.store.Load(ctx, only, func(t *trace.Trace) error { return f(t, rubrics[t.ID]) }); err != nil {
			return err
		}
	}
	return nil
}

// estimate says what completing would cost, and asks nobody.
func (r *regrading) estimate(ctx context.Context, todo []store.Unfinished, sel store.Selection) error {
	var estimates []rubric.Estimate
	traces := 0
	err := r.each(ctx, todo, sel, func(t *trace.Trace, ids []string) error {
		traces++
		estimates = r.judges.Only(ids...).Estimate(estimates, t, grade.Closed(r.set, t, time.Now()).Findings)
		return nil
	})
	if err != nil {
		return err
	}
	if traces == 0 {
		fmt.Fprintln(r.out, nothingUnfinished)
		return nil
	}
	return rubric.WriteEstimate(r.out, estimates)
}

const nothingUnfinished = "nothing is unfinished"

// run asks the judges and stores what they say.
func (r *regrading) run(ctx context.Context, todo []store.Unfinished, sel store.Selection, set *rubric.Set) error {
	var mu sync.Mutex // guards the handler and the tally
	h, err := newStoring(ctx, r.store, ruleset.RubricTexts(set, r.judges), time.Now())
	if err != nil {
		return err
	}
	var failed error
	tally := map[string]int{}
	traces, findings := 0, 0
	var asking sync.WaitGroup
	places := make(chan struct{}, judgedTraces)
	err = r.each(ctx, todo, sel, func(t *trace.Trace, ids []string) error {
		places <- struct{}{}
		asking.Go(func() {
			defer func() { <-places }()
			graded := r.grade(ctx, t, ids)
			mu.Lock()
			defer mu.Unlock()
			traces++
			for _, f := range graded.Findings {
				findings++
				tally[f.Outcome.String()+" "+f.Reason]++
			}
			if failed == nil && ctx.Err() == nil {
				failed = h.findings(graded)
			}
			if failed == nil && h.batch.Len() >= regradeRows {
				failed = h.flush()
			}
		})
		mu.Lock()
		defer mu.Unlock()
		return failed
	})
	asking.Wait()
	if err == nil {
		err = failed
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = h.End(nil)
	}
	if err != nil {
		return err
	}
	if traces == 0 {
		fmt.Fprintln(r.out, nothingUnfinished)
		return nil
	}
	fmt.Fprintf(r.out, "%d findings on %d traces\n", findings, traces)
	writeTally(r.out, tally)
	writeSpent(r.out, r.judges)
	return nil
}

// grade is the grade of a trace with nothing but the rubrics of some ids.
func (r *regrading) grade(ctx context.Context, t *trace.Trace, ids []string) *trace.Grade {
	ruled := grade.Closed(r.set, t, time.Now())
	n, counts := len(ruled.Findings), len(ruled.Counts)
	r.judges.Only(ids...).Grade(ctx, ruled)
	return &trace.Grade{
		Trace: t, Findings: ruled.Findings[n:], Counts: ruled.Counts[counts:],
		NormaliserVersion: ruled.NormaliserVersion, GradedAt: time.Now().UTC(),
	}
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

// writeSpent prints what the judges were asked.
func writeSpent(w io.Writer, judges *rubric.Grader) {
	stats := judges.Stats()
	var names []string
	for name := range stats {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		s := stats[name]
		fmt.Fprintf(w, "judge %s: %d calls, %d from the cache, %d + %d tokens, cost %.4f\n", name, s.Calls, s.Cached, s.InputTokens, s.OutputTokens, s.Cost)
	}
}
