package assemble

import (
	"slices"
	"strings"
)

// withoutCircumstances is what a user asked without the elements that a program puts around it,
// whose tags say so: <session_context>…</session_context> beside it, <task>…</task> around it.
func withoutCircumstances(asked string) string {
	for {
		text := strings.TrimSpace(asked)
		if rest, ok := withoutElement(text); ok && rest != "" {
			asked = rest
			continue
		}
		if inner := theRequest(text); inner != "" {
			return inner
		}
		return asked
	}
}

// theRequest is what stands in the one element that a text is, where its tag says that
// it is what the user asked.
func theRequest(text string) string {
	name, rest, found := strings.Cut(strings.TrimPrefix(text, "<"), ">")
	if !found || text == "" || text[0] != '<' || !slices.Contains(questionKeys, name) {
		return ""
	}
	if inner, ended := strings.CutSuffix(rest, "</"+name+">"); ended && !strings.Contains(inner, "</"+name+">") {
		return strings.TrimSpace(inner)
	}
	return ""
}

// withoutElement takes an element that tells of circumstances off the beginning
// of a text, or off its end.
func withoutElement(text string) (rest string, ok bool) {
	if name, inner, found := strings.Cut(text, ">"); found && strings.HasPrefix(name, "<") && circumstance(name[1:]) {
		if _, rest, ok = strings.Cut(inner, "</"+name[1:]+">"); ok {
			return strings.TrimSpace(rest), true
		}
	}
	if i := strings.LastIndex(text, "</"); i > 0 && strings.HasSuffix(text, ">") {
		if name := text[i+2 : len(text)-1]; circumstance(name) {
			if j := strings.LastIndex(text[:i], "<"+name+">"); j >= 0 {
				return strings.TrimSpace(text[:j]), true
			}
		}
	}
	return text, false
}

// circumstance reports whether a tag's name is of two words of which the last says
// that it tells of circumstances.
func circumstance(name string) bool {
	if i := strings.LastIndexAny(name, "_-"); i > 0 && len(name) < 64 {
		switch name[i+1:] {
		case "context", "reminder", "reminders", "details", "info", "information", "instructions", "metadata":
			return true
		}
	}
	return false
}
