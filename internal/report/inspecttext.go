package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
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
	for _, p := range treeOf(t) {
		inspectStep(b, p.step, strings.Repeat("  ", 1+min(p.depth, depthMax)))
	}
}

// depthMax bounds the indentation: deeper steps stand at this depth.
const depthMax = 20

// placed is a step with how deep it lies in the tree.
type placed struct {
	step  *trace.Step
	depth int
}

// treeOf lists the steps as a tree: below each step, in the order in which they
// happened, those within it. What ran at the same time as another step is
// thereby never shown below that one.
func treeOf(t *trace.Trace) []placed {
	bySpan := make(map[string]*trace.Step, len(t.Steps))
	for _, s := range t.Steps {
		if s.SpanID != "" {
			bySpan[s.SpanID] = s
		}
	}
	within := make(map[*trace.Step][]*trace.Step)
	var roots []*trace.Step
	for _, s := range t.Steps {
		if p := bySpan[s.ParentID]; p != nil && p != s {
			within[p] = append(within[p], s)
		} else {
			roots = append(roots, s)
		}
	}
	list := make([]placed, 0, len(t.Steps))
	listed := make(map[*trace.Step]bool, len(t.Steps))
	walk := func(root *trace.Step) {
		stack := []placed{{root, 0}}
		for len(stack) > 0 {
			p := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if listed[p.step] {
				continue
			}
			listed[p.step] = true
			list = append(list, p)
			for _, s := range slices.Backward(within[p.step]) {
				stack = append(stack, placed{s, p.depth + 1})
			}
		}
	}
	for _, s := range roots {
		walk(s)
	}
	for _, s := range t.Steps { // a cycle of parents has no root: it begins with its first step
		walk(s)
	}
	return list
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
				fact(saying(m.Role), p.Text)
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

// saying is what to call a text of an output: that of an agent's state holds what
// the user and the instructions said as well.
func saying(role trace.Role) string {
	switch role {
	case trace.RoleUser:
		return "question"
	case trace.RoleSystem:
		return "system"
	case trace.RoleTool:
		return "result"
	}
	return "said"
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
