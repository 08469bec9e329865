package rules_test

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

// readCase reads the compact notation.
func readCase(t testing.TB, text string) *ruletest.Case {
	t.Helper()
	var c ruletest.Case
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil {
		t.Fatal(err)
	}
	return &c
}

// buildTrace makes a trace of the compact notation.
func buildTrace(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := readCase(t, text).Build()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func exampleTrace(t testing.TB) *trace.Trace {
	t.Helper()
	return buildTrace(t, exampleText(t))
}

// exampleClaims is the trap that was planted in the example.
func exampleClaims(t testing.TB) func(*trace.Trace) []stance.Claim {
	t.Helper()
	planted, err := readCase(t, exampleText(t)).Planted()
	if err != nil || planted == nil {
		t.Fatalf("the example's claims: %v", err)
	}
	return planted
}

func exampleText(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("testdata/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// compileText parses and compiles one file.
func compileText(t testing.TB, text string) *rules.Set {
	t.Helper()
	f, err := rules.Parse("t.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	set, err := rules.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// oneRule wraps the keys of one rule (besides id and severity) into a file.
func oneRule(keys string) string {
	return "rules:\n  - id: r\n    severity: low\n    " + strings.ReplaceAll(strings.TrimSpace(keys), "\n", "\n    ") + "\n"
}

// evalRule evaluates one rule on a trace and returns its findings.
func evalRule(t testing.TB, keys string, tr *trace.Trace) []trace.Finding {
	t.Helper()
	findings, _ := compileText(t, oneRule(keys)).Eval(tr)
	return findings
}
