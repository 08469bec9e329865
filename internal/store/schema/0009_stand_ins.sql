-- A call that had no span when its trace was graded has a step that stands in
-- for it. Every revision of a trace writes all its stand-ins again, so one that
-- is older than the trace's newest row stands for nothing any more: its call's
-- span came. A span that came too late to be graded has revision 0; it takes the
-- place of the stand-in with its call id.

CREATE OR REPLACE VIEW {{local "steps_current"}} {{onCluster}} AS
SELECT s.*
FROM {{local "steps"}} AS s FINAL
LEFT JOIN (SELECT trace_id, max(row_version) AS newest FROM {{local "traces"}} GROUP BY trace_id) AS t ON s.trace_id = t.trace_id
WHERE NOT s.synthetic OR (
    s.row_version >= t.newest
    AND (s.trace_id, s.tool_call_id) NOT IN (SELECT trace_id, tool_call_id FROM {{local "steps"}} WHERE revision = 0 AND tool_call_id != '')
)
SETTINGS do_not_merge_across_partitions_select_final = 1;
