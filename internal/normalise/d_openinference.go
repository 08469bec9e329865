package normalise

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

var (
	kOIKind      = key("openinference.span.kind")
	kInputValue  = key("input.value")
	kOutputValue = key("output.value")
	kToolParams  = key("tool.parameters")
	gOIInput     = indexed("llm.input_messages")
	gOIOutput    = indexed("llm.output_messages")
	kGraphParent = key("graph.node.parent_id")
	oiKinds      = map[string]trace.Kind{
		"llm": trace.KindLLM, "tool": trace.KindTool, "retriever": trace.KindRetriever, "reranker": trace.KindReranker, "embedding": trace.KindEmbedding,
		"agent": trace.KindAgent, "chain": trace.KindWorkflow, "guardrail": trace.KindGuardrail, "evaluator": trace.KindEvaluator, "prompt": trace.KindWorkflow,
		"workflow": trace.KindWorkflow, "task": trace.KindWorkflow, "step": trace.KindWorkflow, "react_step": trace.KindWorkflow, "entry": trace.KindWorkflow,
	}
	kSpanKindAli = key("gen_ai.span.kind") // LoongSuite
)

// openInference is Arize's conventions, which Phoenix and many instrumentations
// of frameworks without OpenTelemetry of their own use.
var openInference = dialect{
	name:   "openinference",
	marks:  []string{"openinference.span.kind", "llm.input_messages.*", "llm.output_messages.*"},
	scopes: []string{"openinference", "@arizeai/openinference"},
	kind: func(b *bag) (trace.Kind, string) {
		if kind, source := b.kindOf(kOIKind, oiKinds); source != "" {
			return kind, source
		}
		return b.kindOf(kSpanKindAli, oiKinds)
	},
	fields: fields{
		session:         {"session.id", "metadata>thread_id", "metadata>session_id", "metadata>conversation_id"},
		user:            {"metadata>user_id"},
		agentName:       {"agent.name", "graph.node.id"},
		provider:        {"llm.provider", "llm.system"},
		requestModel:    {"llm.request.model_name", "llm.model_name", "embedding.model_name", "reranker.model_name"},
		responseModel:   {"llm.response.model_name"},
		finish:          {"llm.finish_reason"},
		responseID:      {"llm.response.id"},
		continues:       {"llm.invocation_parameters>previous_response_id"},
		offered:         {"llm.tools.*", "llm.invocation_parameters>tools"},
		messagesIn:      {"llm.input_messages.*", "llm.prompts.*"},
		messagesOut:     {"llm.output_messages.*", "llm.choices.*"},
		payloadIn:       {"input.value"},
		payloadOut:      {"output.value"},
		toolName:        {"tool.name", "tool_call.function.name"},
		callID:          {"tool.id", "tool_call.id"},
		toolDescription: {"tool.description"},
		documents:       {"retrieval.documents.*", "reranker.output_documents.*", "retrieval.documents", "retrieval.document"},
		query:           {"reranker.query"},
		inputTokens:     {"llm.token_count.prompt"},
		outputTokens:    {"llm.token_count.completion"},
		reasoningTokens: {"llm.token_count.completion_details.reasoning"},
		cacheRead:       {"llm.token_count.prompt_details.cache_read", "llm.token_count.prompt_details.cache_input"},
		cacheWrite:      {"llm.token_count.prompt_details.cache_write"},
		totalTokens:     {"llm.token_count.total"},
		cost:            {"llm.cost.total"},
	},
	read: readOpenInference,
	doc: Framework{
		Title:   "OpenInference (Arize, Phoenix)",
		Reads:   "kind, indexed messages with their parts, tools offered, tools, documents, usage, cost; what the messages lack is taken from input.value and output.value",
		Lacks:   "usage and model of streamed chat completions in JavaScript; the wiring of tools in bare SDK instrumentations (results are in the next prompt)",
		Content: contentOfOpenInference,
		Session: sessionOfOpenInference,
	},
	noise: []string{
		"metadata", "tag.tags", "input.mime_type", "output.mime_type", "llm.invocation_parameters", "embedding.*", "tool.json_schema", "tool_call.*",
		"llm.token_count.*", "llm.cost.*", "llm.prompt_template.*", "prompt.*", "reranker.top_k", "openinference.*", "graph.*", "agno.*", "smolagents.*",
	},
}

func readOpenInference(b *bag, s *trace.Step) {
	switch s.Kind {
	case trace.KindLLM:
		b.reply(s)
		b.supplementInput(s)
		b.supplementOutput(s)
	case trace.KindTool:
		b.toolParameters(s)
	case trace.KindHandoff:
		nameHandoff(s)
	case trace.KindWorkflow:
		b.state(s)
	case trace.KindAgent:
		b.state(s)
		if b.has(kGraphParent) && s.Agent.ID == "" {
			s.Agent.ID = s.Agent.Name
		}
	}
	if s.Usage.Scope == trace.UsageOwn && strings.HasSuffix(s.Name, ".kickoff") {
		s.Usage.Scope = trace.UsageAggregate
	}
}

