package assemble_test

import (
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// What looks like a repetition and is none, and the other way round.
func TestNearDuplicates(t *testing.T) {
	llm, toolKind := trace.KindLLM, trace.KindTool
	yes := out(ai("yes"))
	tests := []struct {
		name  string
		steps []*trace.Step
		want  string
	}{
		{"two calls, each recorded by two producers", []*trace.Step{
			span(llm, "a1", "", 0, 50, yes, usage(10, 2)), span(llm, "b1", "", 1, 49, scope("sdk"), yes, usage(10, 2)),
			span(llm, "a2", "", 2, 52, yes, usage(10, 2)), span(llm, "b2", "", 3, 51, scope("sdk"), yes, usage(10, 2)),
		}, "a1 a2"},
		{"one reply of two models", []*trace.Step{
			span(llm, "a", "", 0, 50, yes, model("gpt-4.1")), span(llm, "b", "", 1, 49, scope("sdk"), yes, model("claude-sonnet-4-5")),
		}, "a b"},
		{"one reply to two questions", []*trace.Step{
			span(llm, "a", "", 0, 50, in(ask), yes), span(llm, "b", "", 1, 49, scope("sdk"), in(user("is it?")), yes, usage(3, 1)),
		}, "a b"},
		{"equal usage of two questions", []*trace.Step{
			span(llm, "a", "", 0, 50, in(ask), usage(3, 1)), span(llm, "b", "", 1, 49, scope("sdk"), in(user("is it?")), usage(3, 1)),
		}, "a b"},
		{"one reply at two times", []*trace.Step{
			span(llm, "a", "", 0, 50, yes), span(llm, "b", "", 51, 99, scope("sdk"), yes),
		}, "a b"},
		{"nested, other replies by id", []*trace.Step{
			span(llm, "outer", "", 0, 50, yes, reply("r1")), span(llm, "inner", "outer", 1, 49, scope("sdk"), reply("r2")),
		}, "outer inner"},
		{"nested, other replies by id, usage of one", []*trace.Step{
			span(llm, "outer", "", 0, 50, yes, reply("r1"), usage(1, 1)), span(llm, "inner", "outer", 1, 49, scope("sdk"), reply("r2")),
		}, "outer inner"},
		{"nested, a gateway's own ids, equal usage", []*trace.Step{
			span(llm, "outer", "", 0, 50, yes, reply("r1"), usage(10, 2)), span(llm, "inner", "outer", 1, 49, scope("sdk"), reply("r2"), usage(10, 2)),
		}, "outer"},
		{"nested, another usage", []*trace.Step{
			span(llm, "outer", "", 0, 50, yes, usage(10, 2)), span(llm, "inner", "outer", 1, 49, scope("sdk"), usage(11, 2)),
		}, "outer inner"},
		{"tools of two RPC calls", []*trace.Step{
			span(toolKind, "client", "", 0, 50, rpc("1", "client"), tool("search", "", "", "")),
			span(toolKind, "server", "client", 1, 49, rpc("2", "server"), tool("fetch", "", "", "")),
		}, "client server"},
		{"nested tools of two call ids", []*trace.Step{
			span(toolKind, "outer", "", 0, 50, tool("search", "c1", "{}", "")),
			span(toolKind, "inner", "outer", 1, 49, tool("search", "c2", "{}", "")),
		}, "outer inner"},
		{"an agent that calls itself through a model", []*trace.Step{
			span(trace.KindAgent, "outer", "", 0, 50, agentIs("x")), span(llm, "llm", "outer", 1, 49, yes),
			span(trace.KindAgent, "inner", "llm", 2, 48, agentIs("x")),
		}, "outer llm inner"},
		{"one agent recorded by its framework and its gateway", []*trace.Step{
			span(trace.KindAgent, "outer", "", 0, 50, agentIs("x")), span(trace.KindWorkflow, "http", "outer", 1, 49),
			span(trace.KindAgent, "inner", "http", 2, 48, scope("gw"), agentIs("x")),
		}, "outer http"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ids(build(tt.steps...)); got != tt.want {
				t.Errorf("steps = %s, want %s", got, tt.want)
			}
		})
	}
}

