-- What judges say of the same labelled items, time after time.

CREATE TABLE IF NOT EXISTS {{local "sentinels"}} {{onCluster}} (
{{columns "sentinels"}}
) ENGINE = {{engine "sentinels"}}
ORDER BY ({{key "sentinels"}})
{{settings}};

CREATE VIEW IF NOT EXISTS {{local "sentinels_current"}} {{onCluster}} AS
SELECT * FROM {{local "sentinels"}} FINAL;

{{distributed "sentinels" "cityHash64(rule, item)"}}
{{distributed "sentinels_current" "rand()"}}
