package normalise

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// plainKeys is the evidence for the kind of a span that follows no convention: a
// guess, and marked as one.
const plainKeys = "plain keys"

// Keys as people call them who instrument an agent by hand, by what they hold.
var (
	plainModels  = keysOf("llm.model", "model", "model_name", "llm_model", "model_id", "request_model")
	plainPrompts = keysOf("prompt", "prompts", "llm.prompt", "messages", "llm.messages", "question", "user_input", "user_message", "user_query", "user_request", "goal", "input_messages", "request_messages")
	plainInputs  = keysOf("input", "llm.input", "query", "agent_input", "request", "inputs")
	plainReplies = keysOf("completion", "llm.completion", "llm.response", "answer", "reply", "output_messages", "response_messages", "response_message", "agent_message", "assistant_message", "message_content")
	plainOutputs = keysOf("response", "output", "llm.output", "result", "output_text", "agent_output", "outputs")
	plainTokens  = keysOf("prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "total_tokens", "llm.prompt_tokens", "llm.completion_tokens", "tokens_input", "tokens_output")
	plainTools   = keysOf("tool_name", "tool", "function_name")
	plainArgs    = keysOf("args", "arguments", "tool_args", "tool_arguments", "tool_input", "tool_in", "tool_request", "parameters", "params")
	plainResults = keysOf("tool_result", "tool_output", "tool_out", "tool_response")
	plainAgents  = keysOf("agent_name", "agent")
	plainTypes   = keysOf("step_type", "span_type", "span_kind", "node_type", "run_type", "observation_type", "event_type")
	plainCalls   = keysOf("tool_calls", "function_calls")
	plainFound   = keysOf("documents", "chunks", "contexts", "passages", "retrieved_documents", "results", "hits")
)

func keysOf(list ...string) []keyID {
	ids := make([]keyID, len(list))
	for i, name := range list {
		ids[i] = key(name)
	}
	return ids
}

// homeMade is instrumentation that somebody wrote without a convention in mind,
// or with one of their own: see plain.go for how their keys are understood. It is
// read where two signs agree: a model and words, a tool and what it was
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
		session:      {"session_id", "conversation_id", "thread_id", "chat_id", "session"},
		user:         {"user_id"},
		agentName:    {"agent_name", "agent"},
		provider:     {"provider", "llm.vendor", "model_provider"},
		requestModel: {"llm.model", "model", "model_name", "llm_model", "model_id", "request_model"},
		finish:       {"finish_reason", "stop_reason"},
		offered:      {"tools", "functions", "tool_definitions", "available_tools"},
		system:       {"system_prompt", "llm.system_prompt"},
		payloadIn: {"messages", "llm.messages", "input_messages", "request_messages", "prompt", "prompts", "llm.prompt", "question", "user_input", "user_message", "user_query", "user_request", "goal",
			"agent_input", "input", "llm.input", "query", "request", "inputs"},
		payloadOut: {"output_messages", "response_messages", "response_message", "completion", "llm.completion", "llm.response", "answer", "reply", "agent_message", "assistant_message",
			"message_content", "response", "output", "llm.output", "output_text", "agent_output", "result", "outputs"},
		toolName:        {"tool_name", "tool", "function_name"},
		callID:          {"tool_call_id", "call_id", "tool_use_id"},
		arguments:       {"args", "arguments", "tool_args", "tool_arguments", "tool_input", "tool_in", "tool_request", "parameters", "params", "input", "request", "query", "inputs"},
		result:          {"tool_result", "tool_output", "tool_out", "tool_response", "result", "output", "response", "outputs"},
		failure:         {"error", "is_error", "has_error", "failed", "exception", "failure_reason", "error_reason", "error_code", "timed_out", "cancelled", "canceled"},
		success:         {"success", "succeeded", "is_success", "ok", "status", "outcome"},
		exit:            {"exit_code", "exit_status", "return_code", "returncode", "rc"},
		answered:        {"http_status", "http_status_code", "status_code", "result_code"},
		documents:       {"documents", "chunks", "contexts", "passages", "retrieved_documents", "results", "hits"},
		query:           {"query", "question", "input"},
		inputTokens:     {"prompt_tokens", "input_tokens", "llm.prompt_tokens", "tokens_input", "tokens_prompt", "tokens_in", "token_usage_input", "usage_input"},
		outputTokens:    {"completion_tokens", "output_tokens", "llm.completion_tokens", "tokens_output", "tokens_completion", "tokens_out", "token_usage_output", "usage_output"},
		totalTokens:     {"total_tokens", "tokens_total"},
		reasoningTokens: {"reasoning_tokens"},
		cacheRead:       {"cache_read_input_tokens", "cache_read_tokens", "cached_tokens", "cached_input_tokens"},
		cacheWrite:      {"cache_creation_input_tokens", "cache_creation_tokens", "cache_write_tokens"},
		cost:            {"cost_usd"},
	},
	read: func(b *bag, s *trace.Step) {
		for _, id := range plainCalls {
			b.callsBeside(s, id)
		}
	},
	doc: Framework{
		Title:   "Home-made spans",
		Reads:   "spans without a convention where two signs agree: `model` with `prompt`, `response`, `tool_calls` or tokens; `tool_name`, or a name such as `tool:search`, with `args` or `result`; `documents` with a `query`; an agent's or a run's question with its answer; a word such as `span.kind: tool` with input or output. Keys are read by their end, whatever stands before (`orion.tool.params`), in snake, camel or Pascal case, with indexes (`messages[0].role`) or members (`tool.args.city`), as objects or JSON (`span.data`, `payload: {request, response}`, `response.body`), in events, and in base64 where the key says so. The kind is a guess, marked `plain keys`; tools and retrievals that are guessed count only in a trace that shows an agent or a model",
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
	switch kind := b.plainType(); {
	case kind == trace.KindTool && (called || given || gave), kind == trace.KindRetriever && given, kind == trace.KindEmbedding && given,
		kind == trace.KindLLM && (given || gave), (kind == trace.KindAgent || kind == trace.KindWorkflow) && given && gave:
		return kind
	case b.anyWords(plainTools) && (called || given || gave), toolish(name) && (called || given || gave), b.ofTool():
		return trace.KindTool
	case b.anyWords(plainFound) && given && !said:
		return trace.KindRetriever
	case b.anyWords(plainModels) && (given || gave || b.anyThere(plainTokens)) && (asked || said || modelish(name) || b.knownFamily()),
		modelish(name) && given && gave:
		return trace.KindLLM
	case given && gave && (strings.Contains(name, "agent") || b.anyWords(plainAgents)):
		return trace.KindAgent
	case given && gave && (asked || said):
		return trace.KindWorkflow
	}
	return trace.KindUnknown
}

