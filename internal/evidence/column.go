package evidence

import (
	"math"
	"slices"
	"strings"
)

// column derives a value from one column of the records that a tool returned:
// its sum, its mean or its spread; or from the number of records, or of lines
// that name what is counted.
func (k *linker) column(l *Link, text, sentence string) bool {
	a := &l.Atom
	cue := cues(sentence)
	half := a.coarse(saysAbout(text, a)) * .5 * (1 + 1e-9)
	cols := k.index.columns()
	for i := range cols {
		c := &cols[i]
		if int(k.index.obs[k.index.posts[c.posts[0]].obs].step) >= k.limit {
			continue
		}
		unit := unitNames[k.index.posts[c.posts[0]].unit]
		if unit != a.Unit && unit != "" && a.Unit != "" {
			continue
		}
		how := ""
		switch {
		case math.Abs(c.sum-a.num) <= half && (cue&cueSum != 0 || significant(a) >= 3):
			how = "sum"
		case math.Abs(c.sum/float64(len(c.posts))-a.num) <= half && (cue&cueMean != 0 || significant(a) >= 4):
			how = "mean"
		case cue&cueMean != 0 && math.Abs(k.index.median(c)-a.num) <= half:
			how = "median"
		case math.Abs(c.high-c.low-a.num) <= half && cue&cueDifference != 0 && significant(a) >= 2:
			how = "difference"
		default:
			continue
		}
		l.State, l.How = Derived, how
		k.take8(l, c.posts)
		return true
	}
	return k.counted(l)
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

// take8 adds the first eight observations of a column to a link.
func (k *linker) take8(l *Link, posts []int32) {
	for _, at := range posts[:min(len(posts), 8)] {
		p := &k.index.posts[at]
		n := len(l.Observations)
		if k.source(l, p); len(l.Observations) > n {
			l.Operands = append(l.Operands, k.index.text(p))
		}
	}
}

// numberColumn is the numbers of one key in the records of one step.
type numberColumn struct {
	posts          []int32
	sum, low, high float64
}

// maxColumns bounds the columns of one trace.
const maxColumns = 256

// columns finds the keys that three records and more of one step have numbers for.
func (x *index) columns() []numberColumn {
	if x.cols != nil {
		return x.cols
	}
	type place struct {
		step int
		key  string
		unit uint16
	}
	at := map[place]int{}
	x.cols = []numberColumn{}
	for i := range x.posts {
		p := &x.posts[i]
		o := &x.obs[p.obs]
		pc := &o.pieces[p.piece]
		if pc.key == "" || int(p.length) != len(pc.text) || !Kinds[p.kind].numeric() || p.how != asWritten || x.counts(p) && roleOf(pc.key).role == roleOther && strings.Contains(plainKey(pc.key), "count") {
			continue
		}
		where := place{o.step, pc.key, p.unit}
		c, ok := at[where]
		if !ok {
			if len(x.cols) >= maxColumns {
				continue
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
	x.cols = slices.DeleteFunc(x.cols, func(c numberColumn) bool { return len(c.posts) < 3 })
	return x.cols
}

// counted derives a small number from the records of one step, or from the
// lines of one text that name what is counted: 3 orders, 12 commits.
func (k *linker) counted(l *Link) bool {
	a := &l.Atom
	if a.Kind != KindNumber || a.Unit != "" || a.noun == "" || a.num < 2 || a.num > 500 || a.num != math.Trunc(a.num) || hanWord(a.noun) {
		return false
	}
	noun := stem(a.noun)
	obs := k.index.obs
	end := 0
	for end < len(obs) && obs[end].step < k.limit {
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
		if records := j - i; named && (records == int(a.num) || records == int(a.num)+1 && len(obs[i].pieces) <= 3) {
			l.State, l.How = Derived, "count"
			for o := i; o < j && o < i+8; o++ {
				k.cite(l, o)
			}
			return true
		}
		for o := i; o < j; o++ {
			if (len(obs[o].pieces) == 1 || stem(lastKeyWord(obs[o].pieces[0].key)) == noun) && namings(&obs[o], noun) == int(a.num) {
				l.State, l.How = Derived, "count"
				k.cite(l, o)
				return true
			}
		}
		i = j
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
