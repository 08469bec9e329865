package assemble_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// took sets the input and the output of a step that is no call; empty ones were
// not captured.
func took(name, input, output string) func(*trace.Step) {
	return func(s *trace.Step) {
		s.Name = name
		if input != "" {
			s.RawInput = trace.RawValue(input, value.Decode)
		}
		if output != "" {
			s.RawOutput = trace.RawValue(output, value.Decode)
		}
	}
}

// A step whose producer does not say that it is a tool is the tool of a call
// whose name and arguments it has, and of no other.
func TestStepThatAnswersACall(t *testing.T) {
	const args, result = `{"article": 7}`, `{"price": "107 EUR"}`
	tests := []struct {
		name string
		step *trace.Step
		with []*trace.Step
		want trace.Kind // of the step
	}{
		{"a workflow", span(trace.KindWorkflow, "s", "", 20, 30, took("price", args, result)), nil, trace.KindTool},
		{"of unknown kind", span(trace.KindUnknown, "s", "", 20, 30, took("price", args, result)), nil, trace.KindTool},
		{"the bare argument", span(trace.KindWorkflow, "s", "", 20, 30, took("city", "Delft", result)), nil, trace.KindTool},
		{"around another span", span(trace.KindWorkflow, "s", "", 20, 30, took("price", args, result)),
			[]*trace.Step{span(trace.KindUnknown, "x", "s", 21, 29)}, trace.KindTool},
		{"other arguments", span(trace.KindWorkflow, "s", "", 20, 30, took("price", `{"article": 8}`, result)), nil, trace.KindWorkflow},
		{"another name", span(trace.KindWorkflow, "s", "", 20, 30, took("stock", args, result)), nil, trace.KindWorkflow},
		{"arguments that were not captured", span(trace.KindWorkflow, "s", "", 20, 30, took("price", "", result)), nil, trace.KindWorkflow},
		{"before the call", span(trace.KindWorkflow, "s", "", 1, 2, took("price", args, result)), nil, trace.KindWorkflow},
		{"around the tool", span(trace.KindWorkflow, "s", "", 20, 30, took("price", args, result)),
			[]*trace.Step{span(trace.KindTool, "t", "s", 21, 29, tool("price", "c1", args, result))}, trace.KindWorkflow},
		{"around a model call", span(trace.KindWorkflow, "s", "", 20, 30, took("price", args, result)),
			[]*trace.Step{span(trace.KindUnknown, "x", "s", 21, 29), span(trace.KindLLM, "m", "x", 22, 28, out(ai("107")))}, trace.KindWorkflow},
		{"within the tool", span(trace.KindWorkflow, "s", "t", 20, 30, took("price", args, result)),
			[]*trace.Step{span(trace.KindTool, "t", "", 19, 31, tool("run", "", `{"x": 1}`, result))}, trace.KindWorkflow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ask := asks("c1", "price", args)
			ask.Parts = append(ask.Parts, asks("c2", "city", `{"name": "Delft"}`).Parts...)
			steps := append([]*trace.Step{
				span(trace.KindLLM, "m1", "", 5, 10, in(user("q")), out(ask)), tt.step,
			}, tt.with...)
			s := stepOf(t, build(steps...), "s")
			if s.Kind != tt.want {
				t.Fatalf("kind %v, want %v", s.Kind, tt.want)
			}
			if tt.want != trace.KindTool {
				return
			}
			if s.CausedBy == "" || s.Tool == nil || s.Tool.Result.Text() != result || s.RawInput.Captured() || s.RawOutput.Captured() {
				t.Errorf("caused by %q, tool %+v: want the model call and the result, as a tool's", s.CausedBy, s.Tool)
			}
		})
	}
}

