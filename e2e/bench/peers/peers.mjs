// Runs twenty checks of promptfoo and twenty of LangChain's agentevals on the
// traces of a file, and prints what they cost as JSON: CPU of the process, without
// start-up and one pass of warming up.
//
//	node peers.mjs FOLDER-WITH-node_modules TRACES.jsonl CHECKS.json
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [dir, file, checksFile] = process.argv.slice(2);
process.env.PROMPTFOO_DISABLE_TELEMETRY = "1";
process.env.PROMPTFOO_DISABLE_UPDATE = "1";
process.env.PROMPTFOO_CONFIG_DIR = join(resolve(dir), ".promptfoo");
const require = createRequire(join(resolve(dir), "peers.cjs"));
const checks = JSON.parse(readFileSync(checksFile, "utf8"));

const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e6; };

async function measure(peer, prepare, grade) {
  const pass = async (texts) => {
    const before = cpu();
    const traces = texts.map((text) => prepare(JSON.parse(text)));
    const ready = cpu();
    let passes = 0;
    for (const t of traces) passes += await grade(t);
    const done = cpu();
    return { passes, grading: done - ready, whole: done - before };
  };
  await pass(lines.slice(0, Math.min(200, lines.length)));
  console.log(JSON.stringify({ peer, ...(await pass(lines)) }));
}

const promptfoo = require("promptfoo");
await measure("promptfoo", (t) => ({ traceId: t.trace_id, evaluationId: "e", testCaseId: "t", spans: t.spans }), async (traceData) => {
  let passes = 0;
  for (const assertion of checks.promptfoo) {
    const r = await promptfoo.assertions.runAssertion({ assertion, test: { vars: {} }, providerResponse: { output: "" }, traceId: traceData.traceId, traceData });
    if (r.pass) passes++;
  }
  return passes;
});

const { createTrajectoryMatchEvaluator } = require("agentevals");
const message = (name, args) => ({ role: "assistant", content: "", tool_calls: [{ function: { name, arguments: args } }] });
const evaluators = checks.agentevals.map((c) => ({
  evaluate: createTrajectoryMatchEvaluator({ trajectoryMatchMode: c.mode, toolArgsMatchMode: c.args }),
  referenceOutputs: c.reference.map(([name, args]) => message(name, JSON.stringify(args))),
}));
const toolName = "gen_ai.tool.name", toolArguments = "gen_ai.tool.call.arguments";
await measure("agentevals", (t) => t.spans.filter((s) => s.attributes[toolName]).map((s) => message(s.attributes[toolName], s.attributes[toolArguments] ?? "{}")), async (outputs) => {
  let passes = 0;
  for (const { evaluate, referenceOutputs } of evaluators) {
    if ((await evaluate({ outputs, referenceOutputs })).score) passes++;
  }
  return passes;
});
process.exit(0);
