package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// gradeFlags are the settings of verb grade.
type gradeFlags struct {
	in     inputFlags
	out    outputFlags
	engine engineFlags
	store  string
	rules  []string
	all    bool
	failOn string
	strict bool
}

func gradeCommand() *cobra.Command {
	var f gradeFlags
	cmd := &cobra.Command{
		Use:   "grade FILE... | DIR | -",
		Short: "Grade recorded traces with rules",
		Long: `Grade recorded traces with rules: the shipped packs, or those of --rules.

Exit status, the same for every format: 0 nothing failed; 1 something failed
(at or above --fail-on); 2 the command line or a rule file is wrong; 3 something
could not be read or graded; 5 nothing was graded: no trace, or no rule applied.`,
		Example: `  tracegrade grade traces.jsonl
  tracegrade grade traces/ --rules my-rules/ --fail-on high -o report.html -o grades.junit.xml
  zcat traces.json.gz | tracegrade grade - --format json`,
		Args: needInputs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.in.register(cmd)
	f.out.register(cmd)
	f.engine.register(cmd)
	cmd.Flags().StringVar(&f.store, "store", "", "also write the grades to ClickHouse: the server of `DSN`, or the embedded engine without one")
	cmd.Flags().Lookup("store").NoOptDefVal = embedded
	cmd.Flags().StringArrayVar(&f.rules, "rules", nil, "rule `FILE` or folder; may repeat (default: all shipped packs)")
	cmd.Flags().BoolVar(&f.all, "all", false, "list every outcome, passes included")
	cmd.Flags().StringVar(&f.failOn, "fail-on", "low", "lowest severity that makes the status 1: low, medium, high or critical")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "status 3 where any rule could not be evaluated")
	return cmd
}

func (f *gradeFlags) run(cmd *cobra.Command, inputs []string) error {
	failOn, err := trace.ParseSeverity(f.failOn)
	if err != nil {
		return usagef("--fail-on: %w", err)
	}
	set, err := ruleset.Load(f.rules)
	if err != nil {
		return usage(err)
	}
	o, problems, err := f.in.options(cmd)
	if err != nil {
		return err
	}
	handler, files, err := f.out.open(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	defer files.discard()
	o.Attributes = set.Attributes()
	start := report.Start{Version: version, Rules: reportRules(set), All: f.all}
	counter := report.NewCounter(start)
	at := time.Now()
	if f.store != "" {
		h, closeStore, err := f.openStore(cmd, set, at)
		if err != nil {
			return err
		}
		defer closeStore()
		handler = report.Tee{handler, h}
	}
	if err := handler.Start(start); err != nil {
		return err
	}
	var traces []*trace.Trace // for sessions, where a rule asks for them
	_, err = offline.Each(cmd.Context(), inputs, o,
		func(i offline.Item) *trace.Grade { return grade.Closed(set, i.Trace, at) },
		func(g *trace.Grade) error {
			if set.HasSessionRules() {
				traces = append(traces, g.Trace)
			}
			counter.Trace(g)
			return handler.Trace(g)
		})
	problems.close()
	if err != nil {
		return err
	}
	for _, s := range assemble.Sessions(traces) {
		session := &report.Session{}
		session.ID, session.Grade = grade.Session(set, s, at)
		for _, t := range s.Traces {
			session.TraceIDs = append(session.TraceIDs, t.ID)
		}
		counter.Session(session)
		if err := handler.Session(session); err != nil {
			return err
		}
	}
	if err := handler.End(counter.Summary()); err != nil {
		return err
	}
	if err := files.commit(); err != nil {
		return err
	}
	return f.verdict(counter.Summary(), problems.bad, failOn)
}

// embedded is the value of --store without a DSN.
const embedded = "embedded"

// openStore connects to the database that --store names.
func (f *gradeFlags) openStore(cmd *cobra.Command, set *rules.Set, at time.Time) (report.Handler, func(), error) {
	db := databaseFlags{engine: f.engine}
	if f.store != embedded {
		db.dsn = f.store
	}
	s, closeStore, err := db.open(cmd, readWrite)
	if err != nil {
		return nil, nil, err
	}
	h, err := newStoring(cmd.Context(), s, set, at)
	if err != nil {
		closeStore()
		return nil, nil, err
	}
	return h, closeStore, nil
}

// verdict is the exit status of a run of grading.
func (f *gradeFlags) verdict(s *report.Summary, unread int, failOn trace.Severity) error {
	total := s.Total()
	switch {
	case unread > 0, f.strict && total.Error > 0, total.Error > 0 && total.Applied() == 0:
		return status(exitTrouble)
	case s.WorstSeverity >= failOn:
		return status(exitFailed)
	case s.Traces == 0:
		return &statusError{exitNothing, errNoTrace}
	case total.Applied() == 0:
		return &statusError{exitNothing, errors.New("nothing graded: no rule applied to any trace")}
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
