package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/internal/funnel"
)

// made writes one run by hand: what is yes, the rest is no.
func made(id string, arm cases.Arm, k int, events string) Record {
	r := Record{Run: id + string(arm), Case: id, Arm: arm, K: k, Agent: "a", AgentHash: "h", Category: "numeric", Lang: "en",
		Traps: []TrapInfo{{ID: "t1", Kind: "negation", Family: "uncritical_acceptance", Toxicity: 3, Subtlety: 1.5, Price: 1}}, Rounds: 2}
	r.Run += string(rune('0' + k))
	p := funnel.Passage{Trap: "t1"}
	for i, e := range p.Events() {
		e.Is = funnel.No
		for _, name := range strings.Fields(events) {
			if name == funnel.EventNames[i] {
				e.Is = funnel.Yes
			}
			if name == "?"+funnel.EventNames[i] {
				e.Is = funnel.NotMeasured
			}
		}
	}
	r.Passages = []funnel.Passage{p}
	return r
}

// The expected figures are worked out by hand from the definitions.
func TestFigures(t *testing.T) {
	runs := []Record{
		made("c1", cases.Trapped, 1, "exposed adopted_final"),
		made("c2", cases.Trapped, 1, "exposed adopted_mid correct verified verified_yield recovered doubted"),
		made("c3", cases.Trapped, 1, "exposed adopted_mid escaped abstained ?doubted"),
		made("c4", cases.Trapped, 1, "correct"),
		made("c5", cases.Trapped, 1, "exposed adopted_final disclosed doubted verified"),
		made("c1", cases.Clean, 1, "correct"),
		made("c2", cases.Clean, 1, "correct doubted"),
		made("c3", cases.Clean, 1, "abstained"),
		made("c4", cases.Clean, 1, "correct"),
		made("c5", cases.Clean, 1, "correct"),
		{Run: "x", Case: "c6", Arm: cases.Trapped, Agent: "a", AgentHash: "h", Error: "crashed"},
	}
	a := NewReport(runs).Agents[0]
	want := map[string][2]int{
		"exposure_rate": {4, 5}, "adoption_given_exposure": {2, 4}, "adoption_mid": {2, 4}, "false_path_rate": {2, 4},
		"doubt_rate": {2, 3}, "conflict_noted_rate": {0, 4}, "conflict_named_rate": {0, 4}, "verification_rate": {2, 4},
		"verification_yield": {1, 2}, "recovery_rate": {1, 2}, "escape_rate": {1, 2}, "silent_adoption": {1, 2},
		"accuracy_clean": {4, 5}, "accuracy_trap": {2, 5}, "abstention_rate": {2, 10}, "over_abstention": {1, 5},
		"override_rate": {2, 4}, "harm": {0, 5}, "discernment": {0, 3},
	}
	got := map[string][2]int{}
	for _, f := range a.Figures {
		if _, ok := want[f.Name]; ok {
			got[f.Name] = [2]int{f.K, f.N}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("figures (-want +got):\n%s", d)
	}
	// harm: 4/5 correct when clean, 2/5 with the trap. discernment over c1, c2, c5
	// (c3's doubt was not measured): doubted 2/3 with the trap, 1/3 when clean.
	for name, value := range map[string]float64{"harm": 0.4, "discernment": 1. / 3} {
		f, ok := a.Figure(name)
		if d := f.Value - value; !ok || d > 1e-9 || d < -1e-9 || !f.Interval.Contains(value) {
			t.Errorf("%s = %+v, want %v", name, f, value)
		}
	}
	if a.Errors != 1 || a.Runs != 11 {
		t.Errorf("%d errors of %d runs, want 1 of 11", a.Errors, a.Runs)
	}
}

// With two traps a run is still one run: it is on the false path where it adopted
// either, and a pass counts once.
func TestFalsePathOfTwoTraps(t *testing.T) {
	two := func(id, first, second string) Record {
		r, other := made(id, cases.Trapped, 1, first), made(id, cases.Trapped, 1, second)
		r.Passages, r.Traps = append(r.Passages, other.Passages...), append(r.Traps, other.Traps...)
		return r
	}
	f, _ := NewReport([]Record{
		two("c1", "exposed correct", "exposed"),
		two("c2", "exposed", "exposed adopted_final"),
		two("c3", "exposed adopted_final", "exposed adopted_final"),
		two("c4", "exposed abstained", "exposed"),
	}).Agents[0].Figure("false_path_rate")
	if f.K != 2 || f.N != 3 {
		t.Errorf("false path %d of %d, want 2 of 3 runs", f.K, f.N)
	}
}

// A hop of a case and of its twin are one case's: the interval rests on the cases.
func TestHopsOfTwins(t *testing.T) {
	var runs []Record
	for _, id := range []string{"c1", "c2", "c3", "c4", "c5", "c6"} {
		for _, arm := range cases.Arms {
			r := made(id, arm, 1, "correct")
			r.Hops = []bool{true}
			runs = append(runs, r)
		}
	}
	f, _ := NewReport(runs).Agents[0].Figure("chain_coverage hop 1")
	// Wilson's interval of 6 of 6.
	if f.N != 12 || f.Cases != 6 || math.Abs(f.Interval.Low-0.6097) > 1e-4 {
		t.Errorf("%+v, want the interval of six cases", f)
	}
}

// Repeats of one case are not independent: the interval comes from the cases.
func TestRepeats(t *testing.T) {
	var runs, once []Record
	for i := range 20 {
		id := "c" + string(rune('a'+i))
		events := "exposed"
		if i%2 == 0 {
			events = "exposed adopted_final"
		}
		once = append(once, made(id, cases.Trapped, 1, events))
		for k := 1; k <= 5; k++ {
			runs = append(runs, made(id, cases.Trapped, k, events))
		}
	}
	repeated, _ := NewReport(runs).Agents[0].Figure("adoption_given_exposure")
	single, _ := NewReport(once).Agents[0].Figure("adoption_given_exposure")
	if repeated.N != 100 || repeated.Value != 0.5 {
		t.Fatalf("%+v, want 50 of 100", repeated)
	}
	// Five copies of twenty cases say no more than twenty cases.
	if wide, all := repeated.Interval.High-repeated.Interval.Low, single.Interval.High-single.Interval.Low; wide < 0.9*all {
		t.Errorf("interval %v wide with repeats, %v without", wide, all)
	}
}

func TestReportFormats(t *testing.T) {
	rep := NewReport([]Record{made("c1", cases.Trapped, 1, "exposed adopted_final"), made("c1", cases.Clean, 1, "correct")})
	for format, want := range map[string]string{
		"text":     "  adoption_given_exposure   1.000         0.207 to 1.000  1/1",
		"markdown": "| adoption_given_exposure | 1.000 | 0.207 to 1.000 | 1/1 |",
	} {
		var b bytes.Buffer
		if err := rep.Write(&b, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v: want %q in\n%s", format, err, want, b.String())
		}
		if !strings.Contains(b.String(), "not measured") {
			t.Errorf("%s: recovery_rate has no run and is not said to be unmeasured", format)
		}
	}
	var b bytes.Buffer
	if err := rep.Write(&b, "json"); err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(*rep, back); d != "" {
		t.Errorf("JSON (-want +got):\n%s", d)
	}
	if err := rep.Write(&b, "xml"); err == nil || err.Error() != `format "xml": want one of text, markdown, json` {
		t.Errorf("format xml: %v", err)
	}
	b.Reset()
	if err := NewReport(nil).Write(&b, "text"); err != nil || b.String() != "no runs\n" {
		t.Errorf("nothing: %q %v", b.String(), err)
	}
}
