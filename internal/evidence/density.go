package evidence

import "math"

// trials are the results of a search that tries many calculations for one value.
// How often chance would hit the value is read off the results themselves: where
// many lie near it, one of them hits it by accident. The ways of the search are
// tried from the likeliest on, and a hit of one way is measured against the
// results of all ways before it.
type trials struct {
	value, half float64
	ways        []way
}

// way is one kind of calculation of a search.
type way struct {
	allowed float64 // expected accidental hits up to which a hit counts
	near    int     // results near the value that miss it
	hits    []hit
}

// hit is a calculation that yields the value.
type hit struct {
	how    string
	result float64
	used   []operand
	posts  []int32 // of an aggregate, instead of operands
	named  int     // how many of its parts the sentence names
}

// span is how far from the value results are counted as near, as a factor.
const span = 1.6

// try notes a result of a way. It reports whether it is the value.
func (t *trials) try(way int, result float64) bool {
	v := math.Abs(t.value)
	if r := math.Abs(result); r < v/span && r < v-8*t.half || r > v*span && r > v+8*t.half || math.IsNaN(result) {
		return false
	}
	if math.Abs(result-t.value) > t.half {
		t.ways[way].near++
		return false
	}
	return true
}

// best is the hit of the likeliest way, and of those the one of which the most is
// named; nil where chance would have found all.
func (t *trials) best() *hit {
	v := math.Abs(t.value)
	width := math.Max(v*span, v+8*t.half) - math.Min(v/span, math.Max(v-8*t.half, 0))
	near := 0
	for i := range t.ways {
		w := &t.ways[i]
		near += w.near
		if len(w.hits) == 0 || (float64(near)+.5)*2*t.half/width > w.allowed {
			continue
		}
		best := &w.hits[0]
		for j := range w.hits {
			if h := &w.hits[j]; h.named > best.named {
				best = h
			}
		}
		return best
	}
	return nil
}

// leeway is how far a calculated result may lie from the value that is stated of it: half of
// the last digit; of thousands, and of what is said to be rough, half of the last
// digit that is not zero.
func (a *Atom) leeway(about bool) float64 {
	if about || math.Abs(a.num) >= 1000 {
		return rounding(a, about)
	}
	return a.grain * .5 * (1 + 1e-9)
}
