package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// EvidenceText writes for people where the values of each trace's answer come
// from: the link state, the observations with source and date, and the words
// in which they state the value; then conflicts, stale and repeated observations.
func EvidenceText(w io.Writer, traces []*trace.Trace) error {
	b := bufio.NewWriter(w)
	for i, t := range traces {
		if i > 0 {
			b.WriteByte('\n')
		}
		ledgerText(b, t, evidence.Build(t))
	}
	return b.Flush()
}

func ledgerText(b *bufio.Writer, t *trace.Trace, l *evidence.Ledger) {
	fmt.Fprintf(b, "trace %s%s\n", t.ID, header(t))
	if t.Question != "" {
		fmt.Fprintf(b, "  question  %s\n", Line(t.Question, 160))
	}
	if t.Answer != "" {
		fmt.Fprintf(b, "  answer    %s\n", Line(t.Answer, 160))
	}
	fmt.Fprintf(b, "  evidence  %s", plural(len(l.Observations), "observation"))
	if l.AskedAt != "" {
		fmt.Fprintf(b, ", asked on %s", l.AskedAt)
	}
	if l.Missing != "" {
		fmt.Fprintf(b, ", incomplete: %s", l.Missing)
	}
	if len(l.Cut) > 0 {
		fmt.Fprintf(b, ", limits reached: %s", strings.Join(l.Cut, ", "))
	}
	b.WriteByte('\n')
	last := [2]string{"answer", t.AnswerStep}
	for i := range l.Links {
		k := &l.Links[i]
		if of := [2]string{k.Place.Field, k.Place.StepID}; of != last {
			last = of
			what := "arguments of"
			if k.Place.Field == "answer" {
				what = "answer of an earlier turn, by"
			}
			fmt.Fprintf(b, "  %s %s\n", what, stepName(t, k.Place.StepID))
		}
		linkText(b, l, k)
	}
	for _, c := range l.Conflicts {
		fmt.Fprintf(b, "  conflict  on %s: %s in %s, %s in %s\n", Line(c.Subject, 60), Line(c.AtomA.Text, 40), sourceText(&l.Observations[c.A]), Line(c.AtomB.Text, 40), sourceText(&l.Observations[c.B]))
	}
	for _, s := range l.Stale {
		used := ""
		if s.Used {
			used = ", and the answer uses it"
		}
		fmt.Fprintf(b, "  stale     %s: %s%s\n", sourceText(&l.Observations[s.Observation]), strings.ReplaceAll(s.Reason, "_", " "), used)
	}
	for _, e := range l.Echoes {
		names := make([]string, len(e.Observations))
		for i, o := range e.Observations {
			names[i] = sourceText(&l.Observations[o])
		}
		fmt.Fprintf(b, "  echo      one origin: %s\n", strings.Join(names, ", "))
	}
}

func linkText(b *bufio.Writer, l *evidence.Ledger, k *evidence.Link) {
	fmt.Fprintf(b, "    %-12s %s", k.State, Line(k.Atom.Text, 80))
	if k.How != "" {
		fmt.Fprintf(b, "  (%s of %s)", strings.ReplaceAll(k.How, "_", " "), Line(strings.Join(k.Operands, ", "), 100))
	} else if k.State == evidence.Contradicted {
		fmt.Fprintf(b, "  (observed: %s)", Line(strings.Join(k.Operands, ", "), 100))
	}
	if k.Given && len(k.Observations) == 0 {
		b.WriteString("  given by the question, the instructions or an earlier message")
	}
	b.WriteByte('\n')
	for i, o := range k.Observations {
		fmt.Fprintf(b, "                 %s: %q\n", sourceText(&l.Observations[o]), Line(k.Quotes[i], 120))
	}
}

// sourceText names an observation: its source, its date, else its tool.
func sourceText(o *evidence.Observation) string {
	name := o.URL
	if name == "" {
		name = o.Source
	}
	if name == "" {
		name = o.DocID
	}
	if name == "" {
		name = "result of " + o.Tool
	}
	if o.Date != "" {
		name += " (" + o.Date + ")"
	}
	return Line(name, 100)
}

func stepName(t *trace.Trace, id string) string {
	if s := t.Step(id); s != nil {
		return Line(s.Label(), 60)
	}
	return id
}

