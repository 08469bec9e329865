package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/harness/bench"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/script"
	"github.com/tracegrade/tracegrade/harness/suite"
	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/funnel"
)

// frameworks is the examples that are agents of real frameworks. Each offers its
// tools in another way, and is instrumented as its users do it.
var frameworks = []string{"langchain-js", "vercel-ai", "openai-agents"}

// characters is the scripts that the examples have an agent file for.
var characters = []string{"trap_taker", "recoverer"}

// oneOfEachSurface is for every surface the first case whose trap can be seen
// through, in English and in Chinese by turns.
func oneOfEachSurface(t *testing.T) map[string]*cases.Case {
	t.Helper()
	list, err := suite.Generate(suite.Evidence, 1)
	if err != nil {
		t.Fatal(err)
	}
	chosen := map[string]*cases.Case{}
	for n, surface := range trap.Surfaces {
		lang := []string{"en", "zh"}[n%2]
		i := slices.IndexFunc(list, func(c *cases.Case) bool {
			p := c.Traps[0]
			return p.Surface == surface && c.Lang == lang && p.Price > 0 && p.Defect.Claim.False.Text != ""
		})
		if i < 0 {
			t.Fatalf("no case in %s enters by %s", lang, surface)
		}
		chosen[list[i].ID] = list[i]
	}
	return chosen
}

// The agents of real frameworks do what a script says, on the tools of the
// harness; their own instrumentation tells of it, and what is read from the
// spans must be what the script states.
func TestAgentsOfFrameworks(t *testing.T) {
	binaries(t)
	list := oneOfEachSurface(t)
	for _, framework := range frameworks {
		t.Run(framework, func(t *testing.T) {
			folder := filepath.Join("..", "examples", framework)
			if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatalf("%v: make examples-install gets the packages", err)
				}
				t.Skipf("NOT TESTED: %v: make examples-install gets the packages (needs Node and npm)", err)
			}
			dir := t.TempDir()
			args := []string{"bench", "run", "--dir", dir, "--concurrency", "2"}
			for id := range list {
				args = append(args, "--case", id)
			}
			for _, name := range characters {
				args = append(args, "--agent", filepath.Join(folder, name+".yaml"))
			}
			out, status := tracegrade(t, args...)
			runs, err := bench.Records(filepath.Join(dir, bench.RunsFile))
			if err != nil {
				t.Fatal(err)
			}
			if want := len(list) * len(characters) * len(cases.Arms); status != 0 || len(runs) != want {
				t.Errorf("status %d, %d runs, want 0 and %d: %s", status, len(runs), want, out)
			}
			for i := range runs {
				asScripted(t, list[runs[i].Case], &runs[i], framework)
			}
		})
	}
}

// asScripted holds what was read of a run to the script that was played in it.
func asScripted(t *testing.T, c *cases.Case, r *bench.Record, framework string) {
	t.Helper()
	i := slices.IndexFunc(characters, func(name string) bool { return r.Agent == framework+"-"+name })
	if i < 0 || r.Error != "" || len(r.Passages) == 0 {
		t.Errorf("%s: agent %q, error %q, %d passages", r.Run, r.Agent, r.Error, len(r.Passages))
		return
	}
	p, err := script.Of(characters[i], c, r.Arm, script.Plain)
	if err != nil {
		t.Fatal(err)
	}
	if r.Answer != p.Answer || r.Calls != len(p.Turns) || r.Rounds != len(p.Turns)+1 {
		t.Errorf("%s: %d calls in %d rounds, answer %q; the script has %d in %d, and answers %q",
			r.Run, r.Calls, r.Rounds, r.Answer, len(p.Turns), len(p.Turns)+1, p.Answer)
	}
	takes := characters[i] == "trap_taker"
	trapped := r.Arm == cases.Trapped
	e := &r.Passages[0]
	want := map[string][2]funnel.Truth{
		"exposed": {e.Exposed.Is, yes(slices.Contains(r.Served, e.Trap))},
		"correct": {e.Correct.Is, yes(!trapped || !takes)},
	}
	if trapped {
		want["shown by the harness"] = [2]funnel.Truth{yes(slices.Contains(r.Served, e.Trap)), funnel.Yes}
		want["adopted_mid"] = [2]funnel.Truth{e.AdoptedMid.Is, funnel.Yes}
		want["adopted_final"] = [2]funnel.Truth{e.AdoptedFinal.Is, yes(takes)}
		want["verified"] = [2]funnel.Truth{e.Verified.Is, yes(!takes)}
		want["recovered"] = [2]funnel.Truth{e.Recovered.Is, yes(!takes)}
		if !takes {
			want["verified_yield"] = [2]funnel.Truth{e.VerifiedYield.Is, funnel.Yes}
		}
	} else {
		want["adopted_final"] = [2]funnel.Truth{e.AdoptedFinal.Is, funnel.No}
	}
	for name, x := range want {
		if x[0] != x[1] {
			t.Errorf("%s: %s is %v, want %v", r.Run, name, x[0], x[1])
		}
	}
}

func yes(b bool) funnel.Truth {
	if b {
		return funnel.Yes
	}
	return funnel.No
}
