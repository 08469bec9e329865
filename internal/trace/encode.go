package trace

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// EncodeJSON writes data as compact JSON with sorted keys, without HTML
// escaping. A value that JSON cannot hold (NaN) is written as null.
func EncodeJSON(data any) string {
	var short [256]byte
	if b, ok := appendData(short[:0], data); ok {
		return string(b)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(data); err != nil {
		return "null"
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// appendData writes what a [Decoder] returns, in the form of encoding/json. It
// is false for other types and for numbers that JSON does not have.
func appendData(b []byte, data any) (out []byte, ok bool) {
	switch d := data.(type) {
	case nil:
		return append(b, "null"...), true
	case bool:
		return strconv.AppendBool(b, d), true
	case int64:
		return strconv.AppendInt(b, d, 10), true
	case float64:
		return appendFloat(b, d)
	case string:
		return appendString(b, d), true
	case []any:
		b = append(b, '[')
		for i, e := range d {
			if i > 0 {
				b = append(b, ',')
			}
			if b, ok = appendData(b, e); !ok {
				return b, false
			}
		}
		return append(b, ']'), d != nil
	case map[string]any:
		var few [16]string
		keys := few[:0]
		for k := range d {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k), ':')
			if b, ok = appendData(b, d[k]); !ok {
				return b, false
			}
		}
		return append(b, '}'), d != nil
	}
	return b, false
}

// appendFloat writes a number as ECMAScript does, with an exponent only where it
// is very large or very small.
func appendFloat(b []byte, f float64) ([]byte, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return b, false
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if n := len(b); format == 'e' && n >= 4 && b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 is e-9
		b[n-2] = b[n-1]
		b = b[:n-1]
	}
	return b, true
}

// appendString appends a text as JSON, with the escapes of encoding/json. Bytes
// that are no UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			separator := r == '\u2028' || r == '\u2029' // which end a line in JavaScript
			if !separator && (r != utf8.RuneError || n > 1) {
				i += n
				continue
			}
			b = append(append(b, s[from:i]...), `\u`...)
			if separator {
				b = append(b, '2', '0', '2', hex[r&15])
			} else {
				b = append(b, `fffd`...)
			}
			i += n
			from = i
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}
