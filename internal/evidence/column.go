package evidence

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// column derives a value from one column of the records that a tool returned:
// its sum, its mean or its spread, of all records or of those that a word of the
// sentence names; or the difference of two of them; or from the number of
// records, or of lines that name what is counted.
func (k *linker) column(l *Link, text, sentence string) bool {
	a := &l.Atom
	c := columnSearch{k: k, a: a, text: text, sentence: sentence, trend: trendOf(text, a), half: a.Coarse(saysAbout(text, a)) * .5 * (1 + 1e-9), cue: k.cuesOf(sentence) | cues(introduction(text, a.Offset))}
	c.near.Add(sentence)
	c.per, _ = perOf(text, a.Offset, a.Offset+a.Length)
	cols := k.index.columns()
	for i := range cols {
		col := &cols[i]
		p := &k.index.posts[col.posts[0]]
		if k.later(p.obs) || !c.compares(p) {
			continue
		}
		c.whole(col)
		c.some(col)
		c.pairs(col)
	}
	c.products(cols)
	c.rows()
	if c.how != "" && float64(c.tried[c.by])*2*c.half <= [3]float64{1, .5, 1}[c.by]*math.Abs(a.Num) {
		l.State, l.How = Derived, c.how
		k.take8(l, c.used)
		return true
	}
	return k.counted(l, text, sentence)
}

// columnSearch looks for the arithmetic over a column that yields a value.
type columnSearch struct {
	k              *linker
	a              *atom.Atom
	half           float64
	cue            uint16
	per            per
	near           lang.Words
	text, sentence string // that the value stands in
	tried          [3]int // results of whole, some and pairs
	how            string
	used           []int32
	by             int   // which of them found it
	trend          trend // which way the clause says that it went
}

// The ways of a columnSearch.
const (
	byWhole = iota
	bySome
	byPairs
)

// compares reports whether a column's numbers are of the value's unit.
func (c *columnSearch) compares(p *posting) bool {
	unit := atom.UnitNames[p.unit]
	return unit == "" || c.a.Unit == "" || atom.SameDimension(unit, c.a.Unit) || c.a.Unit == "%" && c.cue&(cueChange|cueDifference) != 0
}

// in is a column's number in the value's unit.
func (c *columnSearch) in(v float64, p *posting) float64 {
	if unit := atom.UnitNames[p.unit]; unit != "" && c.a.Unit != "" && unit != c.a.Unit && atom.SameDimension(unit, c.a.Unit) {
		return convert(v, unit, c.a.Unit)
	}
	return v
}

// offer notes a result where it is the value.
func (c *columnSearch) offer(by int, result float64, how string, posts []int32) {
	c.tried[by]++
	if (c.how == "" || by < c.by) && math.Abs(result-c.a.Num) <= c.half {
		c.how, c.used, c.by = how, posts, by
	}
}

// whole tries all of a column.
func (c *columnSearch) whole(col *numberColumn) {
	n, digits := len(col.posts), c.a.Significant()
	p := &c.k.index.posts[col.posts[0]]
	if unit := atom.UnitNames[p.unit]; c.a.Unit == "%" && unit != "%" {
		return
	}
	sum := c.in(col.sum, p)
	if c.cue&cueSum != 0 || n > 2 && digits >= 3 || c.named(p) {
		c.offer(byWhole, sum, "sum", col.posts)
	}
	if c.cue&cueMean != 0 || n > 2 && (digits >= 4 || c.per.times > 0 && digits >= 3) {
		c.offer(byWhole, sum/float64(n), "mean", col.posts)
	}
	if n < 3 {
		return
	}
	if c.cue&cueMean != 0 {
		c.offer(byWhole, c.in(c.k.index.median(col), p), "median", col.posts)
	}
	if c.cue&cueDifference != 0 && digits >= 2 {
		c.offer(byWhole, c.in(col.high, p)-c.in(col.low, p), "difference", col.posts)
	}
}

// named reports a column whose key the sentence names.
func (c *columnSearch) named(p *posting) bool {
	return c.near.Names(spaced(c.k.index.obs[p.obs].pieces[p.piece].key))
}

// some tries the sum and the mean over the records that words of the sentence
// name, or of the question where it names none: the open orders.
func (c *columnSearch) some(col *numberColumn) {
	if c.cue&(cueSum|cueProduct|cueMean) == 0 || len(col.posts) < 3 || len(col.posts) > maxSelected || c.a.Unit == "%" {
		return
	}
	x := c.k.index
	for _, set := range c.k.selection(col.posts, c.sentence, c.text).parts() {
		sum := 0.0
		var posts []int32
		for i, at := range col.posts {
			if set>>i&1 == 1 {
				sum += x.posts[at].num
				posts = append(posts, at)
			}
		}
		if len(posts) < 2 {
			continue
		}
		sum = c.in(sum, &x.posts[posts[0]])
		if c.cue&(cueSum|cueProduct) != 0 {
			c.offer(bySome, sum, "sum", posts)
		}
		if c.cue&cueMean != 0 {
			c.offer(bySome, sum/float64(len(posts)), "mean", posts)
		}
	}
}

