package normalise_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var update = flag.Bool("update", false, "write docs/frameworks.md")

// TestFrameworksDoc checks that docs/frameworks.md says what the registry says.
func TestFrameworksDoc(t *testing.T) {
	const file = "../../docs/frameworks.md"
	want := normalise.Markdown()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/frameworks.md is stale; run go test ./internal/normalise -run Frameworks -update (-registry +file):\n%s", diff)
	}
}

// TestFrameworksAreDescribed checks that no producer is without words, and that
// names are unique.
func TestFrameworksAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range normalise.Frameworks() {
		if f.Dialect == "" || f.Title == "" || f.Reads == "" || f.Content == "" {
			t.Errorf("%q: title %q, reads %q, content %q: none may be empty", f.Dialect, f.Title, f.Reads, f.Content)
		}
		if seen[f.Dialect] {
			t.Errorf("two dialects are called %q", f.Dialect)
		}
		seen[f.Dialect] = true
	}
	// Every producer that has a dialect on purpose has a row.
	for _, name := range strings.Fields(`otel-genai openinference openllmetry vercel-ai langsmith langfuse pydantic-ai logfire openai-agents mlflow google-adk
		strands aws-adot microsoft-agent-framework microsoft-extensions-ai semantic-kernel autogen crewai llamaindex langchain smolagents dspy haystack claude-code
		codex gemini-cli openlit mastra genkit litellm laminar livekit copilot kagent mcp anthropic-sdk langwatch ag2 general`) {
		if !seen[name] {
			t.Errorf("no dialect is called %q", name)
		}
	}
}

func TestDiagnose(t *testing.T) {
	byDialect := func(file string) map[string]normalise.Diagnosis {
		out := map[string]normalise.Diagnosis{}
		for _, d := range normalise.Diagnose(steps(t, filepath.Join(captured, file))) {
			out[d.Framework.Dialect] = d
		}
		return out
	}
	missing := func(d normalise.Diagnosis) []string {
		var out []string
		for _, m := range d.Missing {
			out = append(out, m.String())
		}
		return out
	}

	d := byDialect("vercel-ai-nocontent/S1.otlp.jsonl")["vercel-ai"]
	want := []string{
		"arguments and results of tools missing on 1 of 1: rules about calls, and every check of evidence, do not apply",
		"content of model calls missing on 2 of 2: rules about what the model saw or said do not apply",
	}
	if diff := cmp.Diff(want, missing(d)); diff != "" {
		t.Errorf("vercel-ai without content (-want +got):\n%s", diff)
	}
	if !strings.Contains(d.Framework.Content, "recordInputs") {
		t.Errorf("content = %q, want how to switch it on", d.Framework.Content)
	}

	d = byDialect("openai-agents/S1.otlp.jsonl")["openai-agents"]
	want = []string{
		"a session id missing on 8 of 8: the traces of one conversation cannot be put together",
		"tool call ids missing on 1 of 1: calls are matched by name, arguments and order instead",
	}
	if diff := cmp.Diff(want, missing(d)); diff != "" {
		t.Errorf("openai-agents (-want +got):\n%s", diff)
	}

	d = byDialect("vercel-ai-truncated/S1.otlp.jsonl")["vercel-ai"]
	if len(d.Missing) == 0 || d.Losses["cut"] == 0 {
		t.Errorf("vercel-ai, truncated: missing %v, losses %v, want cut content in both", missing(d), d.Losses)
	}

	if got := normalise.Diagnose([]*trace.Step{{Dialect: "unknown"}}); len(got) != 0 {
		t.Errorf("a span of nobody: %v, want nothing", got)
	}
}

// TestTestedOn checks what docs/frameworks.md says of the spans behind each row.
func TestTestedOn(t *testing.T) {
	seen := func(pattern string) map[string]bool {
		files, _ := filepath.Glob(pattern)
		dialects := map[string]bool{}
		for _, file := range files {
			if strings.Contains(file, ".logs.") {
				continue
			}
			for _, s := range steps(t, file) {
				dialects[s.Dialect] = true
			}
		}
		return dialects
	}
	ours := seen(filepath.Join(captured, "*", "*.otlp.jsonl"))
	theirs := map[string]bool{}
	if dir := os.Getenv("TRACEGRADE_FIXTURES"); dir != "" {
		theirs = seen(filepath.Join(dir, "otlp", "*.json"))
	}
	for _, f := range normalise.Frameworks() {
		switch {
		case ours[f.Dialect] != (f.Tested == normalise.Recorded):
			t.Errorf("%s is tested on %s: spans of it in testdata/traces: %v", f.Dialect, f.Tested, ours[f.Dialect])
		case len(theirs) > 0 && theirs[f.Dialect] != (f.Tested == normalise.Others) && f.Tested != normalise.Recorded:
			t.Errorf("%s is tested on %s: spans of it in other projects' tests: %v", f.Dialect, f.Tested, theirs[f.Dialect])
		}
	}
}