// A step of which nothing is known but its name is the tool of a call of that name
// where it ran when the call was to run, beside or below the model call.
func TestStepThatFollowsACall(t *testing.T) {
	const args = `{"article": 7}`
	quiet := func(name string, id string, from, to int) *trace.Step {
		return span(trace.KindUnknown, id, "a", from, to, func(s *trace.Step) { s.Name = name })
	}
	carrier := quiet("price", "s", 20, 30)
	carrier.Hints.Transport = true
	elsewhere := quiet("price", "s", 20, 30)
	elsewhere.ParentID = "b"
	tests := []struct {
		name string
		step *trace.Step
		tool bool
	}{
		{"its name", quiet("price", "s", 20, 30), true},
		{"in other letters", quiet("Price", "s", 20, 30), true},
		{"run it", quiet("run price", "s", 20, 30), true},
		{"a tool's", quiet("tool: price", "s", 20, 30), true},
		{"executed", quiet("execute:price", "s", 20, 30), true},
		{"called", quiet("tool.price.call", "s", 20, 30), true},
		{"another name", quiet("prices", "s", 20, 30), false},
		{"a part of a name", quiet("list price", "s", 20, 30), false},
		{"while the model spoke", quiet("price", "s", 8, 9), false},
		{"what carries a call", carrier, false},
		{"of another agent", elsewhere, false},
	}
	for _, tt := range tests {
		tr := build(
			span(trace.KindAgent, "a", "", 0, 60), span(trace.KindAgent, "b", "a", 15, 40, agentIs("other")),
			span(trace.KindLLM, "m1", "a", 5, 10, in(user("q")), out(asks("c1", "price", args))), tt.step,
			span(trace.KindLLM, "m2", "a", 45, 50, in(user("q"), asks("c1", "price", args), told("c1", "107 EUR")), out(ai("107"))),
		)
		s := stepOf(t, tr, "s")
		if made := s.Kind == trace.KindTool; made != tt.tool {
			t.Errorf("%s: kind %v, want a tool: %v", tt.name, s.Kind, tt.tool)
			continue
		}
		if tt.tool && (s.Tool.Name != "price" || s.Tool.Arguments.Text() != args || s.Tool.Result.Text() != "107 EUR" || s.CausedBy == "" || len(tr.Steps) != 5) {
			t.Errorf("%s: %+v of %d steps, want what the model asked for and was told", tt.name, s.Tool, len(tr.Steps))
		}
	}
	// One that failed is a failed call, and of what nobody told the result is not known.
	for _, failure := range []string{"", "warehouse: 503"} {
		s := quiet("price", "s", 20, 30)
		if failure != "" {
			failed(failure)(s)
		}
		tr := build(span(trace.KindAgent, "a", "", 0, 60), span(trace.KindLLM, "m1", "a", 5, 10, in(user("q")), out(asks("c1", "price", args))), s)
		if s := stepOf(t, tr, "s"); s.Kind != trace.KindTool || s.Tool.Error != failure || (s.Capture == trace.CaptureFull) != (failure != "") {
			t.Errorf("failed with %q: %v, %+v, %v", failure, s.Kind, s.Tool, s.Capture)
		}
	}
}

// A step of any name that carries the call's arguments under keys that nobody knows
// is the tool, and what else it carries is what it gave, if that is one value.
func TestStepThatCarriesACall(t *testing.T) {
	const args = `{"article": 7}`
	tests := []struct {
		name   string
		unread []string
		tool   bool
		result string
	}{
		{"the arguments and a result", []string{args, `{"eur": 107}`}, true, `{"eur": 107}`},
		{"in another order", []string{`{"eur": 107}`, "price", `{"article":7}`}, true, `{"eur": 107}`},
		{"a text beside names", []string{"price", args, "c1", "107 EUR each", "OK"}, true, "107 EUR each"},
		{"two that may be it", []string{args, `{"eur": 107}`, `{"took": 3}`}, true, ""},
		{"the arguments alone", []string{args}, true, ""},
		{"other arguments", []string{`{"article": 8}`, `{"eur": 107}`}, false, ""},
		{"nothing", nil, false, ""},
	}
	for _, tt := range tests {
		tr := build(span(trace.KindAgent, "a", "", 0, 60),
			span(trace.KindLLM, "m1", "a", 5, 10, in(user("q")), out(asks("c1", "price", args))),
			span(trace.KindUnknown, "s", "a", 20, 30, func(s *trace.Step) {
				s.Name = "SkillRunner"
				for _, text := range tt.unread {
					s.Hints.Unread = append(s.Hints.Unread, trace.RawValue(text, value.Decode))
				}
			}),
			span(trace.KindLLM, "m2", "a", 45, 50, out(ai("107"))))
		s := stepOf(t, tr, "s")
		if made := s.Kind == trace.KindTool; made != tt.tool {
			t.Errorf("%s: kind %v, want a tool: %v", tt.name, s.Kind, tt.tool)
			continue
		}
		if tt.tool && (s.Tool.Name != "price" || s.Tool.Result.Text() != tt.result || s.Hints.Unread != nil || (s.Capture == trace.CaptureOff) != (tt.result == "")) {
			t.Errorf("%s: %+v, capture %v, want the result %q", tt.name, s.Tool, s.Capture, tt.result)
		}
	}
}

// The failure of such a step is the tool's, whether its status says it or its result.
func TestFailureOfAStepThatAnswersACall(t *testing.T) {
	for name, step := range map[string]*trace.Step{
		"status": span(trace.KindWorkflow, "s", "", 20, 30, took("price", "{}", ""), failed("boom 503")),
		"result": span(trace.KindWorkflow, "s", "", 20, 30, took("price", "{}", `{"isError": true, "content": [{"type": "text", "text": "boom 503"}]}`)),
	} {
		s := stepOf(t, build(span(trace.KindLLM, "m1", "", 5, 10, in(user("q")), out(asks("c1", "price", "{}"))), step), "s")
		if s.Kind != trace.KindTool || !s.Status.Failed || s.Tool.Error != "boom 503" {
			t.Errorf("%s: kind %v, status %+v, tool %+v: want a tool that failed with boom 503", name, s.Kind, s.Status, s.Tool)
		}
	}
}

