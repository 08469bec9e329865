// Verdicts of LangChain's agentevals on traces.json, as JSON.
//
//	npm install agentevals@0.0.7
//	node agentevals.mjs > agentevals.json
import { readFileSync } from "node:fs";
import { createTrajectoryMatchEvaluator } from "agentevals";

const message = (name, args) => ({ role: "assistant", content: "", tool_calls: [{ function: { name, arguments: JSON.stringify(args) } }] });
const reference = [message("search_web", { query: "X200" }), message("calculator", { expression: "2*3" })];
const evaluators = {};
for (const mode of ["strict", "unordered", "subset", "superset"]) {
  for (const args of ["exact", "ignore", "subset", "superset"]) {
    evaluators[`${mode}/${args}`] = createTrajectoryMatchEvaluator({ trajectoryMatchMode: mode, toolArgsMatchMode: args });
  }
}
const out = {};
for (const t of JSON.parse(readFileSync(new URL("traces.json", import.meta.url)))) {
  const outputs = t.spans.filter((s) => s.args).map((s) => message(s.name.replace("execute_tool ", ""), s.args));
  out[t.name] = {};
  for (const [key, evaluate] of Object.entries(evaluators)) {
    out[t.name][key] = Boolean((await evaluate({ outputs, referenceOutputs: reference })).score);
  }
}
console.log(JSON.stringify(out, null, 1));
