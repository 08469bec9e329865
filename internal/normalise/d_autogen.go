package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

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
