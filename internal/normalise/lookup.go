package normalise

import (
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// has reports whether there is an attribute.
func (b *bag) has(id keyID) bool { return int(id) < len(b.at) && b.at[id] != 0 }

// hasGroup reports whether there are attributes with indexes below a key.
func (b *bag) hasGroup(id keyID) bool { return b.has(id) }

// attr returns an attribute and marks it as read.
func (b *bag) attr(id keyID) (*attr, bool) {
	if int(id) >= len(b.at) || b.at[id] == 0 {
		return nil, false
	}
	a := &b.attrs[b.at[id]-1]
	a.used = true
	return a, true
}

// str is an attribute as text, "" where it is absent, empty or a placeholder.
func (b *bag) str(id keyID) string {
	a, ok := b.attr(id)
	if !ok {
		return ""
	}
	return b.plain(a.key, a.val)
}

// plain is a value as text.
func (b *bag) plain(key string, v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		s := v.Str()
		if b.placeholder(key, s) {
			return ""
		}
		return s
	case pcommon.ValueTypeInt:
		if key == osThread {
			return ""
		}
		return strconv.FormatInt(v.Int(), 10)
	case pcommon.ValueTypeDouble:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	case pcommon.ValueTypeBool:
		return strconv.FormatBool(v.Bool())
	}
	return ""
}

// text is the first of a field's places that has a text.
func (b *bag) text(f field) string {
	for src := range b.places(f) {
		switch src.kind {
		case attribute:
			if b.has(src.id) {
				s := b.str(src.id)
				if strings.HasPrefix(s, `"`) { // MLflow writes even names as JSON
					s, _ = value.Decode(s).(string)
				}
				if s != "" && !meaningless(s) {
					return s
				}
			}
		case member:
			if s := b.member(src); s != "" && !meaningless(s) {
				return s
			}
		case event:
			if s, _ := b.eventMember(src).(string); s != "" && !b.placeholder(src.name, s) {
				return s
			}
		}
	}
	return ""
}

// meaningless reports whether an id or name is a filler.
func meaningless(s string) bool {
	switch s {
	case "unknown", "undefined", "null", "None", `""`, "<not specified>":
		return true
	}
	return false
}

// member is a member of an attribute that holds data, as text. Its other members
// were not looked at, so that the attribute does not count as read.
func (b *bag) member(src *source) string {
	v, ok := b.memberValue(src)
	if !ok {
		return ""
	}
	return scalar(v.Data())
}

// memberValue finds a member, at any depth, without decoding the rest.
func (b *bag) memberValue(src *source) (trace.Value, bool) {
	if int(src.id) >= len(b.at) || b.at[src.id] == 0 {
		return trace.Value{}, false
	}
	v := b.attrs[b.at[src.id]-1].val
	path := src.member
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return b.memberOf(v.Str(), path)
	case pcommon.ValueTypeMap:
		name, rest, deeper := strings.Cut(path, ">")
		inner, ok := v.Map().Get(name)
		switch {
		case !ok:
			return trace.Value{}, false
		case !deeper:
			return b.carried(src.name, inner)
		case inner.Type() == pcommon.ValueTypeStr:
			return b.memberOf(inner.Str(), rest)
		}
		return dig(rawValue(inner, 0), rest)
	}
	return trace.Value{}, false
}

// memberOf finds a member in the text of an object.
func (b *bag) memberOf(text, path string) (trace.Value, bool) {
	name, rest, deeper := strings.Cut(path, ">")
	if strings.HasPrefix(text, "{'") { // a Python repr
		if !strings.Contains(text, name) {
			return trace.Value{}, false
		}
		return dig(value.Decode(text), path)
	}
	raw := b.rawMember(text, name)
	switch {
	case raw == "" || raw == "null":
		return trace.Value{}, false
	case deeper:
		return b.memberOf(raw, rest)
	case raw[0] == '{' || raw[0] == '[' || raw[0] == '"':
		return trace.RawValue(raw, value.Decode), true
	}
	if n, err := strconv.ParseInt(raw, 10, 64); err == nil && string(strconv.AppendInt(nil, n, 10)) == raw {
		return trace.DataValue(n), true
	}
	list, _ := value.Decode("[" + raw + "]").([]any) // another number, or a word
	if len(list) != 1 {
		return trace.Value{}, false
	}
	return trace.DataValue(list[0]), true
}

// object is the text of an object that was looked into, and where its members
// are in the bag's list.
type object struct {
	text     string
	from, to int
}

// rawMember is the text of a member of an object, or "". The many fields that are
// looked for in one object make one walk over its text.
func (b *bag) rawMember(text, name string) string {
	i := slices.IndexFunc(b.objects, func(o object) bool { return o.text == text })
	if i < 0 {
		i = len(b.objects)
		o := object{text: text, from: len(b.members)}
		b.members, _ = value.AppendMembers(b.members, text)
		o.to = len(b.members)
		b.objects = append(b.objects, o)
	}
	for _, m := range b.members[b.objects[i].from:b.objects[i].to] {
		if m.Name == name {
			return m.Text
		}
	}
	return ""
}

