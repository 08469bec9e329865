package reckon

import (
	"math"
	"testing"
)

var (
	dollars = Dim{Money: 1, Currency: 1}
	euros   = Dim{Money: 1, Currency: 2}
	seconds = Dim{Time: 1}
	metres  = Dim{Length: 1}
)

// near is a term that the text puts beside the value; far one of a hundred others.
func near(num float64, dim Dim) Term {
	return Term{Num: num, By: 1, Dim: dim, Bits: 1, Kin: 1, Near: 12}
}
func far(num float64, dim Dim) Term {
	return Term{Num: num, By: 1, Dim: dim, Bits: 7, Kin: 7, Near: 12}
}

func percent(v float64) Term {
	t := near(v/100, Dim{})
	t.Percent = true
	return t
}

// goal is a value with so many digits after its point, for which all operations cost as much.
func goal(num float64, digits int, dim Dim) Goal {
	half := .5 * math.Pow10(-digits)
	g := Goal{Num: num, By: 1, Half: half * (1 + 1e-9), Dim: dim, Bits: math.Log2(math.Abs(num)/(2*half)) + 4}
	for i := range g.Ops {
		g.Ops[i] = 1
	}
	return g
}

func TestSolve(t *testing.T) {
	share := goal(.11, 2, Dim{})
	share.Percent = true
	grew := goal(.154, 3, Dim{})
	grew.Percent, grew.Up = true, true
	fell := grew
	fell.Up, fell.Down = false, true
	whole := goal(11, 0, Dim{})
	whole.Whole = true
	for _, c := range []struct {
		name  string
		goal  Goal
		terms []Term
		want  string // the operation; empty where there is none
	}{
		{"311 and 2,840 are 11%", share, []Term{near(311, dollars), near(2840, dollars)}, "ratio"},
		{"2.84 after 2.46 is 15.4% more", grew, []Term{near(2.84, dollars), near(2.46, dollars)}, "percent_change"},
		{"and not less", fell, []Term{near(2.84, dollars), near(2.46, dollars)}, ""},
		{"85 minutes less 16", goal(69, 0, seconds), []Term{near(85, seconds), near(16, Dim{})}, "difference"},
		{"a price times a number", goal(699595, 0, dollars), []Term{near(1943.32, dollars), near(360, Dim{})}, "product"},
		{"three prices", goal(24490, 0, euros), []Term{near(8060, euros), near(12950, euros), near(3480, euros)}, "sum"},
		{"a speed", goal(9.7, 1, Dim{Length: 1, Time: -1}), []Term{near(100, metres), near(10.31, seconds)}, "ratio"},
		{"at a rate of exchange", goal(61.70, 2, dollars), []Term{near(435, euros), near(7.05, Dim{})}, "ratio"},
		{"18% of an amount", goal(176.4, 1, dollars), []Term{percent(18), near(980, dollars)}, "percentage"},
		{"12% off", goal(862.4, 1, dollars), []Term{percent(12), near(980, dollars)}, "percentage"},
		{"metres and seconds have no sum", goal(110.31, 2, metres), []Term{near(100, metres), near(10.31, seconds)}, ""},
		{"two of a hundred numbers explain no value of two digits", share, []Term{far(311, dollars), far(2840, dollars)}, ""},
		{"but one of seven", goal(1313512, 0, Dim{}), []Term{far(1310000, Dim{}), far(3512, Dim{})}, "sum"},
		{"a count is no rounded ratio", whole, []Term{near(57, Dim{}), near(5, Dim{})}, ""},
		{"the value itself explains nothing", goal(57, 0, Dim{}), []Term{near(57, Dim{})}, ""},
	} {
		res, ok := Solve(c.goal, c.terms)
		got := ""
		if ok {
			got = Names[res.Op]
		}
		if got != c.want {
			t.Errorf("%s: %q (%+v), want %q", c.name, got, res, c.want)
		}
		if ok && math.Abs(res.Num-c.goal.Num) > c.goal.Half {
			t.Errorf("%s: %g is not %g", c.name, res.Num, c.goal.Num)
		}
	}
}

// Numbers of one record are told from each other at less cost than from all others.
func TestPlacesMakeTermsCheap(t *testing.T) {
	g := goal(.2310, 4, Dim{})
	g.Percent = true
	x, y := far(231, Dim{}), far(1000, Dim{})
	x.Kin, y.Kin = 11, 11
	x.Bits, y.Bits = 11, 11
	if res, ok := Solve(g, []Term{x, y}); ok {
		t.Errorf("%+v, want nothing", res)
	}
	x.Place, y.Place, x.Near, y.Near = 1, 1, 2, 2
	if _, ok := Solve(g, []Term{x, y}); !ok {
		t.Error("numbers of one record are not found")
	}
}

func TestAllow(t *testing.T) {
	g := goal(24490, 0, euros)
	g.Allow = func(op int, terms []int) bool { return op != Sum }
	if res, ok := Solve(g, []Term{near(21010, euros), near(3480, euros)}); ok {
		t.Errorf("%+v, want nothing", res)
	}
}
