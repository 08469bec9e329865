package assemble_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A tool that only common words tell is one beside an agent or its model, and
// otherwise whatever a service runs.
func TestGuessesNeedCompany(t *testing.T) {
	guess := func(s *trace.Step) { s.Hints.Guess = true }
	tests := []struct {
		name string
		with []*trace.Step
		want trace.Kind
	}{
		{"alone", nil, trace.KindUnknown},
		{"beside HTTP", []*trace.Step{span(trace.KindUnknown, "x", "", 0, 50)}, trace.KindUnknown},
		{"beside another guess", []*trace.Step{span(trace.KindRetriever, "x", "", 0, 50, guess)}, trace.KindUnknown},
		{"beside a guessed run", []*trace.Step{span(trace.KindWorkflow, "x", "", 0, 50, guess)}, trace.KindUnknown},
		{"below a guessed agent", []*trace.Step{span(trace.KindAgent, "x", "", 0, 50, guess)}, trace.KindTool},
		{"after a guessed model call", []*trace.Step{span(trace.KindLLM, "x", "", 0, 5, guess, in(user("q")), out(ai("a")))}, trace.KindTool},
		{"beside a tool whose producer says so", []*trace.Step{span(trace.KindTool, "x", "", 0, 50, tool("y", "", "{}", "1"))}, trace.KindTool},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := build(append(tt.with, span(trace.KindTool, "s", "", 20, 30, guess, tool("ffmpeg", "", `"-i a.mp4"`, "0")))...)
			s := stepOf(t, tr, "s")
			if s.Kind != tt.want || (s.Tool != nil) != (tt.want == trace.KindTool) {
				t.Errorf("%v with tool %v, want %v", s.Kind, s.Tool, tt.want)
			}
			if tt.want == trace.KindUnknown && tr.Question+tr.Answer != "" {
				t.Errorf("question %q, answer %q of a trace that has no agent", tr.Question, tr.Answer)
			}
		})
	}
}
