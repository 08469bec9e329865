// A LangChain.js agent on the harness. It offers its model the tools of the run
// by their OpenAI definitions, calls them over HTTP, and is instrumented by
// OpenInference. `tracegrade bench run` starts it once for every run.
import { LangChainInstrumentation } from "@arizeai/openinference-instrumentation-langchain";
import * as callbackManager from "@langchain/core/callbacks/manager";
import { ChatOpenAI } from "@langchain/openai";
import { context, propagation, ROOT_CONTEXT } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { createAgent, tool } from "langchain";

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
new LangChainInstrumentation().manuallyInstrument(callbackManager);

const headers = { "content-type": "application/json" };
if (env.TRACEGRADE_TOKEN) headers.authorization = `Bearer ${env.TRACEGRADE_TOKEN}`;

// What a tool says of itself is what the model reads, mistakes in its arguments
// included.
async function call(name, args) {
  const reply = await fetch(`${env.TRACEGRADE_TOOLS_URL}/${name}`, { method: "POST", headers, body: JSON.stringify(args) });
  return reply.text();
}

async function harnessTools() {
  const reply = await fetch(`${env.TRACEGRADE_TOOLS_URL}?format=openai`, { headers });
  if (!reply.ok) throw new Error(`list the tools: ${reply.status} ${await reply.text()}`);
  const definitions = await reply.json();
  return definitions.map(({ function: f }) =>
    tool((args) => call(f.name, args), { name: f.name, description: f.description, schema: f.parameters }),
  );
}

// ChatOpenAI reads OPENAI_BASE_URL and OPENAI_API_KEY.
const agent = createAgent({
  model: new ChatOpenAI({ model: env.TRACEGRADE_MODEL ?? "gpt-5-mini", useResponsesApi: false }),
  tools: await harnessTools(),
  systemPrompt: env.TRACEGRADE_PROMPT ?? "Answer the question by the evidence that the tools give you, in its language.",
});

try {
  // The spans join the trace of the run.
  const parent = propagation.extract(ROOT_CONTEXT, { traceparent: env.TRACEPARENT });
  const { messages } = await context.with(parent, () =>
    agent.invoke({ messages: [{ role: "user", content: env.TRACEGRADE_QUESTION }] }, { recursionLimit: 50 }),
  );
  console.log(messages.at(-1).content);
} finally {
  await provider.shutdown(); // the last spans leave before the process ends
}
