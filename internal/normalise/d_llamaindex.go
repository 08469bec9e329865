package normalise

// llamaIndex is LlamaIndex through OpenInference.
var llamaIndex = via(openInference, "llamaindex", []string{"openinference.instrumentation.llama_index", "@arizeai/openinference-instrumentation-llama"}, Framework{
	Title:   "LlamaIndex",
	Reads:   "queries, retrievers with documents, model calls, tools through OpenInference; model calls and workflows through OpenLLMetry",
	Lacks:   "tool spans, tool calls and usage in JavaScript through OpenLLMetry; there the results are in the next prompt, as JSON without quotes",
	Content: "as OpenInference or OpenLLMetry",
})
