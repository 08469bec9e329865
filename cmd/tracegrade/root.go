package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// version of this build; the release process sets it with -ldflags -X.
var version = "0.1.0-dev"

// Exit statuses, the same for every verb and format. Scripts depend on them:
// only ever add.
const (
	exitOK           = 0 // done; nothing failed
	exitFailed       = 1 // graded, and something failed
	exitUsage        = 2 // the command line, a configuration or a rule file is wrong
	exitTrouble      = 3 // could not do it; says nothing about the agent
	exitInconclusive = 4 // too few runs to tell, or a required rule is missing
	exitNothing      = 5 // nothing graded: no trace, or no rule applied
	// Above 128: stopped by the signal of that number; see [stopped].
)

// statusError is an error that knows its exit status. A nil err is a status
// without a message: everything that was to be said is on stdout.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

// usage marks err as the user's mistake: status 2. Nil stays nil.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &statusError{exitUsage, err}
}

// usagef is usage(fmt.Errorf(...)).
func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// status ends a verb with a status and no message.
func status(code int) error {
	if code == exitOK {
		return nil
	}
	return &statusError{status: code}
}

// run is main without the process: it executes one command line and returns
// its exit status. An error that names no status is trouble (3).
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(sqlIsNoFlag(args))
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	if err == nil {
		return exitOK
	}
	var known *statusError
	var by stopped
	switch {
	case errors.As(err, &by):
		known = &statusError{by.status(), err}
	case !errors.As(err, &known):
		known = &statusError{exitTrouble, err}
	}
	if known.err != nil {
		fmt.Fprintf(stderr, "tracegrade: %v\n", err)
	}
	return known.status
}

// verbs makes the commands, one function per file.
var verbs = []func() *cobra.Command{
	serveCommand,
	inspectCommand,
	gradeCommand,
	regradeCommand,
	queryCommand,
	rulesCommand,
	testCommand,
	harnessCommand,
	benchCommand,
	judgeCommand,
	labelCommand,
	doctorCommand,
	dbCommand,
	versionCommand,
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "tracegrade",
		Short:         "Grade what LLM agents did, from their OpenTelemetry spans",
		Version:       version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usage(unknownVerb(cmd, args[0]))
		},
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w (see %s --help)", err, cmd.CommandPath())
	})
	for _, verb := range verbs {
		root.AddCommand(verb())
	}
	strictHelp(root)
	argumentsAreUsage(root)
	return root
}

// strictHelp makes the verbs that cobra adds refuse what does not exist, as all
// others do.
func strictHelp(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "completion":
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err == nil && len(rest) > 0 {
					err = fmt.Errorf("unknown command %q for %q", rest[0], found.CommandPath())
				}
				return err
			}
		}
	}
}

// argumentsAreUsage makes wrong arguments of any verb the user's mistake, as
// wrong flags are.
func argumentsAreUsage(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			if known := (*statusError)(nil); err == nil || errors.As(err, &known) {
				return err
			}
			return usagef("%w (see %s --help)", err, cmd.CommandPath())
		}
	}
	for _, sub := range cmd.Commands() {
		argumentsAreUsage(sub)
	}
}

// unknownVerb names the verbs that the user may have meant.
func unknownVerb(cmd *cobra.Command, verb string) error {
	if near := cmd.SuggestionsFor(verb); len(near) > 0 {
		return fmt.Errorf("unknown command %q: did you mean %s?", verb, strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q (see tracegrade --help)", verb)
}
