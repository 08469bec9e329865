package evidence

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// column derives a value from one column of the records that a tool returned:
// its sum, its mean or its spread, of all records or of those that a word of the
// sentence names; or the difference of two of them; or from the number of
// records, or of lines that name what is counted.
func (k *linker) column(l *Link, text, sentence string) bool {
	a := &l.Atom
	c := columnSearch{k: k, a: a, text: text, sentence: sentence, half: a.coarse(saysAbout(text, a)) * .5 * (1 + 1e-9), cue: k.cuesOf(sentence) | cues(introduction(text, a.Offset))}
	c.near.add(sentence)
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
	if c.how != "" && float64(c.tried[c.by])*2*c.half <= [3]float64{1, .5, 1}[c.by]*math.Abs(a.num) {
		l.State, l.How = Derived, c.how
		k.take8(l, c.used)
		return true
	}
	return k.counted(l, text, sentence)
}

// columnSearch looks for the arithmetic over a column that yields a value.
type columnSearch struct {
	k              *linker
	a              *Atom
	half           float64
	cue            uint16
	per            per
	near           words
	text, sentence string // that the value stands in
	tried          [3]int // results of whole, some and pairs
	how            string
	used           []int32
	by             int // which of them found it
}

// The ways of a columnSearch.
const (
	byWhole = iota
	bySome
	byPairs
)

// compares reports whether a column's numbers are of the value's unit.
func (c *columnSearch) compares(p *posting) bool {
	unit := unitNames[p.unit]
	return unit == "" || c.a.Unit == "" || sameDimension(unit, c.a.Unit) || c.a.Unit == "%" && c.cue&(cueChange|cueDifference) != 0
}

// in is a column's number in the value's unit.
func (c *columnSearch) in(v float64, p *posting) float64 {
	if unit := unitNames[p.unit]; unit != "" && c.a.Unit != "" && unit != c.a.Unit && sameDimension(unit, c.a.Unit) {
		return convert(v, unit, c.a.Unit)
	}
	return v
}

// offer notes a result where it is the value.
func (c *columnSearch) offer(by int, result float64, how string, posts []int32) {
	c.tried[by]++
	if (c.how == "" || by < c.by) && math.Abs(result-c.a.num) <= c.half {
		c.how, c.used, c.by = how, posts, by
	}
}

// whole tries all of a column.
func (c *columnSearch) whole(col *numberColumn) {
	n, digits := len(col.posts), significant(c.a)
	p := &c.k.index.posts[col.posts[0]]
	if unit := unitNames[p.unit]; c.a.Unit == "%" && unit != "%" {
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
	return c.near.names(spaced(c.k.index.obs[p.obs].pieces[p.piece].key))
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
	percent := c.a.Unit == "%" && unitNames[x.posts[col.posts[0]].unit] != "%"
	for i, at := range col.posts {
		p := &x.posts[at]
		for _, with := range col.posts[i+1:] {
			q := &x.posts[with]
			if p.obs == q.obs && len(col.posts) > 2 && !c.near.touches(x, p) && !c.near.touches(x, q) {
				continue
			}
			if len(col.posts) > 2 && c.near.shared(x.obs[p.obs].identity()) == 0 && c.near.shared(x.obs[q.obs].identity()) == 0 {
				continue
			}
			v, w := c.in(p.num, p), c.in(q.num, q)
			switch {
			case !percent:
				c.offer(byPairs, math.Abs(v-w), "difference", []int32{at, with})
			case v != 0 && w != 0:
				c.offer(byPairs, (w-v)/v*100, "percent_change", []int32{at, with})
				c.offer(byPairs, (v-w)/w*100, "percent_change", []int32{at, with})
			}
		}
	}
}

// touches reports a posting whose key is a word of the set: a column of keys
// that are data.
func (w words) touches(x *index, p *posting) bool {
	return w.names(x.obs[p.obs].pieces[p.piece].key)
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
		if pc.key == "" || int(p.length) != len(pc.text) || !Kinds[p.kind].numeric() || p.how != asWritten || x.counts(p) && roleOf(pc.key).role == roleOther && strings.Contains(plainKey(pc.key), "count") {
			continue
		}
		key := pc.key
		if dataKey(key) { // {"by_day": {"2026-11-23": 31, …}}, but a table's header may look like one
			add(place{o.step, "", key + "\x00", p.unit}, i)
			key = pc.in
		}
		add(place{o.step, "", key, p.unit}, i)
		if x.alone(int(p.obs)) {
			add(place{-1, o.Tool, key, p.unit}, i)
		}
	}
	x.cols = slices.DeleteFunc(x.cols, func(c numberColumn) bool { return len(c.posts) < 2 })
	return x.cols
}

