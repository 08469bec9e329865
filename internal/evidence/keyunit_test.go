package evidence

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// A record states most numbers without a unit, and the answer adds the one that
// the key calls for. Each case is written by hand; a value is named with the
// state that it must have.
func TestNumbersWithoutUnits(t *testing.T) {
	type values map[string]State
	for _, c := range []struct {
		name, result, answer string
		want                 values
	}{
		{"a short key", `{"temp": 4}`, "It is 4C in Oslo", values{"4C": Carried}},
		{"another number", `{"temp": 4}`, "It is 7C in Oslo", values{"7C": Contradicted}},
		{"two keys", `{"temp": 4, "wind": 12}`, "It is 4 °C, the wind blows with 12 km/h.", values{"4 °C": Carried, "12 km/h": Carried}},
		{"two keys, taken for each other", `{"temp": 4, "wind": 12}`, "It is 12 °C, the wind blows with 4 km/h.", values{"12 °C": Contradicted, "4 km/h": Contradicted}},
		{"a price is no time", `{"cost": 3, "eta": 20}`, "It takes 3 minutes.", values{"3 minutes": Contradicted}},
		{"a stock is no price", `{"stock": 25, "price": 40}`, "It sells for $25.", values{"$25": Contradicted}},
		{"a price", `{"stock": 25, "price": 40}`, "It sells for $40.", values{"$40": Carried}},
		{"negative", `{"temp": -3}`, "It is minus 3°C.", values{"minus 3°C": Carried}},
		{"rounded", `{"temp": 3.6}`, "It is about 4°C.", values{"4°C": Derived}},
		{"rounded in a unit that is not its dimension's base", `{"distance": 463}`, "They lie about 460 km apart.", values{"460 km": Derived}},
		{"a list under a key", `{"temps": [4, 6, 9]}`, "Expect 4°C, 6°C and 9°C.", values{"4°C": Carried, "6°C": Carried, "9°C": Carried}},
		{"columns", `{"daily": {"time": ["2026-03-04"], "temperature_2m_max": [6.3]}}`, "The high is 6.3°C.", values{"6.3°C": Carried}},
		{"nothing but the number", `4`, "It is 4°C in Oslo.", values{"4°C": Carried}},
		{"an envelope", `{"result": 4}`, "It is 4°C in Oslo.", values{"4°C": Carried}},
		{"the unit in a member", `{"temperature": {"value": 4, "unit": "celsius"}}`, "It is 39°F.", values{"39°F": Derived}},
		{"each with its unit", `{"temp": {"value": 11, "unit": "C"}, "wind": {"value": 20, "unit": "km/h"}}`, "The wind blows with 12 mph at 51.8°F.", values{"12 mph": Derived, "51.8°F": Derived}},
		{"a fraction", `{"conversion_rate": 0.137}`, "The conversion rate is 13.7%.", values{"13.7%": Derived}},
		{"a fall", `{"price": 182.63, "change": -1.27, "change_percent": -0.69}`, "The price is $182.63, down $1.27 (0.69%).", values{"$182.63": Carried, "$1.27": Carried, "0.69%": Carried}},
		{"no fall", `{"price": 182.63, "change": -1.27}`, "The price is $182.63, up $1.27.", values{"$1.27": Unsupported}},
		{"lines", "Temperature: 4\nWind: 12", "It is 4°C with 12 km/h of wind.", values{"4°C": Carried, "12 km/h": Carried}},
		{"degrees between temperatures", `{"here": {"temp": 4}, "there": {"temp": 17}}`, "It is 4°C here and 17°C there, 13 degrees warmer.", values{"13 degrees": Derived}},
		{"Chinese", `{"温度": 26}`, "今天26摄氏度。", values{"26摄氏度": Carried}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, _ := json.Marshal(c.result)
			line := `{"question": "Well?", "steps": [{"tool": "lookup", "args": {}, "result": ` + string(text) + `}]}`
			var r run
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			r.Answer = c.answer
			l := Build(r.built())
			for value, want := range c.want {
				at := slices.IndexFunc(l.Links, func(k Link) bool { return k.Place.Field == "answer" && strings.EqualFold(k.Atom.Text, value) })
				if at < 0 {
					t.Errorf("%q is no value of the answer", value)
				} else if got := l.Links[at]; got.State != want {
					t.Errorf("%s is %s (%s of %v), want %s", value, got.State, got.How, got.Operands, want)
				}
			}
		})
	}
}

// What a call asked for says what its result is about.
func TestResultIsReadWithItsCall(t *testing.T) {
	var r run
	if err := json.Unmarshal([]byte(`{"question": "How warm is it?", "answer": "Oslo has 4 goals and Rome has 9 goals.", "steps": [
		{"tool": "count", "args": {"team": "Oslo"}, "result": "{\"n\": 4}"}, {"tool": "count", "args": {"team": "Rome"}, "result": "{\"n\": 7}"}]}`), &r); err != nil {
		t.Fatal(err)
	}
	got := map[string]State{}
	for _, k := range Build(r.built()).Links {
		if k.Place.Field == "answer" {
			got[k.Atom.Text] = k.State
		}
	}
	if got["4"] != Carried || got["9"] != Unsupported {
		t.Errorf("links %v: want 4 carried, 9 unsupported", got)
	}
}
