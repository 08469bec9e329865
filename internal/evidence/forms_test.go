package evidence

import (
	"slices"
	"testing"
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
