package bench

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/cases"
)

// by is runs of an agent: n cases, of which each repeat has the events.
func by(agent string, n int, trapped, clean string, repeats int) (runs []Record) {
	for i := range n {
		for k := 1; k <= repeats; k++ {
			for arm, events := range map[cases.Arm]string{cases.Trapped: trapped, cases.Clean: clean} {
				r := made(fmt.Sprintf("c%02d", i), arm, k, events)
				r.Agent, r.Run, r.CaseHash = agent, agent+r.Run, "h"
				runs = append(runs, r)
			}
		}
	}
	return runs
}

// Six cases that all differ: mid-p is 2·(1/2)^6 − (1/2)^6 = 1/64; by Holm over
// three comparisons 3/64 for both that differ.
func TestVersus(t *testing.T) {
	runs := append(by("falls", 6, "exposed adopted_final", "correct", 1), by("stands", 6, "exposed correct", "correct", 1)...)
	rep := NewReport(runs)
	if len(rep.Versus) != 1 || rep.Left != 0 {
		t.Fatalf("%d pairs, %d left; want 1 and 0", len(rep.Versus), rep.Left)
	}
	want := map[string]Comparison{
		"adoption_given_exposure": {N: 6, First: 1, Second: 0, OnlyFirst: 6, Value: -1, P: 1. / 64, Adjusted: 3. / 64, Verdict: lower},
		"accuracy_trap":           {N: 6, First: 0, Second: 1, OnlySecond: 6, Value: 1, P: 1. / 64, Adjusted: 3. / 64, Verdict: higher},
		"accuracy_clean":          {N: 6, First: 1, Second: 1, Value: 0, P: 1, Adjusted: 1, Verdict: noneIsShown},
	}
	for _, c := range rep.Versus[0].Figures {
		w := want[c.Name]
		if c.N != w.N || c.First != w.First || c.Second != w.Second || c.OnlyFirst != w.OnlyFirst || c.OnlySecond != w.OnlySecond || c.Verdict != w.Verdict ||
			c.Test != "McNemar mid-p" || math.Abs(c.P-w.P) > 1e-9 || math.Abs(c.Adjusted-w.Adjusted) > 1e-9 || math.Abs(c.Value-w.Value) > 1e-9 || !c.Interval.Contains(w.Value) {
			t.Errorf("%s: %+v, want %+v", c.Name, c, w)
		}
	}
	if text := rep.table(false); !strings.Contains(text, "lower, p 0.047 (McNemar mid-p, Holm)") || !strings.Contains(text, "stands (h), seed 0, against falls (h), seed 0") {
		t.Errorf("the report does not say what differs:\n%s", text)
	}
}

// Repeats of a case are not independent: three cases that differ in every repeat
// are three differences, and p is 2/8 however often each was run.
func TestVersusWithRepeats(t *testing.T) {
	runs := append(by("falls", 3, "exposed adopted_final", "correct", 5), by("stands", 3, "exposed correct", "correct", 5)...)
	for _, c := range NewReport(runs).Versus[0].Figures {
		want := map[string]float64{"adoption_given_exposure": .25, "accuracy_trap": .25, "accuracy_clean": 1}[c.Name]
		if c.Test != "sign flip" || c.N != 3 || math.Abs(c.P-want) > 1e-9 || c.Verdict != noneIsShown {
			t.Errorf("%s: %+v, want p %v of 3 cases", c.Name, c, want)
		}
	}
}

// What one alone was exposed to is in no comparison of adoption, a case whose
// content differs in none at all, and agents without a common case are not compared.
func TestVersusPairs(t *testing.T) {
	first, second := by("a", 3, "exposed adopted_final", "correct", 1), by("b", 3, "correct", "correct", 1)
	for i := range second {
		if second[i].Case == "c00" {
			second[i].CaseHash = "other"
		}
	}
	other := by("c", 1, "exposed", "correct", 1)
	for i := range other {
		other[i].Case = "elsewhere"
	}
	rep := NewReport(append(append(first, second...), other...))
	if len(rep.Versus) != 1 {
		t.Fatalf("%d pairs, want 1", len(rep.Versus))
	}
	v := rep.Versus[0]
	if v.Changed != 1 || v.Figures[0].N != 0 || v.Figures[0].Verdict != notMeasured || v.Figures[1].N != 2 {
		t.Errorf("%+v", v)
	}
}
