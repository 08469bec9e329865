package assemble_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A step that ran the tools which a model asked for gives their results: one step
// for each call, with what it returned, though no model is told of it.
func TestResultsOfAnInvoker(t *testing.T) {
	invoker := func(s *trace.Step) { s.Hints.Tells = true }
	tr := build(
		span(trace.KindLLM, "llm", "", 0, 10, in(ask), out(asks("c1", "search", `{"q":"x"}`), asks("c2", "search", `{"q":"y"}`))),
		span(trace.KindWorkflow, "invoker", "", 11, 20, out(told("c2", "998"), told("c1", "999")), invoker),
	)
	var got []string
	for _, s := range tr.Steps {
		if s.Kind == trace.KindTool {
			got = append(got, s.Tool.CallID+" "+s.Tool.Arguments.Text()+" "+s.Tool.Result.Text()+" by "+s.CausedBy)
		}
	}
	if diff := cmp.Diff([]string{`c1 {"q":"x"} 999 by llm`, `c2 {"q":"y"} 998 by llm`}, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// A run tells at its end what the calls in it came to.
func TestResultsOfARun(t *testing.T) {
	tr := build(
		span(trace.KindAgent, "run", "", 0, 100, out(told("c2", "998")), func(s *trace.Step) { s.Hints.Tells = true }),
		span(trace.KindLLM, "llm1", "run", 1, 10, in(ask), out(asks("c1", "search", `{"q":"x"}`))),
		span(trace.KindLLM, "llm2", "run", 11, 20, in(ask, asks("c1", "search", `{"q":"x"}`), told("c1", "999")), out(asks("c2", "search", `{"q":"y"}`))),
	)
	var got []string
	for _, s := range tr.Steps {
		if s.Kind != trace.KindLLM {
			got = append(got, s.ParentID+" "+toolText(s)+" by "+s.CausedBy)
		}
	}
	if diff := cmp.Diff([]string{"  by ", `run c1 {"q":"x"} 999 by llm1`, `run c2 {"q":"y"} 998 by llm2`}, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if tr.Answer != "" {
		t.Errorf("answer %q: what a tool returned is none", tr.Answer)
	}
}

func toolText(s *trace.Step) string {
	if s.Tool == nil {
		return ""
	}
	return s.Tool.CallID + " " + s.Tool.Arguments.Text() + " " + s.Tool.Result.Text()
}

// Where a producer writes down only part of a call's tokens, what the agent above
// states is the sum; where nobody states it, the parts are all there is.
func TestPartialUsage(t *testing.T) {
	partial := func(s *trace.Step) { s.Hints.PartialUsage = true }
	calls := func() []*trace.Step {
		return []*trace.Step{
			span(trace.KindLLM, "llm1", "agent", 1, 20, in(ask), out(ai("a")), usage(10, 0), partial),
			span(trace.KindLLM, "llm2", "agent", 21, 30, in(ask), out(ai("b")), usage(12, 1), partial),
		}
	}
	stated := build(append(calls(), span(trace.KindAgent, "agent", "", 0, 100, usage(22, 40)))...)
	if want := (trace.Usage{Input: 22, Output: 40, Scope: trace.UsageOwn}); stated.Usage != want {
		t.Errorf("usage %+v, want what the agent states: %+v", stated.Usage, want)
	}
	if s := stepOf(t, stated, "llm1"); s.Usage.Scope != trace.UsageAggregate {
		t.Errorf("a call counts as %v and would be added up again", s.Usage.Scope)
	}
	silent := build(append(calls(), span(trace.KindAgent, "agent", "", 0, 100))...)
	if want := (trace.Usage{Input: 22, Output: 1, Scope: trace.UsageOwn}); silent.Usage != want {
		t.Errorf("usage %+v, want the parts: %+v", silent.Usage, want)
	}
	whole := calls()
	whole[1].Hints.PartialUsage = false
	mixed := build(append(whole, span(trace.KindAgent, "agent", "", 0, 100, usage(22, 40)))...)
	if want := (trace.Usage{Input: 22, Output: 1, Scope: trace.UsageOwn}); mixed.Usage != want {
		t.Errorf("usage %+v, want calls before sums: %+v", mixed.Usage, want)
	}
}

// The steps of a run without recorded model calls give its conversation so far:
// each call in it is one, and those of earlier turns are history.
func TestRunsThatGiveTheirConversation(t *testing.T) {
	state := out(user("q1"), asks("c1", "search", `{"q":"x"}`), told("c1", "1"), ai("a1"), user("q2"), asks("c2", "search", `{"q":"y"}`), told("c2", "2"))
	tr := build(
		span(trace.KindWorkflow, "run", "", 0, 100),
		span(trace.KindWorkflow, "s1", "run", 1, 10, out(user("q1"), asks("c1", "search", `{"q":"x"}`), told("c1", "1"), ai("a1"), user("q2"))),
		span(trace.KindWorkflow, "s2", "run", 20, 30, state),
		span(trace.KindWorkflow, "s3", "run", 31, 40, state),
	)
	var got []string
	for _, s := range tr.Steps {
		if s.Kind == trace.KindTool {
			got = append(got, s.Tool.CallID+" "+s.Tool.Result.Text())
		}
	}
	if diff := cmp.Diff([]string{"c2 2"}, got); diff != "" {
		t.Errorf("tools of the turn (-want +got):\n%s", diff)
	}
}

// What a framework writes before a question is no part of it, where the agent around
// the model call says what it was given.
func TestQuestionOfAnAgentWithin(t *testing.T) {
	for _, tt := range []struct{ given, want string }{
		{"what does it cost?", "what does it cost?"},
		{"cost", "Current task: what does it cost?"},
		{"what does it weigh?", "Current task: what does it cost?"},
	} {
		tr := build(
			span(trace.KindWorkflow, "flow", "", 0, 100, took("flow", `{"topic": "pads"}`, "")),
			span(trace.KindAgent, "agent", "flow", 1, 90, took("agent", tt.given, "It costs 999.")),
			span(trace.KindLLM, "m", "agent", 5, 20, in(user("Current task: what does it cost?")), out(ai("It costs 999."))))
		if tr.Question != tt.want {
			t.Errorf("question %q where the agent was given %q, want %q", tr.Question, tt.given, tt.want)
		}
	}
}

// What a traced function was given in place is the question, where it is the only
// text.
func TestQuestionOfATracedFunction(t *testing.T) {
	for _, tt := range []struct{ given, want string }{
		{`{"args": ["what does it cost?"], "kwargs": {}}`, "what does it cost?"},
		{`{"args": [7, "what does it cost?"], "kwargs": {}}`, "what does it cost?"},
		{`{"embedder": {"text": "what does it cost?"}, "builder": {"mode": "cost"}}`, "what does it cost?"}, // of components
		{`{"sys.query": "what does it cost?"}`, "what does it cost?"},
		{`{"args": [], "kwargs": {"question": "what does it cost?"}}`, "what does it cost?"},
		{`{"args": ["session-1", "what does it cost?"]}`, ""},
	} {
		if tr := build(span(trace.KindAgent, "agent", "", 0, 100, took("agent", tt.given, "It costs 999."))); tr.Question != tt.want {
			t.Errorf("question %q of %s, want %q", tr.Question, tt.given, tt.want)
		}
	}
}
