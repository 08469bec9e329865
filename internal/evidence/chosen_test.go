package evidence

import "testing"

// The times that a call was made for may be told, whatever came of it; a time that was
// only searched for in words may not, nor one that the result contradicts.
func TestTimesOfCallsAreTold(t *testing.T) {
	for _, tt := range []struct {
		arguments, result, answer, value string
		want                             State
	}{
		{`{"time":"18:45"}`, `{"ref":"TX1"}`, "The taxi comes at 18:45 (TX1).", "18:45", Carried},
		{`{"day":"2026-12-03"}`, `[]`, "You have no meetings on Thursday, 3 December.", "3 December", Carried},
		{`{"sql":"select n from v where ts > now() - interval '7 days'"}`, `[{"n":9120}]`, "There were 9,120 visits in the last 7 days.", "7 days", Carried},
		{`{"days":30}`, `{"visits":40112}`, "There were 40,112 visits in the last 30 days.", "30 days", Carried},
		{`{"days":30}`, `{"visits":40112}`, "There were 40,112 visits in the last 90 days.", "90 days", Unsupported},
		{`{"q":"film that came out on 3 March 2021"}`, `["The Mill, a film."]`, "The Mill came out on 3 March 2021.", "3 March 2021", Unsupported},
		{`{"price":777}`, `["The X200 is red."]`, "The X200 costs 777.", "777", Unsupported},
	} {
		r := run{Question: "Can you look?", Answer: tt.answer, Steps: []toolCall{{Tool: "look_up", Args: []byte(tt.arguments), Result: []byte(tt.result)}}}
		found := false
		for _, l := range Build(r.built()).Links {
			if l.Place.Field == "answer" && l.Atom.Text == tt.value {
				found = true
				if l.State != tt.want {
					t.Errorf("%s: %q is %s, want %s", tt.arguments, tt.value, l.State, tt.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: %q was not linked", tt.answer, tt.value)
		}
	}
}

// A list of rows may begin with the names of its columns.
func TestHeaderRowNamesColumns(t *testing.T) {
	for _, result := range []string{
		`[["name","units"],["Ada",120],["Bo",95],["Cy",143],["Di",110],["Ed",87]]`,
		`{"range":"A1:B6","values":[["name","units"],["Ada","120"],["Bo","95"],["Cy","143"],["Di","110"],["Ed","87"]]}`,
	} {
		for answer, want := range map[string]State{
			"The average of column B is 111 units.": Derived, // (120 + 95 + 143 + 110 + 87) / 5
			"The average of column B is 268 units.": Unsupported,
		} {
			r := run{Question: "What is the average of column B?", Answer: answer, Steps: []toolCall{{Tool: "read_sheet", Args: []byte(`{"range":"A1:B6"}`), Result: []byte(result)}}}
			links := Build(r.built()).Links
			if len(links) == 0 || links[0].State != want {
				t.Errorf("%s of %s: %+v, want %s", answer, result, links, want)
			}
		}
	}
}

// A reference is carried by the id that it is, also where that ends in 0 or is short.
func TestReferencesAreIDs(t *testing.T) {
	r := run{Question: "Which bugs are open?", Answer: "Open are #310, #1200, #20 and #370.", Steps: []toolCall{{Tool: "list_issues", Args: []byte(`{}`), Result: []byte(`{"items":[{"id":310},{"id":1200},{"id":20},{"id":37}]}`)}}}
	want := map[string]State{"310": Carried, "1200": Carried, "20": Carried, "370": Unsupported}
	for _, l := range Build(r.built()).Links {
		if w, ok := want[l.Atom.Text]; ok && l.State != w && !(w == Unsupported && l.State == Contradicted) {
			t.Errorf("#%s is %s, want %s", l.Atom.Text, l.State, w)
		}
		delete(want, l.Atom.Text)
	}
	if len(want) > 0 {
		t.Errorf("not linked: %v", want)
	}
}
