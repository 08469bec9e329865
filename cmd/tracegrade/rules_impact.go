package main

import (
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// impactFlags are the settings of rules impact.
type impactFlags struct {
	in     inputFlags
	stored storedFlags
	format string
}

func rulesImpactCommand() *cobra.Command {
	var f impactFlags
	cmd := &cobra.Command{
		Use:   "impact OLD NEW FILE... | DIR | --from",
		Short: "Show which verdicts would change with other rules",
		Long: `Evaluate two rule files (or folders, or pack:NAME) on the same traces and list the
rules that mean something else, and the verdicts that would change. The traces
are those of files, or with --from those that are stored in ClickHouse.

Several paths of one side are joined by commas. A side that configures shipped
rules and does not name their pack stands for all shipped packs as it configures
them, beside its own rules.

Stored text may have been cut or redacted, and of attributes only those are
stored that the rules of that time named; how many traces that touches is said.`,
		Example: `  tracegrade rules impact rules/ new-rules/ traces/
  tracegrade rules impact pack:all settings.yaml traces/
  tracegrade rules impact pack:reliability pack:reliability,settings.yaml --from --since 7d
  tracegrade rules impact old.yaml new.yaml --from=clickhouse://host:9000/tracegrade --where "agent = 'shop'"`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch n := len(args); {
			case n < 2:
				return usagef("want two rule files, folders or packs: OLD NEW")
			case f.stored.from == "" && n < 3:
				return usagef("want traces: files or folders after OLD NEW, or --from")
			case f.stored.from != "" && n > 2:
				return usagef("want files or --from, not both (a DSN follows without a space: --from=clickhouse://…)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	formatFlag(cmd, &f.format, "text", "json")
	f.in.register(cmd)
	f.stored.register(cmd)
	return cmd
}

// impactSide is the paths of one side: one, or several joined by commas.
func impactSide(arg string) []string {
	if _, err := os.Stat(arg); err == nil {
		return []string{arg} // a name that holds a comma
	}
	return strings.Split(arg, ",")
}

func (f *impactFlags) run(cmd *cobra.Command, args []string) error {
	before, err := ruleset.LoadConfigured(impactSide(args[0]))
	if err != nil {
		return usage(err)
	}
	after, err := ruleset.LoadConfigured(impactSide(args[1]))
	if err != nil {
		return usage(err)
	}
	if f.format != "text" && f.format != "json" {
		return usagef("format %q: want text or json", f.format)
	}
	impact := rules.NewImpact(before, after)
	var all []*trace.Trace // for sessions, where a rule asks for them
	add := func(t *trace.Trace) error {
		impact.Add(t)
		if before.HasSessionRules() || after.HasSessionRules() {
			all = append(all, t)
		}
		return nil
	}
	if f.stored.from != "" {
		err = f.ofStored(cmd, add)
	} else {
		err = f.ofFiles(cmd, args[2:], append(before.Attributes(), after.Attributes()...), add)
	}
	if err != nil {
		return err
	}
	if impact.Traces == 0 {
		return noTrace(offline.Stats{})
	}
	for _, s := range assemble.Sessions(all) {
		impact.AddSession(s.Name(), s.Traces)
	}
	if f.format == "json" {
		return writeJSON(cmd.OutOrStdout(), impact)
	}
	return impact.WriteText(cmd.OutOrStdout())
}

func (f *impactFlags) ofFiles(cmd *cobra.Command, inputs, attributes []string, add func(*trace.Trace) error) error {
	o, problems, err := f.in.options(cmd)
	if err != nil {
		return err
	}
	o.Attributes = attributes
	read, err := offline.Each(cmd.Context(), inputs, o, func(i offline.Item) *trace.Trace { return i.Trace }, add)
	problems.close(read)
	if err == nil && read.Traces == 0 {
		return noTrace(read)
	}
	return err
}

func (f *impactFlags) ofStored(cmd *cobra.Command, add func(*trace.Trace) error) error {
	sel, err := f.stored.selection(time.Now())
	if err != nil {
		return err
	}
	s, closeStore, err := f.stored.open(cmd)
	if err != nil {
		return err
	}
	defer closeStore()
	n, err := s.Load(cmd.Context(), sel, add)
	warnPartial(cmd.ErrOrStderr(), n.Partial, n.Traces)
	return err
}
