package main

import (
	"encoding/json"
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
	var format string
	cmd := &cobra.Command{
		Use:   "doctor FILE... | DIR | -",
		Short: "Say what traces lack for grading, and how to switch it on in their framework",
		Long: `Say, for each framework that wrote the traces, what they lack for grading and how
to switch it on there.

Exit status: 0 nothing is missing, 1 something is, 2 usage, 3 something could not be read, 5 no trace.`,
		Args: needInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := doctorWriters[format]
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
			if len(traces) == 0 {
				return noTrace(read)
			}
			c := examine(traces)
			if err := write(cmd.OutOrStdout(), c); err != nil {
				return err
			}
			switch {
			case problems.bad > 0:
				return status(exitTrouble)
			case c.missing():
				return status(exitFailed)
			}
			return nil
		},
	}
	in.register(cmd)
	formatFlag(cmd, &format, "text", "json")
	return cmd
}

var doctorWriters = map[string]func(io.Writer, *checkup) error{"text": writeCheckup, "json": writeCheckupJSON}

// A checkup is what doctor found in traces.
type checkup struct {
	traces     int
	incomplete int // traces
	unjoined   int // log records
	frameworks []normalise.Diagnosis
	strangers  []*trace.Step // where no step is of a known framework
}

func examine(traces []*trace.Trace) *checkup {
	c := &checkup{traces: len(traces)}
	var steps []*trace.Step
	for _, t := range traces {
		steps = append(steps, t.Steps...)
		c.unjoined += t.Unjoined
		if !t.Release.Complete {
			c.incomplete++
		}
	}
	if c.frameworks = normalise.Diagnose(steps); len(c.frameworks) == 0 {
		c.strangers = steps
	}
	return c
}

// missing reports whether anything is.
func (c *checkup) missing() bool {
	return c.incomplete+c.unjoined+len(c.strangers) > 0 ||
		slices.ContainsFunc(c.frameworks, func(d normalise.Diagnosis) bool { return len(d.Missing) > 0 })
}

// writeCheckupJSON writes one object. Lists that are empty are there.
func writeCheckupJSON(w io.Writer, c *checkup) error {
	type framework struct {
		Dialect string              `json:"dialect"`
		Title   string              `json:"title"`
		Steps   int                 `json:"steps"`
		Missing []normalise.Missing `json:"missing"`
		Losses  map[string]int      `json:"losses"`
	}
	out := struct {
		Traces     int         `json:"traces"`
		Incomplete int         `json:"incomplete_traces"`
		Unjoined   int         `json:"unjoined_records"`
		Frameworks []framework `json:"frameworks"`
		Unknown    []string    `json:"unknown_spans"` // names, where no framework is known
	}{c.traces, c.incomplete, c.unjoined, []framework{}, []string{}}
	for _, d := range c.frameworks {
		out.Frameworks = append(out.Frameworks, framework{d.Framework.Dialect, d.Framework.Title, d.Steps, append([]normalise.Missing{}, d.Missing...), d.Losses})
	}
	names := map[string]bool{}
	for _, s := range c.strangers {
		names[s.Name] = true
	}
	out.Unknown = append(out.Unknown, slices.Sorted(maps.Keys(names))...)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// writeCheckup prints what each framework's steps lack.
func writeCheckup(w io.Writer, c *checkup) error {
	if len(c.strangers) > 0 {
		writeStrangers(w, c.strangers)
	}
	for _, d := range c.frameworks {
		fmt.Fprintf(w, "%s: %s\n", d.Framework.Title, counted(d.Steps, "step"))
		told := ""
		for _, m := range d.Missing {
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
	if c.incomplete > 0 {
		fmt.Fprintf(w, "incomplete: %d of %s, a root or a parent is missing\n", c.incomplete, counted(c.traces, "trace"))
	}
	if c.unjoined > 0 {
		fmt.Fprintf(w, "%s found no span\n", counted(c.unjoined, "log record"))
	}
	return nil
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
