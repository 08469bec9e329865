package evidence

import (
	"encoding/json"
	"strings"
	"testing"
)

// A value with another prefix than the observation has is not carried.
func TestAnotherPrefixIsNotCarried(t *testing.T) {
	for _, tt := range []struct {
		observation, answer string
		want                State
	}{
		{"The laser has 37 mW of power.", "The laser has 37 mW of power.", Carried},
		{"The laser has 37 mW of power.", "The laser has 37 MW of power.", ""},
		{`{"laser": {"power_mW": 37}}`, "The laser has 37 mW of power.", Carried},
		{`{"laser": {"power": 37, "unit": "mW"}}`, "The laser has 37 MW of power.", ""},
		{"The link carries 37 Mb.", "The link carries 37 MB.", ""},
		{"The link carries 37 Mbps.", "The link carries 37 Mbps.", Carried},
		{"The link carries 37 Mbps.", "The link carries 37 MBps.", ""},
		{"The pack weighs 37 kg.", "The pack weighs 37 KG.", Carried},
	} {
		var got State
		r := run{Question: "What does it have?", Answer: tt.answer, Steps: []toolCall{{Tool: "look", Args: json.RawMessage("{}"), Result: encoded(tt.observation)}}}
		for _, k := range Build(r.built()).Links {
			if strings.HasPrefix(k.Atom.Text, "37") {
				got = k.State
			}
		}
		if tt.want != "" && got != tt.want || tt.want == "" && (got == Carried || got == Derived || got == "") {
			t.Errorf("%q after %q: %s, want %s", tt.answer, tt.observation, got, tt.want)
		}
	}
}

// encoded is a result: a record as it is, other text as a JSON string.
func encoded(observation string) json.RawMessage {
	if json.Valid([]byte(observation)) {
		return json.RawMessage(observation)
	}
	b, _ := json.Marshal(observation)
	return b
}
