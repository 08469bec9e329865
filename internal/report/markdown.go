package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// maxMarkdown is how many findings are listed; comments on a change are bounded.
const maxMarkdown = 100

// markdownHandler writes for a comment or a job summary: the counts, then the
// findings.
type markdownHandler struct {
	w       *bufio.Writer
	all     bool
	rules   map[string]Rule
	rows    []string
	omitted int
}

func newMarkdown(w io.Writer) Handler { return &markdownHandler{w: bufio.NewWriter(w)} }

func (h *markdownHandler) Start(s Start) error { h.all, h.rules = s.All, s.byID(); return nil }

func (h *markdownHandler) Trace(g *trace.Grade) error {
	h.add("trace "+g.Trace.ID, g.Findings)
	return nil
}

func (h *markdownHandler) Session(s *Session) error {
	kind, id := s.subject()
	h.add(kind+" "+id, s.Findings)
	return nil
}

func (h *markdownHandler) add(subject string, list []trace.Finding) {
	for _, f := range listed(h.all, list) {
		if len(h.rows) == maxMarkdown {
			h.omitted++
			continue
		}
		severity := ""
		if f.Outcome == trace.OutcomeFail {
			severity = f.Severity.String()
		}
		if h.rules[f.Rule].withheld(&f) != "" {
			severity += ", " + doesNotGate
		}
		text := f.Message
		if text == "" {
			text = f.Reason
		}
		h.rows = append(h.rows, fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", f.Outcome, severity, code(f.Rule),
			markdownText(text), code(subject), code(strings.Join(f.Witness, " "))))
	}
}

func (h *markdownHandler) End(s *Summary) error {
	total := s.Total()
	fmt.Fprintf(h.w, "### tracegrade: %d failed, %d passed, %d not applicable, %d errors, %d skipped\n\n%s, %s.\n",
		total.Fail, total.Pass, total.NotApplicable, total.Error, total.Skipped, plural(s.Traces, "trace"), plural(s.Spans, "span"))
	if len(h.rows) > 0 {
		fmt.Fprintf(h.w, "\n| outcome | severity | rule | message | subject | witness |\n|---|---|---|---|---|---|\n%s\n", strings.Join(h.rows, "\n"))
	}
	if h.omitted > 0 {
		fmt.Fprintf(h.w, "\n%d more findings are not shown.\n", h.omitted)
	}
	fmt.Fprintf(h.w, "\n| rule | pass | fail | n/a | error | skipped |\n|---|---:|---:|---:|---:|---:|\n")
	for _, r := range s.ByRule {
		fmt.Fprintf(h.w, "| %s | %d | %d | %d | %d | %d |\n", code(r.Rule), r.Pass, r.Fail, r.NotApplicable, r.Error, r.Skipped)
	}
	var notes []string
	for _, what := range s.lacking() {
		notes = append(notes, "* "+markdownText(Line(what.String(), 500))+"\n")
	}
	for _, r := range s.ByRule {
		for _, note := range h.rules[r.Rule].note(r) {
			notes = append(notes, "* "+code(r.Rule)+" "+markdownText(note)+"\n")
		}
	}
	if len(notes) > 0 {
		fmt.Fprintf(h.w, "\n%s", strings.Join(notes, ""))
	}
	return h.w.Flush()
}

// code is text in a code span of a table cell.
func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.NewReplacer("`", "'", "|", "\\|").Replace(Line(s, 200)) + "`"
}

// markdownText makes text of strangers plain: nothing in it is a link, an
// image, HTML or the end of a cell.
func markdownText(s string) string {
	return strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;", "`", "\\`", "[", "\\[", "]", "\\]",
		"*", "\\*", "_", "\\_", "!", "\\!", "@", "@\u200b", "#", "\\#").Replace(Line(s, 300))
}
