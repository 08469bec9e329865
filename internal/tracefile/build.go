package tracefile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// builder makes spans of what a foreign format holds. Spans with the same
// service and scope share a resource.
type builder struct {
	traces ptrace.Traces
	scopes map[[3]string]ptrace.ScopeSpans
}

func newBuilder() *builder {
	return &builder{traces: ptrace.NewTraces(), scopes: map[[3]string]ptrace.ScopeSpans{}}
}

func (b *builder) span(service, scope, scopeVersion string) ptrace.Span {
	key := [3]string{service, scope, scopeVersion}
	ss, ok := b.scopes[key]
	if !ok {
		rs := b.traces.ResourceSpans().AppendEmpty()
		if service != "" {
			rs.Resource().Attributes().PutStr("service.name", service)
		}
		ss = rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName(scope)
		ss.Scope().SetVersion(scopeVersion)
		b.scopes[key] = ss
	}
	return ss.Spans().AppendEmpty()
}

func (b *builder) data() Data { return Data{Traces: b.traces} }

// putAll sets attributes from decoded JSON. Maps are kept whole; flatten them
// first where the wire form is dotted keys.
func putAll(m pcommon.Map, attrs map[string]any) {
	for k, v := range attrs {
		put(m, k, v)
	}
}

// put sets one attribute from decoded JSON; nil sets nothing.
func put(m pcommon.Map, key string, v any) {
	if v == nil || v == "" {
		return
	}
	// FromRaw fails only for types that JSON does not have.
	_ = m.PutEmpty(key).FromRaw(plain(v))
}

// putJSON sets an attribute to the JSON text of v, as most producers write
// content on spans; text stays text.
func putJSON(m pcommon.Map, key string, v any) {
	switch v := v.(type) {
	case nil:
	case string:
		m.PutStr(key, v)
	default:
		m.PutStr(key, jsonText(v))
	}
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// plain turns json.Number into int64 or float64 throughout.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, _ := v.Float64() // out of range gives ±Inf, which is what the text says
		return f
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plain(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e)
		}
		return out
	}
	return v
}

// flatten writes nested maps and lists of maps as dotted keys: {"a":{"b":1}}
// is a.b=1, {"a":[{"b":1}]} is a.0.b=1. Lists of plain values stay lists.
func flatten(prefix string, v any, out map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			flatten(join(prefix, k), e, out)
		}
	case []any:
		for i, e := range v {
			if _, nested := e.(map[string]any); !nested {
				out[prefix] = v
				return
			}
			flatten(join(prefix, strconv.Itoa(i)), e, out)
		}
	default:
		out[prefix] = v
	}
}

func join(prefix, key string) string {
	if prefix == "" {
		return key
	}
	return prefix + "." + key
}

// traceIDOf reads a trace id as hex or base64; anything else (a UUID has 32
// hex digits) is hashed, so that the same text gives the same id.
func traceIDOf(s string) pcommon.TraceID {
	var id pcommon.TraceID
	copy(id[:], idBytes(s, len(id)))
	return id
}

// spanIDOf is traceIDOf for span ids; an empty text is no id.
func spanIDOf(s string) pcommon.SpanID {
	var id pcommon.SpanID
	copy(id[:], idBytes(s, len(id)))
	return id
}

func idBytes(s string, size int) []byte {
	if s == "" {
		return nil
	}
	compact := strings.ReplaceAll(s, "-", "")
	if len(compact) < 2*size {
		// Jaeger leaves out leading zeros.
		compact = strings.Repeat("0", 2*size-len(compact)) + compact
	}
	if b, err := hex.DecodeString(compact); err == nil && len(b) == size {
		return b
	}
	if b := decodeBase64(s); len(b) == size {
		return b
	}
	sum := sha256.Sum256([]byte(s))
	return sum[:size]
}

// str returns the first of the keys that holds a text or a number, as text.
func str(o map[string]any, keys ...string) string {
	for _, k := range keys {
		switch v := o[k].(type) {
		case string:
			if v != "" {
				return v
			}
		case json.Number:
			return v.String()
		}
	}
	return ""
}

// object returns the first of the keys that holds an object, or nil.
func object(o map[string]any, keys ...string) map[string]any {
	for _, k := range keys {
		if v, ok := o[k].(map[string]any); ok {
			return v
		}
	}
	return nil
}

// list returns the first of the keys that holds a list, or nil.
func list(o map[string]any, keys ...string) []any {
	for _, k := range keys {
		if v, ok := o[k].([]any); ok {
			return v
		}
	}
	return nil
}

// objects returns the objects of a list, or the object itself.
func objects(v any) []map[string]any {
	var out []map[string]any
	switch v := v.(type) {
	case map[string]any:
		out = append(out, v)
	case []any:
		for _, e := range v {
			if o, ok := e.(map[string]any); ok {
				out = append(out, o)
			}
		}
	}
	return out
}

// timeLayouts are the spellings of a time besides numbers.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"}

// timeOf reads a time: text, or a number of seconds, milliseconds,
// microseconds or nanoseconds since 1970, told apart by size. 0 is unknown.
func timeOf(v any) pcommon.Timestamp {
	var number string
	switch v := v.(type) {
	case string:
		for _, layout := range timeLayouts {
			if t, err := time.Parse(layout, v); err == nil {
				return pcommon.NewTimestampFromTime(t)
			}
		}
		number = v
	case json.Number:
		number = v.String()
	}
	whole, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		// A fraction: of seconds, or of milliseconds.
		f, err := strconv.ParseFloat(number, 64)
		if err != nil || f <= 0 || f >= 1e17 {
			return 0
		}
		return pcommon.Timestamp(f * float64(unitOf(int64(f))))
	}
	if whole <= 0 {
		return 0
	}
	return pcommon.Timestamp(whole * unitOf(whole))
}

// unitOf is the nanoseconds of the unit in which n is a time of our era.
func unitOf(n int64) int64 {
	switch {
	case n < 1e11:
		return 1e9
	case n < 1e14:
		return 1e6
	case n < 1e17:
		return 1e3
	}
	return 1
}

// setStatus sets the span's status from the spellings that exports use.
func setStatus(s ptrace.Span, code, message string) {
	switch strings.ToUpper(strings.TrimPrefix(strings.ToUpper(code), "STATUS_CODE_")) {
	case "ERROR", "2":
		s.Status().SetCode(ptrace.StatusCodeError)
	case "OK", "1":
		s.Status().SetCode(ptrace.StatusCodeOk)
	}
	s.Status().SetMessage(message)
}

// setKind sets the span's kind from its name in any spelling.
func setKind(s ptrace.Span, kind string) {
	switch strings.TrimPrefix(strings.ToUpper(kind), "SPAN_KIND_") {
	case "SERVER":
		s.SetKind(ptrace.SpanKindServer)
	case "CLIENT":
		s.SetKind(ptrace.SpanKindClient)
	case "PRODUCER":
		s.SetKind(ptrace.SpanKindProducer)
	case "CONSUMER":
		s.SetKind(ptrace.SpanKindConsumer)
	case "INTERNAL":
		s.SetKind(ptrace.SpanKindInternal)
	}
}