// A call whose only record of failing is within it has failed.
func TestFailureOfTheOnlyAttempt(t *testing.T) {
	tr := build(span(trace.KindLLM, "call", "", 0, 50, in(ask)), span(trace.KindLLM, "try", "call", 1, 10, scope("sdk"), failed("503")))
	if s := stepOf(t, tr, "call"); !s.Status.Failed || s.Status.Message != "503" {
		t.Errorf("status %+v, want failed with 503", s.Status)
	}
}

// An agent whose model calls are not recorded tells by its own messages what it
// did.
func TestAgentWithoutModelCalls(t *testing.T) {
	tr := build(
		span(trace.KindAgent, "agent", "", 0, 90, in(ask), out(asks("c1", "search", "{}"), told("c1", "999"), ai("It costs 999."))),
		span(trace.KindTool, "tool", "agent", 10, 20, tool("other", "", "", "")),
	)
	if got, want := ids(tr), "agent tool (search)"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if s := stepOf(t, tr, "search"); s.Tool.Result.Text() != "999" || s.CausedBy != "agent" {
		t.Errorf("result %q, caused by %q", s.Tool.Result.Text(), s.CausedBy)
	}
	if tr.Answer != "It costs 999." || tr.AnswerStep != "agent" || tr.Question != "what does it cost?" {
		t.Errorf("question %q, answer %q by %q", tr.Question, tr.Answer, tr.AnswerStep)
	}
}

// A graph's nodes that are called agents and make no model call are given, or
// return, the state of the run around them. They ask for nothing.
func TestAgentThatShowsTheStateOfARun(t *testing.T) {
	call, result := asks("c1", "search", "{}"), toldError("c1", "timeout")
	tr := build(
		span(trace.KindAgent, "run", "", 0, 100),
		span(trace.KindAgent, "before", "run", 1, 2, in(ask)),
		span(trace.KindLLM, "llm1", "run", 3, 10, in(sys, ask), out(call)),
		span(trace.KindTool, "tool", "run", 11, 12, tool("search", "c1", "{}", ""), failed("timeout")),
		span(trace.KindLLM, "llm2", "run", 13, 20, in(sys, ask, call, result), out(ai("It failed."))),
		span(trace.KindAgent, "after", "run", 21, 22, out(ask, call, result, ai("It failed."))),
	)
	if got := ids(tr); got != "run before llm1 tool llm2 after" {
		t.Errorf("steps %s, want the tool call once", got)
	}
	if s := stepOf(t, tr, "tool"); s.CausedBy != "llm1" {
		t.Errorf("tool: caused by %q, want llm1", s.CausedBy)
	}
}

// A call after which the conversation went on was made, though nothing says
// what came of it.
func TestCallWithoutResult(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "notify", `{"to":"x"}`))),
		span(trace.KindLLM, "llm2", "", 31, 50, in(ask, asks("c1", "notify", `{"to":"x"}`), user("thanks")), out(ai("Done."))),
	)
	s := stepOf(t, tr, "notify")
	if s.Tool.Arguments.Text() != `{"to":"x"}` || s.Tool.Result.Captured() || s.Capture != trace.CapturePartial || !s.End.Equal(ms(20)) {
		t.Errorf("arguments %q, result captured %t, capture %v, end %v", s.Tool.Arguments.Text(), s.Tool.Result.Captured(), s.Capture, s.End)
	}
}

