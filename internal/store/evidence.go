package store

import (
	"time"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// FromLedger is the rows of tables observations and links that the evidence of
// a trace makes. t is the row of the trace.
func FromLedger(t *TraceRow, tr *trace.Trace, l *evidence.Ledger) Batch {
	b := Batch{Observations: make([]ObservationRow, len(l.Observations))}
	for i := range l.Observations {
		b.Observations[i] = newObservationRow(t, &l.Observations[i])
	}
	for _, s := range l.Stale {
		b.Observations[s.Observation].Stale = s.Reason
	}
	for _, e := range l.Echoes {
		for _, i := range e.Observations[1:] {
			b.Observations[i].EchoOf = l.Observations[e.Observations[0]].ID
		}
	}
	for _, c := range l.Conflicts {
		x, y := &b.Observations[c.A], &b.Observations[c.B]
		x.Conflicts = append(x.Conflicts, y.ObservationID)
		y.Conflicts = append(y.Conflicts, x.ObservationID)
	}
	spans := make(map[string]string, len(tr.Steps))
	for _, s := range tr.Steps {
		spans[s.ID] = s.SpanID
	}
	for i := range l.Links {
		b.Links = append(b.Links, linkRows(t, l, &l.Links[i], spans)...)
	}
	return b
}

func newObservationRow(t *TraceRow, o *evidence.Observation) ObservationRow {
	return ObservationRow{
		TraceID: t.TraceID, ObservationID: o.ID, StepID: o.StepID, SpanID: o.SpanID,
		Field: o.Place.Field, Offset: count(o.Place.Offset), Length: count(o.Place.Length),
		Revision: t.Revision, RowVersion: t.RowVersion, EvidenceVersion: evidence.Version,
		Service: t.Service, Version: t.Version, Agent: t.Agent,
		Tool: o.Tool, Failed: o.Error, Source: o.Source, URL: o.URL, Title: o.Title, DocumentID: o.DocID,
		PublishedAt: o.Date, Published: published(o.Date), Authority: o.Authority, Repeats: o.Repeats,
		Content: o.Text, TraceStart: t.TraceStart,
	}
}

// linkRows is one row for each observation of a link, or one for none.
func linkRows(t *TraceRow, l *evidence.Ledger, k *evidence.Link, spans map[string]string) []LinkRow {
	step := k.Place.StepID
	if step == "" {
		step = t.AnswerStep // the trace's own answer
	}
	row := LinkRow{
		TraceID: t.TraceID, StepID: step, SpanID: spans[step],
		Field: k.Place.Field, Offset: count(k.Place.Offset), Length: count(k.Place.Length),
		Value: k.Atom.Text, ValueKind: string(k.Atom.Kind), Canonical: k.Atom.Value, Unit: k.Atom.Unit, State: string(k.State), Method: method(k), Operands: k.Operands,
		Revision: t.Revision, RowVersion: t.RowVersion, EvidenceVersion: evidence.Version,
		SessionID: t.SessionID, Service: t.Service, Version: t.Version, Agent: t.Agent, TraceStart: t.TraceStart,
	}
	if len(k.Observations) == 0 {
		return []LinkRow{row}
	}
	rows := make([]LinkRow, len(k.Observations))
	for i, at := range k.Observations {
		o := &l.Observations[at]
		rows[i] = row
		rows[i].ObservationID, rows[i].ObservationStepID, rows[i].ObservationSpanID = o.ID, o.StepID, o.SpanID
		if i < len(k.Sources) {
			p := k.Sources[i]
			rows[i].ObservationField, rows[i].ObservationOffset, rows[i].ObservationLength = p.Field, count(p.Offset), count(p.Length)
		}
	}
	return rows
}

// method says how a link was made.
func method(k *evidence.Link) string {
	switch {
	case k.How != "":
		return k.How
	case k.Given:
		return "given"
	case k.State == evidence.Carried:
		return "exact"
	}
	return ""
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