// ofTool reports whether both what was given and what came back stand under keys
// that say that they are a tool's: tool.params, tool.response.
func (b *bag) ofTool() bool {
	given, gave := false, false
	for i := range b.attrs {
		a := &b.attrs[i]
		in := slices.Contains(plainArgs, a.id) || slices.Contains(plainInputs, a.id)
		out := slices.Contains(plainResults, a.id) || slices.Contains(plainOutputs, a.id)
		if (in || out) && slices.Contains(nameWords(a.key), "tool") {
			given, gave = given || in, gave || out
		}
	}
	return given && gave
}

// kindWords are the words in which producers say what a span did, beside words
// that only say that it is one.
var kindWords = map[string]trace.Kind{
	"tool": trace.KindTool, "function": trace.KindTool,
	"llm": trace.KindLLM, "generation": trace.KindLLM, "model": trace.KindLLM, "chat": trace.KindLLM, "completion": trace.KindLLM,
	"agent":     trace.KindAgent,
	"retriever": trace.KindRetriever, "retrieval": trace.KindRetriever,
	"embedding": trace.KindEmbedding, "embeddings": trace.KindEmbedding,
	"chain": trace.KindWorkflow, "workflow": trace.KindWorkflow, "flow": trace.KindWorkflow, "graph": trace.KindWorkflow, "task": trace.KindWorkflow, "pipeline": trace.KindWorkflow,
	"call": 0, "calls": 0, "execution": 0, "invocation": 0, "invoke": 0, "execute": 0, "request": 0, "run": 0, "step": 0, "span": 0, "use": 0, "node": 0,
}

// plainType is what a span says of itself in a word.
func (b *bag) plainType() trace.Kind {
	for _, id := range plainTypes {
		if kind := kindInWords(b.peek(id)); kind != trace.KindUnknown {
			return kind
		}
	}
	return trace.KindUnknown
}

// kindInWords is the one kind that a word or two say, and nothing else.
func kindInWords(text string) (kind trace.Kind) {
	if len(text) > 40 {
		return trace.KindUnknown
	}
	for _, w := range nameWords(text) {
		k, known := kindWords[w]
		if !known || k != 0 && kind != 0 && k != kind {
			return trace.KindUnknown
		}
		kind = max(kind, k)
	}
	return kind
}

// nameWords are the words of a name, in lower case.
func nameWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(snake(name)), func(r rune) bool {
		return r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80
	})
}

// toolish and modelish are what a span's name, in lower case, tells.
func toolish(name string) bool {
	words := nameWords(name)
	for i, w := range words {
		if w != "tool" && (w != "function" || i > 0) {
			continue
		}
		if i == 0 || i == len(words)-1 {
			return true
		}
		if k, known := kindWords[words[i+1]]; known && k == 0 {
			return true
		}
	}
	return false
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
