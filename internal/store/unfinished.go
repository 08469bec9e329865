package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Fence is what has to be the same for two verdicts of one rubric to be
// compared, besides the trace.
type Fence struct{ Rule, RuleHash, JudgeHash, NormaliserVersion string }

// text is the fence as the query below writes it.
func (f Fence) text() string {
	return strings.Join([]string{f.Rule, f.RuleHash, f.JudgeHash, f.NormaliserVersion}, "|")
}

// UnfinishedOptions select findings that a later grading can complete.
type UnfinishedOptions struct {
	Selection Selection
	Fences    []Fence  // of the rubrics that are to complete them
	Reasons   []string // of findings with outcome skipped or error
	Limit     int      // most pairs of trace and rubric
}

// Unfinished is one rubric that has unfinished findings on a trace.
type Unfinished struct{ TraceID, Rule string }

// Unfinished lists which rubrics are still to be asked about which traces or
// their steps, in the order in which the traces began: those with an unfinished
// finding of any judge, unless everything is finished under the fence of now.
// For sessions see [Store.UngradedSessions].
func (s *Store) Unfinished(ctx context.Context, o UnfinishedOptions) ([]Unfinished, error) {
	var rules, fences []string
	for _, f := range o.Fences {
		rules, fences = append(rules, f.Rule), append(fences, f.text())
	}
	window := o.Selection
	window.Where = "" // its columns are those of table traces
	part, _ := window.conditions()
	where, parameters := o.Selection.conditions()
	parameters["rules"], parameters["fences"], parameters["reasons"], parameters["limit"] = Array(rules), Array(fences), Array(o.Reasons), fmt.Sprint(o.Limit)
	const fence = "concat(rule, '|', rule_hash, '|', judge_hash, '|', normaliser_version) IN {fences:Array(String)}"
	unfinished := "outcome IN ('skipped', 'error') AND reason IN {reasons:Array(String)} AND rule IN {rules:Array(String)} AND scope != 'session' AND " + part
	findings, outcomes := s.layout.name("findings_current"), s.layout.name("outcomes_current")
	rows, err := s.Query(ctx, `
SELECT trace_id, rule
FROM `+findings+`
WHERE `+unfinished+`
  AND trace_id IN (SELECT trace_id FROM `+s.layout.name("traces_current")+` WHERE `+where+`)
  AND (trace_id, rule) NOT IN (
    SELECT trace_id, rule FROM `+outcomes+` WHERE `+fence+` AND `+part+`
    EXCEPT
    SELECT trace_id, rule FROM `+findings+` WHERE `+fence+` AND `+unfinished+`)
GROUP BY trace_id, rule
ORDER BY min(trace_start), trace_id, rule
LIMIT {limit:UInt64}`, parameters)
	if err != nil {
		return nil, fmt.Errorf("list unfinished findings: %w", err)
	}
	var out []Unfinished
	for rows.Next() {
		var u Unfinished
		if err := rows.rows.Scan(&u.TraceID, &u.Rule); err != nil {
			return nil, errors.Join(rows.wrap(err), rows.Close())
		}
		out = append(out, u)
	}
	return out, rows.Close()
}
