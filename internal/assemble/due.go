package assemble

import "time"

// rememberedMax is how many released traces a shard remembers by id after it
// forgot their steps, so that what comes later is not taken for a new trace.
const rememberedMax = 1 << 15

// remembered is a bounded set of trace ids, the oldest of which make room.
type remembered struct {
	ids  map[string]bool
	ring []string
	next int
}

func (r *remembered) has(id string) bool { return r.ids[id] }

func (r *remembered) add(id string) {
	if r.ids[id] {
		return
	}
	if r.ids == nil {
		r.ids = make(map[string]bool)
	}
	r.ids[id] = true
	if len(r.ring) < rememberedMax {
		r.ring = append(r.ring, id)
		return
	}
	delete(r.ids, r.ring[r.next])
	r.ring[r.next] = id
	r.next = (r.next + 1) % rememberedMax
}

// dueHeap is a heap of entries, the one that is due first on top.
type dueHeap[P any] []due[P]

// due is an entry in the heap. The time stands beside it, because entries are
// all over the memory.
type due[P any] struct {
	at    time.Time
	entry *entry[P]
}

func (h dueHeap[P]) Len() int           { return len(h) }
func (h dueHeap[P]) Less(i, j int) bool { return h[i].at.Before(h[j].at) }
func (h dueHeap[P]) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].entry.index, h[j].entry.index = i, j
}

func (h *dueHeap[P]) Push(x any) {
	e := x.(*entry[P])
	e.index = len(*h)
	*h = append(*h, due[P]{e.due, e})
}

func (h *dueHeap[P]) Pop() any {
	old := *h
	e := old[len(old)-1].entry
	old[len(old)-1] = due[P]{}
	*h = old[:len(old)-1]
	e.index = -1
	return e
}
