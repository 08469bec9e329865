package value

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// parser reads JSON and, with python set, what Python's repr writes. Text that
// ends too early is not an error: cut is set and what was read so far stands.
type parser struct {
	s      string
	i      int
	depth  int
	nodes  int
	python bool
	whole  bool   // the text is a whole string: nothing in it is cut
	cut    bool   // the text ended inside a value
	over   bool   // a limit was hit
	buf    []byte // of strings with escapes
}

// document reads the whole text as one value.
func (p *parser) document() (any, bool) {
	v, ok := p.value()
	if !ok {
		return nil, false
	}
	if v == (absent{}) { // cut before the first value
		return nil, false
	}
	p.space()
	if p.i < len(p.s) && !p.over && !p.cut {
		if !cutMark(p.s[p.i:]) {
			return nil, false
		}
		p.cut = true
	}
	return v, true
}

// lines reads a text with an object on each of several lines as their list.
func (p *parser) lines() (list []any, ok bool) {
	for {
		p.space()
		if p.i == len(p.s) {
			return list, len(list) > 1
		}
		if p.s[p.i] != '{' || len(list) > 0 && !strings.ContainsRune(p.s[max(p.i-2, 0):p.i], '\n') {
			return nil, false
		}
		v, ok := p.value()
		if !ok || p.over {
			return nil, false
		}
		list = append(list, v)
	}
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\t', '\n', '\r':
			p.i++
		default:
			return
		}
	}
}

// absent is a value that the cut swallowed: half a number, half a word.
type absent struct{}

// value reads one value. ok is false on a syntax error; at the end of the text
// it is absent{} with cut set.
func (p *parser) value() (any, bool) {
	p.space()
	if p.i >= len(p.s) {
		p.cut = true
		return absent{}, true
	}
	if p.nodes++; p.nodes > NodesMax {
		p.over, p.cut = true, true
		return absent{}, true
	}
	switch c := p.s[p.i]; {
	case c == '{':
		return p.nested(p.object)
	case c == '[':
		return p.nested(func() (any, bool) { return p.array(']') })
	case c == '"':
		return p.str('"')
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	case p.python:
		return p.pythonValue(c)
	default:
		return p.word()
	}
}

// nested guards the depth: a value beyond it stays text.
func (p *parser) nested(read func() (any, bool)) (any, bool) {
	if p.depth >= DepthMax {
		start := p.i
		p.over = true
		p.i = skip(p.s, p.i)
		return p.s[start:p.i], true
	}
	p.depth++
	v, ok := read()
	p.depth--
	return v, ok
}

func (p *parser) object() (any, bool) {
	p.i++ // {
	m := make(map[string]any, 4)
	for {
		p.space()
		if p.i >= len(p.s) {
			p.cut = true
			return m, true
		}
		if p.s[p.i] == '}' {
			p.i++
			return m, true
		}
		key, ok := p.key()
		if !ok || p.cut {
			return m, ok || p.cutAt(p.i)
		}
		start := p.i
		v, ok := p.value()
		if !ok {
			return m, p.cutAt(start)
		}
		if v != (absent{}) {
			m[key] = v
		}
		if p.cut {
			return m, true
		}
		if done, ok := p.next('}'); done || !ok {
			return m, ok || p.cutAt(p.i)
		}
	}
}

// key reads a member's name and its colon. Python's dicts may have keys that
// are no strings; those take their text.
func (p *parser) key() (string, bool) {
	start := p.i
	var key string
	if c := p.s[p.i]; c == '"' {
		if p.nodes++; p.nodes > NodesMax {
			p.over, p.cut = true, true
			return "", true
		}
		key = p.text(c)
	} else if p.python {
		v, ok := p.value()
		if !ok {
			return "", false
		}
		if s, isText := v.(string); isText {
			key = s
		} else {
			key = p.s[start:p.i]
		}
	} else {
		return "", false
	}
	p.space()
	if p.cut || p.i >= len(p.s) {
		p.cut = true
		return "", true
	}
	if p.s[p.i] != ':' {
		return "", false
	}
	p.i++
	return key, true
}

func (p *parser) array(end byte) (any, bool) {
	p.i++ // [
	list := make([]any, 0, 4)
	for {
		p.space()
		if p.i >= len(p.s) {
			p.cut = true
			return list, true
		}
		if p.s[p.i] == end {
			p.i++
			return list, true
		}
		start := p.i
		v, ok := p.value()
		if !ok {
			return list, p.cutAt(start)
		}
		if v != (absent{}) {
			list = append(list, v)
		}
		if p.cut {
			return list, true
		}
		if done, ok := p.next(end); done || !ok {
			return list, ok || p.cutAt(p.i)
		}
	}
}

// next reads the comma or the closing bracket after an element.
func (p *parser) next(end byte) (done, ok bool) {
	p.space()
	if p.i >= len(p.s) {
		p.cut = true
		return true, true
	}
	switch p.s[p.i] {
	case end:
		p.i++
		return true, true
	case ',':
		p.i++
		if !p.python { // JSON has no comma before a closing bracket
			p.space()
			if p.i < len(p.s) && p.s[p.i] == end {
				return true, false
			}
		}
		return false, true
	}
	return false, false
}

