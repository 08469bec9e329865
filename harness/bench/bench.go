// Package bench runs agents on a suite and reports what became of them.
//
//	Run     cases x agents x arms x repeats -> runs.jsonl, journal.jsonl, traces/
//	Report  runs.jsonl -> rates with denominators and intervals
//
// A run is driven by its agent and judged by its spans: they come in over OTLP,
// are assembled like any other trace, and the funnel follows the case's claims
// through them. Runs that stand in runs.jsonl are not made again, so an
// interrupted benchmark goes on where it stopped.
package bench

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/harness/agent"
	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// Options of a benchmark.
type Options struct {
	Cases  []*cases.Case
	Agents []*agent.File
	// Open makes the agent of a file; nil means [agent.Open] with the process's
	// environment.
	Open        func(*agent.File) (agent.UnderTest, error)
	Arms        []cases.Arm   // nil means both; controls have the trap arm only
	Repeats     int           // 0 means 1
	Concurrency int           // 0 means 8
	Timeout     time.Duration // of one run; 0 means 5 minutes
	Retries     int           // further tries of a run whose agent failed
	Dir         string        // where the files go
	Embedder    retrieve.Embedder
	Guardrails  bool
	// HideMetadata leaves domain, author, authority and days out of results.
	HideMetadata bool
	// Tools are real tools that the harness stands before; every case has them. Other
	// tools are another setting, other replies of them are not: a tape keeps those.
	Tools []server.Tool
	// Version is that of this program; it stands in the records.
	Version  string
	Progress io.Writer // how many runs are done, on one line; nil for none
	// Notices is told the addresses of runs that somebody else drives, and why
	// runs failed, each reason once; nil for nobody.
	Notices io.Writer
}

// Validate reports everything that is wrong with the options.
func (o *Options) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	names := map[string]bool{}
	for _, f := range o.Agents {
		if names[f.Name] {
			bad("two agents are called %q: their runs would be one another's", f.Name)
		}
		names[f.Name] = true
	}
	for _, a := range o.Arms {
		if !slices.Contains(cases.Arms, a) {
			bad("arm %q: want trap or clean", a)
		}
	}
	for _, c := range o.Cases {
		if len(c.Traps) == 0 {
			bad("case %q has no trap: there is nothing to measure; a control such as clean_twin stands where nothing is planted", c.ID)
		}
	}
	if o.Repeats < 0 || o.Concurrency < 0 || o.Retries < 0 || o.Timeout < 0 {
		bad("repeats %d, concurrency %d, retries %d, timeout %v: want nothing negative", o.Repeats, o.Concurrency, o.Retries, o.Timeout)
	}
	return errors.Join(errs...)
}

// Files of a benchmark's folder.
const (
	RunsFile    = "runs.jsonl"
	JournalFile = "journal.jsonl"
	ClaimsFile  = "claims.jsonl" // what was planted in each trace, for `tracegrade grade --claims`
	TracesDir   = "traces"
)

// Summary counts what was done.
type Summary struct {
	Planned, Resumed, Done, Failed int
}

// job is one run to be made.
type job struct {
	c    *cases.Case
	file *agent.File
	a    agent.UnderTest
	arm  cases.Arm
	k    int
	id   string
	hash string // of the case's content
	set  Setting
}

// Run makes the runs that are not there yet. An agent that fails is a record
// with an error, and no error of Run.
func Run(ctx context.Context, o Options) (Summary, error) {
	if err := o.Validate(); err != nil {
		return Summary{}, err
	}
	b, err := start(ctx, &o)
	if err != nil {
		return Summary{}, err
	}
	jobs, err := plan(&o)
	if err != nil {
		return Summary{}, errors.Join(err, b.close())
	}
	sum := Summary{Planned: len(jobs)}
	done, err := Records(filepath.Join(o.Dir, RunsFile))
	if err != nil {
		return sum, errors.Join(err, b.close())
	}
	planned := slices.Clone(done)
	for _, j := range jobs {
		planned = append(planned, Record{Agent: j.file.Name, AgentHash: j.file.Hash, Case: j.c.ID, CaseHash: j.hash, Setting: j.set})
	}
	if err := Uniform(planned); err != nil {
		return sum, errors.Join(fmt.Errorf("go on in %s: %w", o.Dir, err), b.close())
	}
	jobs = slices.DeleteFunc(jobs, func(j job) bool {
		return slices.ContainsFunc(done, func(r Record) bool { return r.Run == j.id && r.Error == "" })
	})
	sum.Resumed = sum.Planned - len(jobs)
	if err := b.forget(jobs); err != nil {
		return sum, errors.Join(err, b.close())
	}

	notices := notices{w: o.Notices, told: map[string]bool{}}
	var mu sync.Mutex
	var wg sync.WaitGroup
	kept := sum.Resumed
	queue := make(chan job)
	for range min(cmp.Or(o.Concurrency, 8), max(len(jobs), 1)) {
		wg.Go(func() {
			for j := range queue {
				rec := b.try(ctx, j)
				mu.Lock()
				sum.Done++
				if ctx.Err() == nil {
					if rec.Error != "" {
						sum.Failed++
						notices.failed(rec, o.Progress != nil)
					}
					err = errors.Join(err, b.keep(rec))
					kept++
				}
				if o.Progress != nil {
					fmt.Fprintf(o.Progress, "\r%d of %d runs, %d failed", sum.Resumed+sum.Done, sum.Planned, sum.Failed)
				}
				mu.Unlock()
			}
		})
	}
feed:
	for _, j := range jobs {
		select {
		case queue <- j:
		case <-ctx.Done():
			break feed
		}
	}
	close(queue)
	wg.Wait()
	if o.Progress != nil {
		fmt.Fprintln(o.Progress)
	}
	if ctx.Err() != nil {
		err = errors.Join(err, fmt.Errorf("interrupted: %d of %d runs stand in %s; the same command makes the others: %w", kept, sum.Planned, o.Dir, context.Cause(ctx)))
	}
	return sum, errors.Join(err, b.close())
}

