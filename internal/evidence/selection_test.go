package evidence

import (
	"encoding/json"
	"slices"
	"testing"
)

// said is a value of an answer to a question, after one call, and its state.
type said struct{ question, result, answer, value, want string }

// holdStates links the answers and holds the states of their values; one without is
// none of the answer's values.
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
		case at < 0 && tt.want == "":
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

// A count is of all records, or of those that the clause picks out.
func TestCountsOfRecords(t *testing.T) {
	const hits = `{"hits":[{"title":"Foo"},{"title":"Bar"},{"title":"Baz"},{"title":"Qux"},{"title":"Zip"}]}`
	holdStates(t, []said{
		{"How many books are there?", hits, "I found 5 books.", "5", "derived"},
		{"How many books are there?", hits, "I found 4 books.", "4", "unsupported"},
		{"How many books are there?", `{"total_pages":1,"hits":[{"title":"Foo"},{"title":"Bar"},{"title":"Baz"},{"title":"Qux"}]}`, "I found 4 books.", "4", "derived"},
		{"How many loads go to Riga?", loads, "Riga gets 3 loads.", "3", "derived"},
		{"How many loads go to Riga?", loads, "Riga gets 2 loads.", "2", "unsupported"},
		{"How many loads go to Riga?", loads, "Riga gets 5 loads.", "5", "unsupported"},
		{"How many loads go to Riga?", loads, "Riga gets 2 sealed loads.", "2", "derived"},
		{"How many loads are there?", loads, "There are 5 loads: 3 for Riga, one for Turku and one for Gdansk.", "5", "derived"},
		{"How many loads are unsealed?", loads, "2 loads are unsealed.", "2", "derived"},
	})
}

// The explanation names what was counted or added up, and a share rests on what the
// total rests on.
func TestOperandsOfManyRecords(t *testing.T) {
	for _, tt := range []struct {
		result, answer, value, operands string
		observations                    int
	}{
		{loads, "Riga gets 3 loads.", "3", "L-1; L-3; L-5", 3},
		{`{"depths":[3.5,4.5,8.2,1.2]}`, "The mean is 4.35.", "4.35", "3.5; 4.5; 8.2; 1.2", 1},
		{loads, "L-1's 310 tons are 24.2% of the total, 1,280 tons.", "24.2%", "310 tons; 1,280 tons", 5},
	} {
		r := run{Question: "Well?", Answer: tt.answer}
		r.Steps = append(r.Steps, toolCall{Tool: "lookup", Args: json.RawMessage(`{}`), Result: json.RawMessage(tt.result)})
		l := Build(r.built())
		at := slices.IndexFunc(l.Links, func(k Link) bool { return k.Place.Field == "answer" && k.Atom.Text == tt.value })
		if at < 0 {
			t.Errorf("%s: no link for %q", tt.answer, tt.value)
			continue
		}
		if k := &l.Links[at]; join(k.Operands) != tt.operands || len(k.Observations) != tt.observations {
			t.Errorf("%s: %s is %s (%s of %s) by %d observations, want %s of %d", tt.answer, tt.value, k.State, k.How, join(k.Operands), len(k.Observations), tt.operands, tt.observations)
		}
	}
}
