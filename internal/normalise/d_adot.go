package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

var (
	kADOTKind = key("aws.genai.span_kind")
	adotKinds = map[string]trace.Kind{
		"llm": trace.KindLLM, "agent": trace.KindAgent, "tool": trace.KindTool, "retriever": trace.KindRetriever, "embedding": trace.KindEmbedding,
		"chain": trace.KindWorkflow, "workflow": trace.KindWorkflow,
	}
)

// adot is AWS's distribution and Bedrock AgentCore, which move the content of
// spans into one log record a span.
var adot = dialect{
	name:  "aws-adot",
	marks: []string{"aws.genai.span_kind"},
	kind:  func(b *bag) (trace.Kind, string) { return b.kindOf(kADOTKind, adotKinds) },
	fields: fields{
		totalTokens: {"aws.genai.token_count_total"},
	},
	noise: []string{"aws.*", "PlatformType", "telemetry.*"},
	doc: Framework{
		Title:   "AWS ADOT, Bedrock AgentCore",
		Reads:   "spans of whatever instrumentation it carries, and their content from the log records that it writes",
		Lacks:   "all but the last of several span events of one name",
		Content: "`AGENT_OBSERVABILITY_ENABLED=true`; send the logs to tracegrade as well as the traces",
	},
}
