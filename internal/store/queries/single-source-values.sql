-- Values of answers that one source only carries; near-duplicates of one observation count as one.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param service String = : only this service
-- param limit UInt32 = 50: most rows
SELECT any(l.trace_start) AS trace_start, l.trace_id AS trace_id, value, value_kind,
       any(o.place) AS source, any(o.published_at) AS published_at, any(o.authority) AS authority,
       any(observation_span_id) AS span, any(observation_field) AS observation_field
FROM {{table "links_current"}} AS l
INNER JOIN (
    SELECT trace_id, observation_id, source, published_at, authority,
           if(echo_of = '', observation_id, echo_of) AS origin, if(url != '', url, source) AS place
    FROM {{table "observations_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
) AS o ON l.trace_id = o.trace_id AND l.observation_id = o.observation_id
WHERE l.trace_start >= {from:DateTime64(3)} AND l.trace_start < {to:DateTime64(3)}
  AND l.field = 'answer' AND l.state = 'carried'
  AND ({service:String} = '' OR l.service = {service:String})
GROUP BY trace_id, value, value_kind
HAVING uniqExact(if(o.source != '', o.source, o.origin)) = 1
ORDER BY trace_start DESC, trace_id, value
LIMIT {limit:UInt32}
