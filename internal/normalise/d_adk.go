package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var (
	kADKEvent        = key("gcp.vertex.agent.event_id")
	kADKToolResponse = key("gcp.vertex.agent.tool_response")
)

// adk is Google's Agent Development Kit. Its call_llm spans have the content, and
// the generate_content spans below them the same call again.
var adk = dialect{
	name:   "google-adk",
	marks:  []string{"gcp.vertex.agent.*"},
	scopes: []string{"gcp.vertex.agent"},
	is:     func(b *bag) bool { return b.str(kSystem) == "gcp.vertex.agent" },
	kind: func(b *bag) (trace.Kind, string) {
		if !b.claimedBy("google-adk") {
			return 0, ""
		}
		switch {
		case b.name == "call_llm":
			return named(trace.KindLLM)
		case b.name == "invocation", strings.HasPrefix(b.name, "execute_tool (merged"), strings.HasPrefix(b.name, "agent_run"):
			return named(trace.KindWorkflow)
		case strings.HasPrefix(b.name, "execute_tool "):
			return named(trace.KindTool)
		}
		return 0, ""
	},
	fields: fields{
		session:         {"gcp.vertex.agent.session_id"},
		user:            {"gcp.vertex.agent.user_id"},
		requestModel:    {"gcp.vertex.agent.llm_request>model"},
		responseModel:   {"gcp.vertex.agent.llm_response>model_version", "gcp.vertex.agent.llm_response>modelVersion"},
		responseID:      {"gcp.vertex.agent.llm_response>response_id", "gcp.vertex.agent.llm_response>responseId"},
		finish:          {"gcp.vertex.agent.llm_response>finish_reason", "gcp.vertex.agent.llm_response>finishReason"},
		offered:         {"gcp.vertex.agent.llm_request>config>tools"},
		arguments:       {"gcp.vertex.agent.tool_call_args"},
		result:          {"gcp.vertex.agent.tool_response"},
		reasoningTokens: {"gcp.vertex.agent.llm_response>usage_metadata>thoughts_token_count", "gcp.vertex.agent.llm_response>usageMetadata>thoughtsTokenCount"},
		cacheRead:       {"gcp.vertex.agent.llm_response>usage_metadata>cached_content_token_count", "gcp.vertex.agent.llm_response>usageMetadata>cachedContentTokenCount"},
		totalTokens:     {"gcp.vertex.agent.llm_response>usage_metadata>total_token_count", "gcp.vertex.agent.llm_response>usageMetadata>totalTokenCount"},
		// Tools have these two as well, always empty.
		payloadIn:  {"gcp.vertex.agent.llm_request"},
		payloadOut: {"gcp.vertex.agent.llm_response"},
	},
	read:  readADK,
	noise: []string{"gcp.vertex.agent.*"},
	doc: Framework{
		Title:   "Google ADK",
		Reads:   "invocations, agents, requests and replies of call_llm, tools with arguments and responses, usage with thoughts",
		Lacks:   "any attribute on the span of a failed tool in JavaScript (its error is taken from the next request); a service name unless one is set",
		Content: "`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY` with `OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental` (Python from 2); `ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true` elsewhere (the default)",
		Session: "one session of the session service for all turns (`session_id=` of `run_async`)",
	},
}

func readADK(b *bag, s *trace.Step) {
	if s.Kind == trace.KindWorkflow { // parallel tools, merged
		if a, ok := b.attr(kADKToolResponse); ok {
			s.RawOutput, _ = b.carried(a.key, a.val)
		}
	}
	if s.Kind == trace.KindLLM {
		if id := b.str(kADKEvent); id != "" {
			s.Hints.Merge = "adk:" + id
		}
	}
}
