-- What rubrics cost and which models answered, by rubric, judge and model: of the findings of now, each judgement of a panel is one. agreement is the mean share of the panel that came to the finding's verdict. What stands in a reply that was kept was paid for once, and its cost here is 0.
-- param from DateTime64(3) = 1970-01-01: traces that started at this time or later
-- param to DateTime64(3) = 2200-01-01: traces that started before this time
-- param rule String = : only this rubric
SELECT rule, judge, model, currency, count() AS judgements,
       countIf(verdict = 'pass') AS pass, countIf(verdict = 'fail') AS fail, countIf(verdict = 'not_applicable') AS not_applicable,
       countIf(verdict = 'error') AS error, countIf(verdict = 'skipped') AS skipped,
       countIf(its_calls = 0) AS kept, sum(its_calls) AS calls, sum(its_tokens) AS tokens, sum(its_cost) AS cost, avg(f.agreement) AS agreement
FROM {{table "findings_current"}} AS f
ARRAY JOIN judges AS judge, judge_models AS model, judge_outcomes AS verdict, judge_calls AS its_calls, judge_tokens AS its_tokens, judge_costs AS its_cost, judge_currencies AS currency
WHERE trace_start >= {from:DateTime64(3)} AND trace_start < {to:DateTime64(3)}
  AND ({rule:String} = '' OR rule = {rule:String})
GROUP BY rule, judge, model, currency
ORDER BY rule, judge, model, currency
