package normalise

// dspy is DSPy through OpenInference.
var dspy = via(openInference, "dspy", []string{"openinference.instrumentation.dspy"}, Framework{
	Title:   "DSPy",
	Reads:   "modules, predictions, model calls, retrievers through OpenInference",
	Content: contentOfOpenInference,
	Session: sessionOfOpenInference,
})