// state reads the conversation that a step which calls no model was given: the
// indexed messages are the last of it.
func (b *bag) state(s *trace.Step) {
	a, ok := b.attr(kInputValue)
	if !ok || !b.hasGroup(gOIInput) || a.val.Type() != pcommon.ValueTypeStr || !message.Looks(a.val.Str()) {
		return
	}
	b.noteCut(a.key, a.val.Str())
	whole, flat := a.val.Str(), s.Input
	s.Input = trace.SharedMessages(func(h *trace.History) []trace.Message {
		if list := message.Text(whole, message.Input, h); len(list) > 0 {
			return list
		}
		return flat.List()
	})
}

// reply finds the id of a reply and the model that gave it, which the attributes
// do not say or say of the request.
func (b *bag) reply(s *trace.Step) {
	a, ok := b.attr(kOutputValue)
	if ok && a.val.Type() == pcommon.ValueTypeStr && strings.HasPrefix(a.val.Str(), "{") {
		id, model := replyOf(a.val.Str())
		if s.Model.ResponseID == "" {
			s.Model.ResponseID = id
		}
		if s.Model.Response == "" {
			s.Model.Response = model
		}
	}
	if s.Model.Response == "" {
		s.Model.Response = s.Model.Request
	}
}

// replyOf reads id and model of a provider's reply, or of the reply that
// LangChain keeps in its generations, without decoding the rest.
func replyOf(output string) (id, model string) {
	text := func(of, name string) string {
		s, _ := value.Decode(value.Member(of, name)).(string)
		return s
	}
	if !strings.Contains(output[:min(len(output), 40)], `"generations"`) {
		id, model = text(output, "id"), text(output, "model")
		if raw := text(output, "raw"); model == "" && raw != "" { // smolagents: the provider's reply as Python writes it
			_, reply := value.Call(raw)
			id, model = value.Text(reply, "id"), value.Text(reply, "model")
		}
		return id, model
	}
	raw := value.Member(output, "generations")
	for range 2 { // a list for each prompt, of one for each choice
		elements, _ := value.Elements(raw)
		if len(elements) == 0 {
			return "", ""
		}
		raw = elements[0]
	}
	message := value.Member(value.Member(raw, "message"), "kwargs")
	meta := value.Member(message, "response_metadata")
	if model = text(meta, "model_name"); model == "" {
		model = text(meta, "model")
	}
	return text(message, "id"), model
}

// supplementInput takes out of the request what the indexed messages lack: the
// system prompt, which Anthropic's API has apart; the ids of tool calls, which
// LangChain's lack; results of parallel calls, of which Anthropic's keep one.
func (b *bag) supplementInput(s *trace.Step) {
	a, ok := b.attr(kInputValue)
	if !ok || !b.hasGroup(gOIInput) {
		return
	}
	request := a.val.AsString()
	b.noteCut(a.key, request)
	if !value.Looks(request) {
		return
	}
	flat := s.Input
	s.Input = trace.SharedMessages(func(h *trace.History) []trace.Message {
		list := flat.List()
		if request[0] == '[' { // the items of the Responses API
			return itemsFor(list, request, h)
		}
		if lacking(list, request) {
			if raw := value.Member(request, "messages"); raw != "" {
				list = alignInput(list, message.Text(raw, message.Input, h))
			}
		}
		if len(list) > 0 && list[0].Role == trace.RoleSystem {
			return list
		}
		if text := message.System(request); text != "" {
			return append([]trace.Message{{Role: trace.RoleSystem, Parts: []trace.Part{{Type: trace.PartText, Text: text}}}}, list...)
		}
		return list
	})
}

// itemsFor takes the items that a model was given where the indexed messages have
// one without content; the system prompt is only in those.
func itemsFor(flat []trace.Message, request string, h *trace.History) []trace.Message {
	for i := range flat {
		if len(flat[i].Parts) > 0 {
			continue
		}
		own := message.Text(request, message.Input, h)
		if len(own) > 0 && flat[0].Role == trace.RoleSystem && own[0].Role != trace.RoleSystem {
			own = append([]trace.Message{flat[0]}, own...)
		}
		if len(own) > 0 {
			return own
		}
		break
	}
	return flat
}

// lacking reports whether a conversation has calls or results without id, or
// fewer results than the request, or not the plan that Cohere's models say beside
// a call.
func lacking(list []trace.Message, request string) bool {
	results := 0
	for i := range list {
		if len(list[i].Parts) == 0 { // content blocks that were not flattened
			return true
		}
		for j := range list[i].Parts {
			p := &list[i].Parts[j]
			if p.Type == trace.PartToolResult {
				results++
			}
			if p.ID == "" && (p.Type == trace.PartToolCall || p.Type == trace.PartToolResult) {
				return true
			}
		}
	}
	return results > 0 && (strings.Count(request, `"tool_result"`) > results || strings.Contains(request, `"tool_plan"`))
}

