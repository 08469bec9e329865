package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func doctorCommand() *cobra.Command {
	var in inputFlags
	cmd := &cobra.Command{
		Use:   "doctor FILE... | DIR | -",
		Short: "Say what traces lack for grading, and how to switch it on in their framework",
		Long: `Say, for each framework that wrote the traces, what they lack for grading and how
to switch it on there.

Exit status: 0 nothing is missing, 1 something is, 3 something could not be read, 5 no trace.`,
		Args: needInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, problems, err := in.options(cmd)
			if err != nil {
				return err
			}
			traces, _, err := offline.Traces(cmd.Context(), args, o)
			if err != nil {
				return err
			}
			problems.close()
			if len(traces) == 0 {
				return &statusError{exitNothing, errNoTrace}
			}
			missing := writeDiagnoses(cmd.OutOrStdout(), traces)
			switch {
			case problems.bad > 0:
				return status(exitTrouble)
			case missing:
				return status(exitFailed)
			}
			return nil
		},
	}
	in.register(cmd)
	return cmd
}

// writeDiagnoses prints what each framework's steps lack, and reports whether
// anything is missing.
func writeDiagnoses(w io.Writer, traces []*trace.Trace) bool {
	var steps []*trace.Step
	incomplete, unjoined := 0, 0
	for _, t := range traces {
		steps = append(steps, t.Steps...)
		unjoined += t.Unjoined
		if !t.Release.Complete {
			incomplete++
		}
	}
	missing := incomplete+unjoined > 0
	for _, d := range normalise.Diagnose(steps) {
		fmt.Fprintf(w, "%s: %d steps\n", d.Framework.Title, d.Steps)
		for _, m := range d.Missing {
			missing = true
			fmt.Fprintf(w, "  missing  %s\n", m)
		}
		if len(d.Missing) == 0 {
			fmt.Fprintln(w, "  nothing is missing")
		} else if d.Framework.Content != "" {
			fmt.Fprintf(w, "  to do    %s\n", d.Framework.Content)
		}
		var losses []string
		for _, reason := range slices.Sorted(maps.Keys(d.Losses)) {
			losses = append(losses, fmt.Sprintf("%d %s", d.Losses[reason], reason))
		}
		if len(losses) > 0 {
			fmt.Fprintf(w, "  losses   %s\n", strings.Join(losses, ", "))
		}
	}
	if incomplete > 0 {
		fmt.Fprintf(w, "%d of %d traces are incomplete: a root or a parent is missing\n", incomplete, len(traces))
	}
	if unjoined > 0 {
		fmt.Fprintf(w, "%d log records found no span\n", unjoined)
	}
	return missing
}
