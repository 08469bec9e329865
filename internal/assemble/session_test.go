package assemble_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// traceOf makes a trace of one id out of steps.
func traceOf(id string, steps ...*trace.Step) *trace.Trace {
	for _, s := range steps {
		s.TraceID = id
	}
	return assemble.Trace(id, steps, nil, trace.Release{Reason: trace.ReleaseEndOfInput})
}

func grouping(sessions []assemble.Session) []string {
	var list []string
	for _, s := range sessions {
		text := s.ID + ":"
		for _, t := range s.Traces {
			text += " " + t.ID
		}
		list = append(list, text)
	}
	return list
}

func TestSessions(t *testing.T) {
	first := func(opts ...func(*trace.Step)) *trace.Trace {
		return traceOf("t1", span(trace.KindLLM, "a", "", 0, 10, append(opts, in(sys, ask), out(ai("999.")))...))
	}
	second := func(opts ...func(*trace.Step)) *trace.Trace {
		return traceOf("t2", span(trace.KindLLM, "b", "", 20, 30, append(opts, in(sys, ask, ai("999."), user("sure?")), out(ai("Yes.")))...))
	}
	double := func(opts ...func(*trace.Step)) *trace.Trace {
		return traceOf("t3", span(trace.KindLLM, "c", "", 1, 9, append(opts, scope("sdk"), in(ask), out(ai("999.")))...))
	}
	of := func(service string, t *trace.Trace) *trace.Trace {
		t.Service.Name = service
		return t
	}
	tests := []struct {
		name   string
		traces []*trace.Trace
		want   []string
	}{
		{"one call, recorded twice in one service", []*trace.Trace{of("shop", first()), of("shop", double())}, []string{": t1 t3"}},
		{"equal calls of two services at one time", []*trace.Trace{of("shop", first()), of("bank", double())}, []string{": t1", ": t3"}},
		{"by id", []*trace.Trace{traceOf("x", span(trace.KindTool, "a", "", 50, 60, session("s"))), traceOf("y", span(trace.KindTool, "b", "", 0, 10, session("s"))), traceOf("z", span(trace.KindTool, "c", "", 5, 6, session("r")))}, []string{"s: y x", "r: z"}},
		{"the conversation goes on", []*trace.Trace{second(), first()}, []string{": t1 t2"}},
		{"with an id on one side", []*trace.Trace{first(), second(session("s"))}, []string{"s: t1 t2"}},
		{"with other ids", []*trace.Trace{first(session("r")), second(session("s"))}, []string{"r: t1", "s: t2"}},
		{"with other users", []*trace.Trace{first(func(s *trace.Step) { s.User = "u" }), second(func(s *trace.Step) { s.User = "v" })}, []string{": t1", ": t2"}},
		{"another reply to the same question", []*trace.Trace{
			traceOf("t1", span(trace.KindLLM, "a", "", 0, 10, in(sys, ask), out(ai("899.")))), second()}, []string{": t1", ": t2"}},
		{"only the question is the same", []*trace.Trace{first(), traceOf("t2", span(trace.KindLLM, "b", "", 20, 30, in(sys, ask), out(ai("999."))))}, []string{": t1", ": t2"}},
		{"recorded twice", []*trace.Trace{first(session("s")), double()}, []string{"s: t1 t3"}},
		{"recorded twice, ids of replies", []*trace.Trace{first(reply("r")), double(reply("r"))}, []string{": t1 t3"}},
		{"the same reply at another time", []*trace.Trace{first(), traceOf("t3", span(trace.KindLLM, "c", "", 11, 15, scope("sdk"), out(ai("999."))))}, []string{": t1", ": t3"}},
		{"a short reply to two questions at once", []*trace.Trace{first(), traceOf("t3", span(trace.KindLLM, "c", "", 1, 9, scope("sdk"), in(user("is it?")), out(ai("999."))))}, []string{": t1", ": t3"}},
		{"a reply of which nothing else is known", []*trace.Trace{first(), traceOf("t3", span(trace.KindLLM, "c", "", 1, 9, scope("sdk"), out(ai("999."))))}, []string{": t1", ": t3"}},
		{"recorded twice, without the question, by usage", []*trace.Trace{first(usage(3, 1)), traceOf("t3", span(trace.KindLLM, "c", "", 1, 9, scope("sdk"), out(ai("999.")), usage(3, 1)))}, []string{": t1 t3"}},
		{"the same reply to two users at once", []*trace.Trace{first(), traceOf("t3", span(trace.KindLLM, "c", "", 1, 9, out(ai("999."))))}, []string{": t1", ": t3"}},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, grouping(assemble.Sessions(tt.traces))); diff != "" {
				t.Errorf("sessions (-want +got):\n%s", diff)
			}
		})
	}
}

// A producer that makes a trace of every model call: the session is one
// conversation, with every tool call once.
func TestSessionTrace(t *testing.T) {
	call := asks("c1", "search", "{}")
	traces := []*trace.Trace{
		traceOf("t1", span(trace.KindLLM, "a", "", 0, 10, in(sys, ask), out(call), usage(10, 1))),
		traceOf("t2", span(trace.KindLLM, "b", "", 20, 30, in(sys, ask, call, told("c1", "999")), out(ai("999.")), usage(20, 2))),
		traceOf("t3", span(trace.KindLLM, "c", "", 40, 50, in(sys, ask, call, told("c1", "999"), ai("999."), user("sure?")), out(ai("Yes.")), usage(30, 3))),
	}
	sessions := assemble.Sessions(traces)
	if len(sessions) != 1 {
		t.Fatalf("sessions %v, want one", grouping(sessions))
	}
	tr := sessions[0].Trace()
	if got, want := ids(tr), "a (search) b c"; got != want {
		t.Fatalf("steps = %s, want %s", got, want)
	}
	if s := stepOf(t, tr, "search"); s.CausedBy != "a" || s.Tool.Result.Text() != "999" {
		t.Errorf("search: caused by %q, result %q", s.CausedBy, s.Tool.Result.Text())
	}
	var turns []int
	for _, s := range tr.Steps {
		turns = append(turns, s.Turn)
	}
	if got, want := fmt.Sprint(turns), "[1 1 1 2]"; got != want {
		t.Errorf("turns %s, want %s", got, want)
	}
	if tr.ID != "t1" || tr.Revision != 3 || tr.Usage.Input != 60 || tr.Question != "sure?" || tr.Answer != "Yes." {
		t.Errorf("trace %s: revision %d, usage %+v, question %q, answer %q", tr.ID, tr.Revision, tr.Usage, tr.Question, tr.Answer)
	}
	if again := sessions[0].Trace(); again.Digest != tr.Digest {
		t.Error("another digest the second time")
	}
}

