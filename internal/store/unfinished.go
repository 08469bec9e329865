package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
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
	Fences   []Fence   // of the rubrics that are to complete them
	Reasons  []string  // of findings with outcome skipped or error
	Sessions bool      // of sessions, by their last trace; else of traces and steps
	From, To time.Time // start of the trace; zero is open
	Limit    int       // most pairs of trace and rubric
}

// Unfinished is one rubric that has unfinished findings on a trace.
type Unfinished struct{ TraceID, Session, Rule string }

// Unfinished lists which rubrics are still to be asked about which traces, in
// the order in which the traces began: those with an unfinished finding of any
// judge, unless everything is finished under the fence of now.
func (s *Store) Unfinished(ctx context.Context, o UnfinishedOptions) ([]Unfinished, error) {
	var rules, fences []string
	for _, f := range o.Fences {
		rules, fences = append(rules, quote(f.Rule)), append(fences, quote(f.text()))
	}
	reasons := make([]string, len(o.Reasons))
	for i, r := range o.Reasons {
		reasons[i] = quote(r)
	}
	list := func(items []string) string { return "[" + strings.Join(items, ",") + "]" }
	parameters := map[string]string{"rules": list(rules), "fences": list(fences), "reasons": list(reasons), "limit": fmt.Sprint(o.Limit)}
	window := ""
	for _, side := range []struct {
		name, operator string
		at             time.Time
	}{{"from", ">=", o.From}, {"to", "<", o.To}} {
		if !side.at.IsZero() {
			window += fmt.Sprintf(" AND trace_start %s {%s:DateTime64(9, 'UTC')}", side.operator, side.name)
			parameters[side.name] = side.at.UTC().Format("2006-01-02 15:04:05.000000000")
		}
	}
	scope := "scope != 'session'"
	if o.Sessions {
		scope = "scope = 'session'"
	}
	const fence = "concat(rule, '|', rule_hash, '|', judge_hash, '|', normaliser_version) IN {fences:Array(String)}"
	unfinished := "outcome IN ('skipped', 'error') AND reason IN {reasons:Array(String)} AND rule IN {rules:Array(String)} AND " + scope + window
	findings, outcomes := s.layout.name("findings_current"), s.layout.name("outcomes_current")
	rows, err := s.Query(ctx, `
SELECT trace_id, any(session_id) AS session, rule
FROM `+findings+`
WHERE `+unfinished+`
  AND (trace_id, rule) NOT IN (
    SELECT trace_id, rule FROM `+outcomes+` WHERE `+fence+window+`
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
		if err := rows.rows.Scan(&u.TraceID, &u.Session, &u.Rule); err != nil {
			return nil, errors.Join(rows.wrap(err), rows.Close())
		}
		out = append(out, u)
	}
	return out, rows.Close()
}
