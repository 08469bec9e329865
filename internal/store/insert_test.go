package store

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// protocols runs a test over both protocols of the embedded engine; over a
// server given by DSN, over that DSN's.
func protocols(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Run("native", func(t *testing.T) { test(t, open(t)) })
	t.Run("http", func(t *testing.T) {
		e := storetest.Engine(t)
		dsn := strings.Replace(storetest.DSN(t), "clickhouse://tracegrade:", "http://tracegrade:", 1)
		dsn = strings.Replace(dsn, fmt.Sprintf(":%d/", e.NativePort), fmt.Sprintf(":%d/", e.HTTPPort), 1)
		test(t, openConfig(t, Config{DSN: dsn}))
	})
}

// full returns a row in which every field has a value of its own.
func full[R any](n int) R {
	var row R
	v := reflect.ValueOf(&row).Elem()
	at := time.Date(2026, 11, 30, 1, 2, 3, 123456789, time.UTC)
	score, number := 0.25, uint64(1)<<40
	for i := range v.NumField() {
		text := fmt.Sprintf("%s %d '亿\\\n", v.Type().Field(i).Name, n)
		switch f := v.Field(i).Addr().Interface().(type) {
		case *string:
			*f = text
		case *uint32:
			*f = uint32(i*1000 + n)
		case *uint64:
			*f = uint64(i*1000+n) << 20
		case **uint64:
			*f = &number
		case *float64:
			*f = float64(i) + 0.5
		case **float64:
			*f = &score
		case *bool:
			*f = true
		case *time.Time:
			*f = at.Add(time.Duration(i) * time.Hour)
		case **time.Time:
			*f = &at
		case *[]string:
			*f = []string{text, ""}
		case *[]uint32:
			*f = []uint32{uint32(i), 0}
		case *[]uint64:
			*f = []uint64{uint64(i) << 40, 0}
		case *[]float64:
			*f = []float64{float64(i) + 0.5, 0}
		case *map[string]string:
			*f = map[string]string{"a": text, "b": ""}
		case *map[string]uint32:
			*f = map[string]uint32{"a": uint32(i), "b": 0}
		default:
			panic(fmt.Sprintf("field of type %T", f))
		}
	}
	return row
}

