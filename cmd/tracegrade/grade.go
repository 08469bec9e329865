package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
	"github.com/tracegrade/tracegrade/rules"
)

// gradeFlags are the settings of verb grade.
type gradeFlags struct {
	in     inputFlags
	out    outputFlags
	engine engineFlags
	store  string
	rules  []string
	claims string
	rubric rubricFlags
	dryRun bool
	all    bool
	failOn string
	strict bool
	watch  bool
}

func gradeCommand() *cobra.Command {
	var f gradeFlags
	cmd := &cobra.Command{
		Use:   "grade FILE... | DIR | -",
		Short: "Grade recorded traces with rules",
		Long: `Grade recorded traces with rules: the shipped packs, or those of --rules.

Exit status, the same for every format: 0 nothing failed; 1 something failed
(at or above --fail-on, and of rubrics that ask a model those that a judge card
lets gate: --cards); 2 the command line or a rule file is wrong; 3 something
could not be read or graded; 5 nothing was graded: no trace, or no rule applied;
130 interrupted: what was graded until then is reported, and what was not said.`,
		Example: `  tracegrade grade traces.jsonl
  tracegrade grade traces/ --rules my-rules/ --fail-on high -o report.html -o grades.junit.xml
  zcat traces.json.gz | tracegrade grade - --format json`,
		Args: needInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, stop := interruptible(cmd.Context(), cmd.ErrOrStderr())
			defer stop()
			if f.watch {
				return f.again(ctx, cmd, args)
			}
			return f.run(ctx, cmd, args)
		},
	}
	f.in.register(cmd)
	f.in.registerMemory(cmd)
	f.out.register(cmd)
	f.engine.register(cmd)
	databaseFlag(cmd, &f.store, "store", "also write the grades to ClickHouse")
	rulesFlag(cmd, &f.rules, "rule `FILE`, folder or pack:NAME; may repeat (default: all shipped packs)")
	cmd.Flags().StringVar(&f.claims, "claims", "", "`FILE` of the traps that were planted, for rules about them: claims.jsonl of bench run or harness serve")
	f.rubric.register(cmd)
	f.rubric.registerReferences(cmd)
	f.rubric.registerCards(cmd)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "ask no judge: say how many calls, tokens and how much money the rubrics would take")
	cmd.Flags().BoolVar(&f.all, "all", false, "list every outcome, passes included")
	cmd.Flags().StringVar(&f.failOn, "fail-on", "low", "lowest severity that makes the status 1: low, medium, high or critical")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "status 3 where any rule could not be evaluated, or a rubric that may gate was not judged")
	cmd.Flags().BoolVar(&f.watch, "watch", false, "grade again whenever a rule or a trace file changes, until interrupted")
	return cmd
}

// again grades after every change of the rules or the inputs.
func (f *gradeFlags) again(ctx context.Context, cmd *cobra.Command, inputs []string) error {
	if f.store != "" || len(f.out.files) > 0 {
		return usagef("--watch is for writing rules: it writes no files and stores nothing")
	}
	paths := slices.Concat(f.rules, f.rubric.paths, f.rubric.cards, inputs)
	if f.rubric.judges != "" {
		paths = append(paths, f.rubric.judges)
	}
	w, err := newWatcher(cmd, paths...)
	if err != nil {
		return err
	}
	return w.run(ctx, func() error { return f.run(ctx, cmd, inputs) })
}

