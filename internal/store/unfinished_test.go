package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestUnfinished(t *testing.T) {
	protocols(t, func(t *testing.T, s *Store) {
		grade := func(day0 int, id, ruleHash, judgeHash string, graded int, findings ...trace.Finding) Batch {
			g := &trace.Grade{Trace: &trace.Trace{ID: id, Revision: 1, Start: day(day0), Session: "c"}, GradedAt: day(graded), NormaliserVersion: "n"}
			c := trace.RuleCount{Rule: "polite", RuleHash: ruleHash, JudgeHash: judgeHash}
			for i := range findings {
				f := &findings[i]
				f.Rule, f.RuleHash, f.JudgeHash, f.Scope = "polite", ruleHash, judgeHash, trace.ScopeSpan
				f.SubjectID = fmt.Sprint("s", i)
				c.Add(f.Outcome)
			}
			g.Findings, g.Counts = findings, []trace.RuleCount{c}
			return FromGrade(g, false)
		}
		late := trace.Finding{Outcome: trace.OutcomeSkipped, Reason: "late"}
		sampled := trace.Finding{Outcome: trace.OutcomeSkipped, Reason: "sampled_out"}
		down := trace.Finding{Outcome: trace.OutcomeError, Reason: "judge_network"}
		pass := trace.Finding{Outcome: trace.OutcomePass, Reason: "judged_pass"}
		for _, b := range []Batch{
			grade(1, "late", "r", "j", 10, pass, late),
			grade(2, "finished", "r", "j", 10, pass),
			grade(3, "sampled", "r", "j", 10, sampled),
			grade(4, "of no judge", "r", "", 10, late),
			grade(5, "of another judge", "r", "old", 10, down),
			grade(6, "completed since", "r", "j", 10, late),
			grade(6, "completed since", "r", "j", 11, pass),
			grade(7, "completed by another", "r", "old", 10, late),
			grade(7, "completed by another", "r", "j", 11, pass),
			grade(8, "later", "r", "j", 10, late),
		} {
			insertAll(t, s, b)
		}
		o := UnfinishedOptions{Fences: []Fence{{"polite", "r", "j", "n"}, {"other", "r", "j", "n"}}, Reasons: []string{"late", "judge_network"}, Selection: Selection{To: day(8)}, Limit: 100}
		ids := func() []string {
			t.Helper()
			list, err := s.Unfinished(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, u := range list {
				if u.Rule != "polite" {
					t.Errorf("%+v, want rule polite", u)
				}
				ids = append(ids, u.TraceID)
			}
			return ids
		}
		if diff := cmp.Diff([]string{"late", "of no judge", "of another judge"}, ids()); diff != "" {
			t.Errorf("unfinished (-want +got):\n%s", diff)
		}
		o.Selection.From, o.Reasons = day(4), []string{"late"}
		if diff := cmp.Diff([]string{"of no judge"}, ids()); diff != "" {
			t.Errorf("of a time and a reason (-want +got):\n%s", diff)
		}
		o.Selection.Where, o.Selection.Parameters = "trace_id = {id:String}", map[string]string{"id": "late"}
		o.Selection.From = time.Time{}
		if diff := cmp.Diff([]string{"late"}, ids()); diff != "" {
			t.Errorf("of a condition over traces (-want +got):\n%s", diff)
		}
	})
}
