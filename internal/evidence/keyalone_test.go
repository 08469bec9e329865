package evidence

import (
	"encoding/json"
	"testing"
)

// A record's number has the unit that its key or the member beside it names.
func TestUnitIsTheKeyOrBesideIt(t *testing.T) {
	for _, c := range []struct {
		result string
		want   State
	}{
		{`{"kg":3120}`, Derived},
		{`{"weight_kg":3120}`, Derived},
		{`{"Weight (kg)":3120}`, Derived},
		{`{"weight":3120,"unit":"kg"}`, Derived},
		{`{"value":3.12,"unit":"t"}`, Carried},
		{`{"price":3120,"unit":"kg"}`, Unsupported},
		{`{"cm":3120}`, Unsupported},
		{`{"all":3120}`, Unsupported},
		{`{"height":3120,"unit":"cm"}`, Unsupported},
	} {
		var r run
		err := json.Unmarshal([]byte(`{"question":"How heavy is the elephant Bibi?","answer":"Bibi weighs 3.12 tonnes.",
			"steps":[{"tool":"weigh","args":{"who":"Bibi"},"result":`+c.result+`}]}`), &r)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, l := range Build(r.built()).Links {
			if l.Place.Field == "answer" && l.Atom.Text == "3.12 tonnes" {
				found = true
				if l.State != c.want {
					t.Errorf("%s: 3.12 tonnes is %s, want %s", c.result, l.State, c.want)
				}
			}
		}
		if !found {
			t.Errorf("%s: 3.12 tonnes is no value of the answer", c.result)
		}
	}
}
