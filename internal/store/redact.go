package store

import "github.com/tracegrade/tracegrade/internal/redact"

// Redact applies a policy to every text of [Batch.Contents]. The value of a link
// goes as well where it goes from the text in which it stands: that it is a
// secret may be told by its field's name alone.
func (b *Batch) Redact(p *redact.Policy) {
	if !p.Enabled() {
		return
	}
	values := make([]string, len(b.Links))
	for i := range b.Links {
		values[i] = b.Links[i].Value
	}
	texts := b.linkedTexts()
	edit := func(s string) string { return p.Text(s).Text }
	b.Contents(func(s *string) { *s = edit(*s) })
	redacted := b.linkedTexts()
	for i := range b.Links {
		l := &b.Links[i]
		at := placeOf(l)
		if kept := redact.Within(values[i], texts[at], redacted[at], edit); kept != l.Value {
			l.Value, l.Canonical = kept, kept
		}
	}
}

// linked is the text in which linked values stand: the arguments of a step, or
// the answer of a trace where step is empty.
type linked struct{ trace, step string }

func placeOf(l *LinkRow) linked {
	if l.Field == "answer" {
		return linked{trace: l.TraceID}
	}
	return linked{l.TraceID, l.StepID}
}

// linkedTexts are the texts of the batch in which its links' values stand.
func (b *Batch) linkedTexts() map[linked]string {
	texts := make(map[linked]string)
	for i := range b.Links {
		texts[placeOf(&b.Links[i])] = ""
	}
	for i := range b.Traces {
		texts[linked{trace: b.Traces[i].TraceID}] = b.Traces[i].Answer
	}
	for i := range b.Steps {
		at := linked{b.Steps[i].TraceID, b.Steps[i].StepID}
		if _, wanted := texts[at]; wanted {
			texts[at] = b.Steps[i].Input
		}
	}
	return texts
}
