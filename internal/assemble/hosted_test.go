package assemble_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// within is a reply of several parts: calls that the provider ran, their results,
// and what the model said around them.
func within(parts ...trace.Part) trace.Message {
	return trace.Message{Role: trace.RoleAssistant, Parts: parts}
}

func calls(id, name, args string) trace.Part {
	return trace.Part{Type: trace.PartToolCall, ID: id, Name: name, Value: trace.RawValue(args, value.Decode)}
}

func gives(id, result string) trace.Part {
	p := trace.Part{Type: trace.PartToolResult, ID: id}
	if result != "" {
		p.Value = trace.RawValue(result, value.Decode)
	}
	return p
}

func utters(text string) trace.Part { return trace.Part{Type: trace.PartText, Text: text} }

func toolsOf(tr *trace.Trace) (list []string) {
	for _, s := range tr.Steps {
		switch {
		case s.Kind == trace.KindTool && s.Tool.Error != "":
			list = append(list, s.Tool.Name+" "+s.Tool.Arguments.Text()+" error: "+s.Tool.Error)
		case s.Kind == trace.KindTool:
			list = append(list, s.Tool.Name+" "+s.Tool.Arguments.Text()+" "+s.Tool.Result.Text()+" "+s.Capture.String())
		case s.Kind == trace.KindLLM:
			list = append(list, s.ID)
		}
	}
	return list
}

// A tool that the provider ran is a step before the words that rest on it, and
// these are the answer.
func TestToolsWithinAReply(t *testing.T) {
	failed := gives("b", "offline")
	failed.IsError = true
	tr := build(
		span(trace.KindAgent, "agent", "", 0, 100),
		span(trace.KindLLM, "llm", "agent", 1, 50, in(ask), out(within(utters("I look."), calls("a", "search", `{"q":"x"}`), gives("a", "998"), calls("b", "depots", `{}`), failed, utters("It is 998.")))),
	)
	if tr.Answer != "It is 998." || tr.AnswerStep != "llm" {
		t.Errorf("answer %q of %q, want what was said after the results", tr.Answer, tr.AnswerStep)
	}
	want := []string{`search {"q":"x"} 998 full`, `depots {} error: offline`, "llm"}
	if diff := cmp.Diff(want, toolsOf(tr)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	again, _ := assemble.Order([]*trace.Step{tr.Steps[3], tr.Steps[2], tr.Steps[1], tr.Steps[0]})
	if diff := cmp.Diff(want, toolsOf(&trace.Trace{Steps: again})); diff != "" {
		t.Errorf("steps put in order again (-want +got):\n%s", diff)
	}
}

// What the user says after such a reply is a new turn, not a result of its calls.
func TestTurnAfterToolsWithinAReply(t *testing.T) {
	first := within(calls("a", "search", `{}`), gives("a", "998"), utters("998."))
	tr := build(
		span(trace.KindLLM, "one", "", 1, 50, in(user("q1")), out(first)),
		span(trace.KindLLM, "two", "", 60, 70, in(user("q1"), first, user("q2")), out(ai("a2"))),
	)
	if tr.Question != "q2" || tr.Answer != "a2" {
		t.Errorf("question %q, answer %q, want those of the second turn", tr.Question, tr.Answer)
	}
	if diff := cmp.Diff([]string{"search {} 998 full", "one", "two"}, toolsOf(tr)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}

// The text that a provider's search found is shown to the model alone: what the
// record has is where the pages are.
func TestPagesThatOnlyTheModelSaw(t *testing.T) {
	for result, want := range map[string]string{
		`[{"type":"web_search_result","title":"T","url":"https://e.example","encrypted_content":"Eq"}]`: "partial",
		`[{"type":"url","url":"https://e.example"}]`:                                                    "partial",
		``: "partial",
		`[{"title":"T","url":"https://e.example","content":"It opens at nine."}]`: "full",
	} {
		tr := build(span(trace.KindLLM, "llm", "", 1, 50, in(ask), out(within(calls("a", "web_search", `{"q":"x"}`), gives("a", result), utters("A")))))
		if got := tr.Steps[0].Capture.String(); got != want {
			t.Errorf("%s: capture %s, want %s", result, got, want)
		}
	}
}

// A call that a person let the provider run is one call, which the reply before
// asked for.
func TestApprovedCallOfTheProvider(t *testing.T) {
	request := within(calls("a", "refund", `{}`))
	tr := build(
		span(trace.KindLLM, "one", "", 1, 10, in(ask), out(request)),
		span(trace.KindLLM, "two", "", 20, 30, in(ask, request), out(within(calls("a", "refund", `{}`), gives("a", "done"), utters("Refunded.")))),
	)
	if diff := cmp.Diff([]string{"one", "refund {} done full", "two"}, toolsOf(tr)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if tr.Answer != "Refunded." {
		t.Errorf("answer %q", tr.Answer)
	}
}
