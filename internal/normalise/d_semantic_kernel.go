package normalise

// semanticKernel is Semantic Kernel, whose events and finish reasons have forms
// of their own.
var semanticKernel = dialect{
	name:   "semantic-kernel",
	scopes: []string{"Microsoft.SemanticKernel", "semantic_kernel"},
	fields: fields{
		inputTokens:  {"gen_ai.response.prompt_tokens"},
		outputTokens: {"gen_ai.response.completion_tokens"},
	},
	doc: Framework{
		Title:   "Semantic Kernel",
		Reads:   "model calls with the messages of their events, agents, functions",
		Content: "`SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true` (or the AppContext switch of that meaning)",
	},
}
