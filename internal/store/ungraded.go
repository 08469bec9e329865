package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// groupKey is what traces of one conversation have in common: the session's id,
// or the trace's own where its producer gave none.
const groupKey = "if(session_id = '', trace_id, session_id)"

// Shard is one of several parts of the stored traces, for workers that share
// them. Traces of one session are in one part. The zero value is all.
type Shard struct{ Index, Of int }

// Ungraded is one trace, or the traces of one session, with the rules under
// which it is not graded yet.
type Ungraded struct {
	Key    string   // trace id; of sessions their id, or the trace id where they have none
	Traces []string // ids
	Rules  []string // of the fences that were asked for
	// NormaliserVersion is the one that read the trace; of a session, its last.
	NormaliserVersion string
}

// Ungraded lists which traces of a selection have rules among those of fences
// that no grading has counted on their current revision, spans that came late
// included, in the order in which they began, at most limit. What the fences say of a normaliser is not looked
// at: a stored trace stays what its own one read.
func (s *Store) Ungraded(ctx context.Context, sel Selection, fences []Fence, limit int) ([]Ungraded, error) {
	where, parameters := sel.conditions()
	return s.ungraded(ctx, fences, limit, parameters, `
SELECT t.trace_id AS key, [t.trace_id] AS ids, t.normaliser AS normaliser, any(o.rules) AS done
FROM (
    SELECT trace_id, revision, normaliser_version AS normaliser, trace_start AS began
    FROM `+s.layout.name("traces_current")+` WHERE `+where+`
) AS t
LEFT JOIN (
    SELECT trace_id, uniqExact(step_id) AS spans FROM `+s.layout.name("steps")+` FINAL WHERE revision = 0 AND NOT synthetic GROUP BY trace_id
) AS late ON late.trace_id = t.trace_id
LEFT JOIN (
    SELECT trace_id, revision, normaliser_version, groupUniqArray(rule) AS rules
    FROM `+s.layout.name("outcomes_current")+` WHERE `+fenced+` GROUP BY trace_id, revision, normaliser_version
) AS o ON o.trace_id = t.trace_id AND o.revision = t.revision + late.spans AND o.normaliser_version = t.normaliser
GROUP BY t.trace_id, t.normaliser, t.began
HAVING length(done) < {rules:UInt64}
ORDER BY t.began, key
LIMIT {limit:UInt64}`)
}

// UngradedSessions is [Store.Ungraded] for sessions that have a trace in the
// selection, whole: also with their traces outside it. The findings of a session
// hang on its last trace. They are of no use, and the session is ungraded, where
// it was skipped, or where a trace was stored after it was graded.
func (s *Store) UngradedSessions(ctx context.Context, sel Selection, fences []Fence, limit int) ([]Ungraded, error) {
	where, parameters := sel.conditions()
	traces := s.layout.name("traces_current")
	return s.ungraded(ctx, fences, limit, parameters, `
SELECT s.key AS key, s.ids AS ids, s.normaliser AS normaliser, groupUniqArrayIf(o.rule, o.rule != '' AND o.graded_at >= s.stored) AS done
FROM (
    SELECT `+groupKey+` AS key, arraySort(groupUniqArray(trace_id)) AS ids, argMax(trace_id, (trace_start, trace_id)) AS last,
        argMax(normaliser_version, (trace_start, trace_id)) AS normaliser, max(graded_at) AS stored, min(trace_start) AS began
    FROM `+traces+`
    WHERE `+groupKey+` IN (SELECT `+groupKey+` FROM `+traces+` WHERE `+where+`)
    GROUP BY key
) AS s
LEFT JOIN (
    SELECT trace_id, normaliser_version, rule, max(graded_at) AS graded_at
    FROM `+s.layout.name("outcomes_current")+` WHERE skipped = 0 AND `+fenced+` GROUP BY trace_id, normaliser_version, rule
) AS o ON o.trace_id = s.last AND o.normaliser_version = s.normaliser
GROUP BY s.key, s.ids, s.normaliser, s.began
HAVING length(done) < {rules:UInt64}
ORDER BY s.began, key
LIMIT {limit:UInt64}`)
}

// fenced selects the rows of findings or outcomes that lie within parameter
// fences, whatever their normaliser.
const fenced = "concat(rule, '|', rule_hash, '|', judge_hash) IN {fences:Array(String)}"

// ungraded runs one of the two questions.
func (s *Store) ungraded(ctx context.Context, fences []Fence, limit int, parameters map[string]string, sql string) ([]Ungraded, error) {
	if len(fences) == 0 {
		return nil, nil
	}
	texts := make([]string, len(fences))
	for i, f := range fences {
		texts[i] = f.Rule + "|" + f.RuleHash + "|" + f.JudgeHash
	}
	parameters["fences"], parameters["rules"], parameters["limit"] = Array(texts), fmt.Sprint(len(fences)), fmt.Sprint(limit)
	rows, err := s.Query(ctx, sql, parameters)
	if err != nil {
		return nil, fmt.Errorf("list ungraded traces: %w", err)
	}
	var out []Ungraded
	for rows.Next() {
		var u Ungraded
		var done []string
		if err := rows.rows.Scan(&u.Key, &u.Traces, &u.NormaliserVersion, &done); err != nil {
			return nil, errors.Join(rows.wrap(err), rows.Close())
		}
		for _, f := range fences {
			if !slices.Contains(done, f.Rule) {
				u.Rules = append(u.Rules, f.Rule)
			}
		}
		if n := len(out); n > 0 && slices.Equal(out[n-1].Rules, u.Rules) {
			u.Rules = out[n-1].Rules // most traces lack the same
		}
		out = append(out, u)
	}
	return out, rows.Close()
}
