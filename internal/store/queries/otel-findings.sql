-- Findings beside the raw span that they are about, where contrib's clickhouse exporter keeps the spans too: newest first. A finding about a whole trace stands beside its root.
-- param database Identifier = default: where contrib's table is
-- param table Identifier = otel_traces: its name
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rule
-- param outcome String = fail: only this outcome; empty for all
-- param limit UInt32 = 50: most rows
SELECT s.Timestamp AS start, s.ServiceName AS service, s.SpanName AS span_name, s.Duration / 1e6 AS milliseconds, s.StatusCode AS status,
       f.rule AS rule, f.severity AS severity, f.outcome AS outcome, f.message AS message, s.TraceId AS trace_id, s.SpanId AS span_id
FROM {database:Identifier}.{table:Identifier} AS s
INNER JOIN (
    SELECT * FROM {{table "findings_current"}}
    WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
      AND ({rule:String} = '' OR rule = {rule:String})
      AND ({outcome:String} = '' OR outcome = {outcome:String})
) AS f ON s.TraceId = f.trace_id
WHERE s.SpanId = f.span_id OR f.span_id = '' AND s.ParentSpanId = ''
ORDER BY start DESC, trace_id, rule, span_id
LIMIT 1 BY f.trace_id, f.rule, f.rule_hash, f.judge_hash, f.subject, s.SpanId
LIMIT {limit:UInt32}
