package assemble_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// question and system prompt of the conversations below.
var (
	sys = system("be careful")
	ask = user("what does it cost?")
)

// plain is an agent that asks for one tool and answers.
func plain() []*trace.Step {
	return []*trace.Step{
		span(trace.KindAgent, "agent", "", 0, 100, agentIs("shop"), session("s1")),
		span(trace.KindLLM, "llm1", "agent", 1, 20, in(sys, ask), out(asks("c1", "search", `{"q":"x"}`)), usage(10, 2)),
		span(trace.KindTool, "tool", "agent", 21, 30, tool("search", "c1", `{"q":"x"}`, "999")),
		span(trace.KindLLM, "llm2", "agent", 31, 50, in(sys, ask, asks("c1", "search", `{"q":"x"}`), told("c1", "999")), out(ai("It costs 999.")), usage(20, 5)),
	}
}

func TestPlainAgent(t *testing.T) {
	tr := build(plain()...)
	if got, want := ids(tr), "agent llm1 tool llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if got := stepOf(t, tr, "tool"); got.CausedBy != "llm1" || got.Tool.CallIDFrom != "" {
		t.Errorf("tool is caused by %q (call id %q), want llm1, stated", got.CausedBy, got.Tool.CallIDFrom)
	}
	if tr.Question != "what does it cost?" || tr.Answer != "It costs 999." || tr.AnswerStep != "llm2" {
		t.Errorf("question %q, answer %q by %q", tr.Question, tr.Answer, tr.AnswerStep)
	}
	want := trace.Usage{Input: 30, Output: 7, Scope: trace.UsageOwn}
	if diff := cmp.Diff(want, tr.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	for _, s := range tr.Steps {
		if s.Session != "s1" || s.Agent.Name != "shop" || s.Turn != 1 {
			t.Errorf("step %s: session %q, agent %q, turn %d; want s1, shop, 1", s.ID, s.Session, s.Agent.Name, s.Turn)
		}
	}
	if tr.Revision != 4 || !tr.Release.Complete || tr.Release.MissingParents != 0 {
		t.Errorf("revision %d, release %+v", tr.Revision, tr.Release)
	}
	if !tr.Start.Equal(ms(0)) || !tr.End.Equal(ms(100)) || tr.Agent.Name != "shop" || tr.Session != "s1" {
		t.Errorf("trace from %v to %v, agent %v, session %q", tr.Start, tr.End, tr.Agent, tr.Session)
	}
}

// The steps that are handed in stay as they are, so that they can be assembled
// again.
func TestArgumentsAreNotChanged(t *testing.T) {
	steps := plain()
	before := *steps[2]
	first := build(steps...)
	if steps[2].Tool != before.Tool || steps[2].CausedBy != "" || steps[0].Agent != (trace.Agent{Name: "shop"}) || steps[1].Session != "" {
		t.Error("assembling changed a step that was handed in")
	}
	if second := build(steps...); second.Digest != first.Digest {
		t.Errorf("digest %s the second time, %s the first", second.Digest, first.Digest)
	}
}

func TestCallWithoutSpan(t *testing.T) {
	steps := plain()
	tr := build(steps[0], steps[1], steps[3])
	if got, want := ids(tr), "agent llm1 (search) llm2"; got != want {
		t.Fatalf("steps = %s, want %s", got, want)
	}
	s := stepOf(t, tr, "search")
	if s.CausedBy != "llm1" || s.ParentID != "agent" || s.Tool.Arguments.Text() != `{"q":"x"}` || s.Tool.Result.Text() != "999" {
		t.Errorf("synthetic step: caused by %q, parent %q, arguments %q, result %q", s.CausedBy, s.ParentID, s.Tool.Arguments.Text(), s.Tool.Result.Text())
	}
	if !s.Start.Equal(ms(20)) || !s.End.Equal(ms(31)) || s.SpanID != "" || len(s.ID) != 16 || s.Status.Failed {
		t.Errorf("synthetic step: id %q, span %q, from %v to %v, status %+v", s.ID, s.SpanID, s.Start, s.End, s.Status)
	}
}

func TestFailedCallWithoutSpan(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "search", "{}"))),
		span(trace.KindLLM, "llm2", "", 31, 50, in(ask, asks("c1", "search", "{}"), toldError("c1", "Error: 503")), out(ai("Sorry."))),
	)
	s := stepOf(t, tr, "search")
	if !s.Status.Failed || s.Status.Source != "payload" || s.Tool.Error != "Error: 503" || s.Tool.Result.Captured() || s.Capture != trace.CaptureFull {
		t.Errorf("status %+v, error %q, result %q", s.Status, s.Tool.Error, s.Tool.Result.Text())
	}
}

// A call that nobody answered, after which nothing came, did not happen.
func TestCallWithoutAnswer(t *testing.T) {
	tr := build(span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "search", "{}"))))
	if got, want := ids(tr), "llm1"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if tr.Answer != "" || tr.AnswerStep != "" {
		t.Errorf("answer %q by %q, want none", tr.Answer, tr.AnswerStep)
	}
}

