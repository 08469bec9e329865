package normalise

import (
	"encoding/base64"
	"iter"
	"math/bits"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/value"
)

// attributesMax is how many attributes of one span are looked at.
const attributesMax = 4096

// bag is what one span or log record carries, looked up by the number of a key.
// It is built once and reused for other spans.
type bag struct {
	c        *compiled
	resource pcommon.Resource
	scope    string
	name     string
	span     ptrace.Span // valid for spans only
	isSpan   bool
	attrs    []attr
	at       []uint16 // by key: index in attrs, from 1; of a group that of its first
	groups   map[keyID][]uint16
	events   []spanEvent
	objects  []object           // that were looked into; see rawMember
	members  []value.Raw        // of these
	meanings map[string]meaning // see means
	marked   uint64             // dialects that an attribute marks
	fields   fieldSet           // that an attribute may have
	claimant int                // index in dialects; len(dialects) where nobody claims the span

	redacted string // key of the first placeholder met
	cut      string // key of the first cut value met
	cutRunes int    // its length
	losses   []trace.Loss

	ids writtenIDs
}

// writtenIDs are the ids that were written as text last: the spans of a trace
// come together, and so do those of a parent.
type writtenIDs struct {
	trace      pcommon.TraceID
	traceText  string
	parent     pcommon.SpanID
	parentText string
}

// attr is one attribute.
type attr struct {
	key  string
	id   keyID
	used bool
	val  pcommon.Value
}

// spanEvent is one event of a span, or the attributes and body of a log record
// in the same form.
type spanEvent struct {
	name  string
	attrs map[string]any
	used  bool
}

func newBag(c *compiled) *bag { return &bag{c: c, groups: map[keyID][]uint16{}} }

// load fills the bag from a span.
func (b *bag) load(resource pcommon.Resource, scope pcommon.InstrumentationScope, span ptrace.Span) {
	b.resource, b.scope, b.name, b.span, b.isSpan = resource, scope.Name(), span.Name(), span, true
	b.add(span.Attributes())
	for i := 0; i < span.Events().Len() && i < eventsMax; i++ {
		e := span.Events().At(i)
		b.events = append(b.events, spanEvent{name: e.Name(), attrs: rawMap(e.Attributes(), 0)})
	}
	b.claim()
}

// eventsMax is how many events of one span are looked at.
const eventsMax = 2000

// add puts attributes into the bag.
func (b *bag) add(m pcommon.Map) {
	if len(b.at) < len(keyNames) {
		b.at = make([]uint16, len(keyNames))
	}
	ours := written(m)
	for k, v := range m.All() {
		if ours[k] {
			continue
		}
		if len(b.attrs) >= attributesMax {
			b.lose("over_limit", k, "more than "+strconv.Itoa(attributesMax)+" attributes")
			break
		}
		a := attr{key: k, val: v}
		a.id = keyIDs[k]
		n := uint16(len(b.attrs) + 1)
		if a.id != 0 {
			if b.at[a.id] == 0 {
				b.stands(a.id, n)
			}
			b.marked |= b.c.marks[a.id]
		} else if g, ok := b.group(k); ok {
			a.id = g
			b.groups[g] = append(b.groups[g], n-1)
			if b.at[g] == 0 {
				b.stands(g, n)
			}
			b.marked |= b.c.marks[g]
		}
		if a.id == 0 && k != "" {
			b.marked |= b.c.marksOf(k)
		}
		b.attrs = append(b.attrs, a)
	}
}

// stands notes that the n-th attribute, from 1, is the one of a key.
func (b *bag) stands(id keyID, n uint16) {
	b.at[id] = n
	b.fields |= b.c.fields[id]
}

// WrittenKey is the attribute that lists the attributes which tracegrade put next
// to a producer's own. They say again what the span says and are not read, so
// that a span means the same with them and without.
const WrittenKey = "tracegrade.step.written"

// written is the keys that [WrittenKey] lists.
func written(m pcommon.Map) map[string]bool {
	v, ok := m.Get(WrittenKey)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	keys := make(map[string]bool, v.Slice().Len())
	for _, e := range v.Slice().All() {
		keys[e.Str()] = true
	}
	return keys
}

