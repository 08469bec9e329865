package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

var (
	kLangSmithKind = key("langsmith.span.kind")
	langSmithKinds = map[string]trace.Kind{
		"llm": trace.KindLLM, "tool": trace.KindTool, "retriever": trace.KindRetriever, "embedding": trace.KindEmbedding,
		"prompt": trace.KindWorkflow, "chain": trace.KindWorkflow, "parser": trace.KindWorkflow,
	}
)

// langSmith is LangSmith's exporter of runs. Its operation names are wrong for
// retrievers and prompts; its own kind is right.
var langSmith = dialect{
	name:   "langsmith",
	marks:  []string{"langsmith.span.kind"},
	scopes: []string{"langsmith"},
	kind:   func(b *bag) (trace.Kind, string) { return b.kindOf(kLangSmithKind, langSmithKinds) },
	fields: fields{
		session:         {"langsmith.metadata.thread_id", "langsmith.metadata.session_id", "langsmith.metadata.conversation_id"},
		user:            {"langsmith.metadata.user_id"},
		agentName:       {"langsmith.metadata.lc_agent_name"},
		requestModel:    {"langsmith.metadata.ls_model_name"},
		provider:        {"langsmith.metadata.ls_provider"},
		offered:         {"gen_ai.prompt>tools"},
		documents:       {"gen_ai.completion>documents"},
		reasoningTokens: {"langsmith.usage_metadata>output_token_details>reasoning"},
		cacheRead:       {"langsmith.usage_metadata>input_token_details>cache_read"},
		cacheWrite:      {"langsmith.usage_metadata>input_token_details>cache_creation"},
	},
	noise: []string{"langsmith.*", "gen_ai.serialized.*"},
	doc: Framework{
		Title:   "LangSmith (OpenTelemetry mode)",
		Reads:   "runs as steps: inputs, outputs, usage, thread and user of the metadata",
		Lacks:   "LangGraph runs in JavaScript; in streaming, the model's span (its attributes overwrite the root's); call ids of tools",
		Content: "on by default; `LANGSMITH_HIDE_INPUTS` and `LANGSMITH_HIDE_OUTPUTS` take it away",
		Session: "`session_id`, `thread_id` or `conversation_id` in the metadata of the run",
	},
}
