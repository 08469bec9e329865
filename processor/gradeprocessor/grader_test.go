package gradeprocessor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/tracefile"
	"github.com/tracegrade/tracegrade/internal/wire"
	"github.com/tracegrade/tracegrade/processor/gradeprocessor/internal/metadata"
	"github.com/tracegrade/tracegrade/processor/gradeprocessor/internal/metadatatest"
)

// testConfig grades with the two rules of testdata/rules.yaml: tool-succeeds
// on every tool step, answers on the trace.
func testConfig() *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Rules = []string{filepath.Join("testdata", "rules.yaml")}
	cfg.ReloadInterval = 0
	return cfg
}

// start makes a processor and starts it; the test shuts it down.
func start(t *testing.T, cfg *Config, next consumer.Traces, set processor.Settings) processor.Traces {
	t.Helper()
	p, err := NewFactory().CreateTraces(t.Context(), set, cfg, next)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	return p
}

func nop() processor.Settings { return processortest.NewNopSettings(metadata.Type) }

func consume(t *testing.T, p processor.Traces, td ptrace.Traces) {
	t.Helper()
	if err := p.ConsumeTraces(t.Context(), td); err != nil {
		t.Fatal(err)
	}
}

func shutdown(t *testing.T, c component.Component) {
	t.Helper()
	if err := c.Shutdown(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
}

// spec is one span of a test trace, in the terms of the GenAI conventions.
type spec struct {
	id, parent byte
	op, name   string
	failed     string
	output     string // text of an assistant message
}

// spans makes trace n of service shop.
func spans(n byte, list ...spec) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("agent")
	for i, s := range list {
		span := ss.Spans().AppendEmpty()
		span.SetTraceID([16]byte{n})
		span.SetSpanID([8]byte{s.id})
		if s.parent != 0 {
			span.SetParentSpanID([8]byte{s.parent})
		}
		span.SetName(s.op + " " + s.name)
		span.SetStartTimestamp(1_796_000_000_000_000_000)
		span.SetEndTimestamp(span.StartTimestamp() + 1_000_000)
		if i > 0 {
			span.SetStartTimestamp(span.StartTimestamp() + 1000)
		}
		a := span.Attributes()
		a.PutStr("gen_ai.operation.name", s.op)
		if s.op == "execute_tool" {
			a.PutStr("gen_ai.tool.name", s.name)
			a.PutStr("gen_ai.tool.call.arguments", "{}")
			a.PutStr("gen_ai.tool.call.result", "1")
		}
		if s.output != "" {
			a.PutStr("gen_ai.output.messages", `[{"role":"assistant","parts":[{"type":"text","content":"`+s.output+`"}],"finish_reason":"stop"}]`)
		}
		if s.failed != "" {
			span.Status().SetCode(ptrace.StatusCodeError)
			a.PutStr("error.type", s.failed)
		}
	}
	return td
}

var (
	root     = spec{id: 1, op: "invoke_agent", name: "clerk"}
	badTool  = spec{id: 2, parent: 1, op: "execute_tool", name: "refund", failed: "timeout"}
	goodTool = spec{id: 3, parent: 1, op: "execute_tool", name: "search"}
	answer   = spec{id: 4, parent: 1, op: "chat", name: "m", output: "Done."}
)

// results are the findings and facts in what arrived, as text.
func results(all []ptrace.Traces) []string {
	var out []string
	for _, td := range all {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					got := wire.Read(s)
					if got.Facts != nil {
						out = append(out, fmt.Sprintf("trace %s revision %d %s late=%v", s.TraceID().String()[:2], got.Identity.Revision, got.Facts.Release.Reason, got.Facts.Late))
					}
					for _, f := range got.Findings {
						out = append(out, fmt.Sprintf("%s %s on %s", f.Rule, f.Outcome, s.SpanID().String()[:2]))
					}
				}
			}
		}
	}
	return out
}

