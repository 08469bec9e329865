package assemble_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// untimed takes the times of a step away.
func untimed(s *trace.Step) { s.Start, s.End = time.Time{}, time.Time{} }

// renamed gives steps other ids, so that the right order is not theirs by chance.
func renamed(t *rapid.T, steps []*trace.Step) []*trace.Step {
	names := map[string]string{}
	numbers := rapid.Permutation([]string{"1", "2", "3", "4", "5", "6", "7", "8"}).Draw(t, "ids")
	var list []*trace.Step
	for i, s := range steps {
		c := *s
		names[c.SpanID] = numbers[i] + c.SpanID
		c.SpanID = names[c.SpanID]
		c.ParentID = names[c.ParentID]
		list = append(list, &c)
	}
	return list
}

// given are the ids as they were before renamed.
func given(ids string) string {
	list := strings.Fields(ids)
	for i := range list {
		list[i] = strings.TrimLeft(list[i], "12345678")
	}
	return strings.Join(list, " ")
}

// Steps whose spans state no times stand in the order that their messages and
// parents tell, whatever their ids and their order of arrival.
func TestOrderWithoutTimes(t *testing.T) {
	agent, llm, toolKind := trace.KindAgent, trace.KindLLM, trace.KindTool
	question := user("how much is it?")
	call1, call2 := asks("c1", "search", `{"q":"a"}`), asks("c2", "fetch", `{"id":7}`)
	bare1, bare2 := asks("", "search", `{"q":"a"}`), asks("", "fetch", `{"id":7}`)
	tests := []struct {
		name  string
		steps []*trace.Step
		want  string
	}{
		{"two rounds of tools", []*trace.Step{
			span(agent, "run", "", 0, 0, untimed),
			span(llm, "first", "run", 0, 0, untimed, in(question), out(call1)),
			span(toolKind, "search", "run", 0, 0, untimed, tool("search", "c1", `{"q":"a"}`, "[7]")),
			span(llm, "second", "run", 0, 0, untimed, in(question, call1, told("c1", "[7]")), out(call2)),
			span(toolKind, "fetch", "run", 0, 0, untimed, tool("fetch", "c2", `{"id":7}`, "42")),
			span(llm, "last", "run", 0, 0, untimed, in(question, call1, told("c1", "[7]"), call2, told("c2", "42")), out(ai("42"))),
		}, "run first search second fetch last"},
		{"no call ids", []*trace.Step{
			span(agent, "run", "", 0, 0, untimed),
			span(llm, "first", "run", 0, 0, untimed, in(question), out(bare1)),
			span(toolKind, "search", "run", 0, 0, untimed, tool("search", "", `{"q":"a"}`, "[7]")),
			span(llm, "second", "run", 0, 0, untimed, in(question, bare1, told("", "[7]")), out(bare2)),
			span(toolKind, "fetch", "run", 0, 0, untimed, tool("fetch", "", "", "42")),
			span(llm, "last", "run", 0, 0, untimed, in(question, bare1, told("", "[7]"), bare2, told("", "42")), out(ai("42"))),
		}, "run first search second fetch last"},
		{"tools below the model calls that asked for them", []*trace.Step{
			span(llm, "first", "", 0, 0, untimed, in(question), out(call1)),
			span(toolKind, "search", "first", 0, 0, untimed, tool("search", "c1", `{"q":"a"}`, "[7]")),
			span(llm, "last", "", 0, 0, untimed, in(question, call1, told("c1", "[7]")), out(ai("42"))),
		}, "first search last"},
		{"a tool that is an agent", []*trace.Step{
			span(agent, "run", "", 0, 0, untimed),
			span(llm, "first", "run", 0, 0, untimed, in(question), out(call1)),
			span(toolKind, "search", "run", 0, 0, untimed, tool("search", "c1", `{"q":"a"}`, "7")),
			span(agent, "sub", "search", 0, 0, untimed, agentIs("sub")),
			span(llm, "sub1", "sub", 0, 0, untimed, in(user("a")), out(call2)),
			span(toolKind, "fetch", "sub", 0, 0, untimed, tool("fetch", "c2", `{"id":7}`, "42")),
			span(llm, "sub2", "sub", 0, 0, untimed, in(user("a"), call2, told("c2", "42")), out(ai("7"))),
			span(llm, "last", "run", 0, 0, untimed, in(question, call1, told("c1", "7")), out(ai("42"))),
		}, "run first search sub sub1 fetch sub2 last"},
		{"a tool among spans with times", []*trace.Step{
			span(agent, "run", "", 0, 100),
			span(llm, "first", "run", 10, 20, in(question), out(call1)),
			span(toolKind, "search", "run", 0, 0, untimed, tool("search", "c1", `{"q":"a"}`, "[7]")),
			span(llm, "last", "run", 50, 60, in(question, call1, told("c1", "[7]")), out(ai("42"))),
		}, "run first search last"},
		{"a model call among spans with times", []*trace.Step{
			span(agent, "run", "", 0, 100),
			span(llm, "first", "run", 10, 20, in(question), out(call1)),
			span(toolKind, "search", "run", 30, 40, tool("search", "c1", `{"q":"a"}`, "[7]")),
			span(llm, "last", "run", 0, 0, untimed, in(question, call1, told("c1", "[7]")), out(ai("42"))),
		}, "run first search last"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				tr := build(rapid.Permutation(renamed(t, tt.steps)).Draw(t, "arrival")...)
				if got := given(ids(tr)); got != tt.want {
					t.Fatalf("steps = %s, want %s", got, tt.want)
				}
				if tr.Answer != "42" {
					t.Fatalf("answer %q, want 42", tr.Answer)
				}
			})
		})
	}
}

