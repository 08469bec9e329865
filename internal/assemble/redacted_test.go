package assemble_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A message that only stands in place of one is no question and no answer, and
// its step says so.
func TestRedactedMessages(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "a", "", 0, 10, in(user("[REDACTED]")), out(ai("Which one?"))),
		span(trace.KindLLM, "b", "", 20, 30, in(user("[REDACTED]"), ai("Which one?"), user("The second.")), out(ai("***"))),
		span(trace.KindLLM, "c", "", 40, 50, in(user("[REDACTED]"), ai("Which one?"), user("The second."), ai("***"), user("Thanks!")), out(ai("You are welcome."))),
		span(trace.KindLLM, "d", "", 60, 70, in(user("[REDACTED]"), ai("Which one?"), user("The second."), ai("***"), user("Thanks!"), ai("You are welcome."), user("Bye, [REDACTED].")), out(ai("Bye."))),
	)
	want := map[string]trace.Capture{"a": trace.CaptureRedacted, "b": trace.CaptureRedacted, "c": trace.CaptureRedacted, "d": trace.CaptureFull}
	for _, s := range tr.Steps {
		if s.Capture != want[s.SpanID] {
			t.Errorf("step %s: capture %s, want %s", s.SpanID, s.Capture, want[s.SpanID])
		}
	}
	if b := tr.Steps[1]; len(b.Losses) != 1 || b.Losses[0].Reason != "redacted" || b.Losses[0].Key != "output" {
		t.Errorf("losses of b: %v, want that its output was redacted", b.Losses)
	}
	last := build(span(trace.KindLLM, "a", "", 0, 10, in(user("[REDACTED]")), out(ai("<PERSON>"))))
	if last.Question != "" || last.Answer != "" || last.AnswerStep == "" {
		t.Errorf("question %q, answer %q of %q: want only the step that answered", last.Question, last.Answer, last.AnswerStep)
	}
}