// dig finds a member in decoded data.
func dig(data any, path string) (trace.Value, bool) {
	name, rest, deeper := strings.Cut(path, ">")
	m, ok := data.(map[string]any)
	if !ok || m[name] == nil {
		return trace.Value{}, false
	}
	if deeper {
		return dig(m[name], rest)
	}
	return dataValue(m[name]), true
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// eventMember is the last value of a key of the events of a name.
func (b *bag) eventMember(src *source) any {
	for i := len(b.events) - 1; i >= 0; i-- {
		if e := &b.events[i]; e.name == src.event {
			if v, ok := e.attrs[src.member]; ok {
				e.used = true
				return v
			}
		}
	}
	return nil
}

// number is the first of a field's places that has a number, which may be
// written as text.
func (b *bag) number(f field) (float64, string, bool) {
	for src := range b.places(f) {
		switch src.kind {
		case attribute:
			if a, ok := b.attr(src.id); ok {
				if n, ok := number(a.val); ok {
					return n, a.key, true
				}
				if a.val.Type() != pcommon.ValueTypeEmpty {
					b.lose("wrong_type", a.key, "want a number")
				}
			}
		case member:
			if v, ok := b.memberValue(src); ok {
				if n, ok := floatOf(v.Data()); ok {
					return n, src.name, true
				}
			}
		case event:
			if n, ok := floatOf(b.eventMember(src)); ok {
				return n, src.name, true
			}
		}
	}
	return 0, "", false
}

func number(v pcommon.Value) (float64, bool) {
	switch v.Type() {
	case pcommon.ValueTypeInt:
		return float64(v.Int()), true
	case pcommon.ValueTypeDouble:
		return v.Double(), true
	case pcommon.ValueTypeStr:
		n, err := strconv.ParseFloat(strings.TrimSpace(v.Str()), 64)
		return n, err == nil
	}
	return 0, false
}

func floatOf(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case string:
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return n, err == nil
	}
	return 0, false
}

// value is the first of a field's places that has a value, and its key.
func (b *bag) value(f field) (trace.Value, string, bool) {
	for src := range b.places(f) {
		if v, ok := b.valueAt(src); ok {
			return v, src.name, true
		}
	}
	return trace.Value{}, "", false
}

// valueAt is the value at one place.
func (b *bag) valueAt(src *source) (trace.Value, bool) {
	switch src.kind {
	case attribute:
		if a, ok := b.attr(src.id); ok {
			return b.carried(a.key, a.val)
		}
	case group:
		if data, ok := b.expand(src.id, src.name); ok {
			return trace.DataValue(data), true
		}
	case member:
		return b.memberValue(src)
	case event:
		if v := b.eventMember(src); v != nil {
			if s, ok := v.(string); ok {
				if s == "" || b.placeholder(src.name, s) {
					return trace.Value{}, false
				}
				return b.raw(src.name, s), true
			}
			return trace.DataValue(v), true
		}
	}
	return trace.Value{}, false
}

// carried is an attribute's value: text to be decoded when needed, or data.
func (b *bag) carried(key string, v pcommon.Value) (trace.Value, bool) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		s := v.Str()
		if b.placeholder(key, s) {
			return trace.Value{}, false
		}
		return b.raw(key, s), true
	case pcommon.ValueTypeEmpty:
		return trace.Value{}, false
	}
	return trace.DataValue(rawValue(v, 0)), true
}

// raw is text that may hold data. A cut is noted without decoding.
func (b *bag) raw(key, s string) trace.Value {
	b.noteCut(key, s)
	if len(s) > 1 && s[0] == '"' && s[len(s)-1] == '"' {
		if inner, ok := value.Decode(s).(string); ok { // a text that was written as JSON
			s = inner
		}
	}
	return trace.RawValue(s, value.Decode)
}

// expand makes nested data of the attributes with indexes below a key. Those
// with an index that no list has are losses.
func (b *bag) expand(id keyID, prefix string) (any, bool) {
	pairs := b.pairs(id, prefix)
	if len(pairs) == 0 {
		return nil, false
	}
	data, unused := value.Expand(pairs)
	b.outOfRange(prefix, unused)
	return data, data != nil
}

func (b *bag) outOfRange(prefix string, unused []value.Pair) {
	for i, p := range unused {
		if i == 10 {
			b.lose("out_of_range", prefix, strconv.Itoa(len(unused)-i)+" more")
			break
		}
		b.lose("out_of_range", prefix+"."+p.Path, "")
	}
}

// pairs are the attributes with indexes below a key. Texts are not decoded.
func (b *bag) pairs(id keyID, prefix string) []value.Pair {
	list := b.groups[id]
	if len(list) == 0 {
		return nil
	}
	pairs := make([]value.Pair, 0, len(list))
	for _, n := range list {
		a := &b.attrs[n]
		a.used = true
		data := rawValue(a.val, 0)
		if s, ok := data.(string); ok {
			if b.placeholder(a.key, s) {
				continue
			}
			b.noteCut(a.key, s)
		}
		pairs = append(pairs, value.Pair{Path: a.key[len(prefix)+1:], Data: data})
	}
	return pairs
}
