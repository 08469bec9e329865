package wire

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Observation is one observation of the evidence ledger, with what the ledger
// found out about it.
type Observation struct {
	ID             string
	StepID, SpanID string // that returned it first
	Field          string // where in the step
	Offset, Length int    // bytes of it there
	Tool           string
	Failed         bool // it is what a failed call returned
	Source         string
	URL            string
	Title          string
	DocumentID     string
	PublishedAt    string
	Authority      string
	Stale          string   // why it is out of date for the question
	EchoOf         string   // observation that it repeats
	Conflicts      []string // observations that say otherwise
	Repeats        []string // later steps that returned the same
	Content        string   // its beginning, at most maxContent bytes: the whole is in its step
}

// Link is one value of the answer or of a tool's argument, and one observation
// that it rests on; or none.
type Link struct {
	StepID, SpanID    string
	Field             string
	Offset, Length    int
	Value             string
	ValueKind         string
	Canonical         string
	Unit              string
	State             string
	Method            string
	Operands          []string
	ObservationID     string
	ObservationStepID string
	ObservationSpanID string
	ObservationField  string
	ObservationOffset int
	ObservationLength int
}

// What of one trace's evidence is carried and stored at most. The answer's links
// come first.
const (
	maxObservations = 1000
	maxLinks        = 5000
	maxContent      = 8 << 10
)

// Evidence is the ledger of tr, one entry for each row. cut names what was left
// out because there is too much: observations, links.
func Evidence(tr *trace.Trace, l *evidence.Ledger) (observations []Observation, links []Link, cut []string) {
	kept := min(len(l.Observations), maxObservations)
	if kept < len(l.Observations) {
		cut = append(cut, "observations")
	}
	observations = make([]Observation, kept)
	for i := range observations {
		o := &l.Observations[i]
		observations[i] = Observation{
			ID: o.ID, StepID: o.StepID, SpanID: o.SpanID, Field: o.Place.Field, Offset: o.Place.Offset, Length: o.Place.Length,
			Tool: o.Tool, Failed: o.Error, Source: o.Source, URL: o.URL, Title: o.Title, DocumentID: o.DocID,
			PublishedAt: o.Date, Authority: o.Authority, Repeats: o.Repeats, Content: beginning(o.Text),
		}
	}
	for _, s := range l.Stale {
		if s.Observation < kept {
			observations[s.Observation].Stale = s.Reason
		}
	}
	for _, e := range l.Echoes {
		for _, i := range e.Observations[1:] {
			if i < kept {
				observations[i].EchoOf = l.Observations[e.Observations[0]].ID
			}
		}
	}
	for _, c := range l.Conflicts {
		for _, pair := range [...][2]int{{c.A, c.B}, {c.B, c.A}} {
			if at := pair[0]; at < kept {
				observations[at].Conflicts = append(observations[at].Conflicts, l.Observations[pair[1]].ID)
			}
		}
	}
	spans := make(map[string]string, len(tr.Steps))
	for _, s := range tr.Steps {
		spans[s.ID] = s.SpanID
	}
	entries := 0
	for i := range l.Links {
		entries += max(1, len(l.Links[i].Observations))
	}
	links = make([]Link, 0, min(entries, maxLinks+1))
	for i := range l.Links {
		links = appendLinks(links, tr, l, &l.Links[i], spans)
		if len(links) > maxLinks {
			links, cut = links[:maxLinks], append(cut, "links")
			break
		}
	}
	return observations, links, cut
}

// beginning is at most maxContent bytes of a text.
func beginning(s string) string {
	if len(s) > maxContent {
		s = strings.ToValidUTF8(s[:maxContent], "")
	}
	return s
}

