-- The facts of a run that the figures of a benchmark are counted from. Runs that
-- were stored before have none of them: zero, and NULL for the confidence.

{{$added := list "factors" "near_repeated_calls" "yielding_calls" "hops" "hops_covered" "answer_values" "values_supported" "values_defective" "values_unsupported" "citations" "citations_reliable" "stated_confidence"}}
{{add (local "runs") "runs" $added}}
CREATE OR REPLACE VIEW {{local "runs_current"}} {{onCluster}} AS
SELECT * FROM {{local "runs"}} FINAL;

{{if cluster}}
{{add (table "runs") "runs" $added}}
{{add (table "runs_current") "runs" $added}}
{{end}}
