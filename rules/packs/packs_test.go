package packs_test

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/packs"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

func TestPacks(t *testing.T) {
	found := 0
	err := fs.WalkDir(packs.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !ruletest.IsTestFile(name) {
			if _, err := fs.Stat(packs.Files(), strings.TrimSuffix(name, ".yaml")+"_test.yaml"); err != nil {
				t.Errorf("%s has no tests: %v", name, err)
			}
			return nil
		}
		found++
		t.Run(name, func(t *testing.T) {
			f, err := ruletest.LoadWith(name, func(p string) ([]byte, error) { return fs.ReadFile(packs.Files(), path.Clean(p)) })
			if err != nil {
				t.Fatal(err)
			}
			r := ruletest.Run(f, ruletest.Options{})
			for _, p := range r.Problems {
				t.Error(p)
			}
			for _, one := range r.Tests {
				for _, failure := range one.Failures {
					t.Errorf("%s: %s", one.Name, failure)
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("no test files were found")
	}
}

func TestEveryRuleIsDocumented(t *testing.T) {
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range set.Rules() {
		if r.Title == "" || r.Pass == "" || r.Fail == "" || !strings.Contains(r.Description, "Severity "+r.Severity.String()) {
			t.Errorf("%s: want title, pass, fail, and a description that argues for the severity %v", r.ID, r.Severity)
		}
	}
}

// No rule errs on a trace that has no steps: of log records alone.
func TestTraceWithoutSteps(t *testing.T) {
	set, err := packs.Compile()
	if err != nil {
		t.Fatal(err)
	}
	findings, _ := set.Eval(&trace.Trace{ID: "t", Unjoined: 2})
	for _, f := range findings {
		if f.Outcome == trace.OutcomeError {
			t.Errorf("%s: %s", f.Rule, f.Message)
		}
	}
	if len(findings) == 0 {
		t.Error("no rule says anything")
	}
}

func TestParseUnknownPack(t *testing.T) {
	_, err := packs.Parse("nope")
	if err == nil || !strings.Contains(err.Error(), `no rule pack "nope": want `) {
		t.Errorf("Parse = %v", err)
	}
}

// TestMutantsAreNoticed changes every rule at every place and wants its tests
// to fail.
func TestMutantsAreNoticed(t *testing.T) {
	all := &ruletest.Mutation{}
	err := fs.WalkDir(packs.Files(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !ruletest.IsTestFile(name) {
			return err
		}
		f, err := ruletest.LoadWith(name, func(p string) ([]byte, error) { return fs.ReadFile(packs.Files(), path.Clean(p)) })
		if err != nil {
			return err
		}
		all.Add(ruletest.Mutate(f, ruletest.Options{}))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.Problems {
		t.Error(p)
	}
	for _, s := range all.Survivors {
		t.Logf("not noticed: %s: %s", s.File, s.ID())
	}
	if all.Mutants < 300 || !all.Passed() {
		t.Errorf("%d of %d mutants are noticed (%.0f %%), want %.0f %% of at least 300", all.Killed, all.Mutants, 100*all.Share(), 100*ruletest.MinKilled)
	}
}

// Packs that ask nothing of evidence grade without a ledger.
func TestLedgerOnlyForWhoAsks(t *testing.T) {
	for _, topic := range []string{"instrumentation", "reliability"} {
		files, err := packs.Parse(topic)
		if err != nil {
			t.Fatal(err)
		}
		set, err := rules.Compile(files...)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range corpus(t, set.Attributes()) {
			for _, tr := range r.traces {
				if _, _, ledger := set.EvalEvidence(tr, nil); ledger != nil {
					t.Fatalf("pack %s made a ledger of the trace %s", topic, tr.ID)
				}
			}
		}
	}
}
