package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

// errUnformatted says that rules fmt --check found files to format.
var errUnformatted = errors.New("some files are not in the usual form")

func rulesFmtCommand() *cobra.Command {
	var write, check bool
	cmd := &cobra.Command{
		Use:   "fmt FILE... | DIR",
		Short: "Bring rule files into the usual form, without changing what they mean",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			names, err := ruleset.Files(args)
			if err != nil {
				return usage(err)
			}
			changed := false
			for _, name := range names {
				data, err := os.ReadFile(name)
				if err != nil {
					return usage(err)
				}
				out, err := rules.Format(name, data)
				if err != nil {
					return usage(err)
				}
				differs := !bytes.Equal(out, data)
				changed = changed || differs
				switch {
				case check && differs, write && differs:
					fmt.Fprintln(cmd.OutOrStdout(), name)
				case !check && !write:
					if _, err := cmd.OutOrStdout().Write(out); err != nil {
						return err
					}
				}
				if write && differs {
					if err := os.WriteFile(name, out, 0o644); err != nil {
						return err
					}
				}
			}
			if check && changed {
				return &statusError{exitFailed, errUnformatted}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&write, "write", "w", false, "write the files, and name those that changed")
	cmd.Flags().BoolVar(&check, "check", false, "only name the files that would change; status 1 if there are any")
	cmd.MarkFlagsMutuallyExclusive("write", "check")
	return cmd
}

func rulesSchemaCommand() *cobra.Command {
	var tests bool
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of rule files or of their tests, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema := rules.FileSchema
			if tests {
				schema = ruletest.FileSchema
			}
			_, err := cmd.OutOrStdout().Write(schema())
			return err
		},
	}
	cmd.Flags().BoolVar(&tests, "tests", false, "of test files instead")
	return cmd
}

func rulesNamesCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "names [PREFIX]",
		Short: "List the functions and fields that expressions may hold",
		Long: `List the functions and fields that expressions may hold, or those that begin with
PREFIX. Exit status: 0, or 5 where no name begins with it.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			list, names := []rules.Completion{}, []string{}
			for _, c := range rules.Completions() {
				names = append(names, c.Name)
				if len(args) == 0 || strings.HasPrefix(c.Name, args[0]) {
					list = append(list, c)
				}
			}
			var err error
			switch format {
			case "json":
				err = writeJSON(cmd.OutOrStdout(), list)
			case "text":
				err = writeNames(cmd.OutOrStdout(), list)
			default:
				return usagef("format %q: want text or json", format)
			}
			if err == nil && len(list) == 0 {
				return &statusError{exitNothing, fmt.Errorf("no name begins with %q%s", args[0], rules.DidYouMean(args[0], names))}
			}
			return err
		},
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func writeNames(w io.Writer, list []rules.Completion) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Form, c.Type, c.Doc)
	}
	return t.Flush()
}
