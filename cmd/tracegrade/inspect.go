package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/report"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func inspectCommand() *cobra.Command {
	var in inputFlags
	var format string
	var evidence bool
	cmd := &cobra.Command{
		Use:   "inspect FILE... | DIR | -",
		Short: "Show what tracegrade understands of traces, before any grading",
		Long: `Show what tracegrade understands of traces: the steps in order, who caused
what, messages, tool calls with their results, usage, what could not be read.
It is the first thing to look at when a grade surprises.

Exit status: 0 shown, 2 usage, 3 something could not be read, 5 no trace.`,
		Args: needInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := inspectWriters[evidence][format]
			if !ok {
				return usagef("format %q: want text or json", format)
			}
			o, problems, err := in.options(cmd)
			if err != nil {
				return err
			}
			traces, read, err := offline.Traces(cmd.Context(), args, o)
			if err != nil {
				return err
			}
			problems.close(read)
			if err := write(cmd.OutOrStdout(), traces); err != nil {
				return err
			}
			switch {
			case problems.bad > 0:
				return status(exitTrouble)
			case len(traces) == 0:
				return noTrace(read)
			}
			return nil
		},
	}
	in.register(cmd)
	formatFlag(cmd, &format, "text", "json")
	cmd.Flags().BoolVar(&evidence, "evidence", false, "show where each value of the answer and of the tools' arguments comes from")
	return cmd
}

type inspectWriter = func(w io.Writer, traces []*trace.Trace) error

// inspectWriters are the formats, without and with --evidence.
var inspectWriters = map[bool]map[string]inspectWriter{
	false: {"text": report.InspectText, "json": report.Inspect},
	true:  {"text": report.EvidenceText, "json": report.Evidence},
}
