-- Answers with values that rest on no observation, or that observations contradict, newest first.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
-- param limit UInt32 = 50: most rows
SELECT l.trace_start AS trace_start, l.service AS service, l.version AS version, l.trace_id AS trace_id,
       groupUniqArrayIf(value, state = 'unsupported') AS unsupported,
       groupUniqArrayIf(value, state = 'contradicted') AS contradicted,
       uniqExact(field, offset) AS bad_values, any(v.total) AS values,
       any(t.question) AS question, any(t.answer) AS answer
FROM {{table "links_current"}} AS l
INNER JOIN (
    SELECT trace_id, uniqExact(step_id, field, offset) AS total
    FROM {{table "links_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)} AND field = 'answer'
    GROUP BY trace_id
) AS v ON l.trace_id = v.trace_id
LEFT JOIN (
    SELECT trace_id, question, answer FROM {{table "traces_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
) AS t ON l.trace_id = t.trace_id
WHERE l.trace_start >= {from:DateTime64(3)} AND l.trace_start < {to:DateTime64(3)}
  AND l.field = 'answer' AND l.state IN ('unsupported', 'contradicted')
  AND ({service:String} = '' OR l.service = {service:String})
GROUP BY trace_start, service, version, trace_id
ORDER BY trace_start DESC, trace_id
LIMIT {limit:UInt32}
