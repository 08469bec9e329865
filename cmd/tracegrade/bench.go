package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/harness"
	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/bench"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Run agents on a suite and report how far they trust evidence",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(benchRunCommand(), benchReportCommand(), benchExportCommand())
	return cmd
}

func benchRunCommand() *cobra.Command {
	var s harness.Source
	var o bench.Options
	var names, arms []string
	var into string
	var proxies harness.Proxies
	var meaning embedderFlags
	var engine engineFlags
	cmd := &cobra.Command{
		Use:   "run --agent NAME|FILE --dir DIR",
		Short: "Run agents on cases, and judge each run by its spans",
		Long: `Run agents on cases. An agent is one of oracle, null, trap_taker, sceptic,
recoverer, or a YAML file that names a command, an HTTP endpoint, an MCP host, a
model, or somebody else who drives. Each run gets its own tools, an OTLP endpoint
and a TRACEPARENT; it is judged by the spans that arrive.

Runs that stand in DIR already are not made again: an interrupted benchmark goes
on where it stopped. A run is the same where the agent's file, the case and its
content, the arm, the repeat, the seed and the setting are.

Exit status: 0 all runs were made, 2 usage, 3 a run could not be made.`,
		Example: `  tracegrade bench run --agent oracle --agent trap_taker --dir out
  tracegrade bench run --agent my-agent.yaml --repeats 3 --dir out`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if len(names) == 0 || o.Dir == "" {
				return usagef("want --agent NAME|FILE and --dir DIR, such as --agent oracle --dir out")
			}
			if o.Repeats == 0 || o.Concurrency == 0 || o.Timeout == 0 {
				return usagef("--repeats %d, --concurrency %d, --timeout %v: want more than 0", o.Repeats, o.Concurrency, o.Timeout)
			}
			var err error
			if o.Agents, err = agentFiles(names); err != nil {
				return usage(err)
			}
			if o.Cases, err = s.Cases(); err != nil {
				return usage(err)
			}
			for _, a := range arms {
				o.Arms = append(o.Arms, cases.Arm(a))
			}
			if err := errors.Join(o.Validate(), proxies.Validate()); err != nil {
				return usage(err)
			}
			if o.Embedder, err = meaning.open(); err != nil {
				return err
			}
			o.Version = version
			o.Notices = cmd.ErrOrStderr()
			if isTerminal(cmd.ErrOrStderr()) {
				o.Progress = cmd.ErrOrStderr()
			}
			ctx, stop := interruptible(cmd.Context(), cmd.ErrOrStderr())
			defer stop()
			tools, done, err := proxies.Open(ctx)
			if err != nil {
				return err
			}
			o.Tools = tools
			sum, err := bench.Run(ctx, o)
			if err := errors.Join(err, done()); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d runs: %d made, %d were there, %d failed; see tracegrade bench report %s\n",
				sum.Planned, sum.Done-sum.Failed, sum.Resumed, sum.Failed, o.Dir)
			if into != "" {
				if err := storeBench(cmd, engine, into, o.Dir); err != nil {
					return err
				}
			}
			if sum.Failed > 0 {
				return status(exitTrouble)
			}
			return nil
		},
	}
	caseFlags(cmd, &s)
	f := cmd.Flags()
	f.StringArrayVar(&names, "agent", nil, "built-in agent or agent file; may repeat")
	f.StringVar(&o.Dir, "dir", "", "folder of runs, journal and traces")
	f.StringArrayVar(&arms, "arm", nil, "trap or clean; default: both")
	f.IntVar(&o.Repeats, "repeats", 1, "runs of each case and arm")
	f.IntVar(&o.Concurrency, "concurrency", 8, "runs at once")
	f.DurationVar(&o.Timeout, "timeout", 5*time.Minute, "of one run")
	f.IntVar(&o.Retries, "retries", 0, "further tries of a run whose agent failed")
	f.BoolVar(&o.Guardrails, "guardrails", false, "hint at repeated searches, flag secondary sources")
	f.BoolVar(&o.HideMetadata, "hide-metadata", false, "leave domain, author, authority and days out of results")
	proxyFlags(cmd, &proxies)
	meaning.register(cmd)
	databaseFlag(cmd, &into, "store", "also write runs and journal to ClickHouse")
	engine.register(cmd)
	return cmd
}

// storeBench writes what a benchmark's folder holds to a database. Doing it
// again adds nothing.
func storeBench(cmd *cobra.Command, engine engineFlags, into, dir string) error {
	runs, err := bench.Records(filepath.Join(dir, bench.RunsFile))
	if err != nil {
		return err
	}
	journal, err := bench.Journal(filepath.Join(dir, bench.JournalFile))
	if err != nil {
		return err
	}
	db := databaseOf(engine, into)
	s, closeStore, err := db.open(cmd, readWrite)
	if err != nil {
		return err
	}
	defer closeStore()
	rows := bench.Rows(runs, journal)
	if err := bench.Grades(cmd.Context(), dir, runs, func(g *trace.Grade) error {
		rows.Add(store.FromGrade(g, false))
		return nil
	}); err != nil {
		return err
	}
	if err := s.Insert(cmd.Context(), &rows); err != nil {
		return fmt.Errorf("store the benchmark: %w", err)
	}
	return nil
}

// agentFiles opens agents by name or file.
func agentFiles(names []string) ([]*agent.File, error) {
	var files []*agent.File
	for _, name := range names {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			builtIn, err := agent.BuiltIn(name)
			if err != nil {
				return nil, err
			}
			files = append(files, builtIn)
			continue
		}
		if err != nil {
			return nil, err
		}
		a, err := agent.Load(name, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		files = append(files, a)
	}
	return files, nil
}

func benchReportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "report DIR...",
		Short: "Rates with denominators and intervals, by everything a trap has, and what differs between agents",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var runs []bench.Record
			for _, dir := range args {
				if _, err := os.Stat(dir); err != nil {
					return usagef("report %s: want the folder of a benchmark, as bench run --dir made it: %w", dir, err)
				}
				list, err := bench.Records(filepath.Join(dir, bench.RunsFile))
				if err != nil {
					return err
				}
				runs = append(runs, list...)
			}
			if err := bench.Uniform(runs); err != nil {
				return usage(err)
			}
			if err := bench.NewReport(runs).Write(cmd.OutOrStdout(), format); err != nil {
				return usage(err)
			}
			if len(runs) == 0 {
				return status(exitNothing)
			}
			return nil
		},
	}
	formatFlag(cmd, &format, "text", "markdown", "json")
	return cmd
}

func benchExportCommand() *cobra.Command {
	var s harness.Source
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write the cases of a suite as files, to read or to change",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := s.Cases()
			if err != nil {
				return usage(err)
			}
			if err := cases.SaveDir(args[0], list); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d cases in %s\n", len(list), args[0])
			return nil
		},
	}
	caseFlags(cmd, &s)
	return cmd
}
