package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/store"
)

// regradeFlags are the settings of verb regrade.
type regradeFlags struct {
	database databaseFlags
	stored   storedFlags
	rubric   rubricFlags
	rules    []string
	only     []string
	reasons  []string
	shard    string
	skipped  bool
	dryRun   bool
	limit    int
}

func regradeCommand() *cobra.Command {
	var f regradeFlags
	cmd := &cobra.Command{
		Use:   "regrade",
		Short: "Grade stored traces and sessions with the rules and rubrics of now",
		Long: `Grade traces that are stored in ClickHouse with rules, and with rubrics where some are
named, and store what they find. What is graded already under the same rule, judge
and normaliser, on the trace's newest revision, is not graded again, so that a run
that was interrupted goes on where it ended, and a second one finds nothing to do.
Findings of other versions of a rule stay, under their own hash.

Rules and rubrics of scope session see all stored traces of a session that has a
trace in the selection. A session is graded again once it has grown.

With --skipped only the findings of rubrics are completed that were skipped for want of
time, budget or a judge, or that failed on the way to one. What was left out for good
(sampling, a limit of subjects) and what a judge said stay.

--shard i/n takes one of n parts of the traces, numbered from 0: workers on as many
machines share the history.

Stored text may have been cut or redacted, and of attributes only those are
stored that the rules of that time named; how many traces that touches is said.

Exit status: 0 done, also where nothing was left to do and whatever was found; 2 the
command line, a rule, a rubric or the configuration of judges is wrong; 3 trouble.`,
		Example: `  tracegrade regrade --rules rules/ --since 30d --dry-run
  tracegrade regrade --rules rules/ --since 30d --shard 0/8
  tracegrade regrade --rule plan-followed --rubrics pack:conduct --judges judges.yaml --where "agent = 'shop'"
  tracegrade regrade --skipped --rubrics rubrics/ --judges judges.yaml --since 1d --reason budget_money`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.skipped, "skipped", false, "only complete findings of rubrics that were skipped or failed on the way to a judge")
	f.database.register(cmd)
	f.stored.registerSelection(cmd)
	f.rubric.register(cmd)
	f.rubric.registerReferences(cmd)
	rulesFlag(cmd, &f.rules, "rule `FILE`, folder or pack:NAME; with --skipped, what may decide a rubric's question first; may repeat (default: all shipped packs)")
	flags.StringArrayVar(&f.only, "rule", nil, "only this `RULE` or rubric; may repeat")
	flags.StringArrayVar(&f.reasons, "reason", nil, "with --skipped: only findings with this `REASON` (late, budget_money, judge_down, ...); may repeat")
	flags.StringVar(&f.shard, "shard", "", "only part `i/n` of the traces, 0/n to n-1/n; sessions are not cut")
	flags.BoolVar(&f.dryRun, "dry-run", false, "grade nothing: say how much there is, and how many calls, tokens and how much money it would take")
	flags.IntVar(&f.limit, "limit", 100_000, "most traces in one run, and most sessions; with --skipped, most rubrics on traces")
	return cmd
}

// check reports flags that do not go together.
func (f *regradeFlags) check() error {
	switch {
	case f.limit < 1:
		return usagef("--limit %d: want at least 1", f.limit)
	case !f.skipped && len(f.reasons) > 0:
		return usagef("--reason without --skipped: only what was skipped has one to select by")
	case f.skipped && len(f.rubric.paths) == 0:
		return usagef("want --rubrics: the rubrics of which findings were skipped")
	case f.skipped && f.rubric.judges == "":
		return usagef("want --judges: who is to be asked")
	}
	for _, r := range f.reasons {
		if !slices.Contains(rubric.Unfinished, r) {
			return usagef("--reason %q: want one of %s", r, strings.Join(rubric.Unfinished, ", "))
		}
	}
	return nil
}

// parseShard reads i/n; an empty text is all.
func parseShard(text string) (store.Shard, error) {
	if text == "" {
		return store.Shard{}, nil
	}
	index, of, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if !ok || err1 != nil || err2 != nil || n < 1 || i < 0 || i >= n {
		return store.Shard{}, usagef("--shard %q: want i/n with i from 0 to n-1: 0/8 is the first of eight", text)
	}
	return store.Shard{Index: i, Of: n}, nil
}

func (f *regradeFlags) run(cmd *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	sel, err := f.stored.selection(time.Now())
	if err != nil {
		return err
	}
	if sel.Shard, err = parseShard(f.shard); err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	set, err := ruleset.Load(f.rules)
	if err != nil {
		return usage(err)
	}
	f.rubric.unasked = f.dryRun
	rubrics, judges, err := f.rubric.open(set, cmd.ErrOrStderr())
	if err != nil {
		return usage(err)
	}
	if judges != nil {
		defer judges.Close(ctx)
	}
	r := &regrading{set: set, rubrics: rubrics, judges: judges, out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr(), limit: f.limit, tally: map[string]int{}}
	if err := r.chooseRules(f.only, f.skipped); err != nil {
		return err
	}
	s, closeStore, err := f.database.open(cmd, amend)
	if err != nil {
		return err
	}
	defer closeStore()
	r.store = s
	var todo []store.Ungraded
	if f.skipped {
		todo, err = r.unfinished(ctx, sel, f.reasons)
	} else {
		todo, err = s.Ungraded(ctx, sel, r.fences, f.limit)
	}
	if err != nil {
		return err
	}
	sessions, err := s.UngradedSessions(ctx, sel, r.ofSessions, f.limit)
	if err != nil {
		return err
	}
	if max(len(todo), len(sessions)) == f.limit {
		r.limited()
	}
	switch {
	case len(todo)+len(sessions) == 0:
		_, err = fmt.Fprintln(r.out, map[bool]string{true: "nothing is unfinished", false: "nothing is ungraded"}[f.skipped])
		return err
	case f.dryRun:
		return r.estimate(ctx, todo, sessions)
	}
	return r.run(ctx, todo, sessions)
}
