package assemble

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Options bound a [Buffer]. A zero field means its default.
type Options struct {
	// Quiet is how long nothing may arrive for a trace whose root has ended and
	// that lacks no parent, before it is released. Default 2 s.
	Quiet time.Duration
	// Idle is the same for a trace that is not known to be whole. Default 60 s:
	// longer than most single model calls and tools, which send nothing while
	// they run.
	Idle time.Duration
	// MaxAge is how long a trace may be held in all, counted from its first
	// arrival since it was last released. Default 10 min.
	MaxAge time.Duration
	// Late is how long a released trace is remembered, so that spans that come
	// after it make a new revision of it. Default 60 s.
	Late time.Duration
	// MaxSpans bounds the spans and records of one trace; a span that arrives
	// again counts once. Default 20,000.
	MaxSpans int
	// MaxBytes bounds one trace. Default 64 MiB.
	MaxBytes int64
	// TotalBytes bounds everything held, released traces included. What does
	// not fit is refused with [ErrFull]. Default 512 MiB.
	TotalBytes int64
	// Shards is how many traces can be released at the same time. Default
	// GOMAXPROCS.
	Shards int
}

// DefaultOptions are the bounds that zero fields stand for.
func DefaultOptions() Options { return Options{}.withDefaults() }

func (o Options) withDefaults() Options {
	setDefault(&o.Quiet, 2*time.Second)
	setDefault(&o.Idle, 60*time.Second)
	setDefault(&o.MaxAge, 10*time.Minute)
	setDefault(&o.Late, 60*time.Second)
	setDefault(&o.MaxSpans, 20_000)
	setDefault(&o.MaxBytes, 64<<20)
	setDefault(&o.TotalBytes, 512<<20)
	setDefault(&o.Shards, runtime.GOMAXPROCS(0))
	return o
}

func setDefault[T int | int64 | time.Duration](v *T, value T) {
	if *v == 0 {
		*v = value
	}
}

// Arrival is what came in for one trace at one time.
type Arrival[P any] struct {
	// TraceID is empty for what names no trace. With a ResponseID it waits for
	// the trace that has the reply of that id, for Idle at most; else, and after
	// that, it is handed back without a trace.
	TraceID    string
	ResponseID string
	Steps      []*trace.Step
	Fragments  []*trace.Fragment
	Payload    P     // handed back at release
	Bytes      int64 // what holding it costs
}

// Released is what leaves the buffer: the payloads that arrived since the last
// release, in order of arrival, and the trace as far as it is known.
type Released[P any] struct {
	TraceID string
	// Trace is nil where the payloads are not graded: they came too late, or
	// belong to no trace.
	Trace    *trace.Trace
	Payloads []P
	Spans    int // spans and records among them, repetitions included
	// Bytes is what holding the payloads costs, as their arrivals stated it.
	Bytes int64
	// Late is true where the trace was released before.
	Late bool

	deferred *bool
	done     func()
	assembly *assembly // that made Trace
}

// Recycle lets the memory of Trace and its steps be used for another trace:
// nothing may look at them from now on. It need not be called.
func (r *Released[P]) Recycle() {
	if r.assembly != nil {
		r.assembly.recycle()
		r.assembly = nil
	}
}

// Defer lets the receiver of a release work on after it has returned: the trace
// stays busy, and what it holds stays counted, until done is called, once, by
// any goroutine. Until then nothing else reads its steps, and spans that arrive
// wait to make the next revision. Shutdown waits for it too.
func (r *Released[P]) Defer() (done func()) {
	*r.deferred = true
	return r.done
}

var (
	// ErrFull says that the buffer holds all that it may. Trying again later
	// can help.
	ErrFull = errors.New("trace buffer is full")
	// ErrTooLarge says that an arrival is larger than all that the buffer may
	// hold. Trying again does not help.
	ErrTooLarge = errors.New("larger than the trace buffer")
	// ErrClosed says that the buffer was shut down.
	ErrClosed = errors.New("trace buffer is shut down")
)

// Buffer holds the spans and log records of traces until each is ready, and
// then hands them back together with the trace. It is safe for use by several
// goroutines at once.
//
// Readiness goes by the clock of arrival, never by times in spans. Each shard
// has one goroutine and one timer, whatever the number of traces.
type Buffer[P any] struct {
	options Options
	release func(Released[P])
	seed    maphash.Seed
	shards  []*shard[P]
	replies replies
	held    atomic.Int64 // bytes
	closing sync.Once
	counts  counters
}

// counters is the mutable side of Stats.
type counters struct {
	open, kept, revisions, tooLate, forgotten, refused atomic.Int64
	released                                           [len(reasons)]atomic.Int64
}

var reasons = [...]trace.ReleaseReason{
	trace.ReleaseRootQuiet, trace.ReleaseIdle, trace.ReleaseMaxAge, trace.ReleaseSize, trace.ReleaseShutdown,
}

