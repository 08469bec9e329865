package gradeconnector

import (
	"context"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// toLogs makes one log record of each finding.
type toLogs struct {
	reader
	next consumer.Logs
}

// ConsumeTraces sends the findings on td's spans as log records, with the
// resource of their span. Spans without findings send nothing.
func (c *toLogs) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	ld := plog.NewLogs()
	for _, rs := range td.ResourceSpans().All() {
		var records plog.LogRecordSlice
		found := false
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				for _, e := range span.Events().All() {
					finding, ours := wire.ReadFinding(e)
					if !ours {
						continue
					}
					if !found {
						found = true
						rl := ld.ResourceLogs().AppendEmpty()
						rs.Resource().CopyTo(rl.Resource())
						rl.SetSchemaUrl(rs.SchemaUrl())
						sl := rl.ScopeLogs().AppendEmpty()
						sl.Scope().SetName(wire.Scope)
						records = sl.LogRecords()
					}
					record(records.AppendEmpty(), span, e, &finding)
				}
			}
		}
	}
	if ld.ResourceLogs().Len() == 0 {
		return nil
	}
	return c.next.ConsumeLogs(ctx, ld)
}

// record is the event e of span as a log record: what the semantic conventions
// describe, with the span that was evaluated as its span.
func record(r plog.LogRecord, span ptrace.Span, e ptrace.SpanEvent, f *trace.Finding) {
	r.SetEventName(wire.EventFinding)
	r.SetTimestamp(e.Timestamp())
	r.SetObservedTimestamp(e.Timestamp())
	r.SetTraceID(span.TraceID())
	r.SetSpanID(span.SpanID())
	if id := wire.SpanID(f.SpanID); !id.IsEmpty() {
		r.SetSpanID(id)
	}
	e.Attributes().CopyTo(r.Attributes())
	if v, ok := span.Attributes().Get("gen_ai.response.id"); ok && f.SpanID != "" && r.SpanID() == span.SpanID() {
		v.CopyTo(r.Attributes().PutEmpty("gen_ai.response.id"))
	}
	r.Body().SetStr(f.Message)
	number, text := logSeverity(f)
	r.SetSeverityNumber(number)
	r.SetSeverityText(text)
}

// logSeverity: a failed rule is as severe as the rule says; a rule that could
// not be evaluated is a warning; everything else informs.
func logSeverity(f *trace.Finding) (plog.SeverityNumber, string) {
	switch f.Outcome {
	case trace.OutcomeFail:
		switch f.Severity {
		case trace.SeverityCritical:
			return plog.SeverityNumberFatal, "FATAL"
		case trace.SeverityHigh:
			return plog.SeverityNumberError, "ERROR"
		case trace.SeverityUnset, trace.SeverityLow, trace.SeverityMedium:
			return plog.SeverityNumberWarn, "WARN"
		}
	case trace.OutcomeError:
		return plog.SeverityNumberWarn, "WARN"
	case trace.OutcomePass, trace.OutcomeNotApplicable, trace.OutcomeSkipped, trace.OutcomeUnset:
	}
	return plog.SeverityNumberInfo, "INFO"
}

// put sets an attribute that is known.
func put(a pcommon.Map, key, value string) {
	if value != "" {
		a.PutStr(key, value)
	}
}
