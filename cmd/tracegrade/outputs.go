package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/report"
)

// outputFlags are what all verbs that report grades share: a format for
// standard output, and files whose endings name theirs.
type outputFlags struct {
	format string
	files  []string
}

func (f *outputFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.format, "format", "text", "format on standard output: "+strings.Join(report.Formats(), ", "))
	offer(cmd, "format", cobra.ShellCompDirectiveNoFileComp, report.Formats())
	cmd.Flags().StringArrayVarP(&f.files, "output", "o", nil, "also write to `FILE`, in the format that its ending names; may repeat")
}

// open makes the handlers. Files appear under their names only on commit, so
// that a command that fails leaves nothing half-written behind.
func (f *outputFlags) open(stdout io.Writer) (report.Handler, *files, error) {
	first, err := report.New(f.format, stdout)
	if err != nil {
		return nil, nil, usage(err)
	}
	tee, out := report.Tee{first}, &files{}
	for _, name := range f.files {
		format, err := report.FormatOf(name)
		if err != nil {
			out.discard()
			return nil, nil, usage(err)
		}
		w, err := out.create(name)
		if err != nil {
			out.discard()
			return nil, nil, usage(err)
		}
		h, err := report.New(format, w)
		if err != nil {
			return nil, nil, err
		}
		tee = append(tee, h)
	}
	return tee, out, nil
}

// files are output files in the making.
type files struct {
	temp []*os.File
	name []string
}

func (f *files) create(name string) (io.Writer, error) {
	t, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, fmt.Errorf("output file %s: %w", name, errors.Unwrap(err))
	}
	f.temp, f.name = append(f.temp, t), append(f.name, name)
	return t, nil
}

// commit gives the files their names.
func (f *files) commit() error {
	for i, t := range f.temp {
		err := errors.Join(t.Chmod(0o644), t.Close())
		if err == nil {
			err = os.Rename(t.Name(), f.name[i])
		}
		if err != nil {
			return fmt.Errorf("output file %s: %w", f.name[i], err)
		}
	}
	f.temp, f.name = nil, nil
	return nil
}

// discard removes what was not committed.
func (f *files) discard() {
	for _, t := range f.temp {
		t.Close()
		os.Remove(t.Name())
	}
	f.temp, f.name = nil, nil
}