func TestVerifyShutdown(t *testing.T) {
	processortest.VerifyShutdown(t, NewFactory(), testConfig())
}

func TestReadyTraceIsGradedAfterQuietTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink consumertest.TracesSink
		p := start(t, testConfig(), &sink, nop())
		defer shutdown(t, p)
		consume(t, p, spans(7, badTool, answer))
		time.Sleep(1500 * time.Millisecond)
		consume(t, p, spans(7, root))
		time.Sleep(2*time.Second - 1)
		if n := sink.SpanCount(); n != 0 {
			t.Fatalf("%d spans left before the trace was quiet for 2s", n)
		}
		time.Sleep(2 * outboxWait)
		synctest.Wait()
		want := []string{"tool-succeeds fail on 02", "trace 07 revision 3 root_quiet late=false"}
		if diff := cmp.Diff(want, results(sink.AllTraces())); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if v, _ := sink.AllTraces()[0].ResourceSpans().At(0).Resource().Attributes().Get("service.name"); v.Str() != "shop" {
			t.Errorf("the resource is lost: service.name = %q", v.Str())
		}
	})
}

// A span that comes after its trace was graded makes a new revision, which
// carries all findings again.
func TestLateSpanMakesARevision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		defer tel.Shutdown(context.WithoutCancel(t.Context()))
		var sink consumertest.TracesSink
		p := start(t, testConfig(), &sink, metadatatest.NewSettings(tel))
		consume(t, p, spans(7, root, badTool, answer))
		time.Sleep(2*time.Second + 2*outboxWait)
		synctest.Wait()
		sink.Reset()
		consume(t, p, spans(7, goodTool))
		time.Sleep(2*time.Second + 2*outboxWait)
		synctest.Wait()
		want := []string{"trace 07 revision 4 root_quiet late=true", "tool-succeeds fail on 03"}
		if diff := cmp.Diff(want, results(sink.AllTraces())); diff != "" {
			t.Errorf("results of the late span (-want +got):\n%s", diff)
		}

		// After `late` it is passed on as it is, and counted.
		time.Sleep(2 * time.Minute)
		sink.Reset()
		consume(t, p, spans(7, spec{id: 9, parent: 1, op: "chat", name: "m"}))
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := results(sink.AllTraces()); len(got) != 0 || sink.SpanCount() != 1 {
			t.Errorf("a span after late: %d spans, results %v; want it passed on ungraded", sink.SpanCount(), got)
		}
		metadatatest.AssertEqualProcessorGradeLateSpans(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("fate", "regraded"))},
			{Value: 1, Attributes: attribute.NewSet(attribute.String("fate", "stored"))},
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorGradeTraces(t, tel, []metricdata.DataPoint[int64]{
			{Value: 2, Attributes: attribute.NewSet(attribute.String("reason", "root_quiet"))},
		}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorGradeFindings(t, tel, []metricdata.DataPoint[int64]{
			{Value: 2, Attributes: attribute.NewSet(attribute.String("outcome", "fail"))},
			{Value: 3, Attributes: attribute.NewSet(attribute.String("outcome", "pass"))},
		}, metricdatatest.IgnoreTimestamp())
		shutdown(t, p)
	})
}

func TestShutdownGradesWhatIsHeld(t *testing.T) {
	var sink consumertest.TracesSink
	p := start(t, testConfig(), &sink, nop())
	consume(t, p, spans(7, badTool))
	consume(t, p, spans(8, root, goodTool))
	shutdown(t, p)
	got := strings.Join(results(sink.AllTraces()), "; ")
	for _, want := range []string{"tool-succeeds fail on 02", "trace 07 revision 1 shutdown", "trace 08 revision 2 shutdown"} {
		if !strings.Contains(got, want) {
			t.Errorf("results %s\nlack %q", got, want)
		}
	}
	if err := p.ConsumeTraces(t.Context(), spans(9, root)); !errors.Is(err, assemble.ErrClosed) {
		t.Errorf("after shutdown: %v, want ErrClosed", err)
	}
}

