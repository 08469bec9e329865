package assemble_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func finish(reason string) func(*trace.Step) {
	return func(s *trace.Step) { s.Model.FinishReasons = []string{reason} }
}

func offered(names ...string) func(*trace.Step) {
	return func(s *trace.Step) {
		var list []any
		for _, n := range names {
			list = append(list, map[string]any{"name": n})
		}
		s.Offered = trace.DataValue(list)
	}
}

// Some APIs give a call one id in the reply and another in the history.
func TestOneCallUnderTwoIDs(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("fc_1", "search", `{"q":1}`))),
		span(trace.KindTool, "tool", "", 21, 30, tool("search", "", `{"q":1}`, "")),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, asks("call_1", "search", `{"q":1}`), told("call_1", "999")), out(ai("done"))),
	)
	if got, want := ids(tr), "llm1 tool llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if s := stepOf(t, tr, "tool"); s.CausedBy != "llm1" || s.Tool.Result.Text() != "999" {
		t.Errorf("caused by %q, result %q", s.CausedBy, s.Tool.Result.Text())
	}
}

// A sub-agent that is given the user's own words does not take the main agent's
// place in its conversation.
func TestTwoAgentsOfOneInput(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "helper", "{}"))),
		span(trace.KindTool, "helper", "", 21, 60, tool("helper", "c1", "{}", "999")),
		span(trace.KindLLM, "sub", "helper", 30, 50, in(ask), out(ai("It is 999."))),
		span(trace.KindLLM, "llm2", "", 61, 70, in(ask, asks("c1", "helper", "{}"), told("c1", "999")), out(ai("done"))),
	)
	if got, want := ids(tr), "llm1 helper sub llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if s := stepOf(t, tr, "sub"); lastText(s) != "It is 999." {
		t.Errorf("the sub-agent's reply became %q", lastText(s))
	}
	if tr.Steps[len(tr.Steps)-1].Turn != 1 {
		t.Errorf("turn %d, want 1", tr.Steps[len(tr.Steps)-1].Turn)
	}
}

func lastText(s *trace.Step) string {
	list := s.Output.List()
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].Text()
}

// A span that names a framework's class, or nothing, gets the tool's name from
// the call.
func TestToolNamedByItsCall(t *testing.T) {
	for _, name := range []string{"", "StructuredTool"} {
		tr := build(
			span(trace.KindLLM, "llm1", "", 1, 20, in(ask), offered("search"), out(asks("c1", "search", "{}"))),
			span(trace.KindTool, "tool", "", 21, 30, tool(name, "", "{}", "999")),
			span(trace.KindLLM, "llm2", "", 31, 40, in(ask, asks("c1", "search", "{}"), told("c1", "999")), out(ai("done"))),
		)
		if name == "" {
			if got, want := ids(tr), "llm1 tool llm2"; got != want {
				t.Errorf("steps = %s, want %s", got, want)
			}
		}
		if s := stepOf(t, tr, "tool"); name == "" && s.Tool.Name != "search" {
			t.Errorf("tool %q is named %q, want search", name, s.Tool.Name)
		}
	}
	tr := build( // without arguments to compare, order and the offer decide
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), offered("search"), out(asks("c1", "search", `{"q":1}`))),
		span(trace.KindTool, "tool", "", 21, 30, tool("StructuredTool", "", "", "999")),
	)
	if s := stepOf(t, tr, "tool"); s.Tool.Name != "search" || s.Tool.Arguments.Text() != `{"q":1}` || s.CausedBy != "llm1" {
		t.Errorf("named %q, arguments %q, caused by %q", s.Tool.Name, s.Tool.Arguments.Text(), s.CausedBy)
	}
}

// An argument without its name is the call's only one.
func TestBareArgument(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "search", `{"query":"price"}`))),
		span(trace.KindTool, "tool", "", 21, 30, tool("search", "", "price", "999")),
	)
	if s := stepOf(t, tr, "tool"); s.Tool.Arguments.Text() != `{"query":"price"}` {
		t.Errorf("arguments %q", s.Tool.Arguments.Text())
	}
}

func TestHandoffIsCausedByItsCall(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), out(asks("c1", "transfer_to_price_desk", "{}"))),
		span(trace.KindHandoff, "handoff", "", 21, 22, tool("handoff to price desk", "", "", "")),
		span(trace.KindLLM, "llm2", "", 31, 40, in(system("other"), ask, asks("c1", "transfer_to_price_desk", "{}"), told("c1", "ok")), out(ai("999."))),
	)
	if got, want := ids(tr), "llm1 handoff llm2"; got != want {
		t.Errorf("steps = %s, want %s", got, want)
	}
	if s := stepOf(t, tr, "handoff"); s.CausedBy != "llm1" {
		t.Errorf("caused by %q, want llm1", s.CausedBy)
	}
	if tr.Answer != "999." {
		t.Errorf("answer %q", tr.Answer)
	}
}

