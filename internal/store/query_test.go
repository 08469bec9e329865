package store

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func sortRows(rows [][]any) {
	slices.SortFunc(rows, func(a, b []any) int { return strings.Compare(a[0].(string), b[0].(string)) })
}

// wantedTypes are the parameters that SQL uses.
func wantedTypes(sql string) map[string]string {
	m := map[string]string{}
	for _, p := range regexp.MustCompile(`\{(\w+):([^}]+)\}`).FindAllStringSubmatch(sql, -1) {
		m[p[1]] = p[2]
	}
	return m
}

func TestQueryValues(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Query(t.Context(), `SELECT arrayJoin([1, 2]) AS n, if(n = 1, NULL, 'x') AS maybe, {p:String} AS text,
			toDateTime64('2026-11-30 01:02:03.5', 3, 'Asia/Tokyo') AS at, map('a', 1.5) AS m, [toUInt8(1)] AS list, true AS yes, toLowCardinality('w') AS word`,
			map[string]string{"p": "a'b\\c\td\n亿"})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range rows.Columns() {
			names = append(names, c.Name+" "+c.Type)
		}
		wantNames := []string{"n UInt8", "maybe Nullable(String)", "text String", "at DateTime64(3, 'Asia/Tokyo')", "m Map(String, Float64)", "list Array(UInt8)", "yes Bool", "word LowCardinality(String)"}
		if diff := cmp.Diff(wantNames, names); diff != "" {
			t.Errorf("columns (-want +got):\n%s", diff)
		}
		rest := []any{"a'b\\c\td\n亿", time.Date(2026, 11, 29, 16, 2, 3, 500_000_000, time.UTC), map[string]float64{"a": 1.5}, []uint8{1}, true, "w"}
		want := [][]any{append([]any{uint8(1), nil}, rest...), append([]any{uint8(2), "x"}, rest...)}
		if diff := cmp.Diff(want, read(t, rows)); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
}

func TestQueryOnlyReads(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		insertAll(t, s, Batch{Traces: []TraceRow{{TraceID: "t"}}})
		for _, sql := range []string{
			"INSERT INTO traces (trace_id) VALUES ('x')",
			"INSERT INTO traces SELECT * FROM traces",
			"DROP TABLE traces",
			"TRUNCATE TABLE traces",
			"ALTER TABLE traces DELETE WHERE 1",
			"CREATE TABLE x (a UInt8) ENGINE = Memory",
			"OPTIMIZE TABLE traces FINAL",
			"SELECT 1 SETTINGS readonly = 0",
		} {
			rows, err := s.Query(t.Context(), sql, nil)
			if err == nil {
				for rows.Next() {
				}
				err = rows.Close()
			}
			if err == nil {
				t.Errorf("%s was not refused", sql)
			}
		}
		if n := number(t, s, "SELECT count() FROM traces"); n != 1 {
			t.Errorf("%d rows, want 1", n)
		}
	})
}

func TestCheckReads(t *testing.T) {
	for sql, ok := range map[string]bool{
		"SELECT 1": true, " \n(select 1) UNION ALL (SELECT 2)": true, "WITH 1 AS x SELECT x": true, "FROM system.one SELECT 1": true,
		"show tables": true, "DESC traces": true, "DESCRIBE TABLE traces": true, "EXPLAIN SELECT 1": true, "EXISTS traces": true,
		"-- why\nSELECT 1": true, "/* a\n b */ /**/ SELECT 1": true, "# why\nSELECT 1": true,
		"KILL QUERY WHERE 1": false, "SET readonly = 0": false, "SYSTEM FLUSH LOGS": false, "/* SELECT */ KILL QUERY WHERE 1": false,
		"-- SELECT\nKILL QUERY WHERE 1": false, "USE system": false, "INSERT INTO traces SELECT 1": false, "SELECTED": false,
		"": false, "-- only": false, "/* SELECT": false,
	} {
		if err := CheckReads(sql); (err == nil) != ok {
			t.Errorf("%q: %v", sql, err)
		}
	}
}

func TestQueryMistakes(t *testing.T) {
	s := open(t)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		"SELECT * FROM nothing":    "Unknown table expression identifier 'nothing'",
		"SELEC 1":                  `begins with "SELEC": want one that reads`,
		"SELECT 1 FROM":            "Syntax error",
		"SELECT {p:String}":        "Substitution `p` is not set",
		"SELECT throwIf(1, 'own')": "own",
	} {
		rows, err := s.Query(t.Context(), sql, nil)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", sql, err, want)
		}
	}
	if _, err := s.Run(t.Context(), "nothing", nil); !errors.Is(err, ErrNoQuery) {
		t.Errorf("got %v", err)
	}
}

// Rows come while the query runs: closing early ends it.
func TestRowsStream(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rows, err := s.Query(ctx, "SELECT number FROM system.numbers", nil) // never ends
		if err != nil {
			t.Fatal(err)
		}
		if !rows.Next() {
			t.Fatal(rows.Close())
		}
		if v, err := rows.Values(); err != nil || v[0] != uint64(0) {
			t.Errorf("first row %v, %v", v, err)
		}
		if err := rows.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}
