package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/server"
)

// An agent over MCP is given what the real server replied: its structured content,
// its blocks that are no text, and its errors of JSON-RPC as such. What a text cannot
// hold is named in the journal.
func TestProxyMCPPassesOn(t *testing.T) {
	text := func(s string) mcp.Content { return &mcp.TextContent{Text: s} }
	image := &mcp.ImageContent{Data: []byte("hi"), MIMEType: "image/png"}
	tests := map[string]struct {
		reply      *mcp.CallToolResult
		text       string
		structured string
		blocks     []string
	}{
		"image":     {&mcp.CallToolResult{Content: []mcp.Content{image, text("17 pieces")}}, "17 pieces", "", []string{"image image/png"}},
		"data":      {&mcp.CallToolResult{Content: []mcp.Content{text(`{"n": 17}`)}, StructuredContent: map[string]any{"n": 17}}, `{"n":17}`, `{"n":17}`, nil},
		"data only": {&mcp.CallToolResult{StructuredContent: map[string]any{"n": 17}}, `{"n":17}`, `{"n":17}`, nil},
		"wrapped":   {&mcp.CallToolResult{Content: []mcp.Content{text("17 pieces")}, StructuredContent: map[string]any{"result": "17 pieces"}}, "17 pieces", "", nil},
		"both":      {&mcp.CallToolResult{Content: []mcp.Content{text("see data")}, StructuredContent: map[string]any{"n": 17}}, "see data\n" + `{"n":17}`, "", nil},
		"error":     {nil, "boom", "", nil},
	}
	real := mcp.NewServer(&mcp.Implementation{Name: "real", Version: "1"}, nil)
	real.AddTool(&mcp.Tool{Name: "find", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args struct{ Mode string }
		if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
			t.Error(err)
		}
		if res := tests[args.Mode].reply; res != nil {
			return res, nil
		}
		return nil, &jsonrpc.Error{Code: -32602, Message: "boom"}
	})
	at := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return real }, nil))
	defer at.Close()
	tools, done, err := server.ProxyMCP(t.Context(), at.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer done() //nolint:errcheck // the server goes with the test
	c := house()
	c.Tools = nil
	var entry journal.Entry
	h := start(t, server.Options{Cases: []*cases.Case{c}, Tools: tools, Journal: func(e journal.Entry) { entry = e }})
	srv := httptest.NewServer(h.Handler(""))
	defer srv.Close()
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL + "/r/house/clean/1/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the server goes with the test
	for name, tt := range tests {
		res, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "find", Arguments: map[string]any{"mode": name}})
		if entry.Reply != tt.text || entry.Fault != "" || !cmp.Equal(tt.blocks, entry.Blocks) {
			t.Errorf("%s: the journal has %+v; want %+v", name, entry, tt)
		}
		if tt.reply == nil {
			if refused := new(jsonrpc.Error); !errors.As(err, &refused) || refused.Code != -32602 || refused.Message != "boom" || !entry.Failed {
				t.Errorf("%s: %+v, %v; want the server's own error", name, res, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		structured := ""
		if res.StructuredContent != nil {
			data, err := json.Marshal(res.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			structured = string(data)
		}
		if len(res.Content) != 1+len(tt.blocks) || res.Content[0].(*mcp.TextContent).Text != tt.text || structured != tt.structured {
			t.Errorf("%s: %+v; want %+v", name, res, tt)
			continue
		}
		if len(tt.blocks) > 0 && !cmp.Equal(res.Content[1], mcp.Content(image)) {
			t.Errorf("%s: block %+v, want %+v", name, res.Content[1], image)
		}
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "search"}); err == nil || entry.Tool != "search" || !entry.Refused {
		t.Errorf("a tool that is not offered: %v, %+v", err, entry)
	}
}
