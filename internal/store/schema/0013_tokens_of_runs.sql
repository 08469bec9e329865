-- The tokens of a run whose spans state none are not measured, and not 0: those of
-- runs that were stored before too.

{{$changed := list "input_tokens" "output_tokens"}}
{{change (local "runs") "runs" $changed}}
ALTER TABLE {{local "runs"}} {{onCluster}} UPDATE input_tokens = NULL, output_tokens = NULL
WHERE input_tokens = 0 AND output_tokens = 0 SETTINGS mutations_sync = 2;

CREATE OR REPLACE VIEW {{local "runs_current"}} {{onCluster}} AS
SELECT * FROM {{local "runs"}} FINAL;

{{if cluster}}
{{change (table "runs") "runs" $changed}}
{{change (table "runs_current") "runs" $changed}}
{{end}}
