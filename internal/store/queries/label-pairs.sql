-- What people and the judge say of the same findings of a rubric: the pairs of its judge card.
-- param rule String: id of the rubric
-- param judge_hash String = : only this judge; empty for all
SELECT l.trace_id AS trace_id, l.subject AS subject, l.reader AS reader, l.outcome AS label, l.blind AS blind, l.note AS note,
       f.outcome AS outcome, f.reason AS reason, f.judge_hash AS judge_hash, f.rule_hash AS rule_hash, l.rule_hash AS label_rule_hash,
       lengthUTF8(t.answer) AS answer_length
FROM {{table "labels_current"}} AS l
INNER JOIN {{table "findings_current"}} AS f ON f.trace_id = l.trace_id AND f.subject = l.subject AND f.rule = l.rule
LEFT JOIN {{table "traces_current"}} AS t ON t.trace_id = l.trace_id
WHERE l.rule = {rule:String} AND ({judge_hash:String} = '' OR f.judge_hash = {judge_hash:String})
ORDER BY trace_id, subject, reader, judge_hash
