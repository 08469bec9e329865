package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/tracefile"
)

// inputFlags are what all verbs that read traces share.
type inputFlags struct {
	format     string
	noProgress bool
	memory     int // MiB of spans held; 0 for the default
}

func (f *inputFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "input-format", "", "format of the inputs, where detection is not wanted: "+strings.Join(tracefile.Formats(), ", "))
	cmd.Flags().BoolVar(&f.noProgress, "no-progress", false, "do not show progress on a terminal")
}

// registerMemory is for verbs that are done with a trace when they have seen it.
func (f *inputFlags) registerMemory(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.memory, "memory-mib", offline.DefaultMemory>>20, "`MIB` of spans and log records that are held in memory; the rest waits in temporary files, and the grades are the same")
}

// options makes the reader's options. What cannot be read is said on stderr
// through the returned problems.
func (f *inputFlags) options(cmd *cobra.Command) (offline.Options, *problems, error) {
	if err := tracefile.CheckFormat(f.format); err != nil {
		return offline.Options{}, nil, usage(err)
	}
	if f.memory < 0 {
		return offline.Options{}, nil, usagef("--memory-mib %d: want a number of MiB, or 0 for the default", f.memory)
	}
	memory := int64(f.memory) << 20
	if memory == 0 {
		memory = offline.DefaultMemory
	}
	tuneHeap(heapFor(memory, machineMemory()))
	p := &problems{w: cmd.ErrOrStderr()}
	o := offline.Options{
		Input:   tracefile.Options{Format: f.format, Stdin: cmd.InOrStdin()},
		Memory:  memory,
		Problem: p.add,
	}
	if !f.noProgress && isTerminal(cmd.ErrOrStderr()) {
		o.Progress = progress(cmd.ErrOrStderr())
	}
	return o, p, nil
}

// maxProblems is how many problems are printed; all are counted.
const maxProblems = 20

// problems prints what could not be read.
type problems struct {
	w        io.Writer
	bad      int
	said     []string // the first of those that are bad
	warnings int
	// skipped names files of a folder that merely hold something else; they
	// are said in one line at the end.
	skipped []string
}

func (p *problems) add(problem *tracefile.Problem) {
	if problem.Unrecognised {
		if n := len(p.skipped); n == 0 || p.skipped[n-1] != problem.Place.File {
			p.skipped = append(p.skipped, problem.Place.File)
		}
		return
	}
	if problem.Warning {
		if p.warnings++; p.warnings <= maxProblems {
			fmt.Fprintf(p.w, "tracegrade: warning: %v\n", problem)
		}
		return
	}
	switch p.bad++; {
	case p.bad <= maxProblems:
		p.said = append(p.said, problem.Error())
		fmt.Fprintf(p.w, "tracegrade: error: %v\n", problem)
	case p.bad == maxProblems+1:
		fmt.Fprintln(p.w, "tracegrade: error: more could not be read; see the count at the end")
	}
}

// unread is what a report says of what could not be read.
func (p *problems) unread() []string {
	if p.bad <= maxProblems {
		return p.said
	}
	return append(slices.Clip(p.said), fmt.Sprintf("%d more documents or files", p.bad-maxProblems))
}

// close says what was not said one by one.
func (p *problems) close(read offline.Stats) {
	if read.Unjoined > 0 {
		fmt.Fprintf(p.w, "tracegrade: warning: %d log records with content belong to no trace of the inputs: their spans may be in another file\n", read.Unjoined)
	}
	if p.bad > maxProblems {
		fmt.Fprintf(p.w, "tracegrade: error: %d documents or files could not be read\n", p.bad)
	}
	if p.warnings > maxProblems {
		fmt.Fprintf(p.w, "tracegrade: warning: %d warnings in all\n", p.warnings)
	}
	if n := len(p.skipped); n > 0 {
		names := strings.Join(p.skipped[:min(n, 3)], ", ")
		if n > 3 {
			names += ", …"
		}
		fmt.Fprintf(p.w, "tracegrade: warning: skipped %d files that hold no traces: %s (name one alone to see why)\n", n, names)
	}
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// progress shows how much was read, at most four times a second.
func progress(w io.Writer) func(int64) {
	var mu sync.Mutex
	var last time.Time
	return func(bytes int64) {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(last) > 250*time.Millisecond {
			last = now
			fmt.Fprintf(w, "\rread %d MB \r", bytes>>20)
		}
	}
}

// needInputs refuses an empty command line, which would read nothing and look
// like success.
func needInputs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("no inputs: name files, folders or - for standard input (see %s --help)", cmd.CommandPath())
	}
	dash := 0
	for i, a := range args {
		if strings.Contains(a, "://") { // it may hold a password
			return usagef("input %d is an address and no file: a database is named with =, as in --store=DSN", i+1)
		}
		if a == "-" {
			dash++
		}
	}
	if dash > 1 {
		return usagef("standard input (-) is named twice")
	}
	return nil
}

// noTrace says that there was nothing to do, and what there was instead.
func noTrace(read offline.Stats) error {
	var found []string
	for _, f := range []struct {
		n            int
		what, belong string
	}{
		{read.Logs, "log record", ", of which none describes a step"},
		{read.Metrics, "document", " of metrics"},
		{read.Untraced, "span", " without a trace id"},
		{read.Empty, "empty document", ""},
	} {
		if f.n > 0 {
			found = append(found, counted(f.n, f.what)+f.belong)
		}
	}
	if len(found) == 0 {
		return &statusError{exitNothing, errors.New("no trace in the inputs")}
	}
	return &statusError{exitNothing, fmt.Errorf("no trace in the inputs: only %s", strings.Join(found, ", "))}
}
