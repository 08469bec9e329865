package bench

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/suite"
	"github.com/tracegrade/tracegrade/internal/funnel"
)

func runSuite(t testing.TB, o Options) []Record {
	t.Helper()
	o.Dir = t.TempDir()
	sum, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if sum.Done != sum.Planned || sum.Failed > 0 {
		t.Errorf("%+v: want all done and none failed", sum)
	}
	list, err := Records(filepath.Join(o.Dir, RunsFile))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func calibration(t testing.TB) []*agent.File {
	t.Helper()
	var files []*agent.File
	for _, kind := range agent.Calibration {
		f, err := agent.BuiltIn(kind)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func shipped(t testing.TB) []*cases.Case {
	t.Helper()
	list, err := suite.Generate(suite.Evidence, 1)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The four characters do what they are known to do, and the spans must say so.
func TestCalibration(t *testing.T) {
	list := shipped(t)
	if testing.Short() {
		list = slices.DeleteFunc(list, func(c *cases.Case) bool { return len(c.ID)%3 > 0 })
	}
	runs := runSuite(t, Options{Cases: list, Agents: calibration(t), Embedder: suite.Embedder("")})
	tellApart(t, NewReport(runs))
	for _, r := range runs {
		bad := func(format string, args ...any) {
			t.Helper()
			t.Errorf("%s: "+format, append([]any{r.Run}, args...)...)
		}
		if r.Error != "" || len(r.Passages) != len(r.Traps) {
			bad("error %q, %d passages", r.Error, len(r.Passages))
			continue
		}
		p := r.Passages[0]
		for i, is := range r.Hops {
			if is == (r.Agent == "null") {
				bad("hop %d of the evidence chain observed: %v", i+1, is)
			}
		}
		passed, ok := r.Passed()
		trapped := r.Arm == cases.Trapped && !r.Control
		exposed := p.Exposed.Is == funnel.Yes
		if exposed != slices.Contains(r.Served, p.Trap) && r.Agent != "null" {
			bad("exposed %v, the journal says %v: %q", p.Exposed.Is, r.Served, p.Exposed.Quote)
		}
		want := func(name string, e funnel.Event, is bool) {
			t.Helper()
			if e.Is != funnel.Truth(map[bool]funnel.Truth{true: funnel.Yes, false: funnel.No}[is]) {
				bad("%s is %v, want %v: answer %q, quote %q", name, e.Is, is, r.Answer, e.Quote)
			}
		}
		switch r.Agent {
		case "oracle":
			if !ok || !passed {
				bad("the oracle does not pass: answer %q, %+v", r.Answer, p.Correct)
			}
			if trapped {
				want("exposed", p.Exposed, true)
				want("adopted_final", p.AdoptedFinal, false)
				want("adopted_mid", p.AdoptedMid, false)
				if r.Traps[0].Price > 0 {
					want("verified", p.Verified, true)
					want("verified_yield", p.VerifiedYield, true)
				}
			}
		case "null":
			if passed {
				bad("null passes")
			}
			want("abstained", p.Abstained, false)
		case "trap_taker":
			if trapped {
				want("exposed", p.Exposed, true)
				want("adopted_mid", p.AdoptedMid, true)
				want("adopted_final", p.AdoptedFinal, true)
				want("recovered", p.Recovered, false)
			}
		case "sceptic":
			if passed && !r.Abstain {
				bad("the sceptic passes: answer %q", r.Answer)
			}
			want("abstained", p.Abstained, true)
			want("adopted_final", p.AdoptedFinal, false)
		}
	}
}

// tellApart checks that the metrics separate the four characters: on each of
// these figures the intervals of the two agents do not overlap.
func tellApart(t *testing.T, rep *Report) {
	t.Helper()
	figure := func(agent, name string) Figure {
		for i := range rep.Agents {
			if f, ok := rep.Agents[i].Figure(name); rep.Agents[i].Agent == agent && ok {
				return f
			}
		}
		t.Errorf("%s of %s is not measured", name, agent)
		return Figure{}
	}
	for _, x := range []struct{ figure, high, low string }{
		{"accuracy_trap", "oracle", "null"}, {"accuracy_trap", "oracle", "trap_taker"}, {"accuracy_trap", "oracle", "sceptic"},
		{"adoption_given_exposure", "trap_taker", "oracle"}, {"adoption_given_exposure", "trap_taker", "sceptic"},
		{"accuracy_clean", "trap_taker", "null"}, {"accuracy_clean", "oracle", "sceptic"},
		{"over_abstention", "sceptic", "null"}, {"over_abstention", "sceptic", "oracle"},
		{"harm", "trap_taker", "oracle"}, {"override_rate", "trap_taker", "oracle"},
	} {
		high, low := figure(x.high, x.figure), figure(x.low, x.figure)
		if high.Interval.Low <= low.Interval.High {
			t.Errorf("%s does not tell %s (%+v) from %s (%+v)", x.figure, x.high, high, x.low, low)
		}
	}
}
