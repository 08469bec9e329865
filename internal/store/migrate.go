package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// ErrNewerSchema says that the tables were made by a newer version of
// tracegrade, whose rows this one must not write.
var ErrNewerSchema = errors.New("the schema is from a newer version of tracegrade")

// Codes of ClickHouse exceptions that are told apart.
const (
	codeUnknownTable    = 60
	codeUnknownDatabase = 81
	codeNotEnoughSpace  = 243
)

// Migrate brings the schema up to this version: it makes the database and the
// tables where there are none, and applies what is missing. Repeating it, and
// running it in two processes at once, does no harm: every statement is one
// that may be repeated, and it is recorded only after it succeeded. Where
// nothing is missing it needs no right to create anything.
func (s *Store) Migrate(ctx context.Context) error {
	s.migrateMu.Lock()
	defer s.migrateMu.Unlock()
	have, err := s.schemaVersion(ctx)
	if err != nil {
		return err
	}
	list := migrations()
	if newest := uint32(len(list)); have > newest {
		return fmt.Errorf("%w: database %s is at migration %d, this version knows %d: upgrade tracegrade, or use another database or table_prefix",
			ErrNewerSchema, s.layout.database, have, newest)
	}
	if have == 0 {
		if err := s.createDatabase(ctx); err != nil {
			return err
		}
	}
	for _, m := range list[have:] {
		if err := s.apply(ctx, m); err != nil {
			return err
		}
	}
	if err := s.applyTTL(ctx); err != nil {
		return err
	}
	s.migrated = true
	return nil
}

// ensure migrates before the first insert.
func (s *Store) ensure(ctx context.Context) error {
	s.migrateMu.Lock()
	done := s.migrated
	s.migrateMu.Unlock()
	if done {
		return nil
	}
	return s.Migrate(ctx)
}

// schemaVersion is the number of the newest migration applied; 0 for none.
func (s *Store) schemaVersion(ctx context.Context) (uint32, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	var version uint32
	err := s.conn.QueryRow(ctx, "SELECT max(version) FROM "+s.layout.name("schema_migrations")).Scan(&version)
	var exception *clickhouse.Exception
	if errors.As(err, &exception) && (exception.Code == codeUnknownTable || exception.Code == codeUnknownDatabase) {
		return 0, nil
	}
	return version, s.wrap(ctx, "read the schema version from", err)
}

// createDatabase makes the database and the table of migrations. It connects
// by itself: a connection into a database that does not exist is refused.
func (s *Store) createDatabase(ctx context.Context) error {
	o := *s.options
	o.Auth.Database = ""
	conn, err := clickhouse.Open(&o)
	if err != nil {
		return err
	}
	defer conn.Close()
	l := s.layout
	engine := "ReplacingMergeTree(applied_at)"
	if l.cluster != "" {
		engine = fmt.Sprintf("ReplicatedReplacingMergeTree('/clickhouse/tables/%s/%s', '{shard}-{replica}', applied_at)", l.database, l.prefix+"schema_migrations")
	}
	for _, sql := range []string{
		"CREATE DATABASE IF NOT EXISTS `" + l.database + "` " + l.onCluster(),
		"CREATE TABLE IF NOT EXISTS " + l.name("schema_migrations") + " " + l.onCluster() +
			" (version UInt32, name String, applied_at DateTime64(3, 'UTC')) ENGINE = " + engine + " ORDER BY version",
	} {
		if err := s.exec(ctx, conn, "create the database in", sql); err != nil {
			return err
		}
	}
	return nil
}

// apply runs one migration and records it.
func (s *Store) apply(ctx context.Context, m migration) error {
	list, err := s.layout.statements(m)
	if err != nil {
		return err
	}
	for _, sql := range list {
		if err := s.exec(ctx, s.conn, "apply migration "+m.name+" to", sql); err != nil {
			return err
		}
	}
	record := fmt.Sprintf("INSERT INTO %s (version, name, applied_at) VALUES (%d, %s, now64(3))",
		s.layout.name("schema_migrations"), m.version, quote(m.name))
	return s.exec(ctx, s.conn, "record migration "+m.name+" in", record)
}

// applyTTL gives the tables the configured retention where they have another. A
// row is as old as its trace or step; one without a time, or with one of 1970, by
// a clock that was not set, is as old as its grade.
func (s *Store) applyTTL(ctx context.Context) error {
	if s.ttl == 0 {
		return nil
	}
	interval := fmt.Sprintf("toIntervalSecond(%d)", int64(s.ttl/time.Second))
	for _, t := range []struct{ name, column string }{
		{"traces", "trace_start"}, {"steps", "step_start"}, {"findings", "trace_start"}, {"outcomes", "trace_start"},
		{"observations", "trace_start"}, {"links", "trace_start"},
	} {
		local := strings.TrimPrefix(s.layout.local(t.name), "`"+s.layout.database+"`.")
		has, err := s.tableEngine(ctx, strings.Trim(local, "`"))
		if err != nil {
			return err
		}
		if strings.Contains(has, interval) && strings.Contains(has, "toYear(") {
			continue
		}
		graded := fmt.Sprintf("fromUnixTimestamp64Milli(toInt64(bitAnd(row_version, %d)), 'UTC')", gradedBits)
		sql := fmt.Sprintf("ALTER TABLE %s %s MODIFY TTL toDateTime(if(toYear(%[3]s) > 1970, %[3]s, %s)) + %s", s.layout.local(t.name), s.layout.onCluster(), t.column, graded, interval)
		if err := s.exec(ctx, s.conn, "set the ttl of table "+t.name+" in", sql); err != nil {
			return err
		}
	}
	return nil
}

// tableEngine is the engine clause of a table, TTL included.
func (s *Store) tableEngine(ctx context.Context, table string) (string, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	var engine string
	err := s.conn.QueryRow(ctx, "SELECT engine_full FROM system.tables WHERE database = ? AND name = ?", s.layout.database, table).Scan(&engine)
	return engine, s.wrap(ctx, "read table "+table+" from", err)
}

// exec runs one statement.
func (s *Store) exec(ctx context.Context, conn driver.Conn, doing, sql string) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	return s.wrap(ctx, doing, conn.Exec(ctx, sql))
}
