package gradeconnector

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/exporter/otlpexporter"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/tracegrade/tracegrade/connector/gradeconnector/internal/metadata"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

var gradedAt = time.Unix(1_796_000_060, 0).UTC()

// graded is one trace of service shop with two spans: rule a failed on the
// tool span, rule b passed and could not be evaluated once.
func graded(late bool) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	root := &trace.Step{ID: "0000000000000001", SpanID: "0000000000000001", Kind: trace.KindAgent}
	tool := &trace.Step{ID: "0000000000000002", SpanID: "0000000000000002", ParentID: root.SpanID, Kind: trace.KindTool}
	for _, s := range []*trace.Step{root, tool} {
		span := spans.AppendEmpty()
		span.SetTraceID([16]byte{1})
		span.SetSpanID(wire.SpanID(s.SpanID))
	}
	score := 0.5
	wire.Write(td, &trace.Grade{
		Trace: &trace.Trace{
			ID: "01000000000000000000000000000000", Revision: 2, Steps: []*trace.Step{root, tool},
			Service: trace.Service{Name: "shop", Version: "7"}, Agent: trace.Agent{Name: "clerk"},
		},
		Findings: []trace.Finding{
			{Rule: "a", RuleHash: "ha", Outcome: trace.OutcomeFail, Severity: trace.SeverityHigh, Scope: trace.ScopeSpan, SubjectID: tool.ID,
				SpanID: tool.ID, StepID: tool.ID, Message: "no retry", Reason: "assert_false", Score: &score},
			{Rule: "b", RuleHash: "hb", Outcome: trace.OutcomePass, Scope: trace.ScopeTrace, SubjectID: "t"},
			{Rule: "b", RuleHash: "hb", Outcome: trace.OutcomeError, Scope: trace.ScopeTrace, SubjectID: "t", Reason: "nil"},
		},
		Counts:   []trace.RuleCount{{Rule: "a", RuleHash: "ha", Fail: 1}, {Rule: "b", RuleHash: "hb", Pass: 1, Error: 1}},
		GradedAt: gradedAt,
	}, wire.Options{Late: late})
	return td
}

// counters reads "metric rule outcome service agent version" -> value.
func counters(md pmetric.Metrics) map[string]int64 {
	got := map[string]int64{}
	for _, rm := range md.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				for _, p := range m.Sum().DataPoints().All() {
					key := m.Name()
					for _, k := range []string{"rule", "outcome", "service.name", "gen_ai.agent.name", "gen_ai.agent.version", "otel.metric.overflow"} {
						if v, ok := p.Attributes().Get(k); ok {
							key += " " + v.AsString()
						}
					}
					got[key] = p.IntValue()
				}
			}
		}
	}
	return got
}

