package value

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Limits of [Expand].
const (
	// IndexMax is the largest index that a key may have.
	IndexMax = 9999
	// SlotsMax is how many list elements one expansion makes.
	SlotsMax = 20000
)

// Pair is one attribute: the rest of its key after a common prefix, and its
// value.
type Pair struct {
	Path string // such as "0.message.role"
	Data any
}

// Expand turns pairs with indexes in their paths into nested data, so that
// "0.a.b"=1, "2.a.b"=2 becomes [{a: {b: 1}}, {a: {b: 2}}]. Elements are in the
// order of their indexes, gaps closed. Pairs with an index that no list has
// (1e9, -1, 007) are not used and are returned.
func Expand(pairs []Pair) (data any, unused []Pair) {
	e := expansions.Get().(*expansion)
	defer e.release()
	root, unused := e.expand(pairs)
	return root.data(), unused
}

func (e *expansion) expand(pairs []Pair) (root *node, unused []Pair) {
	root = e.node()
	for _, p := range pairs {
		if !root.add(p.Path, p.Data, e, 0) {
			unused = append(unused, p)
		}
	}
	return root, unused
}

// expansion is what the nodes of one expansion have together.
type expansion struct {
	slots int     // list elements made
	nodes []*node // in use, and after these the ones of earlier expansions
}

// expansions are kept for their nodes.
var expansions = sync.Pool{New: func() any { return new(expansion) }}

// expansionMax is the most nodes that are kept.
const expansionMax = 1 << 10

// release gives back the nodes, none of which may be in use. Many nodes, and
// those with many children, are left to the garbage collector.
func (e *expansion) release() {
	if len(e.nodes) > expansionMax {
		return
	}
	for i, n := range e.nodes {
		if n.byName != nil {
			e.nodes[i] = &node{}
			continue
		}
		clear(n.children)
		*n = node{children: n.children[:0]}
	}
	e.slots, e.nodes = 0, e.nodes[:0]
	expansions.Put(e)
}

func (e *expansion) node() *node {
	n := len(e.nodes)
	if n == cap(e.nodes) {
		made := make([]node, 16) // nodes are made many at a time
		for i := range made {
			e.nodes = append(e.nodes, &made[i])
		}
		e.nodes = slices.Clip(e.nodes)[:n]
	}
	e.nodes = e.nodes[:n+1]
	return e.nodes[n]
}

// node is a list or object under construction. Producers write the attributes of
// one message next to each other, so that a child is looked for from the end; one
// with many children gets an index.
type node struct {
	value    any
	set      bool
	numeric  int // how many names are numbers
	children []child
	byName   map[string]*node
}

type child struct {
	name string
	*node
}

// childrenMax is how many children are looked through.
const childrenMax = 16

func (n *node) child(name string) *node {
	if n.byName != nil {
		return n.byName[name]
	}
	for i := len(n.children) - 1; i >= 0; i-- {
		if n.children[i].name == name {
			return n.children[i].node
		}
	}
	return nil
}

func (n *node) append(name string, c *node) {
	n.children = append(n.children, child{name, c})
	if n.byName == nil && len(n.children) > childrenMax {
		n.byName = make(map[string]*node, 2*childrenMax)
		for _, c := range n.children {
			n.byName[c.name] = c.node
		}
	} else if n.byName != nil {
		n.byName[name] = c
	}
}

func (n *node) add(path string, data any, e *expansion, depth int) bool {
	if path == "" {
		n.value, n.set = data, true
		return true
	}
	name, rest, _ := strings.Cut(path, ".")
	if name == "" || depth > DepthMax {
		return false
	}
	numeric, ok := index(name)
	if numeric && !ok {
		return false
	}
	if c := n.child(name); c != nil {
		return c.add(rest, data, e, depth+1)
	}
	if numeric {
		if e.slots++; e.slots > SlotsMax {
			return false
		}
	}
	c := e.node()
	if !c.add(rest, data, e, depth+1) {
		return false
	}
	if numeric {
		n.numeric++
	}
	n.append(name, c)
	return true
}

// index reports whether a name is meant as an index, and whether it can be one.
func index(name string) (numeric, ok bool) {
	for i := 0; i < len(name); i++ {
		if c := name[i]; (c < '0' || c > '9') && (c != '-' || i > 0 || len(name) == 1) {
			return false, false
		}
	}
	return true, len(name) <= 4 && name[0] != '-' && (name == "0" || name[0] != '0')
}

// IsIndex reports whether a segment of a key is an index that a list may have.
func IsIndex(name string) bool {
	if name == "" {
		return false
	}
	_, ok := index(name)
	return ok
}

func (n *node) data() any {
	if len(n.children) == 0 {
		return n.value
	}
	if !n.isList() {
		m := make(map[string]any, len(n.children)+1)
		for _, c := range n.children {
			m[c.name] = c.data()
		}
		if n.set {
			m[""] = n.value
		}
		return m
	}
	out := make([]any, len(n.children))
	for i, c := range n.inOrder() {
		out[i] = c.data()
	}
	return out
}

// isList reports whether all names are indexes, and nothing stands beside them.
func (n *node) isList() bool { return n.numeric == len(n.children) && !n.set }

// inOrder is the children of a list in the order of their indexes: names of
// equal length compare as text, a shorter number is the smaller.
func (n *node) inOrder() []child {
	compare := func(a, b child) int { return cmp.Or(len(a.name)-len(b.name), strings.Compare(a.name, b.name)) }
	if !slices.IsSortedFunc(n.children, compare) {
		slices.SortFunc(n.children, compare)
	}
	return n.children
}
