// Package reckon finds the arithmetic that a value may come from: which of a few
// numbers, added, multiplied or divided, yield it. Many numbers always yield
// something, so a calculation is weighed like a message that describes the value: it
// costs the bits that it takes to say which numbers and which operation, and it
// explains the value only where that is less than the value itself takes. A
// number that the text puts beside the value costs little; one of a hundred that
// nothing points to costs much; and 12% is explained by little, where 1,313,512 bears a
// long calculation.
//
// It knows quantities and their dimensions, nothing of texts.
package reckon

import (
	"math"
	"slices"
	"sort"
)

// Dim is the dimension of a quantity: the powers of what it is measured in. The
// zero value is that of a bare number.
type Dim struct {
	Length, Mass, Time, Bytes, Energy, Money int8
	Currency                                 uint16 // of the money
	Other                                    uint16 // a unit that converts into no other
}

// Per is the dimension of a quantity of d for each of e; false where it has none.
func (d Dim) Per(e Dim) (Dim, bool) { return d.times(e, -1) }

func (d Dim) times(e Dim, sign int8) (Dim, bool) {
	out := Dim{d.Length + sign*e.Length, d.Mass + sign*e.Mass, d.Time + sign*e.Time, d.Bytes + sign*e.Bytes, d.Energy + sign*e.Energy, d.Money + sign*e.Money, d.Currency, d.Other}
	switch {
	case out.Money == 0:
		out.Currency = 0
	case d.Money != 0 && e.Money != 0 && d.Currency != e.Currency:
		return Dim{}, false
	case d.Money == 0:
		out.Currency = e.Currency
	}
	switch {
	case e.Other == 0:
	case sign < 0 && d.Other == e.Other:
		out.Other = 0
	case sign > 0 && d.Other == 0:
		out.Other = e.Other
	default:
		return Dim{}, false
	}
	return out, true
}

// Term is a number that a value may have been calculated from.
type Term struct {
	Num     float64 // in base units; of a percentage a fraction
	By      float64 // the unit that it is written in, in base units
	Dim     Dim
	Percent bool
	Noun    uint32  // what a bare number counts; 0 where that is not said
	Bits    float64 // what it costs to say that it is this one
	Kin     float64 // what it costs to say that it is this one of its dimension
	Place   uint64  // of the record or the sentence that it stands in; 0 for none
	List    uint64  // of the column that it stands in; 0 for none
	Near    float64 // what it costs to say that it is this one of its place or its list
	Made    bool    // it is the result of a calculation, which may be the value itself
	Factor  bool    // it is only multiplied or divided by: 12 months
	Span    bool    // the time between two moments, which is no part of another one
}

// The operations, in no order.
const (
	Sum = iota
	Difference
	Product
	Ratio
	Change // in percent
	Part   // a percentage of
	Less   // a percentage less or more
	Mean
	Growth     // a year, in percent
	Proportion // one amount for another one
	operations
)

// Names are what the operations are called.
var Names = [operations]string{"sum", "difference", "product", "ratio", "percent_change", "percentage", "percentage", "mean", "growth", "proportion"}

// Goal is the value that is to be explained.
type Goal struct {
	Num, By float64
	Half    float64 // how far a result may lie from it
	Dim     Dim
	Percent bool
	Points  bool // it is in points: the difference of two percentages
	Whole   bool // a count of things: no ratio is rounded to it
	Noun    uint32
	Down    bool // it is said to have gone down: a change from the larger
	Up      bool
	Ops     [operations]float64            // what each operation costs, by the words of the text
	Bits    float64                        // what the value bears
	Allow   func(op int, terms []int) bool // whether terms may be calculated with together; nil where all may
}

// Result is a calculation that yields the goal.
type Result struct {
	Op    int     // of several terms
	Num   float64 // in the goal's base units
	Terms []int   // indexes of terms
	Bits  float64
}

// Limits of one search.
const (
	MaxTerms = 160 // of two
	maxThree = 24  // of three
)