// Producers that count call ids anew for every reply.
func TestCallIDsUsedAgain(t *testing.T) {
	first, second := asks("call_0", "search", `{"q":1}`), asks("call_0", "search", `{"q":2}`)
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(first)),
		span(trace.KindTool, "tool1", "", 21, 30, tool("search", "call_0", "", "")),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, first, told("call_0", "a")), out(second)),
		span(trace.KindTool, "tool2", "", 41, 50, tool("search", "call_0", "", "")),
		span(trace.KindLLM, "llm3", "", 51, 60, in(ask, first, told("call_0", "a"), second, told("call_0", "b")), out(ai("done"))),
	)
	for id, want := range map[string][3]string{"tool1": {"llm1", `{"q":1}`, "a"}, "tool2": {"llm2", `{"q":2}`, "b"}} {
		s := stepOf(t, tr, id)
		if got := [3]string{s.CausedBy, s.Tool.Arguments.Text(), s.Tool.Result.Text()}; got != want {
			t.Errorf("%s: cause, arguments, result = %q, want %q", id, got, want)
		}
	}
	if got, want := ids(tr), "llm1 tool1 llm2 tool2 llm3"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
}

// A call that is another agent's work has no step of its own beside the agent.
func TestCallOfAnAgent(t *testing.T) {
	tr := build(
		span(trace.KindAgent, "main", "", 0, 99, agentIs("main")),
		span(trace.KindLLM, "llm1", "main", 1, 20, in(ask), out(asks("c1", "researcher", "{}"))),
		span(trace.KindAgent, "helper", "main", 21, 60, agentIs("researcher")),
		span(trace.KindLLM, "llm2", "main", 61, 70, in(ask, asks("c1", "researcher", "{}"), told("c1", "999")), out(ai("999."))),
	)
	if got, want := ids(tr), "main llm1 helper llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if s := stepOf(t, tr, "helper"); s.CausedBy != "llm1" {
		t.Errorf("helper is caused by %q, want llm1", s.CausedBy)
	}
	if s := stepOf(t, tr, "main"); s.CausedBy != "" {
		t.Errorf("main is caused by %q, want nothing", s.CausedBy)
	}
}

// Tools of other names are not each other's calls because both take nothing.
func TestOtherToolWithoutArguments(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "ping", "{}"))),
		span(trace.KindTool, "pong", "", 21, 30, tool("pong", "", "{}", "x")),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, asks("c1", "ping", "{}"), told("c1", "y")), out(ai("done"))),
	)
	if got, want := ids(tr), "llm1 (ping) pong llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
}

// A span keeps the name that it states where nothing says that it is none.
func TestToolKeepsItsName(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "search", `{"q":1}`))),
		span(trace.KindTool, "tool", "", 21, 30, tool("web.lookup", "", `{"q":1}`, "x")),
	)
	if s := stepOf(t, tr, "tool"); s.Tool.Name != "web.lookup" || s.CausedBy != "llm1" {
		t.Errorf("named %q, caused by %q", s.Tool.Name, s.CausedBy)
	}
}

// A failed span's own words are its error, rather than what the model was told.
func TestErrorInTheSpansWords(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "rate", "{}"))),
		span(trace.KindTool, "tool", "", 21, 30, tool("rate", "c1", "{}", ""), failed("connection refused")),
		span(trace.KindTool, "mute", "", 22, 30, tool("rate", "c2", "{}", ""), failed("")),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, asks("c1", "rate", "{}"), told("c1", "something went wrong"), asks("c2", "rate", "{}"), told("c2", "sorry")), out(ai("done"))),
	)
	if s := stepOf(t, tr, "tool"); s.Tool.Error != "connection refused" || s.Tool.Result.Captured() {
		t.Errorf("error %q, result %q", s.Tool.Error, s.Tool.Result.Text())
	}
	if s := stepOf(t, tr, "mute"); s.Tool.Error != "sorry" {
		t.Errorf("error %q, want what the model was told", s.Tool.Error)
	}
}

