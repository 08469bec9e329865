package normalise

// openAIAgents is the OpenAI Agents SDK through OpenInference.
var openAIAgents = via(openInference, "openai-agents", []string{"openinference.instrumentation.openai_agents", "@arizeai/openinference-instrumentation-openai-agents"}, Framework{
	Title:   "OpenAI Agents SDK",
	Reads:   "workflows, agents, turns, model calls, tools, hand-offs, guardrails through OpenInference; the same through OpenLLMetry, Logfire and OpenTelemetry's instrumentation",
	Lacks:   "a session (group id) in JavaScript; the words of a failed tool, which the SDK redacts",
	Content: "as OpenInference; `OPENAI_AGENTS_DISABLE_TRACING` must not be set",
})
