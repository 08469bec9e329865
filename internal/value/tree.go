package value

import (
	"strconv"
	"strings"
	"sync"
)

// Tree is data that was read in one pass into one list of nodes, so that a
// reader can look into it without a map for each object: texts are parts of the
// text that was read, and are unescaped when they are asked for. A tree may hold
// several pieces of data.
//
// It is not safe for use by several goroutines at once.
type Tree struct {
	nodes []treeNode
	buf   []byte
}

// treeNode is one value. The values within it follow it, up to next.
type treeNode struct {
	kind    Kind
	escaped bool   // text has escapes
	next    int32  // index after the last value within; of an alias, the value that it stands for
	name    string // of a member
	text    string // of a text or number
	names   uint64 // of an object: which names its members may have; see nameBit
}

// nameBit is the bit that stands for a name. Readers ask an object for many
// members that it has not, and most of them are told so by one bit.
func nameBit(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((uint(len(name)) + 3*uint(name[0]) + 7*uint(name[len(name)-1])) % 64)
}

var trees = sync.Pool{New: func() any { return new(Tree) }}

// NewTree returns an empty tree, which may be handed back with [Tree.Release].
func NewTree() *Tree { return trees.Get().(*Tree) }

// Release hands a tree back, whose nodes must not be used from then on. The
// texts and data that were taken out of it stay. Large trees are left to the
// garbage collector.
func (t *Tree) Release() {
	if cap(t.nodes) > 1<<14 || cap(t.buf) > 1<<20 {
		return
	}
	clear(t.nodes)
	t.nodes = t.nodes[:0]
	trees.Put(t)
}

// Read adds the data that text holds, or text itself: what [Decode] returns.
func (t *Tree) Read(text string) Node {
	for level := 0; level < levelsMax; level++ {
		if !Looks(text) {
			break
		}
		n, ok := t.json(text)
		if !ok {
			data, _ := parse(text, levelsMax-level)
			return t.Of(data)
		}
		inner, isText := n.Text()
		if !isText {
			return n
		}
		text = inner
	}
	return t.Text(text)
}

// json adds a text that is whole, plain JSON within the limits. Everything else
// is left to the parser that forgives.
func (t *Tree) json(text string) (Node, bool) {
	if len(text) > BytesMax {
		return Node{}, false
	}
	start := len(t.nodes)
	p := parser{s: text}
	if !t.value(&p, "") {
		clear(t.nodes[start:])
		t.nodes = t.nodes[:start]
		return Node{}, false
	}
	if p.space(); p.i < len(text) {
		clear(t.nodes[start:])
		t.nodes = t.nodes[:start]
		return Node{}, false
	}
	return Node{t, int32(start)}, true
}

// value adds the value at p. It is false where that is not plain JSON.
func (t *Tree) value(p *parser, name string) bool {
	p.space()
	if p.i >= len(p.s) {
		return false
	}
	if p.nodes++; p.nodes > NodesMax {
		return false
	}
	switch c := p.s[p.i]; c {
	case '{':
		return t.object(p, name)
	case '[':
		return t.list(p, name)
	case '"':
		text, escaped, ok := p.quoted()
		if ok {
			t.add(treeNode{kind: KindText, name: name, text: text, escaped: escaped})
		}
		return ok
	case 't':
		return t.word(p, name, "true", KindTrue)
	case 'f':
		return t.word(p, name, "false", KindFalse)
	case 'n':
		return t.word(p, name, "null", KindNull)
	default:
		return (c == '-' || c >= '0' && c <= '9') && t.number(p, name)
	}
}

// add adds a node with nothing within it yet, and returns its index.
func (t *Tree) add(n treeNode) int {
	i := len(t.nodes)
	n.next = int32(i + 1)
	t.nodes = append(t.nodes, n)
	return i
}

// end closes a list or an object.
func (t *Tree) end(i int) { t.nodes[i].next = int32(len(t.nodes)) }

