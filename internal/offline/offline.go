// Package offline turns recorded files into assembled traces. It is the path
// of every verb that reads files; the live collector does the same with
// package assemble's buffer, and by test comes to the same traces.
//
//	read       files -> documents, parsed in parallel       package tracefile
//	group      spans and log records -> steps by trace id   package normalise; spill.go above the memory budget
//	assemble   steps -> trace                               package assemble
//	each       trace -> whatever the verb computes, in parallel, handed on in order
package offline

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
)

// Options says what to read and what to keep.
type Options struct {
	Input tracefile.Options
	// Attributes are the span attributes that steps keep, as rules name them.
	Attributes []string
	// KeepSpans hands the spans of each trace on with it, for storing them.
	KeepSpans bool
	// Workers bounds the traces in work at once; 0 means one per CPU.
	Workers int
	// Memory is about how many bytes of spans and log records are held in
	// memory; what comes after goes to temporary files by trace, and the traces
	// are the same. They then come in the order of those files. 0 means 1 GiB.
	Memory int64
	// Problem is told of what could not be read; nil is fine, and problems are
	// counted then. It is not called concurrently.
	Problem func(*tracefile.Problem)
	// Progress is called after each document with the bytes read so far, from
	// several goroutines; nil is fine.
	Progress func(bytes int64)
}

// Item is one assembled trace.
type Item struct {
	Trace *trace.Trace
	// Spans holds the trace's own spans where Options.KeepSpans asked for them.
	Spans ptrace.Traces
	// Recycle gives the memory of the trace back for another one: nothing may look
	// at it from then on. It need not be called.
	Recycle func()
}

// Stats counts what was read.
type Stats struct {
	tracefile.Stats
	Traces int
	// Left counts the traces, of all Traces, that were not handed on.
	Left int
	// Unjoined counts log records that belong to no trace that was read.
	Unjoined int
}

