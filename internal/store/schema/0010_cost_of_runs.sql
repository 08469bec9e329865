-- What a run's model cost, how sure its answer says that it is, and the real tools that
-- the harness stood before. Runs that were stored before have none of it.

{{$added := list "sureness" "cost" "cost_currency" "cost_priced" "real_tools"}}
{{add (local "runs") "runs" $added}}
CREATE OR REPLACE VIEW {{local "runs_current"}} {{onCluster}} AS
SELECT * FROM {{local "runs"}} FINAL;

{{if cluster}}
{{add (table "runs") "runs" $added}}
{{add (table "runs_current") "runs" $added}}
{{end}}
