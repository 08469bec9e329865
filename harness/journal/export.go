package journal

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// Limits of the exporter.
const (
	maxQueued = 8192 // entries that wait; further ones are dropped and counted
	maxBatch  = 512  // entries of one export
	maxWait   = time.Second
	maxSend   = 30 * time.Second // of one export, retries included
)

// Exporter sends entries as spans over OTLP/HTTP. A call whose agent propagates
// its context becomes a span of the agent's trace; the others of a run have a
// trace of their own, which is joined by the run's id.
type Exporter struct {
	client otlptrace.Client
	queue  chan Entry
	done   chan struct{}
	nonce  string // keeps the runs of this exporter from those of another with their names
	lost   atomic.Int64
	err    error // the first failure of an export; read it after done
}

// NewExporter starts an exporter to an OTLP endpoint such as
// http://127.0.0.1:4318.
func NewExporter(ctx context.Context, endpoint string) (*Exporter, error) {
	x := &Exporter{
		client: otlptracehttp.NewClient(otlptracehttp.WithEndpointURL(strings.TrimSuffix(endpoint, "/") + "/v1/traces")),
		queue:  make(chan Entry, maxQueued), done: make(chan struct{}), nonce: rand.Text(),
	}
	if err := x.client.Start(ctx); err != nil {
		return nil, fmt.Errorf("export the journal to %s: %w", endpoint, err)
	}
	go x.run(context.WithoutCancel(ctx))
	return x, nil
}

// Add takes an entry. It never waits: where too many wait already the entry is
// counted as lost.
func (x *Exporter) Add(e Entry) {
	select {
	case x.queue <- e:
	default:
		x.lost.Add(1)
	}
}

// Close sends what waits. Its error says how many entries were not sent, and why.
func (x *Exporter) Close(ctx context.Context) error {
	close(x.queue)
	<-x.done
	err := x.client.Stop(ctx)
	if n := x.lost.Load(); n > 0 {
		err = errors.Join(fmt.Errorf("export the journal: %d entries were not sent", n), x.err, err)
	}
	return err
}

func (x *Exporter) run(ctx context.Context) {
	defer close(x.done)
	tick := time.NewTicker(maxWait)
	defer tick.Stop()
	var waiting []*tracepb.ResourceSpans
	send := func() {
		if len(waiting) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, maxSend)
		defer cancel()
		if err := x.client.UploadTraces(ctx, waiting); err != nil {
			x.lost.Add(int64(len(waiting)))
			if x.err == nil {
				x.err = err
			}
		}
		waiting = nil
	}
	for {
		select {
		case e, ok := <-x.queue:
			if !ok {
				send()
				return
			}
			waiting = append(waiting, Resource(e.Run, e.Span(x.traceOf(&e), nil)))
			if len(waiting) >= maxBatch {
				send()
			}
		case <-tick.C:
			send()
		}
	}
}

// traceOf is the trace of an entry: the caller's, else the run's own.
func (x *Exporter) traceOf(e *Entry) []byte {
	if id, err := hex.DecodeString(e.Caller.TraceID); err == nil && len(id) == 16 {
		return id
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{x.nonce, e.Case, string(e.Arm), e.Run}, "/")))
	return sum[:16]
}
