package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/store/storetest"
)

// A rubric that may gate and was not judged is never silently green: it is warned
// of, and is the status where --strict asks for it.
func TestWhatMayGateAndWasNotJudged(t *testing.T) {
	f := newJudgedFolder(t)
	f.write(t, "polite.yaml", politeRubric+"    min_kappa: 0.6\n")
	f.up.Store(true)
	var graded struct {
		Rules  []struct{ ID, Hash string }
		Traces []struct {
			Findings []struct {
				Rule      string
				JudgeHash string `json:"judge_hash"`
			}
		}
	}
	grade := func(more ...string) []string {
		return f.with(append(append([]string{"grade"}, more...), f.traces...)...)
	}
	if err := json.Unmarshal([]byte(must(t, exitOK, grade("--all", "--format", "json")...)), &graded); err != nil {
		t.Fatal(err)
	}
	card := map[string]any{"rubric": "polite", "table": [3][3]int{{25}, {0, 25}}}
	for _, r := range graded.Rules {
		if r.ID == "polite" {
			card["rule_hash"] = r.Hash
		}
	}
	for _, finding := range graded.Traces[0].Findings {
		if finding.Rule == "polite" {
			card["judge_hash"] = finding.JudgeHash
		}
	}
	b, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "card.json", string(b))
	judges, err := os.ReadFile(f.path("judges.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, judges string
		cards, up    bool
		strict       int
		want         string // on stderr; empty: nothing
	}{
		{"judged", "", true, true, exitOK, ""},
		{"down", "", true, false, exitTrouble, "NOT JUDGED: 3 outcomes of rubrics that may gate have no verdict (3 judge_server)"},
		{"no budget", "budgets: [{per: run, calls: 1}]\n", true, true, exitTrouble, "(2 budget_calls)"},
		{"does not gate", "budgets: [{per: run, calls: 1}]\n", false, true, exitOK, ""},
	} {
		f.up.Store(tt.up)
		f.write(t, "judges.yaml", string(judges)+tt.judges)
		var args []string
		if tt.cards {
			args = append(args, "--cards", f.path("card.json"))
		}
		for _, strict := range []bool{false, true} {
			status := exitOK
			if strict {
				status, args = tt.strict, append(args, "--strict")
			}
			_, errs, got := cli(t, "", grade(args...)...)
			if got != status || strings.Contains(errs, "NOT JUDGED") != (tt.want != "") || !strings.Contains(errs, tt.want) {
				t.Errorf("%s, strict %v: status %d, want %d and %q:\n%s", tt.name, strict, got, status, tt.want, errs)
			}
		}
	}
	// A cassette that has no reply fails without being asked to.
	f.write(t, "empty.jsonl", "")
	f.write(t, "judges.yaml", string(judges)+"cassette: {file: "+f.path("empty.jsonl")+"}\n")
	if _, errs, status := cli(t, "", grade()...); status != exitTrouble || !strings.Contains(errs, "NOT JUDGED: 3 outcomes of rubrics have no verdict (3 cassette_miss)") {
		t.Errorf("a miss: status %d\n%s", status, errs)
	}
}

// Where a card cannot be written is known before anybody is asked; a folder that
// is missing is made.
func TestCardIsWrittenOrNotPaidFor(t *testing.T) {
	f := newJudgedFolder(t)
	f.up.Store(true)
	f.write(t, "items.yaml", `rubric: polite
note: n
items:
  - id: a
    labels: {ann: pass}
    steps:
      - user: how much?
      - answer: Ten, thank you.
`)
	card := func(out string) []string {
		return []string{"judge", "card", "polite", "--rubrics", f.path("polite.yaml"), "--judges", f.path("judges.yaml"), "--items", f.path("items.yaml"), "--out", out}
	}
	for _, out := range []string{f.dir, f.path("polite.yaml/c.json")} {
		if _, errs, status := cli(t, "", card(out)...); status == exitOK || f.server.Calls() != 0 || !strings.Contains(errs, out) && !strings.Contains(errs, filepath.Dir(out)) {
			t.Errorf("--out %s: status %d after %d calls: %s", out, status, f.server.Calls(), errs)
		}
	}
	out := f.path("new/cards/c.json")
	must(t, exitOK, card(out)...)
	if _, err := os.Stat(out); err != nil {
		t.Error(err)
	}
}

// Who labels a session sees all of its traces, as the judge does.
func TestLabelASession(t *testing.T) {
	f, dsn := newJudgedFolder(t), storetest.DSN(t)
	f.up.Store(true)
	f.write(t, "polite.yaml", strings.Replace(strings.Replace(politeRubric, "material: [answer]", "material: [conversation]", 1), "    severity: low\n", "    severity: low\n    scope: session\n", 1))
	line := func(id, question, answer string) string {
		b, err := json.Marshal(map[string]any{"id": id, "session_id": "talk", "messages": []map[string]string{{"role": "user", "content": question}, {"role": "assistant", "content": answer}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	f.write(t, "talk.jsonl", line("one", "first question", "first answer")+line("two", "second question", "second answer"))
	must(t, exitOK, f.with("grade", "--store="+dsn, f.path("talk.jsonl"))...)
	got := must(t, exitOK, "label", "next", "--dsn", dsn, "--reader", "bob", "--rubrics", f.path("polite.yaml"))
	for _, want := range []string{"first question", "first answer", "second question", "second answer", "TRACE 2 of 2"} {
		if !strings.Contains(got, want) {
			t.Errorf("a reader does not see %q:\n%s", want, got)
		}
	}
}
