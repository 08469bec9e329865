// Package harness is the exam hall as the command line offers it. The parts are
// packages of their own:
//
//	trap      kinds of defective evidence        suite     cases made from a seed
//	cases     the case file                      server    the tools of an agent
//	retrieve  search                             sandbox   programs of strangers
//	agent     what is examined                   journal   what was served, as lines and as spans
//	bench     runs, figures, reports
package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/bench"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/journal"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/suite"
	"github.com/tracegrade/tracegrade/harness/trap"
	"github.com/tracegrade/tracegrade/internal/funnel"
)

// Source says which cases are meant: those of a folder, or a suite made from a
// seed.
type Source struct {
	Dir   string // a folder of case files; empty for a suite
	Suite string // empty for the shipped suite "evidence"
	Seed  uint64 // 0 means 1
	Only  []string
}

// Cases loads or makes the cases.
func (s Source) Cases() ([]*cases.Case, error) {
	var list []*cases.Case
	var err error
	if s.Dir != "" {
		list, err = cases.LoadDir(s.Dir)
	} else {
		name := s.Suite
		if name == "" {
			name = suite.Evidence
		}
		list, err = suite.Generate(name, max(s.Seed, 1))
	}
	if err != nil || len(s.Only) == 0 {
		return list, err
	}
	byID := map[string]*cases.Case{}
	for _, c := range list {
		byID[c.ID] = c
	}
	var chosen []*cases.Case
	for _, id := range s.Only {
		c, ok := byID[id]
		if !ok {
			return nil, fmt.Errorf("case %q: not among the %d cases; `tracegrade harness list cases` prints them", id, len(list))
		}
		chosen = append(chosen, c)
	}
	return chosen, nil
}

