package server

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
)

// mcpServer is the run's tools as an MCP server.
func (r *Run) mcpServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	for _, t := range r.Tools() {
		s.AddTool(&mcp.Tool{Name: t.Name, Description: t.Describe(r), InputSchema: t.JSONSchema()},
			func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				res, err := r.Call(withCaller(ctx, req), t.Name, req.Params.Arguments)
				if errors.Is(err, ErrArguments) || errors.Is(err, ErrTooLarge) {
					// The model can correct itself only if it sees the message.
					return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: err.Error()}}}, nil
				}
				if err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{IsError: res.Failed, Content: []mcp.Content{&mcp.TextContent{Text: res.Text}}}, nil
			})
	}
	return s
}

// withCaller reads the caller from the headers of the HTTP request, and from the
// request's _meta, which is nearer to the call.
func withCaller(ctx context.Context, req *mcp.CallToolRequest) context.Context {
	if req.Extra != nil {
		ctx = journal.WithCaller(ctx, propagation.HeaderCarrier(req.Extra.Header))
	}
	meta := propagation.MapCarrier{}
	for k, v := range req.Params.Meta {
		if text, ok := v.(string); ok {
			meta[k] = text
		}
	}
	return journal.WithCaller(ctx, meta)
}

// mcpHandler serves MCP over streamable HTTP, without sessions: the address is
// the session.
func mcpHandler(with finder) http.HandlerFunc {
	streamable := mcp.NewStreamableHTTPHandler(func(req *http.Request) *mcp.Server {
		r, _ := req.Context().Value(runKey{}).(*Run)
		return r.mcpServer()
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxArgs * 2})
	return with(func(w http.ResponseWriter, req *http.Request, r *Run) {
		streamable.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), runKey{}, r)))
	})
}

type runKey struct{}

// ServeStdio serves one run over MCP on a pair of streams, until the client
// goes or the context ends.
func (h *Harness) ServeStdio(ctx context.Context, id string, arm cases.Arm, run string, in io.ReadCloser, out io.WriteCloser) error {
	r, err := h.Run(ctx, id, arm, run)
	if err != nil {
		return err
	}
	err = r.mcpServer().Run(ctx, messages(in, out))
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}
