package main

import (
	"errors"
	"fmt"
	"io"
	"os"
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
}

func (f *inputFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "input-format", "", "format of the inputs, where detection is not wanted: "+strings.Join(tracefile.Formats(), ", "))
	cmd.Flags().BoolVar(&f.noProgress, "no-progress", false, "do not show progress on a terminal")
}

// options makes the reader's options. What cannot be read is said on stderr
// through the returned problems.
func (f *inputFlags) options(cmd *cobra.Command) (offline.Options, *problems) {
	p := &problems{w: cmd.ErrOrStderr()}
	o := offline.Options{
		Input:   tracefile.Options{Format: f.format, Stdin: cmd.InOrStdin()},
		Problem: p.add,
	}
	if !f.noProgress && isTerminal(cmd.ErrOrStderr()) {
		o.Progress = progress(cmd.ErrOrStderr())
	}
	return o, p
}

// maxProblems is how many problems are printed; all are counted.
const maxProblems = 20

// problems prints what could not be read.
type problems struct {
	w    io.Writer
	seen int
	// bad counts those that make a run incomplete: all but files of a folder
	// that merely hold something else.
	bad int
}

func (p *problems) add(problem *tracefile.Problem) {
	p.seen++
	level := "warning"
	if !problem.Unrecognised {
		p.bad++
		level = "error"
	}
	switch {
	case p.seen <= maxProblems:
		fmt.Fprintf(p.w, "tracegrade: %s: %v\n", level, problem)
	case p.seen == maxProblems+1:
		fmt.Fprintln(p.w, "tracegrade: more could not be read; see the count at the end")
	}
}

// close says how many problems there were, where not all were printed.
func (p *problems) close() {
	if p.seen > maxProblems {
		fmt.Fprintf(p.w, "tracegrade: %d documents or files could not be read\n", p.seen)
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
	for _, a := range args {
		if a == "-" {
			dash++
		}
	}
	if dash > 1 {
		return usagef("standard input (-) is named twice")
	}
	return nil
}

var errNoTrace = errors.New("no trace in the inputs")