// cutAt turns a syntax error into a cut where the text from i on is a producer's
// mark that it cut there.
func (p *parser) cutAt(i int) bool {
	if i < len(p.s) && cutMark(p.s[i:]) {
		p.cut = true
		p.i = len(p.s)
		return true
	}
	return false
}

func (p *parser) str(quote byte) (any, bool) { return p.text(quote), true }

// text reads a string that ends with quote. Without escapes it is a slice of
// the text. A string that the cut ended is returned as far as it goes.
func (p *parser) text(quote byte) string {
	p.i++
	rest := p.s[p.i:]
	end := strings.IndexByte(rest, quote)
	if end < 0 {
		end = len(rest)
	}
	if e := strings.IndexByte(rest[:end], '\\'); e >= 0 {
		return p.escaped(e, quote)
	}
	p.i += end + 1
	if end == len(rest) {
		p.i, p.cut = len(p.s), true
	}
	return rest[:end]
}

// escaped reads a string in which the first backslash is plain bytes from here.
func (p *parser) escaped(plain int, quote byte) string {
	b := append(p.buf[:0], p.s[p.i:p.i+plain]...)
	p.i += plain
	closed, end := false, -1 // end is the next quote from here on
	for p.i < len(p.s) && !closed {
		if end < p.i {
			if end = strings.IndexByte(p.s[p.i:], quote); end < 0 {
				end = len(p.s)
			} else {
				end += p.i
			}
		}
		e := strings.IndexByte(p.s[p.i:end], '\\')
		if e < 0 {
			b = append(b, p.s[p.i:end]...)
			closed = end < len(p.s)
			p.i = end + 1
			continue
		}
		b = append(b, p.s[p.i:p.i+e]...)
		p.i += e + 1
		if p.i < len(p.s) {
			b = p.escape(b)
		}
	}
	if !closed {
		p.i, p.cut = len(p.s), true
	}
	p.buf = b
	return string(b)
}

// escape reads what follows a backslash.
func (p *parser) escape(b []byte) []byte {
	c := p.s[p.i]
	p.i++
	switch c {
	case 'n':
		return append(b, '\n')
	case 't':
		return append(b, '\t')
	case 'r':
		return append(b, '\r')
	case 'b':
		return append(b, '\b')
	case 'f':
		return append(b, '\f')
	case '"', '\\', '/', '\'':
		return append(b, c)
	case 'u':
		return p.unicode(b, 4)
	case 'x':
		if p.python {
			return p.unicode(b, 2)
		}
	case 'U':
		if p.python {
			return p.unicode(b, 8)
		}
	case '\n':
		if p.python {
			return b
		}
	}
	return append(b, '\\', c)
}

func (p *parser) unicode(b []byte, digits int) []byte {
	r, ok := p.hex(digits)
	if !ok {
		if !p.whole && len(p.s)-p.i < digits { // cut inside the escape
			p.i = len(p.s)
			return b
		}
		return append(b, '\\', 'u')
	}
	if utf16.IsSurrogate(r) && strings.HasPrefix(p.s[p.i:], `\u`) {
		back := p.i
		p.i += 2
		if low, ok := p.hex(4); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
			return utf8.AppendRune(b, utf16.DecodeRune(r, low))
		}
		p.i = back
	}
	return utf8.AppendRune(b, r)
}

func (p *parser) hex(digits int) (rune, bool) {
	if len(p.s)-p.i < digits {
		return 0, false
	}
	n, err := strconv.ParseUint(p.s[p.i:p.i+digits], 16, 32)
	if err != nil {
		return 0, false
	}
	p.i += digits
	if n > utf8.MaxRune {
		return utf8.RuneError, true
	}
	return rune(n), true
}

// number reads an int64 where it is one, else a float64.
func (p *parser) number() (any, bool) {
	start := p.i
	whole := true
	for p.i < len(p.s) {
		c := p.s[p.i]
		if c >= '0' && c <= '9' || c == '-' && p.i == start {
			p.i++
			continue
		}
		if c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' {
			whole = false
			p.i++
			continue
		}
		break
	}
	text := p.s[start:p.i]
	if p.i >= len(p.s) && p.depth > 0 {
		p.cut = true
		return absent{}, true
	}
	if digits := strings.TrimPrefix(text, "-"); len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return nil, false
	}
	if whole {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, true
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		if strings.HasPrefix(p.s[p.i:], "nfinity") {
			return p.word()
		}
		return nil, false
	}
	return f, true
}

// words are the literals of JSON, then those of Python.
var words = [...]struct {
	text string
	data any
}{
	{"true", true},
	{"false", false},
	{"null", nil},
	{"NaN", "NaN"},
	{"Infinity", "Infinity"},
	{"undefined", nil},
	{"True", true},
	{"False", false},
	{"None", nil},
	{"nan", "nan"},
	{"inf", "inf"},
}

func (p *parser) word() (any, bool) {
	rest := p.s[p.i:]
	for _, w := range words {
		if strings.HasPrefix(rest, w.text) {
			end := p.i + len(w.text)
			if end < len(p.s) && wordByte(p.s[end]) {
				continue
			}
			p.i = end
			return w.data, true
		}
		if len(rest) < len(w.text) && strings.HasPrefix(w.text, rest) {
			p.i, p.cut = len(p.s), true
			return absent{}, true
		}
	}
	return nil, false
}

func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
