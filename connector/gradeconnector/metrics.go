package gradeconnector

import (
	"context"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// Names of the metrics.
const (
	metricOutcomes = "tracegrade.outcomes"
	metricTraces   = "tracegrade.traces"
)

// toMetrics counts outcomes and traces. The counters are cumulative from the
// time that the connector was made.
type toMetrics struct {
	reader
	next  consumer.Metrics
	max   int
	start pcommon.Timestamp

	mu       sync.Mutex
	outcomes map[series]int64
	traces   map[series]int64
}

// series is what one counter counts. Rule and Outcome are empty for traces.
type series struct {
	Rule, Outcome       string
	Service             string
	Agent, AgentVersion string
	overflow            bool
}

func newToMetrics(cfg *Config, next consumer.Metrics) *toMetrics {
	return &toMetrics{
		next: next, max: cfg.MaxSeries, start: pcommon.NewTimestampFromTime(time.Now()),
		outcomes: map[series]int64{}, traces: map[series]int64{},
	}
}

// ConsumeTraces counts what rides on td's spans and sends the counters that
// changed. A trace that late spans made anew was counted before and is not
// counted again.
func (c *toMetrics) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	c.mu.Lock()
	outcomes, traces := map[series]int64{}, map[series]int64{}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if s := wire.Read(span); s.Facts != nil && s.Identity != nil && !s.Facts.Late {
					c.count(&s, outcomes, traces)
				}
			}
		}
	}
	md := pmetric.NewMetrics()
	if len(outcomes)+len(traces) > 0 {
		sm := md.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty()
		sm.Scope().SetName(wire.Scope)
		c.write(sm.Metrics(), metricTraces, "Traces graded.", "{trace}", traces)
		c.write(sm.Metrics(), metricOutcomes, "Outcomes of rules and rubrics.", "{finding}", outcomes)
	}
	c.mu.Unlock()
	if md.ResourceMetrics().Len() == 0 {
		return nil
	}
	return c.next.ConsumeMetrics(ctx, md)
}

// count adds one trace and notes in outcomes and traces what changed.
func (c *toMetrics) count(s *wire.Span, outcomes, traces map[series]int64) {
	key := series{Service: s.Identity.Service.Name, Agent: s.Identity.Agent.Name, AgentVersion: s.Identity.Agent.Version}
	if key.AgentVersion == "" {
		key.AgentVersion = s.Identity.Service.Version
	}
	c.add(c.traces, traces, key, 1)
	for i := range s.Facts.Counts {
		n := &s.Facts.Counts[i]
		key.Rule = n.Rule
		for _, o := range []struct {
			outcome trace.Outcome
			n       int
		}{
			{trace.OutcomePass, n.Pass}, {trace.OutcomeFail, n.Fail}, {trace.OutcomeNotApplicable, n.NotApplicable},
			{trace.OutcomeError, n.Error}, {trace.OutcomeSkipped, n.Skipped},
		} {
			if o.n != 0 {
				key.Outcome = o.outcome.String()
				c.add(c.outcomes, outcomes, key, int64(o.n))
			}
		}
	}
}

func (c *toMetrics) add(to, changed map[series]int64, key series, n int64) {
	if _, known := to[key]; !known && len(to) >= c.max {
		key = series{overflow: true}
	}
	to[key] += n
	changed[key] = to[key]
}

func (c *toMetrics) write(to pmetric.MetricSlice, name, description, unit string, changed map[series]int64) {
	if len(changed) == 0 {
		return
	}
	m := to.AppendEmpty()
	m.SetName(name)
	m.SetDescription(description)
	m.SetUnit(unit)
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	now := pcommon.NewTimestampFromTime(time.Now())
	for key, n := range changed {
		p := sum.DataPoints().AppendEmpty()
		p.SetStartTimestamp(c.start)
		p.SetTimestamp(now)
		p.SetIntValue(n)
		a := p.Attributes()
		if key.overflow {
			a.PutBool("otel.metric.overflow", true)
			continue
		}
		put(a, "rule", key.Rule)
		put(a, "outcome", key.Outcome)
		put(a, "service.name", key.Service)
		put(a, "gen_ai.agent.name", key.Agent)
		put(a, "gen_ai.agent.version", key.AgentVersion)
	}
}
