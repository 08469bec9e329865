package normalise

// crewAI is CrewAI through OpenInference.
var crewAI = via(openInference, "crewai", []string{"openinference.instrumentation.crewai"}, Framework{
	Title:   "CrewAI",
	Reads:   "crews, agents, tasks, tools through OpenInference; the same through OpenLLMetry and OpenLIT",
	Lacks:   "model calls: they come from the instrumentation of the model's client (LiteLLM); a crew's tokens are sums",
	Content: "as OpenInference",
})
