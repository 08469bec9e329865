-- The setting of a run: what must be equal for runs to be repeats of each other,
-- and the version that made it. Runs that were stored before have none of it.

{{$added := list "seed" "case_hash" "guardrails" "hide_metadata" "embedder" "version"}}
{{add (local "runs") "runs" $added}}
CREATE OR REPLACE VIEW {{local "runs_current"}} {{onCluster}} AS
SELECT * FROM {{local "runs"}} FINAL;

{{if cluster}}
{{add (table "runs") "runs" $added}}
{{add (table "runs_current") "runs" $added}}
{{end}}
