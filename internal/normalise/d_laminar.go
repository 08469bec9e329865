package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

var (
	kLaminarType = key("lmnr.span.type")
	kLaminarPath = key("lmnr.span.path")
	laminarKinds = map[string]trace.Kind{
		"llm": trace.KindLLM, "tool": trace.KindTool, "executor": trace.KindAgent, "evaluator": trace.KindEvaluator, "evaluation": trace.KindEvaluator,
		"human_evaluator": trace.KindEvaluator, "pipeline": trace.KindWorkflow, "default": trace.KindWorkflow,
	}
)

// laminar is Laminar's SDK, which marks the spans of the instrumentations that
// it bundles as well.
var laminar = dialect{
	name:   "laminar",
	marks:  []string{"lmnr.span.type", "lmnr.span.path", "lmnr.span.input"},
	scopes: []string{"lmnr"},
	kind: func(b *bag) (trace.Kind, string) {
		if b.str(kLaminarType) == "DEFAULT" {
			return 0, "" // what the SDK writes where it knows nothing
		}
		return b.kindOf(kLaminarType, laminarKinds)
	},
	otherwise: func(b *bag) (trace.Kind, string) {
		if !b.has(kLaminarPath) {
			return 0, ""
		}
		return trace.KindWorkflow, keyNames[kLaminarPath]
	},
	fields: fields{
		session:    {"lmnr.association.properties.session_id"},
		user:       {"lmnr.association.properties.user_id"},
		payloadIn:  {"lmnr.span.input"},
		payloadOut: {"lmnr.span.output"},
	},
	noise: []string{"lmnr.*"},
	doc: Framework{
		Title:   "Laminar",
		Reads:   "functions as steps with input and output; the model calls of its bundled instrumentations",
		Lacks:   "usage of streamed calls; call ids of tools; a status on failed tools (the exception event is read)",
		Content: "on by default; `ignoreInput`/`ignoreOutput` on `observe` take it away",
		Session: "`Laminar.set_trace_session_id(…)` (`sessionId` of `observe` in JavaScript)",
	},
}
