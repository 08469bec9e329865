package assemble

import (
	"container/heap"
	"container/list"
	"slices"
	"sync"
	"time"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// shard holds a part of the traces.
type shard[P any] struct {
	buffer *Buffer[P]
	wake   chan struct{} // has one element when the timer may be wrong
	stop   chan struct{}
	done   chan struct{}

	mu       sync.Mutex
	closed   bool
	deferred sync.WaitGroup // releases that are not done yet
	traces   map[string]*entry[P]
	due      dueHeap[P]
	kept     list.List // released entries, the oldest first
	gone     remembered
}

// entry is one trace in the buffer.
type entry[P any] struct {
	id        string
	steps     []*trace.Step
	fragments []*trace.Fragment
	replies   []string // ids of replies among the steps
	payloads  []P      // since the last release
	spans     int      // since the last release
	bytes     int64
	pending   int64 // of bytes, since the last release

	arrivals []Arrival[P]    // where it waits, to be taken to its trace
	ids      map[string]bool // of spans: true for one that was seen, false for a parent that was named only
	missing  int             // of ids, the parents that were named only
	rootSeen bool

	first    time.Time // arrival of the first payload since the last release
	last     time.Time // arrival of the last one
	tooLarge bool      // reached MaxSpans or MaxBytes
	stray    bool      // not to be graded: forgotten before, or of no trace
	waits    bool      // for a reply; stray as long as it does
	released bool      // at least once
	busy     bool      // being handed back right now
	due      time.Time // when to release it, or to forget it
	index    int       // in the heap; -1 where it is in none
	kept     *list.Element
}

func newShard[P any](b *Buffer[P]) *shard[P] {
	return &shard[P]{
		buffer: b, traces: make(map[string]*entry[P]),
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
}

// add takes an arrival into the trace of an id, and reports whether the shard
// was still open.
func (s *shard[P]) add(id string, a *Arrival[P], now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	e := s.traces[id]
	if e == nil {
		_, waits := waitingFor(id)
		e = &entry[P]{
			id: id, index: -1, waits: waits, stray: id == "" || waits || s.gone.has(id),
			ids: make(map[string]bool),
		}
		s.traces[id] = e
	}
	count := len(a.Steps) + len(a.Fragments)
	if e.waiting() {
		e.first = now
		if !e.busy {
			s.buffer.counts.open.Add(1)
			s.unkeep(e)
		}
	}
	e.last = now
	e.bytes += a.Bytes
	e.pending += a.Bytes
	e.spans += count
	e.payloads = append(e.payloads, a.Payload)
	switch {
	case e.waits:
		e.arrivals = append(e.arrivals, *a)
	case e.stray:
		if id != "" {
			s.buffer.counts.tooLate.Add(int64(count))
		}
	default:
		e.take(a.Steps, a.Fragments)
		e.tooLarge = len(e.ids)-e.missing+len(e.fragments) > s.buffer.options.MaxSpans || e.bytes > s.buffer.options.MaxBytes
	}
	if !e.busy {
		s.schedule(e)
	}
	return true
}

// waiting reports whether nothing has arrived since the last release.
func (e *entry[P]) waiting() bool { return len(e.payloads) == 0 }

// take notes what the spans tell about what is still to come.
func (e *entry[P]) take(steps []*trace.Step, fragments []*trace.Fragment) {
	e.steps = append(e.steps, steps...)
	e.fragments = append(e.fragments, fragments...)
	for _, s := range steps {
		if s.ParentID != "" {
			if _, named := e.ids[s.ParentID]; !named {
				e.ids[s.ParentID] = false
				e.missing++
			}
		}
		if s.Hints.Pending { // the span itself is still to come
			continue
		}
		if r := s.Model.ResponseID; r != "" {
			e.replies = append(e.replies, r)
		}
		e.rootSeen = e.rootSeen || s.ParentID == ""
		if seen, named := e.ids[s.SpanID]; !seen {
			e.ids[s.SpanID] = true
			if named {
				e.missing--
			}
		}
	}
}

// whole reports whether the root has ended and no span names a parent that was
// not seen.
func (e *entry[P]) whole() bool { return e.rootSeen && e.missing == 0 }

// schedule sets when e is due, and tells the goroutine if that is the next.
func (s *shard[P]) schedule(e *entry[P]) {
	o := &s.buffer.options
	switch {
	case e.waiting():
		e.due = e.last.Add(o.Late)
	case e.tooLarge:
		e.due = e.last
	case e.waits:
		e.due = e.first.Add(o.Idle)
	case e.stray:
		e.due = e.first.Add(o.Quiet)
	default:
		wait := o.Idle
		if e.whole() {
			wait = o.Quiet
		}
		e.due = e.last.Add(wait)
		if old := e.first.Add(o.MaxAge); old.Before(e.due) {
			e.due = old
		}
	}
	if e.index < 0 {
		heap.Push(&s.due, e)
	} else {
		s.due[e.index].at = e.due
		heap.Fix(&s.due, e.index)
	}
	if s.due[0].entry == e {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// run releases and forgets what is due until the shard is closed.
func (s *shard[P]) run() {
	defer close(s.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.stop:
			s.releaseAll()
			return
		case <-s.wake:
		case <-timer.C:
		}
		for s.releaseNext(time.Now()) {
			select {
			case <-s.stop:
				s.releaseAll()
				return
			default:
			}
		}
		s.mu.Lock()
		if len(s.due) > 0 {
			timer.Reset(time.Until(s.due[0].at))
		}
		s.mu.Unlock()
	}
}

// releaseNext releases or forgets one entry that is due, and reports whether
// there was one.
func (s *shard[P]) releaseNext(now time.Time) bool {
	s.mu.Lock()
	if len(s.due) == 0 || s.due[0].at.After(now) {
		s.mu.Unlock()
		return false
	}
	e := heap.Pop(&s.due).(*entry[P])
	if e.waiting() {
		s.drop(e)
		s.mu.Unlock()
		return true
	}
	if e.waits && e.session() != "" {
		s.settle(e, now)
		return true
	}
	e.busy = true
	s.mu.Unlock()
	s.handBack(e, s.reason(e, now))
	return true
}

// session is the session of records that describe steps themselves, or "".
func (e *entry[P]) session() string {
	for i := range e.arrivals {
		for _, f := range e.arrivals[i].Fragments {
			if f.Step != nil && f.Step.Session != "" {
				return f.Step.Session
			}
		}
	}
	return ""
}

// settle moves records whose reply did not come into the trace of their
// session. It unlocks the shard.
func (s *shard[P]) settle(e *entry[P], now time.Time) {
	id := SessionTraceID(e.session())
	for i := range e.arrivals {
		for _, f := range e.arrivals[i].Fragments {
			f.TraceID = id
			if f.Step != nil {
				f.Step.TraceID = id
			}
		}
	}
	heap.Push(&s.due, e) // move takes it out again
	s.mu.Unlock()
	s.buffer.move(e.id, id, now)
}

// reason says why an entry that is due is released. The caller made it busy.
func (s *shard[P]) reason(e *entry[P], now time.Time) trace.ReleaseReason {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch o := &s.buffer.options; {
	case e.tooLarge:
		return trace.ReleaseSize
	case e.whole() && !now.Before(e.last.Add(o.Quiet)):
		return trace.ReleaseRootQuiet
	case !now.Before(e.first.Add(o.MaxAge)):
		return trace.ReleaseMaxAge
	}
	return trace.ReleaseIdle
}

// handBack gives what e holds to release. It is called by the shard's
// goroutine, for a busy entry that is not in the heap.
func (s *shard[P]) handBack(e *entry[P], reason trace.ReleaseReason) {
	s.mu.Lock()
	r := Released[P]{TraceID: e.id, Payloads: e.payloads, Spans: e.spans, Bytes: e.pending, Late: e.released || e.stray && e.id != "" && !e.waits}
	if e.waits {
		r.TraceID = ""
	}
	steps, fragments, graded := e.steps, e.fragments, !e.stray
	e.payloads, e.arrivals, e.spans, e.pending = nil, nil, 0, 0
	e.released = true
	e.stray = e.stray || e.tooLarge // more of it cannot be held
	s.mu.Unlock()

	if graded {
		r.assembly = assemblies.Get().(*assembly)
		r.Trace = r.assembly.trace(e.id, steps, fragments, trace.Release{Reason: reason})
		s.buffer.counts.released[slices.Index(reasons[:], reason)].Add(1)
		if r.Late {
			s.buffer.counts.revisions.Add(1)
		}
	}
	deferred := false
	r.deferred = &deferred
	s.deferred.Add(1)
	r.done = func() {
		s.keep(e)
		s.deferred.Done()
	}
	s.buffer.release(r)
	if !deferred {
		r.done()
	}
}

// keep ends the handing back of a busy entry: its steps are kept for late spans.
func (s *shard[P]) keep(e *entry[P]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.busy = false
	if e.stray {
		e.steps, e.fragments, e.ids, e.missing = nil, nil, nil, 0
		s.buffer.held.Add(e.pending - e.bytes)
		e.bytes = e.pending
	}
	switch {
	case !e.waiting(): // more came meanwhile
		e.tooLarge = e.tooLarge && !e.stray
		s.schedule(e)
	case e.stray:
		s.buffer.counts.open.Add(-1)
		s.drop(e)
	default:
		e.last = time.Now()
		s.buffer.counts.open.Add(-1)
		s.buffer.counts.kept.Add(1)
		e.kept = s.kept.PushBack(e)
		s.schedule(e)
	}
}

// unkeep takes e out of the list of released entries.
func (s *shard[P]) unkeep(e *entry[P]) {
	if e.kept != nil {
		s.kept.Remove(e.kept)
		e.kept = nil
		s.buffer.counts.kept.Add(-1)
	}
}

// drop forgets all of an entry but that its trace was released.
func (s *shard[P]) drop(e *entry[P]) {
	s.unkeep(e)
	if e.index >= 0 {
		heap.Remove(&s.due, e.index)
	}
	delete(s.traces, e.id)
	s.buffer.held.Add(-e.bytes)
	if len(e.replies) > 0 || e.waits {
		s.buffer.replies.forget(e.id, e.replies)
	}
	if e.id != "" && !e.waits {
		s.gone.add(e.id)
	}
}

// take takes out what waits under an id, unless it is being handed back.
func (s *shard[P]) take(id string) []Arrival[P] {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.traces[id]
	if e == nil || e.busy {
		return nil
	}
	arrivals := e.arrivals
	s.buffer.held.Add(e.bytes) // which drop takes away, and the trace now holds
	s.buffer.counts.open.Add(-1)
	s.drop(e)
	return arrivals
}

// forgetOldest drops the released entry that was released first, and reports
// whether there was one.
func (s *shard[P]) forgetOldest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	front := s.kept.Front()
	if front == nil {
		return false
	}
	s.buffer.counts.forgotten.Add(1)
	s.drop(front.Value.(*entry[P]))
	return true
}

// close refuses arrivals from now on, and makes the goroutine hand back the
// rest.
func (s *shard[P]) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	close(s.stop)
}

// releaseAll hands back everything that waits, what is due first before the
// rest. What arrived for a trace that is still being handed back comes last.
func (s *shard[P]) releaseAll() {
	for {
		s.mu.Lock()
		if len(s.due) == 0 {
			s.mu.Unlock()
			s.deferred.Wait()
			s.mu.Lock()
		}
		if len(s.due) == 0 {
			s.mu.Unlock()
			return
		}
		e := heap.Pop(&s.due).(*entry[P])
		if e.waiting() {
			s.drop(e)
			s.mu.Unlock()
			continue
		}
		e.busy = true
		s.mu.Unlock()
		s.handBack(e, trace.ReleaseShutdown)
	}
}
