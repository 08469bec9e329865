package grade_test

import (
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/offline"
	"github.com/tracegrade/tracegrade/internal/ruleset"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// A grade that is made in the memory of others is the same as one that is not.
func TestRecycle(t *testing.T) {
	files, err := filepath.Glob("../../testdata/traces/*/S*.otlp.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded traces: %v", err)
	}
	set, err := ruleset.Load([]string{"pack:all"})
	if err != nil {
		t.Fatal(err)
	}
	traces, _, err := offline.Traces(t.Context(), files, offline.Options{Attributes: set.Attributes()})
	if err != nil {
		t.Fatal(err)
	}
	said := func(tr *trace.Trace, recycle bool) string {
		g := grade.Trace(set, tr, time.Unix(0, 1))
		text, err := json.Marshal([]any{g.Findings, g.Counts, g.Evidence})
		if err != nil {
			t.Fatal(err)
		}
		if recycle {
			grade.Recycle(set, g)
		}
		return string(text)
	}
	want := make([]string, len(traces))
	for i, tr := range traces {
		want[i] = said(tr, false)
	}
	for range 2 {
		for i, tr := range traces {
			if got := said(tr, true); got != want[i] {
				t.Fatalf("trace %s: graded as\n%s\nwant\n%s", tr.ID, got, want[i])
			}
		}
	}
}
