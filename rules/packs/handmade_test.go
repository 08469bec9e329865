package packs_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules/packs"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

// TestHandmade tries all packs on runs that were written without looking at
// them: nothing may fail on the healthy ones, and what is wrong with the others
// has to be seen. A finding below medium is a hint, and allowed.
func TestHandmade(t *testing.T) {
	data, err := os.ReadFile("testdata/handmade.yml")
	if err != nil {
		t.Fatal(err)
	}
	var runs []struct {
		Name          string
		Healthy       bool
		Fails         []string
		ruletest.Case `yaml:",inline"`
	}
	if err := yaml.Unmarshal(data, &runs); err != nil {
		t.Fatal(err)
	}
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	healthy := 0
	for _, r := range runs {
		t.Run(r.Name, func(t *testing.T) {
			tr, err := r.Build()
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			findings, _ := set.Eval(tr)
			for _, f := range findings {
				switch {
				case f.Outcome == trace.OutcomeError:
					t.Errorf("%s: %s", f.Rule, f.Message)
				case f.Outcome == trace.OutcomeFail:
					failed = append(failed, f.Rule)
					if r.Healthy && f.Severity >= trace.SeverityMedium {
						t.Errorf("%s (%s): %s", f.Rule, f.Severity, f.Message)
					}
					t.Logf("%s (%s): %s", f.Rule, f.Severity, f.Message)
				}
			}
			seen := slices.ContainsFunc(r.Fails, func(rule string) bool { return slices.Contains(failed, rule) })
			if !r.Healthy && !seen {
				t.Errorf("failed: %s; want one of %s", strings.Join(failed, ", "), strings.Join(r.Fails, ", "))
			}
		})
		if r.Healthy {
			healthy++
		}
	}
	if healthy < 10 || len(runs)-healthy < 10 {
		t.Errorf("%d healthy and %d other runs, want ten of each", healthy, len(runs)-healthy)
	}
}