// An error of a call that only the model was told is the content of the call's
// step: data as its result too, with what its message leaves out.
func TestErrorThatOnlyTheModelWasTold(t *testing.T) {
	for said, want := range map[string][2]string{
		`{"error":{"code":"SOLD_OUT","message":"1 seat left"}}`: {"1 seat left", `{"error":{"code":"SOLD_OUT","message":"1 seat left"}}`},
		"Error: sold out": {"Error: sold out", ""},
	} {
		tr := build(
			span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "book", `{"seats":2}`))),
			span(trace.KindTool, "tool", "", 21, 30, tool("book", "c1", "", ""), failed(""), func(s *trace.Step) { s.Capture = trace.CaptureOff }),
			span(trace.KindLLM, "llm2", "", 31, 40, in(ask, asks("c1", "book", `{"seats":2}`), told("c1", said)), out(ai("done"))),
		)
		s := stepOf(t, tr, "tool")
		if got := [2]string{s.Tool.Error, s.Tool.Result.Text()}; got != want || s.Capture != trace.CaptureFull {
			t.Errorf("%s: error, result %q, capture %v; want %q, full", said, got, s.Capture, want)
		}
	}
}

// A span without times began with its parent, a root without times with the
// trace.
func TestUntimedRoot(t *testing.T) {
	tr := build(
		span(trace.KindTool, "b", "root", 5, 6, tool("x", "", "", "")),
		&trace.Step{SpanID: "root", TraceID: traceID, Kind: trace.KindAgent},
		&trace.Step{SpanID: "c", TraceID: traceID, ParentID: "b", Kind: trace.KindUnknown},
	)
	if got, want := ids(tr), "root b c"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if !tr.Start.Equal(ms(5)) || !tr.End.Equal(ms(6)) {
		t.Errorf("trace from %v to %v", tr.Start, tr.End)
	}
}

// The agent's own final word stands where the model's last one is not it.
func TestAnswer(t *testing.T) {
	say := func(text string) func(*trace.Step) {
		return func(s *trace.Step) { s.RawOutput = trace.TextValue(text) }
	}
	returns := func(text string) func(*trace.Step) {
		return func(s *trace.Step) { s.RawOutput = trace.RawValue(text, value.Decode) }
	}
	tests := []struct {
		name   string
		steps  []*trace.Step
		answer string
		by     string
	}{
		{"a title is made after the answer", []*trace.Step{
			span(trace.KindAgent, "agent", "", 0, 50, say("It costs 999.")),
			span(trace.KindLLM, "llm", "agent", 1, 40, in(ask), out(ai("It costs 999."))),
			span(trace.KindLLM, "title", "", 51, 60, in(user("title?")), out(ai("Prices"))),
		}, "It costs 999.", "llm"},
		{"a stream whose text is on the agent only", []*trace.Step{
			span(trace.KindAgent, "agent", "", 0, 50, say("It costs 999.")),
			span(trace.KindLLM, "llm", "agent", 1, 40, in(ask)),
		}, "It costs 999.", "agent"},
		{"all the agent said, its answer last", []*trace.Step{
			span(trace.KindAgent, "agent", "", 0, 50, out(ai("Let me look. It costs 999."))),
			span(trace.KindLLM, "llm1", "agent", 1, 10, in(ask), out(ai("Let me look."), asks("c1", "x", "{}"))),
			span(trace.KindLLM, "llm2", "agent", 20, 30, out(ai("It costs 999."))),
		}, "It costs 999.", "llm2"},
		{"a tool's own model is not the agent", []*trace.Step{
			span(trace.KindLLM, "llm", "", 1, 10, in(ask), out(ai("It costs 999."))),
			span(trace.KindTool, "tool", "", 11, 40, tool("summarise", "", "", "")),
			span(trace.KindLLM, "inner", "tool", 20, 30, out(ai("summary"))),
		}, "It costs 999.", "llm"},
		{"a workflow that returns something else", []*trace.Step{
			span(trace.KindWorkflow, "flow", "", 0, 50, say("status: ok")),
			span(trace.KindLLM, "llm", "flow", 1, 40, in(ask), out(ai("It costs 999."))),
		}, "It costs 999.", "llm"},
		{"an answer that is data, given as a call", []*trace.Step{
			span(trace.KindAgent, "agent", "", 0, 50, returns(`{"price": 999}`)),
			span(trace.KindLLM, "llm", "agent", 1, 40, in(ask), out(asks("c1", "final_result", `{"price":999}`))),
		}, `{"price": 999}`, "llm"},
		{"an answer that is data, of a run without recorded model calls", []*trace.Step{
			span(trace.KindWorkflow, "flow", "", 0, 50, in(ask), returns(`{"price": 999}`)),
		}, `{"price": 999}`, "flow"},
		{"an answer among what such a run returned", []*trace.Step{
			span(trace.KindWorkflow, "flow", "", 0, 50, in(ask), returns(`{"answer": "It costs 999.", "sources": ["a"]}`)),
		}, "It costs 999.", "flow"},
		{"all that such a run returned", []*trace.Step{
			span(trace.KindWorkflow, "flow", "", 0, 50, in(ask), returns(`{"output": "It costs 999."}`)),
		}, "It costs 999.", "flow"},
		{"a text beside data is none", []*trace.Step{
			span(trace.KindWorkflow, "flow", "", 0, 50, in(ask), returns(`{"output": "ok", "price": 999}`)),
		}, `{"output": "ok", "price": 999}`, "flow"},
		{"the state of a run that ended while it asked", []*trace.Step{
			span(trace.KindAgent, "agent", "", 0, 50, returns(`{"turns": 1}`)),
			span(trace.KindLLM, "llm", "agent", 1, 40, in(ask), out(asks("c1", "find", `{"q":"pad"}`))),
		}, "", ""},
		{"a run that ended while it asked", []*trace.Step{
			span(trace.KindLLM, "llm1", "", 1, 10, in(ask), out(ai("It costs 999."))),
			span(trace.KindLLM, "llm2", "", 20, 30, in(ask, ai("It costs 999."), user("sure?")), out(asks("c1", "x", "{}"))),
		}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := build(tt.steps...)
			if tr.Answer != tt.answer || tr.AnswerStep != tt.by {
				t.Errorf("answer %q by %q, want %q by %q", tr.Answer, tr.AnswerStep, tt.answer, tt.by)
			}
		})
	}
}