// Solve is the cheapest calculation of two or three terms that yields the goal.
// Terms are not changed. It reports false where none costs less than the goal bears.
func Solve(g Goal, terms []Term) (Result, bool) {
	order := make([]int, 0, len(terms))
	for i := range terms {
		if terms[i].Bits < g.Bits && terms[i].Num != 0 && !math.IsNaN(terms[i].Num) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case terms[a].Bits < terms[b].Bits:
			return -1
		case terms[a].Bits > terms[b].Bits:
			return 1
		}
		return 0
	})
	order = order[:min(len(order), MaxTerms)]
	s := search{g: g, terms: terms, least: slices.Min(g.Ops[:])}
	s.best.Bits = g.Bits
	for _, i := range order {
		if x := &terms[i]; x.Percent == g.Percent && (x.Made || x.Dim == g.Dim && x.Dim != (Dim{}) && x.By != g.By) {
			s.land(Sum, x.Num, x.Dim, x.By, x.Bits, i)
		} else if g.Dim == (Dim{Bytes: 1}) && x.Dim == (Dim{}) && x.Num >= 1e6 {
			s.offer(Sum, x.Num, x.Bits+lent, i) // bytes, of which nothing says so
		}
		for _, j := range order {
			if i == j {
				continue
			}
			x, y := &terms[i], &terms[j]
			if x.Factor && y.Factor { // 12 months of what?
				continue
			}
			if bits := min(x.Bits+y.given(x), y.Bits+x.given(y)); bits+s.least < s.best.Bits+exact {
				s.pair(x, y, bits, i, j)
			}
		}
	}
	if s.found && len(s.best.Terms) == 2 && s.best.Bits < g.Bits-3 {
		return s.best, true
	}
	s.three(order[:min(len(order), maxThree)])
	return s.best, s.found
}

type search struct {
	g     Goal
	terms []Term
	least float64 // what the cheapest operation costs
	best  Result
	found bool
}

// given is what y costs beside x.
func (y *Term) given(x *Term) float64 {
	bits := y.Bits
	if x.Dim == y.Dim && x.Percent == y.Percent {
		bits = y.Kin
	}
	if x.Place != 0 && x.Place == y.Place || x.List != 0 && x.List == y.List {
		bits = min(bits, y.Near)
	}
	return bits
}

// like reports terms that may be of one kind: bare numbers count the same, or stand
// in one column or one record.
func (y *Term) like(x *Term) bool {
	switch {
	case x.Dim != Dim{}:
		return true
	case x.Noun != 0 && y.Noun != 0 && x.Noun != y.Noun:
		return false
	}
	return x.List == 0 || y.List == 0 || x.List == y.List || x.Place == y.Place
}

// related reports two amounts of which one may be what is wanted and the other what
// something is stated for: of one record or list, or one of them of no observation.
func (y *Term) related(x *Term) bool {
	if x.Span || y.Span || x.Factor || y.Factor {
		return false
	}
	return x.Place == 0 || y.Place == 0 || x.Place == y.Place || x.List != 0 && x.List == y.List
}

// offer notes a result that is the goal, where it costs less than the best so far.
func (s *search) offer(op int, num, bits float64, terms ...int) {
	half, off := s.g.Half, math.Abs(num-s.g.Num)
	if !(off <= half) {
		return
	}
	if off <= 1e-9*math.Abs(s.g.Num) { // fewer of those that are rounded to it are it
		bits -= exact
	}
	if s.g.Whole && (op == Ratio || op == Part || op == Less || op == Mean) {
		half = 1e-6
	}
	if bits < s.best.Bits && off <= half && (s.g.Allow == nil || s.g.Allow(op, slices.Clone(terms))) {
		s.best = Result{Op: op, Num: num, Terms: slices.Clone(terms), Bits: bits}
		s.found = true
	}
}

// near reports a result that may be the goal: as it is, in the goal's unit, or in
// units of by. Most results of two terms are not, and their dimensions are not looked at.
func (s *search) near(num, by float64) bool {
	const slack = 1 + 1e-9 // of the roundings
	g, half := s.g.Num, s.g.Half*slack
	return math.Abs(num-g) <= half || math.Abs(num*s.g.By-g) <= half || math.Abs(num-g*by) <= half*by
}

