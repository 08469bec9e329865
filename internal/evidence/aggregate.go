package evidence

import (
	"math"
	mathbits "math/bits"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// aggregates derives a value from what two parts of a list have in common: the share
// of one in the other, their difference, the change from one to the other, or
// from a part of a list that a filter picks out: its sum, mean, count, least and largest.
func (k *linker) aggregates(l *Link, text, sentence string) bool {
	a := &l.Atom
	c := aggregateSearch{k: k, a: a, cue: k.cuesOf(sentence) | cues(introduction(text, a.Offset)), trend: trendOf(text, a)}
	c.near.Add(sentence)
	if c.trend != noTrend {
		c.cue |= cueDifference | cueChange
	}
	c.trials = trials{value: a.Num, half: a.Leeway(saysAbout(text, a)), ways: []way{{allowed: .7}, {allowed: .3}}}
	cols := k.index.columns()
	for i := range cols[:min(len(cols), maxAggregated)] {
		col := &cols[i]
		p := &k.index.posts[col.posts[0]]
		if k.later(p.obs) || len(col.posts) > maxSelected {
			continue
		}
		c.column(col, k.selection(col.posts, sentence, ""))
	}
	h := c.trials.best()
	if h == nil {
		return false
	}
	l.State, l.How = Derived, h.how
	k.take8(l, h.posts)
	l.exact = h.result
	return true
}

// maxAggregated bounds the lists of which parts are tried.
const maxAggregated = 32

// aggregateSearch looks for a value among what can be calculated from parts of lists.
type aggregateSearch struct {
	k      *linker
	a      *atom.Atom
	cue    uint16
	trend  trend
	near   lang.Words
	trials trials
}

// part is some records of a list.
type part struct {
	set       uint64
	n         float64
	sum       float64
	low, high float64
	named     bool // the sentence picks them out
}

// offer notes a result of the records of some sets of a list.
func (c *aggregateSearch) offer(col *numberColumn, way int, result float64, how string, named int, sets ...uint64) {
	if !c.trials.try(way, result) {
		return
	}
	var posts []int32
	for i, at := range col.posts {
		for _, set := range sets {
			if set>>i&1 == 1 {
				posts = append(posts, at)
				break
			}
		}
	}
	w := &c.trials.ways[way]
	w.hits = append(w.hits, hit{how: how, result: result, posts: posts, named: named})
}

// column tries one list of numbers.
func (c *aggregateSearch) column(col *numberColumn, s *selection) {
	x := c.k.index
	p := &x.posts[col.posts[0]]
	unit, u := atom.UnitNames[p.unit], c.a.Unit
	parts := c.parts(col, s)
	// What the column is of: named by its key, or of the value's unit.
	of := 0
	if c.near.Names(spaced(x.obs[p.obs].pieces[p.piece].key)) {
		of = 1
	}
	same := unit == u || unit == "" && u != "%" || u == "" && unit != "%" || atom.SameDimension(unit, u) && u != ""
	if unit == "" && atom.Measures[u].Dim != atom.DimNone && u != "%" && of == 0 && c.k.index.keySays(p, c.a) != fits {
		same = false
	}
	in := func(v float64) float64 {
		if unit != "" && u != "" && unit != u && atom.SameDimension(unit, u) {
			return convert(v, unit, u)
		}
		return v
	}
	all := parts[0]
	for i := range parts {
		q := &parts[i]
		way, named := 1, of
		if q.named {
			way, named = 0, of+1
		}
		if q.n > 1 && same && (i > 0 || s.here == 0) {
			c.offer(col, way, in(q.sum), "sum", named, q.set)
			if c.cue&cueMean != 0 || c.a.Significant() >= 4 {
				c.offer(col, way, in(q.sum/q.n), "mean", named, q.set)
			}
			if c.cue&cueDifference != 0 {
				c.offer(col, way, in(q.high)-in(q.low), "difference", named, q.set)
			}
		}
		if i == 0 {
			continue
		}
		if (u == "" || atom.Measures[u].Dim == atom.DimTime) && q.named && q.n > 1 {
			c.offer(col, way, q.n, "count", named, q.set)
		}
		if u == "%" && q.named {
			c.offer(col, way, q.n/all.n*100, "ratio", named, q.set)
			if c.cue&cueDifference != 0 {
				c.offer(col, way, 100-q.n/all.n*100, "ratio", named, q.set)
			}
		}
		if u == "%" && all.sum != 0 && all.low >= 0 && (q.named || s.here == 0) {
			c.offer(col, way, q.sum/all.sum*100, "ratio", named, s.all())
			if c.cue&cueDifference != 0 {
				c.offer(col, way, 100-q.sum/all.sum*100, "ratio", named, s.all())
			}
		}
		if same && q.n == 1 && len(col.posts) > 2 && c.cue&cueDifference != 0 { // a whole and its parts: what they leave
			c.offer(col, 0, 2*in(q.sum)-in(all.sum), "difference", named, s.all())
		}
		if same && q.named && c.cue&cueDifference != 0 {
			c.offer(col, way, in(all.sum)-in(q.sum), "difference", named, s.all())
			c.offer(col, way, math.Abs(in(q.sum)-(in(all.sum)-in(q.sum))), "difference", named, s.all())
			if q.n == 1 {
				if c.cue&cueMean != 0 {
					c.offer(col, way, math.Abs(in(q.sum)-in(all.sum/all.n)), "difference", named, s.all())
				}
				c.offer(col, way, math.Abs(in(all.high)-in(q.sum)), "difference", named, s.all())
				c.offer(col, way, math.Abs(in(all.low)-in(q.sum)), "difference", named, s.all())
			}
		}
	}
	c.pairs(col, parts[1:], s.here > 0, same, in)
	c.neighbours(col, parts[1:], same, in)
}

// pairs tries two parts of a list against each other; where the sentence names a
// part (says), one of them is named.
func (c *aggregateSearch) pairs(col *numberColumn, parts []part, says, same bool, in func(float64) float64) {
	for i := range parts {
		for j := range parts {
			q, r := &parts[i], &parts[j]
			if i == j || q.set&r.set != 0 && q.set&r.set != q.set && q.set&r.set != r.set {
				continue
			}
			way := 1
			named := 0
			for _, part := range [2]*part{q, r} {
				if part.named {
					named++
				}
			}
			if named == 2 {
				way = 0
			} else if named == 0 && says {
				continue
			}
			c.compare(col, way, named, q.sum, r.sum, same, in, q.set, r.set)
			if (q.n > 1 || r.n > 1) && c.cue&cueMean != 0 {
				c.compare(col, way, named, q.sum/q.n, r.sum/r.n, same, in, q.set, r.set)
			}
			if i < j && same && q.set&r.set == 0 && named == 2 {
				c.offer(col, way, in(q.sum)+in(r.sum), "sum", named, q.set, r.set)
			}
			if c.a.Unit == "" && q.set&r.set == 0 && i < j && c.cue&cueDifference != 0 {
				c.offer(col, way, math.Abs(q.n-r.n), "difference", named, q.set, r.set)
			}
		}
	}
}

// compare tries the difference, the change and the ratio of two numbers of a list.
func (c *aggregateSearch) compare(col *numberColumn, way, named int, v, w float64, same bool, in func(float64) float64, sets ...uint64) {
	changes := c.cue&(cueDifference|cueChange) != 0
	if same && v > w && changes {
		c.offer(col, way, in(v)-in(w), "difference", named, sets...)
	}
	if w == 0 {
		return
	}
	switch c.a.Unit {
	case "%":
		if changes && c.trend.goes(w, v) {
			c.offer(col, way, math.Abs((v-w)/w*100), "percent_change", named, sets...)
		}
		if c.trend == noTrend {
			c.offer(col, way, v/w*100, "ratio", named, sets...)
		}
	case "", "x":
		if c.cue&cueRatio != 0 {
			c.offer(col, way, v/w, "ratio", named, sets...)
		}
	}
}

// neighbours tries a record that is named and the one before it, or, of as many
// quarters or months, that of a year before.
func (c *aggregateSearch) neighbours(col *numberColumn, parts []part, same bool, in func(float64) float64) {
	x := c.k.index
	for i := range parts {
		q := &parts[i]
		if !q.named || q.n != 1 {
			continue
		}
		at := mathbits.TrailingZeros64(q.set)
		for _, by := range [...]int{-1, 1, -4, -12} {
			if to := at + by; to >= 0 && to < len(col.posts) {
				c.compare(col, 0, 1, x.posts[col.posts[at]].num, x.posts[col.posts[to]].num, same, in, q.set, 1<<to)
				if by == 1 {
					c.compare(col, 0, 1, x.posts[col.posts[to]].num, x.posts[col.posts[at]].num, same, in, q.set, 1<<to)
				}
			}
		}
	}
}

// parts are all records of a list first, then those that the sentence names, then
// those that the question does, and each record by itself where they are few.
func (c *aggregateSearch) parts(col *numberColumn, s *selection) []part {
	const few = 12
	sets := append([]uint64{s.all()}, s.parts()...)
	out := make([]part, 0, len(sets)+few)
	add := func(set uint64, named bool) {
		for i := range out {
			if out[i].set == set {
				return
			}
		}
		q := part{set: set, named: named, low: math.Inf(1), high: math.Inf(-1)}
		for i, at := range col.posts {
			if set>>i&1 == 1 {
				v := c.k.index.posts[at].num
				q.n, q.sum, q.low, q.high = q.n+1, q.sum+v, min(q.low, v), max(q.high, v)
			}
		}
		out = append(out, q)
	}
	for i, set := range sets {
		add(set, i > 0)
	}
	if len(col.posts) <= few {
		for i := range col.posts {
			add(1<<i, false)
		}
	}
	return out
}
