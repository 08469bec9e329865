package trace

// Decoder turns the text of a value into data: map[string]any, []any, string,
// int64, float64, bool or nil. It never fails: text that holds no data is
// returned as the string it is.
type Decoder func(text string) any

// Value is one piece of content as a span carried it: plain text, text that
// may hold data (JSON in a string), or structured data. Text is decoded on
// first use, and once. The zero value means that nothing was captured.
//
// A Value is not safe for use by several goroutines at once.
type Value struct {
	text   string
	data   any
	decode Decoder
	state  valueState
	tools  *definitionList // the value read as tool definitions; made on demand
}

type valueState uint8

const (
	valueAbsent  valueState = iota
	valueText               // text only: plain, or not decoded yet (decode != nil)
	valueDecoded            // text is what the span carried, data its decoded form
	valueData               // structured on the wire: data only, text made on demand
	valueBoth               // structured on the wire, text made
)

// TextValue is plain text, which stays text.
func TextValue(s string) Value { return Value{text: s, data: s, state: valueDecoded} }

// RawValue is text that may hold data; decode is called on first use.
func RawValue(s string, decode Decoder) Value {
	return Value{text: s, decode: decode, state: valueText}
}

// DataValue is data that was structured on the wire.
func DataValue(data any) Value { return Value{data: data, state: valueData} }

// Captured reports whether there is a value at all. An empty text is a value.
func (v *Value) Captured() bool { return v != nil && v.state != valueAbsent }

// Structured reports whether the value was data on the wire, so that its text is
// made, not carried.
func (v *Value) Structured() bool {
	return v != nil && (v.state == valueData || v.state == valueBoth)
}

// Text is what the span carried: the text itself, or compact JSON with sorted
// keys of structured data. It is the text that places of atoms point into.
func (v *Value) Text() string {
	if v == nil {
		return ""
	}
	if v.state == valueData {
		v.text, v.state = EncodeJSON(v.data), valueBoth
	}
	return v.text
}

// Data is the decoded value; for plain text the text itself.
func (v *Value) Data() any {
	if v == nil {
		return nil
	}
	if v.state == valueText {
		if v.decode != nil {
			v.data = v.decode(v.text)
		} else {
			v.data = v.text
		}
		v.state = valueDecoded
	}
	return v.data
}

// MarshalJSON writes the decoded value.
func (v *Value) MarshalJSON() ([]byte, error) { return []byte(EncodeJSON(v.Data())), nil }
