package evidence

import (
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// The runs of forms.jsonl hold one way each in which an answer says what was
// observed, and beside the right ones the same with another figure. Each value
// is held to its state.
func TestLinksByForm(t *testing.T) {
	for _, r := range lines[run](t, "forms.jsonl") {
		l := Build(r.built())
		for _, v := range r.Values {
			at := slices.IndexFunc(l.Links, func(k Link) bool { return k.Place.Field == "answer" && k.Atom.Text == v.Text })
			if at < 0 {
				t.Errorf("%s: %s: %s is no value of the answer", r.ID, r.Answer, v.Text)
				continue
			}
			if k := &l.Links[at]; k.State != v.State {
				t.Errorf("%s: %s: %s is %s (%s %v), want %s", r.ID, r.Answer, v.Text, k.State, k.How, k.Operands, v.State)
			}
		}
	}
}

// The input of one step may hold the results of several calls: each is read with its
// tool's name, as if it were that of a step of its own.
func TestResultsInOneInput(t *testing.T) {
	said := []trace.Message{{Role: trace.RoleUser, Parts: []trace.Part{{Type: trace.PartText, Text: "Price of A1?"}}}}
	for _, r := range [][2]string{{"sub", "A1 is from 2024."}, {"price", "9.5 EUR"}, {"order", "Zoe refused"}} {
		said = append(said, trace.Message{Role: trace.RoleTool, Parts: []trace.Part{{Type: trace.PartToolResult, Name: r[0], Value: trace.RawValue(r[1], decodeJSON)}}})
	}
	l := Build(&trace.Trace{ID: "t", Question: "Price of A1?", Answer: `{"price":9.5,"note":"from 2024"}`, AnswerStep: "a", Steps: []*trace.Step{{ID: "a", Kind: trace.KindLLM, Input: trace.MessageList(said)}}})
	at := slices.IndexFunc(l.Links, func(k Link) bool { return k.Atom.Text == "9.5" })
	if at < 0 || l.Links[at].State != Carried {
		t.Errorf("links %+v, want 9.5 carried", l.Links)
	}
}
