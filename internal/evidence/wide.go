package evidence

import (
	"math"
	"slices"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// wider derives a value that lies farther from what it rests on: from parts of a
// list, from the members of one record, from a number of the record and one that
// the question or the text states.
func (k *linker) wider(l *Link, text string, links []Link) bool {
	a := &l.Atom
	if !a.Numeric() || a.Unit == "th" || a.Num == 0 || countsItself(a) || a.Kind == atom.Number && a.InWords && a.Num <= 12 && a.Num >= 1 {
		return false
	}
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	if k.aggregates(l, text, text[from:to]) {
		return true
	}
	near := make(lang.Words, 0, 24)
	near.Add(text[from:to])
	w := wideSearch{k: k, a: a, text: text, from: from, to: to, near: near, cue: k.cuesOf(text[from:to]) | cues(introduction(text, from)), trend: trendOf(text, a)}
	w.ops = k.operandsUpTo(maxWideOperands, l, near, text, from, to, links)
	if w.trend != noTrend {
		w.cue |= cueDifference | cueChange
	}
	moments := w.ops
	w.ops = slices.DeleteFunc(slices.Clone(w.ops), func(o operand) bool {
		return momentUnits[o.unit] || math.IsNaN(o.num) || o.unit == "" && o.noun == 0 && o.grain == 1 && o.num >= 1900 && o.num <= 2100 && o.rank < 150 // a year
	})
	w.about = saysAbout(text, a)
	w.trials = trials{value: a.Num, half: a.Leeway(w.about), ways: []way{{allowed: 1}, {allowed: .7}, {allowed: .45}, {allowed: .3}, {allowed: .15}, {allowed: .12}, {allowed: .08}}}
	if lang.ContainsAny(lang.Lower(text), []string{"bmi", "体质指数"}) {
		c := calculation{a: a, half: w.trials.half, cue: cueSquare}
		if c.squares(w.ops); c.found {
			k.make(l, c.how, c.used)
			return true
		}
	}
	w.spans(moments)
	w.pairs()
	w.chain()
	w.threes()
	w.scaled()
	low, high := passage(text, from, to, a)
	own := make(lang.Words, 0, 12)
	own.Add(text[low:high])
	w.named(own)
	w.named(near)
	h := w.trials.best()
	if h == nil {
		return false
	}
	k.make(l, h.how, h.used)
	l.exact = h.result
	return true
}

// maxWideOperands bounds the operands of the wide search.
const maxWideOperands = 64

// wideSearch looks for a value among what can be calculated from two numbers that
// have something to do with each other.
type wideSearch struct {
	k        *linker
	a        *atom.Atom
	text     string
	from, to int
	near     lang.Words
	cue      uint16
	trend    trend
	about    bool // the value is given as a rough one
	ops      []operand
	trials   trials
}

// The ways of a wideSearch, the likeliest first: two numbers of the value's own
// sentence; two members of a record that it names; any two of one record; a number of a record and one that is given;
// two numbers of one source; two of the text; any others.
const (
	wayBeside = iota
	wayNamed
	wayRecord
	wayGiven
	waySource
	wayText
	wayFar
)

// way tells how two operands belong together; ok is false where they do not.
func (w *wideSearch) way(x, y *operand) (way int, ok bool) {
	beside := func(o *operand) bool { return o.rank >= 150 && o.at >= w.from && o.at < w.to }
	given := func(o *operand) bool { return o.post == nil && o.from == nil || o.unit == "x" && o.rank >= 150 }
	switch {
	case beside(x) && beside(y):
		return wayBeside, true
	case x.locus != 0 && x.locus == y.locus:
		if n := w.says(x) + w.says(y); n == 2 {
			return wayNamed, true
		} else if n == 1 && w.cue != 0 {
			return wayRecord, true
		}
		return wayRecord, true
	case given(x) != given(y) && (x.rank >= 12 || y.rank >= 12):
		return wayGiven, true
	case x.rank >= 150 && y.rank >= 150:
		return wayText, true
	case beside(x) && y.post != nil && w.says(y) > 0, beside(y) && x.post != nil && w.says(x) > 0:
		return wayNamed, true
	case beside(x) && (y.post != nil || y.rank >= 150) && y.rank >= 60, beside(y) && (x.post != nil || x.rank >= 150) && x.rank >= 60:
		return wayRecord, true
	case x.post != nil && y.post != nil && x.post.obs == y.post.obs:
		return waySource, true
	case beside(x) || beside(y):
		return wayText, true
	}
	return wayFar, w.a.Significant() >= 3 && x.rank >= farRank && y.rank >= farRank
}

// beside reports an operand that the value's sentence states.
func beside(o operand, w *wideSearch) bool { return o.rank >= 150 && o.at >= w.from && o.at < w.to }

// says is 1 where the sentence names an operand: by its key, or because it states it.
func (w *wideSearch) says(o *operand) int {
	if o.rank >= 150 && o.at >= w.from && o.at < w.to || o.post != nil && w.k.named(o.post, w.near) > 0 {
		return 1
	}
	return 0
}

func (w *wideSearch) offer(way int, result float64, how string, used ...operand) {
	if !w.trials.try(way, result) {
		return
	}
	if (how == "sum" || how == "difference" || how == "percentage") && w.a.Significant() < 3 && !w.about && math.Abs(result-w.a.Num) > 1e-9*math.Abs(result) { // 16.4 is not 16
		return
	}
	if additive(how) && w.k.arbitrary(used, w.text[w.from:w.to], w.text) {
		return
	}
	h := hit{how: how, result: result, used: slices.Clone(used)}
	for i := range used {
		h.named += w.says(&used[i])
	}
	w.trials.ways[way].hits = append(w.trials.ways[way].hits, h)
}

// inUnit is an operand in the value's unit, where it is of its dimension.
func (w *wideSearch) inUnit(o operand) (float64, bool) {
	switch u := w.a.Unit; {
	case o.unit == u:
		return o.num, true
	case u != "" && o.unit != "" && u != "%" && atom.SameDimension(o.unit, u):
		return convert(o.num, o.unit, u), true
	}
	return 0, false
}

// pairs tries one step of arithmetic on every two operands that belong together.
func (w *wideSearch) pairs() {
	u, changes := w.a.Unit, w.cue&(cueDifference|cueChange) != 0
	for i := range w.ops {
		for j := range w.ops {
			x, y := w.ops[i], w.ops[j]
			if i == j || x.post != nil && y.post != nil && x.post.obs == y.post.obs && x.post.piece == y.post.piece && x.post.off == y.post.off {
				continue
			}
			way, ok := w.way(&x, &y)
			if !ok {
				continue
			}
			v, inX := w.inUnit(x)
			times := (way == wayGiven || way == wayFar || w.cue&cueProduct != 0) && (x.noun == 0 || y.noun == 0 || x.noun == y.noun)
			alike := x.unit == y.unit || x.unit != "" && y.unit != "" && atom.SameDimension(x.unit, y.unit)
			if m, n, ok := w.terms(x, y); ok {
				if i < j && (!changes || w.cue&cueSum != 0) {
					w.offer(way, m+n, "sum", x, y)
				}
				if changes || way == wayBeside || way == wayFar || way == wayRecord && beside(x, w) || w.says(&x)+w.says(&y) == 2 {
					w.offer(way, m-n, "difference", x, y)
				}
			}
			if y.num != 0 && alike && u == "%" && (x.unit != "" || way <= wayRecord || x.noun == y.noun && x.noun != 0) {
				by := 1.0
				if x.unit != y.unit {
					by = convert(1, x.unit, y.unit)
				}
				n := x.num * by
				if w.trend == noTrend {
					w.offer(way, n/y.num*100, "ratio", x, y)
				}
				if changes && w.trend.goes(y.num, n) {
					w.offer(way, (n-y.num)/y.num*100, "percent_change", x, y)
					w.offer(way, (y.num-n)/y.num*100, "percent_change", x, y)
				}
			}
			if y.num != 0 && (u == "x" || u == "" && w.cue&cueRatio != 0) && alike {
				w.offer(way, x.num/y.num, "ratio", x, y)
			}
			if inX && u != "%" && u != "" && (y.unit == "" || y.unit == "x" || atom.Measures[y.unit].Dim == atom.DimTime && atom.IsCurrency(u)) && y.num != 0 {
				w.offer(way, v/y.num, "ratio", x, y)
				if y.num != 1 && times {
					w.offer(way, v*y.num, "product", x, y)
				}
			}
			if u == "" && x.unit == "" && y.unit == "" && i < j && x.num != 1 && y.num != 1 && times {
				w.offer(way, x.num*y.num, "product", x, y)
			}
			if y.unit == "%" && (inX || x.unit == "" && u == "") && u != "%" {
				w.offer(way, w.orBare(v, inX, x)*y.num/100, "percentage", x, y)
				w.offer(way, w.orBare(v, inX, x)*(1-y.num/100), "percentage", x, y)
				w.offer(way, w.orBare(v, inX, x)*(1+y.num/100), "percentage", x, y)
			}
		}
	}
}

// spans tries the time between two moments: of one record, of the text, or of one and
// the day of asking.
func (w *wideSearch) spans(ops []operand) {
	m := atom.Measures[w.a.Unit]
	if m.Dim != atom.DimTime {
		return
	}
	for i := range ops {
		for j := i + 1; j < len(ops); j++ {
			x, y := sameMoments(ops[i], ops[j])
			if x.unit != y.unit || !momentUnits[x.unit] || x.unit == unitClock && x.ahead != y.ahead || x.num == y.num {
				continue
			}
			gap := math.Abs(x.num - y.num)
			switch x.unit {
			case unitYear:
				gap *= atom.Measures["y"].By
			case unitDay:
				gap *= atom.Measures["d"].By
			}
			if gap /= m.By; w.a.Unit == "y" {
				gap = math.Floor(gap + 1e-3)
			}
			way := wayFar
			switch asked := x.asked || y.asked; {
			case asked && w.cue&cueDifference != 0:
				way = wayNamed
			case asked || x.locus != 0 && x.locus == y.locus || min(x.rank, y.rank) >= 150:
				way = wayRecord
			}
			w.offer(way, gap, "difference", ops[i], ops[j])
		}
	}
}

// chain tries what the text counts up before the value: all of it together, and
// the first less the others: of 32 days, 11 are taken and 3 planned.
func (w *wideSearch) chain() {
	var before []operand
	for i := range w.ops {
		if o := &w.ops[i]; o.rank >= 150 && o.at >= w.from && o.at < w.a.Offset && o.at+len(o.text) > w.from {
			before = append(before, *o)
		}
	}
	slices.SortStableFunc(before, func(a, b operand) int { return a.at - b.at })
	before = slices.CompactFunc(before, func(a, b operand) bool { return a.at == b.at })
	for n := 3; n <= len(before); n++ {
		group := before[len(before)-n:]
		sum, first, ok := 0.0, 0.0, true
		for i := range group {
			v, in := w.inUnit(group[i])
			if !in && (group[i].unit != "" || w.a.Unit == "%") {
				ok = false
				break
			}
			if !in {
				v = group[i].num
			}
			if i == 0 {
				first = v
			}
			sum += v
		}
		if ok {
			w.offer(wayBeside, sum, "sum", group...)
			w.offer(wayBeside, 2*first-sum, "difference", group...)
		}
	}
}

// threes tries the sum of three, and one less two others, of a value with many digits.
func (w *wideSearch) threes() {
	const most = 24
	if w.a.Significant() < 4 || w.a.Unit == "%" {
		return
	}
	var ops []operand
	var vals []float64
	for _, o := range w.ops[:min(len(w.ops), most)] {
		v, in := w.inUnit(o)
		if !in && (o.unit != "" || o.rank < farRank) {
			continue
		}
		if !in {
			v = o.num
		}
		ops, vals = append(ops, o), append(vals, v)
	}
	for i := range ops {
		for j := i + 1; j < len(ops); j++ {
			for n := range ops {
				if n > j {
					w.offer(wayFar, vals[i]+vals[j]+vals[n], "sum", ops[i], ops[j], ops[n])
				}
				if n != i && n != j {
					w.offer(wayFar, vals[n]-vals[i]-vals[j], "difference", ops[n], ops[i], ops[j])
					w.offer(wayFar, vals[i]+vals[j]-vals[n], "difference", ops[i], ops[j], ops[n])
				}
			}
		}
	}
}

// scaled tries an amount of a record for another number than the record is for: a
// recipe for four, wanted for ten.
func (w *wideSearch) scaled() {
	if w.a.Unit == "%" {
		return
	}
	for i := range w.ops {
		y := &w.ops[i]
		if y.post != nil || y.from != nil || y.unit != "" || y.num <= 0 {
			continue
		}
		for j := range w.ops {
			z := &w.ops[j]
			if z.post == nil || z.unit != "" || z.num <= 0 || z.num == 1 || z.num > 100 || z.num != math.Trunc(z.num) || z.num == y.num {
				continue
			}
			for n := range w.ops {
				x := &w.ops[n]
				if v, in := w.inUnit(*x); in && x.post != nil && n != j && (w.says(x) > 0 || x.rank > 12) {
					w.offer(wayGiven, v*y.num/z.num, "proportion", *x, *y, *z)
				}
			}
		}
	}
}

// terms are two operands as the terms of a sum: in the value's unit; both without one;
// one of them without, in a measure that is not the other's by accident.
func (w *wideSearch) terms(x, y operand) (m, n float64, ok bool) {
	u := w.a.Unit
	m, inX := w.inUnit(x)
	n, inY := w.inUnit(y)
	lends := atom.Measures[u].Dim == atom.DimTime
	switch {
	case u == "x":
		return 0, 0, false
	case inX && inY:
		return m, n, true
	case x.unit == y.unit && (x.noun == 0 || y.noun == 0 || x.noun == y.noun || atom.OtherScript(x.noun, y.noun)) && (x.unit == "" && u != "%" || u == "" && x.unit != "%" || u == "pp" && x.unit == "%"):
		return x.num, y.num, true
	case lends && inX && y.unit == "" && y.noun == 0:
		return m, y.num, true
	case lends && inY && x.unit == "" && x.noun == 0:
		return x.num, n, true
	}
	return 0, 0, false
}

func (w *wideSearch) orBare(v float64, in bool, x operand) float64 {
	if in {
		return v
	}
	return x.num
}

// named tries the sum of all members of one object that the sentence names: wind and
// solar together.
func (w *wideSearch) named(said lang.Words) {
	for i := range w.ops {
		x := &w.ops[i]
		if x.post == nil || x.locus == 0 || w.k.named(x.post, said) == 0 {
			continue
		}
		sum, used := 0.0, []operand(nil)
		for j := range w.ops {
			y := &w.ops[j]
			if y.post != nil && y.locus == x.locus && y.unit == x.unit && w.k.named(y.post, said) > 0 && !slices.ContainsFunc(used, func(o operand) bool { return o.post.piece == y.post.piece }) {
				if j < i {
					sum = math.NaN() // tried already
				}
				sum += y.num
				used = append(used, *y)
			}
		}
		if len(used) >= 2 && (x.unit == w.a.Unit || x.unit == "") {
			w.offer(wayNamed, sum, "sum", used...)
		}
	}
}
