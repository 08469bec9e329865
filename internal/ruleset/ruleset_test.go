package ruleset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func filesIn(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const rule = "rules:\n  - id: ID\n    title: x\n    severity: low\n    scope: trace\n    assert: answer != \"\"\n    pass: x\n    fail: y\n"

func ruleText(id string) string { return strings.ReplaceAll(rule, "ID", id) }

func TestFolderAndFileTogether(t *testing.T) {
	dir := filesIn(t, map[string]string{
		"b.yaml": ruleText("b"), "a/deep.yml": ruleText("a"), "b_test.yaml": "not: rules", ".hidden.yaml": "not: rules",
		"readme.md": "not rules", "other": ruleText("c"),
	})
	set, err := Load([]string{dir, filepath.Join(dir, "other"), filepath.Join(dir, "b.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range set.Rules() {
		got = append(got, r.ID)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

func TestMistakesOfAllFilesAtOnce(t *testing.T) {
	dir := filesIn(t, map[string]string{"a.yaml": "rules: 1", "b.yaml": "rules: 2"})
	_, err := Load([]string{dir})
	if err == nil || !strings.Contains(err.Error(), "a.yaml:1") || !strings.Contains(err.Error(), "b.yaml:1") {
		t.Errorf("error = %v; want the places in both files", err)
	}
}

func TestNothingThere(t *testing.T) {
	dir := filesIn(t, map[string]string{"readme.md": "x"})
	for path, want := range map[string]string{
		dir:                             "no rule file (.yaml, .yml) in this folder",
		filepath.Join(dir, "none.yaml"): "no such file or directory",
	} {
		if _, err := Load([]string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error = %v, want %q", path, err, want)
		}
	}
}

func TestShippedPacks(t *testing.T) {
	all, err := Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	named, err := Load([]string{"pack:all"})
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Rules()) == 0 || len(named.Rules()) != len(all.Rules()) {
		t.Errorf("%d rules by default, %d of pack:all; want the same number", len(all.Rules()), len(named.Rules()))
	}
	dir := filesIn(t, map[string]string{"mine.yaml": "configure:\n  - rule: " + all.Rules()[0].ID + "\n    severity: critical\n"})
	own, err := Load([]string{"pack:all", dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := own.Rules()[0].Severity; got != trace.SeverityCritical {
		t.Errorf("severity of the configured rule is %v, want critical", got)
	}
	if _, err := Load([]string{"pack:nope"}); err == nil || !strings.Contains(err.Error(), `no rule pack "nope": want `) {
		t.Errorf("unknown pack: %v", err)
	}
}

const rubricFile = "rubrics:\n  - {id: ID, title: x, severity: low, material: [answer], questions: [{id: q, ask: Is it so}], pass: {q: yes}}\n"

func rubricText(id string) string { return strings.ReplaceAll(rubricFile, "ID", id) }

// Files of rubrics among rules are left to those who read rubrics; named as rules
// they are refused with what to do.
func TestRubricsAmongRules(t *testing.T) {
	dir := filesIn(t, map[string]string{"a.yaml": ruleText("a"), "polite.yaml": "# a comment\n" + rubricText("polite")})
	set, err := Load([]string{dir})
	if err != nil || len(set.Rules()) != 1 {
		t.Errorf("Load of the folder = %v; want one rule", err)
	}
	path := filepath.Join(dir, "polite.yaml")
	if _, err := Load([]string{path}); err == nil || !strings.Contains(err.Error(), path+": the file holds rubrics") {
		t.Errorf("Load of the rubric file: error = %v; want what it holds", err)
	}
}

func TestCheck(t *testing.T) {
	both := filesIn(t, map[string]string{"a.yaml": ruleText("a"), "polite.yaml": rubricText("polite")})
	same := filesIn(t, map[string]string{"a.yaml": ruleText("a"), "b.yaml": rubricText("a")})
	wrong := filesIn(t, map[string]string{"a.yaml": "rules: 1", "b.yaml": "rubrics: 2"})
	tests := []struct {
		name           string
		paths          []string
		rules, rubrics int
		want           []string // parts of the error
	}{
		{"a folder of both", []string{both}, 1, 1, nil},
		{"a rubric file", []string{filepath.Join(both, "polite.yaml")}, 0, 1, nil},
		{"a rule file", []string{filepath.Join(both, "a.yaml")}, 1, 0, nil},
		{"one id for both", []string{same}, 1, 1, []string{filepath.Join(same, "b.yaml") + `:2:5: rule "a": id: the rubric has the id of the rule at ` + filepath.Join(same, "a.yaml") + ":2:5"}},
		{"mistakes of both at once", []string{wrong}, 0, 0, []string{"a.yaml:1:8", "b.yaml:1:10"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Check(tt.paths)
			if got.Rules != tt.rules || got.Rubrics != tt.rubrics || (err != nil) != (tt.want != nil) {
				t.Errorf("Check = %+v, %v; want %d and %d", got, err, tt.rules, tt.rubrics)
			}
			for _, part := range tt.want {
				if err != nil && !strings.Contains(err.Error(), part) {
					t.Errorf("error = %v; want %q in it", err, part)
				}
			}
		})
	}
}

// A rule that a rubric leaves its question to must be one of the rules beside it,
// or a shipped one; where no rules are given, nobody can tell.
func TestCheckOfDecidedBy(t *testing.T) {
	asking := func(rule string) string {
		return strings.Replace(rubricText("polite"), "id: polite", "decided_by: ["+rule+"], id: polite", 1)
	}
	for _, tt := range []struct {
		rule, alone, beside string // what is warned of alone, and wrong beside rules
	}{
		{"answered", `:2:5: rubric "polite": decided_by: there is no rule "answered" (did you mean "unanswered"?); if it is one of your own, name its file too`, ""},
		{"step-budget", "", ""},
		{"answerd", `there is no rule "answerd"; if it is one of your own`, `:2:5: rubric "polite": decided_by: there is no rule "answerd" (did you mean "answered"?)`},
	} {
		dir := filesIn(t, map[string]string{"a.yaml": ruleText("answered"), "polite.yaml": asking(tt.rule)})
		alone, err := Check([]string{filepath.Join(dir, "polite.yaml")})
		if said := strings.Join(alone.Unchecked, "\n"); err != nil || (said == "") != (tt.alone == "") || !strings.Contains(said, tt.alone) {
			t.Errorf("%s alone: %q, %v; want %q", tt.rule, said, err, tt.alone)
		}
		beside, err := Check([]string{dir})
		if len(beside.Unchecked) > 0 || (err == nil) != (tt.beside == "") || err != nil && !strings.Contains(err.Error(), tt.beside) {
			t.Errorf("%s beside its rules: %+v, %v; want %q", tt.rule, beside, err, tt.beside)
		}
	}
}

// A file that only configures shipped rules needs their pack.
func TestSettingsOfShippedRules(t *testing.T) {
	dir := filesIn(t, map[string]string{"mine.yaml": ruleText("mine") + "configure:\n  - {rule: step-budget, params: {max_steps: 2}}\n"})
	path := filepath.Join(dir, "mine.yaml")
	want := path + `:10:12: rule "step-budget": configure: the rule is a shipped one: name pack:efficiency, or pack:all, beside the file`
	if _, err := Load([]string{path}); err == nil || err.Error() != want {
		t.Errorf("Load = %v\nwant %s", err, want)
	}
	shipped, err := Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := LoadConfigured([]string{path})
	if err != nil || len(set.Rules()) != len(shipped.Rules())+1 {
		t.Fatalf("LoadConfigured = %v; want the shipped rules and one more", err)
	}
	changed := 0
	for _, r := range set.Rules() {
		for _, s := range shipped.Rules() {
			if r.ID == s.ID && r.Hash != s.Hash {
				changed++
			}
		}
	}
	if changed != 1 {
		t.Errorf("%d shipped rules mean something else, want 1: step-budget", changed)
	}
}
