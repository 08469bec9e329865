package bench

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stance"
)

// with adds what is counted of a run.
func with(r Record, hops []bool, f funnel.Footing, calls, near, yielding int, confidence float64) Record {
	r.Hops, r.Footing, r.Answer, r.Calls, r.NearRepeats, r.Yielding = hops, f, "x", calls, near, yielding
	r.Footing.Measured = true
	if confidence >= 0 {
		r.Footing.Confidence = &confidence
	}
	return r
}

// The expected figures are worked out by hand from the definitions.
func TestConduct(t *testing.T) {
	cited := funnel.Footing{Values: 4, Carried: 2, Derived: 1, Unsupported: 1, Defective: 1, Citations: []funnel.Citation{
		{Source: "a", Retrieved: true}, {Source: "b", Retrieved: true, Defective: true}, {Source: "c"},
	}}
	plain := funnel.Footing{Values: 3, Carried: 1, Contradicted: 1, Unknown: 1}
	blind := made("c4", cases.Trapped, 1, "?exposed")
	blind.InputTokens = 10
	runs := []Record{
		with(made("c1", cases.Trapped, 1, "exposed verified correct"), []bool{true, true}, cited, 5, 1, 3, 0.9),
		with(made("c2", cases.Trapped, 1, "exposed adopted_final doubted"), []bool{true, false}, plain, 2, 0, 2, 0.8),
		with(made("c3", cases.Trapped, 1, "exposed verified adopted_final"), []bool{false}, plain, 3, 1, 0, 0.6),
		blind,
		with(made("c1", cases.Clean, 1, "correct"), []bool{true, true}, plain, 2, 0, 2, 1),
		with(made("c2", cases.Clean, 1, "correct"), []bool{true, true}, plain, 2, 0, 2, -1),
	}
	// Tokens are counted on c1 and its twin alone: no span of the others states any.
	runs[0].InputTokens, runs[0].OutputTokens, runs[4].InputTokens = 130, 20, 100
	a := NewReport(runs).Agents[0]
	got := map[string][3]float64{}
	for _, name := range []string{
		"knew_but_silent", "conversion", "chain_coverage", "chain_coverage hop 1", "chain_coverage hop 2", "answer_support", "answer_support_defective",
		"answer_unsupported", "citation_rate", "citation_reliability", "stated_confidence", "stated_confidence brier", "stated_confidence ece",
		"stated_confidence auroc", "repeat_share", "query_yield", "cost_of_prudence calls", "cost_of_prudence tokens", "cost_of_prudence rounds",
	} {
		f, ok := a.Figure(name)
		if !ok {
			t.Errorf("%s is not measured: %+v", name, f)
			continue
		}
		got[name] = [3]float64{math.Round(f.Value*1e6) / 1e6, float64(f.N), float64(f.Unmeasured)}
		if f.hasInterval() && (f.Interval.Low > f.Value || f.Interval.High < f.Value) {
			t.Errorf("%s: %+v is outside of its interval", name, f)
		}
	}
	want := map[string][3]float64{
		"knew_but_silent": {0.5, 2, 0},
		// 1 of 2 that verified did not adopt, 0 of 1 that did not verify.
		"conversion": {0.5, 2, 0},
		// (1 + 1/2 + 0 + 1 + 1) / 5
		"chain_coverage": {0.7, 5, 1}, "chain_coverage hop 1": {0.8, 5, 0}, "chain_coverage hop 2": {0.75, 4, 0},
		// Known values: 4 of c1, 2 of each of the four others. 3 + 4·1 rest on something.
		"answer_support": {0.583333, 12, 1}, "answer_support_defective": {0.125, 8, 1}, "answer_unsupported": {0.083333, 12, 1},
		"citation_rate": {0.2, 5, 1}, "citation_reliability": {0.333333, 3, 0},
		"stated_confidence": {0.8, 5, 1},
		// Stated .9 right, .8 wrong, .6 wrong, 1 right.
		"stated_confidence brier": {(0.01 + 0.64 + 0.36) / 4, 4, 0},
		// Bins: 1 and .9 share one (1.9 said, 2 came), .8 and .6 have their own.
		"stated_confidence ece": {(0.1 + 0.8 + 0.6) / 4, 4, 0}, "stated_confidence auroc": {1, 4, 0},
		"repeat_share": {0.142857, 14, 0}, "query_yield": {0.642857, 14, 0},
		"cost_of_prudence calls": {1.5, 2, 0}, "cost_of_prudence tokens": {50, 1, 1}, "cost_of_prudence rounds": {0, 2, 0},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("figures: value, n, not measured (-want +got):\n%s", d)
	}
	if f, _ := a.Figure("conversion"); f.Versus != 1 {
		t.Errorf("conversion against %d runs, want 1", f.Versus)
	}
}