func (f *gradeFlags) run(ctx context.Context, cmd *cobra.Command, inputs []string) error {
	failOn, err := trace.ParseSeverity(f.failOn)
	if err != nil {
		return usagef("--fail-on: %w", err)
	}
	set, err := ruleset.Load(f.rules)
	if err != nil {
		return usage(err)
	}
	var claims *funnel.PlantedFile
	if f.claims != "" {
		if claims, err = plant(set, f.claims); err != nil {
			return usage(err)
		}
	}
	f.rubric.unasked = f.dryRun
	rubricSet, judges, err := f.rubric.open(set, cmd.ErrOrStderr())
	if err != nil {
		return usage(err)
	}
	cards, err := card.LoadCards(f.rubric.cards)
	if err != nil {
		return usage(err)
	}
	o, problems, err := f.in.options(cmd)
	if err != nil {
		return err
	}
	g := &grading{set: set, claims: claims, judges: judges, at: time.Now(), unread: problems.unread, start: report.Start{Version: version, Rules: reportRules(set), All: f.all}}
	texts := ruleset.Texts(set)
	o.Attributes = set.Attributes()
	if claims != nil {
		o.Attributes = append(o.Attributes, funnel.RunAttribute)
	}
	if judges != nil {
		defer judges.Close(ctx)
		g.start.Rules = append(g.start.Rules, reportRubrics(rubricSet, judges, cards)...)
		texts = append(texts, ruleset.RubricTexts(rubricSet, judges)...)
		o.Attributes = append(o.Attributes, rubricSet.Attributes()...)
		o.Workers = judgedTraces
	}
	if f.dryRun {
		return g.estimate(ctx, cmd, inputs, o, problems)
	}
	handler, files, err := f.out.open(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	defer files.discard()
	if f.store != "" {
		h, closeStore, err := f.openStore(cmd, texts, g.at)
		if err != nil {
			return err
		}
		defer closeStore()
		handler = report.Tee{handler, h}
	}
	summary, err := g.run(ctx, inputs, o, handler)
	problems.close(g.read)
	writeSpent(cmd.ErrOrStderr(), judges) // also of what ends in an error
	if err != nil {
		return err
	}
	if err := files.commit(); err != nil {
		return err
	}
	if n := summary.Total().Error; n > 0 && !f.strict {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: warning: %d outcomes are errors of rules or rubrics, which say nothing about the agent; --strict makes them status 3\n", n)
	}
	if n, misses, reasons := unjudged(summary); misses > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: NOT JUDGED: %d outcomes of rubrics have no verdict (%s); what a cassette does not hold makes the status 3\n", n, reasons)
	} else if n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: warning: NOT JUDGED: %d outcomes of rubrics that may gate have no verdict (%s), and the status says nothing about them; --strict makes it 3\n", n, reasons)
	}
	if n := summary.UnmetClaims; n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: warning: %d lines of %s found no trace: they join by trace_id, by run with the attribute %s of a span or its resource, or by session\n", n, f.claims, funnel.RunAttribute)
	}
	if n := summary.Withheld; n > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "tracegrade: warning: %d fails are of rubrics that do not gate; the report says why\n", n)
	}
	if g.stopped != nil {
		return fmt.Errorf("%w; %s", g.stopped, summary.Stopped)
	}
	return f.verdict(summary, g.read, problems.bad, failOn)
}

// openStore connects to the database that --store names.
func (f *gradeFlags) openStore(cmd *cobra.Command, texts []wire.Rule, at time.Time) (report.Handler, func(), error) {
	db := databaseOf(f.engine, f.store)
	s, closeStore, err := db.open(cmd, readWrite)
	if err != nil {
		return nil, nil, err
	}
	h, err := newStoring(cmd.Context(), s, texts, at)
	if err != nil {
		closeStore()
		return nil, nil, err
	}
	return h, closeStore, nil
}

// verdict is the exit status of a run of grading.
func (f *gradeFlags) verdict(s *report.Summary, read offline.Stats, unread int, failOn trace.Severity) error {
	total := s.Total()
	open, misses, _ := unjudged(s)
	switch {
	case unread > 0, misses > 0, f.strict && (total.Error > 0 || open > 0), total.Error > 0 && total.Applied() == 0:
		return status(exitTrouble)
	case s.WorstSeverity >= failOn:
		return status(exitFailed)
	case s.Traces == 0:
		return noTrace(read)
	case total.Applied() == 0:
		return &statusError{exitNothing, errors.New("nothing graded: no rule or rubric applied to any trace, or what applied was skipped")}
	}
	return nil
}

// reportRules is what a report says of the rules.
func reportRules(set *rules.Set) []report.Rule {
	var list []report.Rule
	for _, r := range set.Rules() {
		list = append(list, report.Rule{ID: r.ID, Hash: r.Hash, Source: r.Pos.String(), Title: r.Title, Severity: r.Severity})
	}
	return list
}
