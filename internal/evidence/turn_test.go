package evidence

import (
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// The answer of an earlier turn rests on what had been observed and given when it
// was told, and not on what the conversation says of it later.
func TestEarlierTurn(t *testing.T) {
	said := func(role trace.Role, text string) trace.Message {
		return trace.Message{Role: role, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}
	}
	model := func(id string, turn int, text string, before ...trace.Message) *trace.Step {
		return &trace.Step{ID: id, Kind: trace.KindLLM, Turn: turn, Input: trace.MessageList(before), Output: trace.MessageList([]trace.Message{said(trace.RoleAssistant, text)})}
	}
	call := func(id string, turn int, result string) *trace.Step {
		return &trace.Step{ID: id, Kind: trace.KindTool, Turn: turn, Tool: &trace.Tool{Name: "look", Result: trace.TextValue(result)}}
	}
	ask, told, again := said(trace.RoleUser, "What does crate K-204 weigh?"), said(trace.RoleAssistant, "Crate K-204 weighs 431 kg and costs $96."), said(trace.RoleUser, "And its price?")
	tr := &trace.Trace{Question: again.Text(), Answer: "It costs $96.", AnswerStep: "last", Steps: []*trace.Step{
		call("weigh", 1, "Crate K-204 weighs 341 kg."),
		model("first", 1, told.Text(), ask),
		call("price", 2, "Crate K-204 costs $96."),
		model("last", 2, "It costs $96.", ask, told, again),
	}}
	l := Build(tr)
	type key struct{ step, value string }
	want := map[key]State{{"last", "$96"}: Carried, {"first", "Crate K-204"}: Carried, {"first", "431 kg"}: Contradicted, {"first", "$96"}: Unsupported}
	for i := range l.Links {
		k := &l.Links[i]
		of := key{k.Place.StepID, k.Atom.Text}
		if state, ok := want[of]; !ok || k.Place.Field != "answer" || state != k.State {
			t.Errorf("link %s of %s, %s: %s, want %q", k.Place.Field, of.step, of.value, k.State, state)
		}
		if got, asked := l.Gave(k), of.value == "Crate K-204"; of.step == "first" && got != asked {
			t.Errorf("Gave(%s of the first answer) = %v, want %v", of.value, got, asked)
		}
		delete(want, of)
	}
	if len(want) > 0 {
		t.Errorf("not linked: %v", want)
	}
}
