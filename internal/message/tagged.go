package message

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// Models that call tools in their text put a call, what it returned and what
// they are offered between tags, each as JSON (Hermes, Qwen and those after them):
//
//	<tool_call>{"name": "find", "arguments": {"q": "pad"}}</tool_call>
//	<tool_response>{"name": "find", "content": {"price": 9}}</tool_response>
const (
	tagCall   = "tool_call"
	tagResult = "tool_response"
	tagOffer  = "tools"
)

// tagged makes calls of an assistant's text that has them between tags, and
// results of any other message that consists of such; nil of all others.
func tagged(m *trace.Message) []trace.Message {
	said := *m
	switch m.Role {
	case trace.RoleAssistant:
		said.Parts = taggedCalls(m.Parts)
	case trace.RoleTool, trace.RoleUser:
		said.Role, said.Parts = trace.RoleTool, taggedResults(m.Parts)
	default:
		return nil
	}
	if said.Parts == nil {
		return nil
	}
	return []trace.Message{said}
}

// taggedCalls is the parts with the calls that stand in their texts; nil where
// there is none.
func taggedCalls(parts []trace.Part) []trace.Part {
	if !slices.ContainsFunc(parts, func(p trace.Part) bool { return p.Type == trace.PartText && strings.Contains(p.Text, "<"+tagCall+">") }) {
		return nil // as most messages: nothing is made for them
	}
	var out []trace.Part
	found := false
	for _, p := range parts {
		rest := p.Text
		for p.Type == trace.PartText {
			before, inner, after, ok := cutTag(rest, tagCall)
			call, isCall := taggedCall(inner)
			if !ok || !isCall {
				break
			}
			if before = strings.TrimSpace(before); before != "" {
				out = append(out, textPart(before))
			}
			out, rest, found = append(out, call), strings.TrimSpace(after), true
		}
		if p.Type != trace.PartText {
			out = append(out, p)
		} else if rest != "" {
			out = append(out, textPart(rest))
		}
	}
	if !found {
		return nil
	}
	return out
}

func taggedCall(text string) (trace.Part, bool) {
	t := value.NewTree()
	defer t.Release()
	m := t.Read(text)
	if !m.IsObject() {
		return trace.Part{}, false
	}
	call := callPart(m)
	return call, call.Name != ""
}

// taggedResults is the results in a message that consists of them; nil for any
// other.
func taggedResults(parts []trace.Part) []trace.Part {
	if len(parts) != 1 {
		return nil
	}
	given := parts[0]
	rest := given.Text
	if given.Type == trace.PartToolResult && !given.Value.Structured() {
		rest = given.Value.Text()
	}
	var out []trace.Part
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		if !strings.HasPrefix(rest, "<"+tagResult+">") { // most texts are not looked through
			return nil
		}
		_, inner, after, ok := cutTag(rest, tagResult)
		if !ok {
			return nil
		}
		out, rest = append(out, taggedResult(strings.TrimSpace(inner))), after
	}
	if len(out) == 1 && given.Type == trace.PartToolResult { // what stands beside the text says it too
		r := &out[0]
		r.IsError = r.IsError || given.IsError
		if r.ID == "" {
			r.ID = given.ID
		}
		if r.Name == "" {
			r.Name = given.Name
		}
	}
	return out
}

// taggedResult reads one result: an object that names its tool, or the value
// itself.
func taggedResult(text string) trace.Part {
	t := value.NewTree()
	defer t.Release()
	if m := t.Read(text); m.IsObject() && m.TextAt("name", "tool_name", "tool_call_id") != "" && m.Has("content", "result", "response", "output") {
		return resultPart(m)
	}
	p := trace.Part{Type: trace.PartToolResult}
	hear(&p, text)
	return p
}

// taggedOffer is the definitions of tools that a system prompt has between tags:
// a list, or an object each.
func taggedOffer(text string) []any {
	_, inner, _, ok := cutTag(text, tagOffer)
	if !ok {
		return nil
	}
	elements := value.Objects(inner)
	if elements == nil {
		elements = []string{inner}
	}
	t := value.NewTree()
	defer t.Release()
	var out []any
	for _, e := range elements {
		m := t.Read(e)
		if isDefinition(m) {
			out = append(out, m.Data())
		}
		for one := range m.Elements() {
			if isDefinition(one) {
				out = append(out, one.Data())
			}
		}
	}
	return out
}

// cutTag cuts a text at its first pair of tags of a name.
func cutTag(text, name string) (before, inner, after string, ok bool) {
	before, rest, ok := strings.Cut(text, "<"+name+">")
	if !ok {
		return text, "", "", false
	}
	inner, after, ok = strings.Cut(rest, "</"+name+">")
	return before, inner, after, ok
}
