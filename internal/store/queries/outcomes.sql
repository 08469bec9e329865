-- How many subjects came to each outcome, by rule.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
SELECT rule, rule_hash, judge_hash, normaliser_version,
       count() AS traces,
       sum(pass) AS pass, sum(fail) AS fail, sum(not_applicable) AS not_applicable, sum(error) AS error, sum(skipped) AS skipped
FROM {{table "outcomes_current"}}
WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
  AND ({service:String} = '' OR service = {service:String})
GROUP BY rule, rule_hash, judge_hash, normaliser_version
ORDER BY fail DESC, rule, rule_hash, judge_hash, normaliser_version
