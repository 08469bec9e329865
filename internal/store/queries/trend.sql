-- Share of traces on which a rule failed, over time: one row per rule, meaning (hashes) and interval.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rule
-- param service String = : only this service
-- param interval UInt32 = 86400: seconds of an interval
SELECT toStartOfInterval(toDateTime(trace_start), INTERVAL {interval:UInt32} SECOND) AS time, rule,
       countIf(fail > 0) AS failed, count() AS traces, failed / traces AS rate,
       rule_hash, judge_hash, normaliser_version
FROM {{table "outcomes_current"}}
WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
  AND pass + fail > 0
  AND ({rule:String} = '' OR rule = {rule:String})
  AND ({service:String} = '' OR service = {service:String})
GROUP BY time, rule, rule_hash, judge_hash, normaliser_version
ORDER BY time, rule, rule_hash, judge_hash, normaliser_version
