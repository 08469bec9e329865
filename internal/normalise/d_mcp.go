package normalise

import (
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// mcp reads the spans of MCP clients and servers.
var mcp = dialect{
	name:   "mcp",
	late:   true,
	scopes: []string{"mcp-python-sdk", "mcp."},
	is:     func(b *bag) bool { return b.has(kMCPMethod) || b.has(kRPCID) },
	kind:   mcpKind,
	fields: fields{
		query: {"mcp.resource.uri"},
	},
	// mcp.session.id is a connection to a server, not the conversation.
	noise: []string{"mcp.*", "jsonrpc.*"},
	doc: Framework{
		Title:   "Model Context Protocol",
		Reads:   "tool calls and resources of clients and servers, with the ids that join them",
		Lacks:   "arguments and results in the Python SDK: the framework above has them",
		Content: "`gen_ai.tool.call.arguments` and `.result` where the SDK can record them",
	},
}

var (
	kMCPMethod = key("mcp.method.name")
	kRPCID     = key("jsonrpc.request.id")
	kRPCSystem = key("rpc.system")
	kRPCMethod = key("rpc.method")
)

func mcpMethod(b *bag) (string, keyID) {
	if m := b.str(kMCPMethod); m != "" {
		return m, kMCPMethod
	}
	if b.str(kRPCSystem) == "jsonrpc" {
		return b.str(kRPCMethod), kRPCMethod
	}
	return "", 0
}

func mcpKind(b *bag) (trace.Kind, string) {
	method, id := mcpMethod(b)
	switch method {
	case "tools/call":
		return trace.KindTool, keyNames[id]
	case "resources/read":
		return trace.KindRetriever, keyNames[id]
	case "prompts/get":
		return trace.KindWorkflow, keyNames[id]
	}
	if rest := afterPrefix(b.name, "MCP request: tools/call ", "MCP server handle request: tools/call"); rest != "" || b.name == "MCP server handle request: tools/call" {
		return named(trace.KindTool)
	}
	return 0, ""
}

// rpc notes which call of the protocol a span carries, whoever claimed it.
func (b *bag) rpc(s *trace.Step) {
	method, _ := mcpMethod(b)
	id := b.str(kRPCID)
	if method == "" && id == "" {
		return
	}
	s.Hints.RPCID = id
	s.Hints.RPCSide = "client"
	if b.isSpan && b.span.Kind() == ptrace.SpanKindServer {
		s.Hints.RPCSide = "server"
	}
	if s.Kind == trace.KindUnknown {
		s.Hints.Transport = true
	}
}