// A producer that writes neither calls nor roles: what follows a reply that
// ended to call tools is their results.
func TestResultsInTheUsersRole(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 1, 20, in(ask), finish("tool_call"), out(ai(""))),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, ai(""), user("{\n price: 999\n}"), user("Error: 503")), finish("stop"), out(ai("999."))),
		span(trace.KindLLM, "llm3", "", 51, 60, in(ask, ai("999."), user("sure?")), out(ai("Yes."))),
	)
	if got, want := ids(tr), "llm1 () () llm2 llm3"; got != want {
		t.Fatalf("steps = %s, want %s", got, want)
	}
	var results, errs []string
	for _, s := range tr.Steps {
		if s.Synthetic {
			results, errs = append(results, trace.EncodeJSON(s.Tool.Result.Data())), append(errs, s.Tool.Error)
		}
	}
	if results[0] != `{"price":999}` || errs[0] != "" || errs[1] == "" {
		t.Errorf("results %q, errors %q", results, errs)
	}
	if got := []int{tr.Steps[0].Turn, tr.Steps[3].Turn, tr.Steps[4].Turn}; got[0] != 1 || got[1] != 1 || got[2] != 2 {
		t.Errorf("turns %v, want 1 1 2", got)
	}
}

// A chain around one model call returns its reply, with what the call's own
// span leaves out.
func TestReplyBorrowedFromTheChain(t *testing.T) {
	full := asks("c1", "search", "{}")
	full.Parts = append([]trace.Part{{Type: trace.PartReasoning, Text: "look it up"}}, full.Parts...)
	full.Reply = &trace.Reply{Model: "gpt-4.1-mini-2025-04-14", ResponseID: "r1", Usage: trace.Usage{Input: 10, Output: 5, Reasoning: 3, Scope: trace.UsageOwn}}
	call := func(parent string) *trace.Step {
		return span(trace.KindLLM, "llm", parent, 12, 20, in(ask), out(ai("")), model("gpt-4.1-mini"), usage(10, 5),
			func(s *trace.Step) { s.Model.Request = "gpt-4.1-mini" })
	}
	for name, steps := range map[string][]*trace.Step{
		"ancestor": {span(trace.KindWorkflow, "chain", "", 10, 30, out(full)), call("chain")},
		"sibling":  {span(trace.KindWorkflow, "chain", "root", 10, 30, out(full)), call("root"), span(trace.KindWorkflow, "root", "", 0, 40)},
	} {
		t.Run(name, func(t *testing.T) {
			s := stepOf(t, build(steps...), "llm")
			if s.Model.Response != "gpt-4.1-mini-2025-04-14" || s.Model.ResponseID != "r1" || s.Usage.Reasoning != 3 || s.Reasoning() != "look it up" {
				t.Errorf("model %+v, usage %+v, reasoning %q", s.Model, s.Usage, s.Reasoning())
			}
			if list := s.Output.List(); len(list) != 1 || list[0].Parts[len(list[0].Parts)-1].Name != "search" {
				t.Errorf("output %v, want the call of search", list)
			}
		})
	}
	t.Run("not of two calls", func(t *testing.T) {
		tr := build(span(trace.KindWorkflow, "chain", "", 0, 90, out(full)), call("chain"), span(trace.KindLLM, "other", "chain", 30, 40, out(ai("x"))))
		if s := stepOf(t, tr, "llm"); s.Model.ResponseID != "" {
			t.Error("a chain around two calls gave its reply to one of them")
		}
	})
	t.Run("not another reply", func(t *testing.T) {
		other := span(trace.KindLLM, "llm", "chain", 12, 20, out(ai("something else")))
		if s := stepOf(t, build(span(trace.KindWorkflow, "chain", "", 0, 90, out(full)), other), "llm"); s.Model.ResponseID != "" {
			t.Error("a chain that returned something else gave its reply")
		}
	})
}

// Every span of other projects' tests is assembled, in any order, to a sound
// trace.
func TestFixturesAreSound(t *testing.T) {
	dir := os.Getenv("TRACEGRADE_FIXTURES")
	if dir == "" {
		t.Skip("TRACEGRADE_FIXTURES is not set: the spans of other projects are not tried")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil || len(files) < 100 {
		t.Fatalf("%d fixtures, %v", len(files), err)
	}
	base, err := filepath.Abs(tracesDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		rel, err := filepath.Rel(base, f)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(f), func(t *testing.T) {
			traces := record(t, rel).assemble()
			for _, tr := range traces {
				sound(t, tr)
			}
		})
	}
}