// What does not fit is refused so that the sender tries again with the same
// data, and gets through when there is room.
func TestBackPressure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		defer tel.Shutdown(context.WithoutCancel(t.Context()))
		var sink consumertest.TracesSink
		cfg := testConfig()
		cfg.Assemble.Late = time.Second
		cfg.Assemble.MaxBytes, cfg.Assemble.TotalBytes = 16<<10, 16<<10
		p := start(t, cfg, &sink, metadatatest.NewSettings(tel))
		consume(t, p, spans(1, root, goodTool, answer))
		again := spans(2, root, goodTool, answer)
		err := p.ConsumeTraces(t.Context(), again)
		if !errors.Is(err, assemble.ErrFull) || consumererror.IsPermanent(err) {
			t.Fatalf("beyond total_bytes: %v, want an error that makes clients send again", err)
		}
		if n := again.SpanCount(); n != 3 {
			t.Fatalf("the refused request has %d spans, want the 3 that it came with", n)
		}
		metadatatest.AssertEqualProcessorGradeRefusedSpans(t, tel, []metricdata.DataPoint[int64]{{Value: 3}}, metricdatatest.IgnoreTimestamp())

		time.Sleep(4 * time.Second)
		consume(t, p, again)
		shutdown(t, p)
		if n := sink.SpanCount(); n != 6 {
			t.Errorf("%d spans left, want all 6", n)
		}

		huge := spans(3, spec{id: 1, op: "chat", name: strings.Repeat("x", 20<<10)})
		p = start(t, cfg, &sink, nop())
		if err := p.ConsumeTraces(t.Context(), huge); !consumererror.IsPermanent(err) {
			t.Errorf("larger than total_bytes: %v, want a permanent error", err)
		}
		shutdown(t, p)
	})
}

// What names no trace is passed on, counted and said, and what has no span id is
// a loss of its trace.
func TestSpansWithoutIDsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		defer tel.Shutdown(context.WithoutCancel(t.Context()))
		set := metadatatest.NewSettings(tel)
		core, logged := observer.New(zap.WarnLevel)
		set.Logger = zap.New(core)
		var sink consumertest.TracesSink
		p := start(t, testConfig(), &sink, set)
		unnamed := goodTool
		unnamed.id = 0
		consume(t, p, spans(0, root, goodTool)) // trace id 0 is none
		consume(t, p, spans(1, root, unnamed, answer))
		shutdown(t, p)
		metadatatest.AssertEqualProcessorGradeUntracedSpans(t, tel, []metricdata.DataPoint[int64]{{Value: 2}}, metricdatatest.IgnoreTimestamp())
		metadatatest.AssertEqualProcessorGradeLosses(t, tel, []metricdata.DataPoint[int64]{
			{Value: 1, Attributes: attribute.NewSet(attribute.String("reason", "no_id"))},
		}, metricdatatest.IgnoreTimestamp())
		if n := logged.FilterMessageSnippet("without a trace id").Len(); n != 1 {
			t.Errorf("said %d times, want once", n)
		}
	})
}

// What steps lack for grading is counted by framework, as doctor says it of files:
// the model call has no tokens, and the tool no id of its call.
func TestWhatIsMissingIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel := componenttest.NewTelemetry()
		defer tel.Shutdown(context.WithoutCancel(t.Context()))
		var sink consumertest.TracesSink
		p := start(t, testConfig(), &sink, metadatatest.NewSettings(tel))
		consume(t, p, spans(1, root, goodTool, answer))
		shutdown(t, p)
		var want []metricdata.DataPoint[int64]
		for _, what := range []string{"a session id", "tokens", "tool call ids"} {
			want = append(want, metricdata.DataPoint[int64]{Value: 1, Attributes: attribute.NewSet(attribute.String("framework", "otel-genai"), attribute.String("what", what))})
		}
		metadatatest.AssertEqualProcessorGradeMissing(t, tel, want, metricdatatest.IgnoreTimestamp())
	})
}