// counted derives a small number from the records of one step, or from the
// lines of one text that name what is counted: 3 orders, 12 commits.
func (k *linker) counted(l *Link, text, sentence string) bool {
	a := &l.Atom
	if a.Kind != KindNumber || a.Unit != "" || a.num < 2 || a.num > 500 || a.num != math.Trunc(a.num) {
		return false
	}
	noun := stem(a.noun)
	if hanWord(a.noun) || noun == "" {
		noun = "\x00" // no word has it
	}
	terms := k.terms(text, a)
	said := saysThereAre(text, a)
	obs := k.index.obs
	end := 0
	for end < len(obs) && !k.later(int32(end)) {
		end++
	}
	for i := max(0, end-maxCounted); i < end; {
		j, named := i, false
		for j < end && obs[j].step == obs[i].step {
			if k.budget += len(obs[j].Text); k.budget > maxSearch {
				k.ledger.noteCut("search")
				return false
			}
			named = named || len(obs[j].pieces) > 1 && namings(&obs[j], noun) > 0 || stem(lastKeyWord(obs[j].of)) == noun
			j++
		}
		if records := j - i; (named || said && records > 1) && (records == int(a.num) || records == int(a.num)+1 && len(obs[i].pieces) <= 3) || k.withTerm(obs[i:j], terms, int(a.num)) {
			l.State, l.How = Derived, "count"
			for o := i; o < j && o < i+8; o++ {
				k.cite(l, o)
			}
			return true
		}
		for o := i; o < j; o++ {
			if (len(obs[o].pieces) == 1 || stem(lastKeyWord(obs[o].pieces[0].key)) == noun) && namings(&obs[o], noun) == int(a.num) || linesWithTerm(&obs[o], terms, int(a.num)) {
				l.State, l.How = Derived, "count"
				k.cite(l, o)
				return true
			}
		}
		i = j
	}
	return false
}

// saysThereAre reports a number that the words before it count out: there are
// 3, I found 12, 共有2.
func saysThereAre(text string, a *Atom) bool {
	before := lower(text[max(0, a.Offset-24):a.Offset])
	return containsAny(before, []string{"there are", "found", "you have", "lists", "returned", "共"})
}

// terms are the words that may name what a number counts: the next three words
// ("5 TODO comments", "3 open orders"), and, for "3 of them", the names and codes of
// its sentence.
func (k *linker) terms(text string, a *Atom) []string {
	var out []string
	rest := text[a.Offset+a.Length:]
	if strings.HasPrefix(rest, " of them") || strings.HasPrefix(rest, " of those") {
		from, to := sentence(text, a.Offset, a.Offset+a.Length)
		for _, b := range Scan(text[from:to]) {
			if b.Kind == KindIdentifier || b.Kind == KindName {
				out = append(out, b.Text)
			}
		}
		return out
	}
	for range 3 {
		rest = strings.TrimPrefix(rest, " ")
		w, end := wordFrom(rest, 0)
		if len(w) < 3 || stopWord(w) {
			break
		}
		out = append(out, rest[:end])
		rest = rest[end:]
	}
	return out
}

// withTerm reports whether so many of several records, and not all, hold one of the terms.
func (k *linker) withTerm(records []Observation, terms []string, want int) bool {
	if len(records) < 3 || len(records) > 200 || want >= len(records) {
		return false
	}
	for _, t := range terms {
		n := 0
		for i := range records {
			for p := range records[i].pieces {
				if pc := &records[i].pieces[p]; len(pc.text) < 200 && containsFold(pc.text, t) {
					n++
					break
				}
			}
		}
		if n == want {
			return true
		}
	}
	return false
}

// linesWithTerm reports whether so many lines of a text hold one of the terms.
func linesWithTerm(o *Observation, terms []string, want int) bool {
	if len(o.pieces) != 1 || len(o.Text) > 20_000 || strings.Count(o.Text, "\n") < 2 {
		return false
	}
	for _, t := range terms {
		n := 0
		for line := range strings.SplitSeq(o.Text, "\n") {
			if containsFold(line, t) {
				n++
			}
		}
		if n == want {
			return true
		}
	}
	return false
}

// maxCounted bounds the observations, latest first, that are counted over.
const maxCounted = 400

// cite adds a whole observation to a link.
func (k *linker) cite(l *Link, o int) {
	p := &k.index.obs[o].pieces[0]
	text := p.text[:min(len(p.text), 80)]
	for len(text) > 0 && len(text) < len(p.text) && p.text[len(text)]&0xc0 == 0x80 {
		text = text[:len(text)-1]
	}
	l.Observations = append(l.Observations, o)
	l.posts = append(l.posts, -1)
	l.Sources = append(l.Sources, p.place(k.index.obs[o].StepID, 0, len(text)))
	l.Quotes = append(l.Quotes, text)
}

// namings counts the lines, keys and values of an observation that begin with
// or name a noun, up to 20 KB of it.
func namings(o *Observation, noun string) int {
	n, size := 0, 0
	for i := range o.pieces {
		p := &o.pieces[i]
		if size += len(p.text); size > 20_000 {
			break
		}
		if p.key != "" && strings.Contains(plainKey(p.key), noun) {
			n++
			continue
		}
		for line := range strings.SplitSeq(p.text, "\n") {
			line = strings.TrimLeft(line, " *-0123456789.)#|\t")
			w, _ := wordFrom(line, 0)
			if stem(w) == noun {
				n++
			}
		}
	}
	return n
}