// A client library that is instrumented too, outside of the framework's trace.
func TestSessionTraceWithDoubles(t *testing.T) {
	call := asks("c1", "search", "{}")
	traces := []*trace.Trace{
		traceOf("t1",
			span(trace.KindAgent, "agent", "", 0, 100, session("s")),
			span(trace.KindLLM, "llm1", "agent", 1, 20, in(ask), out(call), usage(10, 1)),
			span(trace.KindTool, "tool", "agent", 21, 30, tool("search", "c1", "{}", "999")),
			span(trace.KindLLM, "llm2", "agent", 31, 50, in(ask, call, told("c1", "999")), out(ai("999.")), usage(20, 2))),
		traceOf("t2", span(trace.KindLLM, "sdk1", "", 2, 19, scope("sdk"), in(ask), out(call), usage(10, 1))),
		traceOf("t3", span(trace.KindLLM, "sdk2", "", 32, 49, scope("sdk"), in(ask, call, told("c1", "999")), out(ai("999.")), usage(20, 2))),
	}
	sessions := assemble.Sessions(traces)
	if len(sessions) != 1 || sessions[0].ID != "s" {
		t.Fatalf("sessions %v, want one of id s", grouping(sessions))
	}
	tr := sessions[0].Trace()
	if got, want := ids(tr), "agent llm1 tool llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if tr.Usage.Input != 30 || tr.Usage.Output != 3 {
		t.Errorf("usage %+v, want 30 in, 3 out", tr.Usage)
	}
}

// A call that a trace of its own records again repeats the agent's, and a tool that
// ran under another trace is the one that the agent's trace has no span of; each
// step stays as its trace has it.
func TestStepsOfASession(t *testing.T) {
	ask, call := user("find 999"), asks("c1", "search", "{}")
	s := assemble.Session{Traces: []*trace.Trace{
		traceOf("t1",
			span(trace.KindAgent, "agent", "", 0, 100),
			span(trace.KindLLM, "llm1", "agent", 1, 20, in(ask), out(call)),
			span(trace.KindLLM, "llm2", "agent", 31, 50, in(ask, call, told("c1", "999")), out(ai("999.")), usage(20, 2))),
		traceOf("t2", span(trace.KindLLM, "gateway", "", 2, 19, scope("gateway"), in(ask), out(call), usage(10, 1))),
		traceOf("t3", span(trace.KindTool, "server", "", 21, 30, scope("server"), tool("search", "c1", "{}", "999"))),
	}}
	steps, total := s.Steps()
	var got []string
	for _, step := range steps {
		name := step.SpanID
		if step.Synthetic {
			name = "call"
		}
		if step.DuplicateOf != "" {
			name += "=" + step.DuplicateOf
		}
		got = append(got, name)
	}
	if want := []string{"agent", "llm1", "call=server", "llm2", "gateway=llm1", "server"}; !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
	if total.Input != 30 || total.Output != 3 || steps[1].Usage.Input != 10 {
		t.Errorf("usage %+v, of the first call %+v, want 30 in, 3 out, and 10 in", total, steps[1].Usage)
	}
	if own := s.Traces[1].Steps[0]; own.DuplicateOf != "" || s.Traces[0].Steps[1].Usage.Input != 0 {
		t.Error("the traces were written to")
	}
}

// Spans of two traces may share an id.
func TestSessionTraceWithEqualSpanIDs(t *testing.T) {
	s := assemble.Session{Traces: []*trace.Trace{
		traceOf("t1", span(trace.KindAgent, "a", "", 0, 10), span(trace.KindTool, "b", "a", 1, 2, tool("x", "", "", ""))),
		traceOf("t2", span(trace.KindAgent, "a", "", 20, 30), span(trace.KindTool, "b", "a", 21, 22, tool("y", "", "", ""))),
	}}
	tr := s.Trace()
	seen := make(map[string]bool)
	for _, step := range tr.Steps {
		if seen[step.ID] {
			t.Errorf("two steps of id %s", step.ID)
		}
		seen[step.ID] = true
	}
	if len(tr.Steps) != 4 || !tr.Release.Complete {
		t.Errorf("%d steps, release %+v", len(tr.Steps), tr.Release)
	}
}

// Traces without times are in the order of their file, whatever their ids.
func TestSessionOfTracesWithoutTimes(t *testing.T) {
	var traces []*trace.Trace
	for _, line := range []string{"10", "2", "1"} {
		traces = append(traces, &trace.Trace{ID: "a" + line, Session: "s", Source: "runs.jsonl:" + line})
	}
	var got []string
	for _, tr := range assemble.Sessions(traces)[0].Traces {
		got = append(got, tr.Source)
	}
	if want := []string{"runs.jsonl:1", "runs.jsonl:2", "runs.jsonl:10"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}
