// An agent of the Vercel AI SDK on the harness. It makes its tools from the
// run's OpenAPI document, calls them over HTTP, and is instrumented by the SDK's
// own telemetry. `tracegrade bench run` starts it once for every run.
import { createOpenAI } from "@ai-sdk/openai";
import { context, propagation, ROOT_CONTEXT } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { dynamicTool, generateText, jsonSchema, stepCountIs } from "ai";

const env = process.env;
if (!env.TRACEGRADE_QUESTION) {
  throw new Error("no task: start me by `tracegrade bench run --agent recoverer.yaml --dir out`");
}

// The exporter reads OTEL_EXPORTER_OTLP_ENDPOINT, the detector
// OTEL_RESOURCE_ATTRIBUTES, which names the run.
const provider = new NodeTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();

const headers = { "content-type": "application/json" };
if (env.TRACEGRADE_TOKEN) headers.authorization = `Bearer ${env.TRACEGRADE_TOKEN}`;

async function harnessTools() {
  const reply = await fetch(env.TRACEGRADE_OPENAPI_URL, { headers });
  if (!reply.ok) throw new Error(`read the OpenAPI document: ${reply.status} ${await reply.text()}`);
  const { servers, paths } = await reply.json();
  const tools = {};
  for (const [path, { post }] of Object.entries(paths)) {
    tools[post.operationId] = dynamicTool({
      description: post.summary,
      inputSchema: jsonSchema(post.requestBody.content["application/json"].schema),
      execute: async (args) => {
        const reply = await fetch(servers[0].url + path, { method: "POST", headers, body: JSON.stringify(args) });
        return reply.json(); // what the tool says of itself, mistakes in its arguments included
      },
    });
  }
  return tools;
}

const openai = createOpenAI({ baseURL: env.OPENAI_BASE_URL }); // the key is OPENAI_API_KEY

try {
  const tools = await harnessTools();
  // The spans join the trace of the run.
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent: env.TRACEPARENT });
  const { text } = await context.with(parent, () =>
    generateText({
      model: openai.chat(env.TRACEGRADE_MODEL ?? "gpt-5-mini"),
      system: env.TRACEGRADE_PROMPT ?? "Answer the question by the evidence that the tools give you, in its language.",
      prompt: env.TRACEGRADE_QUESTION,
      tools,
      stopWhen: stepCountIs(24),
      experimental_telemetry: { isEnabled: true, functionId: "researcher" },
    }),
  );
  console.log(text);
} finally {
  await provider.shutdown(); // the last spans leave before the process ends
}
