package tracefilereceiver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pipeline"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tracegrade/tracegrade/receiver/tracefilereceiver/internal/metadata"
)

// tracesFile is OTLP JSON with one span that has the given attribute.
func tracesFile(key, value string) string {
	td := ptrace.NewTraces()
	s := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	s.SetTraceID([16]byte{1})
	s.SetSpanID([8]byte{2})
	s.Attributes().PutStr(key, value)
	b, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func logsFile() string {
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().SetStr("x")
	b, err := (&plog.JSONMarshaler{}).MarshalLogs(ld)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// names collects the "name" attribute of the spans of a sink.
func names(sink *consumertest.TracesSink) map[string]int {
	got := map[string]int{}
	for _, td := range sink.AllTraces() {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					v, _ := s.Attributes().Get("name")
					got[v.Str()]++
				}
			}
		}
	}
	return got
}

func TestReadsFilesFoldersAndPatternsOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "one.json", tracesFile("name", "one"))
	write(t, dir, "more/two.jsonl", tracesFile("name", "two")+"\n{\"resourceSpans\":[{\"res\n"+tracesFile("name", "three")+"\n"+logsFile())
	write(t, dir, "more/.hidden.json", tracesFile("name", "hidden"))
	write(t, dir, "g-1.json", tracesFile("name", "g1"))
	write(t, dir, "other.json", tracesFile("name", "other"))
	cfg := createDefaultConfig().(*Config)
	cfg.Include = []string{filepath.Join(dir, "one.json"), filepath.Join(dir, "more"), filepath.Join(dir, "g-*.json")}

	var traces consumertest.TracesSink
	var logs consumertest.LogsSink
	f := NewFactory()
	set := receivertest.NewNopSettings(metadata.Type)
	a, err := f.CreateTraces(t.Context(), set, cfg, &traces)
	if err != nil {
		t.Fatal(err)
	}
	b, err := f.CreateLogs(t.Context(), set, cfg, &logs)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []component.Component{a, b} {
		if err := c.Start(t.Context(), componenttest.NewNopHost()); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, func() bool { return traces.SpanCount() >= 4 && logs.LogRecordCount() >= 1 })
	for _, c := range []component.Component{a, b} {
		if err := c.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	got := names(&traces)
	for _, want := range []string{"one", "two", "three", "g1"} {
		if got[want] != 1 {
			t.Errorf("span %q was sent %d times, want once", want, got[want])
		}
	}
	if len(got) != 4 || logs.LogRecordCount() != 1 {
		t.Errorf("sent %v and %d log records, want four spans and one record", got, logs.LogRecordCount())
	}
}

// waitFor polls; what it waits for is an event of another goroutine.
func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen")
		}
	}
}

func TestNamedFileMustExistUnlessItMayStillCome(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.json")
	for _, follow := range []bool{false, true} {
		cfg := createDefaultConfig().(*Config)
		cfg.Include, cfg.Follow = []string{missing}, follow
		r, err := NewFactory().CreateTraces(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, consumertest.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		err = r.Start(t.Context(), componenttest.NewNopHost())
		if follow != (err == nil) {
			t.Errorf("follow %v: Start = %v", follow, err)
		}
		if err := r.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// An error that may pass is tried again, one that will not drops the document.
func TestRetryAndDrop(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.jsonl", strings.Join([]string{tracesFile("name", "later"), tracesFile("name", "never")}, "\n"))
	var sink consumertest.TracesSink
	var offers atomic.Int32
	next, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		v, _ := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().Get("name")
		if v.Str() == "never" {
			return consumererror.NewPermanent(errors.New("bad data"))
		}
		if offers.Add(1) < 3 {
			return errors.New("busy")
		}
		return sink.ConsumeTraces(ctx, td)
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg := createDefaultConfig().(*Config)
	cfg.Include = []string{dir}
	r, err := NewFactory().CreateTraces(t.Context(), receivertest.NewNopSettings(metadata.Type), cfg, next)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return sink.SpanCount() > 0 })
	if err := r.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := names(&sink); got["later"] != 1 || got["never"] != 0 || offers.Load() != 3 {
		t.Errorf("delivered %v after %d offers; want later once, at the third", got, offers.Load())
	}
}

// generator drops a finished file into the followed folder per call.
type generator struct {
	t   *testing.T
	dir string
	n   atomic.Int64
}

func (g *generator) Start() {}
func (g *generator) Stop()  {}
func (g *generator) Generate() []receivertest.UniqueIDAttrVal {
	id := fmt.Sprintf("id-%d", g.n.Add(1))
	temp := filepath.Join(g.dir, "."+id)
	if err := os.WriteFile(temp, []byte(tracesFile(receivertest.UniqueIDAttrName, id)), 0o644); err != nil {
		g.t.Error(err)
	}
	if err := os.Rename(temp, filepath.Join(g.dir, id+".json")); err != nil {
		g.t.Error(err)
	}
	return []receivertest.UniqueIDAttrVal{receivertest.UniqueIDAttrVal(id)}
}

// freshFolder prepares a folder before it makes a receiver.
type freshFolder struct {
	receiver.Factory
	prepare func()
}

func (f freshFolder) CreateTraces(ctx context.Context, set receiver.Settings, cfg component.Config, next consumer.Traces) (receiver.Traces, error) {
	f.prepare()
	return f.Factory.CreateTraces(ctx, set, cfg, next)
}

func TestConsumeContract(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	g := &generator{t: t}
	cfg.Follow, cfg.PollInterval = true, time.Millisecond
	// Every scenario starts a receiver of its own: one folder each, so that
	// none reads the files of the one before.
	factory := freshFolder{NewFactory(), func() {
		g.dir = t.TempDir()
		cfg.Include = []string{g.dir}
	}}
	receivertest.CheckConsumeContract(receivertest.CheckConsumeContractParams{
		T: t, Factory: factory, Signal: pipeline.SignalTraces, Config: cfg, Generator: g, GenerateCount: 100,
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
	full, err := load("full")
	if err != nil {
		t.Fatal(err)
	}
	if len(full.Include) != 2 || full.Format != "otlp" || !full.Follow || full.PollInterval != 5*time.Second {
		t.Errorf("full: %+v", full)
	}
	_, err = load("wrong")
	if err == nil {
		t.Fatal("wrong: no error")
	}
	for _, want := range []string{
		`"include[0]" "a[": syntax error in pattern`,
		`"poll_interval" is -1s: want a positive duration`,
		`"format" is "xml": want one of`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("wrong: %v\nlacks %s", err, want)
		}
	}
	if err := confmap.Validate(createDefaultConfig()); err == nil || !strings.Contains(err.Error(), `"include" is empty`) {
		t.Errorf("empty: %v", err)
	}
}
