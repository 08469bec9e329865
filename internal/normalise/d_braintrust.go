package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kBraintrustSpan = key("braintrust.span_attributes")
	braintrustKinds = map[string]trace.Kind{
		"llm": trace.KindLLM, "tool": trace.KindTool, "task": trace.KindWorkflow, "function": trace.KindWorkflow, "eval": trace.KindEvaluator,
		"score": trace.KindEvaluator, "retriever": trace.KindRetriever, "automation": trace.KindWorkflow,
	}
)

// braintrust is Braintrust's SDKs in OpenTelemetry mode. What other producers
// say of a span's kind goes first: its processor marks their spans as well.
var braintrust = dialect{
	name:   "braintrust",
	marks:  []string{"braintrust.input_json", "braintrust.output_json", "braintrust.span_attributes"},
	scopes: []string{"braintrust"},
	kind: func(b *bag) (trace.Kind, string) {
		word := b.member(&source{id: kBraintrustSpan, member: "type"})
		if kind, ok := braintrustKinds[strings.ToLower(word)]; ok {
			return kind, keyNames[kBraintrustSpan]
		}
		return 0, ""
	},
	fields: fields{
		requestModel: {"braintrust.metadata>model"},
		offered:      {"braintrust.metadata>tools"},
		payloadIn:    {"braintrust.input_json", "braintrust.input"},
		payloadOut:   {"braintrust.output_json", "braintrust.output"},
		inputTokens:  {"braintrust.metrics>prompt_tokens"},
		outputTokens: {"braintrust.metrics>completion_tokens"},
		totalTokens:  {"braintrust.metrics>tokens"},
		cacheRead:    {"braintrust.metrics>prompt_cached_tokens"},
	},
	noise: []string{"braintrust.*"},
	doc: Framework{
		Title:   "Braintrust SDK (OpenTelemetry mode)",
		Reads:   "type, input, output, metrics, model",
		Content: "on by default",
		Session: "`session_id` in the metadata of the span",
	},
}
