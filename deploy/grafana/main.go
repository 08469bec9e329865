// Command grafana writes the dashboards of this folder: named queries of
// package store as panels, so that a dashboard and tracegrade query NAME give
// the same answer.
//
//	go run ./deploy/grafana FOLDER
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./deploy/grafana FOLDER")
		os.Exit(2)
	}
	for _, d := range dashboards() {
		if err := write(filepath.Join(os.Args[1], d.UID+".json"), d); err != nil {
			fmt.Fprintln(os.Stderr, "grafana:", err)
			os.Exit(1)
		}
	}
}

func write(path string, d dashboard) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // SQL is read by people
	e.SetIndent("", "  ")
	if err := e.Encode(d); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// meaning names a line of a rule by what its numbers may be compared with: the
// same rule, judge and reader of spans.
const meaning = "concat(rule, ' ', substring(rule_hash, 1, 8), if(judge_hash = '', '', concat(' ', substring(judge_hash, 1, 8))), ' reader ', normaliser_version) AS line"

// dashboards are one for all traces of a time, and one for a single trace, to
// which trace ids in the first lead.
func dashboards() []dashboard {
	return []dashboard{
		newDashboard("tracegrade", "tracegrade: grades", []variable{
			textbox("service", "service (empty: all)", ""), textbox("rule", "rule (empty: all)", ""),
		},
			asking("Share of traces on which a rule failed", "trend").over("time", meaning, "rate").sized(24, 9),
			asking("Rules that began to fail: by day", "regressions").sized(12, 8),
			asking("Rules that began to fail: by version", "regressions").with("by", "version").sized(12, 8),
			asking("Failures by rule and version, with 95 % interval", "fail-rate").sized(24, 9),
			asking("Worst traces", "worst-traces").sized(24, 9),
			asking("Findings, newest first", "findings").sized(24, 9),
			asking("Values that rest on nothing, or that observations contradict", "unsupported-values").sized(12, 8),
			asking("Sources out of date on which answers rest", "stale-sources").sized(12, 8),
			asking("Tokens, cost and time by agent and version", "usage").sized(24, 7),
			asking("Where time goes", "slow-steps").sized(12, 8),
			asking("Rules that could not be evaluated, or were skipped", "errors").sized(12, 8),
			asking("Do judges still say what they said", "judge-drift").sized(12, 7),
			asking("What could not be read of the spans", "losses").sized(12, 7),
		),
		newDashboard(traceDashboard, "tracegrade: one trace", []variable{textbox("trace_id", "trace id", "none")},
			asking("What rules found, each with the span that proves it", "findings").with("outcome", "").sized(24, 8),
			asking("The values of the answer, and what each rests on", "values").with("field", "answer").sized(24, 9),
			asking("What happened, step by step", "trace").sized(24, 12),
		),
	}
}