// otlpSink is a stock OTLP receiver with an OTLP exporter pointed at it.
func otlpSink(t *testing.T, logs *consumertest.LogsSink, metrics *consumertest.MetricsSink) (consumer.Logs, consumer.Metrics) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	endpoint := free.Addr().String()
	free.Close()
	host := componenttest.NewNopHost()
	run := func(c component.Component) {
		if err := c.Start(t.Context(), host); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Shutdown(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	config := func(cfg component.Config, m map[string]any) component.Config {
		if err := confmap.NewFromStringMap(m).Unmarshal(cfg); err != nil {
			t.Fatal(err)
		}
		return cfg
	}

	rf := otlpreceiver.NewFactory()
	rcfg := config(rf.CreateDefaultConfig(), map[string]any{"protocols": map[string]any{"grpc": map[string]any{"endpoint": endpoint}}})
	rset := receivertest.NewNopSettings(rf.Type())
	lr, err := rf.CreateLogs(t.Context(), rset, rcfg, logs)
	must(err)
	mr, err := rf.CreateMetrics(t.Context(), rset, rcfg, metrics) // the same server: created before it starts
	must(err)
	run(lr)
	run(mr)

	ef := otlpexporter.NewFactory()
	ecfg := config(ef.CreateDefaultConfig(), map[string]any{"endpoint": endpoint, "tls": map[string]any{"insecure": true}, "sending_queue": map[string]any{"enabled": false}})
	eset := exportertest.NewNopSettings(ef.Type())
	le, err := ef.CreateLogs(t.Context(), eset, ecfg)
	must(err)
	run(le)
	me, err := ef.CreateMetrics(t.Context(), eset, ecfg)
	must(err)
	run(me)
	return le, me
}

func TestIntoAStockOTLPSink(t *testing.T) {
	var logs consumertest.LogsSink
	var metrics consumertest.MetricsSink
	le, me := otlpSink(t, &logs, &metrics)
	f, set := NewFactory(), connectortest.NewNopSettings(metadata.Type)
	l, err := f.CreateTracesToLogs(t.Context(), set, f.CreateDefaultConfig(), le)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.CreateTracesToMetrics(t.Context(), set, f.CreateDefaultConfig(), me)
	if err != nil {
		t.Fatal(err)
	}
	td := graded(false)
	td.MarkReadOnly()
	for _, c := range []interface {
		ConsumeTraces(context.Context, ptrace.Traces) error
	}{l, m} {
		if err := c.ConsumeTraces(t.Context(), td); err != nil {
			t.Fatal(err)
		}
	}

	if n := logs.LogRecordCount(); n != 2 {
		t.Fatalf("%d log records arrived, want the fail and the error", n)
	}
	rl := logs.AllLogs()[0].ResourceLogs().At(0)
	if v, _ := rl.Resource().Attributes().Get("service.name"); v.Str() != "shop" {
		t.Errorf("service.name of the record is %q", v.Str())
	}
	byRule := map[string]plog.LogRecord{}
	for _, r := range rl.ScopeLogs().At(0).LogRecords().All() {
		v, _ := r.Attributes().Get("gen_ai.evaluation.name")
		byRule[v.Str()] = r
	}
	a := byRule["a"]
	got := fmt.Sprint(a.EventName(), " ", a.TraceID(), " ", a.SpanID(), " ", a.SeverityText(), " ", a.Body().Str(), " ", a.Timestamp().AsTime().Equal(gradedAt))
	if want := "gen_ai.evaluation.result 01000000000000000000000000000000 0000000000000002 ERROR no retry true"; got != want {
		t.Errorf("record = %s\nwant     %s", got, want)
	}
	if v, _ := a.Attributes().Get("gen_ai.evaluation.score.value"); v.Double() != 0.5 {
		t.Errorf("score = %v", v.AsString())
	}
	if v, _ := byRule["b"].Attributes().Get("error.type"); v.Str() != "nil" {
		t.Errorf("error.type of the rule that could not be evaluated = %q", v.Str())
	}

	want := map[string]int64{
		"tracegrade.traces shop clerk 7":           1,
		"tracegrade.outcomes a fail shop clerk 7":  1,
		"tracegrade.outcomes b pass shop clerk 7":  1,
		"tracegrade.outcomes b error shop clerk 7": 1,
	}
	if diff := cmp.Diff(want, counters(metrics.AllMetrics()[0])); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
}

func TestCountersAddUpAndLateRevisionsDoNot(t *testing.T) {
	var sink consumertest.MetricsSink
	c := newToMetrics(createDefaultConfig().(*Config), &sink)
	for _, late := range []bool{false, false, true} {
		if err := c.ConsumeTraces(t.Context(), graded(late)); err != nil {
			t.Fatal(err)
		}
	}
	all := sink.AllMetrics()
	if len(all) != 2 {
		t.Fatalf("sent %d times, want twice: a late revision changes no counter", len(all))
	}
	if got := counters(all[1])["tracegrade.outcomes a fail shop clerk 7"]; got != 2 {
		t.Errorf("after two traces the counter is %d, want 2", got)
	}
	if sum := all[1].ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Sum(); sum.AggregationTemporality() != pmetric.AggregationTemporalityCumulative || !sum.IsMonotonic() {
		t.Error("want a cumulative, monotonic sum")
	}
}

func TestSeriesAreBounded(t *testing.T) {
	var sink consumertest.MetricsSink
	c := newToMetrics(&Config{MaxSeries: 1}, &sink)
	if err := c.ConsumeTraces(t.Context(), graded(false)); err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{
		"tracegrade.traces shop clerk 7":          1,
		"tracegrade.outcomes a fail shop clerk 7": 1,
		"tracegrade.outcomes true":                2,
	}
	if diff := cmp.Diff(want, counters(sink.AllMetrics()[0])); diff != "" {
		t.Errorf("counters (-want +got):\n%s", diff)
	}
}

func TestSpansWithoutGradesSendNothing(t *testing.T) {
	var logs consumertest.LogsSink
	var metrics consumertest.MetricsSink
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().Events().AppendEmpty().SetName(wire.EventFinding)
	if err := (&toLogs{next: &logs}).ConsumeTraces(t.Context(), td); err != nil {
		t.Fatal(err)
	}
	if err := newToMetrics(createDefaultConfig().(*Config), &metrics).ConsumeTraces(t.Context(), td); err != nil {
		t.Fatal(err)
	}
	if len(logs.AllLogs())+len(metrics.AllMetrics()) != 0 {
		t.Errorf("sent %d logs, %d metrics", len(logs.AllLogs()), len(metrics.AllMetrics()))
	}
}

func TestConfig(t *testing.T) {
	if err := confmap.Validate(&Config{}); err == nil || err.Error() != `"max_series" is 0: want at least 1` {
		t.Errorf("error = %v", err)
	}
}
