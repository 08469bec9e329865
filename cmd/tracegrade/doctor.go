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
			traces, read, err := offline.Traces(cmd.Context(), args, o)
			if err != nil {
				return err
			}
			problems.close(read)
			if len(traces) == 0 {
				return noTrace(read)
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
	diagnoses := normalise.Diagnose(steps)
	if len(diagnoses) == 0 && len(steps) > 0 {
		missing = true
		writeStrangers(w, steps)
	}
	for _, d := range diagnoses {
		fmt.Fprintf(w, "%s: %s\n", d.Framework.Title, counted(d.Steps, "step"))
		told := ""
		for _, m := range d.Missing {
			missing = true
			fmt.Fprintf(w, "  missing  %s\n", m)
			if m.Advice != "" && m.Advice != told {
				told = m.Advice
				fmt.Fprintf(w, "  to do    %s\n", m.Advice)
			}
		}
		if len(d.Missing) == 0 {
			fmt.Fprintln(w, "  nothing is missing")
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
		fmt.Fprintf(w, "incomplete: %d of %s, a root or a parent is missing\n", incomplete, counted(len(traces), "trace"))
	}
	if unjoined > 0 {
		fmt.Fprintf(w, "%s found no span\n", counted(unjoined, "log record"))
	}
	return missing
}

// counted is a number of things with their name.
func counted(n int, name string) string {
	if n != 1 {
		name += "s"
	}
	return fmt.Sprintf("%d %s", n, name)
}

// strangersShown is how many different names of spans are shown.
const strangersShown = 8

// writeStrangers says what was seen where no span is an agent's that anybody
// knows, and what would make it one.
func writeStrangers(w io.Writer, steps []*trace.Step) {
	names, scopes := map[string]bool{}, map[string]bool{}
	for _, s := range steps {
		names[s.Name] = true
		if s.Scope != "" {
			scopes[s.Scope] = true
		}
	}
	fmt.Fprintf(w, "no known framework: %s, none known as an agent's, a model's or a tool's\n", counted(len(steps), "span"))
	fmt.Fprintf(w, "  seen     spans called %s\n", some(names))
	if len(scopes) > 0 {
		fmt.Fprintf(w, "  seen     instrumentation scopes %s\n", some(scopes))
	}
	fmt.Fprintln(w, "  to do    instrument the agent or the model's client (docs/frameworks.md lists what is read), or name the operation of each span of your own:")
	fmt.Fprintln(w, "           gen_ai.operation.name = chat, execute_tool or invoke_agent, with gen_ai.input.messages and gen_ai.output.messages, or gen_ai.tool.name,")
	fmt.Fprintln(w, "           gen_ai.tool.call.arguments and gen_ai.tool.call.result")
}

// some lists the first of a set, quoted, and how many more there are.
func some(set map[string]bool) string {
	all := slices.Sorted(maps.Keys(set))
	var shown []string
	for _, name := range all[:min(len(all), strangersShown)] {
		shown = append(shown, fmt.Sprintf("%.60q", name))
	}
	text := strings.Join(shown, ", ")
	if more := len(all) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
