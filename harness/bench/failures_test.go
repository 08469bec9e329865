package bench

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
)

// Every mistake is named before a run is made.
func TestOptionsAreValidated(t *testing.T) {
	dir := t.TempDir()
	_, err := Run(context.Background(), Options{
		Cases: []*cases.Case{{ID: "bare"}}, Agents: []*agent.File{{Name: "a"}, {Name: "a"}}, Arms: []cases.Arm{"trp"}, Retries: -1, Dir: dir,
	})
	want := `two agents are called "a": their runs would be one another's
arm "trp": want trap or clean
case "bare" has no trap: there is nothing to measure; a control such as clean_twin stands where nothing is planted
repeats 0, concurrency 0, retries -1, timeout 0s: want nothing negative`
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
}

// Who runs a benchmark is told why runs failed: each reason once, and in the
// report with its count.
func TestFailuresAreTold(t *testing.T) {
	var out strings.Builder
	n := notices{w: &out, told: map[string]bool{}}
	var runs []Record
	for i := range 30 {
		r := Record{Run: fmt.Sprint(i), Agent: "a", Case: "c", Arm: cases.Trapped, K: i, Error: "it crashed"}
		if i >= 15 {
			r.Error = fmt.Sprintf("it crashed\nat %d", i)
		}
		n.failed(&r, false)
		runs = append(runs, r)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 1+2*(maxReasons-1)+2 || lines[0] != "a.c.trap.0 failed: it crashed" || lines[len(lines)-2] != "further reasons stand in runs.jsonl" {
		t.Errorf("told %d lines:\n%s", len(lines), &out)
	}
	rep := NewReport(runs).Agents[0]
	if d := cmp.Diff(Failure{Reason: "it crashed", Runs: 15, First: "a.c.trap.0"}, rep.Failures[0]); d != "" || rep.Errors != 30 || len(rep.Failures) != 16 {
		t.Errorf("%d errors for %d reasons (-want +got):\n%s", rep.Errors, len(rep.Failures), d)
	}
	text := NewReport(runs).table(false)
	if !strings.Contains(text, "15 runs, first a.c.trap.0: it crashed\n") || strings.Contains(text, "exposure_rate") {
		t.Errorf("the report of an agent that could not be run:\n%s", text)
	}
}
