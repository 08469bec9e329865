package normalise

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kOperation      = key("gen_ai.operation.name")
	kTransferTarget = key("gen_ai.transfer.target.name")
	kToolNameAttr   = key("gen_ai.tool.name")
	kToolCallID     = key("gen_ai.tool.call.id")
	kDBOperation    = key("db.operation.name")
	kResponseCalls  = key("gen_ai.response.tool_calls")
)

// operations maps gen_ai.operation.name to kinds: the conventions' names first,
// then those that producers made up.
var operations = map[string]trace.Kind{
	"chat": trace.KindLLM, "generate_content": trace.KindLLM, "text_completion": trace.KindLLM, "fetch_response": trace.KindLLM,
	"embeddings": trace.KindEmbedding, "retrieval": trace.KindRetriever, "execute_tool": trace.KindTool,
	"create_agent": trace.KindAgent, "invoke_agent": trace.KindAgent, "process_thread_run": trace.KindAgent, "start_thread_run": trace.KindAgent, "invoke_workflow": trace.KindWorkflow, "plan": trace.KindPlan,
	"search_memory": trace.KindMemory, "create_memory": trace.KindMemory, "update_memory": trace.KindMemory, "upsert_memory": trace.KindMemory,
	"delete_memory": trace.KindMemory, "create_memory_store": trace.KindMemory, "delete_memory_store": trace.KindMemory,

	"chat.completions": trace.KindLLM, "completions": trace.KindLLM, "completion": trace.KindLLM, "response": trace.KindLLM, "responses": trace.KindLLM,
	"messages": trace.KindLLM, "generate": trace.KindLLM, "llm": trace.KindLLM, "llm_call": trace.KindLLM,
	"image_generation": trace.KindLLM, "image": trace.KindLLM, "audio": trace.KindLLM, "speech": trace.KindLLM, "transcription": trace.KindLLM,
	"embedding": trace.KindEmbedding, "rerank": trace.KindReranker, "retriever": trace.KindRetriever, "retrieve": trace.KindRetriever,
	"tool": trace.KindTool, "tool_call": trace.KindTool, "tool.execute": trace.KindTool,
	"agent": trace.KindAgent, "agent_call": trace.KindAgent, "agent.run": trace.KindAgent,
	"agent_step": trace.KindWorkflow, "step": trace.KindWorkflow, "execute_task": trace.KindWorkflow, "workflow": trace.KindWorkflow, "framework": trace.KindWorkflow,
	"task": trace.KindWorkflow, "chain": trace.KindWorkflow, "parser": trace.KindWorkflow, "prompt": trace.KindWorkflow,
	"execute_event_loop_cycle": trace.KindWorkflow, "execute_agent_loop": trace.KindWorkflow, "execute_agent_loop_cycle": trace.KindWorkflow,
	"user_prompt": trace.KindWorkflow, "system_prompt": trace.KindWorkflow, "schedule_tool_calls": trace.KindWorkflow, "orchestrate_tools": trace.KindWorkflow,
	"agent_handoff": trace.KindHandoff, "transfer_to_agent": trace.KindHandoff, "handoff": trace.KindHandoff,
	"create_message": trace.KindWorkflow, "create_thread": trace.KindWorkflow,
	"run_guardrail": trace.KindGuardrail, "apply_guardrail": trace.KindGuardrail, "guardrail": trace.KindGuardrail,
	"evaluate": trace.KindEvaluator, "evaluation": trace.KindEvaluator,
}

