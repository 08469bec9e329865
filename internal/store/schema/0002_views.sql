-- The views that people query: every table as of now.
--
-- A finding is shown only where it matches the newest row of its rule in
-- outcomes, so that a later pass takes an old fail away. What evidence says of
-- a trace is shown only where it matches the trace's newest row. Joining by
-- trace_start too lets a time window prune the partitions of both sides; one
-- hash for the rest of the key halves the time of a join over everything.

CREATE VIEW IF NOT EXISTS {{local "traces_current"}} {{onCluster}} AS
SELECT * FROM {{local "traces"}} FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS {{local "steps_current"}} {{onCluster}} AS
SELECT * FROM {{local "steps"}} FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS {{local "outcomes_current"}} {{onCluster}} AS
SELECT * FROM {{local "outcomes"}} FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS {{local "rules_current"}} {{onCluster}} AS
SELECT * FROM {{local "rules"}} FINAL;

CREATE VIEW IF NOT EXISTS {{local "findings_current"}} {{onCluster}} AS
SELECT f.*
FROM {{local "findings"}} AS f FINAL
INNER JOIN (
    SELECT trace_id, trace_start, cityHash64(rule, rule_hash, judge_hash, normaliser_version, row_version) AS fence
    FROM {{local "outcomes"}} FINAL
) AS o
ON f.trace_id = o.trace_id AND f.trace_start = o.trace_start
AND cityHash64(f.rule, f.rule_hash, f.judge_hash, f.normaliser_version, f.row_version) = o.fence
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS {{local "observations_current"}} {{onCluster}} AS
SELECT b.*
FROM {{local "observations"}} AS b FINAL
INNER JOIN (SELECT trace_id, row_version, trace_start FROM {{local "traces"}} FINAL) AS t
ON b.trace_id = t.trace_id AND b.row_version = t.row_version AND b.trace_start = t.trace_start
SETTINGS do_not_merge_across_partitions_select_final = 1;

CREATE VIEW IF NOT EXISTS {{local "links_current"}} {{onCluster}} AS
SELECT l.*
FROM {{local "links"}} AS l FINAL
INNER JOIN (SELECT trace_id, row_version, trace_start FROM {{local "traces"}} FINAL) AS t
ON l.trace_id = t.trace_id AND l.row_version = t.row_version AND l.trace_start = t.trace_start
SETTINGS do_not_merge_across_partitions_select_final = 1;

{{range $v := list "traces_current" "steps_current" "outcomes_current" "rules_current" "findings_current" "observations_current" "links_current"}}{{distributed $v "rand()"}}
{{end}}
