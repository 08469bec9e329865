package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// liteLLM is LiteLLM's proxy and SDK. The child raw_gen_ai_request is the same
// call in the provider's words; a bug of some versions writes the name of a
// constant in place of its value.
var liteLLM = dialect{
	name:   "litellm",
	scopes: []string{"litellm"},
	is:     func(b *bag) bool { return b.name == "litellm_request" || b.name == "raw_gen_ai_request" },
	kind: func(b *bag) (trace.Kind, string) {
		if b.name == "litellm_request" || b.name == "raw_gen_ai_request" {
			return named(trace.KindLLM)
		}
		return 0, ""
	},
	own: fields{
		session: {"metadata.session_id", "metadata.litellm_session_id"},
		user:    {"metadata.user_api_key_end_user_id", "llm.user", "metadata.user_api_key_user_id"},
		cost:    {"gen_ai.cost.total_cost", "hidden_params>response_cost"},
	},
	read:  readLiteLLM,
	noise: []string{"metadata.*", "hidden_params", "llm.*", "gen_ai.cost.*"},
	doc: Framework{
		Title:   "LiteLLM",
		Reads:   "requests with messages and usage; the provider's raw request is read as the same call",
		Lacks:   "tools: it sees model calls only",
		Content: "on by default; `turn_off_message_logging: true` takes it away",
		Session: "`metadata={\"session_id\": …}` of the request",
	},
}

func readLiteLLM(b *bag, s *trace.Step) {
	if b.name != "raw_gen_ai_request" || s.Input.Captured() {
		return
	}
	for i := range b.attrs {
		a := &b.attrs[i]
		if !strings.HasPrefix(a.key, "llm.") || !strings.HasSuffix(a.key, ".messages") {
			continue
		}
		if v, ok := b.carried(a.key, a.val); ok {
			a.used = true
			s.Input = lazyValue(v, message.Input)
		}
	}
}
