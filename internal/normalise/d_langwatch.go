package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

var (
	kLangWatchType = key("langwatch.span.type")
	langWatchKinds = map[string]trace.Kind{
		"llm": trace.KindLLM, "tool": trace.KindTool, "agent": trace.KindAgent, "rag": trace.KindRetriever, "guardrail": trace.KindGuardrail,
		"evaluation": trace.KindEvaluator, "chain": trace.KindWorkflow, "workflow": trace.KindWorkflow, "component": trace.KindWorkflow,
		"module": trace.KindWorkflow, "task": trace.KindWorkflow, "prompt": trace.KindWorkflow,
	}
)

// langWatch is LangWatch's SDK.
var langWatch = dialect{
	name:   "langwatch",
	marks:  []string{"langwatch.span.type", "langwatch.input", "langwatch.output"},
	scopes: []string{"langwatch"},
	kind:   func(b *bag) (trace.Kind, string) { return b.kindOf(kLangWatchType, langWatchKinds) },
	fields: fields{
		session:    {"langwatch.thread.id", "langwatch.thread_id"},
		user:       {"langwatch.user.id", "langwatch.user_id"},
		payloadIn:  {"langwatch.input>value", "langwatch.input"},
		payloadOut: {"langwatch.output>value", "langwatch.output"},
		documents:  {"langwatch.rag.contexts>value", "langwatch.contexts>value", "langwatch.rag.contexts", "langwatch.contexts"},
	},
	noise: []string{"langwatch.*"},
	doc: Framework{
		Title:   "LangWatch SDK",
		Reads:   "type, typed input and output, retrieved contexts, thread, user",
		Content: "on by default",
		Session: "`metadata={\"thread_id\": …}` of the trace",
	},
}
