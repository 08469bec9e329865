package evidence

import (
	"sort"
	"strings"
)

// MaxAtoms bounds the atoms of observations that an index holds.
const MaxAtoms = 2_000_000

// posting is one atom of an observation, small enough to keep millions.
type posting struct {
	num    float64
	grain  float32
	obs    int32
	piece  int32
	off    int32
	length int32
	next   int32 // the next posting of the same key, -1 at the end
	noun   uint32
	unit   uint16
	kind   uint8
	coarse bool // a coarser date than the one that is written
}

// index finds the observations' atoms by value.
type index struct {
	obs   []Observation
	posts []posting
	head  map[uint64]int32 // key -> first posting
	tail  map[uint64]int32
	sizes []int32 // postings by size, for rounding and conversion; made on demand
	full  bool
}

var kindNumber = map[Kind]uint8{}
var unitNames = []string{""}
var unitNumbers = map[string]uint16{"": 0}

func init() {
	for i, k := range Kinds {
		kindNumber[k] = uint8(i)
	}
	add := func(u string) {
		if _, ok := unitNumbers[u]; !ok && u != "" {
			unitNumbers[u] = uint16(len(unitNames))
			unitNames = append(unitNames, u)
		}
	}
	for _, table := range []map[string]string{units, hanUnits, compoundUnits, currencyCodes} {
		keys := make([]string, 0, len(table))
		for _, u := range table {
			keys = append(keys, u, u+"²", u+"³")
		}
		sort.Strings(keys)
		for _, u := range keys {
			add(u)
		}
	}
	for _, u := range []string{"%", "pp", "th", "x", "mph", "°", "°C", "°F", "ly", "d", "J", "N", "V", "W", "L", "t", "RUB", "TRY", "VND", "TWD"} {
		add(u)
	}
	for _, c := range currencySigns {
		add(c.code)
	}
	for _, c := range currencyHan {
		add(c.code)
	}
	for _, c := range currencyWords {
		add(c.code)
	}
}

func newIndex(obs []Observation) *index {
	x := &index{obs: obs, head: map[uint64]int32{}, tail: map[uint64]int32{}}
	var buf []Atom
	for i := range obs {
		for p := range obs[i].pieces {
			if len(x.posts) >= MaxAtoms {
				x.full = true
				return x
			}
			buf = appendAtoms(buf[:0], obs[i].pieces[p].text)
			for a := range buf {
				x.put(int32(i), int32(p), &buf[a])
			}
		}
	}
	return x
}

func (x *index) put(obs, piece int32, a *Atom) {
	if a.Kind == KindQuote {
		return
	}
	p := posting{num: a.num, grain: float32(a.grain), obs: obs, piece: piece, off: int32(a.Offset), length: int32(a.Length), kind: kindNumber[a.Kind], unit: unitNumbers[a.Unit]}
	if a.noun != "" {
		p.noun = nounHash(a.noun)
	}
	x.link(keyOf(a), p)
	if a.Kind == KindDate {
		p.coarse = true
		for _, v := range coarser(a.Value) {
			x.link(hashOf(v), p)
		}
	}
}

func (x *index) link(key uint64, p posting) {
	p.next = -1
	at := int32(len(x.posts))
	x.posts = append(x.posts, p)
	if last, ok := x.tail[key]; ok {
		x.posts[last].next = at
	} else {
		x.head[key] = at
	}
	x.tail[key] = at
}

// find calls f for the postings of a key, in the order of the trace.
func (x *index) find(key uint64, f func(*posting) bool) {
	at, ok := x.head[key]
	for ok && at >= 0 {
		p := &x.posts[at]
		if !f(p) {
			return
		}
		at = p.next
	}
}

func nounHash(n string) uint32 {
	h := hashOf(stem(n))
	return uint32(h) | 1
}

// keyOf is what atoms of one value have in common, whatever their unit.
func keyOf(a *Atom) uint64 {
	switch a.Kind {
	case KindURL:
		return hashOf(plainURL(a.Value))
	case KindName:
		return hashOf(a.Value) * fnvPrime
	}
	return hashOf(a.Value)
}

