-- Findings that say nothing about the agent: rules that could not be evaluated, or were skipped, by reason.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rule
-- param service String = : only this service
SELECT outcome, rule, reason, count() AS findings, uniqExact(trace_id) AS traces,
       argMax(message, graded_at) AS latest_message, argMax(trace_id, graded_at) AS latest_trace
FROM {{table "findings_current"}}
WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
  AND outcome IN ('error', 'skipped')
  AND ({rule:String} = '' OR rule = {rule:String})
  AND ({service:String} = '' OR service = {service:String})
GROUP BY outcome, rule, reason
ORDER BY findings DESC, outcome, rule, reason
