package tracefile

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// mender puts replacements in the place of bytes that are not UTF-8 in the texts
// of a protobuf message, whose decoder does not look at them.
type mender struct {
	texts int
	first string // where the first of them is
}

// problem is the warning of what was mended.
func (m *mender) problem(place Place) *Problem {
	return &Problem{Place: place, Warning: true, Err: fmt.Errorf("%s is not UTF-8 (such texts: %d), want text in UTF-8; such bytes are read as U+FFFD", m.first, m.texts)}
}

// holder is what a text belongs to. It is described only where one is mended.
type holder struct {
	what string // the resource, span, an event of span
	name string // of the span; empty for what has none
}

func (h holder) String() string {
	if h.name == "" {
		return h.what
	}
	return fmt.Sprintf("%s %q", h.what, h.name)
}

// text is a text without such bytes. part says which of the holder's it is.
func (m *mender) text(part string, of holder, s string) (mended string, changed bool) {
	if utf8.ValidString(s) {
		return s, false
	}
	if m.texts++; m.texts == 1 {
		m.first = fmt.Sprintf("%.160s", strings.ToValidUTF8(part+" of "+of.String(), string(replacement)))
	}
	return strings.ToValidUTF8(s, string(replacement)), true
}

func (m *mender) traces(td ptrace.Traces) {
	for _, rs := range td.ResourceSpans().All() {
		m.attributes(holder{what: "the resource"}, rs.Resource().Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			m.attributes(holder{what: "the scope"}, ss.Scope().Attributes())
			for _, s := range ss.Spans().All() {
				m.span(s)
			}
		}
	}
}

func (m *mender) span(s ptrace.Span) {
	if name, changed := m.text("the name", holder{what: "a span"}, s.Name()); changed {
		s.SetName(name)
	}
	if message, changed := m.text("the status", holder{"span", s.Name()}, s.Status().Message()); changed {
		s.Status().SetMessage(message)
	}
	m.attributes(holder{"span", s.Name()}, s.Attributes())
	for _, e := range s.Events().All() {
		if name, changed := m.text("the name", holder{"an event of span", s.Name()}, e.Name()); changed {
			e.SetName(name)
		}
		m.attributes(holder{"an event of span", s.Name()}, e.Attributes())
	}
	for _, l := range s.Links().All() {
		m.attributes(holder{"a link of span", s.Name()}, l.Attributes())
	}
}

func (m *mender) logs(ld plog.Logs) {
	for _, rl := range ld.ResourceLogs().All() {
		m.attributes(holder{what: "the resource"}, rl.Resource().Attributes())
		for _, sl := range rl.ScopeLogs().All() {
			m.attributes(holder{what: "the scope"}, sl.Scope().Attributes())
			for _, r := range sl.LogRecords().All() {
				m.value("the body", holder{what: "a log record"}, r.Body())
				m.attributes(holder{what: "a log record"}, r.Attributes())
			}
		}
	}
}

// attributes mends values, and keys by writing all attributes again.
func (m *mender) attributes(of holder, attributes pcommon.Map) {
	keys := false
	for key, v := range attributes.All() {
		keys = keys || !utf8.ValidString(key)
		m.value(key, of, v)
	}
	if !keys {
		return
	}
	mended := pcommon.NewMap()
	for key, v := range attributes.All() {
		key, _ = m.text("the name of an attribute", of, key)
		v.CopyTo(mended.PutEmpty(key))
	}
	mended.MoveTo(attributes)
}

func (m *mender) value(part string, of holder, v pcommon.Value) {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		if text, changed := m.text(part, of, v.Str()); changed {
			v.SetStr(text)
		}
	case pcommon.ValueTypeSlice:
		for _, e := range v.Slice().All() {
			m.value(part, of, e)
		}
	case pcommon.ValueTypeMap:
		m.attributes(of, v.Map())
	}
}
