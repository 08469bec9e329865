package evidence

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a recipe says for so many is wanted for another number: a proportion.
func TestQuantitiesForSoMany(t *testing.T) {
	for _, tt := range []struct {
		asked, answer, value string
		derived              bool
	}{
		{"Barley soup for 7 guests", "For seven you need 315 g of barley.", "315 g", true},
		{"Barley soup for 10 people", "Take 2.25 litres of water.", "2.25 litres", true},
		{"Scale the barley soup from 4 to 10 guests", "For 10 guests take 2.25 litres of water.", "2.25 litres", true},
		{"Barley soup for 7 guests", "For seven you need 295 g of barley.", "295 g", false},
		{"Barley soup", "You need 315 g of barley.", "315 g", false},
	} {
		line, _ := json.Marshal(map[string]any{"question": tt.asked, "answer": tt.answer,
			"steps": []any{map[string]any{"tool": "recipe", "args": map[string]any{}, "result": map[string]any{"serves": 4, "barley_g": 180, "water_ml": 900}}}})
		var r run
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, l := range Build(r.built()).Links {
			if strings.EqualFold(l.Atom.Text, tt.value) {
				found = true
				if (l.State == Derived) != tt.derived || tt.derived && l.How != "proportion" {
					t.Errorf("%s %s: %s is %s (%s), want derived: %v", tt.asked, tt.answer, tt.value, l.State, l.How, tt.derived)
				}
			}
		}
		if !found {
			t.Errorf("%s: %s was not read", tt.answer, tt.value)
		}
	}
}
