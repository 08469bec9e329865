-- What it takes to grade stored steps again: the tools that a model could choose
-- from, and documents that no other text of the step holds. Steps that were
-- stored before have neither.

ALTER TABLE {{local "steps"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "steps" "retrieved"}};
ALTER TABLE {{local "steps"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "steps" "offered"}};

CREATE OR REPLACE VIEW {{local "steps_current"}} {{onCluster}} AS
SELECT * FROM {{local "steps"}} FINAL
SETTINGS do_not_merge_across_partitions_select_final = 1;

{{if cluster}}
ALTER TABLE {{table "steps"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "steps" "retrieved"}};
ALTER TABLE {{table "steps"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "steps" "offered"}};
ALTER TABLE {{table "steps_current"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "steps" "retrieved"}};
ALTER TABLE {{table "steps_current"}} {{onCluster}} ADD COLUMN IF NOT EXISTS {{column "steps" "offered"}};
{{end}}