// The conversation of an earlier trace makes no steps in this one.
func TestHistoryOfAnotherTrace(t *testing.T) {
	tr := build(span(trace.KindLLM, "llm", "", 1, 20,
		in(sys, ask, asks("c1", "search", "{}"), told("c1", "999"), ai("It costs 999."), user("in euros?")),
		out(ai("912."))))
	if got, want := ids(tr), "llm"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if tr.Question != "in euros?" || tr.Steps[0].Turn != 1 {
		t.Errorf("question %q, turn %d", tr.Question, tr.Steps[0].Turn)
	}
}

// A producer that makes one trace a model call records the tool's result in the
// trace after the one that asked.
func TestResultOfACallFromBefore(t *testing.T) {
	tr := build(span(trace.KindLLM, "llm", "", 1, 20,
		in(sys, ask, asks("c1", "search", "{}"), told("c1", "999")), out(ai("It costs 999."))))
	if got, want := ids(tr), "(search) llm"; got != want {
		t.Fatalf("steps = %s, want %s", got, want)
	}
	if s := stepOf(t, tr, "search"); s.CausedBy != "" || s.Tool.Result.Text() != "999" || s.Tool.Arguments.Text() != "{}" {
		t.Errorf("caused by %q, arguments %q, result %q", s.CausedBy, s.Tool.Arguments.Text(), s.Tool.Result.Text())
	}
	if tr.Question != "what does it cost?" {
		t.Errorf("question %q", tr.Question)
	}
}

func TestInferredCause(t *testing.T) {
	tests := []struct {
		name   string
		first  trace.Message
		second trace.Message
	}{
		{"no ids", asks("", "search", `{"q":1}`), asks("", "search", `{"q":2}`)},
		{"ids on one side", asks("c1", "search", `{"q":1}`), asks("c2", "search", `{"q":2}`)},
		{"same call again", asks("c1", "search", `{"q":1}`), asks("c2", "search", `{"q":1}`)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := func(m trace.Message) string { return m.Parts[0].Value.Text() }
			tr := build(
				span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(tt.first)),
				span(trace.KindTool, "tool1", "", 21, 30, tool("search", "", args(tt.first), "a")),
				span(trace.KindLLM, "llm2", "", 31, 40, in(ask, tt.first, told(tt.first.Parts[0].ID, "a")), out(tt.second)),
				span(trace.KindTool, "tool2", "", 41, 50, tool("search", "", args(tt.second), "b")),
				span(trace.KindLLM, "llm3", "", 51, 60,
					in(ask, tt.first, told(tt.first.Parts[0].ID, "a"), tt.second, told(tt.second.Parts[0].ID, "b")), out(ai("done"))),
			)
			if got, want := ids(tr), "llm1 tool1 llm2 tool2 llm3"; got != want {
				t.Fatalf("steps = %s, want %s", got, want)
			}
			for id, cause := range map[string]string{"tool1": "llm1", "tool2": "llm2"} {
				s := stepOf(t, tr, id)
				if s.CausedBy != cause || s.Tool.CallIDFrom != "inferred" {
					t.Errorf("%s: caused by %q (%q), want %q inferred", id, s.CausedBy, s.Tool.CallIDFrom, cause)
				}
			}
			if s := stepOf(t, tr, "tool2"); s.Tool.CallID != tt.second.Parts[0].ID {
				t.Errorf("tool2: call id %q, want %q", s.Tool.CallID, tt.second.Parts[0].ID)
			}
		})
	}
}

// Parallel calls of one tool are told apart by their arguments.
func TestParallelCalls(t *testing.T) {
	both := trace.Message{Role: trace.RoleAssistant, Parts: append(asks("", "search", `{"q":1}`).Parts, asks("", "search", `{"q":2}`).Parts...)}
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(both)),
		span(trace.KindTool, "second", "", 21, 30, tool("search", "", `{"q":2}`, "")),
		span(trace.KindTool, "first", "", 22, 30, tool("search", "", `{"q":1}`, "")),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, both, told("", "one"), told("", "two")), out(ai("done"))),
	)
	if got := stepOf(t, tr, "first").Tool.Result.Text(); got != "one" {
		t.Errorf("result of the first call = %q, want one", got)
	}
	if got := stepOf(t, tr, "second").Tool.Result.Text(); got != "two" {
		t.Errorf("result of the second call = %q, want two", got)
	}
}

// A failed tool whose span says nothing of it: the model was told.
func TestFailureLiftedFromThePrompt(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 40, in(ask), out(asks("c1", "rate", "{}"))),
		span(trace.KindTool, "tool", "llm1", 21, 30, tool("rate", "", "", "")),
		span(trace.KindLLM, "llm2", "", 41, 50, in(ask, asks("c1", "rate", "{}"), toldError("c1", "503")), out(ai("Sorry."))),
	)
	s := stepOf(t, tr, "tool")
	if s.CausedBy != "llm1" || !s.Status.Failed || s.Tool.Error != "503" || s.Tool.Arguments.Text() != "{}" {
		t.Errorf("caused by %q, status %+v, error %q, arguments %q", s.CausedBy, s.Status, s.Tool.Error, s.Tool.Arguments.Text())
	}
}