// ListKinds prints the kinds of traps, as text or JSON.
func ListKinds(w io.Writer, format string) error {
	type row struct {
		ID       int            `json:"id"`
		Name     string         `json:"name"`
		Family   string         `json:"family"`
		Group    string         `json:"group"`
		Surfaces []trap.Surface `json:"surfaces"`
		Toxicity int            `json:"toxicity"`
		Subtlety float64        `json:"subtlety"` // at the lowest price
		Prices   []int          `json:"prices"`
		Change   string         `json:"change"`
		Tell     string         `json:"tell"`
	}
	var rows []row
	for _, k := range trap.Kinds {
		rows = append(rows, row{k.ID, k.Name, k.Family, k.Group, k.Surfaces, k.Factors.Toxicity(), k.Factors.Subtlety(k.Prices[0]), k.Prices, k.Change, k.Tell})
	}
	if format == "json" {
		return writeJSON(w, rows)
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%2d %-24s %-25s toxicity %d  subtlety %-4g %s\n", r.ID, r.Name, r.Family, r.Toxicity, r.Subtlety, r.Change)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ListCases prints the cases, as text or JSON.
func ListCases(w io.Writer, format string, list []*cases.Case) error {
	type row struct {
		ID       string   `json:"id"`
		Category string   `json:"category"`
		Lang     string   `json:"lang"`
		Traps    []string `json:"traps"`
		Price    int      `json:"price"`
		Question string   `json:"question"`
	}
	rows := []row{}
	for _, c := range list {
		r := row{ID: c.ID, Category: c.Category, Lang: c.Lang, Traps: []string{}, Question: c.Question}
		for _, t := range c.Traps {
			r.Traps, r.Price = append(r.Traps, t.Kind), t.Price
		}
		rows = append(rows, r)
	}
	if format == "json" {
		return writeJSON(w, rows)
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%-42s %-11s %s price %2d  %s\n", r.ID, r.Category, r.Lang, r.Price, r.Question)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ServeOptions of [Serve]. The cases stand in Server.
type ServeOptions struct {
	// Addresses are where it listens; an empty Listen means 127.0.0.1:8765.
	server.Addresses
	Journal string // a file that entries are appended to; empty for none
	Claims  string // a file that the traps of each run are appended to; empty for none
	OTLP    string // an OTLP/HTTP endpoint that entries are exported to as spans; empty for none
	Proxies
	Server server.Options
}

// Validate reports a mistake in the options.
func (o *ServeOptions) Validate() error {
	for _, at := range []string{o.Listen, o.Agents} {
		if at == "" {
			continue // the default
		}
		if err := server.Listenable(at, o.Token); err != nil {
			return err
		}
	}
	return o.Proxies.Validate()
}

// Serve serves the cases until the context ends. What it says goes to stderr.
func Serve(ctx context.Context, o ServeOptions, stderr io.Writer) (err error) {
	h, done, err := open(ctx, &o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:8765"
	}
	return h.Serve(ctx, o.Addresses, func(all, agents net.Addr) {
		id := o.Server.Cases[0].ID
		fmt.Fprintf(stderr, "serving %d cases on http://%s\n  each run has its own address: http://%s/r/%s/trap/RUN/task; it gives the addresses for the agent, on http://%s, which tell it nothing of the trap\n", len(o.Server.Cases), all, all, id, agents)
	})
}

// ServeStdio serves one run of one case over MCP on a pair of streams.
func ServeStdio(ctx context.Context, o ServeOptions, id string, arm cases.Arm, run string, in io.ReadCloser, out io.WriteCloser) (err error) {
	h, done, err := open(ctx, &o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return h.ServeStdio(ctx, id, arm, run, in, out)
}

// open makes the harness, its journal file and its proxies. The returned
// function closes them.
func open(ctx context.Context, o *ServeOptions) (h *server.Harness, done func() error, err error) {
	var opened closers
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.close())
		}
	}()
	if err := o.Validate(); err != nil {
		return nil, nil, err
	}
	if err := o.record(ctx, &opened); err != nil {
		return nil, nil, err
	}
	tools, end, err := o.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	opened = append(opened, end)
	o.Server.Tools = append(o.Server.Tools, tools...)
	if h, err = server.New(o.Server); err != nil {
		return nil, nil, err
	}
	opened = append(opened, h.Close)
	return h, opened.close, nil
}

// record opens what the journal is written to.
func (o *ServeOptions) record(ctx context.Context, opened *closers) error {
	var keepers []func(journal.Entry)
	if o.Journal != "" {
		write, err := appendTo(o.Journal, opened)
		if err != nil {
			return err
		}
		keepers = append(keepers, func(e journal.Entry) { write(e) })
	}
	if o.Claims != "" {
		write, err := appendTo(o.Claims, opened)
		if err != nil {
			return err
		}
		byID := map[string]*cases.Case{}
		for _, c := range o.Server.Cases {
			byID[c.ID] = c
		}
		keepers = append(keepers, func(e journal.Entry) {
			if e.Seq == 1 {
				write(funnel.Planted{Run: e.Run, TraceID: e.Caller.TraceID, Session: e.Caller.Session, Claims: byID[e.Case].Claims(e.Arm)})
			}
		})
	}
	if o.OTLP != "" {
		x, err := journal.NewExporter(ctx, o.OTLP)
		if err != nil {
			return err
		}
		*opened = append(*opened, func() error { return x.Close(context.WithoutCancel(ctx)) })
		keepers = append(keepers, x.Add)
	}
	if len(keepers) > 0 {
		o.Server.Journal = func(e journal.Entry) {
			for _, keep := range keepers {
				keep(e)
			}
		}
	}
	return nil
}

// appendTo opens a file for lines of JSON.
func appendTo(path string, opened *closers) (write func(any), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open what is written of the runs: %w", err)
	}
	*opened = append(*opened, f.Close)
	return func(v any) {
		if line, err := json.Marshal(v); err == nil {
			// One write a line: the file is opened to append, so lines of runs
			// that go on at once do not mix.
			f.Write(append(line, '\n')) //nolint:errcheck // the run must not fail for its journal
		}
	}, nil
}

// tour is the case that Play plays: an invented product whose first hit is
// wrong, and whose official page is found by a site: query.
const tour = "citation-loop-01-search-p1"

// Play plays one case with an agent that believes the first hit and with one
// that adopts it, checks, and recovers; and prints what the spans say of both.
func Play(ctx context.Context, w io.Writer) error {
	list, err := Source{Seed: 1, Only: []string{tour}}.Cases()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tracegrade-play-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := list[0]
	fmt.Fprintf(w, "question: %s\n  true: %s   the first hit says: %s\n\n", c.Question, c.Answer.Text, c.Traps[0].Defect.Claim.False.Text)
	var files []*agent.File
	for _, kind := range []string{"trap_taker", "recoverer"} {
		f, err := agent.BuiltIn(kind)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	if _, err := bench.Run(ctx, bench.Options{Cases: list, Agents: files, Arms: []cases.Arm{cases.Trapped}, Dir: dir, Concurrency: 1}); err != nil {
		return err
	}
	runs, err := bench.Records(filepath.Join(dir, bench.RunsFile))
	if err != nil {
		return err
	}
	for _, r := range runs {
		if r.Error != "" {
			return fmt.Errorf("run %s: %s", r.Label(), r.Error)
		}
		if err := r.Path(w); err != nil {
			return err
		}
	}
	return nil
}
