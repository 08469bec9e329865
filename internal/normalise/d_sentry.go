package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var kSentryOp = key("sentry.op")

// sentry is Sentry's SDKs, whose spans say with sentry.op what they did, and whose
// messages are under keys of the conventions' first years.
var sentry = dialect{
	name:   "sentry",
	marks:  []string{"sentry.op"},
	scopes: []string{"sentry", "@sentry/"},
	kind: func(b *bag) (trace.Kind, string) {
		op, ok := strings.CutPrefix(b.str(kSentryOp), "gen_ai.")
		if kind := operations[op]; ok && kind != 0 {
			return kind, keyNames[kSentryOp]
		}
		return 0, ""
	},
	fields: fields{
		cacheRead:       {"gen_ai.usage.input_tokens.cached"},
		cacheWrite:      {"gen_ai.usage.input_tokens.cache_write"},
		reasoningTokens: {"gen_ai.usage.output_tokens.reasoning"},
	},
	noise: []string{"sentry.*"},
	doc: Framework{
		Title:   "Sentry",
		Reads:   "agents, model calls, tools, hand-offs by `sentry.op`, messages, usage",
		Lacks:   "call ids of tools",
		Content: "`send_default_pii=True` and `include_prompts` of the integration in Python; `recordInputs` and `recordOutputs` of the integration in JavaScript",
		Session: "`gen_ai.conversation.id` (`setConversationId` in JavaScript)",
	},
}