// Of several spans of one id one is read, and says that there were others; a
// span that is delivered again, or went on, says nothing.
func TestSpansOfOneID(t *testing.T) {
	llm := trace.KindLLM
	other := func(name string) func(*trace.Step) { return func(s *trace.Step) { s.Name = name } }
	pending := func(s *trace.Step) { s.Hints.Pending = true }
	for _, tt := range []struct {
		name  string
		steps []*trace.Step
		want  int
	}{
		{"delivered twice", []*trace.Step{span(llm, "a", "", 0, 9), span(llm, "a", "", 0, 9)}, 0},
		{"went on", []*trace.Step{span(llm, "a", "", 0, 5), span(llm, "a", "", 0, 9)}, 0},
		{"a placeholder", []*trace.Step{span(llm, "a", "", 3, 3, pending, other("pending")), span(llm, "a", "", 0, 9)}, 0},
		{"another name", []*trace.Step{span(llm, "a", "", 0, 9), span(llm, "a", "", 0, 9), span(llm, "a", "", 0, 9, other("b"))}, 1},
		{"another start", []*trace.Step{span(llm, "a", "", 0, 9), span(llm, "a", "", 1, 9)}, 1},
		{"another parent", []*trace.Step{span(llm, "a", "", 0, 9), span(llm, "a", "x", 0, 9)}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 2 {
				losses := build(tt.steps...).Steps[0].Losses
				if len(losses) != tt.want || tt.want > 0 && losses[0].Reason != "same_id" {
					t.Errorf("losses %v, want %d of same_id", losses, tt.want)
				}
				slices.Reverse(tt.steps)
			}
		})
	}
}

// A span without an id that names no parent is a root that arrived.
func TestRootWithoutAnID(t *testing.T) {
	root := span(trace.KindAgent, "", "", 0, 9)
	child := span(trace.KindLLM, "", "", 1, 8, out(ai("hi")))
	if r := build(root, child).Release; !r.Complete {
		t.Errorf("not complete: %+v", r)
	}
	child = span(trace.KindLLM, "", "gone", 1, 8, out(ai("hi")))
	if r := build(child).Release; r.Complete {
		t.Errorf("complete without its root: %+v", r)
	}
}
