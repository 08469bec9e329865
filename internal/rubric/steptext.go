package rubric

import (
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

// writer writes the text of a section, and keeps which words are ours: labels,
// numbers, notes. They help to read the trace, and are no evidence.
type writer struct {
	text strings.Builder
	own  []string // in the order of the text
	mute bool     // ours are left out
}

// ours writes words of our own.
func (w *writer) ours(s string) {
	if w.mute {
		return
	}
	w.text.WriteString(s)
	w.own = append(w.own, s)
}

// theirs writes words of the trace.
func (w *writer) theirs(s string) { w.text.WriteString(s) }

// line writes a labelled text, unless there is none.
func (w *writer) line(label, text string) {
	if text = strings.TrimSpace(text); text != "" {
		w.text.Grow(len(label) + len(text) + len(": \n"))
		w.ours(label + ": ")
		w.theirs(text)
		w.theirs("\n")
	}
}

// String is what was written.
func (w *writer) String() string { return strings.TrimSpace(w.text.String()) }

// StepText is the content of a step for a judge; empty where none was captured.
func StepText(s *trace.Step) string {
	var w writer
	w.step(s)
	return w.String()
}

// wordsOf is the content of a step without our labels: a line of it begins as the
// trace has it.
func wordsOf(s *trace.Step) string {
	w := writer{mute: true}
	w.step(s)
	return w.String()
}

// lost says why a part of what a step said or returned may be missing in its text, by
// what was lost when it was recorded or stored: cut, or redacted. What was lost of its
// input is no part of what a model said.
func lost(s *trace.Step) (cut, redacted bool) {
	for _, l := range s.Losses {
		if s.Kind != trace.KindTool && ofInput(l.Key) {
			continue
		}
		switch l.Reason {
		case "cut", "over_limit":
			cut = true
		case "redacted":
			redacted = true
		}
	}
	return cut, redacted
}

// ofInput reports whether a field, as conventions call it, holds what was asked.
func ofInput(key string) bool {
	for _, word := range [...]string{"input", "prompt", "request", "instructions", "definitions", "parameters"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// step writes the content of a step, and reports whether any was captured.
func (w *writer) step(s *trace.Step) bool {
	before := w.text.Len()
	if t := s.Tool; t != nil && (t.Arguments.Captured() || t.Result.Captured() || t.Error != "") {
		w.line("tool", t.Name)
		w.line("arguments", valueText(&t.Arguments))
		w.line("result", valueText(&t.Result))
		w.line("error", t.Error)
	}
	shown := ""
	if s.Tool != nil {
		shown = valueText(&s.Tool.Result)
	}
	for i, d := range s.Documents {
		if !repeats(shown, d) {
			w.document(i+1, d)
		}
	}
	for _, msg := range s.Output.List() {
		for i := range msg.Parts {
			w.part(&msg.Parts[i])
		}
	}
	if s.Tool == nil {
		w.line("input", valueText(&s.RawInput))
		w.line("output", valueText(&s.RawOutput))
	}
	return w.text.Len() > before
}

// repeats reports whether a result that is shown holds the document already:
// the first words of its content are enough, as far as JSON leaves them alone.
func repeats(result string, d trace.Document) bool {
	if result == "" {
		return false
	}
	head := d.Content
	if i := strings.IndexAny(head, "\"\\\n\t"); i >= 0 {
		head = head[:i]
	}
	head = strings.ToValidUTF8(head[:min(len(head), 80)], "")
	return d.Content != "" && strings.Contains(result, head)
}

func (w *writer) document(n int, d trace.Document) {
	head := ""
	for _, part := range []string{d.ID, d.Title, d.URL, d.Source, d.PublishedAt} {
		if part != "" && !strings.Contains(head, part) {
			head += part + " | "
		}
	}
	w.line(fmt.Sprintf("document %d", n), strings.TrimSuffix(head, " | ")+"\n"+d.Content)
}

func (w *writer) part(p *trace.Part) {
	switch p.Type {
	case trace.PartText:
		w.line("said", p.Text)
	case trace.PartReasoning:
		w.line("reasoning", p.Text)
	case trace.PartToolCall:
		w.line("called", p.Name+" "+valueText(&p.Value))
	case trace.PartToolResult:
		w.line("result of "+p.Name, valueText(&p.Value))
	case trace.PartMedia:
		w.line("media", p.Modality+" "+p.MIME)
	case trace.PartOther:
		w.line("other", valueText(&p.Value))
	}
}

// valueText is a value as text: plain text as it is, data as JSON in which
// every script can be read.
func valueText(v *trace.Value) string {
	if !v.Captured() {
		return ""
	}
	if s, ok := v.Data().(string); ok {
		return s
	}
	return trace.EncodeJSON(v.Data())
}
