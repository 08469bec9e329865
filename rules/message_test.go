package rules

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Every kind of value that an expression may have is written for people, when a
// rule is explained or a message names it.
func TestShow(t *testing.T) {
	counted := trace.Usage{Input: 7, Output: 3}
	one := &step{Step: &trace.Step{Name: "s", Usage: counted, Tool: &trace.Tool{Name: "t"}}}
	whole := &run{ix: &index{trace: &trace.Trace{ID: "1f", Usage: counted}}}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, "nothing"}, {"a", "a"}, {1.5, "1.5"}, {true, "true"}, {[]any{"a", 1}, "a, 1"}, {map[string]any{"a": 1}, `{"a":1}`},
		{one, "t"}, {(*tool)(one), "t"}, {(*usage)(one), "7 input, 3 output tokens"}, {whole, "1f"}, {(*traceUsage)(whole), "7 input, 3 output tokens"},
		{&turn{Turn: trace.Turn{Question: "Which?"}, number: 2}, `turn 2 ("Which?")`}, {(*turn)(nil), "nothing"},
		{&trace.Part{Name: "p"}, "p"}, {&trace.Document{Title: "d"}, "d"}, {&observation{Observation: &evidence.Observation{Title: "o"}}, "o"},
		{&stale{&evidence.Staleness{Date: "2019-01-01"}}, "2019-01-01"}, {&echo{&evidence.Echo{Observations: []int{1, 2}}}, "2 observations"},
	} {
		if got := show(tt.value); got != tt.want {
			t.Errorf("%T: %q, want %q", tt.value, got, tt.want)
		}
		valueText(tt.value)
	}
}
