-- Rows collapse by key within a partition only. Where a revision moves the start
-- of its trace into another month, the older rows stay in theirs; the views show
-- of such a trace the rows that are the newest of their key in all months. Which
-- traces that can be is known when they are written, and they are few; those that
-- were stored before are found here.

CREATE TABLE IF NOT EXISTS {{local "month_ends"}} {{onCluster}} (
{{columns "month_ends"}}
) ENGINE = {{engine "month_ends"}}
ORDER BY ({{key "month_ends"}})
{{settings}};

CREATE VIEW IF NOT EXISTS {{local "month_ends_current"}} {{onCluster}} AS
SELECT * FROM {{local "month_ends"}} FINAL;

{{distributed "month_ends" "cityHash64(trace_id)"}}
{{distributed "month_ends_current" "rand()"}}

INSERT INTO {{table "month_ends"}} (trace_id, row_version)
SELECT trace_id, max(row_version) FROM {{table "traces"}}
WHERE toYYYYMM(trace_start - INTERVAL 1 HOUR) != toYYYYMM(greatest(trace_start, trace_end) + INTERVAL 1 HOUR)
GROUP BY trace_id;

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
