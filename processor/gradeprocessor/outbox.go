package gradeprocessor

import (
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Bounds of an outbox. A queue on disk writes every request of its own: a
// handful of spans each would cost it ten times the CPU.
const (
	outboxSpans = 1000
	outboxWait  = 50 * time.Millisecond
)

// outbox gathers the spans of ready traces into requests of a decent size.
type outbox struct {
	send func(ptrace.Traces)
	stop chan struct{}
	done sync.WaitGroup

	mu    sync.Mutex
	td    ptrace.Traces
	spans int
}

func newOutbox(send func(ptrace.Traces)) *outbox {
	return &outbox{send: send, stop: make(chan struct{}), td: ptrace.NewTraces()}
}

// add takes spans in. It sends, and blocks for as long as that takes, when there
// are enough of them.
func (o *outbox) add(td ptrace.Traces) {
	n := td.SpanCount()
	if n == 0 {
		return
	}
	o.mu.Lock()
	td.ResourceSpans().MoveAndAppendTo(o.td.ResourceSpans())
	o.spans += n
	full := o.spans >= outboxSpans
	o.mu.Unlock()
	if full {
		o.flush()
	}
}

// flush sends what is there.
func (o *outbox) flush() {
	o.mu.Lock()
	td, n := o.td, o.spans
	if n > 0 {
		o.td, o.spans = ptrace.NewTraces(), 0
	}
	o.mu.Unlock()
	if n > 0 {
		o.send(td)
	}
}

// start flushes every outboxWait until close.
func (o *outbox) start() {
	o.done.Go(func() {
		tick := time.NewTicker(outboxWait)
		defer tick.Stop()
		for {
			select {
			case <-o.stop:
				return
			case <-tick.C:
				o.flush()
			}
		}
	})
}

// close waits until what was started to be sent is sent, and sends the rest.
func (o *outbox) close() {
	close(o.stop)
	o.done.Wait()
	o.flush()
}