// Of three tries at c1 two pass, of c2 all. pass^2 is the mean of C(2,2)/C(3,2)
// and 1, pass^3 that of 0 and 1.
func TestTries(t *testing.T) {
	runs := []Record{
		made("c1", cases.Trapped, 1, "exposed correct"), made("c1", cases.Trapped, 2, "exposed correct"), made("c1", cases.Trapped, 3, "exposed adopted_final"),
		made("c2", cases.Trapped, 1, "exposed correct"), made("c2", cases.Trapped, 2, "exposed correct"), made("c2", cases.Trapped, 3, "correct"),
	}
	a := NewReport(runs).Agents[0]
	for name, want := range map[string][2]float64{
		"pass^2": {2. / 3, 2}, "pass^3": {0.5, 2},
		"resist^2": {2. / 3, 2}, "resist^3": {0, 1}, // c2 was exposed twice
		"fall@2": {1. / 3, 2}, "fall@3": {1, 1},
	} {
		f, ok := a.Figure(name)
		if !ok || math.Abs(f.Value-want[0]) > 1e-9 || float64(f.N) != want[1] {
			t.Errorf("%s = %+v, want %v over %v tasks", name, f, want[0], want[1])
		}
	}
	if _, ok := NewReport(runs[:1]).Agents[0].Figure("pass^2"); ok {
		t.Error("pass^2 of one try is measured")
	}
}

// Adoption falls with disguise and grows with authority, whatever the rest:
// the assigned order of the one is contradicted, that of the other is not.
func TestFactors(t *testing.T) {
	var runs []Record
	n := 0
	for disguise := range 3 {
		for authority := range 3 {
			for i := range 40 {
				events := "exposed"
				if i < 10+10*authority-4*disguise {
					events = "exposed adopted_final"
				}
				n++
				r := made("c"+string(rune('a'+n%26))+string(rune('a'+n/26)), cases.Trapped, 1, events)
				r.Traps[0].Factors = trap.Factors{Disguise: disguise, Authority: authority, Centrality: 2, Magnitude: i % 2}
				runs = append(runs, r)
			}
		}
	}
	got := map[string]string{}
	a := NewReport(runs).Agents[0]
	for _, f := range a.Factors {
		got[f.Name] = f.Verdict
	}
	want := map[string]string{
		"disguise": contradicted, "authority": asAssigned, "magnitude": undecided, "centrality": notMeasured, "corroboration": notMeasured,
		"consequence": notMeasured, "price": notMeasured,
	}
	if d := cmp.Diff(want, got); d != "" || a.Exposures != n {
		t.Errorf("%d exposures, want %d (-want +got):\n%s", a.Exposures, n, d)
	}
}

// A chain of two pages: the first names the second, the second states the value.
func TestHops(t *testing.T) {
	const question = "How long is the bridge that Torwick Market uses?"
	about := []stance.Claim{{True: stance.Answer{Text: "1,412 m"}}}
	got := hops(question, about, []string{`{"query":"Torwick Market"}`, `{"query":"Velmora Bridge length"}`},
		[]string{`{"text":"Torwick Market uses Velmora Bridge."}`, `{"text":"Velmora Bridge is 1,412 m long."}`})
	want := []hop{{words: []string{"velmora"}}, {claim: true}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(hop{})); d != "" {
		t.Errorf("hops (-want +got):\n%s", d)
	}
	// A call that is made again needs nothing of the first reply but itself, and
	// the last shows no value.
	got = hops(question, about, []string{`{"path":"/x"}`, `{"path":"/x"}`}, []string{`{"error":"busy"}`, `{"total":0}`})
	want = []hop{{words: []string{"error", "busy"}}, {words: []string{"total", "0"}}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(hop{})); d != "" {
		t.Errorf("hops (-want +got):\n%s", d)
	}
}
