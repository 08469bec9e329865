// Package server plays the tools of an agent. Every case and run has its own
// address, /r/{case}/{arm}/{run}, and one for the agent, /a/{token}, which says
// nothing of either; under both the same tools stand as plain HTTP
// (with an OpenAPI document), as OpenAI and Anthropic tool definitions, and as
// an MCP server.
//
//	Harness  the cases that are served, and the runs that go on
//	world    one arm of one case, built once: index, database, files
//	Run      one agent's stay in a world: counts its calls, keeps its memory, writes the journal
//	Tools    the visible list of tools, one file each
//
// What a call returns depends on the case, the arm, the arguments and the run's
// own earlier calls, and on nothing else: no clock, no other run, no order of
// arrival.
package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"sync"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/retrieve"
)

// Options of a harness.
type Options struct {
	Cases []*cases.Case
	// Embedder ranks by meaning beside the full text; nil means full text only.
	Embedder retrieve.Embedder
	// HideMetadata leaves domain, author, authority and days out of results.
	HideMetadata bool
	// Guardrails switches the hints on: see guardrail.go.
	Guardrails bool
	// MaxRuns bounds the runs that are kept; 0 means 20,000.
	MaxRuns int
	// Journal is given every entry as it is written; nil keeps them in the runs only.
	Journal func(journal.Entry)
	// Played lets agents ask the played model at their own addresses, where an agent
	// is played; elsewhere it would tell them that they are examined.
	Played bool
	// Tools are further tools, such as proxies of real ones.
	Tools []Tool
}

// Harness serves cases. It is safe for concurrent use.
type Harness struct {
	opts   Options
	cases  map[string]*cases.Case
	order  []string
	tools  map[string]*Tool
	mu     sync.Mutex
	runs   map[address]*Run
	agents map[string]*Run // by the token of the agent's address
	worlds map[worldKey]*world
	// agentsAt is where agents' addresses are listened on apart; nil where they
	// stand beside the others. Set before anything is served.
	agentsAt net.Addr
}

// worldKey names a world: an arm of a case with the traps that are active.
type worldKey struct {
	id     string
	arm    cases.Arm
	active string
}

type address struct {
	id  string
	arm cases.Arm
	run string
}

// Sentinel errors, which the protocols turn into their own statuses.
var (
	ErrUnknownCase = errors.New("unknown case")
	ErrUnknownTool = errors.New("unknown tool")
	ErrArguments   = errors.New("wrong arguments")
	ErrTooMany     = errors.New("too many")
	ErrAddress     = errors.New("wrong address")
	ErrTooLarge    = errors.New("too large")
)

// argumentsError is an [ErrArguments] whose text is its own: that the arguments
// are wrong need not be said once more.
type argumentsError struct{ error }

func (e argumentsError) Unwrap() error        { return e.error }
func (e argumentsError) Is(target error) bool { return target == ErrArguments }

// wrongArguments is fmt.Errorf for a mistake of the caller.
func wrongArguments(format string, args ...any) error {
	return argumentsError{fmt.Errorf(format, args...)}
}

// New is a harness over the cases.
func New(o Options) (*Harness, error) {
	if o.MaxRuns == 0 {
		o.MaxRuns = 20_000
	}
	h := &Harness{
		opts: o, cases: map[string]*cases.Case{}, tools: map[string]*Tool{},
		runs: map[address]*Run{}, agents: map[string]*Run{}, worlds: map[worldKey]*world{},
	}
	for i := range Tools {
		h.tools[Tools[i].Name] = &Tools[i]
	}
	for i := range o.Tools {
		t := &o.Tools[i]
		if _, ok := h.tools[t.Name]; ok {
			return nil, fmt.Errorf("tool %q: there is one of this name already", t.Name)
		}
		h.tools[t.Name] = t
	}
	for _, c := range o.Cases {
		if _, ok := h.cases[c.ID]; ok {
			return nil, fmt.Errorf("case %q occurs twice", c.ID)
		}
		for _, name := range c.Tools {
			if _, ok := h.tools[name]; !ok {
				return nil, fmt.Errorf("case %q: tool %q: %w", c.ID, name, ErrUnknownTool)
			}
		}
		h.cases[c.ID] = c
		h.order = append(h.order, c.ID)
	}
	return h, nil
}

// Close closes the databases of the worlds.
func (h *Harness) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, w := range h.worlds {
		errs = append(errs, w.close())
	}
	return errors.Join(errs...)
}

var runPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`) })

// Run is the run at an address; it begins when it is first asked for.
func (h *Harness) Run(ctx context.Context, id string, arm cases.Arm, run string) (*Run, error) {
	c, ok := h.cases[id]
	switch {
	case !ok:
		return nil, fmt.Errorf("case %q: %w; GET / lists %d", id, ErrUnknownCase, len(h.order))
	case !slices.Contains(cases.Arms, arm):
		return nil, fmt.Errorf("arm %q: want trap or clean: %w", arm, ErrAddress)
	case !runPattern().MatchString(run):
		return nil, fmt.Errorf("run %q: want up to 128 letters, digits, dots, dashes: %w", run, ErrAddress)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	key := address{id, arm, run}
	if r, ok := h.runs[key]; ok {
		return r, nil
	}
	if len(h.runs) >= h.opts.MaxRuns {
		return nil, fmt.Errorf("%d runs are kept: %w; DELETE those that are over", len(h.runs), ErrTooMany)
	}
	r := &Run{h: h, c: c, arm: arm, active: c.First(arm), ID: run, counts: map[string]int{}, asked: map[string]int{}, memory: map[string]string{}}
	r.first = h.world(c, arm, r.active)
	r.w = r.first
	h.runs[key], h.agents[r.token()] = r, r
	return r, nil
}

// world is the world with the given traps, built when it is first needed. The
// caller holds the lock.
func (h *Harness) world(c *cases.Case, arm cases.Arm, active []int) *world {
	key := worldKey{c.ID, arm, fmt.Sprint(active)}
	w, ok := h.worlds[key]
	if !ok {
		w = &world{h: h, c: c, arm: arm}
		w.docs, w.ivs = c.WorldWith(active)
		h.worlds[key] = w
	}
	return w
}

// Forget ends a run and frees what was kept of it.
func (h *Harness) Forget(id string, arm cases.Arm, run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := address{id, arm, run}
	if r, ok := h.runs[key]; ok {
		delete(h.agents, r.token())
	}
	delete(h.runs, key)
}

// Case is the case with the id, or nil.
func (h *Harness) Case(id string) *cases.Case { return h.cases[id] }
