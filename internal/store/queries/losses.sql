-- What of the spans could not be read, by dialect and place; the first thing to look at when a grade surprises.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
SELECT dialect, splitByChar(':', loss, 2)[1] AS reason, splitByChar(':', loss, 2)[2] AS key,
       count() AS steps, uniqExact(trace_id) AS traces, any(trace_id) AS a_trace, any(step_id) AS a_step
FROM {{table "steps_current"}}
ARRAY JOIN losses AS loss
WHERE step_start >= {from:DateTime64(3)} AND step_start < {to:DateTime64(3)}
  AND ({service:String} = '' OR service = {service:String})
GROUP BY dialect, reason, key
ORDER BY steps DESC, dialect, reason, key
