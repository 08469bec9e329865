-- The most expensive single steps: by stated cost, then by tokens.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
-- param limit UInt32 = 20: most rows
SELECT trace_id, step_id, kind, if(model != '', model, name) AS step, service, version,
       cost, currency, input_tokens, output_tokens, cache_read_tokens,
       (toUnixTimestamp64Nano(step_end) - toUnixTimestamp64Nano(step_start)) / 1e9 AS seconds
FROM {{table "steps_current"}}
WHERE step_start >= {from:DateTime64(3)} AND step_start < {to:DateTime64(3)}
  AND ({service:String} = '' OR service = {service:String})
  AND duplicate_of = '' AND usage_scope = 'own'
ORDER BY cost DESC, input_tokens + output_tokens DESC, trace_id, step_id
LIMIT {limit:UInt32}
