package bench

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/suite"
)

// A run is found again where all that it depends on is equal, and only there.
func TestIdentity(t *testing.T) {
	seeded := func(seed uint64) []*cases.Case {
		list, err := suite.Generate(suite.Evidence, seed)
		if err != nil {
			t.Fatal(err)
		}
		return list[:2]
	}
	oracle, err := agent.BuiltIn("oracle")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	run := func(list []*cases.Case, change func(*Options)) (Summary, error) {
		o := Options{Cases: list, Agents: []*agent.File{oracle}, Arms: []cases.Arm{cases.Trapped}, Dir: dir}
		change(&o)
		return Run(t.Context(), o)
	}
	plain := func(*Options) {}
	for _, tt := range []struct {
		what    string
		seed    uint64
		change  func(*Options)
		resumed int
	}{
		{"the first", 1, plain, 0},
		{"the same", 1, plain, 2},
		{"another seed", 2, plain, 0},
		{"guardrails", 1, func(o *Options) { o.Guardrails = true }, 0},
		{"hidden metadata", 1, func(o *Options) { o.HideMetadata = true }, 0},
		{"an embedder", 1, func(o *Options) { o.Embedder = suite.Embedder("") }, 0},
		{"the other version", 1, func(o *Options) { o.Version = "9" }, 2},
	} {
		sum, err := run(seeded(tt.seed), tt.change)
		if err != nil || sum.Planned != 2 || sum.Resumed != tt.resumed || sum.Failed != 0 {
			t.Errorf("%s: %+v, %v; want %d resumed", tt.what, sum, err, tt.resumed)
		}
	}
	runs, err := Records(filepath.Join(dir, RunsFile))
	if err != nil || len(runs) != 10 {
		t.Fatalf("%d runs, %v; want 10", len(runs), err)
	}
	rep := NewReport(runs)
	if len(rep.Agents) != 5 || rep.Agents[0].Runs != 2 || rep.Agents[4].Setting != (Setting{Seed: 2}) {
		t.Errorf("%d reports, want one for each setting: %+v", len(rep.Agents), rep.Agents)
	}
	changed := seeded(1)
	changed[0].Question += " Please."
	if _, err := run(changed, plain); err == nil || !strings.Contains(err.Error(), "has the contents") {
		t.Errorf("a changed case: %v", err)
	}
	other := runs[0]
	other.CaseHash = "x"
	if err := Uniform(append(runs, other)); err == nil {
		t.Error("two contents of one case are one report's")
	}
}
