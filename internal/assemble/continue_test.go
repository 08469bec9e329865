package assemble_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// A call that sends or records only what is new was given the whole conversation,
// and what is new of it stays new.
func TestInputsThatGoOn(t *testing.T) {
	after := func(base string, dropped int) func(*trace.Step) {
		return func(s *trace.Step) { s.Hints.Continues, s.Hints.Dropped = base, dropped }
	}
	tests := []struct {
		name   string
		second []func(*trace.Step)
		want   string // what the second call was given
	}{
		{"after a reply", []func(*trace.Step){after("r1", 0), in(told("c1", "999"))}, "system: be brief | user: what does it cost? | assistant:  | tool: "},
		{"with another system prompt", []func(*trace.Step){after("r1", 0), in(system("be kind"), told("c1", "999"))}, "system: be kind | user: what does it cost? | assistant:  | tool: "},
		{"that was recorded whole", []func(*trace.Step){after("r1", 0), in(system("be brief"), ask, asks("c1", "search", "{}"), told("c1", "999"))}, "system: be brief | user: what does it cost? | assistant:  | tool: "},
		{"after a span", []func(*trace.Step){after("llm1", 0), in(asks("c1", "search", "{}"), told("c1", "999"))}, "system: be brief | user: what does it cost? | assistant:  | tool: "},
		{"after a span, without its last message", []func(*trace.Step){after("llm1", 1), in(user("how much?"))}, "system: be brief | user: how much?"},
		{"after a reply that is not here", []func(*trace.Step){after("r0", 0), in(told("c1", "999"))}, "tool: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := build(
				span(trace.KindLLM, "llm1", "", 0, 10, in(system("be brief"), ask), out(asks("c1", "search", "{}")), reply("r1")),
				span(trace.KindLLM, "llm2", "", 21, 30, append(tt.second, out(ai("It costs 999.")))...),
			)
			var got []string
			for _, m := range stepOf(t, tr, "llm2").Input.List() {
				got = append(got, string(m.Role)+": "+m.Text())
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " | ")); diff != "" {
				t.Errorf("input (-want +got):\n%s", diff)
			}
			if strings.Contains(tt.want, "assistant") && ids(tr) != "llm1 (search) llm2" {
				t.Errorf("steps %s, want the tool that was asked for once", ids(tr))
			}
		})
	}
}
