package normalise

// extensionsAI is Microsoft.Extensions.AI, which writes the conventions.
var extensionsAI = dialect{
	name:   "microsoft-extensions-ai",
	scopes: []string{"Experimental.Microsoft.Extensions.AI", "Microsoft.Extensions.AI"},
	doc: Framework{
		Title:   "Microsoft.Extensions.AI",
		Reads:   "model calls, tools, the orchestration of tools",
		Content: "`EnableSensitiveData = true` on UseOpenTelemetry, or `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true`",
	},
}
