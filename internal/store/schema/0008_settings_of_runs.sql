-- The setting of a run: what must be equal for runs to be repeats of each other,
-- and the version that made it. Runs that were stored before have none of it.

{{$added := list "seed" "case_hash" "guardrails" "hide_metadata" "embedder" "version"}}
{{range $added}}
ALTER TABLE {{local "runs"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "runs" .}};
{{end}}

CREATE OR REPLACE VIEW {{local "runs_current"}} {{onCluster}} AS
SELECT * FROM {{local "runs"}} FINAL;

{{if cluster}}
{{range $added}}
ALTER TABLE {{table "runs"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "runs" .}};
ALTER TABLE {{table "runs_current"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "runs" .}};
{{end}}
{{end}}