// What leaves can be read back from the exporter's queue on disk, however deep
// a span's attributes are nested: the queue drops a whole request that it cannot
// read, without a word.
func TestDeepAttributesCanBeQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sink consumertest.TracesSink
		p := start(t, testConfig(), &sink, nop())
		td := spans(1, root, goodTool, answer)
		for _, m := range []pcommon.Map{td.ResourceSpans().At(0).Resource().Attributes(), td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(1).Attributes()} {
			v := m.PutEmpty("deep")
			for range 300 {
				v = v.SetEmptyMap().PutEmpty("in")
			}
		}
		consume(t, p, td)
		shutdown(t, p)
		for _, td := range sink.AllTraces() {
			data, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data); err != nil {
				t.Error(err)
			}
		}
		if sink.SpanCount() != 3 {
			t.Errorf("%d spans left, want 3", sink.SpanCount())
		}
	})
}

// refusing is a consumer that refuses with the given errors first.
type refusing struct {
	consumertest.TracesSink
	mu     sync.Mutex
	errs   []error
	offers int
}

func (r *refusing) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	r.mu.Lock()
	r.offers++
	if len(r.errs) > 0 {
		err := r.errs[0]
		if len(r.errs) > 1 || !errors.Is(err, errAlways) {
			r.errs = r.errs[1:]
		}
		r.mu.Unlock()
		return err
	}
	r.mu.Unlock()
	return r.TracesSink.ConsumeTraces(ctx, td)
}

var errAlways = errors.New("always busy")

func TestNextConsumerRefuses(t *testing.T) {
	busy := errors.New("busy")
	for _, tt := range []struct {
		name         string
		errs         []error
		arrive, lost int64
	}{
		{"for a while", []error{busy, busy}, 3, 0},
		{"for good", []error{consumererror.NewPermanent(busy)}, 0, 3},
		{"until the processor has to stop", []error{errAlways}, 0, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tel := componenttest.NewTelemetry()
				defer tel.Shutdown(context.WithoutCancel(t.Context()))
				next := &refusing{errs: tt.errs}
				p := start(t, testConfig(), next, metadatatest.NewSettings(tel))
				consume(t, p, spans(1, root, goodTool, answer))
				time.Sleep(10 * time.Second)
				ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 30*time.Second)
				defer cancel()
				if err := p.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				if n := next.SpanCount(); int64(n) != tt.arrive {
					t.Errorf("%d spans arrived after %d offers, want %d", n, next.offers, tt.arrive)
				}
				if tt.lost > 0 {
					metadatatest.AssertEqualProcessorGradeLostSpans(t, tel, []metricdata.DataPoint[int64]{{Value: tt.lost}}, metricdatatest.IgnoreTimestamp())
				}
			})
		})
	}
}

// A collector that stops sets no time: the processor waits for a consumer that is
// slow, and not for ever for one that takes nothing.
func TestStopWhileTheNextConsumerRefuses(t *testing.T) {
	for _, tt := range []struct {
		name         string
		next         consumer.Traces
		arrive, lost int64
		took         time.Duration // at most
	}{
		{"for good", &refusing{errs: []error{errAlways}}, 0, 3000, handOver + maxPause},
		{"it blocks", &blocking{}, 0, 3000, handOver},
		{"it is slow", &blocking{takes: handOver / 2}, 3000, 0, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tel := componenttest.NewTelemetry()
				defer tel.Shutdown(context.WithoutCancel(t.Context()))
				p := start(t, testConfig(), tt.next, metadatatest.NewSettings(tel))
				for n := range 1000 {
					consume(t, p, spans(byte(n), root, goodTool, answer))
				}
				began := time.Now()
				if err := p.Shutdown(context.WithoutCancel(t.Context())); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > tt.took {
					t.Errorf("took %v, want at most %v", took, tt.took)
				}
				if n := tt.next.(interface{ SpanCount() int }).SpanCount(); int64(n) != tt.arrive {
					t.Errorf("%d spans arrived, want %d", n, tt.arrive)
				}
				if tt.lost > 0 {
					metadatatest.AssertEqualProcessorGradeLostSpans(t, tel, []metricdata.DataPoint[int64]{{Value: tt.lost}}, metricdatatest.IgnoreTimestamp())
				}
			})
		})
	}
}

