package normalise

import (
	"maps"
	"slices"

	"github.com/tracegrade/tracegrade/internal/message"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// plainMessages reads a record of a producer that nobody knows, by the keys of its
// body or its attributes, as plain.go reads spans: what has the shape of messages,
// under a key that says whose they are, or words under a key that means nothing
// else. It is asked only of records that name the span that they belong to.
func (b *bag) plainMessages(rec *record) bool {
	if rec.fragment.TraceID == "" || rec.fragment.SpanID == "" {
		return false
	}
	found := false
	if body, ok := rec.body.(map[string]any); ok {
		found = rec.hear(body) || b.plainSides(rec, body)
	}
	return b.plainSides(rec, rec.attrs) || found
}

// plainSides reads the members that hold what a model was given, or gave.
func (b *bag) plainSides(rec *record, members map[string]any) bool {
	found := false
	for _, name := range slices.Sorted(maps.Keys(members)) {
		id := b.means(name).id
		if id == 0 {
			continue
		}
		for _, side := range [...]message.Side{message.Input, message.Output} {
			f := payloadIn
			if side == message.Output {
				f = payloadOut
			}
			if !slices.Contains(homeMade.own[f], keyNames[id]) {
				continue
			}
			data := decoded(members[name])
			_, words := data.(string)
			if words && plainTable().messages[id] || !words && message.Looks(trace.EncodeJSON(data)) {
				found = rec.said(side, data) || found
			}
		}
	}
	return found
}

// hear reads a body that is a reply or a message itself, as its members tell. A
// message of the assistant's is what the model gave.
func (rec *record) hear(body map[string]any) bool {
	for _, mark := range [...]string{"choices", "candidates", "generations"} {
		if body[mark] != nil {
			return rec.said(message.Output, body)
		}
	}
	role, _ := body["role"].(string)
	switch message.Role(role) {
	case trace.RoleAssistant:
		return rec.said(message.Output, body)
	case trace.RoleUser, trace.RoleSystem, trace.RoleTool:
		return rec.said(message.Input, body)
	}
	return false
}

// said adds what was said to a side that has nothing yet.
func (rec *record) said(side message.Side, data any) bool {
	into := &rec.fragment.Input
	if side == message.Output {
		into = &rec.fragment.Output
	}
	list := message.List(data, side)
	if len(list) == 0 || into.Captured() {
		return false
	}
	*into = trace.MessageList(list)
	return true
}
