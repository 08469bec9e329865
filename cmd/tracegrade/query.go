package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/store"
)

func queryCommand() *cobra.Command {
	var db databaseFlags
	var format string
	var parameters []string
	cmd := &cobra.Command{
		Use:   "query [NAME | SQL]",
		Short: "Ask ClickHouse about grades: a named query, or any SQL that reads",
		Long: `Ask ClickHouse about grades. One word is the name of a query (without any, they
are listed); anything else is SQL, which may only read. Parameters of a named
query are set with -p name=value; times may be written as 7d or 2026-11-30.`,
		Example: `  tracegrade query
  tracegrade query findings -p from=1d
  tracegrade query "SELECT rule, sum(fail) FROM outcomes_current GROUP BY rule" --format csv`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listQueries(cmd.OutOrStdout())
			}
			return runQuery(cmd, &db, args[0], parameters, format)
		},
	}
	db.register(cmd)
	cmd.Flags().StringArrayVarP(&parameters, "param", "p", nil, "parameter `NAME=VALUE` of a query; may repeat")
	cmd.Flags().StringVar(&format, "format", "table", strings.Join(report.TableFormats, ", "))
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

func runQuery(cmd *cobra.Command, db *databaseFlags, text string, parameters []string, format string) error {
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
	named := !strings.ContainsAny(strings.TrimSpace(text), " \t\n")
	if named {
		if err := checkQuery(text, values); err != nil {
			return usage(err)
		}
	} else if err := store.CheckReads(text); err != nil {
		return usage(err)
	}
	s, closeStore, err := db.open(cmd, readOnly)
	if err != nil {
		return err
	}
	defer closeStore()
	run := s.Query
	if named {
		run = s.Run
	}
	rows, err := run(cmd.Context(), text, values)
	if err != nil {
		return err
	}
	var columns []string
	for _, c := range rows.Columns() {
		columns = append(columns, c.Name)
	}
	err = report.Table(cmd.OutOrStdout(), format, columns, rows)
	return errors.Join(err, rows.Close())
}
