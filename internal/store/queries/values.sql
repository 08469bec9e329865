-- Every value of one trace's answer and tool arguments with what it rests on: the state of its link, and the observation with its source, date and place.
-- param trace_id String: the trace
-- param field String = : only this field, for instance answer
SELECT l.field AS field, l.offset AS offset, value, state, method, operands,
       o.tool AS tool, if(o.url != '', o.url, o.source) AS source, o.published_at AS published_at, o.stale AS stale,
       substringUTF8(o.content, 1, 200) AS observation, l.observation_span_id AS span, l.observation_field AS observation_field, l.observation_offset AS observation_offset
FROM {{table "links_current"}} AS l
ANY LEFT JOIN (
    SELECT observation_id, step_id, tool, url, source, published_at, stale, content
    FROM {{table "observations_current"}}
    WHERE trace_id = {trace_id:String}
) AS o ON l.observation_id = o.observation_id AND l.observation_step_id = o.step_id
WHERE l.trace_id = {trace_id:String} AND ({field:String} = '' OR l.field = {field:String})
ORDER BY l.field, l.step_id, l.offset, source, span, observation_offset
