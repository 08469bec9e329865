package evidence

import (
	"encoding/json"
	"testing"
)

// Records that do not say what they are of are of what their calls asked for.
func TestRecordsOfDifferentCallsAreNoConflict(t *testing.T) {
	for _, c := range []struct {
		name, argsA, argsB string
		conflicts          int
	}{
		{"two cities", `{"city":"Ghent"}`, `{"city":"Lyon"}`, 0},
		{"two pages", `{"url":"https://a.example/x"}`, `{"url":"https://b.example/y"}`, 1},
		{"two lower-case words and a setting", `{"city":"ghent","limit":1}`, `{"city":"lyon","limit":1}`, 0},
		{"one city, asked again: a later state", `{"city":"Ghent"}`, `{"city":"Ghent"}`, 0},
		{"one city, other settings", `{"city":"Ghent","limit":1}`, `{"city":"Ghent","limit":5}`, 1},
		{"one city, more closely", `{"city":"Ghent"}`, `{"city":"Ghent","district":"Centre"}`, 1},
	} {
		data, err := json.Marshal(map[string]any{
			"question": "How warm is it?", "answer": "It is 17 °C.",
			"steps": []any{
				map[string]any{"tool": "weather", "args": json.RawMessage(c.argsA), "result": map[string]any{"temp_c": 11}},
				map[string]any{"tool": "weather", "args": json.RawMessage(c.argsB), "result": map[string]any{"temp_c": 17}},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var r run
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		if got := Build(r.built()).Conflicts; len(got) != c.conflicts {
			t.Errorf("%s: %d conflicts, want %d: %+v", c.name, len(got), c.conflicts, got)
		}
	}
}

// So are sentences that name nothing.
func TestSentencesOfDifferentCallsAreNoConflict(t *testing.T) {
	for _, c := range []struct {
		argsA, argsB string
		conflicts    int
	}{
		{`{"city":"Ghent"}`, `{"city":"Lyon"}`, 0},
		{`{"city":"Ghent","limit":1}`, `{"city":"Ghent","limit":5}`, 1},
	} {
		data, err := json.Marshal(map[string]any{
			"question": "How warm is it?", "answer": "It is warm.",
			"steps": []any{
				map[string]any{"tool": "weather", "args": json.RawMessage(c.argsA), "result": "The temperature is 11 °C."},
				map[string]any{"tool": "weather", "args": json.RawMessage(c.argsB), "result": "The temperature is 17 °C."},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var r run
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		if got := Build(r.built()).Conflicts; len(got) != c.conflicts {
			t.Errorf("%s and %s: %d conflicts, want %d: %+v", c.argsA, c.argsB, len(got), c.conflicts, got)
		}
	}
}