// Stats is what a buffer holds and what it has done since it was made.
type Stats struct {
	Bytes     int64                         // held
	Open      int64                         // traces that wait for release
	Kept      int64                         // released traces that late spans can still revise
	Released  map[trace.ReleaseReason]int64 // releases with a trace, by reason
	Revisions int64                         // releases of a trace that was released before
	TooLate   int64                         // spans and records that came after a trace was forgotten
	Forgotten int64                         // released traces forgotten before Late, for room
	Refused   int64                         // arrivals refused with ErrFull
}

// NewBuffer starts a buffer, which runs until Shutdown. release is called by
// one goroutine a shard, for one trace at a time, and may block or
// [Released.Defer]: what it holds up stays counted against TotalBytes.
func NewBuffer[P any](options Options, release func(Released[P])) *Buffer[P] {
	b := &Buffer[P]{options: options.withDefaults(), release: release, seed: maphash.MakeSeed()}
	b.shards = make([]*shard[P], b.options.Shards)
	for i := range b.shards {
		b.shards[i] = newShard(b)
		go b.shards[i].run()
	}
	return b
}

// Add takes in all arrivals or, with an error, none of them.
func (b *Buffer[P]) Add(arrivals ...Arrival[P]) error {
	var size int64
	for i := range arrivals {
		size += arrivals[i].Bytes
	}
	if size > b.options.TotalBytes {
		return fmt.Errorf("%w: %d bytes arrived at once, total_bytes is %d", ErrTooLarge, size, b.options.TotalBytes)
	}
	if !b.reserve(size) {
		b.counts.refused.Add(int64(len(arrivals)))
		return fmt.Errorf("%w: %d of %d bytes are held; send again later", ErrFull, b.held.Load(), b.options.TotalBytes)
	}
	now := time.Now()
	for i := range arrivals {
		if !b.add(&arrivals[i], now) {
			for _, rest := range arrivals[i:] {
				b.held.Add(-rest.Bytes)
			}
			return ErrClosed
		}
	}
	return nil
}

// add finds the trace of an arrival and puts it there, and with it what waited
// for the replies that it holds. It reports whether the buffer was open.
func (b *Buffer[P]) add(a *Arrival[P], now time.Time) bool {
	id := a.TraceID
	if id == "" && a.ResponseID != "" {
		id = b.replies.traceOf(a.ResponseID)
	}
	if !b.shardOf(id).add(id, a, now) {
		return false
	}
	if reply, waits := waitingFor(id); waits {
		if to := b.replies.traceOf(reply); to != id { // it came at this very moment
			b.move(id, to, now)
		}
		return true
	}
	for _, s := range a.Steps {
		if r := s.Model.ResponseID; r != "" && id != "" && b.replies.learn(r, id) {
			b.move(waitingID(r), id, now)
		}
	}
	return true
}

// move puts what waited under one id into a trace.
func (b *Buffer[P]) move(from, to string, now time.Time) {
	for _, a := range b.shardOf(from).take(from) {
		if !b.shardOf(to).add(to, &a, now) {
			b.held.Add(-a.Bytes)
		}
	}
}

// reserve makes room for size bytes, for which it forgets released traces, the
// oldest of each shard first.
func (b *Buffer[P]) reserve(size int64) bool {
	for {
		if held := b.held.Load(); held+size <= b.options.TotalBytes {
			if b.held.CompareAndSwap(held, held+size) {
				return true
			}
			continue
		}
		freed := false
		for _, s := range b.shards {
			freed = s.forgetOldest() || freed
		}
		if !freed {
			return false
		}
	}
}

func (b *Buffer[P]) shardOf(traceID string) *shard[P] {
	return b.shards[maphash.String(b.seed, traceID)%uint64(len(b.shards))]
}

// Shutdown releases everything that is held, with the reason shutdown, and
// waits until it was handed back, or for ctx. Arrivals from then on are refused
// with [ErrClosed].
func (b *Buffer[P]) Shutdown(ctx context.Context) error {
	b.closing.Do(func() {
		for _, s := range b.shards {
			s.close()
		}
	})
	for _, s := range b.shards {
		select {
		case <-s.done:
		case <-ctx.Done():
			return fmt.Errorf("shut down trace buffer: %d traces not handed over: %w", b.counts.open.Load(), ctx.Err())
		}
	}
	return nil
}

// Stats is a snapshot of the counters.
func (b *Buffer[P]) Stats() Stats {
	c := &b.counts
	s := Stats{
		Bytes: b.held.Load(), Open: c.open.Load(), Kept: c.kept.Load(),
		Released:  make(map[trace.ReleaseReason]int64, len(reasons)),
		Revisions: c.revisions.Load(), TooLate: c.tooLate.Load(), Forgotten: c.forgotten.Load(), Refused: c.refused.Load(),
	}
	for i, r := range reasons {
		s.Released[r] = c.released[i].Load()
	}
	return s
}
