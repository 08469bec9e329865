package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/propagation"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
)

// mcpServer is the run's tools as an MCP server.
func (r *Run) mcpServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	// The SDK answers calls of tools that are not offered by itself.
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if call, ok := req.(*mcp.CallToolRequest); ok && !slices.Contains(r.toolNames(), call.Params.Name) {
				_, err := r.Call(withCaller(ctx, call), call.Params.Name, call.Params.Arguments)
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
			}
			return next(ctx, method, req)
		}
	})
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
				return res.result()
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
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	return with(func(w http.ResponseWriter, req *http.Request, r *Run) {
		req = req.WithContext(context.WithValue(req.Context(), runKey{}, r))
		if req.Method != http.MethodPost {
			streamable.ServeHTTP(w, req)
			return
		}
		body, err := read(w, req, maxMessage)
		if err != nil {
			reply(w, status(err), rpcError(nil, jsonrpc.CodeInvalidRequest, err.Error()))
			return
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		held := &refusals{ResponseWriter: w}
		streamable.ServeHTTP(held, req)
		if held.code != 0 {
			refuse(w, held.code, body, strings.TrimSpace(held.text.String()))
		}
	})
}

type runKey struct{}

// refusals holds back what the SDK refuses in plain text, which clients of
// JSON-RPC cannot read; all else goes through.
type refusals struct {
	http.ResponseWriter
	code int // of the refusal; 0 for none
	text bytes.Buffer
}

func (w *refusals) WriteHeader(code int) {
	if code >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.code = code
		return
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *refusals) Write(p []byte) (int, error) {
	if w.code != 0 {
		return w.text.Write(p)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap is what [http.ResponseController] looks for.
func (w *refusals) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// offered are the methods that a server of tools alone has and whose requests the
// SDK may refuse; another that it refuses does not exist.
var offered = []string{"initialize", "ping", "tools/list", "tools/call"}

// refuse answers a request that the SDK refused. A call of a method that does not
// exist is a reply like any other; for what is no message the status says so too.
func refuse(w http.ResponseWriter, status int, body []byte, why string) {
	msg, err := jsonrpc.DecodeMessage(body)
	call, _ := msg.(*jsonrpc.Request)
	switch {
	case err != nil:
		reply(w, status, refusal(body, why))
	case call == nil || !call.IsCall():
		reply(w, status, rpcError(nil, jsonrpc.CodeInvalidRequest, why))
	case slices.Contains(offered, call.Method):
		reply(w, status, rpcError(call.ID.Raw(), jsonrpc.CodeInvalidRequest, why))
	default:
		reply(w, http.StatusOK, rpcError(call.ID.Raw(), jsonrpc.CodeMethodNotFound, fmt.Sprintf("method %q: want one of %s", call.Method, strings.Join(offered, ", "))))
	}
}

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
