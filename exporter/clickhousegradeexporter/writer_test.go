package clickhousegradeexporter

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tracegrade/tracegrade/exporter/clickhousegradeexporter/internal/metadata"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/store"
	"github.com/tracegrade/tracegrade/internal/store/storetest"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// graded is trace n with one step and one failed rule.
func graded(n byte, revision int, outcome trace.Outcome) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID([16]byte{n})
	span.SetSpanID([8]byte{1})
	span.SetStartTimestamp(1_796_000_000_000_000_000)
	span.SetEndTimestamp(1_796_000_001_000_000_000)
	span.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
	span.Attributes().PutStr("gen_ai.tool.name", "login")
	span.Attributes().PutStr("gen_ai.tool.call.arguments", `{"user":"anna","password":"hunter2"}`)
	step := normalise.New(normalise.Options{}).Span(rs.Resource(), td.ResourceSpans().At(0).ScopeSpans().At(0).Scope(), span)
	count := trace.RuleCount{Rule: "tool-succeeds", RuleHash: "h"}
	count.Add(outcome)
	wire.Write(td, &trace.Grade{
		Trace: &trace.Trace{
			ID: step.TraceID, Revision: revision, Digest: "d", Steps: []*trace.Step{step}, Start: step.Start, End: step.End,
			Service: trace.Service{Name: "shop"}, Answer: "My key is AKIAIOSFODNN7EXAMPLE.",
		},
		Findings: []trace.Finding{{
			Rule: "tool-succeeds", RuleHash: "h", Outcome: outcome, Scope: trace.ScopeSpan, Severity: trace.SeverityHigh,
			SubjectID: step.ID, SpanID: step.ID, StepID: step.ID,
		}},
		Counts: []trace.RuleCount{count}, NormaliserVersion: "1", GradedAt: time.Unix(1_796_000_060, 0),
	}, wire.Options{Own: []*trace.Step{step}})
	return td
}

func testConfig(dsn string) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.DSN = configopaque.String(dsn)
	queue := cfg.Queue.Get()
	queue.Batch.Get().FlushTimeout = 10 * time.Millisecond
	cfg.Retry.InitialInterval = 10 * time.Millisecond
	cfg.Retry.MaxInterval = 50 * time.Millisecond
	return cfg
}