// stored reads the rows of a table back through its column list.
func stored[R any](t *testing.T, s *Store, tab *table[R]) []R {
	t.Helper()
	rows, err := s.conn.Query(t.Context(), "SELECT "+names(tab.columns)+" FROM "+s.layout.name(tab.name)+" ORDER BY ("+strings.Join(tab.key, ", ")+")")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var all []R
	for rows.Next() {
		var row R
		dest := make([]any, len(tab.columns))
		for i, c := range tab.columns {
			dest[i] = c.pointer(&row)
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		all = append(all, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func same[R any](t *testing.T, s *Store, tab *table[R], want []R) {
	t.Helper()
	if diff := cmp.Diff(want, stored(t, s, tab)); diff != "" {
		t.Errorf("table %s (-inserted +read):\n%s", tab.name, diff)
	}
}

func two[R any]() []R { return []R{full[R](1), full[R](2)} }

func TestRowsComeBackAsTheyWere(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		b := Batch{
			Traces: two[TraceRow](), Steps: two[StepRow](), Findings: two[FindingRow](), Outcomes: two[OutcomeRow](),
			Rules: two[RuleRow](), Observations: two[ObservationRow](), Links: two[LinkRow](), Labels: two[LabelRow](),
			Runs: two[RunRow](), Journal: two[JournalRow](),
		}
		insertAll(t, s, b)
		same(t, s, &traces, b.Traces)
		same(t, s, &steps, b.Steps)
		same(t, s, &findings, b.Findings)
		same(t, s, &outcomes, b.Outcomes)
		same(t, s, &rules, b.Rules)
		same(t, s, &observations, b.Observations)
		same(t, s, &links, b.Links)
		same(t, s, &labels, b.Labels)
		same(t, s, &runs, b.Runs)
		same(t, s, &journal, b.Journal)
	})
}

func TestEmptyRows(t *testing.T) {
	s := open(t)
	b := Batch{Steps: []StepRow{{}}, Findings: []FindingRow{{}}}
	insertAll(t, s, b)
	got := answer(t, s, "SELECT score, message, witness, trace_start FROM findings")
	want := [][]any{{nil, "", []string{}, time.Unix(0, 0).UTC()}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestInsertTwiceStoresOnce(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		b := Batch{Findings: two[FindingRow](), Outcomes: two[OutcomeRow](), Steps: two[StepRow]()}
		for range 3 {
			insertAll(t, s, b)
		}
		for _, table := range []string{"findings", "outcomes", "steps"} {
			if n := number(t, s, "SELECT count() FROM "+table); n != 2 {
				t.Errorf("%s: %d rows, want 2", table, n)
			}
		}
		// Where the server no longer knows the token, rows collapse by key.
		insertAll(t, s, Batch{Findings: b.Findings[:1]})
		if n := number(t, s, "SELECT count() FROM findings FINAL"); n != 2 {
			t.Errorf("%d rows under FINAL, want 2", n)
		}
	})
}

// Of two rows with one key the newest version wins, whatever the order of
// insertion.
func TestNewestRowWins(t *testing.T) {
	s := open(t)
	at := day(0)
	row := func(revision int, gradedAt time.Time, answer string) TraceRow {
		return TraceRow{TraceID: "t", Revision: uint32(revision), RowVersion: RowVersion(revision, gradedAt), TraceStart: at, Answer: answer}
	}
	for _, r := range []TraceRow{
		row(2, at, "later revision, graded earlier"),
		row(2, at.Add(time.Millisecond), "newest"),
		row(1, at.Add(time.Hour), "earlier revision, graded later"),
	} {
		insertAll(t, s, Batch{Traces: []TraceRow{r}})
	}
	if got := answer(t, s, "SELECT answer FROM traces_current"); len(got) != 1 || got[0][0] != "newest" {
		t.Errorf("got %v", got)
	}
}

func TestRowVersion(t *testing.T) {
	now := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	ordered := []uint64{
		RowVersion(-1, time.Time{}), // no time that can be held
		RowVersion(0, now), RowVersion(0, now.Add(time.Millisecond)), RowVersion(1, now.Add(-time.Hour)),
		RowVersion(1, time.Date(2109, 1, 1, 0, 0, 0, 0, time.UTC)), RowVersion(2, now),
		RowVersion(1<<22-1, now),
	}
	for i := 1; i < len(ordered); i++ {
		if ordered[i-1] >= ordered[i] {
			t.Errorf("version %d is not above the one before: %d, %d", i, ordered[i-1], ordered[i])
		}
	}
	if RowVersion(1<<30, now) != RowVersion(1<<22-1, now) {
		t.Error("a revision too high to order is not the highest")
	}
}

func TestTextIsCutAndSaysSo(t *testing.T) {
	s := open(t)
	step := StepRow{StepID: "s", Input: strings.Repeat("亿", limitContent), Output: strings.Repeat("x", limitContent), Error: "\xff"}
	insertAll(t, s, Batch{Steps: []StepRow{step}})
	got := answer(t, s, "SELECT length(input), length(output), error, cut FROM steps")
	want := [][]any{{uint64(limitContent / 3 * 3), uint64(limitContent), "\uFFFD", []string{"input"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestListsAreCutAndSaySo(t *testing.T) {
	s := open(t)
	long := make([]string, limitList+1)
	long[0] = strings.Repeat("x", limitName+1)
	insertAll(t, s, Batch{Findings: []FindingRow{{Witness: long}}, Steps: []StepRow{{Losses: []string{"a"}, FinishReasons: []string{strings.Repeat("x", limitName+1)}}}})
	if len(long) != limitList+1 || len(long[0]) != limitName+1 {
		t.Error("the caller's list was changed")
	}
	got := answer(t, s, "SELECT * FROM (SELECT length(witness), length(witness[1]), cut FROM findings UNION ALL SELECT length(finish_reasons), length(finish_reasons[1]), cut FROM steps) ORDER BY 1 DESC")
	want := [][]any{{uint64(limitList), uint64(limitName), []string{"witness"}}, {uint64(1), uint64(limitName), []string{"finish_reasons"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLargeBatchesAreSplit(t *testing.T) {
	s := open(t)
	var b Batch
	for i := range insertRows + 1 {
		b.Outcomes = append(b.Outcomes, OutcomeRow{TraceID: fmt.Sprint(i), Rule: "r"})
	}
	text := strings.Repeat("x", limitContent)
	for i := range insertBytes/(2*limitContent) + 1 {
		b.Steps = append(b.Steps, StepRow{TraceID: "t", StepID: fmt.Sprint(i), Input: text, Output: text})
	}
	insertAll(t, s, b)
	for table, rows := range map[string]int{"outcomes": len(b.Outcomes), "steps": len(b.Steps)} {
		if n := number(t, s, "SELECT count() FROM "+table); n != uint64(rows) {
			t.Errorf("%s: %d rows, want %d", table, n, rows)
		}
	}
}

// A finding is shown while its rule's newest outcomes say so.
func TestLaterPassTakesAnOldFailAway(t *testing.T) {
	s := open(t)
	grade := func(revision int, rule, hash string, fails ...string) {
		v := RowVersion(revision, day(1))
		b := Batch{Outcomes: []OutcomeRow{{
			TraceID: "t", Revision: uint32(revision), RowVersion: v, Rule: rule, RuleHash: hash, TraceStart: day(0), Fail: uint32(len(fails)), Pass: 3 - uint32(len(fails)),
		}}}
		for _, subject := range fails {
			b.Findings = append(b.Findings, FindingRow{
				TraceID: "t", Subject: subject, Revision: uint32(revision), RowVersion: v, Rule: rule, RuleHash: hash, TraceStart: day(0), Outcome: "fail",
			})
		}
		insertAll(t, s, b)
	}
	shown := func() [][]any {
		return answer(t, s, "SELECT rule, rule_hash, subject, revision FROM findings_current ORDER BY ALL")
	}
	grade(1, "retry", "h1", "a", "b")
	grade(1, "other", "h1", "a")
	want := [][]any{{"other", "h1", "a", uint32(1)}, {"retry", "h1", "a", uint32(1)}, {"retry", "h1", "b", uint32(1)}}
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Errorf("first revision (-want +got):\n%s", diff)
	}
	grade(2, "retry", "h1", "b")
	want = [][]any{{"other", "h1", "a", uint32(1)}, {"retry", "h1", "b", uint32(2)}}
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Errorf("a passes now (-want +got):\n%s", diff)
	}
	grade(3, "retry", "h1")
	grade(1, "retry", "h1", "a", "b") // delivered again, late
	want = [][]any{{"other", "h1", "a", uint32(1)}}
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Errorf("all pass now (-want +got):\n%s", diff)
	}
	grade(3, "retry", "h2", "a") // another meaning of the rule stands beside it
	want = append(want, []any{"retry", "h2", "a", uint32(3)})
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Errorf("new hash (-want +got):\n%s", diff)
	}
}

// A later revision that moves the start of its trace by some seconds takes the
// place of the one before in every view.
func TestRevisionThatMovesTheStart(t *testing.T) {
	s := open(t)
	grade := func(revision int, start time.Time, fail uint32) {
		v := RowVersion(revision, day(1))
		insertAll(t, s, Batch{
			Traces:   []TraceRow{{TraceID: "t", Revision: uint32(revision), RowVersion: v, TraceStart: start}},
			Outcomes: []OutcomeRow{{TraceID: "t", Revision: uint32(revision), RowVersion: v, Rule: "r", TraceStart: start, Fail: fail, Pass: 1 - fail}},
		})
		if fail > 0 {
			insertAll(t, s, Batch{Findings: []FindingRow{{TraceID: "t", Revision: uint32(revision), RowVersion: v, Rule: "r", TraceStart: start, Outcome: "fail"}}})
		}
	}
	grade(2, day(0).Add(time.Minute), 1)
	grade(6, day(0).Add(51*time.Second), 0)
	for sql, want := range map[string][][]any{
		"SELECT revision FROM traces_current":         {{uint32(6)}},
		"SELECT revision, fail FROM outcomes_current": {{uint32(6), uint32(0)}},
		"SELECT revision FROM findings_current":       nil,
	} {
		if diff := cmp.Diff(want, answer(t, s, sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
}

// What evidence said of an older revision is not shown.
func TestLinksOfOlderRevisionsAreHidden(t *testing.T) {
	s := open(t)
	for revision, value := range map[int]string{1: "12", 2: "13"} {
		v := RowVersion(revision, day(1))
		insertAll(t, s, Batch{
			Traces:       []TraceRow{{TraceID: "t", RowVersion: v, TraceStart: day(0)}},
			Links:        []LinkRow{{TraceID: "t", RowVersion: v, TraceStart: day(0), Value: value, State: "unsupported"}},
			Observations: []ObservationRow{{TraceID: "t", ObservationID: value, RowVersion: v, TraceStart: day(0)}},
		})
	}
	if got := answer(t, s, "SELECT value FROM links_current"); len(got) != 1 || got[0][0] != "13" {
		t.Errorf("links: got %v, want 13 only", got)
	}
	if got := answer(t, s, "SELECT observation_id FROM observations_current"); len(got) != 1 || got[0][0] != "13" {
		t.Errorf("observations: got %v, want 13 only", got)
	}
}