// group returns the number of the indexed keys that k belongs to: those whose
// text ends before the first index in k.
func (b *bag) group(k string) (keyID, bool) {
	for i := 1; i+1 < len(k); i++ {
		if k[i] == '.' && (k[i+1] >= '0' && k[i+1] <= '9' || k[i+1] == '-') {
			id, ok := b.c.groups[k[:i]]
			return id, ok
		}
	}
	return 0, false
}

func (b *bag) clear() {
	for i := range b.attrs {
		b.at[b.attrs[i].id] = 0
	}
	clear(b.groups)
	clear(b.objects)
	clear(b.members)
	if cap(b.members) > 1<<14 {
		b.members = nil // a stranger's object; the next is smaller
	}
	*b = bag{c: b.c, at: b.at, groups: b.groups, attrs: b.attrs[:0], events: b.events[:0], objects: b.objects[:0], members: b.members[:0], meanings: b.meanings, ids: b.ids}
}

// claim finds the dialect that wrote the span: the first that a mark names or
// that recognises it, else the first that its scope names, else the first of the
// late ones.
func (b *bag) claim() {
	b.claimant = len(b.c.dialects)
	for _, late := range [...]bool{false, true} {
		for i := range b.c.dialects {
			d := &b.c.dialects[i]
			if d.late == late && (b.marked&(1<<i) != 0 || d.is != nil && d.is(b)) {
				b.claimant = i
				if d.byHand == nil || !d.byHand(b) {
					return
				}
				break
			}
		}
		if late {
			return
		}
		if b.claimant < len(b.c.dialects) { // of one who wrote by hand
			b.understandPlain()
			continue
		}
		scoped := uint64(0)
		for i := range b.c.scopes {
			if s := &b.c.scopes[i]; strings.HasPrefix(b.scope, s.text) {
				scoped |= s.marks
			}
		}
		if scoped != 0 {
			b.claimant = bits.TrailingZeros64(scoped)
			return
		}
		b.understandPlain()
	}
}

// claimedBy reports whether the dialect of this name claimed the span.
func (b *bag) claimedBy(name string) bool {
	d := b.dialect()
	return d != nil && d.name == name
}

// dialect is the claimant, or nil.
func (b *bag) dialect() *dialect {
	if b.claimant < len(b.c.dialects) {
		return &b.c.dialects[b.claimant]
	}
	return nil
}

// places are the places of a field that this span has, best first.
func (b *bag) places(f field) iter.Seq[*source] {
	return func(yield func(*source) bool) {
		if b.fields&(1<<f) == 0 && len(b.events) == 0 {
			return
		}
		p := &b.c.order[b.claimant][f]
		for i, id := range p.keys {
			switch {
			case id != 0 && (int(id) >= len(b.at) || b.at[id] == 0), id == 0 && len(b.events) == 0:
			case !yield(&p.sources[i]):
				return
			}
		}
	}
}

// lose notes that something was not read.
func (b *bag) lose(reason, key, detail string) {
	if len(b.losses) < lossesMax {
		b.losses = append(b.losses, trace.Loss{Reason: reason, Key: key, Detail: detail})
	}
}

// lossesMax bounds the losses of one step.
const lossesMax = 50

// rawMap is a map of the wire as Go data.
func rawMap(m pcommon.Map, depth int) map[string]any {
	out := make(map[string]any, m.Len())
	for k, v := range m.All() {
		out[k] = rawValue(v, depth+1)
	}
	return out
}

// rawValue is a value of the wire as Go data. Below the depth that package value
// allows, it is its JSON text.
func rawValue(v pcommon.Value, depth int) any {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return v.Str()
	case pcommon.ValueTypeInt:
		return v.Int()
	case pcommon.ValueTypeDouble:
		return v.Double()
	case pcommon.ValueTypeBool:
		return v.Bool()
	case pcommon.ValueTypeBytes:
		return base64.StdEncoding.EncodeToString(v.Bytes().AsRaw())
	case pcommon.ValueTypeMap:
		if depth > value.DepthMax {
			return "(nested too deep)"
		}
		return rawMap(v.Map(), depth)
	case pcommon.ValueTypeSlice:
		if depth > value.DepthMax {
			return "(nested too deep)"
		}
		out := make([]any, v.Slice().Len())
		for i := range out {
			out[i] = rawValue(v.Slice().At(i), depth+1)
		}
		return out
	}
	return nil
}
