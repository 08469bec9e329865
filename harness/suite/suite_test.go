package suite

import (
	"bytes"
	"maps"
	"slices"
	"testing"
	"testing/synctest"

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

// A suite made tomorrow, or in another time zone, is the same.
func TestSuiteKnowsNoClock(t *testing.T) {
	write := func() string {
		var b bytes.Buffer
		for _, c := range generate(t, 7) {
			if err := c.Encode(&b); err != nil {
				t.Fatal(err)
			}
		}
		return b.String()
	}
	now := write()
	// The clock of the bubble begins in the year 2000.
	synctest.Test(t, func(t *testing.T) {
		if write() != now {
			t.Error("another day gives another suite")
		}
	})
}

// What a trap's severity says of its defect is so: how many say the false value, whether
// the truth is in view, and that toxicity, subtlety and price are those of the definition.
func TestSeverityIsThatOfTheDefect(t *testing.T) {
	for _, c := range generate(t, 1) {
		for _, p := range c.Traps {
			k, err := trap.Find(p.Kind)
			if err != nil {
				t.Fatal(err)
			}
			if k.Control() {
				if p.Toxicity != 0 || p.Factors != (trap.Factors{}) {
					t.Errorf("%s: a control with severity %+v", c.ID, p.Factors)
				}
				continue
			}
			echoes := map[string]bool{}
			for _, d := range p.Defect.Docs {
				if d.Trap == p.ID {
					echoes[d.ID] = true
				}
			}
			want := min(max(len(echoes), 1), 3)
			if p.Price == 0 {
				want = 0 // contradicted in view
			}
			f := p.Factors
			if f.Corroboration != want {
				t.Errorf("%s, %s: corroboration %d, %d documents say it", c.ID, p.Kind, f.Corroboration, len(echoes))
			}
			if p.Toxicity != max(f.Centrality, f.Consequence, f.Magnitude) {
				t.Errorf("%s, %s: toxicity %d of %+v", c.ID, p.Kind, p.Toxicity, f)
			}
			middle := []int{f.Disguise, f.Authority, f.Corroboration, min(p.Price, 3)}
			slices.Sort(middle)
			if p.Subtlety != float64(middle[1]+middle[2])/2 {
				t.Errorf("%s, %s: subtlety %g of %v", c.ID, p.Kind, p.Subtlety, middle)
			}
			if len(c.Verify) != p.Price || !slices.Contains(k.Prices, c.Traps[0].Price) && p.ID == "t1" {
				t.Errorf("%s, %s: price %d, %d calls verify; its kind has %v", c.ID, p.Kind, p.Price, len(c.Verify), k.Prices)
			}
		}
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

// eachPlanted calls check with every trap of a kind, of which there must be one.
func eachPlanted(t *testing.T, kind string, check func(*cases.Case, cases.Planted)) {
	t.Helper()
	n := 0
	for _, c := range generate(t, 1) {
		for _, planted := range c.Traps {
			if planted.Kind == kind {
				n++
				check(c, planted)
			}
		}
	}
	if n == 0 {
		t.Errorf("no case of %s", kind)
	}
}

// Neither who there is nor that they name a source may tell agents who agree on a
// falsehood from the same agents in the clean twin: only that it is one source.
func TestConsensusIsOfTheTwinsAgents(t *testing.T) {
	eachPlanted(t, "false_consensus", func(c *cases.Case, planted cases.Planted) {
		clean, origins := map[string]string{}, map[string]bool{}
		for _, d := range c.Docs {
			clean[d.Address] = d.Origin
		}
		for _, d := range planted.Defect.Docs {
			own := clean[d.Address]
			if own == "" || own == d.Origin {
				t.Errorf("%s: %s has it from %q, and in the clean twin from %q; want an agent of the twin that has another source there", c.ID, d.Address, d.Origin, own)
			}
			origins[d.Origin] = true
		}
		if len(planted.Defect.Docs) != 3 || len(origins) != 1 {
			t.Errorf("%s: %d agents agree by %d sources, want 3 by one", c.ID, len(planted.Defect.Docs), len(origins))
		}
	})
}

// Who there is may not tell the arm in which a guess was handed on from its clean
// twin: both agents are of both, and the second has it from the first.
func TestHandOffIsOfTheTwinsAgents(t *testing.T) {
	eachPlanted(t, "laundered_certainty", func(c *cases.Case, planted cases.Planted) {
		clean := map[string]trap.Doc{}
		for _, d := range c.Docs {
			clean[d.Address] = d
		}
		for _, d := range planted.Defect.Docs {
			if twin, known := clean[d.Address]; !known || twin.ID != d.ID || twin.Origin != d.Origin {
				t.Errorf("%s: %s has it from %q; want an agent of the twin that has it from the same one there (%q)", c.ID, d.Address, d.Origin, twin.Origin)
			}
		}
	})
}
