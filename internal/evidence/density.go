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
		var best *hit
		for j := range w.hits {
			h := &w.hits[j]
			window := 2 * t.half
			if math.Abs(h.result-t.value) <= 1e-9*v { // few of those that would be rounded to it are it
				window /= exact
			}
			if (float64(near)+.5)*window/width <= w.allowed && (best == nil || h.named > best.named) {
				best = h
			}
		}
		if best != nil {
			return best
		}
	}
	return nil
}

// exact is how many times fewer results are the value itself than are rounded to it.
const exact = 2
