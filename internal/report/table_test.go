package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// values is an answer held in memory.
type values struct {
	rows [][]any
	next int
	err  error // after the last row
}

func (v *values) Next() bool             { v.next++; return v.next <= len(v.rows) }
func (v *values) Values() ([]any, error) { return v.rows[v.next-1], nil }

func (v *values) Err() error { return v.err }

func answer() *values {
	return &values{rows: [][]any{
		{"refund", uint64(12), 0.5, time.Date(2026, 11, 30, 1, 2, 3, 4000, time.UTC), []string{"a", "b"}, nil},
		{"a,\"b\"\x1b[2J", uint64(3), math.NaN(), time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), []string{}, "x"},
	}}
}

var answerColumns = []string{"rule", "n", "rate", "at", "list", "note"}

func TestTable(t *testing.T) {
	tests := map[string]string{
		"table": "" +
			"rule        n  rate  at                           list       note\n" +
			"refund     12   0.5  2026-11-30T01:02:03.000004Z  [\"a\",\"b\"]\n" +
			"a,\"b\" [2J   3   NaN  2026-11-30T00:00:00Z         []         x\n" +
			"(2 rows)\n",
		"csv": "" +
			"rule,n,rate,at,list,note\n" +
			"refund,12,0.5,2026-11-30T01:02:03.000004Z,\"[\"\"a\"\",\"\"b\"\"]\",\n" +
			"\"a,\"\"b\"\"\x1b[2J\",3,NaN,2026-11-30T00:00:00Z,[],x\n",
	}
	for format, want := range tests {
		var b bytes.Buffer
		if err := Table(&b, format, answerColumns, answer()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
}

// A table is for people; what programs read loses nothing.
func TestTableOfNumbers(t *testing.T) {
	for _, tt := range []struct {
		value      any
		table, csv string
	}{
		{1234567.25, "1234567", "1234567.25"},
		{1764503999.123, "1764503999", "1764503999.123"},
		{0.30000000000000004, "0.3", "0.30000000000000004"},
		{123.456789, "123.457", "123.456789"},
		{100.0, "100", "100"},
		{0.0, "0", "0"},
		{-2.5, "-2.5", "-2.5"},
		{0.00012345678, "0.000123457", "0.00012345678"},
		{1e-9, "1e-09", "1e-09"},
		{1e300, "1e+300", "1e+300"},
		{float32(0.1), "0.1", "0.1"},
		{math.Inf(1), "+Inf", "+Inf"},
	} {
		for format, want := range map[string]string{"table": tt.table, "csv": tt.csv} {
			var b bytes.Buffer
			if err := Table(&b, format, []string{"n"}, &values{rows: [][]any{{tt.value}}}); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(strings.Split(b.String(), "\n")[1]); got != want {
				t.Errorf("%v as %s: %s, want %s", tt.value, format, got, want)
			}
		}
	}
}

// Lists of small whole numbers, which is what comparisons are in ClickHouse, are
// lists and no text.
func TestTableOfBytes(t *testing.T) {
	want := map[string]string{
		"table": "flags\n[0,1]\n(1 row)\n", "csv": "flags\n\"[0,1]\"\n", "json": "[\n{\"flags\":[0,1]}]\n",
	}
	for format, want := range want {
		var b bytes.Buffer
		if err := Table(&b, format, []string{"flags"}, &values{rows: [][]any{{[]uint8{0, 1}}}}); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s: %q, want %q", format, b.String(), want)
		}
	}
}

func TestTableAsJSON(t *testing.T) {
	var b bytes.Buffer
	if err := Table(&b, "json", answerColumns, answer()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(b.String(), "[\n{\"rule\":\"refund\",\"n\":12,") {
		t.Errorf("keys are not in the order of the columns: %s", b.String())
	}
	var got []map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := []map[string]any{
		{"rule": "refund", "n": 12.0, "rate": 0.5, "at": "2026-11-30T01:02:03.000004Z", "list": []any{"a", "b"}, "note": nil},
		{"rule": "a,\"b\"\x1b[2J", "n": 3.0, "rate": nil, "at": "2026-11-30T00:00:00Z", "list": []any{}, "note": "x"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTableSaysWhenItIsCut(t *testing.T) {
	long := &values{rows: make([][]any, maxTableRows+1)}
	for i := range long.rows {
		long.rows[i] = []any{i}
	}
	var b bytes.Buffer
	if err := Table(&b, "table", []string{"n"}, long); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(b.String(), "… more than 1000 rows; use LIMIT, or --format json or csv for all\n") {
		t.Errorf("ends with %q", b.String()[b.Len()-100:])
	}
	if err := Table(&b, "xml", nil, nil); err == nil || err.Error() != `format "xml": want table, json, csv` {
		t.Errorf("unknown format: %v", err)
	}
}

// An answer that broke off is not taken for a short one.
func TestTableOfABrokenAnswer(t *testing.T) {
	broken := errors.New("the server went away")
	for _, format := range TableFormats {
		for n := range 2 {
			var b bytes.Buffer
			rows := &values{rows: [][]any{{1}}[:n], err: broken}
			if err := Table(&b, format, []string{"n"}, rows); !errors.Is(err, broken) {
				t.Errorf("%s: got %v", format, err)
			}
			if b.Len() > 0 {
				t.Errorf("%s: wrote %q", format, b.String())
			}
		}
	}
}
