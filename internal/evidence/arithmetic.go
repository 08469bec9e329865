package evidence

import (
	"math"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// calculation searches for the arithmetic that yields one value.
type calculation struct {
	a       *atom.Atom
	half    float64
	ops     []operand
	digits  int
	cue     uint16
	found   bool
	how     string
	used    []operand
	result  float64 // before it was rounded to the value; 0 where it is not known
	trust   int     // of what was found: the higher rank wins
	per     per     // what the value is for each of
	windows bool    // operands are runs of neighbours in the text

	trend     trend                     // which way the clause says that it went
	arbitrary func(used []operand) bool // rows of a list that nothing picks out
}

const (
	cueSum = 1 << iota
	cueDifference
	cueRatio
	cueProduct
	cueMean
	cueChange
	cueSquare
)

var cueWords = []struct {
	cue  uint16
	text string
}{
	{cueDifference, "below"}, {cueDifference, "above"}, {cueDifference, "over "}, {cueDifference, "minus"}, {cueDifference, "leave"}, {cueDifference, "leaving"}, {cueDifference, "too much"}, {cueDifference, "falls"}, {cueDifference, "rises"}, {cueDifference, "超"}, {cueDifference, "clear of"}, {cueDifference, "available"},
	{cueDifference, "open for"}, {cueDifference, "from now"}, {cueDifference, "until"}, {cueDifference, "overdue"}, {cueDifference, "to go"}, {cueDifference, "还有"}, {cueDifference, "已经"}, {cueDifference, "至今"}, {cueDifference, "距"}, {cueRatio | cueDifference, "margin"}, {cueRatio | cueDifference, "毛利率"}, {cueRatio, "relative"}, {cueRatio, "rate"}, {cueRatio, "makes up"}, {cueRatio, "make up"}, {cueRatio, "made up"}, {cueRatio, "均"}, {cueRatio, "ctr"}, {cueRatio, "cpc"}, {cueRatio, "cpa"}, {cueRatio, "cpm"}, {cueRatio, "roas"}, {cueRatio, "roi"}, {cueRatio, "conversion"}, {cueProduct, "multipl"}, {cueProduct, "scale"}, {cueSum, "including"}, {cueSum, "come to"}, {cueChange, "discount"}, {cueChange, " off"}, {cueChange, "reduc"},
	{cueDifference, "ahead"}, {cueDifference, "behind"}, {cueDifference, "too few"}, {cueDifference, "too many"}, {cueDifference, "short"}, {cueDifference, "高"}, {cueDifference, "低"}, {cueDifference, "快"}, {cueDifference, "慢"}, {cueProduct, "market cap"}, {cueProduct, "capitali"}, {cueProduct, "市值"}, {cueProduct, "利息"}, {cueProduct, "interest"}, {cueProduct, "twice"}, {cueProduct, "return"}, {cueProduct, "往返"}, {cueProduct, "diameter"}, {cueProduct, "together"}, {cueProduct, "in all"}, {cueSum, "in all"}, {cueSum, "add up"}, {cueSum, "adds up"}, {cueMean, "median"}, {cueMean, "中位数"}, {cueSum, "total"}, {cueSum, "together"}, {cueSum, "sum"}, {cueSum, "combined"}, {cueSum, "altogether"}, {cueSum, "合计"}, {cueSum, "一共"}, {cueSum, "总"}, {cueSum, "共"}, {cueSum, "加起来"},
	{cueDifference, "differ"}, {cueDifference, "more"}, {cueDifference, "less"}, {cueDifference, "cheaper"}, {cueDifference, "expensive"}, {cueDifference, "increase"}, {cueDifference, "decrease"}, {cueDifference, "gap"},
	{cueDifference, "higher"}, {cueDifference, "warmer"}, {cueDifference, "colder"}, {cueDifference, "cooler"}, {cueDifference, "hotter"}, {cueDifference, "lower"}, {cueDifference, "older"}, {cueDifference, "younger"}, {cueDifference, "saving"}, {cueDifference, "save"}, {cueDifference, "remain"}, {cueDifference, "left"},
	{cueDifference, " old"}, {cueDifference, " age"}, {cueDifference, "later"}, {cueDifference, "after"}, {cueDifference, "before"}, {cueDifference, "earlier"}, {cueDifference, "ago"}, {cueDifference, "rose"}, {cueDifference, "fell"}, {cueDifference, "points"}, {cueDifference, "improve"}, {cueDifference, "narrow"}, {cueDifference, "widen"}, {cueDifference, "up "}, {cueDifference, "down "}, {cueDifference, "longer"}, {cueDifference, "shorter"}, {cueDifference, "fewer"}, {cueDifference, "lead"}, {cueDifference, "差"}, {cueDifference, "多"}, {cueDifference, "少"}, {cueDifference, "便宜"}, {cueDifference, "贵"}, {cueDifference, "剩"},
	{cueRatio, "ratio"}, {cueRatio, "times"}, {cueRatio, "per "}, {cueRatio, "share"}, {cueRatio, "percent"}, {cueRatio, "each"}, {cueRatio, " per"}, {cueRatio, "for "}, {cueRatio, "which is"}, {cueRatio, "a month"}, {cueRatio, "a year"}, {cueRatio, "a day"}, {cueRatio, "monthly"}, {cueRatio, "of which"}, {cueRatio, "of revenue"}, {cueRatio, "倍"}, {cueRatio, "占"}, {cueRatio, "比例"}, {cueRatio, "每"},
	{cueProduct, "cost"}, {cueProduct, "convert"}, {cueProduct, "rate"}, {cueProduct, "for "}, {cueProduct, "total"}, {cueProduct, "worth"}, {cueProduct, "equal"}, {cueProduct, "that is"}, {cueProduct, "comes to"}, {cueProduct, "each"}, {cueProduct, " per "}, {cueProduct, "times"}, {cueProduct, "need"}, {cueProduct, " a day"}, {cueProduct, " a week"}, {cueProduct, " a month"}, {cueProduct, " a year"}, {cueProduct, "折合"}, {cueProduct, "约合"}, {cueProduct, "共"},
	{cueSum, " of "}, {cueMean, "average"}, {cueMean, "mean"}, {cueMean, "平均"}, {cueMean | cueRatio, "场均"}, {cueMean | cueRatio, "人均"}, {cueMean | cueRatio, "日均"}, {cueMean | cueRatio, "月均"},
	{cueChange, "grew"}, {cueChange | cueDifference, "grown"}, {cueChange, "rise"}, {cueChange, "rose"}, {cueChange, "growth"}, {cueChange, "increase"}, {cueChange, "decrease"}, {cueChange, "fell"}, {cueChange, "drop"}, {cueChange, "decline"}, {cueChange, "change"},
	{cueChange, "discount"}, {cueChange | cueDifference, " off"}, {cueChange, "instead of"}, {cueChange, "up "}, {cueChange, "down "}, {cueChange, "增"}, {cueChange, "降"}, {cueChange, "涨"}, {cueChange, "跌"}, {cueChange, "lower"}, {cueChange, "higher"}, {cueChange, "cheaper"},
}

// cueBuckets holds the cue words by their first two bytes: a sentence is read
// once, and not once for each word.
var cueBuckets = func() (buckets [1024][]int) {
	for i, w := range cueWords {
		at := cueBucket(w.text[0], w.text[1])
		buckets[at] = append(buckets[at], i)
	}
	return
}()

func cueBucket(a, b byte) int { return (int(a)*31 + int(b)) & 1023 }

func cues(s string) uint16 {
	s = lang.LowerASCII(s)
	var c uint16
	if strings.IndexByte(s, '%') >= 0 {
		c = cueRatio
	}
	for i := 0; i+1 < len(s); i++ {
		for _, n := range cueBuckets[cueBucket(s[i], s[i+1])] {
			if w := &cueWords[n]; strings.HasPrefix(s[i:], w.text) {
				c |= w.cue
			}
		}
	}
	return c
}

// cuesOf is the cues of a sentence, read once for the values of it.
func (k *linker) cuesOf(sentence string) uint16 {
	if sentence != k.cued {
		k.cued, k.cues = sentence, cues(sentence)
	}
	return k.cues
}

// offer notes a result, where it is the value and likelier than what was found before.
func (c *calculation) offer(result float64, how string, cue uint16, used ...operand) {
	if math.Abs(result-c.a.Num) > c.half && math.Abs(result-c.a.Num) > math.Abs(c.a.Num)*1e-12 {
		return
	}
	if c.per.times > 0 && how == "percentage" && used[0].per != c.per && used[1].per != c.per { // a price per day is no share of a sum
		return
	}
	weakest, strongest, sum, locus := used[0].rank, used[0].rank, 0, used[0].locus
	for _, o := range used {
		weakest, strongest = min(weakest, o.rank), max(strongest, o.rank)
		sum += o.rank
		if o.locus != locus {
			locus = 0
		}
	}
	if strongest < 150 && c.cue&cue == 0 {
		locus = 0 // two numbers of one sentence say nothing where the text names neither
	}
	if c.chance(weakest, used, cue&c.cue != 0, locus) {
		return
	}
	// A copy, so that the operands of all the offers that fail need no memory.
	if (additive(how) || how == "ratio") && c.arbitrary(slices.Clone(used)) {
		return
	}
	trust := sum/len(used) - 10*len(used)
	if cue&c.cue != 0 {
		trust += 30
	}
	if !c.found || trust > c.trust {
		c.found, c.how, c.trust, c.result = true, how, trust, result
		c.used = append([]operand(nil), used...)
	}
}

// additive reports arithmetic that adds up operands of one kind.
func additive(how string) bool {
	return how == "sum" || how == "mean" || how == "sum_product" || how == "sum_ratio"
}

// chance reports whether operands of a rank would hit the value by accident:
// the share of numbers that round to it, times the combinations of so many
// operands as rank as high. A word that names the arithmetic, and operands that
// stand in the text itself, are evidence against chance. Operands of one
// sentence or record (locus) are only compared with each other.
func (c *calculation) chance(rank int, used []operand, named bool, locus uint64) bool {
	m, n := 0, len(used)
	for i := range c.ops {
		if o := &c.ops[i]; o.rank >= rank && (locus == 0 || o.locus == locus) && combines(o, used) {
			m++
		}
	}
	if named && rank >= 150 && m == 2 && n == 2 { // 23.9 of at most 24: 0.1 is left
		return false
	}
	trials := float64(m*(m-1)) * 3
	switch {
	case c.windows: // runs of neighbours: there are few
		trials = float64(m * m)
	case n > 2:
		trials *= float64(m)
	}
	if named {
		if trials /= 3; n == 2 && used[0].unit == used[1].unit && c.a.Unit == used[0].unit { // a sum or a difference: the order is given
			trials /= 2
		}
	}
	allowed := .02
	switch {
	case rank >= 150 && named:
		allowed = 1
	case named:
		allowed = .25
	case rank >= 150:
		allowed = .1
	}
	return trials*2*c.half/math.Abs(c.a.Num) > allowed
}

// combines reports an operand that could stand for one of those used.
func combines(o *operand, used []operand) bool {
	for i := range used {
		if used[i].unit == o.unit {
			return true
		}
	}
	return false
}

// pairs tries one step of arithmetic on every two operands.
func (c *calculation) pairs(ops []operand) {
	u := c.a.Unit
	for i := range ops {
		for j := range ops {
			if i == j {
				continue
			}
			x, y := ops[i], ops[j]
			same := x.unit == y.unit || x.lends(y) || y.lends(x)
			if i < j && same && (x.unit == u || u == "" || x.unit == "" && u != "%") {
				c.offer(x.num+y.num, "sum", cueSum, x, y)
				if x.locus == y.locus && x.key+y.key == "" || min(x.rank, y.rank) >= 150 || x.key != "" && x.key == y.key {
					c.offer((x.num+y.num)/2, "mean", cueMean, x, y)
				}
			}
			if same && (x.unit == u || y.unit == u || u == "" || x.unit == "" && u != "%" && (atom.IsCurrency(u) || x.noun == 0 && y.noun == 0) || x.unit == "%" && u == "pp") {
				c.offer(x.num-y.num, "difference", cueDifference, x, y)
			}
			if c.digits > 1 && x.locus != 0 && x.locus == y.locus && amountKeys[plainKey(x.key)] && moneyKeys[lastKeyWord(y.key)] && y.unit == u && x.unit == "" {
				c.accept(x.num*y.num, "product", x, y) // the line of a bill
			}
			if i < j && productUnit(x.unit, y.unit, u) {
				c.offer(x.num*y.num, "product", cueProduct, x, y)
			}
			if x.unit == "%" && (y.unit == u || u == "" || y.unit == "" && atom.IsCurrency(u)) && u != "%" {
				c.offer(x.num*y.num/100, "percentage", cueRatio|cueProduct|cueDifference, x, y)
				c.offer(y.num*(1-x.num/100), "percentage", cueRatio|cueDifference|cueProduct, x, y)
				c.offer(y.num*(1+x.num/100), "percentage", cueRatio|cueSum|cueProduct, x, y)
			}
			if y.num == 0 {
				continue
			}
			if u == "%" && same && x.unit != "%" { // a share of a share is spoken of as one
				if c.trend == noTrend { // "grew 80%" is no share
					c.offer(x.num/y.num*100, "ratio", cueRatio, x, y)
				}
				if c.trend.goes(y.num, x.num) {
					c.offer((x.num-y.num)/y.num*100, "percent_change", cueChange|cueDifference, x, y)
					c.offer((y.num-x.num)/y.num*100, "percent_change", cueChange|cueDifference, x, y)
				}
			}
			if same && (u == "" || u == "x") || y.unit == "" && x.unit == u && u != "%" || atom.IsCurrency(x.unit) && atom.IsCurrency(u) && y.unit == "" {
				c.offer(x.num/y.num, "ratio", cueRatio|cueProduct, x, y)
			}
		}
	}
	if atom.IsCurrency(u) {
		for _, x := range ops { // 1 EUR is 11.62 SEK, and 1 SEK is 0.0861 EUR
			if rate := x.unit == "" && lastKeyWord(x.key) == "rate"; x.num > 0 && (rate || x.rank >= 150 && atom.IsCurrency(x.unit) && x.unit != u) {
				c.offer(1/x.num, "ratio", cueRatio|cueProduct, x, x)
			}
		}
	}
	for _, x := range ops { // a percentage's complement
		if x.unit == "%" && c.a.Unit == "%" && x.rank >= 150 {
			c.offer(100-x.num, "difference", cueDifference, x, x)
		}
	}
}

// lends reports an operand whose unit the other one, a bare number beside it in
// a text, is in as well: 12.1 g/dL (13.5-17.5).
func (x operand) lends(y operand) bool {
	return x.unit != "" && !momentUnits[x.unit] && y.unit == "" && y.noun == 0 && x.locus != 0 && x.locus == y.locus && y.post != nil && y.post.unit == 0 && y.key == ""
}

// productUnit reports whether a product of two units may have the unit u.
func productUnit(a, b, u string) bool {
	if a == "" || a == "x" || b != "" && b != "x" && b != "d" && b != "mo" && b != "h" && b != "kg" && b != "km" && b != "kWh" && b != "L" && b != "y" {
		a, b = b, a
	}
	switch {
	case u == "%" || a == "%" || b == "%":
		return false
	case b == "" || b == "x":
		return a == u || u == "" || a == "" && b == "" || atom.IsCurrency(a) && atom.IsCurrency(u)
	case atom.IsCurrency(a) && a == u: // a price per hour, day, kilogram
		return !atom.IsCurrency(b) && b != "%"
	}
	return false
}

// factors reports whether a price times two factors would hit the value by
// accident less often than not: there are as many such products as prices
// times pairs of factors.
func (c *calculation) factors(rank int) bool {
	prices, factors := 0, 0
	for i := range c.ops {
		if o := &c.ops[i]; o.rank >= rank {
			if o.unit == c.a.Unit {
				prices++
			} else if plainFactor(*o) {
				factors++
			}
		}
	}
	allowed := .02
	if c.cue&(cueProduct|cueSum) != 0 {
		allowed = .25
	}
	return float64(prices*factors*(factors-1)/2)*2*c.half/math.Abs(c.a.Num) <= allowed
}

// shares reports whether a percentage of an amount, for a part of the year,
// would hit the value by accident less often than not.
func (c *calculation) shares() bool {
	shares, amounts := 0, 0
	for i := range c.ops {
		switch o := &c.ops[i]; {
		case o.rank < 60:
		case o.unit == "%":
			shares++
		case o.unit == c.a.Unit:
			amounts++
		}
	}
	return c.cue&(cueProduct|cueRatio) != 0 && float64(shares*amounts)*2*c.half/math.Abs(c.a.Num) <= .25
}

// accept notes a result whose chance has been weighed.
func (c *calculation) accept(result float64, how string, used ...operand) {
	if !c.found && math.Abs(result-c.a.Num) <= c.half {
		c.found, c.how, c.result, c.used = true, how, result, append([]operand(nil), used...)
	}
}

// squares tries what the text says is per square: a body-mass index from
// kilograms and metres, and back.
func (c *calculation) squares(ops []operand) {
	if c.cue&cueSquare == 0 {
		return
	}
	for _, y := range ops {
		m := atom.Measures[y.unit]
		if m.Dim != atom.DimLength || y.num == 0 {
			continue
		}
		area := y.num * m.By * y.num * m.By
		for _, x := range ops {
			switch own := atom.Measures[x.unit]; {
			case own.Dim == atom.DimMass && c.a.Unit == "":
				c.accept(x.num*own.By/area, "ratio", x, y)
			case x.unit == "" && atom.Measures[c.a.Unit].Dim == atom.DimMass:
				c.accept(x.num*area/atom.Measures[c.a.Unit].By, "product", x, y)
			}
		}
	}
}

// plainFactor reports a small whole number to multiply with: of people, nights, years.
func plainFactor(o operand) bool {
	return (o.unit == "" || atom.Measures[o.unit].Dim == atom.DimTime) && o.num == math.Trunc(o.num) && o.num >= 2 && o.num <= 100
}

// splitUnit writes a unit of speed as what it is made of.
func splitUnit(u string) string {
	if u == "mph" {
		return "mi/h"
	}
	return u
}

// convert brings a value from one unit to another of its dimension.
func convert(v float64, from, to string) float64 {
	if from == to {
		return v
	}
	m, n := atom.Measures[from], atom.Measures[to]
	if m.By == 0 || n.By == 0 {
		return v
	}
	return (v*m.By + m.Off - n.Off) / n.By
}

// scaled tries a value times the ratio of two that count the same: a recipe for
// four, wanted for six.
func (c *calculation) scaled(ops []operand) {
	tried := 0
	var hit []operand
	sure := false
	for i, y := range ops {
		for j, z := range ops {
			counted := y.noun != 0 && y.noun == z.noun || y.heads() && z.heads()
			if y.unit == "%" || atom.IsCurrency(y.unit) || c.a.Unit == "%" || atom.Measures[y.unit].Dim == atom.DimTemperature {
				continue
			}
			if i == j || !counted && y.unit == "" || y.unit != z.unit || z.num == 0 || y.num == z.num {
				continue
			}
			for k, x := range ops {
				if !counted && (x.locus == 0 || x.locus != z.locus || y.rank < 60) { // 1 litre covers 12 m²: and 84 m²?
					continue
				}
				if k == i || k == j || x.unit == "" || x.unit != c.a.Unit && !atom.SameDimension(x.unit, c.a.Unit) {
					continue
				}
				tried++
				x.num = convert(x.num, x.unit, c.a.Unit)
				if hit == nil && math.Abs(x.num*y.num/z.num-c.a.Num) <= c.half {
					hit, sure = []operand{x, y, z}, counted
				}
			}
		}
	}
	if hit != nil && (sure || float64(tried)*2*c.half/math.Abs(c.a.Num) <= .25) {
		c.found, c.how, c.used, c.result = true, "proportion", hit, hit[0].num*hit[1].num/hit[2].num
	}
}

// headWords are who a recipe, a table or a dose is for, and so many of them.
var headWords = lang.Set("people person persons guest guests adults serves serving servings portion portions diners heads 人 人数 人份 份 份数 位")

// headNouns is headWords as the nouns of operands.
var headNouns = sync.OnceValue(func() map[uint32]bool {
	nouns := map[uint32]bool{}
	for w := range headWords {
		nouns[atom.NounHash(w)] = true
	}
	return nouns
})

// heads reports a number of those whom something is for: 6 people, serves: 4.
func (x operand) heads() bool {
	return x.noun != 0 && headNouns()[x.noun] || x.key != "" && headWords[lastKeyWord(x.key)]
}

// many tries sums and means of three operands and more.
func (c *calculation) many(ops []operand) {
	u := c.a.Unit
	var group []operand
	for _, o := range ops {
		if o.unit != u && c.cue&cueMean != 0 && c.digits > 1 && atom.Measures[u].Dim == atom.DimTime && atom.SameDimension(o.unit, u) {
			o.num, o.unit = convert(o.num, o.unit, u), u
		}
		if o.unit == u && o.rank >= 90 {
			group = append(group, o)
		}
	}
	sort.SliceStable(group, func(i, j int) bool { return group[i].at < group[j].at })
	c.windows = true
	for n := 3; n <= min(len(group), 12); n++ {
		for s := 0; s+n <= len(group); s++ {
			sum := 0.0
			for _, o := range group[s : s+n] {
				sum += o.num
			}
			c.offer(sum, "sum", cueSum, group[s:s+n]...)
			if c.cue&cueMean != 0 {
				c.offer(sum/float64(n), "mean", cueMean, group[s:s+n]...)
			}
		}
	}
	c.windows = false
	group = group[:min(len(group), 8)]
	for i := range group {
		for j := i + 1; j < len(group); j++ {
			for k := j + 1; k < len(group); k++ {
				sum := group[i].num + group[j].num + group[k].num
				c.offer(sum, "sum", cueSum, group[i], group[j], group[k])
				if c.cue&cueMean != 0 {
					c.offer(sum/3, "mean", cueMean, group[i], group[j], group[k])
				}
			}
		}
	}
}

// twoSteps tries a product and a sum, and a sum or a difference times a rate.
func (c *calculation) twoSteps(ops []operand) {
	if c.digits < 2 {
		return
	}
	c.squares(ops)
	var top []operand
	for _, o := range ops {
		if o.rank >= 60 || o.rank == calendarRank {
			top = append(top, o)
		}
	}
	top = top[:min(len(top), 10)]
	u := c.a.Unit
	for i, x := range top {
		for j, y := range top {
			if i == j {
				continue
			}
			for k, z := range top {
				if k == i || k == j {
					continue
				}
				if x.unit == "%" && y.unit == u && atom.IsCurrency(u) && z.rank == calendarRank && z.num > 1 { // a year's interest, in a month
					if c.shares() {
						c.accept(x.num/100*y.num/z.num, "percentage", x, y, z)
					}
				}
				if j < k && x.unit == y.unit && y.unit == z.unit && (x.unit == u || u == "") && u != "%" {
					c.offer(x.num-y.num-z.num, "difference", cueDifference, x, y, z)
				}
				if c.digits > 2 && productUnit(x.unit, y.unit, u) && (z.unit == u || z.unit == "") {
					c.offer(x.num*y.num+z.num, "product_sum", cueSum|cueProduct, x, y, z)
					c.offer(x.num*y.num-z.num, "product_difference", cueDifference, x, y, z)
				}
				if c.digits > 2 && i < j && z.num != 0 && z.unit == "" && (x.unit == u || y.unit == u || x.unit == "" || y.unit == "") && u != "%" {
					c.offer(x.num*y.num/z.num, "product_ratio", cueProduct|cueRatio, x, y, z)
				}
				if j < k && x.unit == u && u != "" && u != "%" && plainFactor(y) && plainFactor(z) && c.factors(min(x.rank, y.rank, z.rank)) {
					c.accept(x.num*y.num*z.num, "product", x, y, z)
				}
				if x.unit == "%" && y.unit == u && u != "%" && plainFactor(z) {
					c.offer(x.num/100*y.num*z.num, "percentage", cueProduct, x, y, z)
				}
				if c.digits < 3 || x.unit != y.unit || z.num == 0 {
					continue
				}
				if i < j && productUnit(x.unit, z.unit, u) {
					c.offer((x.num+y.num)*z.num, "sum_product", cueSum|cueProduct, x, y, z)
				}
				if productUnit(x.unit, z.unit, u) {
					c.offer((x.num-y.num)*z.num, "difference_product", cueDifference|cueProduct, x, y, z)
				}
				if z.unit == "" && (x.unit == u || u == "") || atom.IsCurrency(x.unit) && atom.IsCurrency(u) && z.unit == "" {
					c.offer((x.num+y.num)/z.num, "sum_ratio", cueSum|cueMean|cueProduct, x, y, z)
				}
				if u == "%" && z.unit == x.unit {
					c.offer((x.num-y.num)/z.num*100, "ratio", cueRatio|cueChange, x, y, z)
					c.offer((x.num+y.num)/z.num*100, "ratio", cueRatio, x, y, z)
				}
			}
		}
	}
}
