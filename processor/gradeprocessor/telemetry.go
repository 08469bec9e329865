package gradeprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/rubric"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/processor/gradeprocessor/internal/metadata"
)

// meters are the processor's own metrics, listed in metadata.yaml. Attribute
// sets are made once: making one costs more than counting.
type meters struct {
	*metadata.TelemetryBuilder
	outcomes map[trace.Outcome]metric.MeasurementOption
	reasons  map[trace.ReleaseReason]metric.MeasurementOption
	losses   map[string]metric.MeasurementOption
	missing  map[[2]string]metric.MeasurementOption // by framework and what
	fates    map[string]metric.MeasurementOption
}

// What became of a record.
const (
	fateRegraded = "regraded"
	fateStored   = "stored"
	fateContent  = "content"
	fateOther    = "other"
	fateLoaded   = "loaded"
	fateRefused  = "refused"
)

func newMeters(set component.TelemetrySettings) (*meters, error) {
	b, err := metadata.NewTelemetryBuilder(set)
	if err != nil {
		return nil, err
	}
	m := &meters{
		TelemetryBuilder: b,
		outcomes:         map[trace.Outcome]metric.MeasurementOption{},
		reasons:          map[trace.ReleaseReason]metric.MeasurementOption{},
		losses:           map[string]metric.MeasurementOption{},
		fates:            map[string]metric.MeasurementOption{},
		missing:          map[[2]string]metric.MeasurementOption{},
	}
	for o := trace.OutcomePass; o <= trace.OutcomeSkipped; o++ {
		m.outcomes[o] = with("outcome", o.String())
	}
	for _, r := range []trace.ReleaseReason{trace.ReleaseRootQuiet, trace.ReleaseIdle, trace.ReleaseMaxAge, trace.ReleaseSize, trace.ReleaseShutdown} {
		m.reasons[r] = with("reason", string(r))
	}
	for _, r := range trace.LossReasons {
		m.losses[r] = with("reason", r)
	}
	for _, f := range normalise.Frameworks() {
		for _, what := range normalise.Needs() {
			m.missing[[2]string{f.Dialect, what}] = metric.WithAttributeSet(attribute.NewSet(attribute.String("framework", f.Dialect), attribute.String("what", what)))
		}
	}
	for _, f := range []string{fateRegraded, fateStored, fateContent, fateOther, fateLoaded, fateRefused} {
		m.fates[f] = with("fate", f)
	}
	return m, nil
}

func with(key, value string) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attribute.String(key, value)))
}

// observe reports what the buffer and the stage hold, which rules are in force and
// what judges did, and stops with shutdown.
func (m *meters) observe(stats func() assemble.Stats, judged func() int64, source *ruleSource) error {
	judges := source.judgeStats
	if err := m.RegisterProcessorGradeRulesLoadedCallback(func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(source.current().at.Unix())
		return nil
	}); err != nil {
		return err
	}
	if err := m.RegisterProcessorGradeRulesRefusedCallback(func(_ context.Context, o metric.Int64Observer) error {
		refused := int64(0)
		if source.refused.Load() {
			refused = 1
		}
		o.Observe(refused)
		return nil
	}); err != nil {
		return err
	}
	if err := m.RegisterProcessorGradeHeldBytesCallback(func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(stats().Bytes)
		return nil
	}); err != nil {
		return err
	}
	if err := m.RegisterProcessorGradeHeldTracesCallback(func(_ context.Context, o metric.Int64Observer) error {
		s, waiting := stats(), judged()
		o.Observe(max(0, s.Open-waiting), with("state", "open"))
		o.Observe(waiting, with("state", "judged"))
		o.Observe(s.Kept, with("state", "graded"))
		return nil
	}); err != nil {
		return err
	}
	if err := m.RegisterProcessorGradeJudgeCallsCallback(func(_ context.Context, o metric.Int64Observer) error {
		for name, s := range judges() {
			o.Observe(int64(s.Calls), with("judge", name))
		}
		return nil
	}); err != nil {
		return err
	}
	if err := m.RegisterProcessorGradeJudgeTokensCallback(func(_ context.Context, o metric.Int64Observer) error {
		for name, s := range judges() {
			o.Observe(int64(s.InputTokens+s.OutputTokens), with("judge", name))
		}
		return nil
	}); err != nil {
		return err
	}
	return m.RegisterProcessorGradeJudgeCostCallback(func(_ context.Context, o metric.Float64Observer) error {
		for name, s := range judges() {
			o.Observe(s.Cost, with("judge", name))
		}
		return nil
	})
}

