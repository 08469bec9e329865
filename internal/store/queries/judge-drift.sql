-- Whether judges still say what they said: of each run over sentinel items, the share whose verdict is not that of the same judge's first run, with its 95 % Wilson interval, and the agreement with people.
-- param rule String = : only this rubric
-- param judge_hash String = : only this judge
WITH 1.959963984540054 AS z,
first AS (
    SELECT rule, rule_hash, judge_hash, item, argMin(s0.outcome, s0.run) AS outcome
    FROM {{table "sentinels_current"}} AS s0
    WHERE s0.outcome IN ('pass', 'fail', 'not_applicable')
    GROUP BY rule, rule_hash, judge_hash, item
)
SELECT rule, rule_hash, judge_hash, run, models, items, verdicts, changed, stricter, milder,
       if(verdicts = 0, NULL, round(share, 4)) AS rate,
       if(verdicts = 0, NULL, round(greatest(0., (share + z * z / (2 * verdicts) - z * sqrt(share * (1 - share) / verdicts + z * z / (4 * verdicts * verdicts))) / (1 + z * z / verdicts)), 4)) AS low,
       if(verdicts = 0, NULL, round(least(1., (share + z * z / (2 * verdicts) + z * sqrt(share * (1 - share) / verdicts + z * z / (4 * verdicts * verdicts))) / (1 + z * z / verdicts)), 4)) AS high,
       labelled, agreed
FROM (
    SELECT s.rule AS rule, s.rule_hash AS rule_hash, s.judge_hash AS judge_hash, s.run AS run,
           arraySort(groupUniqArrayIf(s.model, s.model != '')) AS models, count() AS items,
           countIf(s.outcome IN ('pass', 'fail', 'not_applicable')) AS verdicts,
           countIf(s.outcome IN ('pass', 'fail', 'not_applicable') AND s.outcome != f.outcome) AS changed,
           countIf(f.outcome = 'pass' AND s.outcome = 'fail') AS stricter,
           countIf(f.outcome = 'fail' AND s.outcome = 'pass') AS milder,
           countIf(s.label != '' AND s.outcome IN ('pass', 'fail', 'not_applicable')) AS labelled,
           countIf(s.label != '' AND s.outcome = s.label) AS agreed,
           changed / greatest(1, verdicts) AS share
    FROM {{table "sentinels_current"}} AS s
    LEFT JOIN first AS f ON f.rule = s.rule AND f.rule_hash = s.rule_hash AND f.judge_hash = s.judge_hash AND f.item = s.item
    WHERE ({rule:String} = '' OR s.rule = {rule:String}) AND ({judge_hash:String} = '' OR s.judge_hash = {judge_hash:String})
    GROUP BY rule, rule_hash, judge_hash, run
)
ORDER BY rule, judge_hash, rule_hash, run
