package packs_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/rules/packs"
)

var update = flag.Bool("update", false, "rewrite docs/rule-packs.md, and fail")

const packsPage = "../../docs/rule-packs.md"

// TestDocsOfPacks generates the page about the shipped rules.
func TestDocsOfPacks(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The shipped rules\n\nOne pack for each topic; all are used unless `--rules` names others. Change a rule with `configure:` in a file of\nyour own (see [rule-language.md](rule-language.md)) instead of copying it. This page is generated from the rules.\n")
	for _, topic := range packs.Topics() {
		files, err := packs.Parse(topic)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "\n## %s\n", topic)
		for _, f := range files {
			for _, r := range f.Rules {
				fmt.Fprintf(&b, "\n### %s\n\n%s. Severity **%v**", r.ID, r.Title, r.Severity)
				if r.Defect != "" {
					fmt.Fprintf(&b, ", defect `%s`", r.Defect)
				}
				fmt.Fprintf(&b, ", scope %v.\n\n%s\n\n* passes: %s\n* fails: %s\n", r.Scope, r.Description, r.Pass, r.Fail)
				for _, p := range r.Params {
					fmt.Fprintf(&b, "* parameter `%s` (%s, default `%v`): %s\n", p.Name.Text, p.Type, p.Default, p.Doc)
				}
			}
		}
	}
	got, err := os.ReadFile(packsPage)
	if err == nil && string(got) == b.String() {
		return
	}
	if *update {
		if err := os.WriteFile(packsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("%s is not what the packs say: run go test ./rules/packs -run TestDocs -update", packsPage)
}
