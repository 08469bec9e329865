package normalise

import "github.com/tracegrade/tracegrade/internal/trace"

var (
	kAgentOpsKind = key("agentops.span.kind")
	agentOpsKinds = map[string]trace.Kind{
		"session": trace.KindWorkflow, "workflow": trace.KindWorkflow, "task": trace.KindWorkflow, "operation": trace.KindWorkflow, "chain": trace.KindWorkflow, "team": trace.KindWorkflow,
		"agent": trace.KindAgent, "tool": trace.KindTool, "llm": trace.KindLLM, "retriever": trace.KindRetriever, "embedding": trace.KindEmbedding, "guardrail": trace.KindGuardrail,
	}
)

// agentOps is AgentOps' SDK. What its decorators record is under the kind of the
// span; its model calls have OpenLLMetry's keys.
var agentOps = dialect{
	name:   "agentops",
	marks:  []string{"agentops.span.kind"},
	scopes: []string{"agentops"},
	kind:   func(b *bag) (trace.Kind, string) { return b.kindOf(kAgentOpsKind, agentOpsKinds) },
	fields: fields{
		payloadIn: {"agentops.entity.input", "agentops.agent.input", "agentops.session.input", "agentops.workflow.input", "agentops.task.input", "agentops.operation.input", "agentops.chain.input"},
		payloadOut: {"agentops.entity.output", "agentops.agent.output", "agentops.session.output", "agentops.workflow.output", "agentops.task.output", "agentops.operation.output",
			"agentops.chain.output"},
		arguments: {"agentops.tool.input"},
		result:    {"agentops.tool.output"},
	},
	own: fields{
		agentName: {"agent.name", "operation.name"},
		toolName:  {"tool.name", "operation.name"},
		arguments: {"agentops.entity.input", "tool.parameters"},
		result:    {"agentops.entity.output", "tool.result"},
	},
	noise: []string{"agentops.*"},
	doc: Framework{
		Title:   "AgentOps",
		Reads:   "sessions, agents, operations, tools with input and output, model calls",
		Lacks:   "call ids of tools",
		Content: "on by default",
		Session: "`gen_ai.conversation.id` or `session.id` as an attribute of the session's span",
	},
}
