package message

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// DSPy writes a whole exchange into the text of one message: each field of a
// signature below a marker with its name,
//
//	[[ ## question ## ]]
//	How much does it cost?
//
// and its agents' calls and observations so far as fields with numbers:
// thought_0, tool_name_0, tool_args_0, observation_0.
const (
	markBegin = "[[ ## "
	markEnd   = " ## ]]"
	// markTail begins what DSPy demands of the model after the last field.
	markTail = "Respond with the corresponding output fields"
)

// marked is one field of such a text.
type marked struct{ name, text string }

// unmark makes messages of a text of fields: a model's reply is one, with its
// reasoning and the call that it asks for; what a model is given is the demand
// as a system message, the user's fields, and what was done so far as calls and
// their results. It is nil for any other message.
func unmark(m *trace.Message) []trace.Message {
	if len(m.Parts) != 1 || m.Parts[0].Type != trace.PartText || !strings.HasPrefix(m.Parts[0].Text, markBegin) {
		return nil
	}
	fields := markedFields(m.Parts[0].Text)
	if m.Role != trace.RoleUser {
		said := *m
		said.Parts = replyParts(fields)
		return []trace.Message{said}
	}
	var out []trace.Message
	last := &fields[len(fields)-1]
	if at := strings.LastIndex(last.text, markTail); at >= 0 {
		out = append(out, trace.Message{Role: trace.RoleSystem, Parts: []trace.Part{textPart(last.text[at:])}})
		last.text = strings.TrimSpace(last.text[:at])
	}
	var asked trace.Part // the call that an observation answers
	for _, f := range fields {
		base, number := numbered(f.name)
		switch {
		case f.text == "":
		case number && base == "observation":
			out = append(out, heard(asked.Name, f.text))
		case number && (base == "thought" || base == "tool_name" || base == "tool_args"):
			if n := len(out); n == 0 || out[n-1].Role != trace.RoleAssistant {
				out = append(out, trace.Message{Role: trace.RoleAssistant})
			}
			parts := &out[len(out)-1].Parts
			*parts = saidPart(*parts, base, f.text)
			asked = (*parts)[len(*parts)-1]
		default:
			out = append(out, trace.Message{Role: m.Role, Name: f.name, Parts: []trace.Part{textPart(f.text)}})
		}
	}
	return out
}

// markedFields cuts a text at the lines that are markers.
func markedFields(text string) []marked {
	var out []marked
	for _, line := range strings.SplitAfter(text, "\n") {
		if rest, ok := strings.CutPrefix(line, markBegin); ok {
			if name, after, ok := strings.Cut(rest, markEnd); ok {
				out = append(out, marked{name: name, text: after})
				continue
			}
		}
		if len(out) == 0 { // a marker that has no end
			out = append(out, marked{})
		}
		out[len(out)-1].text += line
	}
	for i := range out {
		out[i].text = strings.TrimSpace(out[i].text)
	}
	return out
}

// replyParts reads the fields of a reply. A sole answer is its text; of several
// each is named.
func replyParts(fields []marked) []trace.Part {
	var parts []trace.Part
	var answers []marked
	for _, f := range fields {
		base := strings.TrimPrefix(f.name, "next_")
		switch base {
		case "completed":
			continue
		case "reasoning", "rationale", "thought", "tool_name", "tool_args":
			parts = saidPart(parts, base, f.text)
			continue
		}
		answers = append(answers, f)
	}
	for _, a := range answers {
		if text := a.text; text != "" {
			if len(answers) > 1 {
				text = a.name + ": " + text + "\n"
			}
			parts = append(parts, textPart(text))
		}
	}
	return parts
}

// saidPart adds a thought or half of a call to an assistant's message.
func saidPart(parts []trace.Part, what, text string) []trace.Part {
	switch {
	case text == "":
	case what == "tool_name":
		parts = append(parts, trace.Part{Type: trace.PartToolCall, Name: text})
	case what == "tool_args":
		if n := len(parts); n > 0 && parts[n-1].Type == trace.PartToolCall {
			parts[n-1].Value = trace.RawValue(text, value.Decode)
			return parts
		}
		parts = append(parts, textPart(text))
	default:
		parts = append(parts, trace.Part{Type: trace.PartReasoning, Text: text})
	}
	return parts
}

// numbered splits observation_3 into its name and the fact that it has a number.
func numbered(name string) (base string, ok bool) {
	at := strings.LastIndexByte(name, '_')
	if at < 0 || !value.IsIndex(name[at+1:]) {
		return name, false
	}
	return name[:at], true
}
