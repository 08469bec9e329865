package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var kTelemetrySDK = key("telemetry.sdk.name")

// openLIT is OpenLIT's SDKs. Older versions write prompts as lines of text,
// "role: text".
var openLIT = dialect{
	name:   "openlit",
	marks:  []string{"openlit.*"},
	scopes: []string{"openlit", "@openlit/"},
	is:     func(b *bag) bool { return b.str(kTelemetrySDK) == "openlit" },
	fields: fields{
		payloadIn:  {"gen_ai.workflow.input", "gen_ai.agent.human_input", "gen_ai.task.input"},
		payloadOut: {"gen_ai.workflow.output", "gen_ai.agent.actual_output", "gen_ai.task.output"},
		query:      {"gen_ai.retrieval.query"},
	},
	own: fields{
		messagesIn:  {"gen_ai.content.prompt"},
		messagesOut: {"gen_ai.content.completion"},
	},
	read: readOpenLIT,
	noise: []string{"gen_ai.agent.*", "gen_ai.task.*", "gen_ai.sdk.*", "gen_ai.retrieval.*", "openlit.*", "gen_ai.environment", "gen_ai.application_name",
		"gen_ai.content.reasoning"},
	doc: Framework{
		Title:   "OpenLIT",
		Reads:   "model calls with messages (spans and logs), tools, agents, workflows, cost",
		Lacks:   "results of tools called by a model (they are in the next prompt); retrieved documents, of which only the number is written",
		Content: "`captureMessageContent` / `capture_message_content` (on by default)",
	},
}

var (
	kContentReasoning = key("gen_ai.content.reasoning")
	kToolArgs         = key("gen_ai.tool.args")
)

func readOpenLIT(b *bag, s *trace.Step) {
	if s.Kind != trace.KindLLM {
		return
	}
	b.attr(kToolArgs) // of the calls in the reply, joined
	in, out, thoughts := s.Input, s.Output, b.str(kContentReasoning)
	if in.Captured() {
		s.Input = trace.SharedMessages(func(h *trace.History) []trace.Message {
			in.Share(h)
			return spoken(in.List())
		})
	}
	if out.Captured() && thoughts != "" {
		s.Output = trace.LazyMessages(func() []trace.Message {
			list := out.List()
			if len(list) == 0 || list[0].Reasoning() != "" {
				return list
			}
			first := list[0]
			first.Parts = append([]trace.Part{{Type: trace.PartReasoning, Text: thoughts}}, first.Parts...)
			return append([]trace.Message{first}, list[1:]...)
		})
	}
}

// spoken splits one text of lines "role: text" into messages.
func spoken(list []trace.Message) []trace.Message {
	if len(list) != 1 || list[0].Role != trace.RoleUser || len(list[0].Parts) != 1 {
		return list
	}
	var out []trace.Message
	for _, line := range strings.Split(list[0].Parts[0].Text, "\n") {
		who, text, ok := strings.Cut(line, ": ")
		role := trace.Role(who)
		switch {
		case ok && (role == trace.RoleUser || role == trace.RoleAssistant || role == trace.RoleSystem || role == trace.RoleTool):
			out = append(out, trace.Message{Role: role, Parts: []trace.Part{{Type: trace.PartText, Text: text}}})
		case len(out) > 0:
			last := &out[len(out)-1].Parts[0]
			last.Text += "\n" + line
		default:
			return list
		}
	}
	return out
}