// What a mismatch of units costs: one that has to be supplied, one that the other
// operand is for each of, another currency.
const (
	lent  = 1
	loose = 1.5
	other = 2
	step  = 1.25 // what a third term costs besides
	exact = 1    // what a result gains that needs no rounding
)

// land offers a result with a dimension, in the goal's.
func (s *search) land(op int, num float64, dim Dim, by float64, bits float64, terms ...int) {
	g := &s.g
	switch {
	case !s.near(num, by):
	case dim == g.Dim:
		s.offer(op, num, bits, terms...)
	case dim == Dim{} && (op != Ratio || s.terms[terms[0]].Dim == Dim{}): // a bare result in the goal's unit
		if op == Product || op == Ratio {
			bits += lent
		}
		s.offer(op, num*g.By, bits+lent, terms...)
	case g.Dim == Dim{} && !g.Percent && g.Noun == 0:
		s.offer(op, num/by, bits+lent, terms...)
	case dim.Money == 1 && g.Dim.Money == 1 && (op == Product || op == Ratio): // at a rate of exchange
		dim.Currency = g.Dim.Currency
		if dim == g.Dim {
			s.offer(op, num, bits+other, terms...)
		}
	}
}

// pair tries the operations on two terms in their order.
func (s *search) pair(x, y *Term, bits float64, i, j int) {
	g := &s.g
	alike := x.Dim == y.Dim && x.Percent == y.Percent
	m, n, by, extra := x.Num, y.Num, x.By, 0.0
	if !alike && !x.Percent && !y.Percent { // 85 minutes less 16
		switch {
		case y.Dim == Dim{} && y.Noun == 0:
			n, extra, alike = n*x.By, lent, true
		case x.Dim == Dim{} && x.Noun == 0:
			m, by, extra, alike = m*y.By, y.By, lent, true
		}
	}
	dim := x.Dim
	if dim == (Dim{}) {
		dim = y.Dim
	}
	unlike := 0.0
	if x.Dim == y.Dim && !x.like(y) {
		unlike = 2 * other
	}
	if alike && x.Percent == g.Percent && !x.Factor && !y.Factor {
		if i < j {
			s.land(Sum, m+n, dim, by, bits+extra+unlike+g.Ops[Sum], i, j)
		}
		if i < j && !x.Made && !y.Made {
			s.land(Mean, (m+n)/2, dim, by, bits+extra+unlike+g.Ops[Mean], i, j)
		}
		s.land(Difference, m-n, dim, by, bits+extra+unlike+g.Ops[Difference], i, j)
	}
	if g.Points && alike && !x.Percent && dim == (Dim{}) { // of percentages of which nothing says so
		s.offer(Difference, (m-n)*g.By, bits+lent+g.Ops[Difference], i, j)
	}
	if alike && extra == 0 && g.Percent && !x.Percent && !x.Factor && !y.Factor && !x.Span && !y.Span {
		if !g.Up && !g.Down {
			s.offer(Ratio, m/n, bits+unlike+g.Ops[Ratio], i, j)
		}
		if !(g.Up && m < n) && !(g.Down && m > n) {
			s.offer(Change, math.Abs(m-n)/math.Abs(n), bits+unlike+g.Ops[Change], i, j)
			s.offer(Change, -math.Abs(m-n)/math.Abs(n), bits+unlike+g.Ops[Change], i, j)
		}
	}
	if g.Percent {
		if q, ok := x.Dim.Per(y.Dim); ok && q == (Dim{}) && !alike && !x.Percent && !y.Percent {
			s.offer(Ratio, x.Num/y.Num, bits+g.Ops[Ratio], i, j)
		}
		return
	}
	switch {
	case x.Percent && y.Percent:
		return
	case x.Percent:
		s.land(Part, x.Num*y.Num, y.Dim, y.By, bits+g.Ops[Part], i, j)
		s.land(Less, (1-x.Num)*y.Num, y.Dim, y.By, bits+g.Ops[Less], i, j)
		s.land(Less, (1+x.Num)*y.Num, y.Dim, y.By, bits+g.Ops[Less], i, j)
		return
	case y.Percent:
		s.land(Ratio, x.Num/y.Num, x.Dim, x.By, bits+2*other+g.Ops[Ratio], i, j)
		return
	}
	if r, unit := x.Num*y.Num, x.By*y.By; i < j && s.near(r, unit) {
		if p, ok := x.Dim.times(y.Dim, 1); ok {
			s.land(Product, r, p, unit, bits+g.Ops[Product], i, j)
		}
	}
	if r, unit := x.Num/y.Num, x.By/y.By; s.near(r, unit) {
		if q, ok := x.Dim.times(y.Dim, -1); ok {
			s.land(Ratio, r, q, unit, bits+g.Ops[Ratio], i, j)
		}
	}
	if y.Dim.Money == 0 && y.Dim.Other == 0 && y.Num != y.By && x.Dim != y.Dim && g.Dim != (Dim{}) { // of so much for each of something
		num, extra := x.Num, loose
		switch {
		case x.Dim == g.Dim:
		case x.Dim == Dim{}:
			num, extra = num*g.By, loose+lent
		case x.Dim.Money == 1 && g.Dim.Money == 1:
			extra = loose + other
		default:
			return
		}
		if y.Dim != (Dim{}) {
			s.offer(Product, num*y.Num/y.By, bits+extra+g.Ops[Product], i, j)
			s.offer(Ratio, num/y.Num*y.By, bits+extra+g.Ops[Ratio], i, j)
		}
	}
}

