package normalise

// langChain is LangChain and LangGraph through OpenInference.
var langChain = via(openInference, "langchain", []string{"openinference.instrumentation.langchain", "@arizeai/openinference-instrumentation-langchain"}, Framework{
	Title:   "LangChain, LangGraph",
	Reads:   "graphs, nodes, model calls, tools, retrievers through OpenInference; thread and user of the metadata",
	Lacks:   "ids of tool calls in the messages that a model is given (they are matched)",
	Content: contentOfOpenInference,
	Session: "`thread_id` (or `session_id`) in the `configurable` or the `metadata` of the run's config; " + sessionOfOpenInference,
})
