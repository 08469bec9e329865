package rules_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A model call that failed asked for nothing, which is known though nothing of its
// output was recorded; of one that did not, it is not.
func TestCallsOfAFailedModelCall(t *testing.T) {
	set := compileText(t, `rules: [{id: r, severity: low, scope: trace, assert: len(last(llms()).requested) > 0}]`)
	for failed, want := range map[bool]trace.Outcome{true: trace.OutcomeFail, false: trace.OutcomeNotApplicable} {
		tr := buildTrace(t, "steps: [{user: 'q?'}, {answer: a}]")
		for _, s := range tr.Steps {
			if s.Kind == trace.KindLLM {
				s.Output, s.Status.Failed = trace.Messages{}, failed
			}
		}
		if findings, _ := set.Eval(tr); findings[0].Outcome != want {
			t.Errorf("failed %v: %s (%s), want %s", failed, findings[0].Outcome, findings[0].Reason, want)
		}
	}
}