// A reply that was not recorded stands in the next call's input.
func TestReplyRepaired(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask)),
		span(trace.KindTool, "tool", "", 21, 30, tool("search", "c1", "{}", "999")),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, asks("c1", "search", "{}"), told("c1", "999")), out(ai("done"))),
	)
	if s := stepOf(t, tr, "llm1"); len(s.Output.List()) != 1 || s.Output.List()[0].Parts[0].Name != "search" {
		t.Errorf("output of llm1 = %v, want the call of search", s.Output.List())
	}
	if s := stepOf(t, tr, "tool"); s.CausedBy != "llm1" {
		t.Errorf("caused by %q, want llm1", s.CausedBy)
	}
}

// Without content, order and structure still tell who asked.
func TestCauseWithoutContent(t *testing.T) {
	tr := build(
		span(trace.KindAgent, "agent", "", 0, 100),
		span(trace.KindLLM, "llm1", "agent", 1, 20),
		span(trace.KindTool, "tool", "agent", 21, 30, tool("search", "", "", "")),
		span(trace.KindLLM, "llm2", "agent", 31, 40, func(s *trace.Step) { s.Model.FinishReasons = []string{"stop"} }),
		span(trace.KindTool, "after", "agent", 41, 50, tool("save", "", "", "")),
	)
	if s := stepOf(t, tr, "tool"); s.CausedBy != "llm1" || s.Tool.CallIDFrom != "inferred" {
		t.Errorf("tool: caused by %q (%q), want llm1 inferred", s.CausedBy, s.Tool.CallIDFrom)
	}
	if s := stepOf(t, tr, "after"); s.CausedBy != "" {
		t.Errorf("after: caused by %q, want none: the model stopped", s.CausedBy)
	}
}

// What a user message asks for within an agent's run that was given a question
// is no other question.
func TestNudgeWithinARun(t *testing.T) {
	tr := build(
		span(trace.KindAgent, "agent", "", 0, 100, func(s *trace.Step) { s.RawInput = trace.RawValue("what does it cost?", nil) }),
		span(trace.KindLLM, "llm1", "agent", 1, 10, in(sys, ask), out(ai("999"))),
		span(trace.KindLLM, "llm2", "agent", 20, 30, in(sys, ask, ai("999"), user("Answer in a sentence.")), out(ai("It costs 999."))),
	)
	if tr.Question != "what does it cost?" || tr.Answer != "It costs 999." {
		t.Errorf("question %q, answer %q", tr.Question, tr.Answer)
	}
}

// Calls of one reply that ran at the same time stand in the order of asking,
// whichever ended first.
func TestParallelCallsKeepTheOrderOfAsking(t *testing.T) {
	calls := trace.Message{Role: trace.RoleAssistant}
	for _, id := range []string{"c1", "c2", "c3"} {
		calls.Parts = append(calls.Parts, asks(id, "search", `{"q":"`+id+`"}`).Parts...)
	}
	tr := build(
		span(trace.KindLLM, "llm", "", 0, 10, in(sys, ask), out(calls)),
		span(trace.KindTool, "third", "", 20, 21, tool("search", "c3", `{"q":"c3"}`, "3")),
		span(trace.KindTool, "first", "", 20, 40, tool("search", "c1", `{"q":"c1"}`, "1")),
		span(trace.KindTool, "second", "", 20, 30, tool("search", "c2", `{"q":"c2"}`, "2")),
		span(trace.KindTool, "other", "", 20, 25, tool("other", "c9", "{}", "9")),
	)
	if got := ids(tr); got != "llm other first second third" {
		t.Errorf("order %q, want the calls in the order of asking", got)
	}
}

func TestTurns(t *testing.T) {
	tr := build(
		span(trace.KindWorkflow, "root", "", 0, 100),
		span(trace.KindAgent, "turn1", "root", 1, 40),
		span(trace.KindLLM, "llm1", "turn1", 2, 10, in(sys, ask), out(asks("c1", "search", "{}"))),
		span(trace.KindTool, "tool", "turn1", 11, 12, tool("search", "c1", "{}", "999")),
		span(trace.KindLLM, "llm2", "turn1", 13, 20, in(sys, ask, asks("c1", "search", "{}"), told("c1", "999")), out(ai("999."))),
		span(trace.KindAgent, "turn2", "root", 50, 90),
		span(trace.KindLLM, "llm3", "turn2", 51, 60, in(sys, ask, asks("c1", "search", "{}"), told("c1", "999"), ai("999."), user("sure?")), out(ai("Yes."))),
	)
	want := map[string]int{"root": 1, "turn1": 1, "llm1": 1, "tool": 1, "llm2": 1, "turn2": 2, "llm3": 2}
	for _, s := range tr.Steps {
		if s.Turn != want[s.ID] {
			t.Errorf("turn of %s = %d, want %d", s.ID, s.Turn, want[s.ID])
		}
	}
	// The question is the one that was answered.
	if tr.Question != "sure?" || tr.Answer != "Yes." {
		t.Errorf("question %q, answer %q", tr.Question, tr.Answer)
	}
}
