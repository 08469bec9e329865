package evidence

import (
	"math"
	"slices"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Texts are compared by their shingles: every run of three content words (of
// Latin script) or three characters (Chinese). Digits are left out, so that a
// copy with another figure stays a copy.
const (
	shingleWords = 3
	sketchSize   = 128 // smallest hashes kept of one text
	echoLeast    = 0.35
	echoShingles = 6 // texts with fewer shingles say too little to be copies
)

// Similar is how much of the shorter of two texts is in the other, 0..1: the
// share of its shingles that both have.
func Similar(a, b string) float64 {
	return containment(sketch(a), sketch(b))
}

// IsEcho reports whether one of two texts was copied from the other, or both
// from one origin, with light editing.
func IsEcho(a, b string) bool { return Similar(a, b) >= echoLeast }

// sketch is the sorted set of a text's shingles, of a long text its smallest
// hashes (bottom-k): then the size of the whole is kept beside.
type shingleSet struct {
	hashes []uint64
	total  int
}

func sketch(text string) shingleSet {
	var ring [shingleWords]uint64
	n := 0
	hashes := make([]uint64, 0, 16+len(text)/5)
	eachToken(text, func(h uint64) {
		ring[n%shingleWords] = h
		if n++; n >= shingleWords {
			s := uint64(lang.FNVOffset)
			for i := range shingleWords {
				s = (s ^ ring[(n+i)%shingleWords]) * lang.FNVPrime
			}
			hashes = append(hashes, lang.Mix(s))
		}
	})
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	out := shingleSet{hashes: hashes, total: len(hashes)}
	if len(hashes) > sketchSize {
		out.hashes = slices.Clone(hashes[:sketchSize])
	}
	return out
}

// containment is the share of the smaller set that is in the larger.
func containment(a, b shingleSet) float64 {
	if a.total < echoShingles || b.total < echoShingles {
		return 0
	}
	bound := uint64(math.MaxUint64) // below it both sketches are complete
	if len(a.hashes) < a.total {
		bound = a.hashes[len(a.hashes)-1]
	}
	if len(b.hashes) < b.total {
		bound = min(bound, b.hashes[len(b.hashes)-1])
	}
	common, inA, inB := 0, 0, 0
	i, j := 0, 0
	for i < len(a.hashes) && a.hashes[i] <= bound || j < len(b.hashes) && b.hashes[j] <= bound {
		switch {
		case j >= len(b.hashes) || b.hashes[j] > bound || i < len(a.hashes) && a.hashes[i] < b.hashes[j]:
			inA++
			i++
		case i >= len(a.hashes) || a.hashes[i] > bound || b.hashes[j] < a.hashes[i]:
			inB++
			j++
		default:
			common++
			inA++
			inB++
			i++
			j++
		}
	}
	if inA == 0 || inB == 0 {
		return 0
	}
	return float64(common) / float64(min(inA, inB))
}

// eachToken calls f for every word of Latin script and every Chinese character.
func eachToken(text string, f func(uint64)) {
	for i := 0; i < len(text); {
		c := text[i]
		if lang.IsLetter(c) {
			start := i
			for i < len(text) && lang.IsLetter(text[i]) {
				i++
			}
			f(lang.Hash(text[start:i]))
			continue
		}
		if c >= 0xe4 && c <= 0xe9 && i+2 < len(text) { // Chinese, three bytes
			f(lang.Hash(text[i : i+3]))
			i += 3
			continue
		}
		i++
	}
}

// fieldsOnly reports a record without an address and without a text: rows of one
// table, and records of two tools, share their keys and the thing that they are
// of, and no origin.
func (o *Observation) fieldsOnly() bool {
	const text = 80 // bytes of a member that says more than a field
	if o.URL != "" {
		return false
	}
	for i := range o.pieces {
		if p := &o.pieces[i]; len(p.text) >= text || p.key == "" && !p.named {
			return false
		}
	}
	return true
}

// maxPairwise is the number of observations up to which each is compared with
// each: fewer steps than a table of shingles takes.
const maxPairwise = 12

// sieve finds the earlier texts that share one of their smallest shingles.
type sieve struct {
	heads map[uint64][]int32
	tried []int32
}

func (s *sieve) each(hashes []uint64, i int32, f func(j int32)) {
	const probes = 24
	if s.heads == nil {
		s.heads = map[uint64][]int32{}
	}
	s.tried = s.tried[:0]
	for _, h := range hashes[:min(len(hashes), probes)] {
		bucket := s.heads[h]
		for _, j := range bucket {
			if !slices.Contains(s.tried, j) {
				s.tried = append(s.tried, j)
				f(j)
			}
		}
		if len(bucket) < maxEchoBucket {
			s.heads[h] = append(bucket, i)
		}
	}
}

// maxEchoBucket bounds how many observations of one shingle are compared.
const maxEchoBucket = 24

// echoes groups the observations that repeat one origin: those that share one
// of their smallest shingles are compared, so that the work stays linear.
func echoes(l *Ledger) []Echo {
	out := []Echo{}
	n := len(l.Observations)
	if n < 2 {
		return out
	}
	copied := func(o *Observation) bool { return !o.Error && len(o.Text) >= 40 && !o.fieldsOnly() } // may be
	texts := 0
	for i := range l.Observations {
		if copied(&l.Observations[i]) {
			texts++
		}
	}
	if texts < 2 {
		return out
	}
	sets := make([]shingleSet, n)
	group := make([]int32, n) // the first observation of its group
	least := make([]float64, n)
	join := func(i, j int32) {
		a, b := &l.Observations[i], &l.Observations[j]
		if group[i] != i || a.URL != "" && a.URL == b.URL { // the same page again
			return
		}
		if s := containment(sets[i], sets[j]); s >= echoLeast {
			group[i], least[i] = group[j], s
		}
	}
	var alike sieve
	for i := range l.Observations {
		group[i] = int32(i)
		o := &l.Observations[i]
		if !copied(o) {
			continue
		}
		sets[i] = sketch(o.Text)
		if n <= maxPairwise {
			for j := range i {
				join(int32(i), int32(j))
			}
			continue
		}
		alike.each(sets[i].hashes, int32(i), func(j int32) { join(int32(i), j) })
	}
	if !slices.ContainsFunc(least, func(s float64) bool { return s > 0 }) {
		return out
	}
	members := map[int32][]int{}
	for i := range group {
		members[group[i]] = append(members[group[i]], i)
	}
	for i := range group {
		if m := members[int32(i)]; len(m) > 1 && group[i] == int32(i) {
			e := Echo{Observations: m, Similarity: 1}
			for _, j := range m[1:] {
				e.Similarity = min(e.Similarity, least[j])
			}
			if out = append(out, e); len(out) >= MaxPairs {
				l.noteCut("echoes")
				break
			}
		}
	}
	return out
}
