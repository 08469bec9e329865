package card

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/rubric"
)

// A rubric gates only where a card of the same rubric and the same judge shows
// the agreement that it asks for; what is computed needs none.
func TestWithholds(t *testing.T) {
	made := func(rule, judge string, table [2][2]int) *Card {
		c := Compare(pairs(table))
		c.Rubric, c.RuleHash, c.JudgeHash = "r", rule, judge
		return c
	}
	good, poor := [2][2]int{{30, 2}, {3, 25}}, [2][2]int{{20, 12}, {12, 16}}
	judged := rubric.Rubric{ID: "r", Hash: "h", Type: rubric.TypeJudge, MinKappa: 0.8}
	for _, tt := range []struct {
		name  string
		of    func(*rubric.Rubric)
		cards Cards
		want  string // part of the reason; empty: it gates
	}{
		{"shown", func(*rubric.Rubric) {}, Cards{made("h", "j", good)}, ""},
		{"classifier", func(r *rubric.Rubric) { r.Type = rubric.TypeClassifier }, nil, "there is no judge card"},
		{"computed", func(r *rubric.Rubric) { r.Type = rubric.TypeDeterministic }, nil, ""},
		{"computed, experimental", func(r *rubric.Rubric) { r.Type, r.Experimental = rubric.TypeDeterministic, true }, nil, "experimental"},
		{"none", func(*rubric.Rubric) {}, nil, "there is no judge card"},
		{"of another rubric", func(r *rubric.Rubric) { r.ID = "s" }, Cards{made("h", "j", good)}, "there is no judge card"},
		{"of another version", func(*rubric.Rubric) {}, Cards{made("old", "j", good)}, "of another version of the rubric"},
		{"of another judge", func(*rubric.Rubric) {}, Cards{made("h", "other", good)}, "of another judge"},
		{"another judge's beside it", func(*rubric.Rubric) {}, Cards{made("h", "other", poor), made("h", "j", good)}, ""},
		{"two that differ", func(*rubric.Rubric) {}, Cards{made("h", "j", good), made("h", "j", poor)}, "is below min_kappa 0.80"},
		{"too low", func(r *rubric.Rubric) { r.MinKappa = 0.9 }, Cards{made("h", "j", good)}, "kappa 0.83 is below min_kappa 0.90"},
		{"no min_kappa", func(r *rubric.Rubric) { r.MinKappa = 0 }, Cards{made("h", "j", good)}, "states no min_kappa"},
		{"experimental", func(r *rubric.Rubric) { r.Experimental = true }, Cards{made("h", "j", good)}, "experimental"},
	} {
		r := judged
		tt.of(&r)
		if got := tt.cards.Withholds(r, "j"); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// What a card says of its kappa is what its counts say.
func TestLoadCards(t *testing.T) {
	dir := t.TempDir()
	c := Compare(pairs([2][2]int{{20, 12}, {12, 16}}))
	c.Rubric, c.RuleHash = "r", "h"
	honest := c.Agreement.Kappa
	c.Agreement.Kappa = 1
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "a.json")
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file} {
		if cards, err := LoadCards([]string{path}); err != nil || len(cards) != 1 || cards[0].Agreement.Kappa != honest {
			t.Errorf("%s: %+v, %v", path, cards, err)
		}
	}
	if err := os.WriteFile(file, []byte(`{"rubric": "r"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "no rule_hash: want what judge card --out writes", t.TempDir(): "no .json file in the folder", dir + "/no": "no such file"} {
		if _, err := LoadCards([]string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// The rate of Wikipedia's table of agreement: sensitivity .6, specificity .8, and
// 40 of 100 found come to (.4 + .8 - 1) / (.6 + .8 - 1) = .5.
func TestCorrectedByCards(t *testing.T) {
	c := Compare(pairs([2][2]int{{20, 5}, {10, 15}}))
	c.Rubric, c.RuleHash, c.JudgeHash = "r", "h", "j"
	r := rubric.Rubric{ID: "r", Hash: "h"}
	if got := (Cards{c}).Corrected(r, "j", 40, 100); !strings.HasPrefix(got, "40 % found, 50 % [") || strings.Contains(got, "cannot") {
		t.Error(got)
	}
	if got := (Cards{c}).Corrected(r, "j", 0, 100); !strings.Contains(got, "0 % found, 0 %") || !strings.Contains(got, "cannot come from a judge") {
		t.Error(got)
	}
	if got := (Cards{c}).Corrected(r, "other", 40, 100); got != "" {
		t.Errorf("of another judge: %s", got)
	}
	chance := Compare(pairs([2][2]int{{20, 5}, {20, 5}}))
	chance.Rubric, chance.RuleHash, chance.JudgeHash = "r", "h", "j"
	if got := (Cards{chance}).Corrected(r, "j", 40, 100); !strings.Contains(got, "cannot be corrected") {
		t.Error(got)
	}
}
