package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/rubric/card"
	"github.com/tracegrade/tracegrade/rubrics"
)

// itemFlags are what both ways of labelled items between readers need.
type itemFlags struct {
	rubrics []string
	items   string
	reader  string
	out     string
}

func (f *itemFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.rubrics, "rubrics", nil, "rubric `FILE`, folder or pack:NAME (default: all shipped)")
	cmd.Flags().StringVar(&f.items, "items", "", "`FILE` of labelled items (default: the shipped items of the rubric)")
	cmd.Flags().StringVar(&f.reader, "reader", os.Getenv("USER"), "who labels: a `NAME`")
}

func (f *itemFlags) check() error {
	if f.reader == "" {
		return usagef("want --reader: who labels")
	}
	return nil
}

func labelExportCommand() *cobra.Command {
	var f itemFlags
	cmd := &cobra.Command{
		Use:   "export RUBRIC",
		Short: "Print labelled items for another reader, who sees no label, as JSONL to fill in",
		Long: `Print the items that the reader has not labelled, one JSON object a line: an id
that says nothing, the rubric's title, what the trace shows, and an empty outcome
to fill in with pass, fail, not_applicable or cannot_tell. No label and no prompt
is in it, and the order tells nothing. tracegrade label merge takes it back.`,
		Example: "  tracegrade label export tells-of-conflict --rubrics conflict.yaml --items conflict_items.yaml --reader bob > bob.jsonl",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			set, err := rubrics.Load(f.rubrics)
			if err != nil {
				return usage(err)
			}
			only := set.Only(args[0])
			if only == nil {
				return usagef("there is no rubric %q: name its file with --rubrics", args[0])
			}
			items, err := readItems(args[0], f.items)
			if err != nil {
				return usage(err)
			}
			sheets, err := items.Sheets(only.Rubrics()[0], f.reader)
			if err != nil {
				return err
			}
			if len(sheets) == 0 {
				return &statusError{exitNothing, fmt.Errorf("%s has labelled all %d items", f.reader, len(items.Items))}
			}
			e := json.NewEncoder(cmd.OutOrStdout())
			e.SetEscapeHTML(false)
			for _, s := range sheets {
				if err := e.Encode(s); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.register(cmd)
	return cmd
}

func labelMergeCommand() *cobra.Command {
	var f itemFlags
	cmd := &cobra.Command{
		Use:   "merge RUBRIC FILE",
		Short: "Add the labels of another reader to items, and say how far the readers agree",
		Long: `Add the outcomes of a file that label export printed and a reader filled in to the
labels of the items, and print the agreement of each two readers: Cohen's kappa
with its interval. Without --out nothing is written.`,
		Example: "  tracegrade label merge tells-of-conflict bob.jsonl --items conflict_items.yaml --reader bob --out conflict_items.yaml",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			name, data, err := itemsFile(args[0], f.items)
			if err != nil {
				return usage(err)
			}
			sheets, err := os.Open(args[1])
			if err != nil {
				return usage(fmt.Errorf("read labels: %w", err))
			}
			defer sheets.Close()
			m, err := card.Merge(name, data, f.reader, args[1], sheets)
			if err != nil {
				return usage(err)
			}
			if err := areOf(m.Items, args[0], name); err != nil {
				return usage(err)
			}
			if f.out != "" {
				if err := os.WriteFile(f.out, m.YAML, 0o644); err != nil {
					return fmt.Errorf("write items: %w", err)
				}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%d labels of %s are new, %d sheets have none\n", m.Labels, f.reader, m.Undecided)
			return card.Compare(m.Items.Pairs()).WriteReaders(cmd.OutOrStdout())
		},
	}
	f.register(cmd)
	cmd.Flags().StringVar(&f.out, "out", "", "write the items with the labels to `FILE`; it may be that of --items")
	return cmd
}
