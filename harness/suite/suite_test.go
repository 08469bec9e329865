package suite

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/trap"
)

func generate(t testing.TB, seed uint64) []*cases.Case {
	t.Helper()
	list, err := Generate(Evidence, seed)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSuiteCoversTheTaxonomy(t *testing.T) {
	list := generate(t, 1)
	if len(list) < 200 {
		t.Errorf("%d cases, want at least 200", len(list))
	}
	seen := map[string]int{}
	ids := map[string]bool{}
	for _, c := range list {
		if ids[c.ID] {
			t.Errorf("case %s occurs twice", c.ID)
		}
		ids[c.ID] = true
		seen["lang "+c.Lang]++
		seen["category "+c.Category]++
		seen["note "+c.Note]++
		if len(c.Traps) == 2 {
			seen["two traps"]++
		}
		for _, p := range c.Traps {
			seen["kind "+p.Kind]++
			seen["family "+p.Family]++
			seen["surface "+string(p.Surface)]++
			seen["price "+string(rune('0'+p.Price))]++
		}
	}
	want := []string{"two traps", "price 0", "price 1", "price 2", "price 3", "lang en", "lang zh",
		"note closed_world", "note well_known", "note multi_agent", "note persistent_observation", "note runtime_feedback",
		"note temporal_state", "note derived_memory", "note executable_artifact"}
	for _, c := range cases.Categories {
		want = append(want, "category "+c)
	}
	for _, k := range trap.Kinds {
		want = append(want, "kind "+k.Name, "family "+k.Family)
	}
	for _, s := range trap.Surfaces {
		want = append(want, "surface "+string(s))
	}
	for _, w := range want {
		if seen[w] == 0 {
			t.Errorf("no case with %s", w)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%-40s %d", k, seen[k])
	}
}

func TestSameSeedSameSuite(t *testing.T) {
	var first, second, other bytes.Buffer
	for _, x := range []struct {
		seed uint64
		to   *bytes.Buffer
	}{{7, &first}, {7, &second}, {8, &other}} {
		for _, c := range generate(t, x.seed) {
			if err := c.Encode(x.to); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same seed gives another suite")
	}
	if bytes.Equal(first.Bytes(), other.Bytes()) {
		t.Error("another seed gives the same suite")
	}
}

func TestCasesSurviveTheirFile(t *testing.T) {
	for _, c := range generate(t, 3) {
		var file, again bytes.Buffer
		if err := c.Encode(&file); err != nil {
			t.Fatal(err)
		}
		loaded, err := cases.Load(c.ID, bytes.NewReader(file.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := loaded.Encode(&again); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file.Bytes(), again.Bytes()) {
			t.Fatalf("case %s changes when it is read and written again", c.ID)
		}
	}
}
