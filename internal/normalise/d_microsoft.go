package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// agentFramework is Microsoft's Agent Framework, in Python and .NET. Executors of
// a workflow are connected by span links.
var agentFramework = dialect{
	name:   "microsoft-agent-framework",
	marks:  []string{"executor.id", "executor.type", "edge_group.*", "workflow.definition"},
	scopes: []string{"agent_framework", "Experimental.Microsoft.Agents", "Microsoft.Agents"},
	is:     func(b *bag) bool { return b.str(kProviderName) == "microsoft.agent_framework" },
	kind: func(b *bag) (trace.Kind, string) {
		switch {
		case b.name == "workflow.run", b.name == "workflow.build", b.name == "workflow.session", strings.HasPrefix(b.name, "executor.process"):
			return named(trace.KindWorkflow)
		case b.name == "message.send", strings.HasPrefix(b.name, "edge_group.process"):
			return trace.KindUnknown, "name"
		}
		return 0, ""
	},
	own: fields{agentID: {"executor.id"}},
	read: func(b *bag, s *trace.Step) {
		if s.Kind == trace.KindUnknown {
			s.Hints.Transport = b.name == "message.send" || strings.HasPrefix(b.name, "edge_group.process")
		}
	},
	noise: []string{"workflow.*", "executor.*", "edge_group.*", "message.*"},
	doc: Framework{
		Title:   "Microsoft Agent Framework",
		Reads:   "workflows, executors, agents, model calls and tools; links between executors",
		Content: "`ENABLE_SENSITIVE_DATA=true` (Python), `EnableSensitiveData = true` (.NET)",
	},
}

// extensionsAI is Microsoft.Extensions.AI, which writes the conventions.
var extensionsAI = dialect{
	name:   "microsoft-extensions-ai",
	scopes: []string{"Experimental.Microsoft.Extensions.AI", "Microsoft.Extensions.AI"},
	doc: Framework{
		Title:   "Microsoft.Extensions.AI",
		Reads:   "model calls, tools, the orchestration of tools",
		Content: "`EnableSensitiveData = true` on UseOpenTelemetry, or `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true`",
	},
}

// semanticKernel is Semantic Kernel, whose events and finish reasons have forms
// of their own.
var semanticKernel = dialect{
	name:   "semantic-kernel",
	scopes: []string{"Microsoft.SemanticKernel", "semantic_kernel"},
	doc: Framework{
		Title:   "Semantic Kernel",
		Reads:   "model calls with the messages of their events, agents, functions",
		Content: "`SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS_SENSITIVE=true` (or the AppContext switch of that meaning)",
	},
}

// autoGen is AutoGen's runtime.
var autoGen = dialect{
	name:   "autogen",
	scopes: []string{"autogen"},
	is:     func(b *bag) bool { return b.str(kSystem) == "autogen" || strings.HasPrefix(b.name, "autogen ") },
	read: func(b *bag, s *trace.Step) {
		s.Hints.Transport = s.Kind == trace.KindUnknown && strings.HasPrefix(s.Name, "autogen ")
	},
	noise: []string{"messaging.*", "gen_ai.agent.description"},
	doc: Framework{
		Title:   "AutoGen",
		Reads:   "creation and invocation of agents, tool calls with their ids",
		Lacks:   "content, arguments and results: they come from the instrumentation of the model's client (its messages have them)",
		Content: "none of its own; instrument the model's client, for example with OpenInference or OpenLLMetry",
	},
}