// blocking is a consumer that takes a while for each request; without a time it
// blocks until nobody waits.
type blocking struct {
	consumertest.TracesSink
	takes time.Duration
}

func (b *blocking) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if b.takes == 0 {
		<-ctx.Done()
		return ctx.Err()
	}
	time.Sleep(b.takes)
	return b.TracesSink.ConsumeTraces(ctx, td)
}

// A grader behind a grader replaces what the first one wrote.
func TestOwnOutputIsGradedAnew(t *testing.T) {
	var first, second consumertest.TracesSink
	p := start(t, testConfig(), &first, nop())
	consume(t, p, spans(7, root, badTool, spec{id: 4, parent: 1, op: "chat", name: "m", output: "Done."}))
	shutdown(t, p)
	once, left := results(first.AllTraces()), first.SpanCount()
	p = start(t, testConfig(), &second, nop())
	for _, td := range first.AllTraces() {
		consume(t, p, td)
	}
	shutdown(t, p)
	if diff := cmp.Diff(once, results(second.AllTraces())); diff != "" {
		t.Errorf("graded twice (-once +twice):\n%s", diff)
	}
	if n := second.SpanCount(); n != left {
		t.Errorf("%d spans left the first grader, %d the second", left, n)
	}
}

// The spans and log records of a real run, through both pipelines in small
// requests, come to the trace that package assemble makes of them offline.
func TestLiveIsOffline(t *testing.T) {
	for _, run := range []string{"otel-openai/S3", "openlit/S3", "openinference-manual/S3", "langchain-double/S2", "otel-openai/S5", "py-semantic-kernel/P1", "logs first: otel-openai/S3", "logs first: otel-openai/S5", "logs first: py-semantic-kernel/P1"} {
		t.Run(run, func(t *testing.T) {
			run, logsFirst := strings.CutPrefix(run, "logs first: ")
			var data []tracefile.Data
			files := []string{"../../testdata/traces/" + run + ".otlp.jsonl"}
			if logs := "../../testdata/traces/" + run + ".logs.otlp.jsonl"; exists(logs) {
				files = append(files, logs)
			}
			_, err := tracefile.Read(t.Context(), files, tracefile.Options{Workers: 1}, tracefile.Sink{
				Data:    func(d tracefile.Data) error { data = append(data, d); return nil },
				Problem: func(p *tracefile.Problem) { t.Error(p) },
			})
			if err != nil {
				t.Fatal(err)
			}
			want := offline(data)
			if len(want) == 0 {
				t.Fatal("the run has no trace")
			}

			if logsFirst {
				slices.SortStableFunc(data, func(x, y tracefile.Data) int { return x.Traces.SpanCount() - y.Traces.SpanCount() })
			}
			var sink consumertest.TracesSink
			var logSink consumertest.LogsSink
			f, cfg := NewFactory(), testConfig()
			p, err := f.CreateTraces(t.Context(), nop(), cfg, &sink)
			if err != nil {
				t.Fatal(err)
			}
			l, err := f.CreateLogs(t.Context(), nop(), cfg, &logSink)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range []component.Component{p, l} {
				if err := c.Start(t.Context(), componenttest.NewNopHost()); err != nil {
					t.Fatal(err)
				}
			}
			records := 0
			for _, d := range data {
				records += d.Logs.LogRecordCount()
				if err := l.ConsumeLogs(t.Context(), d.Logs); err != nil {
					t.Fatal(err)
				}
				consume(t, p, d.Traces)
			}
			shutdown(t, l)
			shutdown(t, p)
			if n := logSink.LogRecordCount(); n != records {
				t.Errorf("%d log records were passed on, want %d", n, records)
			}
			got := map[string]string{}
			for _, td := range sink.AllTraces() {
				for _, rs := range td.ResourceSpans().All() {
					for _, ss := range rs.ScopeSpans().All() {
						for _, s := range ss.Spans().All() {
							if r := wire.Read(s); r.Facts != nil {
								got[r.Identity.TraceID] = fmt.Sprint(r.Identity.Revision, r.Identity.Digest, r.Facts.Question, r.Facts.Answer, r.Facts.Usage, r.Facts.Tally)
							}
						}
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("traces (-offline +live):\n%s", diff)
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// offline reads and assembles without a processor.
func offline(data []tracefile.Data) map[string]string {
	reader := normalise.New(normalise.Options{})
	steps, fragments := map[string][]*trace.Step{}, map[string][]*trace.Fragment{}
	for _, d := range data {
		for _, rs := range d.Traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					step := reader.Span(rs.Resource(), ss.Scope(), s)
					steps[step.TraceID] = append(steps[step.TraceID], step)
				}
			}
		}
		for _, rl := range d.Logs.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, r := range sl.LogRecords().All() {
					if f := reader.Log(rl.Resource(), sl.Scope(), r); f != nil {
						fragments[f.TraceID] = append(fragments[f.TraceID], f)
					}
				}
			}
		}
	}
	want := map[string]string{}
	for id, list := range steps {
		tr := assemble.Trace(id, list, fragments[id], trace.Release{Reason: trace.ReleaseShutdown})
		want[id] = fmt.Sprint(tr.Revision, tr.Digest, tr.Question, tr.Answer, tr.Usage, tr.Tally())
	}
	return want
}

func TestEmitAllAndRedaction(t *testing.T) {
	var sink consumertest.TracesSink
	cfg := testConfig()
	cfg.Emit = emitAll
	cfg.Redaction = redact.Config{Mode: redact.On, Builtin: []string{"personal"}}
	p := start(t, cfg, &sink, nop())
	consume(t, p, spans(7, root, goodTool, spec{id: 4, parent: 1, op: "chat", name: "m", output: "Write to anna@example.org."}))
	shutdown(t, p)
	want := "answers pass on 01; tool-succeeds pass on 03"
	got := results(sink.AllTraces())
	for _, part := range strings.Split(want, "; ") {
		if !strings.Contains(strings.Join(got, "; "), part) {
			t.Errorf("results %v lack %q", got, part)
		}
	}
	for _, td := range sink.AllTraces() {
		for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			if f := wire.Read(s).Facts; f != nil && f.Answer != "Write to [redacted:email]." {
				t.Errorf("answer = %q, want it redacted", f.Answer)
			}
		}
	}
}

// The attributes for other backends are written where that is switched on, with
// secrets removed, and a second grader behind the first writes the same.
func TestWriteAttributes(t *testing.T) {
	written := func(on bool, td ptrace.Traces) map[string]any {
		var sink consumertest.TracesSink
		cfg := testConfig()
		cfg.WriteAttributes = on
		cfg.Redaction = redact.Config{Mode: redact.On, Builtin: []string{"personal"}}
		p := start(t, cfg, &sink, nop())
		consume(t, p, td)
		shutdown(t, p)
		sink.AllTraces()[0].CopyTo(td)
		return td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
	}
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetTraceID([16]byte{8})
	span.SetSpanID([8]byte{1})
	span.SetName("ask")
	a := span.Attributes()
	a.PutStr("openinference.span.kind", "LLM")
	a.PutStr("llm.model_name", "gpt-4.1-mini")
	a.PutStr("llm.output_messages.0.message.role", "assistant")
	a.PutStr("llm.output_messages.0.message.content", "Write to anna@example.org.")
	a.PutInt("llm.token_count.prompt", 7)
	a.PutStr("gen_ai.conversation.id", "mine")
	other := ptrace.NewTraces()
	td.CopyTo(other)

	if got := written(false, other); got["gen_ai.operation.name"] != nil {
		t.Errorf("written though it is off: %v", got)
	}
	first := written(true, td)
	for key, want := range map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-4.1-mini", "gen_ai.usage.input_tokens": int64(7), "gen_ai.conversation.id": "mine",
		"gen_ai.output.messages":                `[{"parts":[{"content":"Write to [redacted:email].","type":"text"}],"role":"assistant"}]`,
		"llm.output_messages.0.message.content": "Write to anna@example.org.",
	} {
		if first[key] != want {
			t.Errorf("%s is %v, want %v", key, first[key], want)
		}
	}
	second := written(true, td)
	delete(first, "tracegrade.graded_at")
	delete(second, "tracegrade.graded_at")
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("a second grader writes something else (-first +second):\n%s", diff)
	}
}

