-- Traces with the worst findings first: the most of the highest severity.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rule
-- param service String = : only this service
-- param limit UInt32 = 20: most rows
SELECT f.trace_id AS trace_id, any(f.trace_start) AS trace_start, any(f.service) AS service, any(f.version) AS version,
       countIf(severity = 'critical') AS critical, countIf(severity = 'high') AS high,
       countIf(severity = 'medium') AS medium, countIf(severity = 'low') AS low,
       arraySort(groupUniqArray(rule)) AS rules,
       any(t.question) AS question, any(t.answer) AS answer
FROM {{table "findings_current"}} AS f
LEFT JOIN (
    SELECT trace_id, question, answer FROM {{table "traces_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
) AS t ON f.trace_id = t.trace_id
WHERE f.trace_start >= {from:DateTime64(3)} AND f.trace_start < {to:DateTime64(3)}
  AND outcome = 'fail'
  AND ({service:String} = '' OR f.service = {service:String})
  AND ({rule:String} = '' OR f.rule = {rule:String})
GROUP BY trace_id
ORDER BY critical DESC, high DESC, medium DESC, low DESC, trace_start DESC, trace_id
LIMIT {limit:UInt32}
