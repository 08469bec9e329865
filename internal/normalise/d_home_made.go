package normalise

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// plainKeys is the evidence for the kind of a span that follows no convention: a
// guess, and marked as one.
const plainKeys = "plain keys"

// Keys as people call them who instrument an agent by hand, by what they hold.
var (
	plainModels  = keysOf("llm.model", "model", "model_name", "llm_model", "model_id")
	plainPrompts = keysOf("prompt", "llm.prompt", "messages", "llm.messages", "question", "user_input", "user_message", "input_messages")
	plainInputs  = keysOf("input", "llm.input", "query", "agent_input")
	plainReplies = keysOf("completion", "llm.completion", "llm.response", "answer", "reply")
	plainOutputs = keysOf("response", "output", "llm.output", "result", "output_text", "agent_output")
	plainTokens  = keysOf("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens", "llm.prompt_tokens", "llm.completion_tokens")
	plainTools   = keysOf("tool_name", "tool", "function_name")
	plainArgs    = keysOf("args", "arguments", "tool_args", "tool_input", "parameters", "params")
	plainResults = keysOf("tool_result", "tool_output")
	plainTypes   = keysOf("step_type", "span_type")
	plainCalls   = keysOf("tool_calls", "function_calls")
	plainFound   = keysOf("documents", "chunks", "contexts", "retrieved_documents")
)

func keysOf(list ...string) []keyID {
	ids := make([]keyID, len(list))
	for i, name := range list {
		ids[i] = key(name)
	}
	return ids
}

// homeMade is instrumentation that somebody wrote without a convention in mind.
// It is read where two signs agree: a model and words, a tool and what it was
// given, a name and a key.
var homeMade = dialect{
	name: "home-made",
	late: true,
	is:   func(b *bag) bool { return b.isSpan && b.homeMadeKind() != trace.KindUnknown },
	kind: func(b *bag) (trace.Kind, string) {
		if !b.claimedBy("home-made") {
			return 0, ""
		}
		return b.homeMadeKind(), plainKeys
	},
	own: fields{
		session:      {"session_id", "conversation_id", "thread_id"},
		user:         {"user_id"},
		agentName:    {"agent_name", "agent"},
		provider:     {"provider", "llm.vendor"},
		requestModel: {"llm.model", "model", "model_name", "llm_model", "model_id"},
		finish:       {"finish_reason", "stop_reason"},
		system:       {"system_prompt", "llm.system_prompt"},
		payloadIn:    {"messages", "llm.messages", "prompt", "llm.prompt", "question", "user_input", "user_message", "input_messages", "agent_input", "input", "llm.input", "query"},
		payloadOut:   {"completion", "llm.completion", "llm.response", "answer", "reply", "response", "output", "llm.output", "output_text", "agent_output", "result"},
		toolName:     {"tool_name", "tool", "function_name"},
		callID:       {"tool_call_id", "call_id"},
		arguments:    {"args", "arguments", "tool_args", "tool_input", "parameters", "params", "input", "query"},
		result:       {"tool_result", "tool_output", "result", "output", "response"},
		failure:      {"error"},
		documents:    {"documents", "chunks", "contexts", "retrieved_documents"},
		query:        {"query", "question", "input"},
		inputTokens:  {"prompt_tokens", "input_tokens", "llm.prompt_tokens"},
		outputTokens: {"completion_tokens", "output_tokens", "llm.completion_tokens"},
		totalTokens:  {"total_tokens"},
		cost:         {"cost_usd"},
	},
	read: func(b *bag, s *trace.Step) {
		for _, id := range plainCalls {
			b.callsBeside(s, id)
		}
	},
	doc: Framework{
		Title:   "Home-made spans",
		Reads:   "spans without a convention where two signs agree: `model` with `prompt`, `response`, `tool_calls` or tokens; `tool_name`, or a name such as `tool:search`, with `args` or `result`; an agent's or a run's question with its answer; in snake or camel case, below a noun (`tool.input`, `llm: {model, input, output}`) or as JSON in one attribute (`span.data`). The kind is a guess, marked `plain keys`",
		Lacks:   "anything that says for certain what a span is",
		Own:     true,
		Content: "name the operation (`gen_ai.operation.name`: `chat`, `execute_tool`, `invoke_agent`) and use the keys of the GenAI conventions, or an instrumentation of this table",
	},
}