func TestRulesAreReloaded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "rules.yaml")
		write := func(text string) {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		rule := func(id string) string {
			return "rules:\n  - id: " + id + "\n    title: x\n    severity: low\n    scope: trace\n    assert: answer == \"\"\n"
		}
		write(rule("before"))
		var sink consumertest.TracesSink
		cfg := testConfig()
		cfg.Rules, cfg.ReloadInterval = []string{file}, 10*time.Second
		tel := componenttest.NewTelemetry()
		defer tel.Shutdown(context.WithoutCancel(t.Context()))
		set := metadatatest.NewSettings(tel)
		logged, logs := observer.New(zapcore.InfoLevel)
		set.Logger = zap.New(logged, zap.AddStacktrace(zapcore.ErrorLevel)) // as a collector's own configuration has it
		p := start(t, cfg, &sink, set)
		defer shutdown(t, p)
		grade := func(n byte) string {
			sink.Reset()
			consume(t, p, spans(n, root, answer))
			time.Sleep(20 * time.Second)
			synctest.Wait()
			return strings.Join(results(sink.AllTraces()), "; ")
		}
		began := time.Now()
		time.Sleep(time.Second) // the files change between two looks
		for i, tt := range []struct {
			text, want              string
			loads, refusals, refuse int64
			since                   time.Duration // the start, at which the rules in force were loaded
		}{
			{rule("before"), "before fail", 0, 0, 0, 0},
			{"rules: [", "before fail", 0, 1, 1, 0}, // does not compile: the old ones stay
			{rule("before"), "before fail", 0, 1, 0, 0},
			{"rules: [", "before fail", 0, 2, 1, 0}, // as before, and told again
			{rule("after"), "after fail", 1, 2, 0, 170 * time.Second},
		} {
			write(tt.text)
			time.Sleep(20 * time.Second)
			var counts []metricdata.DataPoint[int64]
			for fate, n := range map[string]int64{"loaded": tt.loads, "refused": tt.refusals} {
				if n > 0 {
					counts = append(counts, metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(attribute.String("fate", fate))})
				}
			}
			if len(counts) > 0 {
				metadatatest.AssertEqualProcessorGradeReloads(t, tel, counts, metricdatatest.IgnoreTimestamp())
			}
			metadatatest.AssertEqualProcessorGradeRulesRefused(t, tel, []metricdata.DataPoint[int64]{{Value: tt.refuse}}, metricdatatest.IgnoreTimestamp())
			metadatatest.AssertEqualProcessorGradeRulesLoaded(t, tel, []metricdata.DataPoint[int64]{{Value: began.Add(tt.since).Unix()}}, metricdatatest.IgnoreTimestamp())
			if got := grade(byte(i + 1)); !strings.Contains(got, tt.want) {
				t.Errorf("step %d: %s; want %q", i, got, tt.want)
			}
		}
		for _, entry := range logs.FilterLevelExact(zapcore.ErrorLevel).All() {
			if entry.Stack != "" {
				t.Errorf("%q is logged with the program's stack", entry.Message)
			}
		}
		if n := logs.FilterLevelExact(zapcore.ErrorLevel).Len(); n != 2 {
			t.Errorf("%d errors logged, want that the file is wrong, each time that it became so", n)
		}
	})
}

