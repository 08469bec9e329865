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

// What its name and words alone make a model call is the run around one that
// names its model.
func TestGuessedCallAroundACall(t *testing.T) {
	guess := func(s *trace.Step) { s.Hints.Guess = true }
	given := func(text string) func(*trace.Step) {
		return func(s *trace.Step) {
			s.Input = trace.TextMessages(text, func(text string, _ *trace.History) []trace.Message { return []trace.Message{user(text)} })
		}
	}
	turn := func(opts ...func(*trace.Step)) []*trace.Step {
		return []*trace.Step{
			span(trace.KindLLM, "turn", "", 0, 50, append(opts, given("q"), out(ai("a")))...),
			span(trace.KindRetriever, "r", "turn", 5, 10, guess),
			span(trace.KindLLM, "call", "turn", 20, 30, guess, model("m"), usage(10, 5), in(user("docs q")), out(ai("a"))),
		}
	}
	tr := build(turn(guess)...)
	if s := stepOf(t, tr, "turn"); s.Kind != trace.KindWorkflow {
		t.Errorf("the turn is %v, want a workflow", s.Kind)
	}
	if s := stepOf(t, tr, "call"); s.DuplicateOf != "" || s.Usage.Input != 10 {
		t.Errorf("the call repeats %q with %d tokens", s.DuplicateOf, s.Usage.Input)
	}
	if tr.Question != "q" || tr.Answer != "a" {
		t.Errorf("question %q, answer %q", tr.Question, tr.Answer)
	}
	for name, opts := range map[string][]func(*trace.Step){"its producer says so": nil, "it names its model": {guess, model("m")}} {
		if s := stepOf(t, build(turn(opts...)...), "turn"); s.Kind != trace.KindLLM {
			t.Errorf("%s: %v, want llm", name, s.Kind)
		}
	}
}
