package rules_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// What == holds equal is one value.
func TestDistinct(t *testing.T) {
	for _, expression := range []string{
		`len(distinct([1, 1.0])) == 1`,
		`len(distinct([1, 1.5, "1"])) == 3`,
		`len(distinct([[1], [1], {"a": 1}])) == 2`,
	} {
		if f := textOutcome(t, expression); f.Outcome != trace.OutcomePass {
			t.Errorf("%s: %v %q", expression, f.Outcome, f.Message)
		}
	}
}
