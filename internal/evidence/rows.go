package evidence

import (
	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// products tries the sum of amounts times prices over the lines of a bill.
func (c *columnSearch) products(cols []numberColumn) {
	if c.a.Kind != atom.Money && c.a.Unit != "" {
		return
	}
	x := c.k.index
	for i := range cols {
		amounts := &cols[i]
		p := &x.posts[amounts.posts[0]]
		if atom.UnitNames[p.unit] != "" || !amountKeys[plainKey(x.obs[p.obs].pieces[p.piece].key)] {
			continue
		}
		for j := range cols {
			prices := &cols[j]
			q := &x.posts[prices.posts[0]]
			if i == j || c.k.later(q.obs) || !moneyKeys[lastKeyWord(x.obs[q.obs].pieces[q.piece].key)] || !c.compares(q) {
				continue
			}
			if sum, ok := x.sumOfProducts(amounts, prices); ok {
				c.offer(byWhole, sum, "sum_product", prices.posts)
			}
		}
	}
}

// sumOfProducts is the sum of one column times another, row by row, where they are of
// the same rows.
func (x *index) sumOfProducts(a, b *numberColumn) (sum float64, ok bool) {
	if len(a.posts) != len(b.posts) {
		return 0, false
	}
	for n, at := range a.posts {
		p, q := &x.posts[at], &x.posts[b.posts[n]]
		if p.obs != q.obs {
			return 0, false
		}
		sum += p.num * q.num
	}
	return sum, true
}

var amountKeys = lang.Set("qty quantity count units pieces number amount hours shares 数量 件数 个数")

// rows tries the sum and the mean of the numbers of one record, or of an
// object in it, that the sentence names or that is all there is: three marks of
// a student, the phases of a request.
func (c *columnSearch) rows() {
	const most, members = 64, 24
	x := c.k.index
	if len(x.obs) > most || c.a.Unit == "%" {
		return
	}
	for i := range x.obs {
		o := &x.obs[i]
		if c.k.later(int32(i)) || len(o.pieces) < 3 || len(o.pieces) > members || !x.alone(i) && c.near.Shared(o.own()) == 0 {
			continue
		}
		var posts []int32
		in, unit, sum := "", uint16(0), 0.0
		done := func() {
			if n := len(posts); n >= 3 {
				p := &x.posts[posts[0]]
				if digits := c.a.Significant(); c.compares(p) && (c.cue&cueSum != 0 || digits >= 3) {
					c.offer(byWhole, c.in(sum, p), "sum", posts)
				}
				if c.compares(p) && c.cue&cueMean != 0 {
					c.offer(byWhole, c.in(sum, p)/float64(n), "mean", posts)
				}
			}
			posts, sum = nil, 0
		}
		for at := x.firstOf(int32(i)); at < len(x.posts) && x.posts[at].obs == int32(i); at++ {
			p := &x.posts[at]
			pc := &o.pieces[p.piece]
			if pc.key == "" || int(p.length) != len(pc.text) || p.how != asWritten || !atom.Kinds[p.kind].Numeric() {
				continue
			}
			if pc.in != in || p.unit != unit {
				done()
			}
			in, unit, sum, posts = pc.in, p.unit, sum+p.num, append(posts, int32(at))
		}
		done()
	}
}
