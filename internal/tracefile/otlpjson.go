package tracefile

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// The texts of a span mostly hold JSON, whose quotes OTLP's JSON escapes, and
// pdata's JSON decoder unescapes them byte by byte: it takes several times as
// long as reading the same spans from protobuf. So documents of traces are
// rewritten as protobuf, and read as that. Only what exporters write is: an
// unknown member, another spelling, null, or anything that is no JSON makes
// [transcoder.traces] give up, and pdata's decoder reads the document, or says what is
// wrong with it.

// unmarshal reads a document of traces.
func (p *parser) unmarshal(b []byte) (ptrace.Traces, error) {
	defer p.wire.release()
	if p.wire.traces(b) {
		if td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(p.wire.out); err == nil {
			return td, nil
		}
	}
	return p.traces.UnmarshalTraces(b)
}

// shape is how a member is written, in JSON and in protobuf.
type shape uint8

const (
	shapeText    shape = iota // bytes
	shapeMessage              // bytes
	shapeList                 // of messages, each bytes
	shapeTraceID              // hex digits; bytes
	shapeSpanID
	shapeTruth   // a varint
	shapeWhole   // a number that may be negative, or its digits as text; a varint
	shapeCount   // the same without a sign
	shapeFixed32 // the same; four bytes
	shapeFixed64 // the same; eight bytes
	shapeDouble  // a number; eight bytes
	shapeKind    // a number, or the name of one; a varint
	shapeCode    // the same
	shapeBytes   // base64; bytes
)

// The names of numbers, from 0.
var (
	kindNames = []string{"SPAN_KIND_UNSPECIFIED", "SPAN_KIND_INTERNAL", "SPAN_KIND_SERVER", "SPAN_KIND_CLIENT", "SPAN_KIND_PRODUCER", "SPAN_KIND_CONSUMER"}
	codeNames = []string{"STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"}
)

// layout is the members of a message of OTLP.
type layout []member

type member struct {
	name   string
	number uint64
	shape  shape
	of     *layout // of a message, or a list of them
}

// The messages of a document of traces: opentelemetry-proto, trace/v1/trace.proto.
var (
	tracesLayout = layout{{"resourceSpans", 1, shapeList, &resourceSpansLayout}}

	resourceSpansLayout = layout{{"resource", 1, shapeMessage, &resourceLayout}, {"scopeSpans", 2, shapeList, &scopeSpansLayout}, {"schemaUrl", 3, shapeText, nil}}
	resourceLayout      = layout{{"attributes", 1, shapeList, &pairLayout}, {"droppedAttributesCount", 2, shapeCount, nil}}
	scopeSpansLayout    = layout{{"scope", 1, shapeMessage, &scopeLayout}, {"spans", 2, shapeList, &spanLayout}, {"schemaUrl", 3, shapeText, nil}}
	scopeLayout         = layout{{"name", 1, shapeText, nil}, {"version", 2, shapeText, nil}, {"attributes", 3, shapeList, &pairLayout}, {"droppedAttributesCount", 4, shapeCount, nil}}

	spanLayout = layout{
		{"traceId", 1, shapeTraceID, nil}, {"spanId", 2, shapeSpanID, nil}, {"traceState", 3, shapeText, nil}, {"parentSpanId", 4, shapeSpanID, nil}, {"flags", 16, shapeFixed32, nil},
		{"name", 5, shapeText, nil}, {"kind", 6, shapeKind, nil}, {"startTimeUnixNano", 7, shapeFixed64, nil}, {"endTimeUnixNano", 8, shapeFixed64, nil},
		{"attributes", 9, shapeList, &pairLayout}, {"droppedAttributesCount", 10, shapeCount, nil},
		{"events", 11, shapeList, &eventLayout}, {"droppedEventsCount", 12, shapeCount, nil},
		{"links", 13, shapeList, &linkLayout}, {"droppedLinksCount", 14, shapeCount, nil}, {"status", 15, shapeMessage, &statusLayout},
	}
	eventLayout  = layout{{"timeUnixNano", 1, shapeFixed64, nil}, {"name", 2, shapeText, nil}, {"attributes", 3, shapeList, &pairLayout}, {"droppedAttributesCount", 4, shapeCount, nil}}
	linkLayout   = layout{{"traceId", 1, shapeTraceID, nil}, {"spanId", 2, shapeSpanID, nil}, {"traceState", 3, shapeText, nil}, {"attributes", 4, shapeList, &pairLayout}, {"droppedAttributesCount", 5, shapeCount, nil}, {"flags", 6, shapeFixed32, nil}}
	statusLayout = layout{{"message", 2, shapeText, nil}, {"code", 3, shapeCode, nil}}

	pairLayout   layout
	valueLayout  layout
	valuesLayout layout
	pairsLayout  layout
)

