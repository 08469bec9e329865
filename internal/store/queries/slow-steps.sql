-- Where time goes: model and tool steps by name, with how often they ran and failed and how long they took (seconds).
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
SELECT kind, if(kind = 'tool', tool, if(kind = 'llm', model, name)) AS step,
       count() AS calls, countIf(failed) AS failed,
       sum(seconds) AS total, quantile(0.5)(seconds) AS p50, quantile(0.95)(seconds) AS p95, max(seconds) AS longest,
       argMax(trace_id, seconds) AS longest_trace, argMax(step_id, seconds) AS longest_step
FROM (
    SELECT *, (toUnixTimestamp64Nano(step_end) - toUnixTimestamp64Nano(step_start)) / 1e9 AS seconds
    FROM {{table "steps_current"}}
    WHERE step_start >= {from:DateTime64(3)} AND step_start < {to:DateTime64(3)}
      AND ({service:String} = '' OR service = {service:String})
      AND duplicate_of = '' AND kind IN ('llm', 'tool', 'retriever', 'embedding', 'reranker', 'guardrail')
)
GROUP BY kind, step
ORDER BY total DESC, kind, step
