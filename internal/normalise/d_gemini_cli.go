package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/payload"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// geminiCLI is Gemini CLI: spans with native Gemini content, cut at a limit, and
// log events. Its output tokens leave the thoughts out.
var geminiCLI = dialect{
	name:   "gemini-cli",
	scopes: []string{"gemini-cli"},
	is:     func(b *bag) bool { return b.scope == "gemini-cli" || strings.HasPrefix(b.name, "gemini_cli.") },
	own: fields{
		requestModel:    {"model"},
		payloadIn:       {"prompt"},
		payloadOut:      {"response_text"},
		finish:          {"finish_reasons"},
		toolName:        {"function_name"},
		arguments:       {"function_args"},
		success:         {"success"},
		failure:         {"error"},
		errorType:       {"error_type"},
		inputTokens:     {"input_token_count"},
		outputTokens:    {"output_token_count"},
		cacheRead:       {"cached_content_token_count"},
		reasoningTokens: {"thoughts_token_count"},
		totalTokens:     {"total_token_count"},
	},
	tokens: habit{outputExcludesReasoning: true},
	read:   readGeminiCLI,
	log:    logGeminiCLI,
	noise:  []string{"gen_ai.prompt.name", "gen_ai.agent.description", "installation.id", "prompt_id"},
	doc: Framework{
		Title:   "Gemini CLI",
		Reads:   "model and tool calls of spans; the log events user_prompt, api_response, api_error, tool_call and operation details",
		Lacks:   "results of tools in log events; long content is cut",
		Content: "`telemetry.logPrompts: true` (the default) in settings.json; spans need `telemetry.traces`",
	},
}

var (
	kGeminiIn  = key("gen_ai.input.messages")
	kGeminiOut = key("gen_ai.output.messages")
)

// readGeminiCLI reads a call of a tool, which stands where messages do: the
// request, and what became of it with the parts that the model was told.
func readGeminiCLI(b *bag, s *trace.Step) {
	if s.Kind != trace.KindTool {
		return
	}
	if args := value.Member(b.str(kGeminiIn), "args"); args != "" && !s.Tool.Arguments.Captured() {
		s.Tool.Arguments = trace.RawValue(args, value.Decode)
	}
	done := b.str(kGeminiOut)
	if done == "" {
		return
	}
	for _, m := range message.List(value.Decode(value.Member(value.Member(done, "response"), "responseParts")), message.Input) {
		for i := range m.Parts {
			if p := &m.Parts[i]; p.Type == trace.PartToolResult && !s.Tool.Result.Captured() {
				b.settleResult(s, payload.Unwrap(p.Value))
			}
		}
	}
	if status, _ := value.Decode(value.Member(done, "status")).(string); status == "error" || status == "cancelled" {
		s.Status.Failed, s.Status.Source = true, "payload"
		if status == "cancelled" {
			s.Status.ErrorType = trace.Refused
		}
	}
}

func logGeminiCLI(b *bag, rec *record) bool {
	name, ok := strings.CutPrefix(rec.event, "gemini_cli.")
	if !ok {
		return false
	}
	switch name {
	case "user_prompt":
		b.logStep(rec, trace.KindWorkflow)
	case "api_response", "api_error":
		b.logStep(rec, trace.KindLLM)
	case "tool_call":
		step := b.logStep(rec, trace.KindTool)
		if decision, _ := rec.attrs["decision"].(string); b.refuse(step, decision) {
			step.KindSource = "log"
		}
	default:
		return false
	}
	return true
}
