-- The text behind the hashes of a rule, rubric or judge, newest first.
-- param rule String: id of the rule or rubric
SELECT kind, rule, hash, title, severity, defect, source, recorded_at, text
FROM {{table "rules_current"}}
WHERE rule = {rule:String}
ORDER BY recorded_at DESC, kind, hash
