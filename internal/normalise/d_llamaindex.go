package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// llamaIndex is LlamaIndex through OpenInference.
var llamaIndex = llamaIndexVia()

func llamaIndexVia() dialect {
	d := via(openInference, "llamaindex", []string{"openinference.instrumentation.llama_index", "@arizeai/openinference-instrumentation-llama"}, Framework{
		Title:   "LlamaIndex",
		Reads:   "queries, retrievers with documents, model calls, tools through OpenInference; model calls, workflows and the tools of its agents through OpenLLMetry",
		Lacks:   "tool spans, tool calls and usage in JavaScript through OpenLLMetry; there the results are in the next prompt, as JSON without quotes; model calls in Python through OpenLLMetry, unless the model's client is instrumented too",
		Content: contentOfOpenInference + "; `TRACELOOP_TRACE_CONTENT=true` (the default) with OpenLLMetry",
		Session: sessionOfOpenInference,
	})
	d.kind = func(b *bag) (trace.Kind, string) {
		if !d.is(b) {
			return 0, ""
		}
		// A private method of the class that calls the model (OpenAI._prepare_chat_with_tools)
		// is marked as a call to it, and is none.
		if _, method, ok := strings.Cut(b.name, "."); ok && strings.HasPrefix(method, "_") && strings.EqualFold(b.str(kOIKind), "llm") && !b.hasGroup(gOIOutput) {
			return named(trace.KindWorkflow)
		}
		return 0, ""
	}
	return d
}
