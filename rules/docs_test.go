package rules_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
	"github.com/tracegrade/tracegrade/rules/ruletest"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs, and fail")

const docs = "../docs/"

// block is a fenced piece of YAML in a document.
type block struct {
	line int
	text string
}

func blocks(t *testing.T, file string) []block {
	t.Helper()
	data, err := os.ReadFile(docs + file)
	if err != nil {
		t.Fatal(err)
	}
	var list []block
	open := -1
	lines := strings.Split(string(data), "\n")
	for i, line := range lines {
		switch {
		case open < 0 && line == "```yaml":
			open = i
		case open >= 0 && line == "```":
			list = append(list, block{line: open + 2, text: strings.Join(lines[open+1:i], "\n") + "\n"})
			open = -1
		}
	}
	return list
}

// TestDocsAreRun compiles every rule in the documentation, and runs the tests
// that stand below it.
func TestDocsAreRun(t *testing.T) {
	for file, want := range map[string]int{"rule-cookbook.md": 30, "rule-language.md": 3, "rule-coming-from.md": 1} {
		t.Run(file, func(t *testing.T) {
			tested, last := 0, ""
			for _, b := range blocks(t, file) {
				name := fmt.Sprintf("%s:%d", file, b.line)
				if strings.HasPrefix(b.text, "rubrics:") {
					last = b.text
					continue
				}
				if strings.Contains(b.text, "rules:") && !strings.HasPrefix(b.text, "tests:") {
					f, err := rules.Parse(name, []byte(b.text))
					if err != nil {
						t.Error(err)
						continue
					}
					if _, err := rules.Compile(f); err != nil {
						t.Error(err)
					}
					last = b.text
					continue
				}
				if !strings.HasPrefix(b.text, "tests:") {
					continue
				}
				files := map[string]string{"doc.yaml": last, "doc_test.yaml": "rules: doc.yaml\n" + b.text}
				f, err := ruletest.LoadWith("doc_test.yaml", func(p string) ([]byte, error) { return []byte(files[filepath.Base(p)]), nil })
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				tested++
				// With a pattern coverage is not asked for, which only recipes have: they are to be copied.
				o := ruletest.Options{}
				if file != "rule-cookbook.md" {
					o.Run = regexp.MustCompile("")
				}
				result := ruletest.Run(f, o)
				for _, problem := range result.Problems {
					t.Errorf("%s: %s", name, problem)
				}
				for _, r := range result.Tests {
					for _, failure := range r.Failures {
						t.Errorf("%s: %s: %s", name, r.Name, failure)
					}
				}
			}
			if tested < want {
				t.Errorf("%d tested rules in %s, want at least %d", tested, file, want)
			}
		})
	}
}

// golden compares a generated text with the file that holds it.
func golden(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err == nil && string(got) == want {
		return
	}
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("%s is not what the library says: run go test ./rules -run TestDocs -update", path)
}

// TestDocsOfFunctions generates one page for each function, and the lists in
// rule-language.md.
func TestDocsOfFunctions(t *testing.T) {
	example := exampleTrace(t)
	known := map[string]bool{}
	for _, f := range rules.Functions() {
		known[f.Name+".md"] = true
		finding := holds(t, f.Example, example)
		golden(t, docs+"functions/"+f.Name+".md", functionPage(&f, finding.Outcome))
	}
	entries, err := os.ReadDir(docs + "functions")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !known[e.Name()] {
			t.Errorf("docs/functions/%s describes no function", e.Name())
		}
	}
	page, err := os.ReadFile(docs + "rule-language.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for name, part := range map[string]string{"functions": functionList(), "fields": fieldList()} {
		begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->"
		before, rest, ok := strings.Cut(text, begin)
		_, after, closed := strings.Cut(rest, end)
		if !ok || !closed {
			t.Fatalf("docs/rule-language.md lacks the place for %s", name)
		}
		text = before + begin + part + end + after
	}
	golden(t, docs+"rule-language.md", text)
}

func functionPage(f *rules.Function, outcome trace.Outcome) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n`%s` gives a value of type %s. Group: %s.\n\n%s.\n\n", f.Name, f.Signature(), f.ResultName(), f.Group, strings.TrimRight(f.Doc, "."))
	if len(f.Args) > 0 {
		b.WriteString("| argument | kind |\n|---|---|\n")
		for _, a := range f.Args {
			kind := a.Kind
			switch {
			case a.Variadic:
				kind += ", any number"
			case a.Optional:
				kind += ", may be left out"
			}
			fmt.Fprintf(&b, "| %s | %s |\n", a.Name, kind)
		}
		b.WriteString("\n")
	}
	switch {
	case f.Linear && f.OfArgs:
		fmt.Fprintf(&b, "Cost: one pass over its list. Inside a loop over the trace use instead: %s.\n\n", f.Instead)
	case f.Linear:
		fmt.Fprintf(&b, "Cost: one pass over the trace. Inside a loop over the trace use instead: %s.\n\n", f.Instead)
	case f.Many:
		b.WriteString("Cost: looked up in an index; a loop over the result is a loop over the trace.\n\n")
	default:
		b.WriteString("Cost: looked up in an index; may stand in a loop over the trace.\n\n")
	}
	if f.Content || f.Evidence {
		b.WriteString("It reads content: where that was not captured, the rule does not apply.\n\n")
	}
	fmt.Fprintf(&b, "Example, on [the example trace](../../rules/testdata/example.yaml): %v\n\n```\n%s\n```\n", outcome, f.Example)
	return b.String()
}

func functionList() string {
	var b strings.Builder
	group := ""
	for _, f := range rules.Functions() {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "\n**%s**\n\n| function | gives | |\n|---|---|---|\n", group)
		}
		fmt.Fprintf(&b, "| [`%s`](functions/%s.md) | %s | %s |\n", f.Signature(), f.Name, f.ResultName(), strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
	return b.String() + "\n"
}

func fieldList() string {
	var b strings.Builder
	owner := "-"
	for _, f := range rules.Fields() {
		if f.Owner != owner {
			owner = f.Owner
			title := "names of their own"
			if owner != "" {
				title = "fields of a " + owner
			}
			fmt.Fprintf(&b, "\n**%s**\n\n| name | type | |\n|---|---|---|\n", title)
		}
		doc := f.Doc
		if f.Values != nil {
			doc += ": " + strings.Join(f.Values, ", ")
		}
		if f.Content {
			doc += " (content)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.Name, f.Type, doc)
	}
	return b.String() + "\n"
}