// A trace without any time has none, though its steps have an order.
func TestNoTimeIsNoTime(t *testing.T) {
	tr := build(
		span(trace.KindLLM, "a", "", 0, 0, untimed, in(user("hi")), out(asks("c1", "search", "{}"))),
		span(trace.KindLLM, "b", "", 0, 0, untimed, in(user("hi"), asks("c1", "search", "{}"), told("c1", "7")), out(ai("7"))),
	)
	if got := ids(tr); got != "a (search) b" {
		t.Errorf("steps %s", got)
	}
	if !tr.Start.IsZero() || !tr.End.IsZero() || slices.ContainsFunc(tr.Steps, func(s *trace.Step) bool { return !s.Start.IsZero() }) {
		t.Errorf("a time that nobody stated: %v %v", tr.Start, tr.End)
	}
}

// Evidence that contradicts itself ends in some order, always the same.
func TestContradictionWithoutTimes(t *testing.T) {
	steps := []*trace.Step{
		span(trace.KindLLM, "a", "", 0, 0, untimed, in(told("c2", "1")), out(asks("c1", "x", "{}"))),
		span(trace.KindLLM, "b", "", 0, 0, untimed, in(told("c1", "1"), user("?")), out(asks("c2", "y", "{}"))),
		span(trace.KindTool, "x", "b", 0, 0, untimed, tool("x", "c1", "{}", "1")),
		span(trace.KindTool, "y", "a", 0, 0, untimed, tool("y", "c2", "{}", "1")),
	}
	want := ids(build(steps...))
	slices.Reverse(steps)
	if got := ids(build(steps...)); got != want || len(strings.Fields(want)) < 4 {
		t.Errorf("%s, and in another order of arrival %s", want, got)
	}
}

// What parents say of themselves in a circle is cut, and counted.
func TestParentCycles(t *testing.T) {
	tests := []struct {
		name   string
		steps  []*trace.Step
		cycles int
	}{
		{"its own parent", []*trace.Step{span(trace.KindAgent, "a", "a", 0, 9)}, 1},
		{"two of each other", []*trace.Step{span(trace.KindAgent, "a", "b", 0, 9), span(trace.KindLLM, "b", "a", 1, 8)}, 1},
		{"two cycles beside a root", []*trace.Step{
			span(trace.KindAgent, "root", "", 0, 9),
			span(trace.KindAgent, "a", "b", 0, 9), span(trace.KindLLM, "b", "a", 1, 8),
			span(trace.KindAgent, "c", "d", 0, 9), span(trace.KindLLM, "d", "c", 1, 8), span(trace.KindLLM, "e", "d", 1, 8),
		}, 2},
		{"none", []*trace.Step{span(trace.KindAgent, "root", "", 0, 9), span(trace.KindLLM, "a", "root", 0, 9)}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := build(tt.steps...).Release
			if r.Cycles != tt.cycles || r.Complete != (tt.cycles == 0) {
				t.Errorf("%d cycles, complete %v; want %d", r.Cycles, r.Complete, tt.cycles)
			}
		})
	}
}

