package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kPlainTool      = key("tool.name") // without a prefix: of home-made instrumentation
	kRequestModel   = key("gen_ai.request.model")
	kInputMessages  = key("gen_ai.input.messages")
	kOutputMessages = key("gen_ai.output.messages")
	kWorkflowName   = key("gen_ai.workflow.name")
	kDataSource     = key("gen_ai.data_source.id")
	kDimensions     = key("gen_ai.embeddings.dimension.count")
	kEncodings      = key("gen_ai.request.encoding_formats")
	kDBSystem       = key("db.system")
	kDBSystemName   = key("db.system.name")
	kDBOperationOld = key("db.operation")
	gPrompt         = indexed("gen_ai.prompt")
	gCompletion     = indexed("gen_ai.completion")
)

// vectorStores are the databases of which a query is a retrieval.
var vectorStores = map[string]bool{"chroma": true, "chromadb": true, "pinecone": true, "qdrant": true, "milvus": true, "weaviate": true, "marqo": true, "lancedb": true}

// general reads what no dialect claims by evidence alone: message events,
// attributes that only one kind of step has, names, and at last a model together
// with tokens or messages.
var general = dialect{
	name: "general",
	late: true,
	is: func(b *bag) bool {
		return b.hasGroup(gPrompt) || b.hasGroup(gCompletion) || b.has(kInputMessages) || b.has(kOutputMessages) || b.has(kToolNameAttr) || b.has(kPlainTool) || b.messageEvents()
	},
	kind: generalKind,
	fields: fields{
		session:     {"gen_ai.thread.id"}, // Azure AI agents
		messagesIn:  {"gen_ai.request.messages", "gen_ai.prompt.*", "event:gen_ai.content.prompt/gen_ai.prompt", "SpanAttributes.LLM_PROMPTS.*"},
		messagesOut: {"gen_ai.completion.*", "event:gen_ai.content.completion/gen_ai.completion", "SpanAttributes.LLM_COMPLETIONS.*"},
		payloadIn:   {"gen_ai.prompt"},
		payloadOut:  {"gen_ai.completion", "gen_ai.response.text"},
		offered:     {"gen_ai.request.available_tools"},
		callID:      {"gen_ai.tool.call_id"},
		toolName:    {"tool.name"},
		arguments:   {"gen_ai.tool.args", "gen_ai.tool.input", "tool.input", "tool.arguments", "tool.args", "event:gen_ai.tool.message/content"},
		result:      {"gen_ai.tool.result", "gen_ai.tool.output", "tool.output", "tool.result", "event:gen_ai.choice/message", "event:gen_ai.choice/content"},
		success:     {"gen_ai.tool.status", "gen_ai.task.status"},
		errorText:   {"error.message", "exception.message"},
		reasoningTokens: {"gen_ai.usage.reasoning_tokens", "gen_ai.usage.details.reasoning_tokens", "gen_ai.usage.reasoning_output_tokens", "gen_ai.usage.thoughts_token_count",
			"gen_ai.usage.output_reasoning_tokens", "gen_ai.usage.output_token_details>reasoning"},
		cacheRead: {"gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.input_cached_tokens", "gen_ai.usage.cached_input_tokens", "gen_ai.usage.cached_tokens",
			"gen_ai.usage.details.cache_read_input_tokens", "gen_ai.usage.details.cache_read_tokens", "gen_ai.usage.input_token_details>cache_read"},
		cacheWrite: {"gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_write_input_tokens", "gen_ai.usage.input_cache_creation",
			"gen_ai.usage.details.cache_creation_input_tokens", "gen_ai.usage.details.cache_write_tokens", "gen_ai.usage.input_token_details>cache_creation"},
		cost: {"gen_ai.usage.cost", "operation.cost"},
	},
	doc: Framework{
		Title:   "Anything else",
		Reads:   "spans with message events, with attributes that only one kind of step has, with a name of the conventions, or with a model together with tokens or messages",
		Lacks:   "whatever is under keys that nobody knows: such content is a loss with its key",
		Content: "see the documentation of the instrumentation",
	},
}