// semconv is the OpenTelemetry GenAI conventions in all their versions, and what
// writes them without a dialect of its own.
var semconv = dialect{
	name: "otel-genai",
	late: true,
	is:   func(b *bag) bool { return b.has(kOperation) || b.has(kProviderName) || b.has(kSystem) },
	scopes: []string{
		"opentelemetry.instrumentation.openai_v2", "opentelemetry.instrumentation.google_genai", "opentelemetry.instrumentation.vertexai",
		"opentelemetry.instrumentation.genai", "@opentelemetry/instrumentation-openai", "opentelemetry.instrumentation.botocore",
	},
	kind: semconvKind,
	fields: fields{
		session:         {"gen_ai.conversation.id", "session.id"},
		user:            {"user.id", "enduser.id", "gen_ai.user"},
		agentID:         {"gen_ai.agent.id"},
		agentName:       {"gen_ai.agent.name"},
		agentVersion:    {"gen_ai.agent.version"},
		provider:        {"gen_ai.provider.name", "gen_ai.system"},
		requestModel:    {"gen_ai.request.model"},
		responseModel:   {"gen_ai.response.model"},
		responseID:      {"gen_ai.response.id"},
		continues:       {"gen_ai.request.previous_response.id", "gen_ai.request.previous_response_id"},
		finish:          {"gen_ai.response.finish_reasons", "gen_ai.response.finish_reason", "event:gen_ai.choice/finish_reason"},
		offered:         {"gen_ai.tool.definitions", "event:gen_ai.client.inference.operation.details/gen_ai.tool.definitions"},
		system:          {"gen_ai.system_instructions", "event:gen_ai.client.inference.operation.details/gen_ai.system_instructions"},
		messagesIn:      {"gen_ai.input.messages", "event:gen_ai.client.inference.operation.details/gen_ai.input.messages", "event:" + messageEvent},
		messagesOut:     {"gen_ai.output.messages", "event:gen_ai.client.inference.operation.details/gen_ai.output.messages", "event:" + messageEvent},
		toolName:        {"gen_ai.tool.name", "gen_ai.transfer.target.name"},
		callID:          {"gen_ai.tool.call.id"},
		toolType:        {"gen_ai.tool.type"},
		toolDescription: {"gen_ai.tool.description"},
		arguments:       {"gen_ai.tool.call.arguments"},
		result:          {"gen_ai.tool.call.result"},
		errorType:       {"error.type"},
		documents:       {"gen_ai.retrieval.documents", "gen_ai.memory.records"},
		query:           {"gen_ai.retrieval.query.text", "gen_ai.memory.query.text", "gen_ai.rerank.query.text"},
		inputTokens:     {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"},
		outputTokens:    {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"},
		reasoningTokens: {"gen_ai.usage.reasoning.output_tokens"},
		cacheRead:       {"gen_ai.usage.cache_read.input_tokens"},
		cacheWrite:      {"gen_ai.usage.cache_write.input_tokens", "gen_ai.usage.cache_creation.input_tokens"},
		totalTokens:     {"gen_ai.usage.total_tokens"},
	},
	read: semconvRead,
	doc: Framework{
		Title:   "OpenTelemetry GenAI conventions",
		Reads:   "operations, messages on spans, in span events and in log records, of versions 1.26 to the current; agents, tools, retrievals, memory, evaluations",
		Lacks:   "content unless it is switched on; documents beyond id and score",
		Content: "`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT` (`true` in older versions) with `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental`; content in log records needs a logs pipeline to tracegrade",
	},
	noise: []string{
		"gen_ai.request.*", "gen_ai.usage.*", "gen_ai.agent.description", "gen_ai.prompt.name", "gen_ai.prompt.version", "server.*", "http.*", "url.*", "net.*",
		"network.*", "client.*", "user_agent.*", "exception.*", "code.*", "thread.*", "telemetry.*", "process.*", "host.*", "otel.*", "error.*",
		"gen_ai.response.*", "gen_ai.evaluation.*", "openai.*", "aws.*", "azure.*", "k8s.*", "service.*", "deployment.*", "db.*", "rpc.*", "peer.*", "tracegrade.*",
	},
}

func semconvKind(b *bag) (trace.Kind, string) {
	op := strings.ToLower(b.str(kOperation))
	if op == "" || op == "unknown" {
		return 0, ""
	}
	switch op {
	case "vector_db_retrieve", "vectordb":
		return vectorKind(b)
	case "execute_tool":
		if b.str(kTransferTarget) != "" {
			return trace.KindHandoff, keyNames[kTransferTarget]
		}
	}
	if kind, ok := operations[op]; ok {
		return kind, keyNames[kOperation]
	}
	if afterPrefix(op, "invoke_", "execute_", "submit_", "list_", "get_", "delete_") != "" { // of many agents (Strands' invoke_swarm), and of what a service keeps
		return trace.KindWorkflow, keyNames[kOperation]
	}
	return 0, ""
}

// vectorKind is a retriever where a vector database was asked, and nothing where
// it was written to.
func vectorKind(b *bag) (trace.Kind, string) {
	op := strings.ToLower(b.str(kDBOperation) + " " + b.str(kDBOperationOld) + " " + b.name)
	for _, word := range []string{"insert", "upsert", "add", "delete", "update", "create"} {
		if strings.Contains(op, word) {
			return 0, ""
		}
	}
	return trace.KindRetriever, keyNames[kOperation]
}

func semconvRead(b *bag, s *trace.Step) {
	b.callsBeside(s, kResponseCalls) // Sentry
	if b.str(kOperation) == "fetch_response" {
		s.Usage.Scope = trace.UsageAggregate // the tokens of the stored response, not of this poll
	}
}

// callsBeside adds to a model's reply the calls that an attribute has apart from
// the text.
func (b *bag) callsBeside(s *trace.Step, id keyID) {
	v, ok := b.attr(id)
	if !ok || s.Kind != trace.KindLLM {
		return
	}
	calls, flat := v.val.AsString(), s.Output
	s.Output = trace.LazyMessages(func() []trace.Message {
		said := flat.List()
		if slices.ContainsFunc(said, asks) { // the reply has them itself
			return said
		}
		return oneMessage(append(said, message.List(map[string]any{"role": "assistant", "tool_calls": value.Decode(calls)}, message.Output)...))
	})
}

// asks reports whether a message has a call of a tool.
func asks(m trace.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p trace.Part) bool { return p.Type == trace.PartToolCall })
}
