package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func TestRowsOfALedger(t *testing.T) {
	tr := &trace.Trace{AnswerStep: "end", Steps: []*trace.Step{{ID: "a", SpanID: "sa"}, {ID: "b"}, {ID: "end", SpanID: "se"}}}
	row := &TraceRow{TraceID: "t", Revision: 3, RowVersion: 9, AnswerStep: "end", SessionID: "c", Service: "shop", Version: "1", Agent: "helper", TraceStart: day(0)}
	place := func(step, field string, offset, length int) evidence.Place {
		return evidence.Place{StepID: step, Field: field, Offset: offset, Length: length}
	}
	atom := func(text string) atom.Atom {
		return atom.Atom{Kind: atom.Number, Text: text, Value: text, Unit: "kg"}
	}
	l := &evidence.Ledger{
		Observations: []evidence.Observation{
			{ID: "o0", StepID: "a", SpanID: "sa", Tool: "search", Source: "x.example", URL: "u", Title: "T", Date: "2024-05", Authority: "official", DocID: "d", Text: "12 kg", Place: place("a", "documents[0].content", 4, 5), Repeats: []string{"b"}},
			{ID: "o1", StepID: "b", Tool: "search", Date: "last week", Error: true, Text: "down", Place: place("b", "tool.result", 0, 4)},
			{ID: "o2", StepID: "b", Tool: "search", Text: "13 kg", Place: place("b", "tool.result", 9, 5)},
		},
		Links: []evidence.Link{
			{Place: place("", "answer", 1, 2), Atom: atom("25"), State: evidence.Derived, How: "sum", Observations: []int{0, 2}, Sources: []evidence.Place{place("a", "documents[0].content", 4, 2), place("b", "tool.result", 9, 2)}, Operands: []string{"12", "13"}},
			{Place: place("", "answer", 7, 2), Atom: atom("99"), State: evidence.Unsupported},
			{Place: place("b", "tool.arguments", 3, 1), Atom: atom("7"), State: evidence.Carried, Given: true},
		},
		Stale:     []evidence.Staleness{{Observation: 0, Reason: "old"}},
		Echoes:    []evidence.Echo{{Observations: []int{0, 2}}},
		Conflicts: []evidence.Conflict{{A: 0, B: 2}},
	}
	month := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	observation := ObservationRow{TraceID: "t", Revision: 3, RowVersion: 9, EvidenceVersion: evidence.Version, Service: "shop", Version: "1", Agent: "helper", Tool: "search", TraceStart: day(0)}
	o0, o1, o2 := observation, observation, observation
	o0.ObservationID, o0.StepID, o0.SpanID, o0.Field, o0.Offset, o0.Length = "o0", "a", "sa", "documents[0].content", 4, 5
	o0.Source, o0.URL, o0.Title, o0.DocumentID, o0.PublishedAt, o0.Published, o0.Authority = "x.example", "u", "T", "d", "2024-05", &month, "official"
	o0.Stale, o0.Conflicts, o0.Repeats, o0.Content = "old", []string{"o2"}, []string{"b"}, "12 kg"
	o1.ObservationID, o1.StepID, o1.Field, o1.Length, o1.PublishedAt, o1.Failed, o1.Content = "o1", "b", "tool.result", 4, "last week", true, "down"
	o2.ObservationID, o2.StepID, o2.Field, o2.Offset, o2.Length, o2.Content = "o2", "b", "tool.result", 9, 5, "13 kg"
	o2.EchoOf, o2.Conflicts = "o0", []string{"o0"}
	link := LinkRow{TraceID: "t", Revision: 3, RowVersion: 9, EvidenceVersion: evidence.Version, SessionID: "c", Service: "shop", Version: "1", Agent: "helper", TraceStart: day(0), ValueKind: "number", Unit: "kg"}
	sum1, none, given := link, link, link
	sum1.StepID, sum1.SpanID, sum1.Field, sum1.Offset, sum1.Length, sum1.Value, sum1.Canonical = "end", "se", "answer", 1, 2, "25", "25"
	sum1.State, sum1.Method, sum1.Operands = "derived", "sum", []string{"12", "13"}
	sum2 := sum1
	sum1.ObservationID, sum1.ObservationStepID, sum1.ObservationSpanID, sum1.ObservationField, sum1.ObservationOffset, sum1.ObservationLength = "o0", "a", "sa", "documents[0].content", 4, 2
	sum2.ObservationID, sum2.ObservationStepID, sum2.ObservationField, sum2.ObservationOffset, sum2.ObservationLength = "o2", "b", "tool.result", 9, 2
	none.StepID, none.SpanID, none.Field, none.Offset, none.Length, none.Value, none.Canonical, none.State = "end", "se", "answer", 7, 2, "99", "99", "unsupported"
	given.StepID, given.Field, given.Offset, given.Length, given.Value, given.Canonical, given.State, given.Method = "b", "tool.arguments", 3, 1, "7", "7", "carried", "given"

	want := Batch{Observations: []ObservationRow{o0, o1, o2}, Links: []LinkRow{sum1, sum2, none, given}}
	if diff := cmp.Diff(want, fromLedger(row, tr, l)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