func start(t *testing.T, cfg *Config) exporter.Traces {
	t.Helper()
	e, err := NewFactory().CreateTraces(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	return e
}

func stop(t *testing.T, e exporter.Traces) {
	t.Helper()
	if err := e.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// ask runs SQL against the test's database and returns rows as text.
func ask(t *testing.T, dsn, sql string) []string {
	t.Helper()
	s, err := store.Open(store.Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	rows, err := s.Query(t.Context(), sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for rows.Next() {
		v, err := rows.Values()
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strings.Trim(fmt.Sprint(v...), "[]"))
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRowsOfGradedSpans(t *testing.T) {
	dsn := storetest.DSN(t)
	e := start(t, testConfig(dsn))
	for range 2 { // sent again: adds nothing
		if err := e.ConsumeTraces(t.Context(), graded(1, 1, trace.OutcomeFail)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.ConsumeTraces(t.Context(), graded(2, 1, trace.OutcomePass)); err != nil {
		t.Fatal(err)
	}
	stop(t, e)
	for sql, want := range map[string][]string{
		"SELECT concat(substring(trace_id, 1, 2), ' ', rule, ' ', outcome, ' ', severity, ' ', service) FROM findings": {"01 tool-succeeds fail high shop"},
		"SELECT toString(count()) FROM traces":                                                     {"2"},
		"SELECT toString(count()) FROM steps FINAL":                                                {"2"},
		"SELECT DISTINCT answer FROM traces":                                                       {"My key is [redacted:aws_access_key]."},
		"SELECT DISTINCT input FROM steps":                                                         {`{"user":"anna","password":"[redacted:field]"}`},
		"SELECT concat(toString(pass), ' ', toString(fail)) FROM outcomes FINAL ORDER BY trace_id": {"0 1", "1 0"},
	} {
		if diff := cmp.Diff(want, ask(t, dsn, sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sql, diff)
		}
	}
}

// The exporter starts when ClickHouse is down, and writes what waited when it
// is there.
func TestCatchesUp(t *testing.T) {
	dsn := storetest.DSN(t)
	address := strings.Split(strings.SplitAfter(dsn, "@")[1], "/")[0]
	gate := newGate(t, address)
	e := start(t, testConfig(strings.Replace(dsn, address, gate.address, 1)))
	for n := range byte(3) {
		if err := e.ConsumeTraces(t.Context(), graded(n+1, 1, trace.OutcomeFail)); err != nil {
			t.Fatal(err)
		}
	}
	gate.waitRefused()
	gate.open()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if s, err := tryCount(t, dsn); err == nil && s == "3" {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("after ClickHouse came up there are %q traces (%v), want 3", s, err)
		}
	}
	stop(t, e)
}

// Rows wait while the server's disk is full, and are written once there is room.
// (A table that asks for more free space than there is makes every disk full.)
func TestFullDisk(t *testing.T) {
	dsn := storetest.DSN(t)
	s, err := store.Open(store.Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	o, err := clickhouse.ParseDSN(dsn)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	core, logs := observer.New(zap.WarnLevel)
	settings := exportertest.NewNopSettings(metadata.Type)
	settings.Logger = zap.New(core)
	if err := conn.Exec(t.Context(), "ALTER TABLE steps MODIFY SETTING min_free_disk_bytes_to_perform_insert = 1000000000000000000"); err != nil {
		t.Fatal(err)
	}
	e, err := NewFactory().CreateTraces(t.Context(), settings, testConfig(dsn))
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	if err := e.ConsumeTraces(t.Context(), graded(1, 1, trace.OutcomeFail)); err != nil {
		t.Fatal(err)
	}
	said := logs.FilterMessageSnippet("rows wait")
	for deadline := time.Now().Add(30 * time.Second); said.Len() == 0; said = logs.FilterMessageSnippet("rows wait") {
		if time.Now().After(deadline) {
			t.Fatal("nothing is said of a full disk")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := fmt.Sprint(said.All()[0].ContextMap()["error"]); !strings.Contains(got, "the server's disk is full") {
		t.Errorf("the log says %s", got)
	}
	if err := conn.Exec(t.Context(), "ALTER TABLE steps RESET SETTING min_free_disk_bytes_to_perform_insert"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if got := ask(t, dsn, "SELECT toString(count()) FROM steps_current"); got[0] == "1" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the rows were not written after there was room")
		}
	}
	stop(t, e)
}

func tryCount(t *testing.T, dsn string) (string, error) {
	s, err := store.Open(store.Config{DSN: dsn})
	if err != nil {
		return "", err
	}
	defer s.Close()
	rows, err := s.Query(t.Context(), "SELECT toString(count()) FROM traces", nil)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	if !rows.Next() {
		return "", nil
	}
	v, err := rows.Values()
	return fmt.Sprint(v...), err
}

// gate is a port that hangs up until it is opened, and then leads to address.
type gate struct {
	address string
	refused chan struct{}
	mu      sync.Mutex
	to      string
	isOpen  bool
}

func newGate(t *testing.T, to string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{address: l.Addr().String(), refused: make(chan struct{}, 1), to: to}
	var pipes sync.WaitGroup
	t.Cleanup(func() { l.Close(); pipes.Wait() })
	pipes.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			g.mu.Lock()
			isOpen := g.isOpen
			g.mu.Unlock()
			if !isOpen {
				c.Close()
				select {
				case g.refused <- struct{}{}:
				default:
				}
				continue
			}
			pipes.Go(func() { pipe(c, g.to) })
		}
	})
	return g
}

func (g *gate) waitRefused() { <-g.refused }

func (g *gate) open() {
	g.mu.Lock()
	g.isOpen = true
	g.mu.Unlock()
}

func pipe(a net.Conn, to string) {
	defer a.Close()
	b, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	var both sync.WaitGroup
	for _, d := range [][2]net.Conn{{a, b}, {b, a}} {
		both.Go(func() {
			defer d[0].Close()
			buf := make([]byte, 32<<10)
			for {
				n, err := d[1].Read(buf)
				if n > 0 {
					if _, werr := d[0].Write(buf[:n]); werr != nil {
						break
					}
				}
				if err != nil {
					break
				}
			}
			d[1].Close()
		})
	}
	both.Wait()
}

// relay is a database that hands every insert to the contract's receiver, with
// the errors that ClickHouse gives.
type relay struct {
	next consumer.Traces
	td   ptrace.Traces
}

func (r *relay) Insert(ctx context.Context, _ *store.Batch) error {
	err := r.next.ConsumeTraces(ctx, r.td)
	if consumererror.IsPermanent(err) {
		return fmt.Errorf("insert: %w", &clickhouse.Exception{Code: 53, Message: "type mismatch"})
	}
	return err
}

func (r *relay) Close() error { return nil }

func TestConsumeContract(t *testing.T) {
	var db relay
	factory := exporter.NewFactory(metadata.Type, createDefaultConfig, exporter.WithTraces(
		func(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Traces, error) {
			w := &writer{db: &db, reader: normalise.New(normalise.Options{}), logger: zap.NewNop(), waiting: newWaiting()}
			return exporterhelper.NewTraces(ctx, set, cfg, func(ctx context.Context, td ptrace.Traces) error {
				db.td = td
				return w.write(ctx, td)
			}, exporterhelper.WithRetry(cfg.(*Config).Retry))
		}, metadata.TracesStability))
	cfg := testConfig("clickhouse://127.0.0.1:1")
	cfg.Retry = configretry.NewDefaultBackOffConfig()
	cfg.Retry.InitialInterval, cfg.Retry.MaxInterval = time.Millisecond, time.Millisecond
	mock := receiver.NewFactory(component.MustNewType("mock"), func() component.Config { return &struct{}{} },
		receiver.WithTraces(func(_ context.Context, _ receiver.Settings, _ component.Config, next consumer.Traces) (receiver.Traces, error) {
			db.next = next
			return struct {
				component.StartFunc
				component.ShutdownFunc
			}{}, nil
		}, component.StabilityLevelDevelopment))
	exportertest.CheckConsumeContract(exportertest.CheckConsumeContractParams{
		T: t, NumberOfTestElements: 50, Signal: pipeline.SignalTraces,
		ExporterFactory: factory, ExporterConfig: cfg, ReceiverFactory: mock, ReceiverConfig: &struct{}{},
	})
}

func TestConfig(t *testing.T) {
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	load := func(name string) (*Config, error) {
		sub, err := conf.Sub(component.NewIDWithName(metadata.Type, name).String())
		if err != nil {
			t.Fatal(err)
		}
		cfg := createDefaultConfig().(*Config)
		if err := sub.Unmarshal(cfg); err != nil {
			t.Fatal(err)
		}
		return cfg, confmap.Validate(cfg)
	}
	minimal, err := load("minimal")
	if err != nil {
		t.Fatal(err)
	}
	q := minimal.Queue.Get()
	if q.QueueSize != 1_000_000 || !q.BlockOnOverflow || q.Batch.Get().MinSize != 10_000 || minimal.Retry.MaxElapsedTime != 0 || minimal.Timeout != 30*time.Second || minimal.Drain != 10*time.Second {
		t.Errorf("defaults: %+v", minimal)
	}
	full, err := load("full")
	if err != nil {
		t.Fatal(err)
	}
	storage := component.MustNewID("file_storage")
	want := createDefaultConfig().(*Config)
	want.DSN, want.Database, want.TablePrefix, want.Cluster = "http://user:secret@ch.example:8123/x", "grades", "tg_", "main"
	want.TTL, want.Timeout, want.Drain = 720*time.Hour, 10*time.Second, 3*time.Second
	queue := *want.Queue.Get()
	queue.QueueSize, queue.StorageID = 5000, &storage
	batch := *queue.Batch.Get()
	batch.MinSize = 100
	queue.Batch = configoptional.Some(batch)
	want.Queue = configoptional.Some(queue)
	want.Retry.MaxElapsedTime = time.Hour
	want.Redaction.Mode = redact.Off
	if diff := cmp.Diff(want, full, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("full (-want +got):\n%s", diff)
	}
	if strings.Contains(fmt.Sprintf("%v", full), "secret@") {
		t.Error("the password of the DSN is printed")
	}
	_, err = load("wrong")
	if err == nil {
		t.Fatal("wrong: no error")
	}
	for _, want := range []string{"dsn: want the address of a ClickHouse", `database "a-b"`, "ttl -1s", "drain -1s", `redaction: mode "maybe"`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("wrong: %v\nlacks %s", err, want)
		}
	}
}
