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

// linked is the text in which linked values stand: the answer of a turn, which the
// step gave, or the arguments of the step.
type linked struct {
	trace, step string
	answer      bool
}

func placeOf(l *LinkRow) linked { return linked{l.TraceID, l.StepID, l.Field == "answer"} }

// linkedTexts are the texts of the batch in which its links' values stand.
func (b *Batch) linkedTexts() map[linked]string {
	texts := make(map[linked]string)
	for i := range b.Links {
		texts[placeOf(&b.Links[i])] = ""
	}
	for i := range b.Steps {
		s := &b.Steps[i]
		for at, text := range map[linked]string{{s.TraceID, s.StepID, true}: s.Output, {s.TraceID, s.StepID, false}: s.Input} {
			if _, wanted := texts[at]; wanted {
				texts[at] = text
			}
		}
	}
	for i := range b.Traces { // whole, where the step's messages were cut
		t := &b.Traces[i]
		texts[linked{t.TraceID, t.AnswerStep, true}] = t.Answer
	}
	return texts
}
