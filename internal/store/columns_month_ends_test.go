package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

func TestAtMonthEnd(t *testing.T) {
	newYear := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name       string
		start, end time.Time
		want       bool
	}{
		{"in the middle of a month", newYear.AddDate(0, 0, 14), newYear.AddDate(0, 0, 15), false},
		{"across the end", newYear.Add(-10 * 24 * time.Hour), newYear.Add(24 * time.Hour), true},
		{"just before it", newYear.Add(-59 * time.Minute), newYear.Add(-58 * time.Minute), true},
		{"just after it", newYear.Add(59 * time.Minute), newYear.Add(2 * time.Hour), true},
		{"well before it", newYear.Add(-3 * time.Hour), newYear.Add(-2 * time.Hour), false},
		{"in UTC, whatever the zone", newYear.Add(-5 * time.Minute).In(time.FixedZone("", 6*3600)), newYear.Add(-4 * time.Minute), true},
		{"a year long, in the same month", newYear.AddDate(0, 0, 10), newYear.AddDate(1, 0, 10), true},
		{"without times", storable(time.Time{}), storable(time.Time{}), true},
		{"an end before the start", newYear.AddDate(0, 0, 14), time.Unix(0, 0), false},
	} {
		got := atMonthEnd([]TraceRow{{TraceID: "t", RowVersion: 3, TraceStart: tt.start, TraceEnd: tt.end}})
		if (len(got) == 1) != tt.want {
			t.Errorf("%s: atMonthEnd = %v, want %v", tt.name, got, tt.want)
		}
	}
}

// crossing is a trace that failed two rules at revision 2, and whose start, and
// one step's, moved back over the end of November with revision 3, with which one
// rule passes. An older meaning of the rules was graded with revision 2 only.
func crossing(id string) (before, after Batch) {
	december := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	revision := func(n int, start time.Time, hashes ...string) (b Batch) {
		v := RowVersion(n, december)
		row := TraceRow{TraceID: id, Revision: uint32(n), RowVersion: v, Agent: "crossing", TraceStart: start, TraceEnd: december.Add(10 * 24 * time.Hour), Question: "q", Answer: "a"}
		b.Traces = []TraceRow{row}
		for i := range n {
			b.Steps = append(b.Steps, StepRow{
				TraceID: id, StepID: fmt.Sprint(i), SpanID: fmt.Sprint(i), Revision: uint32(n), RowVersion: v, Kind: "llm", Name: "m", Model: "m",
				UsageScope: "own", InputTokens: 10, StepStart: start.Add(time.Duration(i) * time.Hour), StepEnd: start.Add(time.Duration(i) * time.Hour),
			})
		}
		for _, hash := range hashes {
			for _, rule := range []string{"always", "once"} {
				o := OutcomeRow{TraceID: id, Revision: uint32(n), RowVersion: v, Agent: "crossing", TraceStart: start, Rule: rule, RuleHash: hash}
				if rule == "always" || n == 2 {
					o.Fail = 1
					b.Findings = append(b.Findings, FindingRow{
						TraceID: id, Subject: id, Revision: uint32(n), RowVersion: v, Rule: rule, RuleHash: hash, TraceStart: start, Outcome: "fail", Severity: "high", Message: "m",
					})
				} else {
					o.Pass = 1
				}
				b.Outcomes = append(b.Outcomes, o)
			}
		}
		b.Observations = []ObservationRow{{TraceID: id, ObservationID: "o", StepID: "0", Revision: uint32(n), RowVersion: v, TraceStart: start, Source: "s", Stale: "old"}}
		b.Links = []LinkRow{
			{TraceID: id, StepID: "0", Field: "answer", Value: "1", State: "carried", ObservationID: "o", ObservationStepID: "0", Revision: uint32(n), RowVersion: v, TraceStart: start},
			{TraceID: id, StepID: "0", Field: "answer", Offset: 5, Value: "2", State: "unsupported", Revision: uint32(n), RowVersion: v, TraceStart: start},
		}
		return b
	}
	return revision(2, december.Add(5*24*time.Hour), "h", "old"), revision(3, december.Add(-5*24*time.Hour), "h")
}

