package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/rules/packs"
)

// formatFlag is the flag --format with what it may be, the default first.
func formatFlag(cmd *cobra.Command, format *string, words ...string) {
	last := len(words) - 1
	cmd.Flags().StringVar(format, "format", words[0], strings.Join(words[:last], ", ")+" or "+words[last])
	offer(cmd, "format", cobra.ShellCompDirectiveNoFileComp, words)
}

// rulesFlag is the flag --rules.
func rulesFlag(cmd *cobra.Command, paths *[]string, usage string) {
	cmd.Flags().StringArrayVar(paths, "rules", nil, usage)
	names := []string{"pack:all"}
	for _, topic := range packs.Topics() {
		names = append(names, "pack:"+topic)
	}
	offer(cmd, "rules", cobra.ShellCompDirectiveDefault, names)
}

// offer has the shell complete a flag with words.
func offer(cmd *cobra.Command, flag string, beside cobra.ShellCompDirective, words []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, beside
	})
	if err != nil {
		panic("tracegrade: " + err.Error()) // the flag was made just before
	}
}

// offerRules has the shell complete the first argument with the ids of the rules that
// are loaded, and others with files.
func offerRules(cmd *cobra.Command, paths *[]string) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		set, err := ruleset.Load(*paths)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var ids []string
		for _, r := range set.Rules() {
			ids = append(ids, r.ID+"\t"+r.Title)
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}
