package packs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
	"github.com/tracegrade/tracegrade/rules"
)

const corpusRoot = "../../testdata/traces"

// corpusRun is one captured run: the traces of one scenario of one framework.
type corpusRun struct {
	name   string // framework/scenario
	traces []*trace.Trace
}

// corpus reads the captured runs. Logs belong to the spans of their scenario.
func corpus(t testing.TB, attributes []string) []corpusRun {
	t.Helper()
	files, err := filepath.Glob(corpusRoot + "/*/S*.otlp.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no captured traces under %s: %v", corpusRoot, err)
	}
	var runs []corpusRun
	for _, f := range files {
		if strings.HasSuffix(f, ".logs.otlp.jsonl") {
			continue
		}
		runs = append(runs, corpusRun{name: runName(f), traces: openRun(t, f, attributes)})
	}
	return runs
}

func runName(file string) string {
	return filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".otlp.jsonl")
}

func openRun(t testing.TB, file string, attributes []string) []*trace.Trace {
	t.Helper()
	inputs := []string{file}
	logs := strings.TrimSuffix(file, ".otlp.jsonl") + ".logs.otlp.jsonl"
	if _, err := os.Stat(logs); err == nil {
		inputs = append(inputs, logs)
	}
	traces, _, err := offline.Traces(context.Background(), inputs, offline.Options{
		Attributes: attributes,
		Problem:    func(p *tracefile.Problem) { t.Errorf("%v", p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return traces
}

// worstPerRule gives, for each rule, the outcome that says most over the
// traces of a run, and a finding with it.
func worstPerRule(set *rules.Set, traces []*trace.Trace) map[string]trace.Finding {
	rank := map[trace.Outcome]int{trace.OutcomeNotApplicable: 1, trace.OutcomeSkipped: 2, trace.OutcomePass: 3, trace.OutcomeFail: 4, trace.OutcomeError: 5}
	worst := map[string]trace.Finding{}
	for _, tr := range traces {
		findings, _ := set.Eval(tr)
		for _, f := range findings {
			if rank[f.Outcome] > rank[worst[f.Rule].Outcome] {
				worst[f.Rule] = f
			}
		}
	}
	return worst
}
