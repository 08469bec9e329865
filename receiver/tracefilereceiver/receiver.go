package tracefilereceiver

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receiverhelper"
	"go.uber.org/zap"

	"github.com/tracegrade/tracegrade/internal/folder"
	"github.com/tracegrade/tracegrade/internal/tracefile"
)

// reader reads the files of one configuration. Either consumer may be nil:
// what it would take is left out.
type reader struct {
	cfg    *Config
	logger *zap.Logger
	obs    *receiverhelper.ObsReport
	traces consumer.Traces
	logs   consumer.Logs

	cancel context.CancelFunc
	done   sync.WaitGroup
	read   map[string]bool  // files that were read
	seen   map[string]stamp // files that may still be growing
}

// stamp tells two states of a file apart.
type stamp struct {
	size    int64
	changed time.Time
}

func newReader(cfg *Config, set receiver.Settings) (*reader, error) {
	obs, err := receiverhelper.NewObsReport(receiverhelper.ObsReportSettings{ReceiverID: set.ID, Transport: "file", ReceiverCreateSettings: set})
	if err != nil {
		return nil, err
	}
	return &reader{cfg: cfg, logger: set.Logger, obs: obs, read: map[string]bool{}, seen: map[string]stamp{}}, nil
}

// Start begins to read. A file that is named and does not exist is an error,
// unless it may still come.
func (r *reader) Start(context.Context, component.Host) error {
	if !r.cfg.Follow {
		for _, p := range r.cfg.Include {
			if _, err := os.Stat(p); err != nil && !strings.ContainsAny(p, "*?[") {
				return fmt.Errorf("include %q: %w", p, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	r.done.Go(func() { r.run(ctx) })
	return nil
}

// Shutdown stops reading. What was read and not yet accepted is dropped.
func (r *reader) Shutdown(context.Context) error {
	if r.cancel != nil {
		r.cancel()
	}
	r.done.Wait()
	return nil
}

func (r *reader) run(ctx context.Context) {
	for {
		files, growing := r.due()
		var total tracefile.Stats
		for _, f := range files {
			r.read[f] = true
			r.file(ctx, f, &total)
		}
		if len(files) > 0 {
			r.logger.Info("read trace files", zap.Int("files", total.Files), zap.Int("spans", total.Spans),
				zap.Int("log_records", total.Logs), zap.Int("problems", total.Problems))
		}
		if !r.cfg.Follow && !growing {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.cfg.PollInterval):
		}
	}
}

// due lists the files to read now, and whether some may still be growing.
func (r *reader) due() (files []string, growing bool) {
	for _, f := range r.list() {
		info, err := os.Stat(f)
		if r.read[f] || err != nil || !info.Mode().IsRegular() {
			continue
		}
		now := stamp{info.Size(), info.ModTime()}
		if r.cfg.Follow && r.seen[f] != now {
			r.seen[f], growing = now, true
			continue
		}
		delete(r.seen, f)
		files = append(files, f)
	}
	return files, growing
}

// list expands patterns and folders. Hidden files of a folder are left out.
func (r *reader) list() []string {
	var files []string
	for _, pattern := range r.cfg.Include {
		paths := []string{pattern}
		if strings.ContainsAny(pattern, "*?[") {
			paths, _ = filepath.Glob(pattern) // Validate has checked the pattern
		}
		for _, p := range paths {
			for path, err := range folder.Files(p) {
				if err == nil { // else gone since it was listed, or not to be opened: the next look decides
					files = append(files, path)
				}
			}
		}
	}
	return files
}

func (r *reader) file(ctx context.Context, path string, total *tracefile.Stats) {
	stats, err := tracefile.Read(ctx, []string{path}, tracefile.Options{Format: r.cfg.Format}, tracefile.Sink{
		Data: func(d tracefile.Data) error { return r.data(ctx, d) },
		Problem: func(p *tracefile.Problem) {
			what := "cannot read part of a trace file"
			if p.Warning {
				what = "a trace file lacks something"
			}
			r.logger.Warn(what, zap.String("place", p.Place.String()), zap.Error(p.Err))
		},
	})
	if err != nil && ctx.Err() == nil {
		r.logger.Error("cannot read trace file", zap.String("file", path), zap.Error(err))
	}
	total.Files += stats.Files
	total.Spans += stats.Spans
	total.Logs += stats.Logs
	total.Problems += stats.Problems
}

// data hands on one document. Only the end of the receiver is an error.
func (r *reader) data(ctx context.Context, d tracefile.Data) error {
	if n := d.Traces.SpanCount(); n > 0 && r.traces != nil {
		op := r.obs.StartTracesOp(ctx)
		err := r.retry(ctx, d.Place, func() error { return r.offerTraces(ctx, d.Traces) })
		r.obs.EndTracesOp(op, d.Format, n, err)
	}
	if n := d.Logs.LogRecordCount(); n > 0 && r.logs != nil {
		op := r.obs.StartLogsOp(ctx)
		err := r.retry(ctx, d.Place, func() error { return r.logs.ConsumeLogs(ctx, d.Logs) })
		r.obs.EndLogsOp(op, d.Format, n, err)
	}
	return ctx.Err()
}

// offerTraces keeps td for another attempt where the next component may change
// what it is given.
func (r *reader) offerTraces(ctx context.Context, td ptrace.Traces) error {
	if r.traces.Capabilities().MutatesData {
		offer := ptrace.NewTraces()
		td.CopyTo(offer)
		td = offer
	}
	return r.traces.ConsumeTraces(ctx, td)
}

// Pauses between two attempts to hand on a document that the pipeline refused.
const (
	firstPause = 5 * time.Millisecond
	maxPause   = 5 * time.Second
)

// retry offers a document until it is accepted, refused for good, or the
// receiver stops.
func (r *reader) retry(ctx context.Context, place tracefile.Place, offer func() error) error {
	for pause := firstPause; ; pause = min(3*pause/2, maxPause) {
		err := offer()
		if err == nil {
			return nil
		}
		if consumererror.IsPermanent(err) {
			r.logger.Error("dropped a document that the pipeline refused for good", zap.String("place", place.String()), zap.Error(err))
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
