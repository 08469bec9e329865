package clickhousegradeexporter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage/filestorage"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension"
	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/extension/xextension/storage"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tracegrade/tracegrade/exporter/clickhousegradeexporter/internal/metadata"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// memory is a database that takes rows, refuses them, or takes a while.
type memory struct {
	refuses error
	takes   time.Duration

	mu    sync.Mutex
	steps int
}

func (m *memory) Insert(ctx context.Context, b *store.Batch) error {
	select {
	case <-time.After(m.takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	if m.refuses != nil {
		return m.refuses
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.steps += len(b.Steps)
	return nil
}

func (m *memory) Close() error { return nil }

// host has one storage extension.
type host struct{ storage extension.Extension }

var storageID = component.MustNewID("file_storage")

func (h host) GetExtensions() map[component.ID]component.Component {
	return map[component.ID]component.Component{storageID: h.storage}
}

// onDisk is a storage in a folder.
func onDisk(t *testing.T, dir string) host {
	t.Helper()
	factory := filestorage.NewFactory()
	cfg := factory.CreateDefaultConfig().(*filestorage.Config)
	cfg.Directory = dir
	e, err := factory.Create(t.Context(), extensiontest.NewNopSettings(factory.Type()), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return host{e}
}

// life starts an exporter, hands it so many spans and stops it; what it logged
// about spans is returned.
func life(t *testing.T, h host, db database, spans int, set func(*Config)) []string {
	t.Helper()
	cfg := testConfig("clickhouse://127.0.0.1:1")
	cfg.Queue.Get().Batch.Get().FlushTimeout = time.Second
	cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = 5*time.Second, 5*time.Second
	if h.storage != nil {
		cfg.Queue.Get().StorageID = &storageID
	}
	if set != nil {
		set(cfg)
	}
	core, logs := observer.New(zap.WarnLevel)
	w := &writer{db: db, reader: normalise.New(normalise.Options{}), logger: zap.New(core), waiting: newWaiting()}
	settings := exportertest.NewNopSettings(metadata.Type)
	settings.ID = component.NewID(metadata.Type) // what the storage knows the queue by
	e, err := newTraces(t.Context(), settings, cfg, w)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	for n := range spans {
		if err := e.ConsumeTraces(t.Context(), graded(byte(n+1), 1, trace.OutcomeFail)); err != nil {
			t.Fatal(err)
		}
	}
	if spans == 0 {
		time.Sleep(5 * time.Second) // for what an earlier life left
	}
	stop(t, e)
	var told []string
	for _, l := range logs.All() {
		if n, ok := l.ContextMap()["spans"]; ok {
			told = append(told, fmt.Sprintf("%s %v %.34s", l.Level, n, l.Message))
		}
	}
	return told
}

func TestStopWritesWhatWaits(t *testing.T) {
	down := errors.New("connection refused")
	tests := []struct {
		name    string
		disk    bool
		refuses error
		takes   time.Duration
		drain   time.Duration
		steps   int // written before the end
		next    int // written by the next exporter
		told    []string
		took    time.Duration // at most
	}{
		{"on disk, ClickHouse answers", true, nil, time.Second, 10 * time.Second, 5, 0, nil, 3 * time.Second},
		{"in memory, ClickHouse answers", false, nil, time.Second, 10 * time.Second, 5, 0, nil, 3 * time.Second},
		{"on disk, ClickHouse is down", true, down, 0, 10 * time.Second, 0, 5, []string{"warn 5 spans wait in the queue on disk: C"}, 2 * time.Second},
		{"in memory, ClickHouse is down", false, down, 0, 10 * time.Second, 0, 0, []string{"error 5 spans are lost: ClickHouse did not"}, 2 * time.Second},
		{"what can never be written is waited for by nobody", true, &clickhouse.Exception{Code: 53, Message: "type mismatch"}, 0, 10 * time.Second, 0, 0, nil, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			run := func(db *memory, spans int, drain time.Duration) (told []string) {
				synctest.Test(t, func(t *testing.T) {
					var h host
					if tt.disk {
						h = onDisk(t, dir)
						if err := h.storage.Start(t.Context(), h); err != nil {
							t.Fatal(err)
						}
					}
					began := time.Now()
					told = life(t, h, db, spans, func(c *Config) { c.Drain = drain })
					if took := time.Since(began); spans > 0 && took > tt.took {
						t.Errorf("took %v, want at most %v", took, tt.took)
					}
					if tt.disk {
						if err := h.storage.Shutdown(t.Context()); err != nil {
							t.Fatal(err)
						}
					}
				})
				return told
			}
			db := memory{refuses: tt.refuses, takes: tt.takes}
			told := run(&db, 5, tt.drain)
			if db.steps != tt.steps {
				t.Errorf("%d steps written, want %d", db.steps, tt.steps)
			}
			if diff := cmp.Diff(tt.told, told); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
			if !tt.disk {
				return
			}
			var next memory
			run(&next, 0, tt.drain)
			if next.steps != tt.next {
				t.Errorf("%d steps written after the next start, want %d", next.steps, tt.next)
			}
		})
	}
}

// full is a storage on a disk that can be full: then nothing can be written.
type full struct {
	extension.Extension
	is atomic.Bool
}

func (f *full) GetClient(ctx context.Context, kind component.Kind, id component.ID, name string) (storage.Client, error) {
	c, err := f.Extension.(storage.Extension).GetClient(ctx, kind, id, name)
	return fullClient{c, f}, err
}

type fullClient struct {
	storage.Client
	disk *full
}

func (c fullClient) Batch(ctx context.Context, ops ...*storage.Operation) error {
	if c.disk.is.Load() && slices.ContainsFunc(ops, func(op *storage.Operation) bool { return op.Type != storage.Get }) {
		return errors.New("no space left on device")
	}
	return c.Client.Batch(ctx, ops...)
}

// What the queue on disk took is written also when the disk is full by then, and
// once only where it has room again before the stop.
func TestQueueOnAFullDisk(t *testing.T) {
	for _, tt := range []struct {
		name string
		room bool // again, before the stop
		next int  // written by the next exporter, again
	}{
		{"room again", true, 0},
		{"full to the end", false, 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			first, next := memory{takes: time.Second}, memory{}
			for _, db := range []*memory{&first, &next} {
				synctest.Test(t, func(t *testing.T) {
					disk := &full{Extension: onDisk(t, dir).storage}
					h := host{disk}
					if err := disk.Start(t.Context(), h); err != nil {
						t.Fatal(err)
					}
					spans := 0
					if db == &first {
						spans = 5
						go func() {
							time.Sleep(500 * time.Millisecond) // while the first is being written
							disk.is.Store(true)
							time.Sleep(2 * time.Second)
							disk.is.Store(!tt.room)
						}()
					}
					life(t, h, db, spans, func(c *Config) {
						c.Queue.Get().Batch = configoptional.None[exporterhelper.BatchConfig]()
						c.Queue.Get().NumConsumers = 1
					})
					if err := disk.Shutdown(t.Context()); err != nil {
						t.Fatal(err)
					}
				})
			}
			if first.steps != 5 || next.steps != tt.next {
				t.Errorf("%d and then %d steps written, want 5 and %d", first.steps, next.steps, tt.next)
			}
		})
	}
}

// What an earlier start left is told at every stop until it is written.
func TestStopWithWhatAnEarlierStartLeft(t *testing.T) {
	dir := t.TempDir()
	for i, tt := range []struct {
		db    *memory
		spans int
		told  []string
		steps int
	}{
		{&memory{refuses: errors.New("connection refused")}, 5, []string{"warn 5 spans wait in the queue on disk: C"}, 0},
		{&memory{refuses: errors.New("connection refused")}, 0, []string{"warn 5 spans of an earlier start wait in "}, 0},
		{&memory{takes: 6 * time.Second}, 0, nil, 5}, // longer than it runs: the stop waits for the end
		{&memory{}, 0, nil, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := onDisk(t, dir)
			if err := h.storage.Start(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			told := life(t, h, tt.db, tt.spans, nil)
			if diff := cmp.Diff(tt.told, told); diff != "" {
				t.Errorf("life %d, log (-want +got):\n%s", i, diff)
			}
			if tt.db.steps != tt.steps {
				t.Errorf("life %d: %d steps written, want %d", i, tt.db.steps, tt.steps)
			}
			if err := h.storage.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// Without time to wait nothing is lost either, and what is left is said.
func TestStopWithoutDrain(t *testing.T) {
	dir := t.TempDir()
	var first, next memory
	var told []string
	for i, db := range []*memory{&first, &next} {
		synctest.Test(t, func(t *testing.T) {
			h := onDisk(t, dir)
			if err := h.storage.Start(t.Context(), h); err != nil {
				t.Fatal(err)
			}
			told = append(told, life(t, h, db, 5*(1-i), func(c *Config) { c.Drain = 0 })...)
			if err := h.storage.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
	if first.steps+next.steps != 5 {
		t.Errorf("%d and %d steps written, want 5", first.steps, next.steps)
	}
	var want []string
	if next.steps > 0 {
		want = append(want, fmt.Sprintf("warn %d spans wait in the queue on disk: C", next.steps))
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}
