package normalise_test

import "testing"

// What a framework throws to ask a person, or to go on elsewhere, is no failure of
// the spans that it passes; whatever else is thrown is one.
func TestPauses(t *testing.T) {
	tests := []struct {
		exception, message string
		failed             bool
	}{
		{"langgraph.errors.GraphInterrupt", "(Interrupt(value='may I?', id='i'),)", false},
		{"GraphInterrupt", "", false},
		{"langgraph.errors.ParentCommand", "Command(graph='p', goto='sales')", false},
		{"ToolInterruptError", "", false},
		{"pydantic_ai.exceptions.ApprovalRequired", "", false},
		{"acme.HumanFeedbackPending", "draft", false},
		{"acme.UserInputRequiredError", "which size?", false},
		{"", "GraphInterrupt((Interrupt(value='may I?'),))", false},
		{"KeyboardInterrupt", "", true},
		{"InterruptedError", "", true},
		{"java.lang.InterruptedException", "sleep interrupted", true},
		{"acme.InputRequiredError", "name is missing", true},
		{"acme.PaymentRequired", "402", true},
		{"", "the approval service is down", true},
		{"", "", true},
	}
	for _, tt := range tests {
		for _, kind := range []string{"TOOL", "CHAIN", "AGENT"} {
			span := aSpan("pay", "openinference.span.kind", kind, "tool.name", "pay", "input.value", `{"eur":9}`).failed(tt.message)
			if tt.exception != "" {
				span = span.event("exception", "exception.type", tt.exception, "exception.message", tt.message)
			}
			s := span.read()
			if s.Status.Failed != tt.failed {
				t.Errorf("%s %s(%s): failed %v, want %v", kind, tt.exception, tt.message, s.Status.Failed, tt.failed)
			}
			if !tt.failed && s.Tool != nil && (s.Tool.Error != "" || s.Tool.Result.Captured()) {
				t.Errorf("%s(%s): error %q, result %q", tt.exception, tt.message, s.Tool.Error, s.Tool.Result.Text())
			}
		}
	}
	// A call that failed while others were asked about has failed.
	s := aSpan("pay", "openinference.span.kind", "TOOL", "tool.name", "pay").failed("boom").
		event("exception", "exception.type", "GraphInterrupt").event("exception", "exception.type", "ValueError", "exception.message", "boom").read()
	if !s.Status.Failed {
		t.Error("a failure beside an interrupt is lost")
	}
}
