-- Sources that were out of date for what was asked and that answers rest on all the same.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
-- param limit UInt32 = 50: most rows
SELECT any(o.source) AS source, o.url AS url, any(o.title) AS title, any(o.published_at) AS published_at, any(o.stale) AS why,
       uniqExact(l.trace_id) AS traces, groupUniqArray(10)(l.value) AS values, max(l.trace_start) AS latest,
       argMax(l.trace_id, l.trace_start) AS latest_trace, argMax(l.observation_span_id, l.trace_start) AS latest_span
FROM {{table "links_current"}} AS l
INNER JOIN (
    SELECT DISTINCT trace_id, observation_id, source, url, title, published_at, stale
    FROM {{table "observations_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)} AND stale != ''
) AS o ON l.trace_id = o.trace_id AND l.observation_id = o.observation_id
WHERE l.trace_start >= {from:DateTime64(3)} AND l.trace_start < {to:DateTime64(3)}
  AND l.field = 'answer' AND l.state IN ('carried', 'derived')
  AND ({service:String} = '' OR l.service = {service:String})
GROUP BY if(o.url != '', o.url, o.source) AS place, url
ORDER BY traces DESC, latest DESC, url
LIMIT {limit:UInt32}
