package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kPydanticAll    = key("pydantic_ai.all_messages")
	kPydanticEvents = key("all_messages_events")
	kPydanticNew    = key("pydantic_ai.new_message_index")
	kFinalResult    = key("final_result")
	kAgentNameBare  = key("agent_name")
	kModelNameBare  = key("model_name")
)

// pydanticAI is Pydantic AI in all its instrumentation versions. Its agent spans
// carry a model's name and tokens, which makes them look like model calls.
var pydanticAI = dialect{
	name:   "pydantic-ai",
	marks:  []string{"pydantic_ai.*", "model_request_parameters", "all_messages_events"},
	scopes: []string{"pydantic-ai", "pydantic_ai"},
	is: func(b *bag) bool {
		return b.has(kAgentNameBare) && (b.has(kFinalResult) || b.has(kModelNameBare))
	},
	kind: func(b *bag) (trace.Kind, string) {
		switch {
		case b.has(kPydanticAll):
			return trace.KindAgent, keyNames[kPydanticAll]
		case b.has(kPydanticEvents):
			return trace.KindAgent, keyNames[kPydanticEvents]
		case b.has(kAgentNameBare) && (b.has(kFinalResult) || b.has(kModelNameBare)):
			return trace.KindAgent, keyNames[kAgentNameBare]
		case strings.HasPrefix(b.name, "running ") && strings.HasSuffix(b.name, " tools"), b.name == "running tools":
			return named(trace.KindWorkflow)
		}
		return 0, ""
	},
	fields: fields{
		offered:      {"model_request_parameters"},
		inputTokens:  {"gen_ai.aggregated_usage.input_tokens"},
		outputTokens: {"gen_ai.aggregated_usage.output_tokens"},
		cacheRead:    {"gen_ai.aggregated_usage.cache_read.input_tokens", "gen_ai.aggregated_usage.details.cache_read_tokens"},
		cacheWrite:   {"gen_ai.aggregated_usage.cache_creation.input_tokens", "gen_ai.aggregated_usage.cache_write.input_tokens"},
	},
	own: fields{
		agentName:   {"agent_name"},
		arguments:   {"tool_arguments"},
		result:      {"tool_response"},
		messagesIn:  {"pydantic_ai.all_messages", "list:all_messages_events", "list:events"},
		messagesOut: {"list:events"},
		payloadOut:  {"final_result"},
	},
	read:  readPydanticAI,
	noise: []string{"pydantic_ai.*", "logfire.*", "model_request_parameters", "gen_ai.aggregated_usage.*", "gen_ai.agent.call.id"},
	doc: Framework{
		Title:   "Pydantic AI",
		Reads:   "agents, model calls and tools of instrumentation versions 1 to 6, cost, conversation id",
		Content: "`InstrumentationSettings(include_content=True)` (the default)",
		Session: "`conversation_id=…` of a run, or an attribute `session.id` as baggage",
	},
}

func readPydanticAI(b *bag, s *trace.Step) {
	if s.Kind == trace.KindAgent {
		if n, ok := b.attr(kPydanticNew); ok {
			if f, ok := number(n.val); ok {
				s.Hints.NewFrom = int(count(f))
			}
		}
		whole := s.Input
		if whole.Captured() { // the conversation, the answer included
			s.Input = trace.SharedMessages(func(h *trace.History) []trace.Message {
				whole.Share(h)
				list := whole.List()
				if n := len(list); n > 1 && list[n-1].Role == trace.RoleAssistant {
					list = list[:n-1]
				}
				return list
			})
		}
		return
	}
}

// listed reads one side of an attribute that lists the message events of the
// conventions up to 1.36 as JSON.
func (b *bag) listed(a *attr, side message.Side) (trace.Messages, bool) {
	v, ok := b.carried(a.key, a.val)
	if !ok || emptyList(&v) {
		return trace.Messages{}, false
	}
	return trace.LazyMessages(func() []trace.Message {
		in, out := eventMessagesOf(v.Data())
		if side == message.Output {
			return out
		}
		return in
	}), true
}

// eventMessagesOf splits listed events into what the model was given and its
// reply: the gen_ai.choice events or, where there are none, the assistant's last
// words.
func eventMessagesOf(data any) (in, out []trace.Message) {
	list, _ := data.([]any)
	for _, e := range list {
		m, ok := e.(map[string]any)
		if !ok {
			continue
		}
		name, _ := m["event.name"].(string)
		messages, side, known := eventMessage(name, m)
		if inner, ok := m["data"].(map[string]any); ok && !known { // a tool that the provider ran
			messages, known = message.List(inner, message.Output), true
		}
		if !known {
			messages = message.List(m, message.Input)
		}
		if side == message.Output {
			out = append(out, messages...)
		} else {
			in = append(in, messages...)
		}
	}
	if n := len(in); len(out) == 0 {
		for n > 0 && in[n-1].Role == trace.RoleAssistant {
			n--
		}
		in, out = in[:n], oneMessage(in[n:])
	}
	return in, out
}

// oneMessage joins the messages of one reply.
func oneMessage(list []trace.Message) []trace.Message {
	if len(list) < 2 {
		return list
	}
	one := list[0]
	for _, m := range list[1:] {
		one.Parts = append(one.Parts[:len(one.Parts):len(one.Parts)], m.Parts...)
	}
	return []trace.Message{one}
}
