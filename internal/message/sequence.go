package message

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// merged joins what one model call wrote as several items: the Responses API
// lists reasoning, text and each tool call apart.
func merged(list []trace.Message) []trace.Message {
	if !slices.ContainsFunc(list, func(m trace.Message) bool { return m.Name == itemName }) {
		return list
	}
	out := make([]trace.Message, 0, len(list))
	for i, m := range list {
		if i > 0 && m.Name == itemName && out[len(out)-1].Name == itemName && m.Role == trace.RoleAssistant && out[len(out)-1].Role == trace.RoleAssistant {
			last := &out[len(out)-1]
			last.Parts = append(last.Parts[:len(last.Parts):len(last.Parts)], m.Parts...)
			if m.FinishReason != "" {
				last.FinishReason = m.FinishReason
			}
			continue
		}
		out = append(out, m)
	}
	for i := range out {
		if out[i].Name == itemName {
			out[i].Name = ""
		}
	}
	return out
}

// itemName marks messages made of items while they are collected.
const itemName = "\x00item"

// answerSilence makes what follows an assistant's message without any content
// the results of the tools that it must have called: some frameworks leave the
// calls out and give the results as the user's words. Data without its quotes,
// which nobody writes by hand, is a result wherever it follows the assistant.
func answerSilence(list []trace.Message) []trace.Message {
	silent, after, copied := false, false, false
	for i := range list {
		m := &list[i]
		if m.Role == trace.RoleUser && (silent || after && unquoted(m)) {
			if !copied {
				list, copied = append([]trace.Message(nil), list...), true
				m = &list[i]
			}
			m.Role = trace.RoleTool
			m.Parts = append([]trace.Part(nil), m.Parts...)
			settle(m)
			continue
		}
		after = m.Role == trace.RoleAssistant
		silent = after && len(m.Parts) == 0
	}
	return matchIDs(list, copied)
}

// matchIDs makes the ids of calls and of the results that follow them agree, where
// there are as many results as calls: a producer writes another id for a call (the
// item's, not the call's), or none for a result.
func matchIDs(list []trace.Message, copied bool) []trace.Message {
	for i := range list {
		if list[i].Role != trace.RoleAssistant {
			continue
		}
		var calls []int
		for j := range list[i].Parts {
			if p := &list[i].Parts[j]; p.Type == trace.PartToolCall && p.ID != "" {
				calls = append(calls, j)
			}
		}
		if len(calls) == 0 {
			continue
		}
		list, copied = nameResults(list, i, calls, copied)
		ids := resultIDs(list[i+1:], len(calls))
		if len(ids) != len(calls) || known(ids, &list[i]) {
			continue
		}
		if !copied {
			list, copied = append([]trace.Message(nil), list...), true
		}
		list[i].Parts = append([]trace.Part(nil), list[i].Parts...)
		for n, j := range calls {
			list[i].Parts[j].ID = ids[n]
		}
	}
	return list
}

// nameResults gives the results that follow the calls of message i, if none of
// them has an id and there are as many, the ids of the calls.
func nameResults(list []trace.Message, i int, calls []int, copied bool) ([]trace.Message, bool) {
	var at [][2]int
	for m := i + 1; m < len(list) && list[m].Role == trace.RoleTool; m++ {
		for p := range list[m].Parts {
			if part := &list[m].Parts[p]; part.Type == trace.PartToolResult {
				if part.ID != "" {
					return list, copied
				}
				at = append(at, [2]int{m, p})
			}
		}
	}
	if len(at) != len(calls) {
		return list, copied
	}
	if !copied {
		list, copied = append([]trace.Message(nil), list...), true
	}
	for n, place := range at {
		m := &list[place[0]]
		if n == 0 || at[n-1][0] != place[0] {
			m.Parts = append([]trace.Part(nil), m.Parts...)
		}
		m.Parts[place[1]].ID = list[i].Parts[calls[n]].ID
	}
	return list, copied
}

// resultIDs is the ids of the results that begin a list, at most one more than n.
func resultIDs(list []trace.Message, n int) []string {
	var ids []string
	for i := range list {
		if list[i].Role != trace.RoleTool || len(ids) > n {
			break
		}
		for j := range list[i].Parts {
			if p := &list[i].Parts[j]; p.Type == trace.PartToolResult && p.ID != "" {
				ids = append(ids, p.ID)
			}
		}
	}
	return ids
}

// known reports whether any of the ids is that of a call in m.
func known(ids []string, m *trace.Message) bool {
	for j := range m.Parts {
		for _, id := range ids {
			if m.Parts[j].Type == trace.PartToolCall && m.Parts[j].ID == id {
				return true
			}
		}
	}
	return false
}

// unquoted reports whether a message is data without quotes and nothing else.
func unquoted(m *trace.Message) bool {
	if len(m.Parts) != 1 || m.Parts[0].Type != trace.PartText || !value.Looks(m.Parts[0].Text) {
		return false
	}
	_, info := value.Parse(m.Parts[0].Text)
	return info.Form == value.FormLoose
}
