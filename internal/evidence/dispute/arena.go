package dispute

// arena is memory for things that live as long as a reading and are given back
// together.
type arena[T any] struct{ used []T }

// Room of an arena's first list, and of all of one piece of memory.
const (
	listRoom  = 8
	arenaRoom = 128
)

// grow is room for n more things, of which none is used yet. Those that were made
// before stay where they are.
func (m *arena[T]) grow(n int) []T {
	if len(m.used)+n > cap(m.used) {
		m.used = make([]T, 0, max(arenaRoom, n))
	}
	at := len(m.used)
	m.used = m.used[:at+n]
	return m.used[at:at:len(m.used)]
}

// one is a new thing.
func (m *arena[T]) one() *T { return &m.grow(1)[:1][0] }

// add appends to a list, in memory of the arena where the list has no room.
func (m *arena[T]) add(list []T, more ...T) []T {
	if n := len(list) + len(more); len(more) > 0 && n > cap(list) {
		list = append(m.grow(max(listRoom, 2*cap(list), n)), list...)
	}
	return append(list, more...)
}

// release forgets what was made.
func (m *arena[T]) release() {
	clear(m.used)
	m.used = m.used[:0]
}