func init() { // since they hold each other
	pairLayout = layout{{"key", 1, shapeText, nil}, {"value", 2, shapeMessage, &valueLayout}}
	valueLayout = layout{{"stringValue", 1, shapeText, nil}, {"boolValue", 2, shapeTruth, nil}, {"intValue", 3, shapeWhole, nil}, {"doubleValue", 4, shapeDouble, nil}, {"arrayValue", 5, shapeMessage, &valuesLayout}, {"kvlistValue", 6, shapeMessage, &pairsLayout}, {"bytesValue", 7, shapeBytes, nil}}
	valuesLayout = layout{{"values", 1, shapeList, &valueLayout}}
	pairsLayout = layout{{"values", 1, shapeList, &pairLayout}}
}

// nestMax is how deep messages may nest: pdata reads a hundred from protobuf, and
// any number from JSON.
const nestMax = 50

// transcoder rewrites documents as protobuf. Its memory is used again.
type transcoder struct {
	in    []byte
	i     int // in in
	out   []byte
	depth int
}

// traces rewrites a document of traces; false where it gives up.
func (w *transcoder) traces(b []byte) bool {
	w.in, w.i, w.out, w.depth = b, 0, w.out[:0], 0
	defer func() { w.in = nil }()
	return w.message(tracesLayout) && w.next() == 0 && w.i == len(b)
}

// release drops the memory of a large document.
func (w *transcoder) release() {
	if cap(w.out) > keptMax {
		w.out = nil
	}
}

// keptMax is how much memory is kept from one document to the next.
const keptMax = 4 << 20