// Each reads the inputs, assembles their traces and calls compute for each, in
// parallel. The results go to emit one at a time, in the order in which the
// traces began. An error of emit ends the work and is returned. When ctx ends its
// cause is: while the inputs are read nothing is handed on, since the rest of a trace
// may be in what was not read; later, what was begun is.
func Each[T any](ctx context.Context, inputs []string, o Options, compute func(Item) T, emit func(T) error) (Stats, error) {
	g := newGroups(o)
	defer g.overflow.Close()
	if o.Problem == nil {
		o.Problem = func(*tracefile.Problem) {} // counted in Stats all the same
	}
	read, err := tracefile.Read(ctx, inputs, o.Input, tracefile.Sink{Data: g.add, Problem: o.Problem})
	stats := Stats{Stats: read}
	if err != nil {
		return stats, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	g.joinOrphans()
	stats.Unjoined = g.unjoined
	stats.Traces = g.count()
	stats.Left = stats.Traces
	work := func(groups []*group) error {
		return inOrder(ctx, groups, o.Workers, func(g *group) T { return compute(g.assemble(o.KeepSpans)) }, func(result T) error {
			stats.Left--
			return emit(result)
		})
	}
	if err := g.spilled(work); err != nil {
		return stats, err
	}
	return stats, work(g.ordered())
}

// Traces reads the inputs and returns their traces in the order in which they
// began. It is for callers who need all at once.
func Traces(ctx context.Context, inputs []string, o Options) ([]*trace.Trace, Stats, error) {
	var all []*trace.Trace
	stats, err := Each(ctx, inputs, o, func(i Item) *trace.Trace { return i.Trace },
		func(t *trace.Trace) error { all = append(all, t); return nil })
	return all, stats, err
}

// group is what was read of one trace.
type group struct {
	id        string
	place     tracefile.Place // of the first document that it is in
	steps     []*trace.Step
	fragments []*trace.Fragment
	spans     ptrace.Traces
}

func (g *group) assemble(keep bool) Item {
	var item Item
	item.Trace, item.Recycle = assemble.Recyclable(g.id, g.steps, g.fragments, trace.Release{Reason: trace.ReleaseEndOfInput})
	item.Trace.Source = g.place.String()
	g.steps, g.fragments = nil, nil // the trace has copies: what was read need not be held to the end
	if keep {
		item.Spans, g.spans = g.spans, ptrace.Traces{}
	}
	return item
}

// start is when the trace began, in nanoseconds; a trace without times is last.
func (g *group) start() int64 {
	first := int64(1<<63 - 1)
	for _, s := range g.steps {
		if trace.Dated(s.Start) {
			first = min(first, s.Start.UnixNano())
		}
	}
	return first
}

// shards is how many locks the groups are spread over.
const shards = 64

// groups collects steps by trace id from several goroutines.
type groups struct {
	reader *normalise.Reader
	keep   bool
	report func(int64)
	shards [shards]shard

	memory int64
	held   atomic.Int64 // bytes of spans and log records

	mu       sync.Mutex // what follows
	overflow *assemble.Partition[[]byte]
	replies  map[string]string // trace ids of the replies in overflow
	orphans  []orphan
	places   map[string]tracefile.Place // of the traces in overflow
	bytes    int64
	unjoined int
}

// orphan is a log record that names no trace.
type orphan struct {
	*trace.Fragment
	place tracefile.Place
}

type shard struct {
	mu     sync.Mutex
	traces map[string]*group
}

func newGroups(o Options) *groups {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	g := &groups{
		reader: normalise.New(normalise.Options{Attributes: o.Attributes}), keep: o.KeepSpans, report: o.Progress,
		memory: o.Memory, overflow: newOverflow(o.Memory), replies: map[string]string{}, places: map[string]tracefile.Place{},
	}
	for i := range g.shards {
		g.shards[i].traces = map[string]*group{}
	}
	return g
}

func (g *groups) shardOf(id string) *shard {
	var h byte
	if len(id) > 0 {
		h = id[len(id)-1] ^ id[len(id)/2]<<3
	}
	return &g.shards[h%shards]
}

// with calls do with the group of a trace id, which is in the document at a
// place, under its lock.
func (g *groups) with(id string, place tracefile.Place, do func(*group)) {
	s := g.shardOf(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok := s.traces[id]
	if !ok {
		t = &group{id: id, place: place}
		if g.keep {
			t.spans = ptrace.NewTraces()
		}
		s.traces[id] = t
	}
	t.place = earlier(t.place, place)
	do(t)
}

// earlier is the one of two places that was read first.
func earlier(p, q tracefile.Place) tracefile.Place {
	if q.Compare(p) < 0 {
		return q
	}
	return p
}

// add takes in one document.
func (g *groups) add(d tracefile.Data) error {
	shallow(d)
	if g.held.Add(sizeOf(d)) > g.memory {
		return g.spill(d)
	}
	g.read(d)
	g.progress(d)
	return nil
}

// shallow makes what a document holds readable again from a temporary file, and
// the same whether it was there or not.
func shallow(d tracefile.Data) {
	for _, rs := range d.Traces.ResourceSpans().All() {
		normalise.Shallow(rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			normalise.Shallow(ss.Scope().Attributes())
			for _, span := range ss.Spans().All() {
				normalise.ShallowSpan(span)
			}
		}
	}
	for _, rl := range d.Logs.ResourceLogs().All() {
		normalise.Shallow(rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			normalise.Shallow(sl.Scope().Attributes())
			for _, rec := range sl.LogRecords().All() {
				normalise.ShallowRecord(rec)
			}
		}
	}
}

// read reads the steps and fragments of a document.
func (g *groups) read(d tracefile.Data) {
	for _, rs := range d.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if span.TraceID().IsEmpty() {
					continue // of no trace; the reader said so
				}
				step := g.reader.Span(rs.Resource(), ss.Scope(), span)
				g.with(step.TraceID, d.Place, func(t *group) {
					t.steps = append(t.steps, step)
					if g.keep {
						keepSpan(t.spans, rs, ss, span)
					}
				})
			}
		}
	}
	for _, rl := range d.Logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, rec := range sl.LogRecords().All() {
				if f := g.reader.Log(rl.Resource(), sl.Scope(), rec); f != nil {
					g.fragment(f, d.Place)
				}
			}
		}
	}
}

