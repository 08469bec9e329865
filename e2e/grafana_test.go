package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// macros stands for what Grafana and its ClickHouse data source put in the place
// of their macros and variables.
func macros(sql string, variables map[string]string) string {
	sql = strings.NewReplacer("$__fromTime", "toDateTime(0)", "$__toTime", "toDateTime(4102444800)", "$__interval_s", "3600").Replace(sql)
	return regexp.MustCompile(`\$\{(\w+):sqlstring\}`).ReplaceAllStringFunc(sql, func(use string) string {
		name, _, _ := strings.Cut(strings.TrimPrefix(use, "${"), ":")
		return "'" + strings.ReplaceAll(variables[name], "'", "''") + "'"
	})
}

// TestDashboards asks what every panel asks, of graded captures.
func TestDashboards(t *testing.T) {
	files, err := filepath.Glob("../testdata/traces/openinference-manual/*.otlp.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if _, status := tracegrade(t, append([]string{"grade", "--store", "--data", data}, files...)...); status != 1 {
		t.Fatalf("grade --store: status %d, want 1: the captures hold failures", status)
	}
	s := database(t, data)
	worst, err := ask(t.Context(), s, "SELECT trace_id FROM links_current WHERE state = 'unsupported' AND field = 'answer' AND trace_id IN (SELECT trace_id FROM findings_current WHERE outcome = 'fail') LIMIT 1")
	if err != nil || len(worst) != 1 {
		t.Fatalf("a trace with an unsupported value: %v, %v", worst, err)
	}
	// The captures are whole, hold one day, and no judge.
	empty := map[string]bool{
		"Do judges still say what they said": true, "Rules that began to fail: by day": true, "Rules that began to fail: by version": true,
		"Rules that could not be evaluated, or were skipped": true, "What could not be read of the spans": true,
	}
	dashboards, err := filepath.Glob("../deploy/grafana/*.json")
	if err != nil || len(dashboards) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	for _, file := range dashboards {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var d struct {
			Templating struct{ List []struct{ Name string } }
			Panels     []struct {
				Title   string
				Targets []struct{ RawSQL string }
			}
		}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		variables := map[string]string{}
		for _, v := range d.Templating.List {
			variables[v.Name] = ""
		}
		if _, ok := variables["trace_id"]; ok {
			variables["trace_id"] = worst[0]
		}
		for _, p := range d.Panels {
			t.Run(p.Title, func(t *testing.T) {
				sql := macros(p.Targets[0].RawSQL, variables)
				if strings.ContainsAny(sql, "${") {
					t.Errorf("a macro, variable or parameter is left:\n%s", sql)
				}
				rows, err := ask(t.Context(), s, sql)
				if err != nil {
					t.Fatal(err)
				}
				if (len(rows) == 0) != empty[p.Title] {
					t.Errorf("%d rows:\n%s", len(rows), sql)
				}
			})
		}
	}
}
