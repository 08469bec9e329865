package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/script"
)

// An agent whose model the harness plays is judged as the built-in agent of the
// same character: what it offers, asks and is given goes over the wire.
func TestPlayedModelIsJudgedAsTheCharacter(t *testing.T) {
	list := slices.DeleteFunc(shipped(t), func(c *cases.Case) bool { return !strings.Contains(c.ID, "-01-") })
	var files []*agent.File
	for _, name := range script.Names {
		f, err := agent.BuiltIn(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f, &agent.File{Name: "played-" + name, Kind: "react", Script: name, Hash: "h"})
	}
	verdicts := map[string][]string{}
	for _, r := range runSuite(t, Options{Cases: list, Agents: files}) {
		var events []string
		for _, p := range r.Passages {
			for _, e := range p.Events() {
				events = append(events, e.Is.String())
			}
		}
		verdicts[r.Run] = append(events, r.Served...)
	}
	if len(verdicts) < 100 {
		t.Fatalf("%d runs, want at least 100", len(verdicts))
	}
	for run, got := range verdicts {
		if original, ok := strings.CutPrefix(run, "played-"); ok {
			if d := cmp.Diff(verdicts[original], got); d != "" {
				t.Errorf("%s (-built-in +played):\n%s", run, d)
			}
		}
	}
}
