package ruleset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/trace"
)

func folder(t *testing.T, files map[string]string) string {
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
	dir := folder(t, map[string]string{
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
	dir := folder(t, map[string]string{"a.yaml": "rules: 1", "b.yaml": "rules: 2"})
	_, err := Load([]string{dir})
	if err == nil || !strings.Contains(err.Error(), "a.yaml:1") || !strings.Contains(err.Error(), "b.yaml:1") {
		t.Errorf("error = %v; want the places in both files", err)
	}
}

func TestNothingThere(t *testing.T) {
	dir := folder(t, map[string]string{"readme.md": "x"})
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
	dir := folder(t, map[string]string{"mine.yaml": "configure:\n  - rule: " + all.Rules()[0].ID + "\n    severity: critical\n"})
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