// three tries the operations on the results of two terms and a third one.
func (s *search) three(order []int) {
	if len(order) < 3 || s.g.Bits < 6 {
		return
	}
	sorted := slices.Clone(order)
	slices.SortFunc(sorted, func(a, b int) int {
		switch x, y := math.Abs(s.terms[a].Num), math.Abs(s.terms[b].Num); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return a - b
	})
	for _, i := range order {
		for _, j := range order {
			if i == j {
				continue
			}
			x, y := &s.terms[i], &s.terms[j]
			bits := min(x.Bits+y.given(x), y.Bits+x.given(y))
			if bits+step+min(s.least, lent) >= s.best.Bits+exact || x.Factor && y.Factor {
				continue
			}
			if x.Dim == y.Dim && x.Percent == y.Percent && x.like(y) && !x.Factor && !y.Factor {
				if i < j {
					s.third(Sum, x.Num+y.Num, x, y, x.Dim, bits, sorted, i, j)
				}
				s.third(Difference, x.Num-y.Num, x, y, x.Dim, bits, sorted, i, j)
			}
			if x.Percent && !y.Percent {
				s.third(Part, x.Num*y.Num, y, y, y.Dim, bits, sorted, i, j)
			}
			if x.Percent || y.Percent {
				continue
			}
			if p, ok := x.Dim.times(y.Dim, 1); ok && i < j {
				s.third(Product, x.Num*y.Num, x, y, p, bits, sorted, i, j)
			}
			if q, ok := x.Dim.times(y.Dim, -1); ok {
				s.third(Ratio, x.Num/y.Num, x, y, q, bits, sorted, i, j)
			}
		}
	}
	s.growth(order)
}

