package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// counted is the rows of a trace of a session, graded with counts.
func counted(id, session string, revision, start, graded int, counts ...trace.RuleCount) Batch {
	return FromGrade(&trace.Grade{
		Trace:  &trace.Trace{ID: id, Session: session, Revision: revision, Start: day(start)},
		Counts: counts, GradedAt: day(graded), NormaliserVersion: "n",
	}, false)
}

// shown is what is ungraded as "key: rules".
func shown(t *testing.T, list []Ungraded, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, u := range list {
		if u.NormaliserVersion != "n" {
			t.Errorf("%+v: want the normaliser that read it", u)
		}
		out = append(out, u.Key+": "+strings.Join(u.Rules, " "))
	}
	return out
}

func TestUngraded(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		a, b := trace.RuleCount{Rule: "a", RuleHash: "1", Pass: 1}, trace.RuleCount{Rule: "b", RuleHash: "1", Skipped: 1}
		old := trace.RuleCount{Rule: "a", RuleHash: "0", Pass: 1}
		for _, rows := range []Batch{
			counted("none", "", 1, 1, 20),
			counted("both", "", 1, 2, 20, a, b),
			counted("one", "", 1, 3, 20, a),
			counted("old rule", "", 1, 4, 20, old, b),
			counted("older revision", "", 1, 5, 20, a, b),
			counted("older revision", "", 2, 5, 21),
			counted("late span", "", 1, 6, 20, a, b), {Steps: []StepRow{{TraceID: "late span", StepID: "l", SpanID: "l"}}},
			counted("late span, graded since", "", 1, 7, 20, a, b), {Steps: []StepRow{{TraceID: "late span, graded since", StepID: "l", SpanID: "l"}}},
			{Outcomes: counted("late span, graded since", "", 2, 7, 21, a, b).Outcomes},
			counted("it's later", "", 1, 9, 20),
		} {
			insertAll(t, s, rows)
		}
		fences := []Fence{{Rule: "a", RuleHash: "1"}, {Rule: "b", RuleHash: "1"}}
		sel := Selection{To: day(9)}
		list, err := s.Ungraded(t.Context(), sel, fences, 100)
		want := []string{"none: a b", "one: b", "old rule: a", "older revision: a b", "late span: a b"}
		if diff := cmp.Diff(want, shown(t, list, err)); diff != "" {
			t.Errorf("ungraded (-want +got):\n%s", diff)
		}
		list, err = s.Ungraded(t.Context(), sel, fences, 1)
		if diff := cmp.Diff(want[:1], shown(t, list, err)); diff != "" {
			t.Errorf("a limit of one (-want +got):\n%s", diff)
		}
		list, err = s.Ungraded(t.Context(), Selection{Where: "trace_id = {id:String}", Parameters: map[string]string{"id": "it's later"}}, fences, 100)
		if diff := cmp.Diff([]string{"it's later: a b"}, shown(t, list, err)); diff != "" {
			t.Errorf("a condition (-want +got):\n%s", diff)
		}
		n, err := s.LoadTraces(t.Context(), []string{"late span, graded since", "no such", "late span", "both"}, func(tr *trace.Trace) error {
			want = append(want, fmt.Sprint(tr.ID, " ", tr.Revision))
			return nil
		})
		if want = want[5:]; err != nil || n.Traces != 3 || !slices.Equal(want, []string{"late span, graded since 2", "late span 2", "both 1"}) {
			t.Errorf("loaded %v, %+v, %v", want, n, err)
		}
		if list, err = s.Ungraded(t.Context(), Selection{}, nil, 100); list != nil || err != nil {
			t.Errorf("without rules: %v, %v, want nothing", list, err)
		}
	})
}

func TestUngradedSessions(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		a, open := trace.RuleCount{Rule: "a", RuleHash: "1", Fail: 1}, trace.RuleCount{Rule: "a", RuleHash: "1", Skipped: 1}
		for _, rows := range []Batch{
			counted("1a", "graded", 1, 1, 20), counted("1b", "graded", 1, 2, 20, a),
			counted("2a", "open", 1, 3, 20, open), counted("2b", "open", 1, 4, 20, open),
			counted("3a", "has grown", 1, 5, 20, a), counted("3b", "has grown", 1, 6, 21),
			counted("4a", "changed in its middle", 1, 7, 21), counted("4b", "changed in its middle", 1, 8, 20, a),
			counted("alone", "", 1, 9, 20),
		} {
			insertAll(t, s, rows)
		}
		fences := []Fence{{Rule: "a", RuleHash: "1"}}
		list, err := s.UngradedSessions(t.Context(), Selection{}, fences, 100)
		if diff := cmp.Diff([]string{"open: a", "has grown: a", "changed in its middle: a", "alone: a"}, shown(t, list, err)); diff != "" {
			t.Errorf("ungraded (-want +got):\n%s", diff)
		}
		// The last trace alone is selected, and the session is whole all the same.
		list, err = s.UngradedSessions(t.Context(), Selection{From: day(6), To: day(7)}, fences, 100)
		if err != nil || len(list) != 1 || !cmp.Equal(list[0].Traces, []string{"3a", "3b"}) {
			t.Errorf("by its last trace: %+v, %v, want has grown with both traces", list, err)
		}
	})
}

// Shards share the traces, and no session is cut.
func TestShards(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		for i := range 24 {
			insertAll(t, s, counted(fmt.Sprint("t", i), fmt.Sprint("s", i/2), 1, 1, 20))
		}
		of := map[string]int{}
		for i := range 4 {
			_, err := s.Load(t.Context(), Selection{Shard: Shard{i, 4}}, func(tr *trace.Trace) error {
				if shard, seen := of[tr.Session]; seen && shard != i {
					t.Errorf("session %s is in shards %d and %d", tr.Session, shard, i)
				}
				of[tr.Session] = i
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		used := map[int]bool{}
		for _, shard := range of {
			used[shard] = true
		}
		if len(of) != 12 || len(used) < 2 {
			t.Errorf("%d of 12 sessions in %d of 4 shards", len(of), len(used))
		}
	})
}