// shownOf is how many rows of each trace the views show, those of old rows as
// "view old".
func shownOf(t *testing.T, s *Store, window string) map[string]uint64 {
	t.Helper()
	shown := map[string]uint64{}
	for _, view := range []string{"traces", "steps", "outcomes", "findings", "observations", "links"} {
		where := window
		if view == "steps" {
			where = strings.ReplaceAll(window, "trace_start", "step_start")
		}
		for _, r := range answer(t, s, "SELECT revision, count() FROM "+view+"_current WHERE "+where+" GROUP BY revision") {
			name := view
			if r[0].(uint32) < 3 {
				name += " old"
			}
			shown[name] += r[1].(uint64)
		}
	}
	return shown
}

// A trace whose start moved into another month is shown once: in every view, with
// and without a window of time, in whichever order its rows came, and also where
// they were stored before the schema knew of it.
func TestStartMovesIntoAnotherMonth(t *testing.T) {
	all := map[string]uint64{"traces": 1, "steps": 3, "outcomes": 2, "outcomes old": 2, "findings": 1, "findings old": 2, "observations": 1, "links": 2}
	windows := map[string]map[string]uint64{
		"true":                        all,
		"trace_start < '2026-12-01'":  {"traces": 1, "steps": 3, "outcomes": 2, "findings": 1, "observations": 1, "links": 2},
		"trace_start >= '2026-12-01'": {"outcomes old": 2, "findings old": 2}, // of the older meaning, which has no newer row
	}
	check := func(t *testing.T, s *Store) {
		t.Helper()
		for window, want := range windows {
			if diff := cmp.Diff(want, shownOf(t, s, window)); diff != "" {
				t.Errorf("WHERE %s (-want +got):\n%s", window, diff)
			}
		}
	}
	before, after := crossing("t")
	t.Run("in order", func(t *testing.T) {
		s := open(t)
		insertAll(t, s, before)
		insertAll(t, s, after)
		check(t, s)
	})
	t.Run("the newer first", func(t *testing.T) {
		s := open(t)
		insertAll(t, s, after)
		insertAll(t, s, before)
		check(t, s)
	})
	t.Run("stored by an older version", func(t *testing.T) {
		dsn := storetest.DSN(t)
		s := openConfig(t, Config{DSN: dsn})
		insertAll(t, s, before)
		insertAll(t, s, after)
		run(t, s, "DROP TABLE "+s.layout.name("month_ends"))
		run(t, s, fmt.Sprintf("DELETE FROM %s WHERE version >= 12", s.layout.name("schema_migrations")))
		s = openConfig(t, Config{DSN: dsn})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		check(t, s)
	})
}

// No named query answers otherwise when a trace of which it tells was moved over
// the end of a month than when it was stored there at once.
func TestNamedQueriesOfAMovedTrace(t *testing.T) {
	before, after := crossing("t")
	// What only the older rows say is of no interest here.
	keep := before.Outcomes[:0]
	for _, o := range before.Outcomes {
		if o.RuleHash != "old" {
			keep = append(keep, o)
		}
	}
	before.Outcomes = keep
	moved, direct := open(t), open(t)
	insertAll(t, moved, before)
	insertAll(t, moved, after)
	insertAll(t, direct, after)
	parameters := map[string]string{"trace_id": "t", "rule": "always"}
	for _, q := range Queries() {
		if q.Name == "storage" || q.Name == "otel-findings" { // rows as they lie; a table of others
			continue
		}
		bound := map[string]string{}
		for _, p := range q.Parameters {
			if p.Required && parameters[p.Name] == "" {
				t.Fatalf("query %s wants a %s: the test knows none", q.Name, p.Name)
			}
			if p.Required {
				bound[p.Name] = parameters[p.Name]
			}
		}
		var got [2][][]any
		for i, s := range []*Store{moved, direct} {
			rows, err := s.Run(t.Context(), q.Name, bound)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = read(t, rows)
		}
		if diff := cmp.Diff(got[1], got[0]); diff != "" {
			t.Errorf("%s (-stored at once +moved):\n%s", q.Name, diff)
		}
	}
	if n := len(answer(t, moved, "SELECT 1 FROM traces")); n != 2 {
		t.Errorf("%d rows of the trace lie in the table, want 2: the test tests nothing", n)
	}
}