func (t *Tree) object(p *parser, name string) bool {
	i := t.add(treeNode{kind: KindObject, name: name})
	p.i++
	if p.depth++; p.depth > DepthMax {
		return false
	}
	if p.space(); p.i < len(p.s) && p.s[p.i] == '}' {
		p.i++
		p.depth--
		return true
	}
	for {
		if p.space(); p.i >= len(p.s) || p.s[p.i] != '"' {
			return false
		}
		if p.nodes++; p.nodes > NodesMax {
			return false
		}
		key, escaped, ok := p.quoted()
		if !ok {
			return false
		}
		if escaped {
			key = t.unescaped(key)
		}
		if p.space(); p.i >= len(p.s) || p.s[p.i] != ':' {
			return false
		}
		p.i++
		t.nodes[i].names |= nameBit(key)
		if !t.value(p, key) {
			return false
		}
		if p.space(); p.i >= len(p.s) {
			return false
		}
		p.i++
		switch p.s[p.i-1] {
		case '}':
			p.depth--
			t.end(i)
			return true
		case ',':
		default:
			return false
		}
	}
}

func (t *Tree) list(p *parser, name string) bool {
	i := t.add(treeNode{kind: KindList, name: name})
	p.i++
	if p.depth++; p.depth > DepthMax {
		return false
	}
	if p.space(); p.i < len(p.s) && p.s[p.i] == ']' {
		p.i++
		p.depth--
		return true
	}
	for {
		if !t.value(p, "") {
			return false
		}
		if p.space(); p.i >= len(p.s) {
			return false
		}
		p.i++
		switch p.s[p.i-1] {
		case ']':
			p.depth--
			t.end(i)
			return true
		case ',':
		default:
			return false
		}
	}
}

func (t *Tree) word(p *parser, name, word string, kind Kind) bool {
	end := p.i + len(word)
	if !strings.HasPrefix(p.s[p.i:], word) || end < len(p.s) && wordByte(p.s[end]) {
		return false
	}
	p.i = end
	t.add(treeNode{kind: kind, name: name})
	return true
}

func (t *Tree) number(p *parser, name string) bool {
	start := p.i
	v, ok := p.number()
	if !ok || p.cut {
		return false
	}
	n := treeNode{name: name, text: p.s[start:p.i]}
	switch v.(type) {
	case int64:
		n.kind = KindInt
	case float64:
		n.kind = KindFloat
	default:
		return false
	}
	t.add(n)
	return true
}

// quoted reads a JSON string up to its closing quote, without unescaping it.
func (p *parser) quoted() (raw string, escaped, ok bool) {
	start := p.i + 1
	n := strings.IndexByte(p.s[start:], '"')
	if n < 0 {
		return "", false, false
	}
	if raw = p.s[start : start+n]; strings.IndexByte(raw, '\\') < 0 {
		p.i = start + n + 1
		return raw, false, true
	}
	end := skipString(p.s, p.i)
	if end <= start || p.s[end-1] != '"' || escapedAt(p.s, end-1) {
		return "", false, false
	}
	if tail := max(start, len(p.s)-5); end > tail && strings.Contains(p.s[tail:], `\u`) {
		return "", false, false // perhaps cut inside an escape
	}
	p.i = end
	return p.s[start : end-1], true, true
}

// escapedAt reports whether the byte at i follows an odd number of backslashes.
func escapedAt(s string, i int) bool {
	k := i - 1
	for k >= 0 && s[k] == '\\' {
		k--
	}
	return (i-1-k)%2 == 1
}

// unescaped is the text that a whole string stands for.
func (t *Tree) unescaped(raw string) string {
	p := parser{s: raw, whole: true}
	b := t.buf[:0]
	for p.i < len(raw) {
		e := strings.IndexByte(raw[p.i:], '\\')
		if e < 0 {
			b = append(b, raw[p.i:]...)
			break
		}
		b = append(b, raw[p.i:p.i+e]...)
		if p.i += e + 1; p.i < len(raw) {
			b = p.escape(b)
		}
	}
	t.buf = b
	return string(b)
}