// Steps that began at one time by a coarse clock stand in the order that their
// messages tell, whatever their ids and ends, and keep the times that they state.
func TestOrderOfEqualTimes(t *testing.T) {
	agent, llm, toolKind := trace.KindAgent, trace.KindLLM, trace.KindTool
	question := user("how much is it?")
	call1, call2 := asks("c1", "search", `{"q":"a"}`), asks("c2", "fetch", `{"id":7}`)
	tests := []struct {
		name  string
		steps []*trace.Step
		want  string
	}{
		{"all at once", []*trace.Step{
			span(agent, "run", "", 10, 10),
			span(llm, "first", "run", 10, 10, in(question), out(call1)),
			span(toolKind, "search", "run", 10, 10, tool("search", "c1", `{"q":"a"}`, "[7]")),
			span(llm, "second", "run", 10, 10, in(question, call1, told("c1", "[7]")), out(call2)),
			span(toolKind, "fetch", "run", 10, 10, tool("fetch", "c2", `{"id":7}`, "42")),
			span(llm, "last", "run", 10, 10, in(question, call1, told("c1", "[7]"), call2, told("c2", "42")), out(ai("42"))),
		}, "run first search second fetch last"},
		{"ends that tell another order", []*trace.Step{
			span(agent, "run", "", 10, 60),
			span(llm, "first", "run", 10, 50, in(question), out(call1)),
			span(toolKind, "search", "run", 10, 40, tool("search", "c1", `{"q":"a"}`, "[7]")),
			span(llm, "last", "run", 10, 20, in(question, call1, told("c1", "[7]")), out(ai("42"))),
		}, "run first search last"},
		{"two ticks", []*trace.Step{
			span(agent, "run", "", 10, 30),
			span(llm, "first", "run", 10, 10, in(question), out(call1)),
			span(toolKind, "search", "run", 10, 20, tool("search", "c1", `{"q":"a"}`, "[7]")),
			span(llm, "second", "run", 20, 20, in(question, call1, told("c1", "[7]")), out(call2)),
			span(toolKind, "fetch", "run", 20, 20, tool("fetch", "c2", `{"id":7}`, "42")),
			span(llm, "last", "run", 20, 30, in(question, call1, told("c1", "[7]"), call2, told("c2", "42")), out(ai("42"))),
		}, "run first search second fetch last"},
		{"a tool that is an agent, and no root", []*trace.Step{
			span(llm, "first", "", 10, 10, in(question), out(call1)),
			span(toolKind, "search", "", 10, 10, tool("search", "c1", `{"q":"a"}`, "7")),
			span(agent, "sub", "search", 10, 10, agentIs("sub")),
			span(llm, "sub1", "sub", 10, 10, in(user("a")), out(call2)),
			span(toolKind, "fetch", "sub", 10, 10, tool("fetch", "c2", `{"id":7}`, "42")),
			span(llm, "sub2", "sub", 10, 10, in(user("a"), call2, told("c2", "42")), out(ai("7"))),
			span(llm, "last", "", 10, 10, in(question, call1, told("c1", "7")), out(ai("42"))),
		}, "first search sub sub1 fetch sub2 last"},
		{"a call without a span, between", []*trace.Step{
			span(agent, "run", "", 10, 10),
			span(llm, "first", "run", 10, 10, in(question), out(call1)),
			span(llm, "last", "run", 10, 10, in(question, call1, told("c1", "[7]")), out(ai("42"))),
		}, "run first (search) last"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				list := renamed(t, tt.steps)
				tr := build(rapid.Permutation(list).Draw(t, "arrival")...)
				if got := given(ids(tr)); got != tt.want {
					t.Fatalf("steps = %s, want %s", got, tt.want)
				}
				if tr.Answer != "42" {
					t.Fatalf("answer %q, want 42", tr.Answer)
				}
				again, _ := assemble.Order(rapid.Permutation(slices.Clone(tr.Steps)).Draw(t, "stored"))
				if got := given(ids(&trace.Trace{Steps: again})); got != tt.want {
					t.Fatalf("put in order again: %s, want %s", got, tt.want)
				}
				for _, s := range append(tr.Steps, &trace.Step{Start: tr.Start, End: tr.End}) {
					if s.Start.Nanosecond()%1000 != 0 || s.End.Nanosecond()%1000 != 0 {
						t.Fatalf("%s from %v to %v, which no span states", s.Name, s.Start, s.End)
					}
				}
			})
		})
	}
}

// What recorded runs did is found in the same order when the times of their
// spans are taken away, or told by a clock that hardly moves, wherever the
// messages say enough.
func TestRecordedOrderWithoutTimes(t *testing.T) {
	// Model calls without content, or whose recorded messages have no calls; and
	// one call that was made twice, whose failure the model was told otherwise.
	silent := []string{"vercel-ai-nocontent/", "vercel-ai-truncated/", "langchain-traceloop/", "genkit/S3"}
	acted := func(t *trace.Trace) string {
		var list []string
		for _, s := range t.Steps {
			if (s.Kind == trace.KindLLM || s.Kind == trace.KindTool) && s.DuplicateOf == "" {
				list = append(list, s.Kind.String()+" "+s.ID)
			}
		}
		return strings.Join(list, ", ")
	}
	ticks := func(d time.Duration) func(*trace.Step) {
		return func(s *trace.Step) { s.Start, s.End = s.Start.Truncate(d), s.End.Truncate(d) }
	}
	clocks := []struct {
		name string
		tell func(*trace.Step)
	}{
		{"without times", untimed}, {"by the day", ticks(24 * time.Hour)}, {"by the second", ticks(time.Second)}, {"by the tenth of a second", ticks(time.Second / 10)},
	}
	checked := 0
	for _, run := range runs(t, "S[1-35-9]") { // what S4 asks for at once may be done in any order
		if slices.ContainsFunc(silent, func(p string) bool { return strings.HasPrefix(run, p) }) {
			continue
		}
		r := record(t, run+".*otlp.jsonl")
		for _, id := range r.order {
			if len(r.fragments[id]) > 0 {
				continue // records have times of their own
			}
			want := acted(build(r.steps[id]...))
			for _, clock := range clocks {
				var told []*trace.Step
				for _, s := range r.steps[id] {
					c := *s
					clock.tell(&c)
					told = append(told, &c)
				}
				checked++
				if got := acted(build(told...)); got != want {
					t.Errorf("%s, trace %s:\n%s %s\nas it was %s", run, id, clock.name, got, want)
				}
			}
		}
	}
	if checked < 400 {
		t.Errorf("only %d traces checked", checked)
	}
}
