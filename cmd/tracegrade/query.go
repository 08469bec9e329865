package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/store"
)

func queryCommand() *cobra.Command {
	var db databaseFlags
	var format, file string
	var parameters []string
	cmd := &cobra.Command{
		Use:   "query [NAME | SQL | -]",
		Short: "Ask ClickHouse about grades: a named query, or any SQL that reads",
		Long: `Ask ClickHouse about grades. One word is the name of a query (without any, they
are listed); anything else is SQL, which may only read. - reads the SQL from
standard input, --file from a file. Parameters of a named query are set with
-p name=value; times may be written as 7d or 2026-11-30.`,
		Example: `  tracegrade query
  tracegrade query findings -p from=1d
  tracegrade query "SELECT rule, sum(fail) FROM outcomes_current GROUP BY rule" --format csv
  tracegrade query --file weekly.sql --timeout 20m`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if db.timeout <= 0 {
				return usagef("--timeout %v: want more than 0, as in 5m", db.timeout)
			}
			if len(args) == 0 && file == "" {
				return listQueries(cmd.OutOrStdout())
			}
			q, err := readQuestion(cmd.InOrStdin(), args, file)
			if err != nil {
				return usage(err)
			}
			return runQuery(cmd, &db, q, parameters, format)
		},
	}
	db.register(cmd)
	cmd.Flags().StringArrayVarP(&parameters, "param", "p", nil, "parameter `NAME=VALUE` of a query; may repeat")
	cmd.Flags().StringVar(&file, "file", "", "`FILE` of SQL to run; - is standard input")
	cmd.Flags().DurationVar(&db.timeout, "timeout", 5*time.Minute, "how long an answer may take; what takes longer is stopped")
	cmd.Flags().StringVar(&format, "format", "table", strings.Join(report.TableFormats, ", "))
	offer(cmd, "format", cobra.ShellCompDirectiveNoFileComp, report.TableFormats)
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, q := range store.Queries() {
			names = append(names, q.Name+"\t"+q.Description)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// listQueries prints the named queries with their parameters.
func listQueries(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, q := range store.Queries() {
		fmt.Fprintf(t, "%s\t%s\n", q.Name, q.Description)
		for _, p := range q.Parameters {
			value := "required"
			if !p.Required {
				value = fmt.Sprintf("default %q", p.Default)
			}
			fmt.Fprintf(t, "\t  -p %s=…  %s (%s)\n", p.Name, p.Doc, value)
		}
	}
	return t.Flush()
}

// question is what is asked: the name of a query, or SQL.
type question struct {
	text  string
	named bool
}

// maxSQL is the longest text of SQL that is read from a file: more is none.
const maxSQL = 1 << 20

// readQuestion is what the arguments ask, or SQL of a file or standard input.
func readQuestion(stdin io.Reader, args []string, file string) (question, error) {
	if len(args) > 0 && args[0] != "-" {
		if file != "" {
			return question{}, fmt.Errorf("want a query or --file, not both: %q and %s", args[0], file)
		}
		return question{args[0], !strings.ContainsAny(strings.TrimSpace(args[0]), " \t\n")}, nil
	}
	name, from := "standard input", stdin
	if file != "" && file != "-" {
		if len(args) > 0 {
			return question{}, fmt.Errorf("want - or --file, not both: %s", file)
		}
		f, err := os.Open(file)
		if err != nil {
			return question{}, fmt.Errorf("read a query: %w", err)
		}
		defer f.Close()
		name, from = file, f
	}
	b, err := io.ReadAll(io.LimitReader(from, maxSQL+1))
	switch {
	case err != nil:
		return question{}, fmt.Errorf("read a query: %w", err)
	case len(b) > maxSQL:
		return question{}, fmt.Errorf("%s: more than %d bytes: want one SQL statement", name, maxSQL)
	case strings.TrimSpace(string(b)) == "":
		return question{}, fmt.Errorf("%s is empty: want one SQL statement", name)
	}
	return question{text: string(b)}, nil
}

// sqlIsNoFlag lets SQL that begins with a comment be an argument: no flag has a
// space after its dashes.
func sqlIsNoFlag(args []string) []string {
	if len(args) == 0 || args[0] != "query" {
		return args
	}
	args = slices.Clone(args)
	for i, a := range args {
		if rest, ok := strings.CutPrefix(a, "--"); ok && strings.TrimLeft(rest, " \t\n") != rest {
			args[i] = "\n" + a
		}
	}
	return args
}

func runQuery(cmd *cobra.Command, db *databaseFlags, q question, parameters []string, format string) error {
	if !slices.Contains(report.TableFormats, format) {
		return usagef("--format %q: want %s", format, strings.Join(report.TableFormats, ", "))
	}
	values := map[string]string{}
	for _, p := range parameters {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return usagef("parameter %q: want NAME=VALUE", p)
		}
		values[name] = value
	}
	if q.named {
		if err := checkQuery(q.text, values); err != nil {
			return usage(err)
		}
	} else if err := store.CheckReads(q.text); err != nil {
		return usage(err)
	}
	s, closeStore, err := db.open(cmd, readOnly)
	if err != nil {
		return err
	}
	defer closeStore()
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), db.timeout, fmt.Errorf("no answer within %v (--timeout)", db.timeout))
	defer cancel()
	run := s.Query
	if q.named {
		run = s.Run
	}
	rows, err := run(ctx, q.text, values)
	if err != nil {
		return err
	}
	var columns []string
	for _, c := range rows.Columns() {
		columns = append(columns, c.Name)
	}
	err = report.Table(cmd.OutOrStdout(), format, columns, rows)
	if closed := rows.Close(); err == nil {
		err = closed
	}
	return err
}
