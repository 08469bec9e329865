// Package strict reads JSON that people write by hand: a key that the format does not
// have, one that occurs twice, and a value of another type are mistakes, and each is told
// with its place and with what would be right.
package strict

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// maxMistakes is how many mistakes of a text are told.
const maxMistakes = 20

// Unmarshal reads JSON into v, which points to a struct, and reports all mistakes at
// once, each as NAME:LINE:COLUMN. Line is that of the text's first line, from 1.
func Unmarshal(name string, line int, data []byte, v any) error {
	r := reader{name: name, line: line, data: data}
	if err := syntax(data); err != nil {
		r.fail(err.Offset, "", "%s", strings.TrimPrefix(err.Error(), "json: "))
		return errors.Join(r.mistakes...)
	}
	r.dec = json.NewDecoder(bytes.NewReader(data))
	r.dec.UseNumber()
	r.value("", reflect.TypeOf(v).Elem())
	if len(r.mistakes) > 0 {
		return errors.Join(r.mistakes...)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return nil
}

// syntax is the first mistake of the syntax; nil where there is none.
func syntax(data []byte) *json.SyntaxError {
	var raw json.RawMessage
	err := json.Unmarshal(data, &raw)
	if err == nil {
		return nil
	}
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return s
	}
	return &json.SyntaxError{} // a raw message fails by its syntax alone
}

// reader walks a text of valid syntax beside the type that it is read into.
type reader struct {
	name     string
	line     int
	data     []byte
	dec      *json.Decoder
	mistakes []error
}

// next is the next token and where it begins, counted from 1. The syntax was looked
// at before, so there is one.
func (r *reader) next() (token json.Token, at int64) {
	from := r.dec.InputOffset()
	rest := r.data[from:]
	at = from + int64(len(rest)-len(bytes.TrimLeft(rest, " \t\r\n:,"))) + 1
	token, _ = r.dec.Token()
	return token, at
}

// fail reports a mistake in the byte of a number, from 1; where is the path of the value.
func (r *reader) fail(offset int64, where, format string, args ...any) {
	switch n := len(r.mistakes); {
	case n > maxMistakes:
		return
	case n == maxMistakes:
		r.mistakes = append(r.mistakes, fmt.Errorf("%s: more than %d mistakes", r.name, maxMistakes))
		return
	}
	before := r.data[:max(0, min(int(offset), len(r.data)))]
	column := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	place := fmt.Sprintf("%s:%d:%d: ", r.name, r.line+bytes.Count(before, []byte("\n")), max(column, 1))
	if where != "" {
		place += where + ": "
	}
	r.mistakes = append(r.mistakes, fmt.Errorf(place+format, args...))
}

// value reads the next value as one of a type; nil takes any.
func (r *reader) value(where string, t reflect.Type) {
	token, at := r.next()
	for t != nil && t.Kind() == reflect.Pointer && !reads(t) {
		t = t.Elem()
	}
	if t != nil && (reads(t) || t.Kind() == reflect.Interface) {
		t = nil
	}
	if token != nil && t != nil && !fits(token, t) {
		r.fail(at, where, "%s: want %s", shown(token), wanted(t))
		t = nil
	}
	switch token {
	case json.Delim('{'):
		r.object(where, t)
	case json.Delim('['):
		for i := 0; r.dec.More(); i++ {
			r.value(where+"["+strconv.Itoa(i)+"]", element(t))
		}
		r.next()
	}
}

// object reads the members of an object up to its end.
func (r *reader) object(where string, t reflect.Type) {
	seen := map[string]bool{}
	for r.dec.More() {
		token, at := r.next()
		key, _ := token.(string)
		if seen[key] {
			r.fail(at, where, "key %q occurs twice", key)
		}
		seen[key] = true
		member := element(t)
		if t != nil && t.Kind() == reflect.Struct {
			var keys []string
			if member, keys = field(t, key); member == nil {
				r.fail(at, where, "unknown key %q: want one of %s", key, strings.Join(keys, ", "))
			}
		}
		r.value(strings.TrimPrefix(where+"."+key, "."), member)
	}
	r.next()
}

// element is the type of what a list or a map holds; nil of any other type.
func element(t reflect.Type) reflect.Type {
	if t == nil || t.Kind() != reflect.Slice && t.Kind() != reflect.Array && t.Kind() != reflect.Map {
		return nil
	}
	return t.Elem()
}

// field is the type of a struct's field by its key in JSON, as encoding/json finds it;
// nil where there is none, with the keys that there are.
func field(t reflect.Type, key string) (found reflect.Type, keys []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || f.Anonymous && name == "" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		if strings.EqualFold(name, key) {
			return f.Type, nil
		}
		keys = append(keys, name)
	}
	return nil, keys
}

var (
	fromJSON = reflect.TypeFor[json.Unmarshaler]()
	fromText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// reads reports whether a type reads itself.
func reads(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Implements(fromJSON) || p.Implements(fromJSON) || t.Implements(fromText) || p.Implements(fromText)
}

// fits reports whether a token can begin a value of a type.
func fits(token json.Token, t reflect.Type) bool {
	number, isNumber := token.(json.Number)
	switch t.Kind() {
	case reflect.String:
		_, ok := token.(string)
		return ok
	case reflect.Bool:
		_, ok := token.(bool)
		return ok
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		_, err := strconv.ParseInt(number.String(), 10, t.Bits())
		return isNumber && err == nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		_, err := strconv.ParseUint(number.String(), 10, t.Bits())
		return isNumber && err == nil
	case reflect.Float32, reflect.Float64:
		return isNumber
	case reflect.Slice, reflect.Array:
		return token == json.Delim('[')
	default:
		return token == json.Delim('{')
	}
}

// wanted says what a type takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "a whole number from 0"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}

// shown is a token as messages show it.
func shown(token json.Token) string {
	const most = 40 // bytes
	switch v := token.(type) {
	case json.Delim:
		if v == '{' {
			return "an object"
		}
		return "a list"
	case string:
		if len(v) > most {
			v = strings.ToValidUTF8(v[:most], "") + "…"
		}
		return strconv.Quote(v)
	}
	return fmt.Sprint(token)
}