func (g *groups) progress(d tracefile.Data) {
	if g.report == nil {
		return
	}
	g.mu.Lock()
	g.bytes = max(g.bytes, d.Place.Offset)
	n := g.bytes
	g.mu.Unlock()
	g.report(n)
}

// keepSpan copies a span with its resource and scope. Spans of one resource
// and scope that arrive together stay together.
func keepSpan(td ptrace.Traces, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) {
	n := td.ResourceSpans().Len()
	if n == 0 || !sameOrigin(td.ResourceSpans().At(n-1), rs, ss) {
		to := td.ResourceSpans().AppendEmpty()
		rs.Resource().CopyTo(to.Resource())
		to.SetSchemaUrl(rs.SchemaUrl())
		scope := to.ScopeSpans().AppendEmpty()
		ss.Scope().CopyTo(scope.Scope())
		scope.SetSchemaUrl(ss.SchemaUrl())
		n++
	}
	span.CopyTo(td.ResourceSpans().At(n - 1).ScopeSpans().At(0).Spans().AppendEmpty())
}

func sameOrigin(last, rs ptrace.ResourceSpans, ss ptrace.ScopeSpans) bool {
	scope := last.ScopeSpans().At(0).Scope()
	return scope.Name() == ss.Scope().Name() && scope.Version() == ss.Scope().Version() &&
		last.Resource().Attributes().Equal(rs.Resource().Attributes())
}

// fragment keeps a log record with its trace. A record without a trace id
// waits for the span that has its response id.
func (g *groups) fragment(f *trace.Fragment, place tracefile.Place) {
	if f.TraceID != "" {
		g.with(f.TraceID, place, func(t *group) { t.fragments = append(t.fragments, f) })
		return
	}
	g.mu.Lock()
	g.orphans = append(g.orphans, orphan{f, place})
	g.mu.Unlock()
}

// count is how many traces there are, in memory and in the overflow.
func (g *groups) count() int {
	n := len(g.places)
	for i := range g.shards {
		for id := range g.shards[i].traces {
			if _, known := g.places[id]; !known {
				n++
			}
		}
	}
	return n
}

// ordered returns the traces in the order in which they began; those of which
// that is not known come last, in the order of the inputs.
func (g *groups) ordered() []*group {
	var all []*group
	for i := range g.shards {
		for _, t := range g.shards[i].traces {
			all = append(all, t)
		}
	}
	starts := make(map[*group]int64, len(all))
	for _, t := range all {
		starts[t] = t.start()
	}
	slices.SortFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(starts[a], starts[b]), a.place.Compare(b.place), cmp.Compare(a.id, b.id))
	})
	return all
}

// joinOrphans finds the trace of each log record that names none: through its
// response id, or, where the record alone describes a step, a trace of its
// session's own.
func (g *groups) joinOrphans() {
	if len(g.orphans) == 0 {
		return
	}
	byResponse := g.replies
	for i := range g.shards {
		for id, t := range g.shards[i].traces {
			for _, s := range t.steps {
				if s.Model.ResponseID != "" {
					byResponse[s.Model.ResponseID] = id
				}
			}
		}
	}
	for _, o := range g.orphans {
		f := o.Fragment
		id, ok := byResponse[f.ResponseID]
		switch {
		case ok && f.ResponseID != "":
		case f.Step != nil && f.Step.Session != "":
			id = assemble.SessionTraceID(f.Step.Session)
			f.TraceID, f.Step.TraceID = id, id
		default:
			g.unjoined++
			continue
		}
		g.with(id, o.place, func(t *group) { t.fragments = append(t.fragments, f) })
	}
}