// A run whose model calls nobody recorded tells itself what was asked of tools:
// the outermost one, unless an agent within does.
func TestRunThatTells(t *testing.T) {
	said := []trace.Message{ask, asks("c1", "search", `{"q":"x"}`), told("c1", "999"), ai("It costs 999.")}
	tr := build(
		span(trace.KindWorkflow, "crew", "", 0, 50, out(said...)),
		span(trace.KindWorkflow, "task", "crew", 1, 49, out(said...)),
		span(trace.KindAgent, "agent", "task", 2, 48),
	)
	if got := synthetic(tr); got != `search c1 {"q":"x"} "999" by crew` || tr.Answer != "It costs 999." {
		t.Errorf("made %q, answer %q", got, tr.Answer)
	}
	tr = build(
		span(trace.KindWorkflow, "crew", "", 0, 50, out(said...)),
		span(trace.KindAgent, "agent", "crew", 2, 48, out(said...)),
	)
	if got := synthetic(tr); got != `search c1 {"q":"x"} "999" by agent` {
		t.Errorf("made %q", got)
	}
	tr = build(
		span(trace.KindWorkflow, "crew", "", 0, 50, out(said...)),
		span(trace.KindLLM, "llm", "crew", 2, 48, in(ask), out(ai("It costs 999."))),
	)
	if got := synthetic(tr); got != "" {
		t.Errorf("made %q where a model call is recorded", got)
	}
}

// synthetic says what was made of calls and results without a span.
func synthetic(tr *trace.Trace) string {
	var list []string
	for _, s := range tr.Steps {
		if s.Synthetic {
			list = append(list, s.Tool.Name+" "+s.Tool.CallID+" "+trace.EncodeJSON(s.Tool.Arguments.Data())+" "+trace.EncodeJSON(s.Tool.Result.Data())+" by "+s.CausedBy)
		}
	}
	return strings.Join(list, "; ")
}

// A reply of which only the text was recorded asked for what the next call's
// history has beside that text. Another text is another reply.
func TestCallsBesideTheTextOfAReply(t *testing.T) {
	for _, tt := range []struct {
		name, history string
		want          int // parts of the reply
	}{{"the same text", "I look it up.", 2}, {"another text", "Something else.", 1}} {
		asked := asks("", "search", `{"q":"x"}`)
		asked.Parts = append([]trace.Part{{Type: trace.PartText, Text: tt.history}}, asked.Parts...)
		tr := build(
			span(trace.KindLLM, "llm1", "", 0, 10, in(ask), out(ai("I look it up."))),
			span(trace.KindTool, "tool", "", 11, 20, tool("search", "", `{"q":"x"}`, "9")),
			span(trace.KindLLM, "llm2", "", 21, 30, in(ask, asked, told("", "9")), out(ai("9"))),
		)
		if reply := stepOf(t, tr, "llm1").Output.List(); len(reply) != 1 || len(reply[0].Parts) != tt.want {
			t.Errorf("%s: reply %+v, want %d parts", tt.name, reply, tt.want)
		}
	}
}

// A framework that does not accept a reply asks anew, with another prompt before
// the same conversation. The calls of the first reply were not run.
func TestReplyThatWasNotAccepted(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 0, 10, in(system("be brief"), ask), out(asks("c1", "search", `{"q":"x"}`))),
		span(trace.KindLLM, "llm2", "", 11, 20, in(system("search first"), ask), out(asks("c2", "search", `{"q":"x"}`))),
		span(trace.KindLLM, "llm3", "", 31, 40, in(system("be brief"), ask, asks("c2", "search", `{"q":"x"}`), told("c2", "999")), out(ai("999"))),
	)
	var got []string
	for _, s := range tr.Steps {
		if s.Kind == trace.KindTool {
			got = append(got, s.Tool.CallID+" by "+s.CausedBy)
		}
	}
	if diff := cmp.Diff([]string{"c2 by llm2"}, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// Where replies with calls are not recorded, the history tells them, also where it
// has each of the calls of one reply in a message of its own, beside its result.
func TestReplyToldCallByCall(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "llm1", "", 0, 10, in(ask)),
		span(trace.KindLLM, "llm2", "", 31, 40, in(ask, asks("c1", "search", `{"q":"x"}`), told("c1", "999"), asks("c2", "search", `{"q":"y"}`), told("c2", "998")), out(ai("999"))),
	)
	if diff := cmp.Diff("llm1 (search) (search) llm2", ids(tr)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	var got []string
	for _, m := range stepOf(t, tr, "llm1").Output.List() {
		for _, p := range m.Parts {
			got = append(got, p.ID)
		}
	}
	if diff := cmp.Diff([]string{"c1", "c2"}, got); diff != "" {
		t.Errorf("calls of the reply (-want +got):\n%s", diff)
	}
}
