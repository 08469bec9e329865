package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kLangfuseType   = key("langfuse.observation.type")
	kLangfuseModel  = key("langfuse.observation.model.name")
	kLangfuseLevel  = key("langfuse.observation.level")
	kLangfuseStatus = key("langfuse.observation.status_message")
	langfuseKinds   = map[string]trace.Kind{
		"generation": trace.KindLLM, "agent": trace.KindAgent, "tool": trace.KindTool, "chain": trace.KindWorkflow, "retriever": trace.KindRetriever,
		"embedding": trace.KindEmbedding, "evaluator": trace.KindEvaluator, "guardrail": trace.KindGuardrail,
	}
)

// langfuse is the SDK of Langfuse.
var langfuse = dialect{
	name:   "langfuse",
	scopes: []string{"langfuse"},
	// Its processor stamps langfuse.trace.* and, in old versions, the type span on
	// spans of other producers: neither claims a span.
	is: func(b *bag) bool {
		return b.has(kLangfuseType) && b.str(kLangfuseType) != "span" || b.has(kLangfuseModel)
	},
	otherwise: func(b *bag) (trace.Kind, string) {
		if !b.has(kLangfuseType) {
			return 0, ""
		}
		return trace.KindWorkflow, keyNames[kLangfuseType]
	},
	kind: func(b *bag) (trace.Kind, string) {
		if kind, source := b.kindOf(kLangfuseType, langfuseKinds); source != "" {
			return kind, source
		}
		if b.str(kLangfuseModel) != "" && !b.has(kOIKind) {
			return trace.KindLLM, keyNames[kLangfuseModel]
		}
		return 0, ""
	},
	fields: fields{
		session:         {"langfuse.session.id"},
		user:            {"langfuse.user.id"},
		requestModel:    {"langfuse.observation.model.name"},
		responseModel:   {"langfuse.observation.model.name"},
		offered:         {"langfuse.observation.input>tools"},
		payloadIn:       {"langfuse.observation.input"},
		payloadOut:      {"langfuse.observation.output"},
		inputTokens:     {"langfuse.observation.usage_details>input", "langfuse.observation.usage_details>input_tokens", "langfuse.observation.usage_details>prompt_tokens"},
		outputTokens:    {"langfuse.observation.usage_details>output", "langfuse.observation.usage_details>output_tokens", "langfuse.observation.usage_details>completion_tokens"},
		totalTokens:     {"langfuse.observation.usage_details>total", "langfuse.observation.usage_details>total_tokens"},
		reasoningTokens: {"langfuse.observation.usage_details>output_reasoning_tokens", "langfuse.observation.usage_details>reasoning_tokens"},
		cacheRead: {"langfuse.observation.usage_details>input_cached_tokens", "langfuse.observation.usage_details>cache_read_input_tokens",
			"langfuse.observation.usage_details>input_cache_read"},
		cacheWrite: {"langfuse.observation.usage_details>input_cache_creation", "langfuse.observation.usage_details>cache_creation_input_tokens"},
		cost:       {"langfuse.observation.cost_details>total"},
	},
	read:  readLangfuse,
	noise: []string{"langfuse.*"},
	doc: Framework{
		Title:   "Langfuse SDK",
		Reads:   "kind, input, output, model, usage, level, session, user",
		Lacks:   "call ids of tools; a schema of retrieved documents (they are found by their keys)",
		Content: "on by default; masks and `capture_input=False` / `capture_output=False` on `@observe` take it away",
		Session: "`langfuse.session.id`: `propagate_attributes(session_id=…)`, `updateTrace({sessionId})` in JavaScript",
	},
}

func readLangfuse(b *bag, s *trace.Step) {
	if strings.EqualFold(b.str(kLangfuseLevel), "error") {
		s.Status = trace.Status{Failed: true, Source: "attribute", Message: b.str(kLangfuseStatus)}
	}
}