// Evidence writes the ledgers of traces as one JSON array. Lists are always
// present; fields are only ever added.
func Evidence(w io.Writer, traces []*trace.Trace) error {
	b := bufio.NewWriter(w)
	b.WriteByte('[')
	for i, t := range traces {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		e := json.NewEncoder(b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(newLedgerJSON(t, evidence.Build(t))); err != nil {
			return fmt.Errorf("write the evidence of trace %s: %w", t.ID, err)
		}
	}
	b.WriteString("]\n")
	return b.Flush()
}

// ledgerJSON is a ledger for scripts: links name observations by id, so that
// parts of it stand alone.
type ledgerJSON struct {
	TraceID      string            `json:"trace_id"`
	Version      string            `json:"evidence_version"`
	Question     string            `json:"question,omitempty"`
	Answer       string            `json:"answer,omitempty"`
	AskedAt      string            `json:"asked_at,omitempty"`
	Missing      string            `json:"missing,omitempty"`
	Limits       []string          `json:"limits"`
	Observations []observationJSON `json:"observations"`
	Links        []linkJSON        `json:"links"`
	Conflicts    []conflictJSON    `json:"conflicts"`
	Stale        []staleJSON       `json:"stale"`
	Echoes       []echoJSON        `json:"echoes"`
}

type observationJSON struct {
	ID        string         `json:"id"`
	StepID    string         `json:"step_id"`
	SpanID    string         `json:"span_id,omitempty"`
	Tool      string         `json:"tool,omitempty"`
	Source    string         `json:"source,omitempty"`
	URL       string         `json:"url,omitempty"`
	Title     string         `json:"title,omitempty"`
	Date      string         `json:"date,omitempty"`
	Authority string         `json:"authority,omitempty"`
	DocID     string         `json:"doc_id,omitempty"`
	Error     bool           `json:"error"`
	Text      string         `json:"text"`
	Place     evidence.Place `json:"place"`
	Repeats   []string       `json:"repeats"`
}

type linkJSON struct {
	Value    string         `json:"value"`
	Kind     atom.Kind      `json:"kind"`
	Reading  string         `json:"reading"`
	Unit     string         `json:"unit,omitempty"`
	Place    evidence.Place `json:"place"`
	State    evidence.State `json:"state"`
	Given    bool           `json:"given"`
	How      string         `json:"how,omitempty"`
	Operands []string       `json:"operands"`
	Sources  []sourceJSON   `json:"sources"`
}

type sourceJSON struct {
	Observation string         `json:"observation"`
	Source      string         `json:"source,omitempty"`
	Date        string         `json:"date,omitempty"`
	Place       evidence.Place `json:"place"`
	Quote       string         `json:"quote"`
}

type conflictJSON struct {
	Subject string       `json:"subject"`
	Sides   []sourceJSON `json:"sides"`
}

type staleJSON struct {
	Observation string `json:"observation"`
	Date        string `json:"date,omitempty"`
	Asked       string `json:"asked,omitempty"`
	Reason      string `json:"reason"`
	Used        bool   `json:"used"`
}

type echoJSON struct {
	Observations []string `json:"observations"`
	Similarity   float64  `json:"similarity"`
}

func newLedgerJSON(t *trace.Trace, l *evidence.Ledger) *ledgerJSON {
	j := &ledgerJSON{
		TraceID: t.ID, Version: evidence.Version, Question: t.Question, Answer: t.Answer, AskedAt: l.AskedAt, Missing: l.Missing, Limits: l.Cut,
		Observations: make([]observationJSON, 0, len(l.Observations)), Links: make([]linkJSON, 0, len(l.Links)),
		Conflicts: []conflictJSON{}, Stale: []staleJSON{}, Echoes: []echoJSON{},
	}
	for i := range l.Observations {
		o := &l.Observations[i]
		j.Observations = append(j.Observations, observationJSON{
			ID: o.ID, StepID: o.StepID, SpanID: o.SpanID, Tool: o.Tool, Source: o.Source, URL: o.URL, Title: o.Title, Date: o.Date,
			Authority: o.Authority, DocID: o.DocID, Error: o.Error, Text: o.Text, Place: o.Place, Repeats: o.Repeats,
		})
	}
	source := func(o int, p evidence.Place, quote string) sourceJSON {
		obs := &l.Observations[o]
		return sourceJSON{Observation: obs.ID, Source: obs.Source, Date: obs.Date, Place: p, Quote: quote}
	}
	for i := range l.Links {
		k := &l.Links[i]
		link := linkJSON{Value: k.Atom.Text, Kind: k.Atom.Kind, Reading: k.Atom.Value, Unit: k.Atom.Unit, Place: k.Place, State: k.State, Given: l.Gave(k),
			How: k.How, Operands: k.Operands, Sources: make([]sourceJSON, 0, len(k.Observations))}
		for n, o := range k.Observations {
			link.Sources = append(link.Sources, source(o, k.Sources[n], k.Quotes[n]))
		}
		j.Links = append(j.Links, link)
	}
	for i := range l.Conflicts {
		c := &l.Conflicts[i]
		j.Conflicts = append(j.Conflicts, conflictJSON{Subject: c.Subject, Sides: []sourceJSON{source(c.A, c.PlaceA, c.AtomA.Text), source(c.B, c.PlaceB, c.AtomB.Text)}})
	}
	for _, s := range l.Stale {
		j.Stale = append(j.Stale, staleJSON{Observation: l.Observations[s.Observation].ID, Date: s.Date, Asked: s.Asked, Reason: s.Reason, Used: s.Used})
	}
	for _, e := range l.Echoes {
		echo := echoJSON{Observations: make([]string, 0, len(e.Observations)), Similarity: e.Similarity}
		for _, o := range e.Observations {
			echo.Observations = append(echo.Observations, l.Observations[o].ID)
		}
		j.Echoes = append(j.Echoes, echo)
	}
	return j
}
