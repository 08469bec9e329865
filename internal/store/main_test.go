package store

import (
	"os"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(storetest.Main(m).Run()) }

// open returns a store in a database of the test's own.
func open(tb testing.TB) *Store {
	tb.Helper()
	return openConfig(tb, Config{DSN: storetest.DSN(tb)})
}

func openConfig(tb testing.TB, c Config) *Store {
	tb.Helper()
	s, err := Open(c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { s.Close() })
	return s
}

func insertAll(tb testing.TB, s *Store, b Batch) {
	tb.Helper()
	if err := s.Insert(tb.Context(), &b); err != nil {
		tb.Fatal(err)
	}
}

// answer runs SQL and returns all values.
func answer(tb testing.TB, s *Store, sql string) [][]any {
	tb.Helper()
	rows, err := s.Query(tb.Context(), sql, nil)
	if err != nil {
		tb.Fatalf("%s: %v", sql, err)
	}
	return read(tb, rows)
}

func read(tb testing.TB, rows *Rows) [][]any {
	tb.Helper()
	var all [][]any
	for rows.Next() {
		v, err := rows.Values()
		if err != nil {
			tb.Fatal(err)
		}
		all = append(all, v)
	}
	if err := rows.Close(); err != nil {
		tb.Fatal(err)
	}
	return all
}

// number is the one number that SQL answers.
func number(tb testing.TB, s *Store, sql string) uint64 {
	tb.Helper()
	got := answer(tb, s, sql)
	if len(got) != 1 || len(got[0]) != 1 {
		tb.Fatalf("%s: got %v, want one number", sql, got)
	}
	n, ok := got[0][0].(uint64)
	if !ok {
		tb.Fatalf("%s: got %T, want uint64", sql, got[0][0])
	}
	return n
}

// day is midnight, UTC, n days after 1 November 2026.
func day(n int) time.Time { return time.Date(2026, 11, 1+n, 0, 0, 0, 0, time.UTC) }
