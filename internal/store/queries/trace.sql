-- Everything that happened in one trace, step by step, with what rules found there.
-- param trace_id String: the trace
SELECT step_start, kind, if(kind = 'tool', tool, if(kind = 'llm', model, name)) AS step, agent,
       (toUnixTimestamp64Nano(step_end) - toUnixTimestamp64Nano(step_start)) / 1e9 AS seconds,
       failed, error, input, output, input_tokens, output_tokens, step_id, span_id, parent_id, caused_by,
       f.failed_rules AS failed_rules
FROM {{table "steps_current"}} AS s
LEFT JOIN (
    SELECT proof, arraySort(groupUniqArray(rule)) AS failed_rules
    FROM {{table "findings_current"}}
    ARRAY JOIN arrayDistinct(arrayConcat(witness, [step_id])) AS proof
    WHERE trace_id = {trace_id:String} AND outcome = 'fail'
    GROUP BY proof
) AS f ON s.step_id = f.proof
WHERE trace_id = {trace_id:String} AND duplicate_of = ''
ORDER BY step_start, step_end DESC, step_id