// next steps over space and returns the byte there, 0 at the end.
func (w *transcoder) next() byte {
	for ; w.i < len(w.in); w.i++ {
		switch c := w.in[w.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// skip steps over space and over c.
func (w *transcoder) skip(c byte) bool {
	if w.next() != c {
		return false
	}
	w.i++
	return true
}

// each reads what stands between two brackets, with commas between.
func (w *transcoder) each(open, end byte, read func() bool) bool {
	if !w.skip(open) {
		return false
	}
	if w.skip(end) {
		return true
	}
	for read() {
		if w.skip(end) {
			return true
		}
		if !w.skip(',') {
			return false
		}
	}
	return false
}

func (w *transcoder) message(l layout) bool {
	if w.depth++; w.depth > nestMax {
		return false
	}
	ok := w.each('{', '}', func() bool {
		name, ok := w.plain()
		if !ok || !w.skip(':') {
			return false
		}
		for i := range l {
			if l[i].name == string(name) {
				return w.member(&l[i])
			}
		}
		return false
	})
	w.depth--
	return ok
}

// How protobuf writes the value that follows a number.
const (
	asVarint  = 0
	asFixed64 = 1
	asBytes   = 2
	asFixed32 = 5
)

func (w *transcoder) tag(m *member, as uint64) { w.out = binary.AppendUvarint(w.out, m.number<<3|as) }

// sized writes a member whose length stands before it, for which it leaves room.
func (w *transcoder) sized(m *member, write func() bool) bool {
	const room = 4 // bytes, of seven bits each
	w.tag(m, asBytes)
	w.out = append(w.out, make([]byte, room)...)
	from := len(w.out)
	if !write() {
		return false
	}
	n := len(w.out) - from
	for i := range room {
		w.out[from-room+i] = byte(n>>(7*i))&0x7f | 0x80
	}
	w.out[from-1] &= 0x7f
	return n < 1<<(7*room)
}

// member writes the value of a member, at which w is.
func (w *transcoder) member(m *member) bool {
	switch m.shape {
	case shapeText:
		return w.next() == '"' && w.sized(m, w.text)
	case shapeMessage:
		return w.sized(m, func() bool { return w.message(*m.of) })
	case shapeList:
		return w.each('[', ']', func() bool { return w.sized(m, func() bool { return w.message(*m.of) }) })
	case shapeTraceID:
		return w.id(m, 16)
	case shapeSpanID:
		return w.id(m, 8)
	case shapeTruth:
		for i, word := range [...]string{"false", "true"} {
			if w.next() == word[0] && len(w.in)-w.i >= len(word) && string(w.in[w.i:w.i+len(word)]) == word {
				w.i += len(word)
				w.tag(m, asVarint)
				w.out = append(w.out, byte(i))
				return true
			}
		}
		return false
	case shapeDouble:
		w.next()
		number, ok := w.number()
		f, err := strconv.ParseFloat(string(number), 64)
		w.tag(m, asFixed64)
		w.out = binary.LittleEndian.AppendUint64(w.out, math.Float64bits(f))
		return ok && err == nil
	case shapeBytes:
		code, ok := w.plain()
		return ok && w.sized(m, func() bool {
			var err error
			w.out, err = base64.StdEncoding.AppendDecode(w.out, code)
			return err == nil
		})
	case shapeKind:
		return w.named(m, kindNames)
	case shapeCode:
		return w.named(m, codeNames)
	}
	return w.integer(m)
}

// named writes a number that may be written as its name.
func (w *transcoder) named(m *member, names []string) bool {
	if w.next() != '"' {
		return w.integer(m)
	}
	name, ok := w.plain()
	n := slices.Index(names, string(name))
	w.tag(m, asVarint)
	w.out = append(w.out, byte(n))
	return ok && n >= 0
}

// integer writes a whole number, which may stand in quotes.
func (w *transcoder) integer(m *member) bool {
	quoted := w.skip('"')
	digits, ok := w.number()
	if !ok || quoted && (w.i >= len(w.in) || w.in[w.i] != '"') {
		return false
	}
	if quoted {
		w.i++
	}
	if m.shape == shapeWhole {
		n, err := strconv.ParseInt(string(digits), 10, 64)
		w.tag(m, asVarint)
		w.out = binary.AppendUvarint(w.out, uint64(n))
		return err == nil
	}
	size := 64
	if m.shape != shapeFixed64 {
		size = 31 // enumerations are signed
	}
	n, err := strconv.ParseUint(string(digits), 10, size)
	switch m.shape {
	case shapeFixed64:
		w.tag(m, asFixed64)
		w.out = binary.LittleEndian.AppendUint64(w.out, n)
	case shapeFixed32:
		w.tag(m, asFixed32)
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(n))
	default:
		w.tag(m, asVarint)
		w.out = binary.AppendUvarint(w.out, n)
	}
	return err == nil
}

// number steps over a number as JSON has it.
func (w *transcoder) number() (number []byte, ok bool) {
	from := w.i
	digits := func() int {
		n := 0
		for ; w.i < len(w.in) && w.in[w.i] >= '0' && w.in[w.i] <= '9'; w.i++ {
			n++
		}
		return n
	}
	at := func(chars ...byte) bool {
		for _, c := range chars {
			if w.i < len(w.in) && w.in[w.i] == c {
				w.i++
				return true
			}
		}
		return false
	}
	at('-')
	first := w.i
	if n := digits(); n == 0 || n > 1 && w.in[first] == '0' {
		return nil, false
	}
	if at('.') && digits() == 0 {
		return nil, false
	}
	if at('e', 'E') {
		at('+', '-')
		if digits() == 0 {
			return nil, false
		}
	}
	return w.in[from:w.i], true
}

// id writes an id of so many bytes, or none for an empty text.
func (w *transcoder) id(m *member, size int) bool {
	digits, ok := w.plain()
	if !ok || len(digits) == 0 {
		return ok
	}
	w.tag(m, asBytes)
	w.out = append(w.out, byte(size))
	var err error
	w.out, err = hex.AppendDecode(w.out, digits)
	return err == nil && len(digits) == 2*size
}

// plain steps over a text without escapes.
func (w *transcoder) plain() (text []byte, ok bool) {
	if !w.skip('"') {
		return nil, false
	}
	from := w.i
	for w.i < len(w.in) && !special(w.in[w.i]) {
		w.i++
	}
	if w.i >= len(w.in) || w.in[w.i] != '"' {
		return nil, false
	}
	w.i++
	return w.in[from : w.i-1], true
}

// text writes the text that begins with the quote at which w is.
func (w *transcoder) text() bool {
	in, i, out := w.in, w.i+1, w.out
	for {
		for len(in)-i >= 8 { // eight bytes at a time up to what is special
			word := binary.LittleEndian.Uint64(in[i:])
			out = binary.LittleEndian.AppendUint64(out, word)
			if m := marks(word); m != 0 {
				n := bits.TrailingZeros64(m) / 8
				out, i = out[:len(out)-8+n], i+n
				break
			}
			i += 8
		}
		for ; i < len(in) && !special(in[i]); i++ {
			out = append(out, in[i])
		}
		switch {
		case i+1 < len(in) && in[i] == '\\' && escapes[in[i+1]] != 0:
			out, i = append(out, escapes[in[i+1]]), i+2
			continue
		case i < len(in) && in[i] == '"':
			w.i, w.out = i+1, out
			return true
		}
		w.i, w.out = i, out
		if !w.rune() {
			return false // cut, or a control character, which JSON escapes
		}
		i, out = w.i, w.out
	}
}

// escapes are the bytes for which a letter after a backslash stands.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// rune writes the character that is escaped by its number, or as a pair of
// surrogates. Half of such a pair is left to pdata.
func (w *transcoder) rune() bool {
	r, ok := w.unit()
	if ok && utf16.IsSurrogate(r) {
		var low rune
		low, ok = w.unit()
		r = utf16.DecodeRune(r, low)
		ok = ok && r != utf8.RuneError
	}
	w.out = utf8.AppendRune(w.out, r)
	return ok
}

// unit steps over \u and four hex digits.
func (w *transcoder) unit() (rune, bool) {
	if len(w.in)-w.i < 6 || w.in[w.i] != '\\' || w.in[w.i+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(w.in[w.i+2:w.i+6]), 16, 16)
	w.i += 6
	return rune(n), err == nil
}

// special reports whether a byte of a text is not simply itself.
func special(c byte) bool { return c == '"' || c == '\\' || c < ' ' }

// marks has the top bit of the first of eight bytes that is special, and no bit
// below it. (Bits above it mean nothing.)
func marks(word uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := word^ones*'"', word^ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (word-ones*' ')&^word) & tops
}
