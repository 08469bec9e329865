package assemble

import "sync"

// slab is memory for elements that stay where they are.
type slab[T any] struct {
	room  []T
	taken int
	most  int // that were taken between two frees
}

// reserve makes room for n elements, in a slab of which none is taken.
func (s *slab[T]) reserve(n int) {
	if n = max(n, s.most); cap(s.room) < n {
		s.room = make([]T, 0, n)
	}
}

// take is a zero element. Where there is no room, it stands by itself.
func (s *slab[T]) take() *T {
	s.taken++
	n := len(s.room)
	if n == cap(s.room) {
		return new(T)
	}
	s.room = s.room[:n+1]
	return &s.room[n]
}

// list is n zero elements in a row.
func (s *slab[T]) list(n int) []T {
	s.taken += n
	from := len(s.room)
	if cap(s.room)-from < n {
		return make([]T, n)
	}
	s.room = s.room[:from+n]
	return s.room[from : from+n : from+n]
}

// free takes all elements back.
func (s *slab[T]) free() {
	clear(s.room)
	s.most = min(max(s.most, s.taken), recycledMax)
	s.room, s.taken = s.room[:0], 0
}

// assemblies are kept for their memory, which most of a trace's steps are in.
var assemblies = sync.Pool{New: func() any { return new(assembly) }}

// recycledMax is the most steps of a trace whose memory is used again: that of
// a longer one would be cleared for every short one after it.
const recycledMax = 256

// recycle gives a back. Nothing may use the trace that it made, or its steps.
func (a *assembly) recycle() {
	if len(a.nodes) > recycledMax {
		return
	}
	a.slab.free()
	a.copies.free()
	a.asked.free()
	a.below.free()
	a.fingers.free()
	clear(a.bySpan)
	clear(a.ids)
	clear(a.byCallID)
	clear(a.prints)
	clear(a.nodes)
	clear(a.calls)
	a.history.Forget()
	*a = assembly{
		slab: a.slab, copies: a.copies, asked: a.asked, below: a.below, fingers: a.fingers, nodes: a.nodes[:0], calls: a.calls[:0],
		bySpan: a.bySpan, ids: a.ids, byCallID: a.byCallID, prints: a.prints, history: a.history,
	}
	assemblies.Put(a)
}
