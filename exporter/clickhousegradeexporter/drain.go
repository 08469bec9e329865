package clickhousegradeexporter

import (
	"context"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"
)

// drained is the exporter with a stop that waits for its queue. The helper
// leaves what is in a queue on disk there, also while ClickHouse answers: it
// would be seen only after the next start.
type drained struct {
	exporter.Traces
	writer  *writer
	longest time.Duration
}

// Start starts the queue, and with it the writing of what it held.
func (d *drained) Start(ctx context.Context, host component.Host) error {
	return d.Traces.Start(ctx, patientHost{host})
}

// ConsumeTraces takes spans into the queue.
func (d *drained) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	accepted, spans := lastSpan(td), td.SpanCount()
	d.writer.waiting.add(accepted, spans)
	err := d.Traces.ConsumeTraces(ctx, td)
	if err != nil {
		d.writer.waiting.done(accepted)
	}
	return err
}

// Shutdown waits until everything that was accepted is written, a write fails or
// the time is up, and says what is left.
func (d *drained) Shutdown(ctx context.Context) error {
	d.drain(ctx)
	err := d.Traces.Shutdown(ctx)
	switch left, _ := d.writer.waiting.left(); {
	case left == 0 && d.writer.older.Load() > 0:
		d.writer.logger.Warn("spans of an earlier start wait in the queue on disk, at least those that are counted here: ClickHouse did not take them, and they are written after the next start", zap.Int64("spans", d.writer.older.Load()))
	case left == 0:
	case d.writer.durable:
		d.writer.logger.Warn("spans wait in the queue on disk: ClickHouse did not take them before the stop, and they are written after the next start", zap.Int("spans", left))
	default:
		d.writer.logger.Error("spans are lost: ClickHouse did not take them before the stop, and the queue is in memory (sending_queue::storage keeps it on disk)", zap.Int("spans", left))
	}
	return err
}

func (d *drained) drain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.longest)
	defer cancel()
	for {
		left, changed := d.writer.waiting.left()
		if left == 0 && d.writer.older.Load() == 0 || d.writer.failed.Load() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// waiting is what was accepted and is not written yet. Payloads are told apart
// by their last span: the queue merges and splits them, and keeps the order of
// their spans.
type waiting struct {
	mu       sync.Mutex
	payloads map[spanKey]payload
	spans    int
	changed  chan struct{} // closed at the next change
}

type spanKey struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

type payload struct {
	times, spans int
}

func newWaiting() *waiting {
	return &waiting{payloads: map[spanKey]payload{}, changed: make(chan struct{})}
}

// lastSpan is the span that comes last in td; the zero key where there is none.
func lastSpan(td ptrace.Traces) (last spanKey) {
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			if n := ss.Spans().Len(); n > 0 {
				s := ss.Spans().At(n - 1)
				last = spanKey{s.TraceID(), s.SpanID()}
			}
		}
	}
	return last
}

func (w *waiting) add(key spanKey, spans int) {
	if spans == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p := w.payloads[key]
	w.payloads[key] = payload{p.times + 1, spans}
	w.spans += spans
}

// done takes away the payloads that end with the spans.
func (w *waiting) done(spans ...spanKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, key := range spans {
		p, ok := w.payloads[key]
		if !ok {
			continue
		}
		w.spans -= p.spans
		if p.times--; p.times > 0 {
			w.payloads[key] = p
		} else {
			delete(w.payloads, key)
		}
	}
	w.tell()
}

// written takes away the payloads that end in td.
func (w *waiting) written(td ptrace.Traces) { w.done(keys(td)...) }

// none reports whether no payload ends in td: an exporter before this one
// accepted them, and left them in a queue on disk.
func (w *waiting) none(td ptrace.Traces) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !slices.ContainsFunc(keys(td), func(key spanKey) bool { _, ok := w.payloads[key]; return ok })
}

// keys are those of all spans.
func keys(td ptrace.Traces) []spanKey {
	list := make([]spanKey, 0, td.SpanCount())
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				list = append(list, spanKey{s.TraceID(), s.SpanID()})
			}
		}
	}
	return list
}

// wake tells whoever waits to look again.
func (w *waiting) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell()
}

func (w *waiting) tell() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// left is how many spans wait, and a channel that is closed at the next change.
func (w *waiting) left() (int, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spans, w.changed
}