// appendLinks adds an entry for each observation of a link, or one for none.
func appendLinks(links []Link, tr *trace.Trace, l *evidence.Ledger, k *evidence.Link, spans map[string]string) []Link {
	step := k.Place.StepID
	if step == "" {
		step = tr.AnswerStep // the trace's own answer
	}
	e := Link{
		StepID: step, SpanID: spans[step], Field: k.Place.Field, Offset: k.Place.Offset, Length: k.Place.Length,
		Value: k.Atom.Text, ValueKind: string(k.Atom.Kind), Canonical: k.Atom.Value, Unit: k.Atom.Unit,
		State: string(k.State), Method: method(k), Operands: k.Operands,
	}
	if len(k.Observations) == 0 {
		return append(links, e)
	}
	for i, at := range k.Observations {
		o := &l.Observations[at]
		e.ObservationID, e.ObservationStepID, e.ObservationSpanID = o.ID, o.StepID, o.SpanID
		e.ObservationField, e.ObservationOffset, e.ObservationLength = "", 0, 0
		if i < len(k.Sources) {
			p := k.Sources[i]
			e.ObservationField, e.ObservationOffset, e.ObservationLength = p.Field, p.Offset, p.Length
		}
		links = append(links, e)
	}
	return links
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

// evidence writes one event for each observation and link, on the span in which
// it stands when that span leaves now.
func (w *writer) evidence(l *evidence.Ledger) {
	observations, links, cut := Evidence(w.g.Trace, l)
	if len(cut) > 0 {
		putTexts(w.at.Attributes(), traceEvidenceCut, cut)
	}
	for i := range observations {
		o := &observations[i]
		e := w.event(EventObservation, o.SpanID, o.StepID)
		o.Content, o.Title, o.URL = w.Text(o.Content), w.Text(o.Title), w.Text(o.URL)
		putFields(e, observationFields, o)
	}
	w.redactLinks(links)
	for i := range links {
		k := &links[i]
		putFields(w.event(EventLink, k.SpanID, k.StepID), linkFields, k)
	}
}

// redactLinks applies Text to the values of links, each within the text in which
// it stands. Links of one text follow each other.
func (w *writer) redactLinks(links []Link) {
	if len(links) == 0 {
		return
	}
	steps := make(map[string]*trace.Step, len(w.g.Trace.Steps))
	for _, s := range w.g.Trace.Steps {
		steps[s.ID] = s
	}
	var last, redacted string
	for i := range links {
		k := &links[i]
		text := neighbourhood(linkedText(w.g.Trace, steps[k.StepID], k), k)
		if text != last {
			last, redacted = text, w.Text(text)
		}
		if value := redact.Within(k.Value, text, redacted, w.Text); value != k.Value {
			k.Value, k.Canonical = value, value
		} else {
			k.Canonical = w.Text(k.Canonical)
		}
	}
}

// neighbourhood is the text, or of a long one what may decide about the value of
// a link: the field's name and the words before it, and what closes it.
func neighbourhood(text string, k *Link) string {
	const whole, before, after = 16 << 10, 4 << 10, 256
	if len(text) <= whole {
		return text
	}
	at := min(k.Offset, len(text))
	return text[max(0, at-before):min(len(text), at+k.Length+after)]
}

// linkedText is the text in which a linked value stands.
func linkedText(tr *trace.Trace, s *trace.Step, k *Link) string {
	switch {
	case k.Field == "answer" && (s == nil || k.StepID == tr.AnswerStep):
		return tr.Answer
	case k.Field == "answer":
		return s.OwnAnswer() // of an earlier turn
	case s != nil && s.Tool != nil:
		return s.Tool.Arguments.Text()
	}
	return ""
}

// field is one field of T that rides as an attribute: the single declaration
// from which writing, reading and documentation come.
type field[T any] struct {
	key, kind, meaning string
	filled             func(from *T) bool // whether it is written at all
	put                func(a pcommon.Map, key string, from *T)
	set                func(to *T, v pcommon.Value)
}

func textField[T any](key, meaning string, at func(*T) *string) field[T] {
	return field[T]{
		key, "string", meaning,
		func(from *T) bool { return *at(from) != "" },
		func(a pcommon.Map, key string, from *T) { a.PutStr(key, *at(from)) },
		func(to *T, v pcommon.Value) { *at(to) = v.Str() },
	}
}

func intField[T any](key, meaning string, at func(*T) *int) field[T] {
	return field[T]{
		key, "int", meaning,
		func(from *T) bool { return *at(from) != 0 },
		func(a pcommon.Map, key string, from *T) { a.PutInt(key, int64(*at(from))) },
		func(to *T, v pcommon.Value) { *at(to) = int(v.Int()) },
	}
}

func boolField[T any](key, meaning string, at func(*T) *bool) field[T] {
	return field[T]{
		key, "bool", meaning,
		func(from *T) bool { return *at(from) },
		func(a pcommon.Map, key string, _ *T) { a.PutBool(key, true) },
		func(to *T, v pcommon.Value) { *at(to) = v.Bool() },
	}
}

func textsField[T any](key, meaning string, at func(*T) *[]string) field[T] {
	return field[T]{
		key, "string[]", meaning,
		func(from *T) bool { return len(*at(from)) > 0 },
		func(a pcommon.Map, key string, from *T) { putTexts(a, key, *at(from)) },
		func(to *T, v pcommon.Value) { *at(to) = textsOf(v) },
	}
}

func putFields[T any](a pcommon.Map, fields []field[T], from *T) {
	n := 0
	for i := range fields {
		if fields[i].filled(from) {
			n++
		}
	}
	a.EnsureCapacity(n)
	for i := range fields {
		if f := &fields[i]; f.filled(from) {
			f.put(a, f.key, from)
		}
	}
}

func readFields[T any](a pcommon.Map, fields []field[T]) (to T) {
	for i := range fields {
		if v, ok := a.Get(fields[i].key); ok {
			fields[i].set(&to, v)
		}
	}
	return to
}

func documented[T any](list []Attribute, on string, fields []field[T]) []Attribute {
	for _, f := range fields {
		list = append(list, Attribute{f.key, f.kind, on, f.meaning})
	}
	return list
}

var observationFields = []field[Observation]{
	textField("tracegrade.observation.id", "hash of the content", func(o *Observation) *string { return &o.ID }),
	textField("tracegrade.observation.step_id", "step that returned it first", func(o *Observation) *string { return &o.StepID }),
	textField("tracegrade.observation.span_id", "its span", func(o *Observation) *string { return &o.SpanID }),
	textField("tracegrade.observation.field", "where in the step", func(o *Observation) *string { return &o.Field }),
	intField("tracegrade.observation.offset", "byte in that field where it begins", func(o *Observation) *int { return &o.Offset }),
	intField("tracegrade.observation.length", "bytes of it there", func(o *Observation) *int { return &o.Length }),
	textField("tracegrade.observation.tool", "tool or retriever that returned it", func(o *Observation) *string { return &o.Tool }),
	boolField("tracegrade.observation.failed", "it is what a failed call returned", func(o *Observation) *bool { return &o.Failed }),
	textField("tracegrade.observation.source", "origin as stated", func(o *Observation) *string { return &o.Source }),
	textField("tracegrade.observation.url", "address as stated", func(o *Observation) *string { return &o.URL }),
	textField("tracegrade.observation.title", "title as stated", func(o *Observation) *string { return &o.Title }),
	textField("tracegrade.observation.document_id", "the tool's own id of it", func(o *Observation) *string { return &o.DocumentID }),
	textField("tracegrade.observation.published_at", "its date", func(o *Observation) *string { return &o.PublishedAt }),
	textField("tracegrade.observation.authority", "authority as the tool states it", func(o *Observation) *string { return &o.Authority }),
	textField("tracegrade.observation.stale", "why it is out of date for the question", func(o *Observation) *string { return &o.Stale }),
	textField("tracegrade.observation.echo_of", "observation that it repeats", func(o *Observation) *string { return &o.EchoOf }),
	textsField("tracegrade.observation.conflicts", "observations that say otherwise", func(o *Observation) *[]string { return &o.Conflicts }),
	textsField("tracegrade.observation.repeats", "later steps that returned the same", func(o *Observation) *[]string { return &o.Repeats }),
	textField("tracegrade.observation.content", "the text or data itself", func(o *Observation) *string { return &o.Content }),
}

var linkFields = []field[Link]{
	textField("tracegrade.link.step_id", "step in which the value was used", func(k *Link) *string { return &k.StepID }),
	textField("tracegrade.link.span_id", "its span", func(k *Link) *string { return &k.SpanID }),
	textField("tracegrade.link.field", "where in the step", func(k *Link) *string { return &k.Field }),
	intField("tracegrade.link.offset", "byte in that field where the value begins", func(k *Link) *int { return &k.Offset }),
	intField("tracegrade.link.length", "bytes of the value", func(k *Link) *int { return &k.Length }),
	textField("tracegrade.link.value", "the value as written", func(k *Link) *string { return &k.Value }),
	textField("tracegrade.link.value_kind", "number, money, date, ...", func(k *Link) *string { return &k.ValueKind }),
	textField("tracegrade.link.canonical", "the value in one form", func(k *Link) *string { return &k.Canonical }),
	textField("tracegrade.link.unit", "its unit in one form", func(k *Link) *string { return &k.Unit }),
	textField("tracegrade.link.state", "carried, derived, unsupported, contradicted or unknown", func(k *Link) *string { return &k.State }),
	textField("tracegrade.link.method", "exact, given, or how it was derived", func(k *Link) *string { return &k.Method }),
	textsField("tracegrade.link.operands", "values that it was derived from", func(k *Link) *[]string { return &k.Operands }),
	textField("tracegrade.link.observation.id", "observation that carries or contradicts it", func(k *Link) *string { return &k.ObservationID }),
	textField("tracegrade.link.observation.step_id", "step that returned that observation", func(k *Link) *string { return &k.ObservationStepID }),
	textField("tracegrade.link.observation.span_id", "its span", func(k *Link) *string { return &k.ObservationSpanID }),
	textField("tracegrade.link.observation.field", "where in that step", func(k *Link) *string { return &k.ObservationField }),
	intField("tracegrade.link.observation.offset", "byte in that field where the value begins", func(k *Link) *int { return &k.ObservationOffset }),
	intField("tracegrade.link.observation.length", "bytes of the value there", func(k *Link) *int { return &k.ObservationLength }),
}
