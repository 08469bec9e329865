-- Runs of benchmarks, and what the harness served in them.

CREATE TABLE IF NOT EXISTS {{local "runs"}} {{onCluster}} (
{{columns "runs"}}
) ENGINE = {{engine "runs"}}
ORDER BY ({{key "runs"}})
{{settings}};

CREATE TABLE IF NOT EXISTS {{local "journal"}} {{onCluster}} (
{{columns "journal"}}
) ENGINE = {{engine "journal"}}
ORDER BY ({{key "journal"}})
{{settings}};

CREATE VIEW IF NOT EXISTS {{local "runs_current"}} {{onCluster}} AS
SELECT * FROM {{local "runs"}} FINAL;

CREATE VIEW IF NOT EXISTS {{local "journal_current"}} {{onCluster}} AS
SELECT * FROM {{local "journal"}} FINAL;

{{distributed "runs" "cityHash64(run)"}}
{{distributed "journal" "cityHash64(run)"}}
{{distributed "runs_current" "rand()"}}
{{distributed "journal_current" "rand()"}}
