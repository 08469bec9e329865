package trap_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// The families are the definition of the taxonomy, written here again on
// purpose.
func TestKindsAreTheTaxonomy(t *testing.T) {
	family := map[int]string{}
	for name, ids := range map[string][]int{
		"uncritical_acceptance":    {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 19, 20, 23, 24, 26, 27, 28, 29, 30, 36, 37},
		"relevance_misjudgment":    {14, 15, 16, 31, 32},
		"conflict_mishandling":     {17, 21, 22, 25, 38, 40},
		"temporal_context_neglect": {11, 12, 13, 33, 34, 35, 39},
		"":                         {41, 42, 43, 44},
	} {
		for _, id := range ids {
			family[id] = name
		}
	}
	if len(trap.Kinds) != 44 {
		t.Fatalf("%d kinds, want 40 traps and 4 controls", len(trap.Kinds))
	}
	surfaces := map[trap.Surface]bool{}
	for i, k := range trap.Kinds {
		if k.ID != i+1 {
			t.Errorf("kind %s has id %d at place %d", k.Name, k.ID, i+1)
		}
		if k.Family != family[k.ID] {
			t.Errorf("kind %d %s: family %q, want %q", k.ID, k.Name, k.Family, family[k.ID])
		}
		if k.Control() != (k.ID > 40) {
			t.Errorf("kind %d %s: control %v", k.ID, k.Name, k.Control())
		}
		if k.Tell == "" || k.Change == "" || len(k.Prices) == 0 || len(k.Shapes) == 0 {
			t.Errorf("kind %s says too little of itself: %+v", k.Name, k)
		}
		for _, s := range k.Surfaces {
			surfaces[s] = true
		}
		if _, err := json.Marshal(k.New()); err != nil {
			t.Errorf("kind %s: configuration: %v", k.Name, err)
		}
	}
	for _, s := range trap.Surfaces {
		if !surfaces[s] {
			t.Errorf("no kind enters through %s", s)
		}
	}
}

func TestFactors(t *testing.T) {
	tests := []struct {
		f        trap.Factors
		price    int
		toxicity int
		subtlety float64
	}{
		{trap.Factors{}, 0, 0, 0},
		{trap.Factors{Disguise: 3, Magnitude: 1, Centrality: 2, Authority: 1, Corroboration: 2, Consequence: 0}, 0, 2, 1.5}, // 0 1 2 3
		{trap.Factors{Disguise: 3, Magnitude: 3, Centrality: 2, Authority: 3, Corroboration: 3}, 7, 3, 3},
		{trap.Factors{Consequence: 3}, -1, 3, 0}, // 0 0 0 3
		{trap.Factors{Authority: 2, Corroboration: 1}, 2, 0, 1.5},
	}
	for _, tt := range tests {
		if got := tt.f.Toxicity(); got != tt.toxicity {
			t.Errorf("%+v: toxicity %d, want %d", tt.f, got, tt.toxicity)
		}
		if got := tt.f.Subtlety(tt.price); got != tt.subtlety {
			t.Errorf("%+v at price %d: subtlety %v, want %v", tt.f, tt.price, got, tt.subtlety)
		}
	}
}

func docs(ids ...string) []trap.Doc {
	var list []trap.Doc
	for _, id := range ids {
		list = append(list, trap.Doc{ID: id, Body: []trap.Sentence{{Text: id + "."}}})
	}
	return list
}

func ids(list []trap.Doc) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.ID)
	}
	return out
}

