package normalise

// langChain is LangChain and LangGraph through OpenInference.
var langChain = via(openInference, "langchain", []string{"openinference.instrumentation.langchain", "@arizeai/openinference-instrumentation-langchain"}, Framework{
	Title:   "LangChain, LangGraph",
	Reads:   "graphs, nodes, model calls, tools, retrievers through OpenInference; thread and user of the metadata",
	Lacks:   "ids of tool calls in the messages that a model is given (they are matched)",
	Content: "as OpenInference",
})