func (m *meters) shutdown() { m.Shutdown() }

func (m *meters) received(ctx context.Context, spans int) {
	m.ProcessorGradeSpans.Add(ctx, int64(spans))
}

func (m *meters) refused(ctx context.Context, spans int) {
	m.ProcessorGradeRefusedSpans.Add(ctx, int64(spans))
}

func (m *meters) lost(ctx context.Context, spans int) {
	m.ProcessorGradeLostSpans.Add(ctx, int64(spans))
}

func (m *meters) late(ctx context.Context, fate string, records int) {
	m.ProcessorGradeLateSpans.Add(ctx, int64(records), m.fates[fate])
}

func (m *meters) logRecords(ctx context.Context, content, other int) {
	m.ProcessorGradeLogRecords.Add(ctx, int64(content), m.fates[fateContent])
	m.ProcessorGradeLogRecords.Add(ctx, int64(other), m.fates[fateOther])
}

func (m *meters) untraced(ctx context.Context, spans int) {
	m.ProcessorGradeUntracedSpans.Add(ctx, int64(spans))
}
func (m *meters) unjoined(ctx context.Context, records int) {
	if records > 0 {
		m.ProcessorGradeUnjoinedRecords.Add(ctx, int64(records))
	}
}

// graded counts one release of a trace.
func (m *meters) graded(ctx context.Context, g *trace.Grade, r *assemble.Released[payload]) {
	m.ProcessorGradeTraces.Add(ctx, 1, m.reasons[g.Trace.Release.Reason])
	if r.Late {
		m.late(ctx, fateRegraded, r.Spans)
	}
	var n [trace.OutcomeSkipped + 1]int
	for i := range g.Counts {
		c := &g.Counts[i]
		n[trace.OutcomePass] += c.Pass
		n[trace.OutcomeFail] += c.Fail
		n[trace.OutcomeNotApplicable] += c.NotApplicable
		n[trace.OutcomeError] += c.Error
		n[trace.OutcomeSkipped] += c.Skipped
	}
	for o, count := range n {
		if count > 0 {
			m.ProcessorGradeFindings.Add(ctx, int64(count), m.outcomes[trace.Outcome(o)])
		}
	}
	m.rubricFindings(ctx, g.Findings)
	losses := map[string]int{}
	for _, s := range g.Trace.Steps {
		for _, l := range s.Losses {
			losses[l.Reason]++
		}
	}
	for reason, count := range losses {
		if option, listed := m.losses[reason]; listed {
			m.ProcessorGradeLosses.Add(ctx, int64(count), option)
		}
	}
	if !r.Late {
		for lack, count := range normalise.Lacking(g.Trace.Steps) {
			if option, listed := m.missing[lack]; listed {
				m.ProcessorGradeMissing.Add(ctx, int64(count), option)
			}
		}
		m.unjoined(ctx, g.Trace.Unjoined)
	}
}

// rubricFindings counts the findings of rubrics, whose reasons say whether
// judges work: a closed list.
func (m *meters) rubricFindings(ctx context.Context, findings []trace.Finding) {
	type key struct{ outcome, reason string }
	n := map[key]int64{}
	for i := range findings {
		if f := &findings[i]; f.JudgeHash != "" || f.Reason == rubric.ReasonNoJudge {
			n[key{f.Outcome.String(), f.Reason}]++
		}
	}
	for k, count := range n {
		m.ProcessorGradeRubricFindings.Add(ctx, count, metric.WithAttributeSet(attribute.NewSet(
			attribute.String("outcome", k.outcome), attribute.String("reason", k.reason))))
	}
}