// alignInput takes the request's own messages where they are the same
// conversation, and leaves the indexed ones where they are not.
func alignInput(flat, own []trace.Message) []trace.Message {
	if len(own) == 0 || len(own) > len(flat) || len(flat)-len(own) > 1 {
		return flat
	}
	head := flat[:len(flat)-len(own)]
	for i := range own {
		if flat[len(head)+i].Role != own[i].Role {
			return flat
		}
	}
	out := append(head[:len(head):len(head)], own...)
	for i := range own {
		out[len(head)+i] = mergeMessage(own[i], flat[len(head)+i])
	}
	return out
}

// supplementOutput takes out of the reply what the messages lack: thoughts,
// tool calls and their ids, or all of it.
func (b *bag) supplementOutput(s *trace.Step) {
	a, ok := b.attr(kOutputValue)
	if !ok || !b.hasGroup(gOIOutput) {
		return
	}
	reply := a.val.AsString()
	b.noteCut(a.key, reply)
	flat := s.Output
	s.Output = trace.LazyMessages(func() []trace.Message {
		list := flat.List()
		if !value.Looks(reply) {
			if len(list) == 1 && len(list[0].Parts) == 0 && reply != "" {
				return message.List(reply, message.Output)
			}
			return list
		}
		return merge(list, message.Text(reply, message.Output, nil))
	})
}

// merge adds to a reply what another reading of it has and it has not.
func merge(list, other []trace.Message) []trace.Message {
	if len(list) == 0 || results(other) > results(list) { // the attributes have no results of tools that the provider ran
		return other
	}
	if len(other) == 1 && len(list) > 1 { // the Responses API lists text and calls apart
		for _, m := range list[1:] {
			if m.Role != list[0].Role {
				return list
			}
		}
		list = oneMessage(list)
	}
	if len(other) != len(list) {
		if len(list) == 1 && len(list[0].Parts) == 0 && len(other) > 0 {
			return other
		}
		return list
	}
	out := make([]trace.Message, len(list))
	for i := range list {
		out[i] = mergeMessage(list[i], other[i])
	}
	return out
}

func results(list []trace.Message) (n int) {
	for i := range list {
		for j := range list[i].Parts {
			if list[i].Parts[j].Type == trace.PartToolResult {
				n++
			}
		}
	}
	return n
}

// mergeMessage adds to a message what another reading of it has: parts of a type
// that it has not, and ids of calls.
func mergeMessage(m, other trace.Message) trace.Message {
	have := map[trace.PartType]int{}
	for i := range m.Parts {
		have[m.Parts[i].Type]++
	}
	var calls []*trace.Part
	var before, after []trace.Part
	for i := range other.Parts {
		p := other.Parts[i]
		switch {
		case p.Type == trace.PartToolCall && have[p.Type] > 0:
			calls = append(calls, &other.Parts[i])
		case have[p.Type] > 0 || p.Type == trace.PartOther:
		case p.Type == trace.PartReasoning:
			before = append(before, p)
		default:
			after = append(after, p)
		}
	}
	parts := append(before, m.Parts...)
	parts = append(parts, after...)
	n := 0
	for i := range parts {
		if parts[i].Type == trace.PartToolCall && n < len(calls) {
			if parts[i].ID == "" && parts[i].Name == calls[n].Name {
				parts[i].ID = calls[n].ID
			}
			n++
		}
	}
	m.Parts = parts
	if m.Reply == nil {
		m.Reply = other.Reply
	}
	if m.FinishReason == "" {
		m.FinishReason = other.FinishReason
	}
	return m
}

// toolParameters are the arguments in some instrumentations and the tool's schema
// in others: they count only where there is no input, and they are no schema.
func (b *bag) toolParameters(s *trace.Step) {
	a, ok := b.attr(kToolParams)
	if !ok || s.Tool.Arguments.Captured() {
		return
	}
	v, ok := b.carried(a.key, a.val)
	if !ok {
		return
	}
	if m, isMap := v.Data().(map[string]any); isMap {
		if _, schema := m["properties"]; schema {
			return
		}
		for _, p := range m {
			if d, isMap := p.(map[string]any); isMap && (d["description"] != nil || d["type"] != nil) {
				return
			}
		}
	}
	s.Tool.Arguments = v
}

// nameHandoff names the agent that the conversation goes to.
func nameHandoff(s *trace.Step) {
	if s.Tool.Name == "" {
		s.Tool.Name = handoffTarget(s.Name)
	}
}
