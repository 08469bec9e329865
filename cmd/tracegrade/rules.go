package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

func rulesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "Check, list and explain rules",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(rulesCheckCommand(), rulesListCommand(), rulesExplainCommand(), rulesImpactCommand(),
		rulesFmtCommand(), rulesSchemaCommand(), rulesNamesCommand())
	return cmd
}

func rulesCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE | DIR | pack:NAME]...",
		Short: "Check rule and rubric files and report every mistake with its place (default: the shipped packs)",
		Long: `Check rule files, and rubric files among them, and report every mistake with its
place. An id may stand for one rule or one rubric alone, and the rules that a
rubric is decided_by must be among the rules that are checked, or shipped.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := ruleset.Check(args)
			if err != nil {
				return usage(err)
			}
			for _, what := range c.Unchecked {
				fmt.Fprintln(cmd.ErrOrStderr(), "tracegrade: warning:", what)
			}
			switch {
			case c.Rubrics == 0:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d rules are fine\n", c.Rules)
			case c.Rules == 0:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d rubrics are fine\n", c.Rubrics)
			default:
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d rules and %d rubrics are fine\n", c.Rules, c.Rubrics)
			}
			return err
		},
	}
}

func rulesListCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list [FILE | DIR | pack:NAME]...",
		Short: "List rules with their hashes (default: the shipped packs)",
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := ruleset.Load(args)
			if err != nil {
				return usage(err)
			}
			if format == "json" {
				return writeJSON(cmd.OutOrStdout(), newRuleInfos(set.Rules()))
			}
			if format != "text" {
				return usagef("format %q: want text or json", format)
			}
			t := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, r := range set.Rules() {
				fmt.Fprintf(t, "%s\t%s\t%s\t%.12s\t%s\t%s\n", r.ID, r.Scope, r.Severity, r.Hash, r.Pos.File, r.Title)
			}
			return t.Flush()
		},
	}
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

func rulesExplainCommand() *cobra.Command {
	var paths []string
	var in inputFlags
	cmd := &cobra.Command{
		Use:   "explain RULE [FILE...]",
		Short: "Show what a rule looks at, and how each part of it came out on given traces",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := ruleset.Load(paths)
			if err != nil {
				return usage(err)
			}
			if len(args) == 1 {
				return describeRule(cmd.OutOrStdout(), set, args[0])
			}
			o, problems, err := in.options(cmd)
			if err != nil {
				return err
			}
			o.Attributes = set.Attributes()
			traces, read, err := offline.Traces(cmd.Context(), args[1:], o)
			if err != nil {
				return err
			}
			problems.close(read)
			if len(traces) == 0 {
				return noTrace(read)
			}
			if set.OfSession(args[0]) {
				return explainSessions(cmd.OutOrStdout(), set, args[0], traces)
			}
			for _, t := range traces {
				e, err := set.Explain(args[0], t)
				if err != nil {
					return usage(err)
				}
				fmt.Fprintf(cmd.OutOrStdout(), "trace %s\n", t.ID)
				e.WriteText(cmd.OutOrStdout())
			}
			return nil
		},
	}
	rulesFlag(cmd, &paths, "rule `FILE`, folder or pack:NAME; may repeat (default: all shipped packs)")
	offerRules(cmd, &paths)
	in.register(cmd)
	return cmd
}

// explainSessions explains a rule of scope session on the sessions of traces.
func explainSessions(w io.Writer, set *rules.Set, rule string, traces []*trace.Trace) error {
	for _, s := range assemble.Sessions(traces) {
		e, err := set.ExplainSession(rule, s.Name(), s.Traces)
		if err != nil {
			return err
		}
		if s.Name() == "" {
			fmt.Fprintf(w, "trace %s\n", s.Traces[0].ID)
		} else {
			fmt.Fprintf(w, "session %s\n", s.Name())
		}
		e.WriteText(w)
	}
	return nil
}

// ruleInfo is a rule as scripts see it. Fields are only ever added.
type ruleInfo struct {
	ID          string `json:"id"`
	Title       string `json:"title"`
	Description string `json:"description,omitempty"`
	Scope       string `json:"scope"`
	Severity    string `json:"severity"`
	Defect      string `json:"defect,omitempty"`
	Hash        string `json:"hash"`
	Source      string `json:"source"`
	Text        string `json:"text"` // what the hash stands for
}

func newRuleInfos(list []rules.Rule) []ruleInfo {
	infos := []ruleInfo{}
	for _, r := range list {
		infos = append(infos, ruleInfo{
			ID: r.ID, Title: r.Title, Description: r.Description, Scope: r.Scope.String(), Severity: r.Severity.String(),
			Defect: r.Defect, Hash: r.Hash, Source: r.Pos.String(), Text: r.Source,
		})
	}
	return infos
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// describeRule prints what a rule is, without a trace.
func describeRule(w io.Writer, set *rules.Set, id string) error {
	for _, r := range set.Rules() {
		if r.ID != id {
			continue
		}
		fmt.Fprintf(w, "%s  (%s, %s)\n%s\n", r.ID, r.Scope, r.Severity, r.Title)
		if r.Description != "" {
			fmt.Fprintf(w, "\n%s\n", r.Description)
		}
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t)
		for _, row := range [][2]string{
			{"defect", r.Defect}, {"passes", r.Pass}, {"fails", r.Fail}, {"source", r.Pos.String()}, {"hash", r.Hash},
		} {
			if row[1] != "" {
				fmt.Fprintf(t, "%s\t%s\n", row[0], row[1])
			}
		}
		if err := t.Flush(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s\n", r.Source)
		return err
	}
	// A set knows the names that are near.
	_, err := set.Explain(id, &trace.Trace{})
	return usage(err)
}