func TestMistakesAreFoundBeforeStart(t *testing.T) {
	cfg := testConfig()
	cfg.Rules = []string{filepath.Join("testdata", "wrong.yaml")}
	_, err := NewFactory().CreateTraces(t.Context(), nop(), cfg, consumertest.NewNop())
	if err == nil || !strings.Contains(err.Error(), "wrong.yaml:3:") {
		t.Errorf("error = %v, want the place in the rule file", err)
	}

	f, same := NewFactory(), testConfig()
	p, err := f.CreateTraces(t.Context(), nop(), same, consumertest.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	defer shutdown(t, p)
	if _, err := f.CreateTraces(t.Context(), nop(), same, consumertest.NewNop()); err == nil || !strings.Contains(err.Error(), "one traces pipeline only") {
		t.Errorf("two traces pipelines with one grader: %v", err)
	}
}

func TestLogsPipelineAloneGradesNothing(t *testing.T) {
	var sink consumertest.LogsSink
	l, err := NewFactory().CreateLogs(t.Context(), nop(), testConfig(), &sink)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	ld := plog.NewLogs()
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().SetEventName("gen_ai.choice")
	if err := l.ConsumeLogs(t.Context(), ld); err != nil || sink.LogRecordCount() != 1 {
		t.Errorf("error %v, %d records passed on", err, sink.LogRecordCount())
	}
	shutdown(t, l)
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
	if cfg, err := load("default"); err != nil || !cmp.Equal(cfg, createDefaultConfig(), cmp.AllowUnexported(Config{}, AssembleConfig{}, RubricsConfig{}, HoldConfig{})) {
		t.Errorf("an empty section is not the default: %+v, %v", cfg, err)
	}
	full, err := load("full")
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		Rules: []string{"rules/", "extra.yaml"}, ReloadInterval: time.Minute, Emit: "all", WriteAttributes: true,
		Rubrics: RubricsConfig{Files: []string{"pack:evidence"}, Judges: "judges.yaml", Hold: HoldConfig{Traces: 50, Bytes: 1 << 20, Wait: 5 * time.Second}},
		Assemble: AssembleConfig{
			Quiet: time.Second, Idle: 30 * time.Second, MaxAge: 5 * time.Minute, Late: 10 * time.Second,
			MaxSpans: 100, MaxBytes: 1 << 20, TotalBytes: 1 << 21,
		},
		Redaction: redact.Config{Mode: redact.FailClosed, Builtin: []string{"secrets", "personal"}, Fields: []string{"iban"}, Patterns: []redact.Pattern{{Name: "ticket", Regex: "T-[0-9]+"}}},
	}
	if diff := cmp.Diff(want, full, cmp.AllowUnexported(Config{}, AssembleConfig{}, RubricsConfig{}, HoldConfig{})); diff != "" {
		t.Errorf("full (-want +got):\n%s", diff)
	}
	_, err = load("wrong")
	if err == nil {
		t.Fatal("wrong: no error")
	}
	for _, want := range []string{
		`"emit" is "some": want problems or all`,
		`"reload_interval" is -1s`,
		`assemble: "idle" is 0s: want a positive duration`,
		`"max_spans" is 0: want at least 1`,
		`"total_bytes" is 1: want at least "max_bytes"`,
		`redaction: mode "maybe": want off, on or fail-closed`,
		`rubrics: "judges" is "judges.yaml" and "files" is empty: nothing would be asked of them`,
		`rubrics::hold: "traces" is 0: want at least 1`,
		`"bytes" is -1: want at least 1`,
		`"wait" is 0s: want a positive duration`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("wrong: %v\nlacks %s", err, want)
		}
	}
}
