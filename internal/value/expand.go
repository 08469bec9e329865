package value

import (
	"sort"
	"strings"
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
	root := &node{}
	slots := 0
	for _, p := range pairs {
		if !root.add(p.Path, p.Data, &slots, 0) {
			unused = append(unused, p)
		}
	}
	return root.data(), unused
}

// node is a map of children under construction; all names numeric make a list.
type node struct {
	value    any
	set      bool
	children map[string]*node
	names    []string
}

func (n *node) add(path string, data any, slots *int, depth int) bool {
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
	child := n.children[name]
	if child == nil {
		if numeric {
			if *slots++; *slots > SlotsMax {
				return false
			}
		}
		child = &node{}
	}
	if !child.add(rest, data, slots, depth+1) {
		return false
	}
	if n.children[name] == nil {
		if n.children == nil {
			n.children = make(map[string]*node, 4)
		}
		n.children[name] = child
		n.names = append(n.names, name)
	}
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
	if len(n.names) == 0 {
		return n.value
	}
	list := true
	for _, name := range n.names {
		if numeric, _ := index(name); !numeric {
			list = false
		}
	}
	if !list || n.set {
		m := make(map[string]any, len(n.names))
		for _, name := range n.names {
			m[name] = n.children[name].data()
		}
		if n.set {
			m[""] = n.value
		}
		return m
	}
	// Equal lengths compare as text; a shorter number is the smaller.
	sort.Slice(n.names, func(i, j int) bool {
		a, b := n.names[i], n.names[j]
		return len(a) < len(b) || len(a) == len(b) && a < b
	})
	out := make([]any, len(n.names))
	for i, name := range n.names {
		out[i] = n.children[name].data()
	}
	return out
}
