-- The day on which, or the version with which, a rule began to fail more often; versions are ordered by their first trace. Of every way to split the days (versions) of a rule in before and after, the one with the largest rise of the share of failing traces (two-proportion z) is shown where z is at least the parameter. Only rows under one fence (rule_hash, judge_hash, normaliser_version) and of one service and agent are compared; fences says how many the rule has in the window.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rule
-- param service String = : only this service
-- param by Enum8('day', 'version') = day: what to split by
-- param z Float64 = 3: least z; 3 is about one false alarm in 700 splits
WITH
slices AS (
    SELECT rule, rule_hash, judge_hash, normaliser_version, service, agent, if({by:Enum8('day', 'version')} = 'version', version, toString(toDate(trace_start))) AS slice, min(trace_start) AS since,
           countIf(fail > 0) AS failed, count() AS traces
    FROM {{table "outcomes_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)} AND pass + fail > 0
      AND ({rule:String} = '' OR rule = {rule:String})
      AND ({service:String} = '' OR service = {service:String})
    GROUP BY rule, rule_hash, judge_hash, normaliser_version, service, agent, slice
),
splits AS (
    SELECT *,
           sum(failed) OVER before - failed AS failed_before, sum(traces) OVER before - traces AS traces_before,
           sum(failed) OVER after AS failed_after, sum(traces) OVER after AS traces_after
    FROM slices
    WINDOW before AS (PARTITION BY rule, rule_hash, judge_hash, normaliser_version, service, agent ORDER BY since, slice ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
           after AS (PARTITION BY rule, rule_hash, judge_hash, normaliser_version, service, agent ORDER BY since, slice ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
),
scored AS (
    SELECT *,
           failed_before / traces_before AS rate_before, failed_after / traces_after AS rate_after,
           (failed_before + failed_after) / (traces_before + traces_after) AS rate,
           (rate_after - rate_before) / sqrt(rate * (1 - rate) * (1 / traces_before + 1 / traces_after)) AS score
    FROM splits
    WHERE traces_before > 0
)
SELECT rule, service, agent, slice AS at, since AS began,
       rate_before, failed_before, traces_before, rate_after, failed_after, traces_after,
       score AS z, fences, rule_hash, judge_hash, normaliser_version
FROM scored
INNER JOIN (
    SELECT rule, uniqExact(rule_hash, judge_hash, normaliser_version) AS fences FROM slices GROUP BY rule
) AS f USING (rule)
WHERE isFinite(score) AND score >= {z:Float64}
ORDER BY score DESC, traces_after DESC, began
LIMIT 1 BY rule, rule_hash, judge_hash, normaliser_version, service, agent