// plainURL is a URL without what does not tell pages apart.
func plainURL(u string) string {
	if i := strings.Index(u, "://"); i >= 0 {
		u = u[i+3:]
	}
	if i := strings.IndexByte(u, '#'); i >= 0 {
		u = u[:i]
	}
	u = strings.TrimPrefix(u, "www.")
	return strings.TrimRight(u, "/")
}

// coarser lists the dates that a date implies: the month and the year of a
// day, the day without its year, the day of a time.
func coarser(iso string) []string {
	switch {
	case len(iso) >= 16 && iso[10] == 'T':
		return []string{iso[:10], iso[:7], iso[:4], "-" + iso[4:10], iso[11:16]}
	case len(iso) == 10 && iso[4] == '-':
		return []string{iso[:7], iso[:4], "-" + iso[4:]}
	case len(iso) == 7 && isDigit(iso[0]):
		return []string{iso[:4], "-" + iso[4:], iso[5:]}
	case strings.HasPrefix(iso, "FY"):
		return []string{iso[2:]}
	}
	return nil
}

// bySize is the numeric postings in order of their value in base units.
func (x *index) bySize() []int32 {
	if x.sizes != nil {
		return x.sizes
	}
	x.sizes = make([]int32, 0, len(x.posts)/2)
	for i := range x.posts {
		if p := &x.posts[i]; Kinds[p.kind].numeric() && !p.coarse {
			x.sizes = append(x.sizes, int32(i))
		}
	}
	sort.Slice(x.sizes, func(a, b int) bool {
		p, q := &x.posts[x.sizes[a]], &x.posts[x.sizes[b]]
		if p.num != q.num {
			return p.num < q.num
		}
		return x.sizes[a] < x.sizes[b]
	})
	return x.sizes
}

// between calls f for the numeric postings from low to high.
func (x *index) between(low, high float64, f func(*posting) bool) {
	s := x.bySize()
	i := sort.Search(len(s), func(i int) bool { return x.posts[s[i]].num >= low })
	for ; i < len(s) && x.posts[s[i]].num <= high; i++ {
		if !f(&x.posts[s[i]]) {
			return
		}
	}
}

// text is what the posting's atom says, place where it stands.
func (x *index) text(p *posting) string {
	return x.obs[p.obs].pieces[p.piece].text[p.off : p.off+p.length]
}

func (x *index) place(p *posting) Place {
	o := &x.obs[p.obs]
	return o.pieces[p.piece].place(o.StepID, int(p.off), int(p.length))
}

// atom reads the posting's atom again.
func (x *index) atom(p *posting) Atom {
	for _, a := range Scan(x.obs[p.obs].pieces[p.piece].text) {
		if a.Offset == int(p.off) && a.Length == int(p.length) && kindNumber[a.Kind] == p.kind {
			return a
		}
	}
	return Atom{Kind: Kinds[p.kind], Text: x.text(p), Value: x.text(p), Unit: unitNames[p.unit], Offset: int(p.off), Length: int(p.length), num: p.num, grain: float64(p.grain)}
}

// context is the content words around a posting: its sentence, its key, the
// title, and of a short piece the whole record.
func (x *index) context(p *posting) words {
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	w := words{}
	from, to := sentence(pc.text, int(p.off), int(p.off+p.length))
	w.add(pc.text[from:to])
	w.add(spaced(pc.key))
	w.add(o.Title)
	if len(pc.text) < 80 {
		n := 0
		for i := range o.pieces {
			if q := &o.pieces[i]; q != pc && len(q.text) < 200 {
				if n += len(q.text); n > 600 {
					break
				}
				w.add(spaced(q.key))
				w.add(q.text)
			}
		}
	}
	return w
}

// spaced parts the words of a key: unit_price, unitPrice.
func spaced(key string) string {
	if key == "" {
		return ""
	}
	b := make([]byte, 0, len(key)+4)
	for i := 0; i < len(key); i++ {
		if c := key[i]; c == '_' || c == '-' || c == '.' {
			b = append(b, ' ')
			continue
		} else if isUpper(c) && i > 0 && isLower(key[i-1]) {
			b = append(b, ' ')
		}
		b = append(b, key[i])
	}
	return string(b)
}
