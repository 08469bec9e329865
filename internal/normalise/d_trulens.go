package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

var (
	kTruLensType = key("ai.observability.span_type")
	truLensKinds = map[string]trace.Kind{
		"record_root": trace.KindWorkflow, "workflow_step": trace.KindWorkflow, "agent": trace.KindAgent, "generation": trace.KindLLM, "tool": trace.KindTool,
		"retrieval": trace.KindRetriever, "reranking": trace.KindReranker, "memory": trace.KindMemory, "eval_root": trace.KindEvaluator, "eval": trace.KindEvaluator,
	}
)

// truLens is TruLens, which traces the functions of an application that its user
// marked.
var truLens = dialect{
	name:   "trulens",
	marks:  []string{"ai.observability.span_type", "ai.observability.record_id"},
	scopes: []string{"trulens"},
	kind:   func(b *bag) (trace.Kind, string) { return b.kindOf(kTruLensType, truLensKinds) },
	fields: fields{
		requestModel: {"ai.observability.cost.model", "ai.observability.generation.model"},
		payloadIn:    {"ai.observability.record_root.input", "ai.observability.generation.input", "ai.observability.call.kwargs.query", "ai.observability.call.kwargs.question", "ai.observability.call.kwargs.prompt", "ai.observability.call.kwargs.messages"},
		payloadOut:   {"ai.observability.record_root.output", "ai.observability.generation.output", "ai.observability.call.return"},
		documents:    {"ai.observability.retrieval.retrieved_contexts", "ai.observability.reranking.output_context_texts"},
		query:        {"ai.observability.retrieval.query_text", "ai.observability.reranking.query_text"},
		inputTokens:  {"ai.observability.cost.num_prompt_tokens"},
		outputTokens: {"ai.observability.cost.num_completion_tokens"},
		totalTokens:  {"ai.observability.cost.num_tokens"},
		cost:         {"ai.observability.cost.cost"},
		failure:      {"ai.observability.call.error", "ai.observability.record_root.error"},
	},
	noise: []string{"ai.observability.*"},
	doc: Framework{
		Title:   "TruLens",
		Reads:   "applications, retrievals with their contexts, generations, tools by the type of their spans; cost and tokens",
		Lacks:   "arguments of tools as one value (each is an attribute); ids and addresses of contexts",
		Content: "on by default",
	},
}
