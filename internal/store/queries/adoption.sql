-- How often agents that met a trap ended on its false value, by setting, kind and price, with the 95 % Wilson interval over runs. Repeats of one case are not independent: tracegrade bench report draws cases. Where contents is more than cases, a case was changed between its runs.
-- param agent String = : only this agent
WITH 1.959963984540054 AS z
SELECT agent, agent_hash, seed, guardrails, hide_metadata, embedder, real_tools, family, kind, price, cases, contents, adopted, exposed_runs, recovered_runs,
       round(share, 4) AS rate,
       round(greatest(0., (share + z * z / (2 * exposed_runs) - z * sqrt(share * (1 - share) / exposed_runs + z * z / (4 * exposed_runs * exposed_runs))) / (1 + z * z / exposed_runs)), 4) AS low,
       round(least(1., (share + z * z / (2 * exposed_runs) + z * sqrt(share * (1 - share) / exposed_runs + z * z / (4 * exposed_runs * exposed_runs))) / (1 + z * z / exposed_runs)), 4) AS high
FROM (
    SELECT agent, agent_hash, seed, guardrails, hide_metadata, embedder, real_tools, family, kind, price,
           uniqExact(case_id) AS cases, uniqExact(case_id, case_hash) AS contents, count() AS exposed_runs, countIf(adopted_final = 'yes') AS adopted,
           countIf(recovered = 'yes') AS recovered_runs, adopted / exposed_runs AS share
    FROM {{table "runs_current"}}
    WHERE arm = 'trap' AND NOT control AND error = '' AND exposed = 'yes' AND adopted_final != 'not_measured'
      AND ({agent:String} = '' OR agent = {agent:String})
    GROUP BY agent, agent_hash, seed, guardrails, hide_metadata, embedder, real_tools, family, kind, price
)
ORDER BY agent, agent_hash, seed, guardrails, hide_metadata, embedder, real_tools, family, kind, price
