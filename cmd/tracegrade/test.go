package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/folder"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

func testCommand() *cobra.Command {
	var run, format string
	var mutate, verbose, watch bool
	cmd := &cobra.Command{
		Use:   "test FILE... | DIR",
		Short: "Run the tests that lie beside rules (x_test.yaml beside x.yaml)",
		Long: `Run the tests that lie beside rules. A test states a trace in short notation, or
names a recorded one, and what each rule says about it. It fails on a finding
that it does not expect; a rule that is never seen in an outcome that it can
have fails as well, and so does a rule file without tests. A rule file stands
for the tests beside it.

Exit status: 0 all passed, 1 a test failed, 2 usage or a file is wrong, 5 nothing tested.`,
		Example: `  tracegrade test rules/
  tracegrade test rules/refund_test.yaml --run "after the tool failed" -v
  tracegrade test rules/ --watch
  tracegrade test rules/ --mutate`,
		Args: needInputs,
		RunE: func(cmd *cobra.Command, args []string) error {
			read := map[string]bool{} // rules, rubrics and traces that the tests name, and the tests
			open := openRecorded(cmd)
			o := ruletest.Options{Open: func(path string) ([]*trace.Trace, error) {
				read[filepath.Clean(path)] = true
				return open(path)
			}}
			load := func(path string) ([]byte, error) {
				read[filepath.Clean(path)] = true
				return os.ReadFile(path)
			}
			if run != "" {
				re, err := regexp.Compile(run)
				if err != nil {
					return usagef("--run: %w", err)
				}
				o.Run = re
			}
			once := func() error {
				r, err := runTests(args, o, load, mutate)
				if err != nil {
					return usage(err)
				}
				switch format {
				case "text":
					err = r.WriteText(cmd.OutOrStdout(), verbose)
				case "json":
					err = r.WriteJSON(cmd.OutOrStdout())
				case "junit":
					err = r.WriteJUnit(cmd.OutOrStdout())
				default:
					return usagef("format %q: want text, json or junit", format)
				}
				if err != nil {
					return err
				}
				return testVerdict(r, run)
			}
			if !watch {
				return once()
			}
			w, err := newWatcher(cmd, foldersOf(args)...)
			if err != nil {
				return err
			}
			w.reads = func(path string) bool { return folder.YAML(path) || read[filepath.Clean(path)] }
			w.more = func() []string { return slices.Sorted(maps.Keys(read)) }
			return w.run(cmd.Context(), once)
		},
	}
	cmd.Flags().StringVar(&run, "run", "", "run only tests whose name matches this `REGEXP`")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every test, and the coverage")
	cmd.Flags().BoolVar(&mutate, "mutate", false, "change the rules one place at a time and list the changes that no test notices")
	cmd.Flags().BoolVar(&watch, "watch", false, "run again whenever a rule, a test or a trace that a test names changes, until interrupted")
	formatFlag(cmd, &format, "text", "json", "junit")
	return cmd
}

// foldersOf are the folders of test and rule files: the others lie beside them.
func foldersOf(paths []string) []string {
	var list []string
	for _, p := range paths {
		if folder.YAML(p) {
			p = filepath.Dir(p)
		}
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// runTests runs the test files among paths. A file that cannot be read is an
// error, since its tests would be missing silently.
func runTests(paths []string, o ruletest.Options, load func(string) ([]byte, error), mutate bool) (*ruletest.Report, error) {
	tests, untested, err := ruletest.Find(paths)
	if err != nil {
		return nil, err
	}
	if o.Run != nil {
		untested = nil // who names tests does not ask what has none
	}
	r := &ruletest.Report{Files: []*ruletest.Result{}, Untested: append([]string{}, untested...)}
	var errs []error
	for _, path := range tests {
		f, err := ruletest.LoadWith(path, load)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if o.Run != nil && !slices.ContainsFunc(f.Tests, func(t ruletest.Test) bool { return o.Run.MatchString(t.Name) }) {
			continue
		}
		r.Files = append(r.Files, ruletest.Run(f, o))
		if mutate {
			if r.Mutation == nil {
				r.Mutation = &ruletest.Mutation{}
			}
			r.Mutation.Add(ruletest.Mutate(f, o))
		}
	}
	return r, errors.Join(errs...)
}

func testVerdict(r *ruletest.Report, run string) error {
	switch {
	case len(r.Files) == 0 && run != "":
		return &statusError{exitNothing, fmt.Errorf("nothing tested: no test has a name that matches %q", run)}
	case len(r.Files) == 0 && len(r.Untested) == 0:
		return &statusError{exitNothing, errors.New("nothing tested: no test file (x_test.yaml)")}
	case !r.Passed():
		return status(exitFailed)
	case r.Mutation != nil && r.Mutation.Empty():
		return &statusError{exitNothing, errors.New("the tests pass, and --mutate found no rule to change")}
	}
	return nil
}

// openRecorded reads the traces that tests name.
func openRecorded(cmd *cobra.Command) func(string) ([]*trace.Trace, error) {
	return func(path string) ([]*trace.Trace, error) {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		var bad error
		traces, _, err := offline.Traces(cmd.Context(), []string{path}, offline.Options{
			Problem: func(p *tracefile.Problem) { bad = errors.Join(bad, p) },
		})
		if err := errors.Join(err, bad); err != nil {
			return nil, fmt.Errorf("recorded trace: %w", err)
		}
		return traces, nil
	}
}
