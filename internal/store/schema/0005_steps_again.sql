-- What it takes to grade stored steps again: the tools that a model could choose
-- from, and documents that no other text of the step holds. Steps that were
-- stored before have neither.

{{$added := list "retrieved" "offered"}}
{{add (local "steps") "steps" $added}}
CREATE OR REPLACE VIEW {{local "steps_current"}} {{onCluster}} AS
SELECT * FROM {{local "steps"}} FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

{{if cluster}}
{{add (table "steps") "steps" $added}}
{{add (table "steps_current") "steps" $added}}
{{end}}
