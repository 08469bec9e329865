-- Findings of late, newest first, each with the span that proves it.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rule
-- param service String = : only this service
-- param outcome String = fail: only this outcome; empty for all
-- param trace_id String = : only this trace
-- param limit UInt32 = 50: most rows
SELECT trace_start, service, version, rule, rule_hash, severity, outcome, reason, message,
       if(span_id != '', span_id, if(empty(witness), step_id, witness[1])) AS span,
       witness, trace_id
FROM {{table "findings_current"}}
WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
  AND ({rule:String} = '' OR rule = {rule:String})
  AND ({service:String} = '' OR service = {service:String})
  AND ({trace_id:String} = '' OR trace_id = {trace_id:String})
  AND ({outcome:String} = '' OR outcome = {outcome:String})
ORDER BY trace_start DESC, trace_id, rule, subject
LIMIT {limit:UInt32}
