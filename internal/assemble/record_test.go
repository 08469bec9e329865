package assemble_test

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Log records that have neither the span nor the id of what they tell of belong
// to what it was: words to the last call before them, a tool's call to that of
// the same arguments that ended next to it.
func TestRecordsWithoutIDs(t *testing.T) {
	record := func(number uint64, kind trace.Kind, from, to int, set ...func(*trace.Step)) *trace.Fragment {
		return fragment(number, "agent", to, func(f *trace.Fragment) {
			f.Step = &trace.Step{TraceID: traceID, Kind: kind, KindSource: "log", Start: ms(from), End: ms(to)}
			for _, s := range set {
				s(f.Step)
			}
		})
	}
	agent := span(trace.KindAgent, "agent", "", 0, 99)
	t.Run("words", func(t *testing.T) {
		tr := buildWith([]*trace.Step{agent,
			span(trace.KindLLM, "llm1", "agent", 1, 20, model("m"), usage(10, 2)), span(trace.KindLLM, "small", "agent", 19, 22, model("n"), usage(1, 1)),
			span(trace.KindLLM, "llm2", "agent", 30, 40, model("m"), usage(20, 3))},
			record(1, trace.KindLLM, 21, 21, model("m"), out(ai("I look."))), record(2, trace.KindLLM, 41, 41, model("m"), out(ai("Done."))))
		if got, want := ids(tr), "agent llm1 small llm2"; got != want || tr.Answer != "Done." {
			t.Errorf("steps %s, answer %q; want %s", got, tr.Answer, want)
		}
		if s := stepOf(t, tr, "llm1"); trace.LastSaid(s.Output.List(), trace.RoleAssistant) != "I look." {
			t.Errorf("llm1 said %q", texts(s.Output.List()))
		}
	})
	t.Run("calls of tools", func(t *testing.T) {
		tr := buildWith([]*trace.Step{agent,
			span(trace.KindTool, "t1", "agent", 10, 20, tool("read", "c1", `{"path":"a"}`, "x")), span(trace.KindTool, "t2", "agent", 40, 50, tool("read", "c2", `{"path":"a"}`, "x"))},
			record(1, trace.KindTool, 12, 21, tool("read", "", `{ "path": "a" }`, "")), record(2, trace.KindTool, 41, 51, tool("read", "", `{"path":"a"}`, ""), failed("gone")),
			record(3, trace.KindTool, 60, 61, tool("read", "", `{"path":"b"}`, "")))
		if s := stepOf(t, tr, "t1"); s.Status.Failed {
			t.Error("t1 failed")
		}
		if s := stepOf(t, tr, "t2"); !s.Status.Failed {
			t.Error("t2 did not fail")
		}
		own := 0
		for _, s := range tr.Steps {
			if s.Kind == trace.KindTool && s.DuplicateOf == "" {
				own++
			}
		}
		if own != 3 {
			t.Errorf("%d calls, want the two and that of another file", own)
		}
	})
}

// A reply of which only the words were recorded, and which stopped for a tool,
// asked for the call after it. What its model was told of a failure is the
// result where the span has but a word for it.
func TestCallsThatAReplyDoesNotHave(t *testing.T) {
	tr := buildWith([]*trace.Step{
		span(trace.KindAgent, "agent", "", 0, 99),
		span(trace.KindLLM, "llm1", "agent", 1, 20, in(ask), out(ai("I look.")), finish("tool_call")),
		span(trace.KindTool, "t1", "agent", 21, 30, tool("bash", "c1", `{"command":"cat a"}`, ""), failed("Shell command failed")),
		span(trace.KindLLM, "llm2", "agent", 31, 40, in(told("c1", "Exit code 1\ncat: a: No such file")), out(ai("There is none.")), finish("stop")),
		span(trace.KindTool, "t2", "agent", 41, 50, tool("bash", "c2", `{"command":"ls"}`, "x")),
	})
	s := stepOf(t, tr, "t1")
	if s.CausedBy != "llm1" || s.Tool.Error != "Shell command failed" || s.Tool.Result.Text() != "Exit code 1\ncat: a: No such file" {
		t.Errorf("caused by %q, error %q, result %q", s.CausedBy, s.Tool.Error, s.Tool.Result.Text())
	}
	if s := stepOf(t, tr, "t2"); s.CausedBy != "" {
		t.Errorf("caused by %q, which stopped", s.CausedBy)
	}
}