// plan lists the runs, case by case, so that a trap and its clean twin run near
// each other.
func plan(o *Options) ([]job, error) {
	open := o.Open
	if open == nil {
		open = func(f *agent.File) (agent.UnderTest, error) { return agent.Open(f, os.Getenv) }
	}
	var jobs []job
	for _, f := range o.Agents {
		a, err := open(f)
		if err != nil {
			return nil, err
		}
		for _, c := range o.Cases {
			hash, set := c.Hash(), o.setting(c)
			for _, arm := range arms(o, c) {
				for k := 1; k <= max(o.Repeats, 1); k++ {
					jobs = append(jobs, job{c: c, file: f, a: a, arm: arm, k: k, id: runID(f, c, hash, arm, k, set), hash: hash, set: set})
				}
			}
		}
	}
	return jobs, nil
}

func arms(o *Options, c *cases.Case) []cases.Arm {
	list := o.Arms
	if list == nil {
		list = cases.Arms
	}
	if k, err := trap.Find(c.Traps[0].Kind); err == nil && k.Control() {
		return slices.DeleteFunc(slices.Clone(list), func(a cases.Arm) bool { return a == cases.Clean })
	}
	return list
}

// bench is a benchmark while it runs.
type bench struct {
	o       *Options
	h       *server.Harness
	sink    *sink
	chains  chains
	servers []*http.Server
	tools   string // address of the harness
	otlp    string
	runs    *os.File
	journal *os.File
	claims  *os.File
	held    *os.File // the folder's lock
}

func start(ctx context.Context, o *Options) (*bench, error) {
	if err := os.MkdirAll(filepath.Join(o.Dir, TracesDir), 0o755); err != nil {
		return nil, fmt.Errorf("make the benchmark's folder: %w", err)
	}
	held, err := lock(o.Dir)
	if err != nil {
		return nil, err
	}
	played := slices.ContainsFunc(o.Agents, func(f *agent.File) bool { return f.Script != "" })
	h, err := server.New(server.Options{Cases: o.Cases, Embedder: o.Embedder, Guardrails: o.Guardrails, HideMetadata: o.HideMetadata, MaxRuns: 1 << 20, Played: played, Tools: o.Tools})
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	b := &bench{o: o, h: h, held: held, sink: newSink(), chains: chains{h: h, known: map[string][]hop{}}}
	if b.tools, err = b.listen(ctx, h.AgentHandler()); err != nil {
		return nil, errors.Join(err, b.close())
	}
	if b.otlp, err = b.listen(ctx, b.sink); err != nil {
		return nil, errors.Join(err, b.close())
	}
	for name, f := range map[string]**os.File{RunsFile: &b.runs, JournalFile: &b.journal, ClaimsFile: &b.claims} {
		if err := repair(filepath.Join(o.Dir, name)); err != nil {
			return nil, errors.Join(err, b.close())
		}
		if *f, err = os.OpenFile(filepath.Join(o.Dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
			return nil, errors.Join(fmt.Errorf("open the benchmark's files: %w", err), b.close())
		}
	}
	return b, nil
}

func (b *bench) listen(ctx context.Context, h http.Handler) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("listen: %w", err)
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	b.servers = append(b.servers, srv)
	go srv.Serve(l) //nolint:errcheck // it ends with ErrServerClosed, when close is called
	return "http://" + l.Addr().String(), nil
}

func (b *bench) close() error {
	var errs []error
	for _, s := range b.servers {
		errs = append(errs, s.Close())
	}
	for _, f := range []*os.File{b.runs, b.journal, b.claims, b.held} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(append(errs, b.h.Close())...)
}

// keep writes a record, whole or not at all.
func (b *bench) keep(r *Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := b.runs.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep run %s: %w", r.Label(), err)
	}
	return nil
}

// ids derives the trace id and the parent span id of a run.
func ids(run string, try int) (traceID, spanID string) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s#%d", run, try))
	return hex.EncodeToString(sum[:16]), hex.EncodeToString(sum[16:24])
}
