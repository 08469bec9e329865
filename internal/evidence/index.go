package evidence

import (
	"cmp"
	"slices"
	"sort"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// MaxAtoms bounds the atoms of observations that an index holds.
const MaxAtoms = 3_000_000

// posting is one atom of an observation, small enough to keep millions.
type posting struct {
	key    uint64
	num    float64
	grain  float32
	obs    int32
	piece  int32
	off    int32
	length int32
	next   int32 // the next posting of the same key, -1 at the end
	tail   int32 // of a key's first posting: the last
	nth    int32 // the atom's number among those of its piece
	self   int32 // the posting's own number
	noun   uint32
	unit   uint16
	kind   uint8
	how    sense
}

// sense tells how a posting's value comes from the bytes that it stands for.
type sense uint8

const (
	asWritten sense = iota
	coarsened       // a coarser date than the one that is written
	converted       // what the bytes stand for: the date of a unix time, $12.99 of 1299 cents
)

// index finds the observations' atoms by value.
type index struct {
	obs   []Observation
	posts []posting
	table []int32 // hash table of keys: 1 + the first posting
	keys  int     // of the table
	sizes []sized // postings by size, for rounding and conversion; made on demand
	full  bool

	near    []neighbour // the rare words near each atom, in order; made on demand
	scratch *scratch    // memory for it, while the ledger is built
	found   []int32     // scratch of related
	ctx     lang.Words  // and of context
	ctxOf   [4]int32    // 1 + the observation, the piece and the sentence whose context was read last
	cols    []numberColumn

	scales     map[string]scaled // of units and keys, which recur; made on demand
	recordRead *Observation      // whose recordUnit is known
	recordUnit scaled

	heads []int32     // see headcounts; made on demand
	left  []remainder // made on demand

	envelope int // the first observation of the step that is being read

	kept     []atom.Atom // the atoms of the first pieces, as long as they are few
	first    []int32     // where each observation's pieces begin in spans
	spans    [][2]int32
	last     [2]int32 // the piece that was scanned again last
	lastRead []atom.Atom
}

// maxKept bounds the atoms that an index keeps whole. Beyond it a piece is
// scanned again when its atoms are asked for.
const maxKept = 20_000

func newIndex(obs []Observation, s *scratch, m *memory) *index {
	x := &m.index
	*x = index{obs: obs, last: [2]int32{-1, -1}, ctx: s.ctx}
	size, pieces := 0, 0
	for i := range obs {
		pieces += len(obs[i].pieces)
		for p := range obs[i].pieces {
			size += len(obs[i].pieces[p].text)
		}
	}
	guess := min(8+size/40, MaxAtoms)
	x.posts = slices.Grow(s.posts[:0], guess)
	slots := 1 << bits(2*guess)
	x.table = slices.Grow(m.table, slots)[:slots]
	x.first, x.spans = slices.Grow(m.first, len(obs)), slices.Grow(m.spans, pieces)
	x.kept = s.kept[:0]
	x.fill(s)
	read := x.posts
	x.posts = append(m.posts, read...) // as long as they are: a ledger outlives its making
	if s.posts = nil; cap(read) <= recycledMax {
		s.posts = read
	}
	return x
}

// fill puts the values of the observations into the index.
func (x *index) fill(s *scratch) {
	buf, obs := s.atoms, x.obs
	for i := range obs {
		if obs[i].step != obs[x.envelope].step {
			x.envelope = i
		}
		x.first = append(x.first, int32(len(x.spans)))
		for p := range obs[i].pieces {
			if x.full = x.full || len(x.posts) >= MaxAtoms; x.full { // it is read where it is asked for
				x.spans = append(x.spans, [2]int32{-1, -1})
				continue
			}
			var atoms []atom.Atom
			if from := len(x.kept); from < maxKept {
				x.kept = atom.Append(x.kept, obs[i].pieces[p].text)
				atoms = x.kept[from:]
				x.spans = append(x.spans, [2]int32{int32(from), int32(len(x.kept))})
			} else {
				buf = atom.Append(buf[:0], obs[i].pieces[p].text)
				atoms = buf
				x.spans = append(x.spans, [2]int32{-1, -1})
			}
			for a := range atoms {
				x.put(int32(i), int32(p), int32(a), &atoms[a])
			}
		}
	}
	s.atoms = buf
}

// release gives the kept atoms back: from now on they are read again.
func (x *index) release(s *scratch) {
	s.kept, x.kept = x.kept, nil
	s.ctx, x.ctx, x.ctxOf = x.ctx, nil, [4]int32{}
	clear(s.ops[:cap(s.ops)])
	if x.near != nil {
		s.near, x.near = x.near, nil
	}
	x.scratch = nil
	clear(s.kept) // they refer to the trace's texts
	if cap(s.atoms) > 4096 {
		s.atoms = nil
	}
	clear(s.atoms[:cap(s.atoms)])
	for i := range x.spans {
		x.spans[i] = [2]int32{-1, -1}
	}
	x.last, x.lastRead = [2]int32{-1, -1}, nil
}

// atoms are the atoms of one piece, kept or read again.
func (x *index) atoms(obs, piece int32) []atom.Atom {
	if s := x.spans[x.first[obs]+piece]; s[0] >= 0 {
		return x.kept[s[0]:s[1]]
	}
	if x.last != [2]int32{obs, piece} {
		x.lastRead = atom.Append(x.lastRead[:0], x.obs[obs].pieces[piece].text)
		x.last = [2]int32{obs, piece}
	}
	return x.lastRead
}

func (x *index) put(obs, piece, nth int32, a *atom.Atom) {
	if a.Kind == atom.Quote {
		return
	}
	if a.Kind == atom.Number && a.Unit == "" {
		x.keyedUnit(obs, piece, a)
	}
	p := posting{nth: nth, num: a.Num, grain: float32(a.Grain), obs: obs, piece: piece, off: int32(a.Offset), length: int32(a.Length), kind: a.Kind.Number()}
	if a.Unit != "" {
		p.unit = atom.UnitNumbers[a.Unit]
	}
	if a.Noun != "" {
		p.noun = atom.NounHash(a.Noun)
	}
	x.link(a.Key(), p)
	if a.Kind == atom.Date {
		p.how = coarsened
		for _, v := range atom.Coarser(a.Value) {
			x.link(lang.Hash(v), p)
		}
	}
	x.otherReadings(obs, piece, a, p)
}

func (x *index) link(key uint64, p posting) {
	p.next, p.key = -1, key
	at := int32(len(x.posts))
	p.self = at
	x.posts = append(x.posts, p)
	slot := x.slot(key)
	if first := *slot - 1; first >= 0 {
		x.posts[x.posts[first].tail].next = at
		x.posts[first].tail = at
		return
	}
	*slot = at + 1
	x.posts[at].tail = at
	if x.keys++; 2*x.keys > len(x.table) {
		x.rehash()
	}
}

// slot is the place of a key in the table: 0 where it has none yet.
func (x *index) slot(key uint64) *int32 {
	mask := uint64(len(x.table) - 1)
	for i := lang.Mix(key) & mask; ; i = (i + 1) & mask {
		if at := x.table[i]; at == 0 || x.posts[at-1].key == key {
			return &x.table[i]
		}
	}
}

// rehash doubles the table.
func (x *index) rehash() {
	old := x.table
	x.table = make([]int32, 2*len(old))
	for _, at := range old {
		if at > 0 {
			*x.slot(x.posts[at-1].key) = at
		}
	}
}

// find calls f for the postings of a key, in the order of the trace.
func (x *index) find(key uint64, f func(*posting) bool) {
	for at := *x.slot(key) - 1; at >= 0; {
		p := &x.posts[at]
		if !f(p) {
			return
		}
		at = p.next
	}
}

// sized is a numeric posting. Its value stands beside it: postings are too many
// to be looked up for each comparison.
type sized struct {
	num float64
	at  int32
}

// bySize is the numeric postings in order of their value in base units.
func (x *index) bySize() []sized {
	if x.sizes != nil {
		return x.sizes
	}
	x.sizes = make([]sized, 0, len(x.posts)/2)
	for i := range x.posts {
		if p := &x.posts[i]; atom.Kinds[p.kind].Numeric() && p.how != coarsened {
			x.sizes = append(x.sizes, sized{p.num, int32(i)})
		}
	}
	slices.SortFunc(x.sizes, func(p, q sized) int { return cmp.Or(cmp.Compare(p.num, q.num), cmp.Compare(p.at, q.at)) })
	return x.sizes
}

// between calls f for the numeric postings from low to high.
func (x *index) between(low, high float64, f func(*posting) bool) {
	s := x.bySize()
	i := sort.Search(len(s), func(i int) bool { return s[i].num >= low })
	for ; i < len(s) && s[i].num <= high; i++ {
		if !f(&x.posts[s[i].at]) {
			return
		}
	}
}

// firstOf is the number of an observation's first posting.
func (x *index) firstOf(obs int32) int {
	return sort.Search(len(x.posts), func(i int) bool { return x.posts[i].obs >= obs })
}

// text is what the posting's atom says, place where it stands.
func (x *index) text(p *posting) string {
	return x.obs[p.obs].pieces[p.piece].text[p.off : p.off+p.length]
}

func (x *index) place(p *posting) Place {
	o := &x.obs[p.obs]
	return o.pieces[p.piece].place(o.StepID, int(p.off), int(p.length))
}

// counts reports whether the posting's key says that it counts records: total, row_count.
func (x *index) counts(p *posting) bool {
	key := plainKey(x.obs[p.obs].pieces[p.piece].key)
	return key != "" && lang.ContainsAny(key, []string{"count", "total", "num", "size", "length", "hits"})
}

// context is the content words around a posting: its sentence, its key, the
// title, and of a short piece the whole record. They are good until the next call.
func (x *index) context(p *posting) lang.Words {
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
	of := [4]int32{p.obs + 1, p.piece, int32(from), int32(to)}
	if of == x.ctxOf {
		return x.ctx
	}
	x.ctxOf = of
	w := x.ctx[:0]
	w.Add(pc.text[from:to])
	w.Add(spaced(pc.key))
	w.Add(o.Title)
	w.Add(o.about)
	if len(pc.text) < 80 {
		if x.alone(int(p.obs)) { // what was asked says what the result is about
			w.Add(spaced(o.Tool))
			w.Add(o.asked)
		}
		n := 0
		for i := range o.pieces {
			if q := &o.pieces[i]; q != pc && len(q.text) < 200 {
				if n += len(q.text); n > 600 {
					break
				}
				w.Add(spaced(q.key))
				w.Add(q.text)
			}
		}
	}
	x.ctx = w
	return w
}

// spaced parts the words of a key: unit_price, unitPrice.
func spaced(key string) string {
	plain := true
	for i := 0; i < len(key) && plain; i++ {
		c := key[i]
		plain = c != '_' && c != '-' && c != '.' && !(lang.IsUpper(c) && i > 0 && lang.IsLower(key[i-1]))
	}
	if plain {
		return key
	}
	b := make([]byte, 0, len(key)+4)
	for i := 0; i < len(key); i++ {
		if c := key[i]; c == '_' || c == '-' || c == '.' {
			b = append(b, ' ')
			continue
		} else if lang.IsUpper(c) && i > 0 && lang.IsLower(key[i-1]) {
			b = append(b, ' ')
		}
		b = append(b, key[i])
	}
	return string(b)
}

// noKey is the key of postings that are found by size alone.
const noKey = 1