// Text adds a text.
func (t *Tree) Text(s string) Node { return Node{t, int32(t.add(treeNode{kind: KindText, text: s}))} }

// Of adds data.
func (t *Tree) Of(data any) Node {
	i := len(t.nodes)
	t.of("", data)
	return Node{t, int32(i)}
}

func (t *Tree) of(name string, data any) {
	switch d := data.(type) {
	case string:
		t.add(treeNode{kind: KindText, name: name, text: d})
	case int64:
		t.add(treeNode{kind: KindInt, name: name, text: strconv.FormatInt(d, 10)})
	case float64:
		t.add(treeNode{kind: KindFloat, name: name, text: strconv.FormatFloat(d, 'g', -1, 64)})
	case bool:
		kind := KindFalse
		if d {
			kind = KindTrue
		}
		t.add(treeNode{kind: kind, name: name})
	case []any:
		i := t.add(treeNode{kind: KindList, name: name})
		for _, e := range d {
			t.of("", e)
		}
		t.end(i)
	case map[string]any:
		i := t.add(treeNode{kind: KindObject, name: name})
		for k, v := range d {
			t.nodes[i].names |= nameBit(k)
			t.of(k, v)
		}
		t.end(i)
	default:
		t.add(treeNode{kind: KindNull, name: name})
	}
}

// Object adds an object of one member.
func (t *Tree) Object(name string, v Node) Node {
	i := t.add(treeNode{kind: KindObject, names: nameBit(name)})
	t.alias(name, v)
	t.end(i)
	return Node{t, int32(i)}
}

// List adds a list.
func (t *Tree) List(elements ...Node) Node {
	i := t.add(treeNode{kind: KindList})
	for _, e := range elements {
		t.alias("", e)
	}
	t.end(i)
	return Node{t, int32(i)}
}

// Over adds an object with the members of n and those of m that n lacks.
func (n Node) Over(m Node) Node {
	t := n.t
	i := t.add(treeNode{kind: KindObject})
	for _, o := range [...]Node{m, n} {
		for name, v := range o.Members() {
			t.nodes[i].names |= nameBit(name)
			t.alias(name, v)
		}
	}
	t.end(i)
	return Node{t, int32(i)}
}

// With adds an object with the members of n, one of them replaced or new.
func (n Node) With(name string, v Node) Node { return n.t.Object(name, v).Over(n) }

// alias adds a member that stands elsewhere in the tree.
func (t *Tree) alias(name string, v Node) {
	if v.t == nil {
		t.add(treeNode{kind: KindNull, name: name})
		return
	}
	i := t.add(treeNode{kind: kindAlias, name: name})
	t.nodes[i].next = v.i
}

// at is the value of a node within another one, and where the next one is.
func (t *Tree) at(i int32) (n Node, next int32) {
	if c := &t.nodes[i]; c.kind == kindAlias {
		return Node{t, c.next}, i + 1
	}
	return Node{t, i}, t.nodes[i].next
}

// Expand is [Expand] into a tree.
func (t *Tree) Expand(pairs []Pair) (n Node, unused []Pair) {
	e := expansions.Get().(*expansion)
	defer e.release()
	root, unused := e.expand(pairs)
	i := len(t.nodes)
	root.write(t, "")
	return Node{t, int32(i)}, unused
}

func (n *node) write(t *Tree, name string) {
	if len(n.children) == 0 {
		t.of(name, n.value)
		return
	}
	if !n.isList() {
		i := t.add(treeNode{kind: KindObject, name: name})
		for _, c := range n.children {
			t.nodes[i].names |= nameBit(c.name)
			c.write(t, c.name)
		}
		if n.set {
			t.nodes[i].names |= nameBit("")
			t.of("", n.value)
		}
		t.end(i)
		return
	}
	i := t.add(treeNode{kind: KindList, name: name})
	for _, c := range n.inOrder() {
		c.write(t, "")
	}
	t.end(i)
}
