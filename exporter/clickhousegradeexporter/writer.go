package clickhousegradeexporter

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/store"
)

// database is what a writer needs of a store.
type database interface {
	Insert(ctx context.Context, b *store.Batch) error
	Close() error
}

// writer turns spans into rows and inserts them.
type writer struct {
	db     database
	reader *normalise.Reader
	redact *redact.Policy
	logger *zap.Logger
	failed atomic.Bool // the last insert did, and may succeed later
	// durable is whether the queue is on disk, and may hold what an earlier start
	// accepted.
	durable bool

	waiting *waiting
	// older is how many spans of an earlier start are being written, or were to be.
	older atomic.Int64
}

func newWriter(c *Config, logger *zap.Logger) (*writer, error) {
	policy, err := redact.New(c.Redaction)
	if err != nil {
		return nil, err
	}
	db, err := store.Open(c.store())
	if err != nil {
		return nil, err
	}
	return &writer{db: db, reader: normalise.New(normalise.Options{}), redact: policy, logger: logger, waiting: newWaiting()}, nil
}

// write inserts the rows of td. Writing the same spans again adds nothing.
func (w *writer) write(ctx context.Context, td ptrace.Traces) error {
	older := w.durable && w.waiting.none(td)
	if older {
		w.older.Store(int64(td.SpanCount()))
	}
	b := store.FromSpans(td, w.reader)
	b.Redact(w.redact)
	err := w.db.Insert(ctx, &b)
	if older && (err == nil || store.Permanent(err)) {
		w.older.Store(0)
	}
	if store.Permanent(err) {
		w.waiting.written(td) // it waits no longer
		return consumererror.NewPermanent(err)
	}
	w.report(err)
	if err != nil {
		w.waiting.wake()
		return err
	}
	w.waiting.written(td)
	return nil
}

// report tells once when writing begins to fail, and once when it works again:
// the helper's own messages about retries are for debugging.
func (w *writer) report(err error) {
	switch failed := err != nil; {
	case failed && !w.failed.Swap(true):
		w.logger.Warn("cannot write to ClickHouse: rows wait in the queue until it takes them", zap.Error(err))
	case !failed && w.failed.Swap(false):
		w.logger.Warn("ClickHouse takes rows again: writing what waits")
	}
}

func (w *writer) close(context.Context) error { return w.db.Close() }
