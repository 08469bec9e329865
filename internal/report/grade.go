// Package report writes what was graded, and what was read, for people and for
// programs. Each format is a [Handler] that takes the same stream:
//
//	Start    who grades: version and rules
//	Trace    one graded trace, in order
//	Session  one graded session, after its traces
//	End      the summary, from which the exit status comes as well
package report

import (
	"fmt"
	"io"
	"path"
	"sort"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// Rule is one rule of the set that graded.
type Rule struct {
	ID       string
	Hash     string
	Source   string // file:line, or pack/file:line
	Title    string
	Severity trace.Severity
	// Withheld is why a fail of the rule never decides the status of a run, as
	// that of a rubric whose judge is not known to agree with people; empty: it may.
	Withheld string
	// Corrected says what a rate of fails comes to when the errors of who judged are
	// known; nil, or an empty text, where they are not.
	Corrected func(fails, n int) string
	// Unjudged reports whether a finding leaves open what may decide the status of a
	// run, since nobody judged it; nil: none does.
	Unjudged func(*trace.Finding) bool
	// Limit is what the rule cannot see, in its own words; empty: not stated.
	Limit string
}

// Start opens a stream.
type Start struct {
	Version string
	Rules   []Rule
	// All shows every outcome; otherwise pass and not_applicable are counted
	// only, except those of rubrics.
	All bool
}

// byID finds the rules.
func (s Start) byID() map[string]Rule {
	m := make(map[string]Rule, len(s.Rules))
	for _, r := range s.Rules {
		m[r.ID] = r
	}
	return m
}

// withheld is why a finding is a fail that decides nothing; empty where it is
// no fail, or decides.
func (r Rule) withheld(f *trace.Finding) string {
	if f.Outcome != trace.OutcomeFail {
		return ""
	}
	return r.Withheld
}

// doesNotGate is how it is called where people read it.
const doesNotGate = "does not gate"

// note is what is to be known of the results of a rule: sentences, or none.
func (r Rule) note(of RuleSummary) []string {
	var list []string
	if r.Withheld != "" && of.Fail > 0 {
		list = append(list, doesNotGate+": "+r.Withheld)
	}
	if r.Corrected != nil && of.Applied() > 0 {
		if text := r.Corrected(of.Fail, of.Applied()); text != "" {
			list = append(list, "rate of fails: "+text)
		}
	}
	if r.Limit != "" && of.Applied() > 0 {
		list = append(list, "limit: "+r.Limit)
	}
	return list
}

// Session is the findings of what is graded on sessions as a whole.
type Session struct {
	ID       string // empty for a trace that belongs to no session
	TraceIDs []string
	// Grade holds the findings about the session alone; its trace is the last.
	*trace.Grade
}

// subject says what the findings are about.
func (s *Session) subject() (kind, id string) {
	if s.ID == "" {
		return "trace", s.Trace.ID
	}
	return "session", s.ID
}

// RuleSummary counts the outcomes of one rule over all traces and sessions.
type RuleSummary struct {
	Rule          string `json:"rule"`
	Pass          int    `json:"pass"`
	Fail          int    `json:"fail"`
	NotApplicable int    `json:"not_applicable"`
	Error         int    `json:"error"`
	Skipped       int    `json:"skipped"`
}

// Applied is how often the rule came to a conclusion.
func (s *RuleSummary) Applied() int { return s.Pass + s.Fail }

// Summary is what a whole run of grading found.
type Summary struct {
	Traces   int           `json:"traces"`
	Spans    int           `json:"spans"`
	Findings int           `json:"findings"` // those that are listed
	ByRule   []RuleSummary `json:"by_rule"`  // in the order of Start.Rules
	// WorstSeverity is the highest severity of a failed rule that may decide the
	// status.
	WorstSeverity trace.Severity `json:"-"`
	// Withheld counts the fails of those that may not.
	Withheld int `json:"does_not_gate"`
	// Unjudged counts, by reason, the outcomes that leave open what may decide the
	// status; see [Rule.Unjudged].
	Unjudged map[string]int `json:"unjudged,omitempty"`
	// UnmetClaims counts the lines of the file of claims that found no trace; 0
	// without such a file.
	UnmetClaims int `json:"unmet_claims,omitempty"`
	// Unread says what of the inputs could not be read, each with its place, so that
	// a report is not taken for one of all of them.
	Unread []string `json:"unread,omitempty"`
	// Stopped says what was not graded where the run was stopped before its end; empty
	// where it was not.
	Stopped string `json:"stopped,omitempty"`
}

// lack is something that the report is not about.
type lack struct{ Kind, What string }

func (l lack) String() string { return l.Kind + ": " + l.What }

// lacking is all that the report is not about, although it was asked for.
func (s *Summary) lacking() []lack {
	var list []lack
	for _, problem := range s.Unread {
		list = append(list, lack{"could not be read", problem})
	}
	if s.Stopped != "" {
		list = append(list, lack{"stopped before the end", s.Stopped})
	}
	return list
}

// Total adds up the outcomes of all rules.
func (s *Summary) Total() RuleSummary {
	var t RuleSummary
	for _, r := range s.ByRule {
		t.Pass += r.Pass
		t.Fail += r.Fail
		t.NotApplicable += r.NotApplicable
		t.Error += r.Error
		t.Skipped += r.Skipped
	}
	return t
}

// Handler writes one format. What it is given is its own until it returns, and no
// longer.
type Handler interface {
	Start(Start) error
	Trace(*trace.Grade) error
	Session(*Session) error
	End(*Summary) error
}

// handlers is every format of graded results.
var handlers = map[string]func(io.Writer) Handler{
	"text":     newText,
	"json":     newJSON,
	"jsonl":    newJSONL,
	"junit":    newJUnit,
	"sarif":    newSARIF,
	"markdown": newMarkdown,
	"html":     newHTML,
}

// endings maps the ending of a file's name to a format.
var endings = map[string]string{
	".txt": "text", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
	".junit.xml": "junit", ".xml": "junit", ".sarif": "sarif", ".sarif.json": "sarif",
	".md": "markdown", ".html": "html", ".htm": "html",
}

// Formats lists the names that New accepts.
func Formats() []string {
	var names []string
	for n := range handlers {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// New returns the handler of a format.
func New(format string, w io.Writer) (Handler, error) {
	if h, ok := handlers[format]; ok {
		return h(w), nil
	}
	return nil, fmt.Errorf("format %q: want %s", format, strings.Join(Formats(), ", "))
}

// FormatOf returns the format that a file's name asks for by its ending.
func FormatOf(name string) (string, error) {
	base := strings.ToLower(path.Base(name))
	best := ""
	for ending := range endings {
		if strings.HasSuffix(base, ending) && len(ending) > len(best) {
			best = ending
		}
	}
	if best == "" {
		var known []string
		for ending := range endings {
			known = append(known, ending)
		}
		sort.Strings(known)
		return "", fmt.Errorf("output file %s: its ending names no format, want one of %s", name, strings.Join(known, " "))
	}
	return endings[best], nil
}

// Counter makes a Summary of a stream.
type Counter struct {
	all     bool
	summary Summary
	index   map[string]int
	rules   map[string]Rule
}

// NewCounter starts a summary for the rules of s.
func NewCounter(s Start) *Counter {
	c := &Counter{all: s.All, index: map[string]int{}, rules: s.byID()}
	c.summary.ByRule = []RuleSummary{}
	for _, r := range s.Rules {
		c.rule(r.ID)
	}
	return c
}

func (c *Counter) rule(id string) *RuleSummary {
	i, ok := c.index[id]
	if !ok {
		i = len(c.summary.ByRule)
		c.index[id] = i
		c.summary.ByRule = append(c.summary.ByRule, RuleSummary{Rule: id})
	}
	return &c.summary.ByRule[i]
}

// Trace counts one graded trace.
func (c *Counter) Trace(g *trace.Grade) {
	c.summary.Traces++
	for _, s := range g.Trace.Steps {
		if s.HasSpan() {
			c.summary.Spans++
		}
	}
	c.grade(g)
}

// Session counts one graded session. Its traces were counted before it.
func (c *Counter) Session(s *Session) { c.grade(s.Grade) }

func (c *Counter) grade(g *trace.Grade) {
	for i := range g.Counts {
		n := &g.Counts[i]
		r := c.rule(n.Rule)
		r.Pass += n.Pass
		r.Fail += n.Fail
		r.NotApplicable += n.NotApplicable
		r.Error += n.Error
		r.Skipped += n.Skipped
	}
	c.findings(g.Findings)
}

func (c *Counter) findings(list []trace.Finding) {
	for i := range list {
		f := &list[i]
		if c.all || f.Stored() {
			c.summary.Findings++
		}
		if open := c.rules[f.Rule].Unjudged; open != nil && open(f) {
			if c.summary.Unjudged == nil {
				c.summary.Unjudged = map[string]int{}
			}
			c.summary.Unjudged[f.Reason]++
		}
		switch {
		case f.Outcome != trace.OutcomeFail:
		case c.rules[f.Rule].Withheld != "":
			c.summary.Withheld++
		default:
			c.summary.WorstSeverity = max(c.summary.WorstSeverity, f.Severity)
		}
	}
}

// Summary is what was counted so far.
func (c *Counter) Summary() *Summary { return &c.summary }

// Tee hands one stream to several handlers and gives each the summary.
type Tee []Handler

// Start opens all of them.
func (t Tee) Start(s Start) error { return t.each(func(h Handler) error { return h.Start(s) }) }

// Trace hands on one trace.
func (t Tee) Trace(g *trace.Grade) error { return t.each(func(h Handler) error { return h.Trace(g) }) }

// Session hands on one session.
func (t Tee) Session(s *Session) error { return t.each(func(h Handler) error { return h.Session(s) }) }

// End closes all of them.
func (t Tee) End(s *Summary) error { return t.each(func(h Handler) error { return h.End(s) }) }

func (t Tee) each(do func(Handler) error) error {
	for _, h := range t {
		if err := do(h); err != nil {
			return err
		}
	}
	return nil
}

// listed returns the findings that are shown.
func listed(all bool, list []trace.Finding) []trace.Finding {
	if all {
		return list
	}
	var shown []trace.Finding // most are not
	for i := range list {
		if list[i].Stored() {
			shown = append(shown, list[i])
		}
	}
	return shown
}
