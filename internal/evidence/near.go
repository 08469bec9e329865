package evidence

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// A word that more than maxBucket atoms have near them tells nothing of a subject.
const maxBucket = 64

// maxRelated bounds the postings that are looked at for one value.
const maxRelated = 600

// neighbour is a posting beside a word that stands near it.
type neighbour struct {
	key  uint64 // of the word
	post int32
}

// neighbours lists the comparable postings by each rare word near them, in
// order of the words.
func (x *index) neighbours(out []neighbour) []neighbour {
	if len(x.posts) < 4096 { // few enough to sort them all: a group that is too large is passed over
		x.eachNear(func(key uint64, post int32) { out = append(out, neighbour{key, post}) })
		sortNeighbours(out)
		return out
	}
	count := make([]uint8, 1<<min(20, bits(16*len(x.posts))))
	slot := func(key uint64) *uint8 { return &count[lang.Mix(key)&uint64(len(count)-1)] }
	x.eachNear(func(key uint64, _ int32) {
		if s := slot(key); *s < 255 {
			*s++
		}
	})
	x.eachNear(func(key uint64, post int32) {
		if n := *slot(key); n > 1 && n <= maxBucket {
			out = append(out, neighbour{key, post})
		}
	})
	sortNeighbours(out)
	return out
}

func sortNeighbours(n []neighbour) {
	slices.SortFunc(n, func(a, b neighbour) int {
		if a.key != b.key {
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Compare(a.post, b.post)
	})
}

// bits is the number of bits of n.
func bits(n int) int {
	b := 0
	for ; n > 0; n >>= 1 {
		b++
	}
	return b
}

// eachNear calls f for every word near every comparable posting.
func (x *index) eachNear(f func(key uint64, post int32)) {
	var near lang.Words
	var of [2]int32 // the observation and piece that near was read from
	from, to := 0, 0
	for i := range x.posts {
		p := &x.posts[i]
		o := &x.obs[p.obs]
		pc := &o.pieces[p.piece]
		kind := atom.Kinds[p.kind]
		if p.how != asWritten || o.Error || !kind.Numeric() && kind != atom.Date && kind != atom.Identifier || atom.UnitNames[p.unit] == "th" {
			continue
		}
		switch roleOf(pc.key).role {
		case roleDate, roleURL, roleID, roleRank, roleTitle, roleSource, roleAuthority: // what a record says of itself
			continue
		}
		if pc.key == "" && onHeader(pc.text, int(p.off)) {
			continue
		}
		if at := [2]int32{p.obs + 1, p.piece}; at != of || int(p.off) < from || int(p.off) >= to {
			of = at
			from, to = lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
			near = near[:0]
			near.Add(pc.text[from:to])
			near.Add(o.Title)
			if len(pc.text) < 40 {
				near.Add(spaced(pc.key))
				near.Add(subjectOf(o, pc))
			}
		}
		for _, h := range near {
			f(h, int32(i))
		}
	}
}

// nearby is the postings by the rare words near them, made when it is first
// asked for: a trace whose values are all carried needs none.
func (x *index) nearby() []neighbour {
	if x.near == nil {
		var buf []neighbour
		if x.scratch != nil {
			buf = x.scratch.near[:0]
		}
		if x.near = x.neighbours(buf); x.near == nil {
			x.near = []neighbour{}
		}
	}
	return x.near
}

// related calls f for the postings that have one of the words near them, in
// the order of the trace, until f returns false.
func (x *index) related(a, b lang.Words, f func(post int32) bool) {
	near := x.nearby()
	x.found = x.found[:0]
	for _, set := range [2]lang.Words{a, b} {
		for _, h := range set {
			from, _ := slices.BinarySearchFunc(near, h, func(n neighbour, h uint64) int { return cmp.Compare(n.key, h) })
			to := from
			for to < len(near) && near[to].key == h && to-from <= maxBucket {
				to++
			}
			if to-from > maxBucket {
				continue
			}
			for _, n := range near[from:to] {
				x.found = append(x.found, n.post)
			}
		}
	}
	slices.Sort(x.found)
	x.found = slices.Compact(x.found)
	for i, p := range x.found {
		if i >= maxRelated || !f(p) {
			return
		}
	}
}

// maxMembers bounds the members of a record that say what it is about: each of
// thousands of numbers in a list would ask all others.
const maxMembers = 64

// subjectOf is what an observation is about, for sentences that do not say so:
// its title, else the texts of a record's other members.
func subjectOf(o *Observation, pc *piece) string {
	if o.Title != "" && pc.text != o.Title {
		return o.Title
	}
	if o.about != "" && len(o.about) < 120 {
		return o.about
	}
	if len(o.pieces) > 1 && len(pc.text) < 40 {
		var sb strings.Builder
		for i := range o.pieces[:min(len(o.pieces), maxMembers)] {
			if q := &o.pieces[i]; q != pc && len(q.text) < 60 && atom.Currencies[strings.ToUpper(q.text)] == "" && roleOf(q.key).role != roleDate && roleOf(q.key).role != roleURL {
				sb.WriteString(q.text)
				sb.WriteByte(' ')
			}
		}
		return sb.String()
	}
	return ""
}
