package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/tracegrade/tracegrade/internal/store"
)

// databaseFlags say which ClickHouse a verb means: a server, or the embedded
// engine of a data folder.
type databaseFlags struct {
	engine engineFlags
	dsn    string
}

func (f *databaseFlags) register(cmd *cobra.Command) {
	f.engine.register(cmd)
	cmd.Flags().StringVar(&f.dsn, "dsn", os.Getenv("TRACEGRADE_DSN"), "ClickHouse server: clickhouse://user:password@host:9000/database (default $TRACEGRADE_DSN, else the embedded engine)")
}

// Values of a flag that names a database where no DSN is given.
const (
	configured = "configured" // the flag alone: the server of $TRACEGRADE_DSN, else the embedded engine
	embedded   = "embedded"   // the embedded engine, whatever the environment says
)

// databaseFlag registers a flag that names a database; what says what it is for.
func databaseFlag(cmd *cobra.Command, to *string, name, what string) {
	cmd.Flags().StringVar(to, name, "", what+": the ClickHouse server of `DSN`; without one that of $TRACEGRADE_DSN, else the embedded engine (always with =embedded)")
	cmd.Flags().Lookup(name).NoOptDefVal = configured
}

// databaseOf is the database that a value of such a flag names.
func databaseOf(engine engineFlags, value string) databaseFlags {
	switch value {
	case configured:
		return databaseFlags{engine: engine, dsn: os.Getenv("TRACEGRADE_DSN")}
	case embedded:
		return databaseFlags{engine: engine}
	}
	return databaseFlags{engine: engine, dsn: value}
}

// access is what a verb does with the database.
type access bool

const (
	readOnly  access = false
	readWrite access = true
)

// open connects to the server, or to the embedded engine: the one that runs,
// else one that is started for this command and others that come while it runs.
// The returned function closes what open opened.
func (f *databaseFlags) open(cmd *cobra.Command, a access) (*store.Store, func(), error) {
	dsn, reader, stop := f.dsn, "", func() {}
	if given := cmd.Flags().Lookup("dsn"); dsn == "" && given != nil && given.Changed {
		return nil, nil, usagef("--dsn is empty: want clickhouse://user:password@host:9000/database, or leave it out for the embedded engine")
	}
	if dsn != "" {
		if err := (&store.Config{DSN: dsn}).Validate(); err != nil {
			return nil, nil, usage(err)
		}
	}
	if dsn == "" {
		e, err := f.engine.use(cmd.Context())
		if err != nil {
			return nil, nil, err
		}
		dsn, stop = e.DSN(), func() { e.Close() }
		if a == readOnly {
			reader = e.ReadOnlyDSN()
		}
	}
	s, err := store.Open(store.Config{DSN: dsn, Timeout: time.Minute})
	if err == nil && (a == readWrite || f.dsn == "") {
		err = s.Migrate(cmd.Context())
	}
	if err == nil && reader != "" { // who migrates may write, who asks may not
		s.Close()
		s, err = store.Open(store.Config{DSN: reader, Timeout: time.Minute})
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return s, func() {
		s.Close()
		stop()
	}, nil
}

// checkQuery refuses a named query that cannot run before a database is asked.
func checkQuery(name string, values map[string]string) error {
	q, err := store.NamedQuery(name)
	if err != nil {
		return err
	}
	_, err = q.Bind(values, time.Now())
	return err
}
