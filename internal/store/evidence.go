package store

import (
	"time"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// fromLedger is the rows of tables observations and links that the evidence of
// a trace makes. t is the row of the trace, in which it says what was left out.
func fromLedger(t *TraceRow, tr *trace.Trace, l *evidence.Ledger) Batch {
	observations, links, cut := wire.Evidence(tr, l)
	t.EvidenceVersion, t.Cut = evidence.Version, cut
	return evidenceRows(t, observations, links)
}

func evidenceRows(t *TraceRow, observations []wire.Observation, links []wire.Link) Batch {
	var b Batch
	for i := range observations {
		b.Observations = append(b.Observations, newObservationRow(t, &observations[i]))
	}
	for i := range links {
		b.Links = append(b.Links, newLinkRow(t, &links[i]))
	}
	return b
}

func newObservationRow(t *TraceRow, o *wire.Observation) ObservationRow {
	return ObservationRow{
		TraceID: t.TraceID, ObservationID: o.ID, StepID: o.StepID, SpanID: o.SpanID,
		Field: o.Field, Offset: count(o.Offset), Length: count(o.Length),
		Revision: t.Revision, RowVersion: t.RowVersion, EvidenceVersion: t.EvidenceVersion,
		Service: t.Service, Version: t.Version, Agent: t.Agent,
		Tool: o.Tool, Failed: o.Failed, Source: o.Source, URL: o.URL, Title: o.Title, DocumentID: o.DocumentID,
		PublishedAt: o.PublishedAt, Published: published(o.PublishedAt), Authority: o.Authority,
		Stale: o.Stale, EchoOf: o.EchoOf, Conflicts: o.Conflicts, Repeats: o.Repeats,
		Content: o.Content, TraceStart: t.TraceStart,
	}
}

func newLinkRow(t *TraceRow, k *wire.Link) LinkRow {
	return LinkRow{
		TraceID: t.TraceID, StepID: k.StepID, SpanID: k.SpanID, Field: k.Field, Offset: count(k.Offset), Length: count(k.Length),
		Value: k.Value, ValueKind: k.ValueKind, Canonical: k.Canonical, Unit: k.Unit, State: k.State, Method: k.Method, Operands: k.Operands,
		ObservationID: k.ObservationID, ObservationStepID: k.ObservationStepID, ObservationSpanID: k.ObservationSpanID,
		ObservationField: k.ObservationField, ObservationOffset: count(k.ObservationOffset), ObservationLength: count(k.ObservationLength),
		Revision: t.Revision, RowVersion: t.RowVersion, EvidenceVersion: t.EvidenceVersion,
		SessionID: t.SessionID, Service: t.Service, Version: t.Version, Agent: t.Agent, TraceStart: t.TraceStart,
	}
}

// published is the moment that an ISO 8601 date names, its first where it is a
// day, month or year; nil where it is none.
func published(date string) *time.Time {
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(form, date); err == nil {
			at = storable(at)
			return &at
		}
	}
	return nil
}
