package evidence

import (
	"encoding/json"
	"slices"
	"testing"
)

// said is a value of an answer to a question, after one call, and its state.
type said struct{ question, result, answer, value, want string }

// holdStates links the answers and holds the states of their values.
func holdStates(t *testing.T, list []said) {
	t.Helper()
	for _, tt := range list {
		var r run
		line, err := json.Marshal(map[string]any{"question": tt.question, "answer": tt.answer,
			"steps": []any{map[string]any{"tool": "lookup", "args": map[string]any{}, "result": tt.result}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		l := Build(r.built())
		at := slices.IndexFunc(l.Links, func(k Link) bool { return k.Place.Field == "answer" && k.Atom.Text == tt.value })
		switch {
		case at < 0:
			t.Errorf("%s: no link for %q", tt.answer, tt.value)
		case string(l.Links[at].State) != tt.want:
			k := &l.Links[at]
			t.Errorf("%s: %s is %s (%s of %s), want %s", tt.answer, tt.value, k.State, k.How, join(k.Operands), tt.want)
		}
	}
}

const loads = `[{"load":"L-1","port":"Riga","tons":310,"sealed":true},{"load":"L-2","port":"Turku","tons":145,"sealed":false},
 {"load":"L-3","port":"Riga","tons":220,"sealed":false},{"load":"L-4","port":"Gdansk","tons":507,"sealed":true},{"load":"L-5","port":"Riga","tons":98,"sealed":true}]`

// Of a list, a sum is of all rows, or of those that the answer picks out.
func TestSumsOfPartsOfAList(t *testing.T) {
	holdStates(t, []said{
		{"How much goes to Riga?", loads, "The Riga loads come to 628 in total.", "628", "derived"},
		{"How much goes to Riga?", loads, "The Riga loads come to 530 in total.", "530", "unsupported"}, // L-5 left out
		{"How much goes to Riga?", loads, "The Riga loads come to 773 in total.", "773", "unsupported"}, // L-2 added
		{"How much is sealed?", loads, "The sealed loads total 915.", "915", "derived"},
		{"How much is sealed?", loads, "The sealed loads total 817.", "817", "unsupported"},
		{"How much is open?", loads, "The unsealed loads total 365.", "365", "derived"},
		{"How much is open?", loads, "The unsealed loads total 652.", "652", "unsupported"},
		{"How much is not sealed?", loads, "Those that are not sealed total 365.", "365", "derived"},
		{"How much is pending?", loads, "Pending loads total 365.", "365", "derived"}, // alike in what the answer has another word for
		{"How much?", loads, "All loads total 1,280.", "1,280", "derived"},
		{"How much?", loads, "Riga and Turku take 773 in total.", "773", "derived"},
		{"How much?", loads, "The two largest loads total 817.", "817", "derived"},
		{"How much?", loads, "L-1 with 310 and L-3 with 220 make 530 together.", "530", "derived"},
		{"What is the mean?", loads, "The average Riga load is 209.33.", "209.33", "derived"},
		{"What is the mean?", loads, "The average Riga load is 265.", "265", "unsupported"},
	})
}
