-- Share of traces on which a rule failed, by rule and version, with its denominator and the 95 % Wilson interval. Traces to which the rule did not apply, or on which it could not be evaluated, are not counted. Rows with different hashes are not to be compared.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rule
-- param service String = : only this service
WITH 1.959963984540054 AS z
SELECT rule, service, version, failed, traces,
       round(share, 4) AS rate,
       round(greatest(0., (share + z * z / (2 * traces) - z * sqrt(share * (1 - share) / traces + z * z / (4 * traces * traces))) / (1 + z * z / traces)), 4) AS low,
       round(least(1., (share + z * z / (2 * traces) + z * sqrt(share * (1 - share) / traces + z * z / (4 * traces * traces))) / (1 + z * z / traces)), 4) AS high,
       rule_hash, judge_hash, normaliser_version
FROM (
    SELECT rule, rule_hash, judge_hash, normaliser_version, service, version,
           countIf(fail > 0) AS failed, count() AS traces, failed / traces AS share, min(trace_start) AS since
    FROM {{table "outcomes_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
      AND pass + fail > 0
      AND ({rule:String} = '' OR rule = {rule:String})
      AND ({service:String} = '' OR service = {service:String})
    GROUP BY rule, rule_hash, judge_hash, normaliser_version, service, version
)
ORDER BY rule, rule_hash, judge_hash, normaliser_version, service, since, version