// third looks for the term that makes the goal of a result of two others.
func (s *search) third(op int, r float64, x, y *Term, dim Dim, bits float64, sorted []int, i, j int) {
	g := &s.g
	plain, first := bits, op
	bits += g.Ops[op]
	if bits >= s.best.Bits+exact || r == 0 || math.IsInf(r, 0) {
		return
	}
	percent := x.Percent && (op == Sum || op == Difference)
	try := func(want, by float64, op int, f func(z float64) float64, fits func(z *Term) bool) {
		slack := math.Abs(want) * math.Min(1, by*1.01+1e-9)
		low := sort.Search(len(sorted), func(n int) bool { return math.Abs(s.terms[sorted[n]].Num) >= math.Abs(want)-slack })
		for _, n := range sorted[low:] {
			z := &s.terms[n]
			if math.Abs(z.Num) > math.Abs(want)+slack {
				return
			}
			if n == i || n == j || z.Factor && (x.Factor || y.Factor) || z.Span && (x.Span || y.Span) || !fits(z) {
				continue
			}
			cost := bits + step + min(z.given(x), z.given(y)) + g.Ops[op]
			if op == Ratio && first == Product && (z.Dim == x.Dim && z.related(x) || z.Dim == y.Dim && z.related(y)) {
				own := g.Ops[Proportion]
				if z.Dim != (Dim{}) { // 150 g of what is stated for 100 g
					own = min(own, lent)
				}
				s.offer(Proportion, f(z.Num), min(cost, plain+step+min(z.given(x), z.given(y))+own), i, j, n)
				continue
			}
			s.offer(op, f(z.Num), cost, i, j, n)
		}
	}
	goal := func(d Dim) bool {
		if op != Part && d.Money == 1 && g.Dim.Money == 1 { // at a rate of exchange
			d.Currency = g.Dim.Currency
		}
		return d == g.Dim
	}
	rel := g.Half / math.Abs(g.Num)
	if (dim == g.Dim) && percent == g.Percent { // a sum or a difference with the result
		same := func(z *Term) bool { return z.Dim == dim && z.Percent == percent && !z.Factor && z.like(x) && z.like(y) }
		if want := g.Num - r; want != 0 {
			try(want, g.Half/math.Abs(want), Sum, func(z float64) float64 { return r + z }, same)
			try(-want, g.Half/math.Abs(want), Difference, func(z float64) float64 { return r - z }, same)
		}
		if want := g.Num + r; want != 0 && op != Difference {
			try(want, g.Half/math.Abs(want), Difference, func(z float64) float64 { return z - r }, same)
		}
	}
	if g.Percent { // a share of it, or it in something; a difference in something is a change
		if percent {
			return
		}
		same := func(z *Term) bool { return z.Dim == dim && !z.Percent && !z.Factor && !z.Span }
		if op == Difference || !g.Up && !g.Down {
			try(r/g.Num, rel/(1-min(rel, .9)), Ratio, func(z float64) float64 { return r / z }, same)
			try(g.Num*r, rel, Ratio, func(z float64) float64 { return z / r }, same)
		}
		if c := 1 + g.Num; op == Sum || op == Product {
			try(r/c, g.Half/math.Abs(c)*1.1, Change, func(z float64) float64 { return r/z - 1 }, same)
			try(r*c, g.Half/math.Abs(c)*1.1, Change, func(z float64) float64 { return z/r - 1 }, same)
		}
		return
	}
	if percent {
		return
	}
	// times and by the third
	try(g.Num/r, rel, Product, func(z float64) float64 { return r * z }, func(z *Term) bool {
		d, ok := dim.times(z.Dim, 1)
		return ok && goal(d)
	})
	try(r/g.Num, rel/(1-min(rel, .9)), Ratio, func(z float64) float64 { return r / z }, func(z *Term) bool {
		d, ok := dim.times(z.Dim, -1)
		return ok && goal(d) && !z.Percent
	})
	if op == Sum || op == Difference || op == Product {
		try(r*g.Num, rel, Ratio, func(z float64) float64 { return z / r }, func(z *Term) bool {
			d, ok := z.Dim.times(dim, -1)
			return ok && goal(d) && !z.Percent
		})
	}
}

// growth tries what one amount grew to another by a year: its n-th root.
func (s *search) growth(order []int) {
	g := &s.g
	if !g.Percent || g.Ops[Growth] >= s.best.Bits {
		return
	}
	for _, i := range order {
		for _, j := range order {
			x, y := &s.terms[i], &s.terms[j]
			if i == j || x.Dim != y.Dim || x.Percent || y.Percent || x.Num/y.Num <= 0 {
				continue
			}
			bits := min(x.Bits+y.given(x), y.Bits+x.given(y)) + g.Ops[Growth]
			if bits >= s.best.Bits || math.Abs(x.Num/y.Num-1) < math.Abs(g.Num) {
				continue
			}
			for years := 2; years <= 40; years++ {
				s.offer(Growth, math.Pow(x.Num/y.Num, 1/float64(years))-1, bits+2, i, j)
			}
		}
	}
}
