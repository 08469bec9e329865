package value

import (
	"iter"
	"strconv"
)

// Kind is what a [Node] holds.
type Kind uint8

const (
	KindAbsent Kind = iota // there is no such value
	KindNull
	KindFalse
	KindTrue
	KindInt
	KindFloat
	KindText
	KindList
	KindObject
	kindAlias
)

// Node is one value of a tree. The zero Node is the absent value.
type Node struct {
	t *Tree
	i int32
}

// Tree is what n is a node of; nil where n is absent.
func (n Node) Tree() *Tree { return n.t }

// Kind is what n holds.
func (n Node) Kind() Kind {
	if n.t == nil {
		return KindAbsent
	}
	return n.t.nodes[n.i].kind
}

// Something reports whether n is there and not null.
func (n Node) Something() bool { return n.Kind() > KindNull }

// IsObject reports whether n is an object.
func (n Node) IsObject() bool { return n.Kind() == KindObject }

// IsList reports whether n is a list.
func (n Node) IsList() bool { return n.Kind() == KindList }

// IsText reports whether n is this text.
func (n Node) IsText(text string) bool {
	s, ok := n.Text()
	return ok && s == text
}

// Text is the text that n is; ok is false where it is none.
func (n Node) Text() (s string, ok bool) {
	if n.Kind() != KindText {
		return "", false
	}
	c := &n.t.nodes[n.i]
	if c.escaped {
		c.text, c.escaped = n.t.unescaped(c.text), false
	}
	return c.text, true
}

// Get is the member of an object; absent where there is none. Of two members
// with one name it is the last.
func (n Node) Get(name string) Node {
	var found Node
	if n.Kind() != KindObject || n.t.nodes[n.i].names&nameBit(name) == 0 {
		return found
	}
	for i, end := n.i+1, n.t.nodes[n.i].next; i < end; {
		v, next := n.t.at(i)
		if n.t.nodes[i].name == name {
			found = v
		}
		i = next
	}
	return found
}

// Has reports whether an object has any of the members, whatever stands there.
func (n Node) Has(names ...string) bool {
	for _, name := range names {
		if n.Get(name).Kind() != KindAbsent {
			return true
		}
	}
	return false
}

// First is the first of an object's members that is neither null nor an empty
// text; absent where none is.
func (n Node) First(names ...string) Node {
	for _, name := range names {
		if v := n.Get(name); v.Something() && !v.IsText("") {
			return v
		}
	}
	return Node{}
}

// TextAt is the first of an object's members that is a text and not empty, or "".
func (n Node) TextAt(names ...string) string {
	for _, name := range names {
		if s, _ := n.Get(name).Text(); s != "" {
			return s
		}
	}
	return ""
}

// True reports whether n says yes: true, or the word as JSON or Python writes
// it.
func (n Node) True() bool { return n.Kind() == KindTrue || n.IsText("true") || n.IsText("True") }

// Len is how many elements or members n has.
func (n Node) Len() int {
	count := 0
	for range n.Members() {
		count++
	}
	return count
}

// Members are the members of an object in their order, or the elements of a
// list with empty names; none of anything else.
func (n Node) Members() iter.Seq2[string, Node] {
	return func(yield func(string, Node) bool) {
		if k := n.Kind(); k != KindObject && k != KindList {
			return
		}
		for i, end := n.i+1, n.t.nodes[n.i].next; i < end; {
			v, next := n.t.at(i)
			if !yield(n.t.nodes[i].name, v) {
				return
			}
			i = next
		}
	}
}

// Elements are the elements of a list; none of anything else.
func (n Node) Elements() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.Kind() != KindList {
			return
		}
		for _, v := range n.Members() {
			if !yield(v) {
				return
			}
		}
	}
}

// Element is the i-th element of a list; absent where there is none.
func (n Node) Element(i int) Node {
	for e := range n.Elements() {
		if i == 0 {
			return e
		}
		i--
	}
	return Node{}
}

// Data is what n holds, as [Decode] returns it; nil where n is absent.
func (n Node) Data() any {
	switch n.Kind() {
	case KindText:
		s, _ := n.Text()
		return s
	case KindTrue:
		return true
	case KindFalse:
		return false
	case KindInt:
		i, _ := strconv.ParseInt(n.t.nodes[n.i].text, 10, 64)
		return i
	case KindFloat:
		f, _ := strconv.ParseFloat(n.t.nodes[n.i].text, 64)
		return f
	case KindList:
		list := make([]any, 0, n.Len())
		for e := range n.Elements() {
			list = append(list, e.Data())
		}
		return list
	case KindObject:
		m := make(map[string]any, n.Len())
		for name, v := range n.Members() {
			m[name] = v.Data()
		}
		return m
	}
	return nil
}