func TestInterventions(t *testing.T) {
	in := trap.Reply{Docs: docs("a", "b", "c"), Total: 3, Rows: [][]any{{1}, {2}, {3}}, Text: "42"}
	tests := []struct {
		name string
		iv   trap.Intervention
		want func(trap.Reply) (got, want any)
	}{
		{"insert at rank", trap.Intervention{Op: trap.Insert, Rank: 2, Docs: docs("x")}, func(r trap.Reply) (any, any) {
			return append(ids(r.Docs), string(rune('0'+r.Total))), []string{"a", "x", "b", "c", "4"}
		}},
		{"insert at the end", trap.Intervention{Op: trap.Insert, Docs: docs("x")}, func(r trap.Reply) (any, any) { return ids(r.Docs), []string{"a", "b", "c", "x"} }},
		{"insert moves one that is there", trap.Intervention{Op: trap.Insert, Rank: 1, Docs: docs("c")}, func(r trap.Reply) (any, any) { return ids(r.Docs), []string{"c", "a", "b"} }},
		{"replace a document", trap.Intervention{Op: trap.Replace, Target: []string{"b"}, Docs: docs("x")}, func(r trap.Reply) (any, any) { return ids(r.Docs), []string{"a", "x", "c"} }},
		{"replace text", trap.Intervention{Op: trap.Replace, Text: "43"}, func(r trap.Reply) (any, any) { return r.Text, "43" }},
		{"contaminate a document", trap.Intervention{Op: trap.Contaminate, Target: []string{"a"}, Text: "Not so."}, func(r trap.Reply) (any, any) { return r.Docs[0].Text(), "a. Not so." }},
		{"contaminate text", trap.Intervention{Op: trap.Contaminate, Text: "about"}, func(r trap.Reply) (any, any) { return r.Text, "42\nabout" }},
		{"drop documents", trap.Intervention{Op: trap.Drop, Target: []string{"a", "c"}}, func(r trap.Reply) (any, any) { return ids(r.Docs), []string{"b"} }},
		{"drop rows", trap.Intervention{Op: trap.Drop, Keep: 2}, func(r trap.Reply) (any, any) { return r.Rows, [][]any{{1}, {2}} }},
		{"reorder", trap.Intervention{Op: trap.Reorder, Rank: 1, Target: []string{"c"}}, func(r trap.Reply) (any, any) { return ids(r.Docs), []string{"c", "a", "b"} }},
		{"delay", trap.Intervention{Op: trap.Delay, Delay: "20ms"}, func(r trap.Reply) (any, any) { return r.Delay.String(), "20ms" }},
		{"fail", trap.Intervention{Op: trap.Fail, Status: 503, Text: "down"}, func(r trap.Reply) (any, any) {
			return []any{r.Status, r.Text, r.Failed, len(r.Docs)}, []any{503, "down", true, 0}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.iv.Trap = "t1"
			got, want := tt.want(tt.iv.Apply(in))
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, d)
			}
			if d := cmp.Diff([]string{"t1"}, tt.iv.Apply(in).Traps); d != "" {
				t.Errorf("traps (-want +got):\n%s", d)
			}
			if d := cmp.Diff([]string{"a", "b", "c"}, ids(in.Docs)); d != "" || in.Text != "42" || len(in.Rows) != 3 {
				t.Errorf("the reply that was given is changed: %s", d)
			}
		})
	}
}

func TestBindings(t *testing.T) {
	call := trap.Call{Tool: "search", Args: `{"query":"Velmora Station output"}`, N: 2, Seen: func(s string) bool { return s == "412 MW" }}
	tests := []struct {
		on   trap.Binding
		want bool
	}{
		{trap.Binding{}, true},
		{trap.Binding{Tool: "search"}, true},
		{trap.Binding{Tool: "fetch_page"}, false},
		{trap.Binding{Query: "(?i)velmora"}, true},
		{trap.Binding{Query: "torwick"}, false},
		{trap.Binding{Except: "Station"}, false},
		{trap.Binding{Except: "site:"}, true},
		{trap.Binding{Call: 2}, true},
		{trap.Binding{Call: 1}, false},
		{trap.Binding{AfterSeen: "412 MW"}, true},
		{trap.Binding{AfterSeen: "413 MW"}, false},
		{trap.Binding{Tool: "search", Call: 1, Query: "Velmora"}, false},
	}
	for _, tt := range tests {
		iv := trap.Intervention{Op: trap.Delay, On: tt.on}
		if got := iv.Matches(call); got != tt.want {
			t.Errorf("binding %+v matches %v, want %v", tt.on, got, tt.want)
		}
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		iv   trap.Intervention
		want string
	}{
		{trap.Intervention{Op: "explode"}, `intervention op "explode": want one of insert, replace, contaminate, drop, reorder, delay, fail`},
		{trap.Intervention{Op: trap.Fail, On: trap.Binding{Query: "("}}, "intervention fail: pattern \"(\": error parsing regexp: missing closing ): `(`"},
		{trap.Intervention{Op: trap.Delay, Delay: "1h"}, `intervention delay: delay "1h": want a duration up to 30s`},
	}
	for _, tt := range tests {
		if err := tt.iv.Validate(); err == nil || err.Error() != tt.want {
			t.Errorf("Validate(%+v) = %v, want %s", tt.iv, err, tt.want)
		}
	}
}

// A search within a site is left alone, one that leaves a site out is not.
func TestSiteIsNoExclusion(t *testing.T) {
	m := trap.Material{At: trap.Search, Price: 1, Names: []string{"Velmora Bridge"}, Docs: []trap.Doc{{ID: "official", Good: true}}}
	defect := m.Defect(trap.Value{}, trap.Doc{ID: "x"})
	if len(defect.Interventions) != 2 {
		t.Fatalf("%d interventions, want one that inserts and one that drops", len(defect.Interventions))
	}
	for query, want := range map[string]bool{
		"Velmora Bridge length":                 true,
		"Velmora Bridge -site:press.example":    true,
		"site:velmora.example Velmora Bridge":   false,
		"Velmora Bridge SITE:velmora.example":   false,
		"offsite: Velmora Bridge":               true,
		"Velmora Bridge (site:velmora.example)": false,
	} {
		args, err := json.Marshal(map[string]string{"query": query})
		if err != nil {
			t.Fatal(err)
		}
		for _, iv := range defect.Interventions {
			if got := iv.Matches(trap.Call{Tool: "search", Args: string(args)}); got != want {
				t.Errorf("%s of %s: %v, want %v", iv.Op, query, got, want)
			}
		}
	}
}
