-- What each judge of a finding said, and what it cost. Findings that were stored
-- before have none of it.

{{$added := list "agreement" "judges" "judge_models" "judge_outcomes" "judge_calls" "judge_tokens" "judge_costs" "judge_currencies"}}
{{add (local "findings") "findings" $added}}
CREATE OR REPLACE VIEW {{local "findings_current"}} {{onCluster}} AS
SELECT f.*
FROM {{local "findings"}} AS f FINAL
INNER JOIN (
    SELECT trace_id, trace_start, cityHash64(rule, rule_hash, judge_hash, normaliser_version, row_version) AS fence
    FROM {{local "outcomes"}} FINAL
) AS o
ON f.trace_id = o.trace_id AND f.trace_start = o.trace_start
AND cityHash64(f.rule, f.rule_hash, f.judge_hash, f.normaliser_version, f.row_version) = o.fence
SETTINGS do_not_merge_across_partitions_select_final = 1;

{{if cluster}}
{{add (table "findings") "findings" $added}}
{{add (table "findings_current") "findings" $added}}
{{end}}
