package store

import (
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// FromSpans is the rows that graded spans carry, whatever part of their traces
// td holds. They are the rows that [FromGrade] makes of the same grade, by
// test. Spans that were not graded become steps of revision 0. td is only read.
func FromSpans(td ptrace.Traces, reader *normalise.Reader) Batch {
	var b Batch
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			read := func(span ptrace.Span) *trace.Step { return reader.Span(rs.Resource(), ss.Scope(), span) }
			for _, span := range ss.Spans().All() {
				carried := wire.Read(span)
				b.addCarried(&carried)
				if wire.Carrier(ss.Scope(), span) {
					continue
				}
				step := read(span)
				if len(carried.Kept) > 0 {
					step.Attributes = reader.Attributes(rs.Resource(), span, carried.Kept)
				}
				wire.Restore(step, span, read)
				if step.ID == "" {
					continue // a span without an id has a derived one beside it
				}
				t := TraceRow{
					TraceID: step.TraceID, Revision: count(carried.Revision),
					RowVersion: RowVersion(carried.Revision, carried.GradedAt),
				}
				b.Steps = append(b.Steps, NewStepRow(&t, step))
			}
		}
	}
	return b
}

// addCarried adds the rows that ride on one span beside its step.
func (b *Batch) addCarried(s *wire.Span) {
	for _, r := range s.Rules {
		b.Rules = append(b.Rules, NewRuleRow(r, s.GradedAt))
	}
	if s.Identity == nil {
		return
	}
	t := carriedTrace(s.Identity, s.Facts)
	if s.Facts != nil {
		b.Traces = append(b.Traces, t)
		for i := range s.Facts.Counts {
			b.Outcomes = append(b.Outcomes, NewOutcomeRow(&t, &s.Facts.Counts[i]))
		}
	}
	b.Add(evidenceRows(&t, s.Observations, s.Links))
	for i := range s.Findings {
		b.Findings = append(b.Findings, NewFindingRow(&t, &s.Findings[i]))
	}
}

// carriedTrace is the row of the trace, as far as the span tells: without
// facts it names the trace and its revision, for the rows of findings.
func carriedTrace(id *wire.Identity, f *wire.Facts) TraceRow {
	r := TraceRow{
		TraceID: id.TraceID, Revision: count(id.Revision), RowVersion: RowVersion(id.Revision, id.GradedAt), Digest: id.Digest,
		SessionID: id.Session, Service: id.Service.Name, ServiceVersion: id.Service.Version,
		Agent: id.Agent.Name, AgentVersion: id.Agent.Version, Version: version(id.Agent, id.Service),
		TraceStart: storable(id.Start), NormaliserVersion: id.NormaliserVersion, EvidenceVersion: id.EvidenceVersion, GradedAt: storable(id.GradedAt),
	}
	if f == nil {
		return r
	}
	r.UserID, r.Question, r.Answer, r.AnswerStep = f.User, f.Question, f.Answer, f.AnswerStep
	r.TraceEnd = storable(f.End)
	r.ReleaseReason, r.Complete, r.MissingParents = string(f.Release.Reason), f.Release.Complete, count(f.Release.MissingParents)
	r.Unjoined, r.Cut = count(f.Unjoined), f.EvidenceCut
	r.setUsage(f.Usage)
	r.setTally(f.Tally)
	return r
}

// NewRuleRow is the row of one rule's text, recorded at a time.
func NewRuleRow(r wire.Rule, at time.Time) RuleRow {
	return RuleRow{
		Kind: r.Kind, Rule: r.ID, Hash: r.Hash, RowVersion: RowVersion(0, at), Title: r.Title, Scope: r.Scope, Severity: r.Severity,
		Defect: r.Defect, Source: r.Source, Text: r.Text, RecordedAt: storable(at),
	}
}
