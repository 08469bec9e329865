-- Tokens, cost and time by agent and version. cost is the sum over the traces of priced, the only ones that state one.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
SELECT service, agent, version, currency, count() AS traces,
       sum(u.input_tokens) AS input_tokens, sum(u.output_tokens) AS output_tokens, sum(u.reasoning_tokens) AS reasoning_tokens,
       sum(u.cache_read_tokens) AS cache_read_tokens,
       (sum(u.input_tokens) + sum(u.output_tokens)) / traces AS tokens_per_trace,
       countIf(u.cost > 0) AS priced, sum(u.cost) AS cost, if(priced > 0, cost / priced, NULL) AS cost_per_trace,
       avg(u.llm_steps) AS llm_steps, avg(u.tool_steps) AS tool_steps,
       quantile(0.5)(u.seconds) AS p50_seconds, quantile(0.95)(u.seconds) AS p95_seconds
FROM (
    SELECT *, (toUnixTimestamp64Nano(trace_end) - toUnixTimestamp64Nano(trace_start)) / 1e9 AS seconds
    FROM {{table "traces_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
      AND ({service:String} = '' OR service = {service:String})
) AS u
GROUP BY service, agent, version, currency
ORDER BY service, agent, min(u.trace_start), version, currency
