package report

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/tracegrade/tracegrade/internal/trace"
)

//go:embed report.html.tmpl
var htmlTemplate string

// htmlHandler writes one self-contained page. html/template escapes what
// traces hold.
type htmlHandler struct {
	w     io.Writer
	page  htmlPage
	tmpl  *template.Template
	rules map[string]Rule
}

type htmlPage struct {
	Start    Start
	Subjects []htmlSubject
	Summary  *Summary
	Total    RuleSummary
	Lacking  []lack
	Notes    []htmlNote
}

type htmlNote struct{ Rule, Text string }

type htmlSubject struct {
	Name, ID         string
	Question, Answer string
	Findings         []htmlFinding
}

type htmlFinding struct {
	trace.Finding
	Title    string
	Withheld bool
	Spans    []htmlSpan
}

type htmlSpan struct {
	ID, Kind, Label, Excerpt string
}

func newHTML(w io.Writer) Handler {
	return &htmlHandler{w: w, tmpl: template.Must(template.New("report").Parse(htmlTemplate))}
}

func (h *htmlHandler) Start(s Start) error {
	h.page.Start, h.rules = s, s.byID()
	return nil
}

func (h *htmlHandler) Trace(g *trace.Grade) error {
	h.add(htmlSubject{Name: "trace", ID: g.Trace.ID, Question: Line(g.Trace.Question, 500), Answer: Line(g.Trace.Answer, 2000)}, g.Findings, g.Trace)
	return nil
}

func (h *htmlHandler) Session(s *Session) error {
	kind, id := s.subject()
	h.add(htmlSubject{Name: kind, ID: id}, s.Findings, nil)
	return nil
}

func (h *htmlHandler) add(subject htmlSubject, list []trace.Finding, t *trace.Trace) {
	for _, f := range listed(h.page.Start.All, list) {
		finding := htmlFinding{Finding: f, Title: h.rules[f.Rule].Title, Withheld: h.rules[f.Rule].withheld(&f) != ""}
		for _, id := range f.Witness {
			span := htmlSpan{ID: id}
			if t != nil {
				if s := witnessed(t, id); s != nil {
					span.Kind, span.Label, span.Excerpt = s.Kind.String(), Line(s.Label(), 80), excerpt(s)
				}
			}
			finding.Spans = append(finding.Spans, span)
		}
		subject.Findings = append(subject.Findings, finding)
	}
	if len(subject.Findings) > 0 {
		h.page.Subjects = append(h.page.Subjects, subject)
	}
}

func (h *htmlHandler) End(s *Summary) error {
	h.page.Summary, h.page.Total, h.page.Lacking = s, s.Total(), s.lacking()
	for _, r := range s.ByRule {
		for _, note := range h.rules[r.Rule].note(r) {
			h.page.Notes = append(h.page.Notes, htmlNote{r.Rule, note})
		}
	}
	return h.tmpl.Execute(h.w, h.page)
}
