package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/server"
)

// Proxies are the real tools that the harness stands before.
type Proxies struct {
	Proxy    []string // NAME=URL of tools that take POST
	ProxyMCP []string // addresses of MCP servers
	Tape     string   // a file of what real tools replied; empty for none
	Replay   bool     // ask no real tool: the tape alone answers
}

// Validate reports a mistake in the options.
func (p *Proxies) Validate() error {
	for _, p := range p.Proxy {
		if name, url, ok := strings.Cut(p, "="); !ok || name == "" || url == "" {
			return fmt.Errorf("proxy %q: want NAME=URL", p)
		}
	}
	if !p.Replay {
		return nil
	}
	if p.Tape == "" {
		return errors.New("--replay: want --tape FILE, which it replays")
	}
	if _, err := os.Stat(p.Tape); err != nil {
		return fmt.Errorf("--replay: %w", err)
	}
	return nil
}

// Open connects to the real tools. The returned function ends that.
func (p *Proxies) Open(ctx context.Context) (tools []server.Tool, done func() error, err error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	var closers closers
	defer func() {
		if err != nil {
			err = errors.Join(err, closers.close())
		}
	}()
	var tape *server.Tape
	if p.Tape != "" {
		if tape, err = server.OpenTape(p.Tape); err != nil {
			return nil, nil, err
		}
		tape.ReplayOnly = p.Replay
		closers = append(closers, tape.Close)
	}
	for _, p := range p.Proxy {
		name, url, _ := strings.Cut(p, "=")
		tools = append(tools, server.Proxy(name, "", nil, &server.HTTPUpstream{URL: url}, tape))
	}
	for _, url := range p.ProxyMCP {
		list, end, err := server.ProxyMCP(ctx, url, tape)
		if err != nil {
			return nil, nil, err
		}
		closers = append(closers, end)
		tools = append(tools, list...)
	}
	return tools, closers.close, nil
}

// closers is what was opened, in order.
type closers []func() error

// close closes the last first.
func (c closers) close() error {
	var errs []error
	for _, f := range slices.Backward(c) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}