// messageEvents reports whether the span has events that only model calls have.
func (b *bag) messageEvents() bool {
	for i := range b.events {
		if n := b.events[i].name; strings.HasPrefix(n, "gen_ai.") && (n == "gen_ai.choice" || strings.HasSuffix(n, ".message") || strings.HasPrefix(n, "gen_ai.content.") || n == "gen_ai.client.inference.operation.details") {
			return true
		}
	}
	return false
}

func generalKind(b *bag) (trace.Kind, string) {
	if b.claimedBy("home-made") { // which says that it guesses
		return 0, ""
	}
	if b.messageEvents() && !b.has(kToolNameAttr) && !strings.HasPrefix(b.name, "execute_") {
		return trace.KindLLM, "event"
	}
	for _, e := range []struct {
		id   keyID
		kind trace.Kind
	}{
		{kToolCallID, trace.KindTool}, {kToolNameAttr, trace.KindTool}, {kPlainTool, trace.KindTool}, {kDimensions, trace.KindEmbedding}, {kEncodings, trace.KindEmbedding},
		{kWorkflowName, trace.KindWorkflow}, {kDataSource, trace.KindRetriever},
	} {
		if b.has(e.id) && b.str(e.id) != "" {
			return e.kind, keyNames[e.id]
		}
	}
	if kind, source := databaseKind(b); source != "" {
		return kind, source
	}
	if b.speaksGenAI() {
		if kind, ok := kindByName(b.name); ok {
			return kind, "name"
		}
	}
	return b.kindByEvidence()
}

// databaseKind is a retriever for a query to a vector store.
func databaseKind(b *bag) (trace.Kind, string) {
	for i := range b.events {
		if n := b.events[i].name; n == "db.query.result" || n == "db.search.result" {
			return trace.KindRetriever, "event"
		}
	}
	system := strings.ToLower(b.str(kDBSystem))
	if system == "" {
		system = strings.ToLower(b.str(kDBSystemName))
	}
	if !vectorStores[system] {
		return 0, ""
	}
	op := strings.ToLower(b.str(kDBOperation) + " " + b.str(kDBOperationOld) + " " + b.name)
	for _, word := range []string{"query", "search", "get", "retriev", "similar"} {
		if strings.Contains(op, word) {
			return trace.KindRetriever, keyNames[kDBSystem]
		}
	}
	return 0, ""
}

// speaksGenAI reports whether any attribute is of a known field: a name alone is
// no evidence.
func (b *bag) speaksGenAI() bool {
	for i := range b.attrs {
		k := b.attrs[i].key
		if strings.HasPrefix(k, "gen_ai.") || strings.HasPrefix(k, "llm.") || strings.HasPrefix(k, "ai.") {
			return true
		}
	}
	return false
}

// kindByName reads the span names of the conventions.
func kindByName(name string) (trace.Kind, bool) {
	if op, _, ok := strings.Cut(name, " "); ok {
		if kind, known := operations[op]; known && strings.Contains(op, "_") || op == "chat" || op == "embeddings" || op == "retrieval" || op == "rerank" {
			return kind, true
		}
	}
	for _, n := range []struct {
		prefix string
		kind   trace.Kind
	}{{"running tool", trace.KindTool}, {"agent run", trace.KindAgent}, {"call_llm", trace.KindLLM}, {"invocation", trace.KindWorkflow}} {
		if strings.HasPrefix(name, n.prefix) {
			return n.kind, true
		}
	}
	return 0, false
}

// kindByEvidence takes a span for a model call where it has messages with
// indexes, or a model together with tokens or messages. A model alone is no
// evidence: gateways stamp it on everything.
func (b *bag) kindByEvidence() (trace.Kind, string) {
	if b.hasGroup(gOIInput) || b.hasGroup(gOIOutput) || b.hasGroup(gPrompt) || b.hasGroup(gCompletion) {
		return trace.KindLLM, "messages"
	}
	if b.text(requestModel) == "" && b.text(responseModel) == "" {
		return 0, ""
	}
	_, _, tokens := b.number(inputTokens)
	if !tokens {
		_, _, tokens = b.number(outputTokens)
	}
	if tokens || b.has(kInputMessages) || b.has(kOutputMessages) {
		return trace.KindLLM, "model"
	}
	return 0, ""
}
