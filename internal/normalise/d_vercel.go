package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kAIOperation   = key("ai.operationId")
	kOperationName = key("operation.name")
	kAIModel       = key("ai.model.id")
	kAIPrompt      = key("ai.prompt.messages")
	vercelText     = []keyID{key("ai.response.text"), key("ai.result.text")}
	vercelCalls    = []keyID{key("ai.response.toolCalls"), key("ai.result.toolCalls")}
	vercelThoughts = []keyID{key("ai.response.reasoning"), key("ai.result.reasoning")}
	vercelObject   = []keyID{key("ai.response.object"), key("ai.result.object")}
)

// vercel is the AI SDK: its own attributes up to version 6, the conventions
// from 7 on.
var vercel = dialect{
	name:   "vercel-ai",
	marks:  []string{"ai.operationId", "ai.settings.context.*", "ai.prompt.messages", "ai.toolCall.name"},
	scopes: []string{"gen_ai"},
	is: func(b *bag) bool {
		return b.scope == "ai" || strings.HasPrefix(b.str(kOperationName), "ai.")
	},
	kind: vercelKind,
	fields: fields{
		session: {"ai.telemetry.metadata.sessionId", "ai.telemetry.metadata.session_id", "ai.telemetry.metadata.threadId", "ai.telemetry.metadata.chatId",
			"ai.telemetry.metadata.conversationId", "ai.settings.context.sessionId", "ai.settings.context.threadId", "ai.settings.context.chatId"},
		user:            {"ai.telemetry.metadata.userId", "ai.telemetry.metadata.user_id", "ai.settings.context.userId"},
		agentName:       {"ai.telemetry.functionId"},
		provider:        {"ai.model.provider"},
		requestModel:    {"ai.model.id"},
		responseModel:   {"ai.response.model"},
		responseID:      {"ai.response.id"},
		finish:          {"ai.response.finishReason", "ai.finishReason"},
		offered:         {"ai.prompt.tools"},
		system:          {"ai.prompt.system"},
		messagesIn:      {"ai.prompt.messages"},
		payloadIn:       {"ai.prompt", "ai.values", "ai.value", "ai.documents"},
		toolName:        {"ai.toolCall.name"},
		callID:          {"ai.toolCall.id"},
		arguments:       {"ai.toolCall.args", "ai.toolCall.input"},
		result:          {"ai.toolCall.result", "ai.toolCall.output"},
		inputTokens:     {"ai.usage.inputTokens", "ai.usage.promptTokens", "ai.usage.tokens"},
		outputTokens:    {"ai.usage.outputTokens", "ai.usage.completionTokens"},
		totalTokens:     {"ai.usage.totalTokens"},
		reasoningTokens: {"ai.usage.outputTokenDetails.reasoningTokens", "ai.usage.reasoningTokens"},
		cacheRead:       {"ai.usage.inputTokenDetails.cacheReadTokens", "ai.usage.cachedInputTokens", "ai.response.providerMetadata>anthropic>usage>cache_read_input_tokens", "ai.response.providerMetadata>bedrock>usage>cacheReadInputTokens"},
		cacheWrite: {"ai.usage.inputTokenDetails.cacheWriteTokens", "ai.response.providerMetadata>anthropic>cacheCreationInputTokens",
			"ai.response.providerMetadata>anthropic>usage>cache_creation_input_tokens", "ai.response.providerMetadata>bedrock>usage>cacheWriteInputTokens"},
	},
	read: readVercel,
	noise: []string{"ai.settings.*", "ai.telemetry.*", "ai.request.*", "ai.response.*", "ai.result.*", "ai.usage.*", "ai.embedding*", "ai.schema*", "ai.stream.*",
		"ai.prompt.toolChoice", "operation.name", "resource.name"},
	doc: Framework{
		Title:   "Vercel AI SDK",
		Reads:   "prompt, reply, tool calls, tools and their results, usage, session and user of the telemetry metadata (up to 6) or the runtime context (7)",
		Lacks:   "spans of tools without `execute` (their results are in the next prompt); the result of a failed tool",
		Content: "`experimental_telemetry: {isEnabled: true, recordInputs: true, recordOutputs: true}` (both on by default)",
		Session: "`experimental_telemetry: {metadata: {sessionId: …}}` (up to 6); `runtimeContext: {sessionId: …}` and `telemetry: {includeRuntimeContext: {sessionId: true}}` of the call, with the option `runtimeContext: true` of `OpenTelemetry` (7)",
	},
}

func vercelKind(b *bag) (trace.Kind, string) {
	id, source := b.str(kAIOperation), keyNames[kAIOperation]
	if id == "" {
		id, _, _ = strings.Cut(b.str(kOperationName), " ")
		source = keyNames[kOperationName]
	}
	if !strings.HasPrefix(id, "ai.") {
		return 0, ""
	}
	switch {
	case id == "ai.toolCall":
		return trace.KindTool, source
	case strings.HasSuffix(id, ".doGenerate"), strings.HasSuffix(id, ".doStream"):
		if !b.has(kAIPrompt) && !b.has(kAIModel) && !b.has(kRequestModel) {
			return trace.KindWorkflow, source
		}
		return trace.KindLLM, source
	case strings.HasSuffix(id, ".doEmbed"):
		return trace.KindEmbedding, source
	case strings.HasSuffix(id, ".doRerank"):
		return trace.KindReranker, source
	case id == "ai.generateText", id == "ai.streamText":
		return trace.KindAgent, source
	}
	return trace.KindWorkflow, source
}

// readVercel makes the reply, of which each part is an attribute of its own.
func readVercel(b *bag, s *trace.Step) {
	text, calls, thoughts, object := b.first(vercelText), b.first(vercelCalls), b.first(vercelThoughts), b.first(vercelObject)
	if text+calls+thoughts+object == "" {
		return
	}
	if s.Kind != trace.KindLLM && text+calls+thoughts == "" {
		s.RawOutput = trace.RawValue(object, value.Decode)
		return
	}
	if s.Output.Captured() {
		return
	}
	reply := text
	if reply == "" {
		reply = object
	}
	finish := ""
	if len(s.Model.FinishReasons) > 0 {
		finish = s.Model.FinishReasons[0]
	}
	s.Output = trace.LazyMessages(func() []trace.Message {
		m := trace.Message{Role: trace.RoleAssistant, FinishReason: finish}
		m.Parts = append(m.Parts, vercelReasoning(thoughts)...)
		if reply != "" {
			m.Parts = append(m.Parts, trace.Part{Type: trace.PartText, Text: reply})
		}
		for _, call := range message.List(map[string]any{"role": "assistant", "tool_calls": value.Decode(calls)}, message.Output) {
			m.Parts = append(m.Parts, call.Parts...)
		}
		return []trace.Message{m}
	})
}

// vercelReasoning reads thoughts, which are text or a list of parts.
func vercelReasoning(s string) []trace.Part {
	if s == "" {
		return nil
	}
	if list, ok := value.Decode(s).([]any); ok {
		return message.Parts(list)
	}
	return []trace.Part{{Type: trace.PartReasoning, Text: s}}
}

// first is the first of several attributes that has a text.
func (b *bag) first(ids []keyID) string {
	out := ""
	for _, id := range ids {
		if s := b.str(id); out == "" && s != "" {
			b.noteCut(keyNames[id], s)
			out = s
		}
	}
	return out
}
