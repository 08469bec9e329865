package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// InspectText writes what was understood of traces for people: each trace as a
// tree of steps in the order in which things happened, with what was asked,
// returned and answered, and what could not be read.
func InspectText(w io.Writer, traces []*trace.Trace) error {
	b := bufio.NewWriter(w)
	for i, t := range traces {
		if i > 0 {
			b.WriteByte('\n')
		}
		inspectTrace(b, t)
	}
	return b.Flush()
}

func inspectTrace(b *bufio.Writer, t *trace.Trace) {
	fmt.Fprintf(b, "trace %s%s\n", t.ID, header(t))
	fact := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %-9s %s\n", name, Line(text, 160))
		}
	}
	fact("question", t.Question)
	fact("answer", t.Answer)
	fact("usage", usageText(t.Usage))
	state := fmt.Sprintf("%d spans and log records, released: %s", t.Revision, t.Release.Reason)
	switch {
	case t.Release.MissingParents > 0:
		state += fmt.Sprintf(", incomplete: %s missing", plural(t.Release.MissingParents, "parent"))
	case t.Release.Cycles > 0:
		state += fmt.Sprintf(", incomplete: %s of parents cut", plural(t.Release.Cycles, "cycle"))
	case !t.Release.Complete:
		state += ", incomplete: no root"
	}
	if t.Unjoined > 0 {
		state += fmt.Sprintf(", %s without a span", plural(t.Unjoined, "log record"))
	}
	fact("state", state)
	depth := stepDepths(t)
	for _, s := range t.Steps {
		inspectStep(b, s, strings.Repeat("  ", 1+depth[s]))
	}
}

// depthMax bounds the indentation: deeper steps stand at this depth.
const depthMax = 20

// stepDepths says how deep each step lies in the tree.
func stepDepths(t *trace.Trace) map[*trace.Step]int {
	bySpan := make(map[string]*trace.Step, len(t.Steps))
	for _, s := range t.Steps {
		if s.SpanID != "" {
			bySpan[s.SpanID] = s
		}
	}
	depths := make(map[*trace.Step]int, len(t.Steps))
	for _, s := range t.Steps {
		depth := 0
		above := map[*trace.Step]bool{s: true} // a cycle of parents ends where it began
		for p := bySpan[s.ParentID]; p != nil && !above[p] && depth < depthMax; p = bySpan[p.ParentID] {
			above[p] = true
			depth++
		}
		depths[s] = depth
	}
	return depths
}

func inspectStep(b *bufio.Writer, s *trace.Step, indent string) {
	fmt.Fprintf(b, "%s%s %s", indent, s.Kind, Line(s.Label(), 60))
	for _, note := range stepNotes(s) {
		fmt.Fprintf(b, "  [%s]", note)
	}
	b.WriteByte('\n')
	fact := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "%s  %s: %s\n", indent, name, Line(text, 140))
		}
	}
	if s.DuplicateOf != "" {
		return
	}
	if t := s.Tool; t != nil {
		fact("arguments", t.Arguments.Text())
		fact("result", t.Result.Text())
		fact("error", t.Error)
	} else if s.Status.Failed {
		fact("error", strings.TrimSpace(s.Status.ErrorType+" "+s.Status.Message))
	}
	for _, m := range s.Output.List() {
		for i := range m.Parts {
			switch p := &m.Parts[i]; p.Type {
			case trace.PartText:
				fact("said", p.Text)
			case trace.PartToolCall:
				fact("asked for", p.Name+" "+p.Value.Text())
			default:
			}
		}
	}
	for _, d := range s.Documents {
		fact("document", strings.TrimSpace(strings.Join([]string{d.Title, d.URL, d.PublishedAt}, " ")))
	}
	fact("usage", usageText(s.Usage))
	for _, l := range s.Losses {
		fact("loss", lossText(l))
	}
}

// stepNotes are what is out of the ordinary about a step.
func stepNotes(s *trace.Step) []string {
	var notes []string
	note := func(when bool, format string, args ...any) {
		if when {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	note(s.Status.Failed, "failed")
	note(s.Turn > 1, "turn %d", s.Turn)
	note(s.CausedBy != "", "by %s", s.CausedBy)
	note(s.Tool != nil && s.Tool.CallIDFrom != "", "cause inferred")
	note(s.Synthetic, "no span")
	note(s.DuplicateOf != "", "repeats %s", s.DuplicateOf)
	note(s.Capture != trace.CaptureFull, "capture %s", s.Capture)
	note(s.SpanID != "", "%s", s.SpanID)
	return notes
}

func usageText(u trace.Usage) string {
	if u.Scope == trace.UsageNone {
		return ""
	}
	text := fmt.Sprintf("%d in, %d out", u.Input, u.Output)
	for _, part := range []struct {
		n    int64
		name string
	}{{u.Reasoning, "reasoning"}, {u.CacheRead, "from cache"}, {u.CacheWrite, "to cache"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.name)
		}
	}
	if u.Scope == trace.UsageAggregate {
		text += " (sum of the steps below)"
	}
	return text
}
