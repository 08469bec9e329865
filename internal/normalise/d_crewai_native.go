package normalise

// crewAINative is the telemetry of CrewAI itself, which old versions let through
// to the user's collector. It has no parents and no content: noise, in which
// only a tool's name is worth keeping.
var crewAINative = dialect{
	name:   "crewai-native",
	marks:  []string{"crew_key", "crew_id", "task_key", "crewai_version"},
	scopes: []string{"crewai.telemetry"},
	noise:  []string{"crew_*", "task_*", "crewai_*", "llm", "tool_name", "attempts"},
	doc: Framework{
		Title:   "CrewAI (its own telemetry)",
		Reads:   "nothing but the fact that it happened",
		Lacks:   "content, parents",
		Content: "none; use OpenInference or OpenLLMetry for CrewAI",
	},
}
