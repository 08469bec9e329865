-- The views as of before, with a condition that costs a third: see newest in schema.go.

CREATE OR REPLACE VIEW {{local "traces_current"}} {{onCluster}} AS
SELECT * FROM {{local "traces"}} FINAL
WHERE {{newest "traces"}}
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE OR REPLACE VIEW {{local "outcomes_current"}} {{onCluster}} AS
SELECT * FROM {{local "outcomes"}} FINAL
WHERE {{newest "outcomes"}}
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE OR REPLACE VIEW {{local "steps_current"}} {{onCluster}} AS
SELECT s.*
FROM (SELECT * FROM {{local "steps"}} FINAL WHERE {{newest "steps"}}) AS s
LEFT JOIN (SELECT trace_id, max(row_version) AS newest FROM {{local "traces"}} GROUP BY trace_id) AS t ON s.trace_id = t.trace_id
WHERE NOT s.synthetic OR (
    s.row_version >= t.newest
    AND (s.trace_id, s.tool_call_id) NOT IN (SELECT trace_id, tool_call_id FROM {{local "steps"}} WHERE revision = 0 AND tool_call_id != '')
)
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE OR REPLACE VIEW {{local "findings_current"}} {{onCluster}} AS
SELECT f.*
FROM {{local "findings"}} AS f FINAL
INNER JOIN (
    SELECT trace_id, trace_start, cityHash64(rule, rule_hash, judge_hash, normaliser_version, row_version) AS fence
    FROM {{local "outcomes"}} FINAL
    WHERE {{newest "outcomes"}}
) AS o
ON f.trace_id = o.trace_id AND f.trace_start = o.trace_start
AND cityHash64(f.rule, f.rule_hash, f.judge_hash, f.normaliser_version, f.row_version) = o.fence
SETTINGS do_not_merge_across_partitions_select_final = 1;

{{range $v := list "observations" "links"}}
CREATE OR REPLACE VIEW {{local (printf "%s_current" $v)}} {{onCluster}} AS
SELECT b.*
FROM {{local $v}} AS b FINAL
INNER JOIN (SELECT trace_id, row_version, trace_start FROM {{local "traces"}} FINAL WHERE {{newest "traces"}}) AS t
ON b.trace_id = t.trace_id AND b.row_version = t.row_version AND b.trace_start = t.trace_start
SETTINGS do_not_merge_across_partitions_select_final = 1;
{{end}}
