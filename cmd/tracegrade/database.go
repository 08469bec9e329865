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
	// timeout is how long the verb itself waits for an answer: the connection's
	// own limit of a minute is on top of it.
	timeout time.Duration
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
type access int

const (
	readOnly  access = iota // of what is there
	amend                   // reads what is there, and adds to it
	readWrite               // makes the database where there is none
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
		if err := f.engine.hasData(); a != readWrite && err != nil {
			return nil, nil, err
		}
		e, err := f.engine.use(cmd.Context())
		if err != nil {
			return nil, nil, err
		}
		dsn, stop = e.DSN(), func() { e.Close() }
		if a == readOnly {
			reader = e.ReadOnlyDSN()
		}
	}
	timeout := f.timeout + time.Minute
	s, err := store.Open(store.Config{DSN: dsn, Timeout: timeout})
	if err == nil && (a != readOnly || f.dsn == "") {
		err = s.Migrate(cmd.Context())
	}
	if err == nil && reader != "" { // who migrates may write, who asks may not
		s.Close()
		s, err = store.Open(store.Config{DSN: reader, Timeout: timeout})
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
