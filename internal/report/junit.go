package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// junitHandler writes JUnit XML: a suite per rule, a case per subject, with
// failure, error and skipped kept apart. A fail that does not decide the status
// counts as skipped, since servers let any failure decide. Where passes are not listed, one case
// that passes stands for them, so that counts are those of the cases.
type junitHandler struct {
	w      io.Writer
	all    bool
	rules  map[string]Rule
	suites map[string]*junitSuite
	order  []string
}

type junitSuites struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Errors   int           `xml:"errors,attr"`
	Skipped  int           `xml:"skipped,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	File       string          `xml:"file,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name       string          `xml:"name,attr"`
	Class      string          `xml:"classname,attr"`
	Properties []junitProperty `xml:"properties>property,omitempty"`
	Failure    *junitProblem   `xml:"failure"`
	Error      *junitProblem   `xml:"error"`
	Skipped    *junitProblem   `xml:"skipped"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func newJUnit(w io.Writer) Handler { return &junitHandler{w: w, suites: map[string]*junitSuite{}} }

func (h *junitHandler) Start(s Start) error {
	h.all, h.rules = s.All, s.byID()
	for _, r := range s.Rules {
		suite := h.suite(r.ID)
		suite.File = r.Source
		suite.Properties = []junitProperty{{"rule_hash", r.Hash}}
		if r.Withheld != "" {
			suite.Properties = append(suite.Properties, junitProperty{"does_not_gate", xmlText(r.Withheld)})
		}
		if r.Limit != "" {
			suite.Properties = append(suite.Properties, junitProperty{"limit", xmlText(r.Limit)})
		}
	}
	return nil
}

func (h *junitHandler) suite(rule string) *junitSuite {
	if s, ok := h.suites[rule]; ok {
		return s
	}
	s := &junitSuite{Name: rule}
	h.suites[rule] = s
	h.order = append(h.order, rule)
	return s
}

func (h *junitHandler) Trace(g *trace.Grade) error {
	h.cases("trace "+g.Trace.ID, g.Findings)
	return nil
}

func (h *junitHandler) Session(s *Session) error {
	kind, id := s.subject()
	h.cases(kind+" "+id, s.Findings)
	return nil
}

func (h *junitHandler) cases(subject string, list []trace.Finding) {
	for _, f := range listed(h.all, list) {
		c := junitCase{Name: xmlText(subject), Class: f.Rule}
		if f.SpanID != "" {
			c.Name += " span " + f.SpanID
		}
		if f.Score != nil {
			c.Properties = append(c.Properties, junitProperty{"score", fmt.Sprint(*f.Score)})
		}
		p := &junitProblem{Message: xmlText(Line(f.Message, 500)), Type: f.Reason, Text: "witness: " + strings.Join(f.Witness, " ")}
		if p.Message == "" {
			p.Message = f.Reason
		}
		switch f.Outcome {
		case trace.OutcomeFail:
			p.Type = f.Severity.String()
			if why := h.rules[f.Rule].Withheld; why != "" {
				p.Message = xmlText("fails, and " + doesNotGate + " (" + why + "): " + p.Message)
				c.Skipped = p
				break
			}
			c.Failure = p
		case trace.OutcomeError:
			c.Error = p
		case trace.OutcomeSkipped, trace.OutcomeNotApplicable:
			c.Skipped = p
		case trace.OutcomePass, trace.OutcomeUnset:
		}
		suite := h.suite(f.Rule)
		suite.Cases = append(suite.Cases, c)
	}
}

func (h *junitHandler) End(s *Summary) error {
	all := junitSuites{Name: "tracegrade"}
	if lacking := s.lacking(); len(lacking) > 0 {
		input := &junitSuite{Name: "input"}
		for _, l := range lacking {
			input.Cases = append(input.Cases, junitCase{Name: l.Kind, Class: "input", Error: &junitProblem{Message: xmlText(Line(l.What, 500))}})
		}
		input.count()
		all.Tests, all.Errors = input.Tests, input.Errors
		all.Suites = append(all.Suites, input)
	}
	for _, r := range s.ByRule {
		suite := h.suite(r.Rule)
		if n := r.Pass + r.Fail + r.NotApplicable + r.Error + r.Skipped - len(suite.Cases); n > 0 {
			suite.Cases = append(suite.Cases, junitCase{Name: fmt.Sprintf("%d more: passed or not applicable", n), Class: r.Rule})
		}
		suite.count()
		all.Tests += suite.Tests
		all.Failures += suite.Failures
		all.Errors += suite.Errors
		all.Skipped += suite.Skipped
	}
	for _, rule := range h.order {
		all.Suites = append(all.Suites, h.suites[rule])
	}
	if _, err := io.WriteString(h.w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(h.w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(h.w, "\n")
	return err
}

// count makes the counts of a suite those of its cases.
func (s *junitSuite) count() {
	s.Tests = len(s.Cases)
	for i := range s.Cases {
		switch c := &s.Cases[i]; {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
}

// xmlText removes what XML 1.0 cannot hold.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xd7ff || r >= 0xe000 && r <= 0xfffd || r >= 0x10000 {
			return r
		}
		return '\ufffd'
	}, s)
}
