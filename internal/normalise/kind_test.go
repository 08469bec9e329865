package normalise_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// fixtures is the folder of other projects' spans, which is not part of the
// repository.
func fixtures(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("TRACEGRADE_FIXTURES")
	if dir == "" {
		t.Skip("TRACEGRADE_FIXTURES is not set: the spans of other projects are not tested")
	}
	return dir
}

// nameMax is where kinds_by_rule.tsv cuts names.
const nameMax = 80

// kindsDecided are the rows of kinds_by_rule.tsv that are not followed, with the
// reason.
var kindsDecided = map[string]string{
	"constructed/litellm.json raw_gen_ai_request":                                                             "the same call as its parent, to be folded into it",
	"otlp/logfire-test__openai_agents_mcp__mcp.json MCP server handle request: tools/call":                    "rule 10",
	"otlp/logfire-test__openai_agents_mcp__mcp.json MCP request: tools/call random_number":                    "rule 10",
	"otlp/logfire-test__pydantic_ai_mcp__pydantic_ai_mcp_sampling.json MCP server handle request: tools/call": "rule 10",
	"otlp/logfire-test__pydantic_ai_mcp__pydantic_ai_mcp_sampling.json MCP request: tools/call joker":         "rule 10",
}

// TestKindsOfFixtures compares with kinds that were found by hand.
func TestKindsOfFixtures(t *testing.T) {
	dir := fixtures(t)
	f, err := os.Open(filepath.Join(dir, "kinds_by_rule.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]map[string][]*trace.Step{}
	for _, row := range rows[1:] {
		file, id, name, want := row[0], row[1], row[2], row[4]
		if read[file] == nil {
			read[file] = map[string][]*trace.Step{}
			for _, s := range steps(t, filepath.Join(dir, file)) {
				key := s.SpanID + s.Name[:min(len(s.Name), nameMax)]
				read[file][key] = append(read[file][key], s)
			}
		}
		if _, decided := kindsDecided[file+" "+name]; decided {
			continue
		}
		list := read[file][id+name]
		if len(list) == 0 {
			t.Errorf("%s: no step for span %s %q", file, id, name)
			continue
		}
		got := list[0].Kind.String()
		want, _, _ = strings.Cut(want, "(")
		ok := false
		for _, w := range strings.Split(want, "/") {
			ok = ok || w == got
		}
		if !ok {
			t.Errorf("%s: %q is %s by %s, want %s by rule %s", file, name, got, list[0].KindSource, want, row[5])
		}
	}
}
