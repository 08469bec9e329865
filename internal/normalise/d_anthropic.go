package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// anthropicSDK is the telemetry that Anthropic's SDKs have themselves: model
// calls without content.
var anthropicSDK = dialect{
	name:   "anthropic-sdk",
	scopes: []string{"com.anthropic.sdk", "com.anthropic.claude-platform"},
	kind: func(b *bag) (trace.Kind, string) {
		switch {
		case strings.HasPrefix(b.name, "anthropic.tool_use"):
			return named(trace.KindTool)
		case strings.HasPrefix(b.name, "anthropic.messages"):
			return named(trace.KindLLM)
		}
		return 0, ""
	},
	read: func(b *bag, s *trace.Step) {
		if s.Kind == trace.KindTool {
			if name := afterPrefix(s.Name, "anthropic.tool_use "); name != "" {
				s.Tool.Name = name
			}
		}
	},
	doc: Framework{
		Title:   "Anthropic SDK",
		Reads:   "model, tokens, response id of model calls",
		Lacks:   "content",
		Content: "none of its own; add an instrumentation such as OpenInference or OpenLLMetry (the two spans of a call are read as one)",
	},
}
