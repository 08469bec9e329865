package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// langChain4j is LangChain4j in Quarkus, whose spans of AI services and tools say
// what they are by their names.
var langChain4j = dialect{
	name: "langchain4j",
	is: func(b *bag) bool {
		return strings.HasPrefix(b.name, langChain4jService) || strings.HasPrefix(b.name, langChain4jTool) ||
			!b.has(kOperation) && (b.has(kContentPrompt) || b.has(kContentCompletion))
	},
	kind: func(b *bag) (trace.Kind, string) {
		switch {
		case strings.HasPrefix(b.name, langChain4jTool):
			return named(trace.KindTool)
		case strings.HasPrefix(b.name, langChain4jService):
			return named(trace.KindAgent)
		case b.claimedBy("langchain4j"):
			return trace.KindLLM, "messages"
		}
		return 0, ""
	},
	fields: fields{
		payloadIn:  {"gen_ai.content.prompt"},
		payloadOut: {"gen_ai.content.completion"},
	},
	read: func(b *bag, s *trace.Step) {
		if name := afterPrefix(b.name, langChain4jTool); name != "" && s.Tool != nil && s.Tool.Name == b.name {
			s.Tool.Name = name
		}
		if name := afterPrefix(b.name, langChain4jService); name != "" && s.Agent.Name == "" {
			s.Agent.Name = name
		}
	},
	doc: Framework{
		Title:   "LangChain4j in Quarkus",
		Reads:   "AI services, model calls, tools by the names of their spans; prompts and completions as one text each",
		Lacks:   "arguments and results of tools; who said what in a prompt",
		Content: "`quarkus.langchain4j.tracing.include-prompt=true`, `quarkus.langchain4j.tracing.include-completion=true`",
	},
}

const (
	langChain4jService = "langchain4j.aiservices."
	langChain4jTool    = "langchain4j.tools."
)

var kContentPrompt, kContentCompletion = key("gen_ai.content.prompt"), key("gen_ai.content.completion")