// A call that a person refused is one that did not run, whoever tells of it.
func TestRefusedCall(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "ask", "", 0, 10, in(user("order it")), out(asks("c", "order", `{}`))),
		span(trace.KindLLM, "say", "", 20, 30, in(user("order it"), asks("c", "order", `{}`), told("c", "User rejected the tool call for order")), out(ai("I ordered it."))),
	)
	for _, s := range tr.Steps {
		if s.Kind == trace.KindTool && (!s.Status.Failed || s.Status.ErrorType != trace.Refused) {
			t.Errorf("status %+v, want a failure of type %q", s.Status, trace.Refused)
		}
	}
	if len(tr.Steps) != 3 {
		t.Errorf("%d steps, want the two model calls and the call", len(tr.Steps))
	}
}

// A run that goes on when a person answered is given the call; the model is told
// only of what came of it.
func TestCallOfAnEarlierRun(t *testing.T) {
	given := asks("c", "order", `{"n":1}`)
	given.Role = trace.RoleUser
	tr := build(
		span(trace.KindAgent, "run", "", 0, 40, in(given), out(ai("As you like."))),
		span(trace.KindLLM, "say", "run", 20, 30, in(told("c", "Tool call was rejected by the user")), out(ai("As you like."))),
	)
	for _, s := range tr.Steps {
		if s.Kind == trace.KindTool && (s.Tool.Name != "order" || s.Tool.Arguments.Text() != `{"n":1}` || s.Status.ErrorType != trace.Refused) {
			t.Errorf("tool %+v, status %+v, want the refused order", s.Tool, s.Status)
		}
	}
	if len(tr.Steps) != 3 {
		t.Errorf("%d steps, want the run, its model call and the call", len(tr.Steps))
	}
}

// What the provider ran itself is answered within the reply, which is the answer.
func TestAnswerBesideHostedCalls(t *testing.T) {
	reply := asks("c", "search", `{"q":"x"}`)
	reply.Parts = append(reply.Parts, told("c", "found").Parts...)
	reply.Parts = append(reply.Parts, ai("It is there.").Parts...)
	if tr := build(span(trace.KindLLM, "ask", "", 0, 10, in(user("where?")), out(reply))); tr.Answer != "It is there." || len(tr.Steps) != 2 {
		t.Errorf("answer %q of %d steps, want the text after the result, and the call", tr.Answer, len(tr.Steps))
	}
}

// An error that comes without a call's id is of the call whose arguments it names.
func TestErrorOfTheCallItNames(t *testing.T) {
	calls := func() trace.Message {
		m := asks("c1", "ferry", `{"route":"Luma"}`)
		m.Parts = append(m.Parts, asks("c2", "ferry", `{"route":"Rota"}`).Parts...)
		return m
	}
	tr := build(
		span(trace.KindLLM, "ask", "", 0, 10, in(user("q")), out(calls())),
		span(trace.KindTool, "luma", "", 11, 14, tool("ferry", "", `{"route":"Luma"}`, "07:40")),
		span(trace.KindTool, "rota", "", 11, 14, tool("ferry", "", `{"route":"Rota"}`, ""), failed("no timetable")),
		span(trace.KindLLM, "say", "", 20, 30, in(user("q"), calls(), toldError("", "ferry with {'route': 'Rota'}: no timetable")), out(ai("07:40"))),
	)
	if s := stepOf(t, tr, "luma"); s.Status.Failed {
		t.Errorf("the call for Luma failed: %s", s.Tool.Error)
	}
	if s := stepOf(t, tr, "rota"); !s.Status.Failed {
		t.Error("the call for Rota did not fail")
	}
}

// What was said before the user's last words is no answer to them, though the
// state that a run returns ends with it.
func TestWaitingRunHasNoAnswer(t *testing.T) {
	before := []trace.Message{user("how heavy?"), ai("8 kg"), user("cancel it")}
	tr := build(
		span(trace.KindWorkflow, "run", "", 0, 50, out(before[:2]...)),
		span(trace.KindLLM, "ask", "run", 10, 20, in(before...), out(asks("c", "cancel", `{}`))),
	)
	if tr.Answer != "" || tr.Question != "cancel it" {
		t.Errorf("question %q, answer %q, want no answer", tr.Question, tr.Answer)
	}
}
