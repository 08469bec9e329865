-- What people say of findings.

CREATE TABLE IF NOT EXISTS {{local "labels"}} {{onCluster}} (
{{columns "labels"}}
) ENGINE = {{engine "labels"}}
ORDER BY ({{key "labels"}})
{{settings}};

CREATE VIEW IF NOT EXISTS {{local "labels_current"}} {{onCluster}} AS
SELECT * FROM {{local "labels"}} FINAL;

{{distributed "labels" "cityHash64(trace_id)"}}
{{distributed "labels_current" "rand()"}}
