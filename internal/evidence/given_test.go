package evidence

import "testing"

// What was given stays given when a tool echoes it; what only a tool says is not.
func TestGave(t *testing.T) {
	r := run{Question: "Please cancel order 66121 of Marta Kline.", Answer: "Done.", Steps: []toolCall{
		{Tool: "get_order", Args: []byte(`{"id":66121}`), Result: []byte(`{"id":66121,"customer":"Marta Kline","invoice":"INV-778"}`)},
		{Tool: "cancel_order", Args: []byte(`{"id":66121,"customer":"Marta Kline","invoice":"INV-778"}`), Result: []byte(`{"state":"cancelled"}`)},
	}}
	tr := r.built()
	l := Build(tr)
	want := map[string]bool{"66121": true, "Marta Kline": true, "INV-778": false}
	seen := map[string]bool{}
	for i := range l.Links {
		k := &l.Links[i]
		if k.Place.Field == "answer" || len(k.Observations) == 0 { // the first call's
			continue
		}
		seen[k.Atom.Text] = true
		if got := l.Gave(k); got != want[k.Atom.Text] {
			t.Errorf("Gave(%s) = %v, want %v", k.Atom.Text, got, want[k.Atom.Text])
		}
	}
	if len(seen) != len(want) {
		t.Errorf("linked %v, want the values of %v", seen, want)
	}
}
