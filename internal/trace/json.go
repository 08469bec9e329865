package trace

import "strconv"

// MarshalJSON writes the form that inspect shows and ClickHouse keeps (design:
// {role, parts}).
func (m Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// AppendJSON appends the message as compact JSON.
func (m *Message) AppendJSON(b []byte) []byte {
	b = append(b, `{"role":`...)
	b = appendString(b, string(m.Role))
	b = appendField(b, "name", m.Name)
	b = append(b, `,"parts":[`...)
	for i := range m.Parts {
		if i > 0 {
			b = append(b, ',')
		}
		b = m.Parts[i].AppendJSON(b)
	}
	b = append(b, ']')
	b = appendField(b, "finish_reason", m.FinishReason)
	return append(b, '}')
}

// MarshalJSON writes the part with the fields that its type has.
func (p Part) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// AppendJSON appends the part as compact JSON.
func (p *Part) AppendJSON(b []byte) []byte {
	b = append(b, `{"type":`...)
	b = appendString(b, string(p.Type))
	switch p.Type {
	case PartText, PartReasoning:
		b = append(b, `,"text":`...)
		b = appendString(b, p.Text)
	case PartToolCall:
		b = appendField(b, "id", p.ID)
		b = appendField(b, "name", p.Name)
		b = appendValue(b, "arguments", &p.Value)
	case PartToolResult:
		b = appendField(b, "id", p.ID)
		b = appendField(b, "name", p.Name)
		b = appendValue(b, "result", &p.Value)
		b = append(b, `,"is_error":`...)
		b = strconv.AppendBool(b, p.IsError)
	case PartMedia:
		b = appendField(b, "modality", p.Modality)
		b = appendField(b, "mime", p.MIME)
		b = appendField(b, "uri", p.URI)
	case PartOther:
		b = appendValue(b, "raw", &p.Value)
	}
	return append(b, '}')
}

// Size is about how many bytes the message takes as JSON, without making it.
func (m *Message) Size() int {
	n := 32 + len(m.Name)
	for i := range m.Parts {
		p := &m.Parts[i]
		n += 48 + len(p.Text) + len(p.ID) + len(p.Name) + len(p.URI) + len(p.Value.Text())
	}
	return n
}

// appendField appends a text that is absent when it is empty.
func appendField(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, key...)
	b = append(b, `":`...)
	return appendString(b, value)
}

func appendValue(b []byte, key string, v *Value) []byte {
	if !v.Captured() {
		return b
	}
	b = append(b, `,"`...)
	b = append(b, key...)
	b = append(b, `":`...)
	if s, ok := v.Data().(string); ok {
		return appendString(b, s)
	}
	return append(b, EncodeJSON(v.Data())...)
}
