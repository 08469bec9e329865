package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// mcpUpstream is one tool of a real MCP server.
type mcpUpstream struct {
	session *mcp.ClientSession
	name    string
}

// Call implements [Upstream].
func (u *mcpUpstream) Call(ctx context.Context, args map[string]any) (Answer, error) {
	res, err := u.session.CallTool(ctx, &mcp.CallToolParams{Name: u.name, Arguments: args})
	if refused := new(jsonrpc.Error); errors.As(err, &refused) && !own(refused.Code) {
		return Answer{Text: refused.Message, Failed: true, Wire: trap.Wire{Code: refused.Code}}, nil
	}
	if err != nil {
		return Answer{}, fmt.Errorf("ask the real server: %w", err)
	}
	return answerOf(res)
}

// own reports whether a code is of an error that the client makes of a lost
// connection, and none of the server's.
func own(code int64) bool { return code <= -32003 && code >= -32005 }

// answerOf is a result as a text with what is none beside it. The text is the
// structured content, where that is all that the text blocks say, or where they
// are its entries: of a list, servers make a block of each. Where they say
// something else, both stand in the text.
func answerOf(res *mcp.CallToolResult) (Answer, error) {
	a := Answer{Failed: res.IsError}
	var texts []string
	for _, c := range res.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
			continue
		}
		block, err := json.Marshal(c)
		if err != nil {
			return Answer{}, fmt.Errorf("a block of the real server's result: %w", err)
		}
		a.Blocks = append(a.Blocks, block)
	}
	a.Text = strings.Join(texts, "\n")
	if res.StructuredContent == nil {
		return a, nil
	}
	whole := encode(res.StructuredContent)
	entries := !slices.ContainsFunc(texts, func(t string) bool { return !json.Valid([]byte(t)) })
	switch {
	case len(texts) != 1 && entries || same(a.Text, res.StructuredContent):
		a.Text, a.Structured = whole, true
	case !same(a.Text, inner(res.StructuredContent)):
		a.Text += "\n" + whole
	}
	return a, nil
}

// inner is the value of an object that has one field: servers wrap so what is no
// object.
func inner(v any) any {
	if fields, ok := v.(map[string]any); ok && len(fields) == 1 {
		for _, only := range fields {
			return only
		}
	}
	return v
}

// same reports whether a text is the data: as JSON, or as itself.
func same(text string, data any) bool {
	if s, ok := data.(string); ok && s == text {
		return true
	}
	var v any
	return json.Unmarshal([]byte(text), &v) == nil && encode(v) == encode(data)
}

// result is what an agent is given over MCP.
func (r *Result) result() (*mcp.CallToolResult, error) {
	if r.Code != 0 {
		return nil, &jsonrpc.Error{Code: r.Code, Message: r.Text}
	}
	res := new(mcp.CallToolResult)
	if len(r.Blocks) > 0 {
		if err := json.Unmarshal([]byte(encode(map[string]any{"content": r.Blocks})), res); err != nil {
			return nil, fmt.Errorf("the blocks of a real tool's reply: %w", err)
		}
	}
	res.IsError = r.Failed
	res.Content = append([]mcp.Content{&mcp.TextContent{Text: r.Text}}, res.Content...)
	if r.Structured && strings.HasPrefix(r.Text, "{") && json.Valid([]byte(r.Text)) {
		res.StructuredContent = json.RawMessage(r.Text)
	}
	return res, nil
}

// names is what blocks that are no text are, such as "image image/png".
func names(blocks []json.RawMessage) []string {
	var list []string
	for _, b := range blocks {
		var is struct{ Type, MimeType string }
		if json.Unmarshal(b, &is) == nil {
			list = append(list, strings.TrimSpace(is.Type+" "+is.MimeType))
		}
	}
	return list
}

// ProxyMCP is the tools of the real MCP server at an address. The returned
// function ends the session with it. A tape that only replays knows the tools
// too: the server is not asked.
func ProxyMCP(ctx context.Context, address string, tape *Tape) ([]Tool, func() error, error) {
	if tape != nil && tape.ReplayOnly {
		list, ok := tape.offered[address]
		if !ok {
			return nil, nil, fmt.Errorf("server %s: its tools are not on the tape, and it is not to be asked", address)
		}
		return proxies(list, nil, tape), func() error { return nil }, nil
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{Endpoint: address}, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the real server %s: %w", address, err)
	}
	var list []offer
	for t, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("list the tools of the real server %s: %w", address, err), s.Close())
		}
		schema, _ := t.InputSchema.(map[string]any)
		list = append(list, offer{t.Name, t.Description, schema})
	}
	if tape != nil {
		if err := tape.keepOffer(address, list); err != nil {
			return nil, nil, errors.Join(err, s.Close())
		}
	}
	return proxies(list, s, tape), s.Close, nil
}

// proxies is the tools of a server.
func proxies(list []offer, s *mcp.ClientSession, tape *Tape) []Tool {
	var tools []Tool
	for _, o := range list {
		tools = append(tools, Proxy(o.Name, o.Description, o.Schema, &mcpUpstream{s, o.Name}, tape))
	}
	return tools
}
