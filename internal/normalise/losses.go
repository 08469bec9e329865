package normalise

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// contentBytes is the length from which a text of an unknown key that has a
// space counts as content: ids, names, enumerations and dates are shorter or of
// one word.
const contentBytes = 16

// unmapped records the attributes that look like content and that nothing read.
// What stands under another key of a field that was read is the same content
// again and no loss.
func (b *bag) unmapped(s *trace.Step) {
	if s.Kind == trace.KindUnknown && b.dialect() == nil {
		b.unread(s)
		return // not an agent's span: HTTP, database, the user's own
	}
	known := b.c.known
	if s.Tool != nil {
		known = b.c.calls
	}
	for i := range b.attrs {
		a := &b.attrs[i]
		if a.used || known[a.id]&(1<<63|1<<b.claimant) != 0 || !b.bearing(a) {
			continue
		}
		b.lose("unmapped", a.key, "")
	}
}

// What of the attributes of a span that nobody knows is kept.
const (
	unreadMax   = 8
	unreadBytes = 64 << 10 // of one of them
)

// unread keeps the attributes of a span that may be somebody's own tool. Spans with
// more of them than a tool has tell of something else.
func (b *bag) unread(s *trace.Step) {
	if !b.isSpan || s.Hints.Transport {
		return
	}
	for i := range b.attrs {
		a := &b.attrs[i]
		if a.used || a.key == "" || b.c.quiet[a.id] || a.id == 0 && b.c.silent(a.key) {
			continue
		}
		var v trace.Value
		switch a.val.Type() {
		case pcommon.ValueTypeStr:
			if text := a.val.Str(); text != "" && len(text) <= unreadBytes {
				v = trace.RawValue(text, value.Decode)
			}
		case pcommon.ValueTypeMap, pcommon.ValueTypeSlice:
			v = trace.DataValue(rawValue(a.val, 0))
		}
		if !v.Captured() {
			continue
		}
		if len(s.Hints.Unread) == unreadMax {
			s.Hints.Unread = nil
			return
		}
		s.Hints.Unread = append(s.Hints.Unread, v)
	}
}

// bearing reports whether an attribute looks like content.
func (b *bag) bearing(a *attr) bool {
	if b.c.quiet[a.id] || a.id == 0 && (a.key == "" || b.c.silent(a.key)) {
		return false
	}
	switch a.val.Type() {
	case pcommon.ValueTypeStr:
		s := a.val.Str()
		return len(s) >= contentBytes && (s[0] == '{' || s[0] == '[' || strings.IndexByte(s, ' ') > 0)
	case pcommon.ValueTypeMap:
		return a.val.Map().Len() > 0
	case pcommon.ValueTypeSlice:
		return a.val.Slice().Len() > 0 && a.val.Slice().At(0).Type() != pcommon.ValueTypeInt && a.val.Slice().At(0).Type() != pcommon.ValueTypeDouble
	case pcommon.ValueTypeBytes:
		if n := a.val.Bytes().Len(); n > 0 {
			b.lose("binary", a.key, strconv.Itoa(n)+" bytes")
		}
	}
	return false
}
