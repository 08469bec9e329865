// Verdicts of promptfoo's trace and trajectory assertions on traces.json, as JSON.
//
//	npm install promptfoo@0.121.20
//	node promptfoo.mjs > promptfoo.json
import { readFileSync } from "node:fs";
import promptfoo from "promptfoo";

// One span of a trace as promptfoo keeps it; tools by the GenAI conventions.
function span(s) {
  const attributes = { ...s.attributes };
  if (s.name.startsWith("execute_tool ")) {
    attributes["gen_ai.operation.name"] = "execute_tool";
    attributes["gen_ai.tool.name"] = s.name.slice("execute_tool ".length);
    if (s.args) attributes["gen_ai.tool.call.arguments"] = JSON.stringify(s.args);
  }
  return { spanId: String(s.id), parentSpanId: s.parent ? String(s.parent) : undefined, name: s.name, startTime: s.start, endTime: s.end, attributes, statusCode: s.error ? 2 : 1 };
}

const assertions = {
  "span-count": { type: "trace-span-count", value: { pattern: "*search*", min: 1, max: 3 } },
  "span-count none": { type: "trace-span-count", value: { pattern: "*search*", max: 0 } },
  "span-duration": { type: "trace-span-duration", value: { pattern: "*search*", max: 2000 } },
  "span-duration p50": { type: "trace-span-duration", value: { pattern: "execute_tool *", max: 300, percentile: 50 } },
  "error-spans count": { type: "trace-error-spans", value: { max_count: 0 } },
  "error-spans share": { type: "trace-error-spans", value: { max_percentage: 10 } },
  "error-spans pattern": { type: "trace-error-spans", value: { max_count: 0, pattern: "*calculator*" } },
  "tool-used": { type: "trajectory:tool-used", value: "search_web" },
  "tool-used both": { type: "trajectory:tool-used", value: ["search_web", "calculator"] },
  "tool-used pattern": { type: "trajectory:tool-used", value: { pattern: "*c*", min: 2, max: 4 } },
  "tool-not-used": { type: "not-trajectory:tool-used", value: "calculator" },
  "args partial": { type: "trajectory:tool-args-match", value: { name: "search_web", args: { query: "X200" }, mode: "partial" } },
  "args exact": { type: "trajectory:tool-args-match", value: { name: "calculator", args: { expression: "2*3" }, mode: "exact" } },
  "sequence in order": { type: "trajectory:tool-sequence", value: { steps: ["search_web", "calculator"], mode: "in_order" } },
  "sequence exact": { type: "trajectory:tool-sequence", value: { steps: ["search_web", "calculator"], mode: "exact" } },
  "step-count": { type: "trajectory:step-count", value: { type: "tool", max: 2, min: 1 } },
};

const out = {};
for (const t of JSON.parse(readFileSync(new URL("traces.json", import.meta.url)))) {
  const traceData = { traceId: t.name, evaluationId: "e", testCaseId: "t", spans: t.spans.map(span) };
  out[t.name] = {};
  for (const [key, assertion] of Object.entries(assertions)) {
    const r = await promptfoo.assertions.runAssertion({ assertion, test: { vars: {} }, providerResponse: { output: "" }, traceId: t.name, traceData });
    out[t.name][key] = r.pass;
  }
}
console.log(JSON.stringify(out, null, 1));
process.exit(0);
