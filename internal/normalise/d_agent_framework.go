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
		Session: "one thread (session) of the agent for all turns",
	},
}
