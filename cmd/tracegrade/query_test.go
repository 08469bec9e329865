package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// The examples of the help name queries and parameters that there are.
func TestQueryExamples(t *testing.T) {
	used := regexp.MustCompile(`query ([a-z-]+) -p ([a-z_]+)=`).FindAllStringSubmatch(queryCommand().Example, -1)
	if len(used) == 0 {
		t.Fatal("no example sets a parameter")
	}
	for _, u := range used {
		known := slices.ContainsFunc(store.Queries(), func(q store.Query) bool {
			return q.Name == u[1] && slices.ContainsFunc(q.Parameters, func(p store.Parameter) bool { return p.Name == u[2] })
		})
		if !known {
			t.Errorf("query %s has no parameter %s", u[1], u[2])
		}
	}
}

func TestQuery(t *testing.T) {
	file := filepath.Join(t.TempDir(), "q.sql")
	if err := os.WriteFile(file, []byte("-- of a file\nSELECT 3 AS n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dsn := strings.ReplaceAll(storetest.DSN(t), "/tracegrade_test_", "/default?x=") // a question needs no tables
	dsn, _, _ = strings.Cut(dsn, "?")
	for _, tt := range []struct {
		name, stdin string
		args        []string
		status      int
		stdout      string
		stderr      string // a part
	}{
		{"SQL", "", []string{"SELECT 1 AS n"}, exitOK, "n\n1\n", ""},
		{"a comment first", "", []string{"-- why\nSELECT 1 AS n"}, exitOK, "n\n1\n", ""},
		{"standard input", "SELECT 2 AS n", []string{"-"}, exitOK, "n\n2\n", ""},
		{"a file", "", []string{"--file", file}, exitOK, "n\n3\n", ""},
		{"standard input as a file", "SELECT 4 AS n", []string{"--file", "-"}, exitOK, "n\n4\n", ""},
		{"nothing on standard input", " \n", []string{"-"}, exitUsage, "", "standard input is empty: want one SQL statement"},
		{"both", "", []string{"findings", "--file", file}, exitUsage, "", `want a query or --file, not both: "findings" and `},
		{"too much", strings.Repeat(" ", maxSQL) + "SELECT 1", []string{"-"}, exitUsage, "", "standard input: more than 1048576 bytes"},
		{"no such file", "", []string{"--file", file + "x"}, exitUsage, "", "no such file"},
		{"a failure on the way", "", []string{"SELECT throwIf(number = 5) FROM numbers(10)"}, exitTrouble, "", "throwIf"},
		{"a limit of none", "", []string{"--timeout", "0s", "SELECT 1"}, exitUsage, "", "--timeout 0s: want more than 0"},
		{"too slow", "", []string{"--timeout", "20ms", "SELECT sleepEachRow(1) FROM numbers(3)"}, exitTrouble, "", "no answer within 20ms (--timeout)"},
	} {
		var out, errs bytes.Buffer
		args := append([]string{"query", "--format", "csv", "--dsn", dsn}, tt.args...)
		if got := run(args, strings.NewReader(tt.stdin), &out, &errs); got != tt.status || out.String() != tt.stdout || !strings.Contains(errs.String(), tt.stderr) {
			t.Errorf("%s: status %d, want %d\n%s%s", tt.name, got, tt.status, out.String(), errs.String())
		}
	}
}
