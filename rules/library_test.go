package rules_test

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// holds evaluates a condition about the trace.
func holds(t *testing.T, condition string, tr *trace.Trace) trace.Finding {
	t.Helper()
	set := compileText(t, oneRule("scope: trace\nassert: |\n  "+condition))
	set.Planted(exampleClaims(t))
	findings, _ := set.Eval(tr)
	if len(findings) != 1 {
		t.Fatalf("%s: %d findings, want 1", condition, len(findings))
	}
	return findings[0]
}

func TestEveryExampleHolds(t *testing.T) {
	examples := map[string]string{}
	for _, f := range rules.Functions() {
		if f.Doc == "" || f.Example == "" {
			t.Errorf("function %s has no doc or no example", f.Name)
		}
		if !strings.Contains(f.Example, f.Name+"(") {
			t.Errorf("the example of %s does not call it: %s", f.Name, f.Example)
		}
		examples["function "+f.Name] = f.Example
	}
	for _, f := range rules.Fields() {
		if f.Doc == "" {
			t.Errorf("field %s.%s has no doc", f.Owner, f.Name)
		}
		if f.Example == "" {
			if f.Name != "step" || f.Owner != "" {
				t.Errorf("field %s.%s has no example", f.Owner, f.Name)
			}
			continue
		}
		if !strings.Contains(f.Example, f.Name) {
			t.Errorf("the example of %s.%s does not name it: %s", f.Owner, f.Name, f.Example)
		}
		examples["field "+f.Owner+"."+f.Name] = f.Example
	}
	for what, example := range examples {
		t.Run(what, func(t *testing.T) {
			if f := holds(t, example, exampleTrace(t)); f.Outcome != trace.OutcomePass {
				t.Errorf("%s: outcome %v (%s), want pass", example, f.Outcome, f.Message)
			}
		})
	}
}

// What an answer that was not captured would say is unknown, not false.
func TestTrapEventsOfAnAnswerThatWasNotCaptured(t *testing.T) {
	tr := exampleTrace(t)
	for _, s := range tr.Steps {
		if s.Kind == trace.KindLLM || s.Kind == trace.KindAgent {
			s.Output, s.RawOutput, s.Capture = trace.Messages{}, trace.Value{}, trace.CaptureOff
		}
	}
	tr.Answer, tr.AnswerStep = "", ""
	for _, condition := range []string{"not adoptedFinal()", "not correct()", "not abstained()", "not disclosed()"} {
		if f := holds(t, condition, tr); f.Outcome != trace.OutcomeNotApplicable {
			t.Errorf("%s: outcome %v (%s), want not_applicable", condition, f.Outcome, f.Message)
		}
	}
	if f := holds(t, "exposed()", tr); f.Outcome != trace.OutcomePass {
		t.Errorf("exposed(), whose tool results are there: %v (%s), want pass", f.Outcome, f.Message)
	}
}
