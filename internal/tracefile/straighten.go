package tracefile

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pdata's JSON decoder gives up a whole document for one value that is not
// written as OTLP writes it. So a document that it refuses is decoded without
// it, written as OTLP has it, and given to it again: what is merely written
// otherwise (ids in base64, as protobuf's own JSON has them; times as RFC 3339;
// attributes as an object) keeps its meaning, and what cannot be read is left out
// and said.

// straightenMax is how many bytes a document may have that is straightened:
// decoded, it takes a multiple of that.
const straightenMax = 64 << 20

// unmarshalled reads a document of traces or logs, laid out as given, with
// unmarshal, straightened where that refuses it. What is wrong with a document
// that stays refused is what it says of the document as it is.
func unmarshalled[T any](b []byte, l *layout, unmarshal func([]byte) (T, error)) (T, leftOut, error) {
	data, err := unmarshal(b)
	if err == nil {
		return data, leftOut{}, nil
	}
	if mended, left, ok := straightened(b, l); ok {
		if data, again := unmarshal(mended); again == nil {
			return data, left, nil
		}
	}
	return data, leftOut{}, err
}

// straightened writes a document as OTLP has it; ok is false where it is no JSON
// or too large.
func straightened(b []byte, l *layout) (mended []byte, left leftOut, ok bool) {
	if len(b) > straightenMax {
		return nil, left, false
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var doc map[string]any
	if d.Decode(&doc) != nil {
		return nil, left, false
	}
	left.message(doc, l)
	mended, err := json.Marshal(doc)
	return mended, left, err == nil
}

// The messages of a document of logs: opentelemetry-proto, logs/v1/logs.proto.
var (
	logsLayout         = layout{{"resourceLogs", 1, shapeList, &resourceLogsLayout}}
	resourceLogsLayout = layout{{"resource", 1, shapeMessage, &resourceLayout}, {"scopeLogs", 2, shapeList, &scopeLogsLayout}, {"schemaUrl", 3, shapeText, nil}}
	scopeLogsLayout    = layout{{"scope", 1, shapeMessage, &scopeLayout}, {"logRecords", 2, shapeList, &recordLayout}, {"schemaUrl", 3, shapeText, nil}}
	recordLayout       = layout{
		{"timeUnixNano", 1, shapeFixed64, nil}, {"observedTimeUnixNano", 11, shapeFixed64, nil}, {"severityNumber", 2, shapeKind, nil}, {"severityText", 3, shapeText, nil},
		{"body", 5, shapeMessage, &valueLayout}, {"attributes", 6, shapeList, &pairLayout}, {"droppedAttributesCount", 7, shapeCount, nil},
		{"flags", 8, shapeFixed32, nil}, {"traceId", 9, shapeTraceID, nil}, {"spanId", 10, shapeSpanID, nil}, {"eventName", 12, shapeText, nil},
	}
)

// leftOut is how many values of a document could not be read, and the first.
type leftOut struct {
	values int
	first  string
	of     string // the span or record whose members are read
}

func (l *leftOut) err() error {
	return fmt.Errorf("values that are not what OTLP has there are left out: %d, the first is %s", l.values, l.first)
}

func (l *leftOut) join(m leftOut) {
	l.values += m.values
	l.first = cmp.Or(m.first, l.first)
}

func (l *leftOut) add(m *member, v any) {
	if l.values++; l.values > 1 {
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	l.first = strings.ToValidUTF8(fmt.Sprintf("%s%s: %.60s, want %s", m.name, l.of, text, m.wants()), "")
}

// message writes the members of o that l knows as pdata reads them.
func (l *leftOut) message(o map[string]any, of *layout) {
	switch of {
	case &spanLayout:
		l.of = fmt.Sprintf(" of span %.60q", textOf(o["name"]))
	case &recordLayout:
		l.of = " of a log record"
	}
	for i := range *of {
		m := &(*of)[i]
		for _, key := range slices.Compact([]string{m.name, snake(m.name)}) {
			v, has := o[key]
			if !has {
				continue
			}
			read, ok := l.member(m, v)
			delete(o, key)
			switch {
			case ok && read != nil:
				o[key] = read
			case !ok && of == &valueLayout: // kept as a text
				o["stringValue"] = textOf(v)
			case !ok:
				l.add(m, v)
			}
		}
	}
}

// member is a value as pdata reads it: nil for none.
func (l *leftOut) member(m *member, v any) (read any, ok bool) {
	if v == nil {
		return nil, true
	}
	text, isText := v.(string)
	if number, isNumber := v.(json.Number); isNumber {
		text, isText = number.String(), true
	}
	text = strings.TrimSpace(text)
	switch m.shape {
	case shapeText:
		return textOf(v), true
	case shapeMessage:
		if m.of == &valueLayout {
			return l.value(v), true
		}
		o, isObject := v.(map[string]any)
		if isObject {
			l.message(o, m.of)
		}
		return o, isObject
	case shapeList:
		if o, isObject := v.(map[string]any); isObject && m.of == &pairLayout {
			return l.pairs(o), true
		}
		list, isList := v.([]any)
		return slices.DeleteFunc(list, func(v any) bool {
			o, isObject := v.(map[string]any)
			switch {
			case isObject:
				l.message(o, m.of)
			case v != nil:
				l.add(m, v)
			}
			return !isObject
		}), isList
	case shapeBytes:
		_, err := base64.StdEncoding.DecodeString(text)
		return text, isText && err == nil
	case shapeTraceID, shapeSpanID:
		size := 8
		if m.shape == shapeTraceID {
			size = 16
		}
		return hex.EncodeToString(idBytes(text, size)), isText
	case shapeTruth:
		if truth, isTruth := v.(bool); isTruth {
			return truth, true
		}
		truth, err := strconv.ParseBool(text)
		return truth, isText && err == nil
	case shapeDouble:
		f, err := strconv.ParseFloat(text, 64)
		return f, isText && err == nil && !math.IsInf(f, 0) && !math.IsNaN(f)
	case shapeKind, shapeCode:
		if slices.Contains(kindNames, text) || slices.Contains(codeNames, text) || strings.HasPrefix(text, "SEVERITY_NUMBER_") {
			return text, true
		}
	}
	n, ok := m.whole(text)
	return n, isText && ok
}

// whole is a whole number that the member can hold, from digits, from a fraction
// that is whole, or for a time from RFC 3339.
func (m *member) whole(text string) (n json.Number, ok bool) {
	if m.shape == shapeFixed64 {
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil && !at.Before(time.Unix(0, 0)) && at.Year() < 2262 {
			return json.Number(strconv.FormatInt(at.UnixNano(), 10)), true
		}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63 && strings.ContainsAny(text, ".eE") {
		text = strconv.FormatFloat(f, 'f', -1, 64)
	}
	var err error
	switch m.shape {
	case shapeWhole:
		_, err = strconv.ParseInt(text, 10, 64)
	case shapeFixed64:
		_, err = strconv.ParseUint(text, 10, 64)
	default:
		_, err = strconv.ParseUint(text, 10, 31) // enumerations are signed
	}
	return json.Number(strings.TrimPrefix(text, "+")), err == nil
}

// wants says what a member holds.
func (m *member) wants() string {
	switch m.shape {
	case shapeTraceID, shapeSpanID:
		return "hex digits"
	case shapeList:
		return "a list of objects"
	case shapeMessage:
		return "an object"
	case shapeFixed64:
		return "nanoseconds since 1970"
	default:
		return "a whole number"
	}
}

// pairs are attributes that are written as the members of an object.
func (l *leftOut) pairs(o map[string]any) []any {
	list := make([]any, 0, len(o))
	for _, key := range slices.Sorted(maps.Keys(o)) {
		list = append(list, map[string]any{"key": key, "value": l.value(o[key])})
	}
	return list
}

// value is the value of an attribute, which may stand without its type.
func (l *leftOut) value(v any) map[string]any {
	switch v := v.(type) {
	case nil:
		return map[string]any{}
	case bool:
		return map[string]any{"boolValue": v}
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return map[string]any{"intValue": v}
		}
		if f, err := v.Float64(); err == nil {
			return map[string]any{"doubleValue": f}
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = l.value(v[i])
		}
		return map[string]any{"arrayValue": map[string]any{"values": list}}
	case map[string]any:
		if len(v) == 0 || slices.ContainsFunc(valueLayout, func(m member) bool { return v[m.name] != nil || v[snake(m.name)] != nil }) {
			l.message(v, &valueLayout)
			return v
		}
	}
	return map[string]any{"stringValue": textOf(v)}
}

// textOf is a value as a text: itself, or as JSON.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case json.Number:
		return v.String()
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// snake is a member's name as protobuf's files have it.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}
