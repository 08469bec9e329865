package normalise

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

var kN8nNode = key("n8n.node.type")

// n8nNodes are beginnings of the names of n8n's nodes for agents, which stand after
// the name of their package.
var n8nNodes = []struct {
	begin string
	kind  trace.Kind
}{
	{"agentTool", trace.KindAgent}, {"agent", trace.KindAgent}, {"lm", trace.KindLLM}, {"openAi", trace.KindLLM}, {"anthropic", trace.KindLLM}, {"googleGemini", trace.KindLLM},
	{"tool", trace.KindTool}, {"mcpClientTool", trace.KindTool}, {"vectorStore", trace.KindRetriever}, {"retriever", trace.KindRetriever}, {"embeddings", trace.KindEmbedding},
	{"reranker", trace.KindReranker}, {"memory", trace.KindMemory}, {"guardrails", trace.KindGuardrail},
}

// n8n is n8n's own tracing, and that of packages which patch it. It tells which
// nodes ran, and its own no content.
var n8n = dialect{
	name:  "n8n",
	marks: []string{"n8n.*"},
	kind: func(b *bag) (trace.Kind, string) {
		if !b.claimedBy("n8n") {
			return 0, ""
		}
		if node := b.str(kN8nNode); node != "" {
			return n8nKind(node), keyNames[kN8nNode]
		}
		return trace.KindWorkflow, "name"
	},
	own: fields{
		toolName:   {"n8n.node.name"},
		agentName:  {"n8n.node.name"},
		payloadIn:  {"n8n.node.input"},
		payloadOut: {"n8n.node.output"},
		arguments:  {"n8n.node.input"},
		result:     {"n8n.node.output"},
	},
	noise: []string{"n8n.*"},
	doc: Framework{
		Title:   "n8n",
		Reads:   "workflows, and by their types the nodes of agents, models, tools, stores and memories; input and output where a package records them",
		Lacks:   "in its own spans: content, models, tokens",
		Content: "n8n's own tracing has none: instrument what it calls (an LLM gateway), or use a package that records nodes' input and output",
	},
}

// n8nKind is what a node does, by the name of its type:
// @n8n/n8n-nodes-langchain.lmChatOpenAi is a model of the nodes for agents.
func n8nKind(node string) trace.Kind {
	pack, name, _ := strings.Cut(node, ".")
	if strings.HasSuffix(pack, "langchain") {
		for _, n := range n8nNodes {
			if strings.HasPrefix(name, n.begin) {
				return n.kind
			}
		}
	}
	if strings.HasSuffix(name, "Tool") { // of any node, for an agent
		return trace.KindTool
	}
	return trace.KindWorkflow
}
