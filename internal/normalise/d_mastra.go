package normalise

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kMastraType = key("mastra.span.type")
	kBody       = key("body")
	mastraKinds = map[string]trace.Kind{
		"agent_run": trace.KindAgent, "model_generation": trace.KindLLM, "model_step": trace.KindLLM, "model_inference": trace.KindLLM, "llm_generation": trace.KindLLM,
		"tool_call": trace.KindTool, "mcp_tool_call": trace.KindTool, "workflow_run": trace.KindWorkflow, "workflow_step": trace.KindWorkflow,
		"workflow_loop": trace.KindWorkflow, "workflow_parallel": trace.KindWorkflow, "workflow_conditional": trace.KindWorkflow,
		"workflow_conditional_eval": trace.KindWorkflow, "workflow_sleep": trace.KindWorkflow, "workflow_wait_event": trace.KindWorkflow,
		"processor_run": trace.KindWorkflow, "generic": trace.KindWorkflow, "rag_embedding": trace.KindEmbedding, "rag_vector_operation": trace.KindRetriever,
		"memory_operation": trace.KindMemory, "scorer_run": trace.KindEvaluator,
	}
)

// mastra is Mastra's exporter, whose older versions write bare keys.
var mastra = dialect{
	name:   "mastra",
	marks:  []string{"mastra.span.type"},
	scopes: []string{"@mastra/", "mastra"},
	kind: func(b *bag) (trace.Kind, string) {
		switch b.str(kMastraType) {
		case "model_chunk", "llm_chunk":
			return trace.KindUnknown, keyNames[kMastraType]
		}
		return b.kindOf(kMastraType, mastraKinds)
	},
	own: fields{
		session:         {"sessionId", "threadId", "mastra.metadata.sessionId", "mastra.metadata.threadId"},
		user:            {"userId", "mastra.metadata.userId"},
		agentID:         {"agent.id"},
		provider:        {"modelMetadata>modelProvider"},
		requestModel:    {"modelMetadata>modelId", "input>body>model"},
		responseModel:   {"modelId"},
		responseID:      {"body>id", "id", "mastra.metadata.body>id"},
		offered:         {"input>body>tools"},
		payloadIn:       {"input", "mastra.model_step.input", "mastra.model_generation.input", "mastra.agent_run.input", "mastra.workflow_run.input", "mastra.workflow_step.input"},
		payloadOut:      {"output", "mastra.model_step.output", "mastra.model_generation.output", "mastra.agent_run.output", "mastra.workflow_run.output", "mastra.workflow_step.output"},
		inputTokens:     {"body>usage>input_tokens", "body>usage>prompt_tokens"},
		outputTokens:    {"body>usage>output_tokens", "body>usage>completion_tokens"},
		totalTokens:     {"body>usage>total_tokens"},
		reasoningTokens: {"body>usage>output_tokens_details>reasoning_tokens", "body>usage>completion_tokens_details>reasoning_tokens"},
		cacheRead:       {"body>usage>input_tokens_details>cached_tokens", "body>usage>prompt_tokens_details>cached_tokens", "body>usage>cache_read_input_tokens"},
	},
	read:  readMastra,
	noise: []string{"mastra.*", "headers", "runId", "modelMetadata", "timestamp", "warnings", "request", "instructions", "availableTools"},
	doc: Framework{
		Title:   "Mastra",
		Reads:   "agents, generations and their steps, tools, workflows; usage of the provider's raw reply; session of the root",
		Lacks:   "call ids on tool spans; each part of a stream is a span of its own, which is read as noise",
		Content: "on by default; `sensitiveDataFilter` and `hideInput`/`hideOutput` take it away",
		Session: "`threadId` of the memory, or `metadata: {sessionId: …}` in the tracing options",
	},
}

func readMastra(b *bag, s *trace.Step) {
	switch b.str(kMastraType) {
	case "model_chunk", "llm_chunk":
		s.Hints.Chunk = true
		return
	}
	if s.Kind != trace.KindLLM {
		return
	}
	if b.str(kMastraType) == "model_generation" {
		whole := s.Output
		s.Output = trace.LazyMessages(func() []trace.Message { return lastWords(whole.List()) })
	}
	if a, ok := b.attr(kBody); ok { // the provider's reply, which has the thoughts
		reply, flat := a.val.AsString(), s.Output
		s.Output = trace.LazyMessages(func() []trace.Message {
			return merge(flat.List(), message.Text(reply, message.Output, nil))
		})
	}
}

// lastWords is what a generation said in the end, without the calls that its steps
// before it made, where it has both.
func lastWords(list []trace.Message) []trace.Message {
	if trace.LastSaid(list, trace.RoleAssistant) == "" {
		return list
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].Parts = slices.DeleteFunc(slices.Clone(out[i].Parts), func(p trace.Part) bool { return p.Type == trace.PartToolCall })
	}
	return out
}