// pairs tries the difference of two records, of which the sentence names one.
func (c *columnSearch) pairs(col *numberColumn) {
	const most = 12
	if len(col.posts) > most || c.cue&(cueDifference|cueChange) == 0 || c.per.times > 0 {
		return
	}
	x := c.k.index
	percent := c.a.Unit == "%" && atom.UnitNames[x.posts[col.posts[0]].unit] != "%"
	for i, at := range col.posts {
		p := &x.posts[at]
		for _, with := range col.posts[i+1:] {
			q := &x.posts[with]
			if p.obs == q.obs && len(col.posts) > 2 && !c.touches(p) && !c.touches(q) {
				continue
			}
			if len(col.posts) > 2 && c.near.Shared(x.obs[p.obs].identity()) == 0 && c.near.Shared(x.obs[q.obs].identity()) == 0 {
				continue
			}
			v, w := c.in(p.num, p), c.in(q.num, q)
			switch {
			case !percent:
				c.offer(byPairs, math.Abs(v-w), "difference", []int32{at, with})
			case v != 0 && w != 0:
				if c.trend.goes(v, w) {
					c.offer(byPairs, (w-v)/v*100, "percent_change", []int32{at, with})
				}
				if c.trend.goes(w, v) {
					c.offer(byPairs, (v-w)/w*100, "percent_change", []int32{at, with})
				}
			}
		}
	}
}

// touches reports a posting whose key is a word of the sentence: a column of keys
// that are data.
func (c *columnSearch) touches(p *posting) bool {
	return c.near.Names(c.k.index.obs[p.obs].pieces[p.piece].key)
}

// median is the middle of a column's numbers, or the mean of the two in the middle.
func (x *index) median(c *numberColumn) float64 {
	nums := make([]float64, len(c.posts))
	for i, p := range c.posts {
		nums[i] = x.posts[p].num
	}
	slices.Sort(nums)
	n := len(nums)
	return (nums[(n-1)/2] + nums[n/2]) / 2
}

// take8 adds the first eight numbers of a column to a link, and how many there
// are where there are more.
func (k *linker) take8(l *Link, posts []int32) {
	const most = 8
	for _, at := range posts[:min(len(posts), most)] {
		p := &k.index.posts[at]
		k.source(l, p)
		l.Operands = append(l.Operands, k.index.text(p))
	}
	l.more(len(posts) - most)
}

// more says of how many operands a link does not list.
func (l *Link) more(n int) {
	if n > 0 {
		l.Operands = append(l.Operands, "and "+strconv.Itoa(n)+" more")
	}
}

// numberColumn is the numbers of one key in the records of one step, or in the
// results of one tool, or under keys that are data.
type numberColumn struct {
	posts          []int32
	sum, low, high float64
}

// maxSeries bounds the texts of which the numbers of a line are a column.
const maxSeries = 2000

// again is the number of a member among the few of its record that have its key; -1
// where it is the only one, or they are many, which are a list.
func (o *Observation) again(piece int) int {
	const few = 4
	nth, n := 0, 0
	for i := range o.pieces {
		if o.pieces[i].key == o.pieces[piece].key {
			if n++; i < piece {
				nth++
			}
		}
	}
	if n < 2 || n > few {
		return -1
	}
	return nth
}

// maxColumns bounds the columns of one trace.
const maxColumns = 256

// columns finds the keys that two records and more of one step, or results of
// one tool, have numbers for.
func (x *index) columns() []numberColumn {
	if x.cols != nil {
		return x.cols
	}
	type place struct {
		step int
		tool string
		key  string
		unit uint16
	}
	at := map[place]int{}
	x.cols = []numberColumn{}
	add := func(where place, i int) {
		p := &x.posts[i]
		c, ok := at[where]
		if !ok {
			if len(x.cols) >= maxColumns {
				return
			}
			c = len(x.cols)
			at[where] = c
			x.cols = append(x.cols, numberColumn{low: p.num, high: p.num})
		}
		col := &x.cols[c]
		col.posts = append(col.posts, int32(i))
		col.sum += p.num
		col.low, col.high = min(col.low, p.num), max(col.high, p.num)
	}
	for i := range x.posts {
		p := &x.posts[i]
		o := &x.obs[p.obs]
		pc := &o.pieces[p.piece]
		if p.unit != 0 && p.how == asWritten && atom.Kinds[p.kind].Numeric() && (pc.key == "" || roleOf(pc.key).role == roleContent) && len(pc.text) <= maxSeries {
			line := strings.Count(pc.text[:p.off], "\n") // 38.2 GB in May, 44.7 GB in June, …
			add(place{o.step, "", "\x00" + strconv.Itoa(int(p.obs)) + ":" + strconv.Itoa(int(p.piece)) + ":" + strconv.Itoa(line), p.unit}, i)
			continue
		}
		if pc.key == "" || int(p.length) != len(pc.text) || !atom.Kinds[p.kind].Numeric() || p.how != asWritten || x.counts(p) && roleOf(pc.key).role == roleOther && strings.Contains(plainKey(pc.key), "count") {
			continue
		}
		key := pc.key
		if dataKey(key) { // {"by_day": {"2026-11-23": 31, …}}, but a table's header may look like one
			add(place{o.step, "", key + "\x00", p.unit}, i)
			key = pc.in
		}
		add(place{o.step, "", key, p.unit}, i)
		if nth := o.again(int(p.piece)); nth >= 0 { // [1786492800, 8125]: the second of each
			add(place{o.step, "", key + "\x00" + strconv.Itoa(nth), p.unit}, i)
		}
		if x.alone(int(p.obs)) {
			add(place{-1, o.Tool, key, p.unit}, i)
		}
	}
	x.cols = slices.DeleteFunc(x.cols, func(c numberColumn) bool {
		p := &x.posts[c.posts[0]]
		return len(c.posts) < 2 || len(c.posts) < 3 && int(p.length) != len(x.obs[p.obs].pieces[p.piece].text)
	})
	return x.cols
}
