package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// textHandler writes for people: each trace that has findings, each finding
// with the span that proves it, then what was counted.
type textHandler struct {
	w     *bufio.Writer
	start Start
	rules map[string]Rule
}

func newText(w io.Writer) Handler { return &textHandler{w: bufio.NewWriter(w)} }

func (h *textHandler) Start(s Start) error { h.start, h.rules = s, s.byID(); return nil }

func (h *textHandler) Trace(g *trace.Grade) error {
	shown := listed(h.start.All, g.Findings)
	if len(shown) == 0 {
		return nil
	}
	t := g.Trace
	fmt.Fprintf(h.w, "trace %s%s\n", t.ID, header(t))
	if t.Question != "" {
		fmt.Fprintf(h.w, "  question  %s\n", Line(t.Question, 120))
	}
	if t.Answer != "" {
		fmt.Fprintf(h.w, "  answer    %s\n", Line(t.Answer, 120))
	}
	for i := range shown {
		h.finding(&shown[i], t)
	}
	_, err := fmt.Fprintln(h.w)
	return err
}

// header says what is known of a trace besides its id.
func header(t *trace.Trace) string {
	var b strings.Builder
	part := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %s %s", name, Line(value, 60))
		}
	}
	part("agent", strings.TrimSpace(t.Agent.Name+" "+t.Agent.Version))
	part("service", strings.TrimSpace(t.Service.Name+" "+t.Service.Version))
	part("session", t.Session)
	if trace.Dated(t.Start) {
		part("at", t.Start.UTC().Format(time.RFC3339))
	} else {
		part("in", t.Source)
	}
	return b.String()
}

func (h *textHandler) finding(f *trace.Finding, t *trace.Trace) {
	mark := f.Outcome.String()
	if f.Severity != trace.SeverityUnset && f.Outcome == trace.OutcomeFail {
		mark += " " + f.Severity.String()
	}
	fmt.Fprintf(h.w, "  %-13s %s", mark, f.Rule)
	if f.Score != nil {
		fmt.Fprintf(h.w, "  score %.3g", *f.Score)
	}
	if h.rules[f.Rule].withheld(f) != "" {
		fmt.Fprintf(h.w, "  (%s)", doesNotGate)
	}
	fmt.Fprintln(h.w)
	if f.Message != "" {
		fmt.Fprintf(h.w, "                %s\n", Line(f.Message, 300))
	}
	if f.Reason != "" && f.Outcome != trace.OutcomeFail && f.Outcome != trace.OutcomePass {
		fmt.Fprintf(h.w, "                reason: %s\n", Line(f.Reason, 200))
	}
	h.witness(f, t)
}

// maxWitness is how many witnesses of a finding are shown to people; the
// machine formats have them all.
const maxWitness = 5

func (h *textHandler) witness(f *trace.Finding, t *trace.Trace) {
	for i, id := range f.Witness {
		if i == maxWitness {
			fmt.Fprintf(h.w, "                … and %d more\n", len(f.Witness)-maxWitness)
			return
		}
		fmt.Fprintf(h.w, "                span %s", id)
		if t != nil {
			if s := witnessed(t, id); s != nil {
				fmt.Fprintf(h.w, "  %s %s%s", s.Kind, Line(s.Label(), 50), excerpt(s))
			}
		}
		fmt.Fprintln(h.w)
	}
}

// witnessed finds the step that a witness id names.
func witnessed(t *trace.Trace, id string) *trace.Step {
	for _, s := range t.Steps {
		if s.Witness() == id {
			return s
		}
	}
	return nil
}

// excerpt is the part of a step that a reader wants to see beside its name.
func excerpt(s *trace.Step) string {
	switch {
	case s.Tool != nil && s.Tool.Error != "":
		return "  error: " + Line(s.Tool.Error, 80)
	case s.Tool != nil && s.Tool.Arguments.Captured():
		return "  " + Line(s.Tool.Arguments.Text(), 80)
	case s.Status.Failed && s.Status.Message != "":
		return "  error: " + Line(s.Status.Message, 80)
	}
	return ""
}

func (h *textHandler) Session(s *Session) error {
	shown := listed(h.start.All, s.Findings)
	if len(shown) == 0 {
		return nil
	}
	if s.ID == "" {
		fmt.Fprintf(h.w, "trace %s\n", s.Trace.ID)
	} else {
		fmt.Fprintf(h.w, "session %s  %s\n", Line(s.ID, 80), plural(len(s.TraceIDs), "trace"))
	}
	for i := range shown {
		h.finding(&shown[i], nil)
	}
	_, err := fmt.Fprintln(h.w)
	return err
}

// End writes the counts: of each rule that found something, or with All of
// every rule, and of all together.
func (h *textHandler) End(s *Summary) error {
	var rows []RuleSummary
	width := len("rule")
	for _, r := range s.ByRule {
		if h.start.All || r.Fail+r.Error+r.Skipped > 0 {
			rows = append(rows, r)
			width = max(width, len(r.Rule))
		}
	}
	if len(rows) > 0 {
		fmt.Fprintf(h.w, "%-*s  %6s %6s %6s %6s %7s\n", width, "rule", "pass", "fail", "n/a", "error", "skipped")
	}
	for _, r := range rows {
		fmt.Fprintf(h.w, "%-*s  %6d %6d %6d %6d %7d\n", width, r.Rule, r.Pass, r.Fail, r.NotApplicable, r.Error, r.Skipped)
	}
	if quiet := len(s.ByRule) - len(rows); quiet > 0 && s.Traces > 0 {
		fmt.Fprintf(h.w, "%s passed or did not apply\n", plural(quiet, "rule"))
	}
	for _, r := range s.ByRule {
		for _, note := range h.rules[r.Rule].note(r) {
			fmt.Fprintf(h.w, "%s %s\n", r.Rule, Line(note, 300))
		}
	}
	if len(s.Unread) > 0 {
		fmt.Fprintln(h.w, "not all of the inputs could be read; the errors say what")
	}
	if s.Stopped != "" {
		fmt.Fprintf(h.w, "stopped before the end: %s\n", s.Stopped)
	}
	if s.UnmetClaims > 0 {
		fmt.Fprintf(h.w, "%s of claims without a trace\n", plural(s.UnmetClaims, "line"))
	}
	total := s.Total()
	fmt.Fprintf(h.w, "%s, %s: %d passed, %d failed, %d not applicable, %d errors, %d skipped\n",
		plural(s.Traces, "trace"), plural(s.Spans, "span"), total.Pass, total.Fail, total.NotApplicable, total.Error, total.Skipped)
	return h.w.Flush()
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Line makes text of strangers fit for one line of a terminal: control
// characters (which could move the cursor or change colours) become spaces,
// invalid UTF-8 is replaced, and what is longer than limit runes is cut with
// an ellipsis.
func Line(s string, limit int) string {
	var b strings.Builder
	n, space := 0, false
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		s = s[size:]
		if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			space = n > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			n++
			space = false
		}
		if n >= limit {
			b.WriteRune('…')
			break
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