// homeMadeKind guesses what a span without a convention did.
func (b *bag) homeMadeKind() trace.Kind {
	for _, id := range carriers {
		if b.has(id) {
			return trace.KindUnknown
		}
	}
	name := strings.ToLower(snake(b.name))
	asked, said := b.anyWords(plainPrompts), b.anyWords(plainReplies)
	given, gave := asked || b.anyWords(plainInputs), said || b.anyWords(plainOutputs)
	called := b.anyWords(plainArgs) || b.anyWords(plainResults)
	switch stepType := b.plainType(); {
	case stepType == trace.KindTool && (called || given || gave), stepType == trace.KindLLM && (given || gave), stepType == trace.KindAgent && given && gave:
		return stepType
	case b.anyWords(plainTools) && (called || given || gave), toolish(name) && (called || gave):
		return trace.KindTool
	case b.anyWords(plainFound) && given:
		return trace.KindRetriever
	case b.anyWords(plainModels) && (given || gave || b.anyThere(plainTokens)) && (asked || said || modelish(name) || b.knownFamily()),
		modelish(name) && given && gave:
		return trace.KindLLM
	case given && gave && strings.Contains(name, "agent"):
		return trace.KindAgent
	case given && gave && (asked || said):
		return trace.KindWorkflow
	}
	return trace.KindUnknown
}

// plainType is what a span says of itself in a word.
func (b *bag) plainType() trace.Kind {
	for _, id := range plainTypes {
		switch strings.ToLower(b.peek(id)) {
		case "tool", "function", "tool_call":
			return trace.KindTool
		case "llm", "generation", "model", "chat", "completion":
			return trace.KindLLM
		case "agent":
			return trace.KindAgent
		}
	}
	return trace.KindUnknown
}

// toolish and modelish are what a span's name, in lower case, tells.
func toolish(name string) bool {
	for _, begin := range [...]string{"tool:", "tool.", "tool ", "tool/", "tool_", "call_tool", "run_tool", "use_tool", "execute_tool", "invoke_tool", "function:"} {
		if strings.HasPrefix(name, begin) {
			return true
		}
	}
	return strings.HasSuffix(name, "_tool")
}

func modelish(name string) bool {
	for _, word := range [...]string{"llm", "chat", "completion", "generate", "openai", "anthropic", "gpt", "claude", "gemini"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// knownFamily reports whether the model's name is of a family of language models.
func (b *bag) knownFamily() bool {
	for _, id := range plainModels {
		name := strings.ToLower(b.peek(id))
		name = name[strings.LastIndexByte(name, '/')+1:]
		for _, f := range families {
			if strings.HasPrefix(name, f.prefix) {
				return true
			}
		}
	}
	return false
}

// peek is an attribute's text, which does not count as read.
func (b *bag) peek(id keyID) string {
	if !b.has(id) {
		return ""
	}
	if v := b.attrs[b.at[id]-1].val; v.Type() == pcommon.ValueTypeStr {
		return v.Str()
	}
	return ""
}

func (b *bag) anyThere(ids []keyID) bool {
	for _, id := range ids {
		if b.has(id) {
			return true
		}
	}
	return false
}

// anyWords reports whether one of the attributes holds words or data.
func (b *bag) anyWords(ids []keyID) bool {
	for _, id := range ids {
		if !b.has(id) {
			continue
		}
		switch v := b.attrs[b.at[id]-1].val; v.Type() {
		case pcommon.ValueTypeStr:
			if v.Str() != "" {
				return true
			}
		case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
			return true
		}
	}
	return false
}
