// An agent of the OpenAI Agents SDK on the harness. Its tools are an MCP server,
// and it is instrumented by OpenInference. It starts traces of its own: what
// joins them to the run is the resource attribute that names it.
// `tracegrade bench run` starts it once for every run.
import { OpenAIAgentsInstrumentation } from "@arizeai/openinference-instrumentation-openai-agents";
import * as agents from "@openai/agents";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

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
new OpenAIAgentsInstrumentation({ tracerProvider: provider }).manuallyInstrument(agents);

// The client reads OPENAI_BASE_URL and OPENAI_API_KEY. Chat completions are what
// every server of models speaks.
agents.setOpenAIAPI("chat_completions");

const headers = env.TRACEGRADE_TOKEN ? { authorization: `Bearer ${env.TRACEGRADE_TOKEN}` } : {};
const harness = new agents.MCPServerStreamableHttp({
  name: "harness",
  url: env.TRACEGRADE_MCP_URL,
  requestInit: { headers },
});

try {
  await harness.connect();
  const agent = new agents.Agent({
    name: "researcher",
    model: env.TRACEGRADE_MODEL ?? "gpt-5-mini",
    instructions: env.TRACEGRADE_PROMPT ?? "Answer the question by the evidence that the tools give you, in its language.",
    mcpServers: [harness],
  });
  const { finalOutput } = await agents.run(agent, env.TRACEGRADE_QUESTION, { maxTurns: 24 });
  console.log(finalOutput);
} finally {
  await harness.close();
  await provider.shutdown(); // the last spans leave before the process ends
}
