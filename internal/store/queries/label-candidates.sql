-- Findings that a person may label, without any verdict, so that whoever labels them does not know it.
-- param rule String = : only this rule or rubric; empty for all rubrics with a judge
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param limit UInt32 = 5000: most rows
SELECT DISTINCT trace_id, subject, scope, rule, rule_hash, service, version
FROM {{table "findings_current"}}
WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
  AND if({rule:String} = '', judge_hash != '', rule = {rule:String})
  -- of a rubric, what judges spoke to: what they disagree on or cannot tell too
  AND (judge_hash = '' OR reason IN ('judged_pass', 'judged_fail', 'judged_not_applicable', 'judges_disagree', 'judge_abstained'))
ORDER BY cityHash64(trace_id, subject, rule)
LIMIT {limit:UInt32}
