package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const repo = "../.."

// documents are the pages whose examples are run.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(repo + "/docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(pages, repo+"/README.md")
}

var runBlock = regexp.MustCompile("(?s)<!-- run -->\n```console\n(.*?)```")

// TestDocumentedCommands runs every console block that is marked with
// <!-- run --> and compares what it prints. A line "…" stands for any lines.
func TestDocumentedCommands(t *testing.T) {
	t.Chdir(repo)
	ran := 0
	for _, page := range documents(t) {
		text := readPage(t, page)
		for _, block := range runBlock.FindAllStringSubmatch(text, -1) {
			for _, example := range strings.Split("\n"+block[1], "\n$ ")[1:] {
				command, want, _ := strings.Cut(example, "\n")
				args := strings.Fields(command)
				if args[0] != "bin/tracegrade" {
					t.Errorf("%s: %q is not a tracegrade command", page, command)
					continue
				}
				ran++
				var out bytes.Buffer
				run(args[1:], strings.NewReader(""), &out, &out)
				if !matches(strings.Split(strings.TrimSpace(want), "\n"), strings.Split(strings.TrimSpace(out.String()), "\n")) {
					t.Errorf("%s: %s printed\n%s\nwant\n%s", page, command, out.String(), want)
				}
			}
		}
	}
	if ran < 2 {
		t.Errorf("%d documented commands ran, want those of the README at least", ran)
	}
}

// matches compares lines, where a wanted "…" stands for any number of lines.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "…" {
		for i := 0; i <= len(got); i++ {
			if matches(want[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && strings.TrimRight(want[0], " ") == strings.TrimRight(got[0], " ") && matches(want[1:], got[1:])
}

var yamlFile = regexp.MustCompile("(?s)```yaml\n# ([a-z_]+\\.yaml)\n(.*?)```")

// TestDocumentedRules writes the YAML blocks that name their file and runs the
// tests among them.
func TestDocumentedRules(t *testing.T) {
	dir := t.TempDir()
	files := 0
	for _, block := range yamlFile.FindAllStringSubmatch(readPage(t, repo+"/README.md"), -1) {
		if err := os.WriteFile(filepath.Join(dir, block[1]), []byte(block[2]), 0o600); err != nil {
			t.Fatal(err)
		}
		files++
	}
	if files < 2 {
		t.Fatalf("%d files in the README, want a rule file and its test", files)
	}
	var out bytes.Buffer
	if status := run([]string{"test", dir}, strings.NewReader(""), &out, &out); status != exitOK {
		t.Errorf("status %d: %s", status, out.String())
	}
}

func readPage(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		// After t.Chdir the pages lie in the working directory.
		text, err = os.ReadFile(strings.TrimPrefix(page, repo+"/"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)

// TestLinksLeadSomewhere follows the links between pages and into the tree.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, page := range append(documents(t), repo+"/CONTRIBUTING.md") {
		for _, m := range link.FindAllStringSubmatch(readPage(t, page), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
}
