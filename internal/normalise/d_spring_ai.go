package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kSpringKind = key("spring.ai.kind")
	springKinds = map[string]trace.Kind{
		"chat_client": trace.KindAgent, "advisor": trace.KindWorkflow, "tool_call": trace.KindTool, "vector_store": trace.KindRetriever,
	}
)

// springAI is Spring AI, whose spans carry the conventions and keys of its own.
// Prompts and completions of models are log records.
var springAI = dialect{
	name:   "spring-ai",
	marks:  []string{"spring.ai.*"},
	is:     func(b *bag) bool { return b.str(kSystem) == "spring_ai" },
	scopes: []string{"org.springframework.ai"},
	kind: func(b *bag) (trace.Kind, string) {
		kind, source := b.kindOf(kSpringKind, springKinds)
		if kind == trace.KindRetriever { // also of what is written to the store
			return vectorKind(b)
		}
		return kind, source
	},
	fields: fields{
		session:         {"spring.ai.chat.client.conversation.id"},
		toolName:        {"spring.ai.tool.definition.name"},
		toolDescription: {"spring.ai.tool.definition.description"},
		arguments:       {"spring.ai.tool.call.arguments"},
		result:          {"spring.ai.tool.call.result"},
		query:           {"db.vector.query.content"},
		documents:       {"db.vector.query.response.documents"},
	},
	own:   fields{payloadIn: {"spring.ai.chat.client.user.text"}},
	log:   logSpringAI,
	noise: []string{"spring.ai.*"},
	doc: Framework{
		Title: "Spring AI",
		Reads: "chat clients, advisors, model calls, tools, queries of vector stores; prompts and completions of its log records",
		Lacks: "messages on spans",
		Content: "`spring.ai.chat.observations.log-prompt=true`, `spring.ai.chat.observations.log-completion=true`, `spring.ai.tools.observations.include-content=true`, " +
			"`spring.ai.vectorstore.observations.log-query-response=true`; send the logs to tracegrade as well as the traces",
	},
}

// logSpringAI reads records that begin with a heading and hold what was said.
func logSpringAI(_ *bag, rec *record) bool {
	text, ok := rec.body.(string)
	if !ok {
		return false
	}
	for _, heading := range []struct {
		text string
		side message.Side
		into *trace.Messages
	}{
		{"Chat Model Prompt Content:", message.Input, &rec.fragment.Input}, {"Chat Model Completion:", message.Output, &rec.fragment.Output},
	} {
		if said, found := strings.CutPrefix(text, heading.text); found {
			said = strings.TrimSpace(said)
			*heading.into = trace.LazyMessages(func() []trace.Message { return message.List(said, heading.side) })
			return true
		}
	}
	return false
}
