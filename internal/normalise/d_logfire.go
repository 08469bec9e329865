package normalise

import (
	"hash/fnv"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kLogfireTemplate = key("logfire.msg_template")
	kLogfireType     = key("logfire.span_type")
	kRequestData     = key("request_data")
	kResponseData    = key("response_data")
	kTriggered       = key("triggered")
	kFromAgent       = key("from_agent")
	kToAgent         = key("to_agent")
	kRequestBare     = key("request")
)

// logfireTemplates are the beginnings of the names of Logfire's spans, which are
// templates, and what they stand for.
var logfireTemplates = []struct {
	prefix string
	kind   trace.Kind
}{
	{"OpenAI Agents trace", trace.KindWorkflow}, {"Task: ", trace.KindWorkflow}, {"Turn {turn}", trace.KindWorkflow}, {"Custom span", trace.KindWorkflow},
	{"Agent run", trace.KindAgent}, {"Function: ", trace.KindTool}, {"Handoff: ", trace.KindHandoff}, {"Guardrail ", trace.KindGuardrail},
	{"Chat Completion with {", trace.KindLLM}, {"Completion with {", trace.KindLLM}, {"Responses API with {", trace.KindLLM}, {"Message with {", trace.KindLLM}, // older ones name no operation
	{"streaming response from {", trace.KindLLM}, {"Embedding Creation with {", trace.KindEmbedding},
}

// logfire is Logfire's own integrations: the OpenAI and Anthropic SDKs, the OpenAI
// Agents SDK, the Claude Agent SDK, MCP, Google GenAI. It also sends logs as spans.
var logfire = dialect{
	name:   "logfire",
	marks:  []string{"logfire.msg_template", "logfire.span_type"},
	scopes: []string{"logfire"},
	// Its integrations have scopes of their own below this one.
	byHand: func(b *bag) bool { return b.scope == "logfire" && !b.has(kRequestData) },
	kind: func(b *bag) (trace.Kind, string) {
		if !b.has(kLogfireTemplate) {
			return 0, ""
		}
		for _, t := range logfireTemplates {
			if strings.HasPrefix(b.name, t.prefix) {
				return named(t.kind)
			}
		}
		return 0, ""
	},
	fields: fields{
		// Its processors add these two to the spans of other producers.
		payloadIn:    {"request_data"},
		payloadOut:   {"response_data"},
		inputTokens:  {"gen_ai.usage.partial.input_tokens"},
		outputTokens: {"gen_ai.usage.partial.output_tokens"},
		cacheRead:    {"gen_ai.usage.partial.cache_read.input_tokens"},
		cacheWrite:   {"gen_ai.usage.partial.cache_creation.input_tokens"},
	},
	own: fields{
		session:         {"group_id"},
		agentName:       {"agent_name"},
		responseID:      {"response_id"},
		requestModel:    {"request_data>model"},
		messagesIn:      {"list:events"},
		messagesOut:     {"list:events"},
		payloadIn:       {"input", "request_data", "raw_input", "request>params>arguments"},
		payloadOut:      {"output", "response_data", "response"},
		offered:         {"request_data>tools"},
		toolName:        {"request>params>name", "name"},
		failure:         {"error"},
		inputTokens:     {"usage>input_tokens"},
		outputTokens:    {"usage>output_tokens"},
		totalTokens:     {"usage>total_tokens"},
		reasoningTokens: {"usage>output_tokens_details>reasoning_tokens"},
		cacheRead:       {"usage>input_tokens_details>cached_tokens", "usage>cached_input_tokens"},
	},
	read:  readLogfire,
	noise: []string{"logfire.*", "usage", "metadata", "mcp_data", "tools", "handoffs", "tracing", "server", "result", "gen_ai.usage.partial.*", "model_settings", "model_config"},
	doc: Framework{
		Title:   "Logfire",
		Reads:   "OpenAI, Anthropic, OpenAI Agents, Claude Agent SDK, Google GenAI and MCP integrations; both halves of a streamed call; spans of the user's own (`logfire.span`) as home-made ones",
		Lacks:   "names of spans (they are templates; the kind is read from them)",
		Content: "on by default; scrubbing patterns may redact it",
		Session: "`with logfire.set_baggage(**{\"session.id\": …})` around a turn",
	},
}

func readLogfire(b *bag, s *trace.Step) {
	if b.str(kLogfireType) == "pending_span" {
		s.Hints.Pending = true
	}
	switch s.Kind {
	case trace.KindLLM:
		b.streamHalf(s)
		if a, ok := b.attr(kResponseData); ok && b.has(kOutputMessages) { // which has the thoughts
			reply, flat := a.val.AsString(), s.Output
			s.Output = trace.LazyMessages(func() []trace.Message {
				return merge(flat.List(), message.Text(reply, message.Output, nil))
			})
		}
	case trace.KindAgent:
		if s.Agent.Name == "" {
			s.Agent.Name = b.str(kName)
		}
	case trace.KindHandoff:
		if to := b.str(kToAgent); to != "" {
			s.Tool.Name = "handoff to " + to
			s.Tool.Arguments = trace.DataValue(map[string]any{"from_agent": b.str(kFromAgent), "to_agent": to})
		}
	case trace.KindGuardrail:
		if a, ok := b.attr(kTriggered); ok {
			s.RawOutput = trace.DataValue(map[string]any{"triggered": rawValue(a.val, 0), "name": b.str(kName)})
		}
	case trace.KindTool:
		b.logfireMCP(s)
	case trace.KindUnknown:
		s.Hints.Transport = strings.HasPrefix(s.Name, "MCP ")
	}
}

var kName = key("name")

// streamHalf marks the two spans that a streamed call makes: the request, which
// has no reply, and a log with the reply.
func (b *bag) streamHalf(s *trace.Step) {
	a, ok := b.attr(kRequestData)
	if !ok {
		return
	}
	half := strings.HasPrefix(s.Name, "streaming response from")
	if !half && (s.Output.Captured() || b.span.Status().Code() == ptrace.StatusCodeError) {
		return
	}
	h := fnv.New64a()
	for _, given := range [...]string{a.val.AsString(), b.peek(kInputMessages)} { // older versions have the messages in the first
		_, _ = h.Write([]byte(given))
	}
	s.Hints.StreamKey = strconv.FormatUint(h.Sum64(), 16)
}

// logfireMCP reads the request and the response of an MCP call.
func (b *bag) logfireMCP(s *trace.Step) {
	if !strings.HasPrefix(s.Name, "MCP ") {
		return
	}
	s.Hints.RPCSide = "client"
	if strings.HasPrefix(s.Name, "MCP server") {
		s.Hints.RPCSide = "server"
	}
	if s.Hints.RPCID == "" {
		s.Hints.RPCID = b.member(&source{id: kRequestBare, member: "id"})
	}
}
