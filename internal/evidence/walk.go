package evidence

import (
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// A node is one value of a text that holds data (JSON, also with Python's
// spelling, also cut off), with its way back to the text's bytes.
type node struct {
	kind  nodeKind
	key   string // of a member; empty in a list
	keyAt int    // where the key's letters begin in the text that it was read from; 0 where they are escaped
	unit  string // what an object of units beside it says
	start int    // bytes of the value in the text that it was read from
	end   int
	text  string   // decoded, of a string; as written, of other scalars
	back  *mapping // of a scalar or string: from its own bytes; of a container: from the bytes it was read from
	kids  []node
}

type nodeKind uint8

const (
	nodeScalar nodeKind = iota // number, true, false, null
	nodeString
	nodeObject
	nodeList
)

// mapping leads from the bytes of a decoded string to those of the text that
// the span carried, through every level of JSON in strings.
type mapping struct {
	breaks []breakPoint // where decoded and written bytes part; none for a string without escapes
	base   int          // where the string's contents begin in the text it was read from
	outer  *mapping     // that text's own way back; nil for the span's text
}

type breakPoint struct{ decoded, written int32 }

// at is the place of decoded byte off in the text that the span carried.
func (m *mapping) at(off int) int {
	for ; m != nil; m = m.outer {
		if n := sort.Search(len(m.breaks), func(i int) bool { return int(m.breaks[i].decoded) > off }); n > 0 {
			b := m.breaks[n-1]
			off += int(b.written - b.decoded)
		}
		off += m.base
	}
	return off
}

const maxDepth = 64

// parseData reads data from a text. It reports false where the text is prose
// or breaks off in a way that leaves nothing to read.
func parseData(text string, outer *mapping) (node, bool) {
	r := rooms.Get().(*nodeRoom)
	defer r.release()
	return r.read(text, outer, false)
}

// nodeRoom is memory for nodes that is used again.
type nodeRoom struct {
	open []node // of the objects and lists whose end is not read, the innermost last: how many values one has is known at its end
	kids []node // of those that were read, where they are not kept for longer than the room

	// ways back, made many at a time: every value has one. What has been made of them
	// stays with the observations; the rest is for later ones.
	ways    []mapping
	passing bool // nothing keeps what is made
}

// rooms are for what observations keep, passing is for what nothing does.
var (
	rooms   = sync.Pool{New: func() any { return new(nodeRoom) }}
	passing = sync.Pool{New: func() any { return &nodeRoom{passing: true} }}
)

// roomMax bounds the memory that is kept.
const roomMax = 1 << 12

// release takes the room back. Nothing may look any more at the nodes that lie in it.
func (r *nodeRoom) release() {
	if cap(r.open) > roomMax || cap(r.kids) > roomMax {
		return
	}
	clear(r.open) // what breaks off is open still
	clear(r.kids)
	r.open, r.kids = r.open[:0], r.kids[:0]
	if !r.passing {
		rooms.Put(r)
		return
	}
	clear(r.ways)
	r.ways = r.ways[:0]
	passing.Put(r)
}

// read is [parseData] of which the nodes lie in the room, until it is released, if
// within says so.
func (r *nodeRoom) read(text string, outer *mapping, within bool) (node, bool) {
	p := parser{s: text, outer: outer, room: r, within: within}
	i := p.blank(0)
	if i >= len(text) || text[i] != '{' && text[i] != '[' {
		return node{}, false
	}
	n, end, ok := p.value(i, 0)
	if !ok || p.blank(end) < len(text) {
		return node{}, false
	}
	if n.kind == nodeList && !p.structured && !listOfData(n) { // [1] a footnote, [note]
		return node{}, false
	}
	return n, true
}

// listOfData reports whether a list of bare scalars is data rather than a bracketed word.
func listOfData(n node) bool { return len(n.kids) != 1 || n.kids[0].kind == nodeString }

type parser struct {
	s          string
	outer      *mapping
	structured bool // an object or a string has been read
	room       *nodeRoom
	within     bool // the values that were read lie in the room
}

// take takes the values from a place on out of those that are open.
func (p *parser) take(from int) []node {
	r := p.room
	list := r.open[from:]
	var kids []node
	if p.within {
		at := len(r.kids)
		if cap(r.kids)-at < len(list) {
			r.kids, at = make([]node, 0, max(2*cap(r.kids), len(list), 16)), 0
		}
		r.kids = append(r.kids, list...)
		kids = r.kids[at:len(r.kids):len(r.kids)]
	} else {
		kids = slices.Clone(list)
	}
	clear(list)
	r.open = r.open[:from]
	return kids
}

func (p *parser) blank(i int) int {
	for i < len(p.s) && (p.s[i] == ' ' || p.s[i] == '\n' || p.s[i] == '\t' || p.s[i] == '\r') {
		i++
	}
	return i
}

// value reads one value. At the end of a cut text it takes what is there.
func (p *parser) value(i, depth int) (node, int, bool) {
	s := p.s
	if i >= len(s) || depth > maxDepth {
		return node{}, i, i >= len(s)
	}
	switch c := s[i]; {
	case c == '{':
		return p.object(i, depth)
	case c == '[':
		return p.list(i, depth)
	case c == '"' || c == '\'':
		return p.str(i)
	case c == '-' || lang.IsDigit(c) || lang.IsLetter(c):
		end := i
		for end < len(s) && (lang.IsAlnum(s[end]) || s[end] == '.' || s[end] == '-' || s[end] == '+' || s[end] == '_') {
			end++
		}
		w := s[i:end]
		if lang.IsLetter(c) && !scalarWords[w] && end < len(s) {
			return node{}, i, false
		}
		return node{kind: nodeScalar, start: i, end: end, text: w, back: p.mapping(i)}, end, true
	}
	return node{}, i, false
}

var scalarWords = lang.Set("true false null True False None NaN nan Infinity undefined")

func (p *parser) object(i, depth int) (node, int, bool) {
	s := p.s
	n, from := node{kind: nodeObject, start: i, back: p.outer}, len(p.room.open)
	p.structured = true
	for i = p.blank(i + 1); i < len(s) && s[i] != '}'; {
		if s[i] != '"' && s[i] != '\'' {
			return node{}, i, false
		}
		key, keyAt, end := p.key(i)
		i = p.blank(end)
		if i >= len(s) {
			break
		}
		if s[i] != ':' {
			return node{}, i, false
		}
		v, end, ok := p.value(p.blank(i+1), depth+1)
		if !ok {
			return node{}, i, false
		}
		if v.end > 0 {
			v.key, v.keyAt = key, keyAt
			p.room.open = append(p.room.open, v)
		}
		if i = p.blank(end); i < len(s) && s[i] == ',' {
			i = p.blank(i + 1)
		} else if i < len(s) && s[i] != '}' {
			return node{}, i, false
		}
	}
	n.kids, n.end = p.take(from), min(i+1, len(s))
	return n, n.end, true
}

func (p *parser) list(i, depth int) (node, int, bool) {
	s := p.s
	n, from := node{kind: nodeList, start: i, back: p.outer}, len(p.room.open)
	for i = p.blank(i + 1); i < len(s) && s[i] != ']'; {
		v, end, ok := p.value(i, depth+1)
		if !ok {
			return node{}, i, false
		}
		if v.end > 0 {
			p.room.open = append(p.room.open, v)
		}
		if i = p.blank(end); i < len(s) && s[i] == ',' {
			i = p.blank(i + 1)
		} else if i < len(s) && s[i] != ']' {
			return node{}, i, false
		}
	}
	n.kids, n.end = p.take(from), min(i+1, len(s))
	return n, n.end, true
}

// key reads a member's name, and where its letters begin: 0 where they are escaped.
func (p *parser) key(i int) (text string, at, end int) {
	s, quote := p.s, p.s[i]
	p.structured = true
	for end = i + 1; end < len(s) && s[end] != quote; end++ {
		if s[end] == '\\' {
			n, end, _ := p.str(i)
			return n.text, 0, end
		}
	}
	return s[i+1 : end], i + 1, min(end+1, len(s))
}

// mapping makes a way back.
func (p *parser) mapping(base int) *mapping {
	const several = 32
	r := p.room
	if len(r.ways) == cap(r.ways) {
		r.ways = make([]mapping, 0, several)
	}
	r.ways = append(r.ways, mapping{base: base, outer: p.outer})
	return &r.ways[len(r.ways)-1]
}

// str reads a string in either kind of quotes.
func (p *parser) str(i int) (node, int, bool) {
	s, quote := p.s, p.s[i]
	p.structured = true
	from := i + 1
	m := p.mapping(from)
	end := from
	for end < len(s) && s[end] != quote && s[end] != '\\' {
		end++
	}
	if end >= len(s) || s[end] == quote {
		return node{kind: nodeString, start: i, end: min(end+1, len(s)), text: s[from:end], back: m}, min(end+1, len(s)), true
	}
	b := append(make([]byte, 0, 2*(end-from)+64), s[from:end]...)
	for end < len(s) && s[end] != quote {
		if s[end] != '\\' {
			run := end
			for end < len(s) && s[end] != quote && s[end] != '\\' {
				end++
			}
			b = append(b, s[run:end]...)
			continue
		}
		width := 0
		b, width = unescape(b, s[end:])
		end += width
		m.breaks = append(m.breaks, breakPoint{int32(len(b)), int32(end - from)})
	}
	return node{kind: nodeString, start: i, end: min(end+1, len(s)), text: string(b), back: m}, min(end+1, len(s)), true
}

// unescape appends the character that the escape at the start of s stands for,
// and returns the escape's length.
func unescape(b []byte, s string) ([]byte, int) {
	if len(s) < 2 {
		return b, len(s)
	}
	switch s[1] {
	case 'n':
		return append(b, '\n'), 2
	case 't':
		return append(b, '\t'), 2
	case 'r':
		return append(b, '\r'), 2
	case 'b', 'f':
		return append(b, ' '), 2
	case 'u':
		r, ok := hex4(s)
		if !ok {
			return append(b, 'u'), 2
		}
		width := 6
		if utf16.IsSurrogate(r) {
			if low, ok := hex4(s[min(6, len(s)):]); ok {
				if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
					return utf8.AppendRune(b, full), 12
				}
			}
			r = utf8.RuneError
		}
		return utf8.AppendRune(b, r), width
	}
	return append(b, s[1]), 2
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	var r rune
	for i := 2; i < 6; i++ {
		c := s[i] | 0x20
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// nested reads the data that a string holds; nil where it holds none.
func (n *node) nested() *node {
	if n.kind != nodeString || len(n.text) < 2 {
		return nil
	}
	t := strings.TrimLeft(n.text, " \n\t\r")
	if t == "" || t[0] != '{' && t[0] != '[' {
		return nil
	}
	inner, ok := parseData(n.text, n.back)
	if !ok {
		return nil
	}
	return &inner
}
