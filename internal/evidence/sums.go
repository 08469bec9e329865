package evidence

import (
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/reckon"
)

// chains adds what the values of one sentence come to, of the value's, or of the one
// before or after: all together, their mean, and the first less the others.
func (r *reckoning) chains(links []Link) {
	r.chain(links, r.from, r.to)
	if r.from > 1 {
		if end := len(strings.TrimRight(r.text[:r.from], " \n.!?。*:：")); end > 0 {
			from, to := lang.Sentence(r.text, end-1, end)
			r.chain(links, from, to)
		}
	}
	if next := r.to + 1; next+1 < len(r.text) {
		from, to := lang.Sentence(r.text, next, next+1)
		r.chain(links, from, to)
	}
}

// chain adds what values from one byte of the text to another come to.
func (r *reckoning) chain(links []Link, from, to int) {
	unit, sum, first := "", 0.0, 0.0
	var of []*Link
	for i := range links {
		o := &links[i]
		if o == r.l || o.Atom.Offset < from || o.Atom.Offset >= to || o.State != Carried && o.State != Derived || !o.Atom.Numeric() || o.Atom.Unit == "%" || o.Atom.Unit == "th" || o.Atom.Part == atom.PartLater {
			continue
		}
		if !atom.SameDimension(o.Atom.Unit, unit) {
			if len(of) > 1 {
				continue
			}
			of = nil // it does not begin here
		}
		v := o.Atom.Num
		if o.exact != 0 {
			v = o.exact
		}
		if len(of) == 0 {
			unit, sum, first = o.Atom.Unit, 0, v
		}
		sum += convert(v, o.Atom.Unit, unit)
		if of = append(of, o); len(of) < 3 {
			continue
		}
		made := func(op int, how string, v float64) {
			r.add(v, unit, standing{class: ofChain, bits: r.g.Ops[op] + 1, how: how, links: slices.Clone(of)})
		}
		made(reckon.Sum, "sum", sum)
		made(reckon.Difference, "difference", 2*first-sum)
		made(reckon.Mean, "mean", sum/float64(len(of)))
	}
}

// Limits of the lists that are added up.
const (
	maxAdded   = 32  // lists of one trace
	maxRunning = 200 // observations, for runs in each

	// listed is what it costs to tell which of a list a sentence picks out, in pairs of
	// numbers: see MaxSought.
	listed = 8_000
)

// lists adds what lists of numbers come to: all of a list, and the parts of it that
// the sentence picks out; amounts times prices.
func (r *reckoning) lists() {
	x := r.k.index
	cols := x.columns()
	sum, mean := r.g.Ops[reckon.Sum], r.g.Ops[reckon.Mean]
	for i := range cols[:min(len(cols), maxAdded)] {
		col := &cols[i]
		p := &x.posts[col.posts[0]]
		if r.k.later(p.obs) || len(col.posts) > maxSelected {
			continue
		}
		r.k.ledger.sought += listed
		unit, s := atom.UnitNames[p.unit], r.ofList(col.posts[0])
		s.list = uint64(i+1) << 40 // a part and the whole are of one list
		part := func(set uint64, extra float64) {
			total := 0.0
			var posts []int32
			for j, at := range col.posts {
				if set>>j&1 == 1 {
					total, posts = total+x.posts[at].num, append(posts, at)
				}
			}
			if len(posts) < 2 {
				return
			}
			of := s
			of.posts, of.how, of.bits = posts, "sum", s.bits+extra+sum
			r.add(total, unit, of)
			if mean < opPlain {
				of.how, of.bits = "mean", s.bits+extra+mean
				r.add(total/float64(len(posts)), unit, of)
			}
		}
		selected := r.k.selection(col.posts, r.text[r.from:r.to], r.intro)
		count := s
		count.text, count.bits, count.posts, count.list = "records", s.bits+.5, nil, s.list+1
		counts := r.g.Percent || mean < opPlain // of which a share or a mean may be
		part(selected.all(), 0)
		if counts {
			r.add(float64(len(col.posts)), "", count)
			count.bits++
		}
		for _, set := range selected.parts() {
			part(set, 1)
			if counts {
				r.add(float64(mathbits.OnesCount64(set)), "", count)
			}
		}
		r.products(cols, i, s)
	}
}

// ofList is the standing of what a list comes to, by its first number.
func (r *reckoning) ofList(first int32) standing {
	s := r.standing(first)
	if s.class == ofAll {
		s.bits = 1
	}
	s.class, s.noun, s.place, s.list, s.text = ofList, 0, 0, 0, ""
	return s
}

// products adds the sums of one column times another, row by row.
func (r *reckoning) products(cols []numberColumn, i int, s standing) {
	x := r.k.index
	col, unit := &cols[i], r.k.index.posts[cols[i].posts[0]].unit
	for j := range cols[:min(len(cols), maxAdded)] {
		other := &cols[j]
		by := x.posts[other.posts[0]].unit
		if i == j || unit != 0 && by != 0 || i > j && unit == by {
			continue
		}
		if total, ok := x.sumOfProducts(col, other); ok {
			of := s
			of.how, of.bits, of.posts = "sum_product", s.bits+r.g.Ops[reckon.Sum]+2, slices.Concat(col.posts, other.posts)
			r.add(total, atom.UnitNames[unit]+atom.UnitNames[by], of)
		}
	}
}

// runs adds the sums of neighbours in a record: the hours of a week, three quarters
// of four.
func (r *reckoning) runs() {
	const members = 32
	x := r.k.index
	if len(x.obs) > maxRunning {
		return
	}
	var run []int32
	for i := range x.obs {
		o := &x.obs[i]
		if r.k.later(int32(i)) || len(o.pieces) < 3 || len(o.pieces) > members {
			continue
		}
		run = run[:0]
		for at := x.firstOf(int32(i)); at < len(x.posts) && x.posts[at].obs == int32(i); at++ {
			p := &x.posts[at]
			pc := &o.pieces[p.piece]
			if int(p.length) != len(pc.text) || p.how != asWritten || !atom.Kinds[p.kind].Numeric() {
				continue
			}
			if n := len(run); n > 0 {
				q := &x.posts[run[n-1]]
				last := &o.pieces[q.piece]
				again := n > 1 && o.pieces[x.posts[run[n-2]].piece].key == last.key // a list under one key
				if p.piece == q.piece {
					continue
				}
				if p.piece != q.piece+1 || p.unit != q.unit || pc.in != last.in || n > 1 && again != (pc.key == last.key) {
					r.run(run)
					run = run[:0]
				}
			}
			run = append(run, int32(at))
		}
		r.run(run)
	}
}

// run adds the sums of neighbours: of all, and of those at either end.
func (r *reckoning) run(run []int32) {
	n := len(run)
	if n < 3 {
		return
	}
	s := r.ofList(run[0])
	s.how = "sum"
	unit := atom.UnitNames[r.k.index.posts[run[0]].unit]
	own := s.bits
	for i := range run {
		sum := 0.0
		for j := i; j < n; j++ {
			sum += r.k.index.posts[run[j]].num
			switch length := j - i + 1; {
			case length == n:
				s.bits = own + 1.5
			case length > 1 && (i == 0 || j == n-1):
				s.bits = own + 2.5
			default:
				continue
			}
			s.posts = slices.Clone(run[i : j+1])
			r.add(sum, unit, s)
		}
	}
}
