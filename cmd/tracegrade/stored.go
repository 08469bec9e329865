package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/store"
)

// storedFlags say which stored traces a verb reads.
type storedFlags struct {
	engine       engineFlags
	from         string // a DSN, or embedded; empty where no stored traces are read
	since, until string
	where        string
}

func (f *storedFlags) register(cmd *cobra.Command) {
	f.engine.register(cmd)
	databaseFlag(cmd, &f.from, "from", "read stored traces")
	f.registerSelection(cmd)
}

// registerSelection registers the flags that select among stored traces.
func (f *storedFlags) registerSelection(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "of stored traces, those that began at this `TIME` or later: 7d, 2026-11-30, 2026-11-30T08:00:00Z")
	cmd.Flags().StringVar(&f.until, "until", "", "of stored traces, those that began before this `TIME`")
	cmd.Flags().StringVar(&f.where, "where", "", "of stored traces, those for which this `SQL` condition over table traces holds")
}

// selection is what the flags select; now is what 7d counts from.
func (f *storedFlags) selection(now time.Time) (store.Selection, error) {
	sel := store.Selection{Where: f.where}
	for _, side := range []struct {
		flag, text string
		at         *time.Time
	}{{"--since", f.since, &sel.From}, {"--until", f.until, &sel.To}} {
		if side.text == "" {
			continue
		}
		t, err := store.ParseTime(side.text, now)
		if err != nil {
			return sel, usagef("%s: %w", side.flag, err)
		}
		*side.at = t
	}
	return sel, nil
}

// open connects to the database that --from names.
func (f *storedFlags) open(cmd *cobra.Command) (*store.Store, func(), error) {
	db := databaseOf(f.engine, f.from)
	return db.open(cmd, readOnly)
}

// warnPartial says of how many stored traces less is known than was recorded.
func warnPartial(w io.Writer, partial, traces int) {
	if partial > 0 {
		fmt.Fprintf(w, "tracegrade: warning: of %d of %d traces, text was cut or redacted when they were stored: rules about evidence do not judge it\n", partial, traces)
	}
}
