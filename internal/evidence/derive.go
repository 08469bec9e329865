package evidence

import (
	"math"
	"slices"
	"sort"
	"strings"
)

// near derives a value by rounding or conversion from one that an observation
// states, or that was given.
func (k *linker) near(l *Link, near words, sentence string) bool {
	a := &l.Atom
	v, _, m := base(a.num, a.grain, a.Unit)
	half := a.coarse(saysAbout(sentence)) * m.by * .5 * (1 + 1e-9)
	var found []candidate
	try := func(unit string, p *posting) {
		w, g, _ := base(p.num, float64(p.grain), unit)
		if int(k.index.obs[p.obs].step) >= k.limit || math.Abs(w-v) > half || g > 2*half && unit == a.Unit || w == v && unit == a.Unit {
			return
		}
		f := k.fitPosting(a, p)
		if unit != a.Unit && m.dim != dimNone && sameDimension(unit, a.Unit) {
			f = 3
		}
		if f > 0 {
			found = append(found, candidate{p: p, fit: f})
		}
	}
	for _, unit := range k.units(a.Unit, m) {
		n := measures[unit]
		by, off := 1.0, 0.0
		if n.by != 0 {
			by, off = n.by, n.off
		}
		low, high := (v-half-off)/by, (v+half-off)/by
		k.index.between(low, high, func(p *posting) bool {
			if unitNames[p.unit] == unit {
				try(unit, p)
			}
			return len(found) < maxCandidates
		})
	}
	found = k.choose(a, found, near)
	kept := found[:0]
	for _, c := range found {
		if c.score >= 2 || c.score >= 1 && significant(a) >= 2 || significant(a) >= 4 {
			kept = append(kept, c)
		}
	}
	if len(kept) > 0 {
		l.State, l.How = Derived, "rounded"
		for _, c := range kept {
			if unitNames[c.p.unit] != a.Unit && sameDimension(unitNames[c.p.unit], a.Unit) {
				l.How = "converted"
			}
			if n := len(l.Observations); n < 8 {
				k.source(l, c.p)
				if len(l.Observations) > n {
					l.Operands = append(l.Operands, k.index.text(c.p))
				}
			}
		}
		return true
	}
	given := k.given.numbers()
	for i := range given {
		g := &given[i]
		if !g.Numeric() {
			continue
		}
		w, gr, _ := base(g.num, g.grain, g.Unit)
		if sameDimension(g.Unit, a.Unit) && math.Abs(w-v) <= half && gr <= 2*half && (g.Unit != a.Unit || a.Unit != "") {
			l.State, l.How, l.Given = Derived, "rounded", true
			if g.Unit != a.Unit {
				l.How = "converted"
			}
			l.Operands = append(l.Operands, g.Text)
			return true
		}
	}
	return false
}

// units lists the units that a value in unit may have been converted from: its
// own first, then those of its dimension, and none.
func (k *linker) units(unit string, m measure) []string {
	out := []string{unit}
	if m.dim != dimNone {
		for _, u := range unitNames {
			if u != unit && measures[u].dim == m.dim {
				out = append(out, u)
			}
		}
	}
	if unit != "" {
		out = append(out, "")
	}
	return out
}

func saysAbout(s string) bool {
	s = lower(s)
	for _, w := range [...]string{"about", "around", "roughly", "approximately", "nearly", "almost", "over ", "more than", "some ", "approx", "~", "≈", "circa", "约", "近", "左右", "超过", "大概", "将近", "多"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// operand is a number that a value may have been calculated from.
type operand struct {
	num   float64
	grain float64
	unit  string
	noun  uint32
	text  string
	rank  int      // the higher, the likelier: 100 and more stand in the same text
	at    int      // place in the text, for the order of operands
	post  *posting // nil where it was given
	locus uint64   // of the sentence or the record that it stands in; 0 where it was given
}

const maxOperands = 20

// calendar holds the numbers that everybody knows, with the words that call for them.
var calendar = []struct {
	num  float64
	text string
	cues []string
}{
	{12, "12 months", []string{"per year", "a year", "annual", "yearly", "per month", "a month", "monthly", "dozen", "每年", "每月", "年费"}},
	{52, "52 weeks", []string{"per year", "a year", "annual", "yearly", "weekly", "a week", "每周"}},
	{365, "365 days", []string{"per year", "a year", "annual", "yearly", "daily", "a day", "每天", "每日"}},
	{7, "7 days", []string{"weekly", "per week", "a week", "每周"}},
	{30, "30 days", []string{"per month", "a month", "monthly", "每月"}},
	{100, "100", []string{"per 100", "/100", "百公里", "每百"}},
	{24, "24 hours", []string{"per day", "a day", "daily", "hourly", "每天"}},
	{60, "60", []string{"per minute", "per hour", "an hour", "a minute"}},
}

// operands are the numbers of the text that are carried, then those that the
// agent calculated with, then those of observations on the same subject.
func (k *linker) operands(l *Link, near words, sentence string, from, to int, links []Link) []operand {
	var out []operand
	var beside []uint64
	add := func(o operand) {
		for i := range out {
			if out[i].num == o.num && out[i].unit == o.unit {
				if o.rank > out[i].rank {
					out[i].rank = o.rank
				}
				if out[i].post == nil && o.rank >= 90 {
					out[i].post = o.post
				}
				return
			}
		}
		out = append(out, o)
	}
	for i := range links {
		o := &links[i]
		if o.Atom.Offset >= from && o.Atom.Offset < to && o != l && (o.Atom.Numeric() || o.Atom.Kind == KindDate || o.Atom.Kind == KindIdentifier) {
			beside = append(beside, keyOf(&o.Atom))
		}
		if o != l && (o.State == Carried || o.State == Derived) && o.Atom.Kind == KindDate {
			if d, unit, ok := dateOperand(o.Atom.Value); ok {
				use := operand{num: d, grain: 1, unit: unit, text: o.Atom.Text, rank: 200, at: o.Atom.Offset}
				if len(o.posts) > 0 && o.posts[0] >= 0 {
					use.post = &k.index.posts[o.posts[0]]
				}
				add(use)
			}
		}
		if o == l || o.State != Carried && o.State != Derived || !o.Atom.Numeric() || o.Atom.Unit == "th" {
			continue
		}
		rank := 200
		if o.Given {
			rank = 150
		}
		use := operand{noun: nounKey(o.Atom.noun), num: o.Atom.num, grain: o.Atom.grain, unit: o.Atom.Unit, text: o.Atom.Text, rank: rank, at: o.Atom.Offset}
		if len(o.posts) > 0 && o.posts[0] >= 0 {
			use.post = &k.index.posts[o.posts[0]]
		}
		add(use)
		if p := use.post; p != nil && o.How == "rounded" { // or of what was rounded
			add(operand{num: p.num, grain: float64(p.grain), unit: unitNames[p.unit], text: k.index.text(p), rank: rank - 10, at: o.Atom.Offset, post: p})
		}
	}
	given := k.given.numbers()
	for i := range given {
		if g := &given[i]; g.Numeric() && g.Unit != "th" {
			add(operand{num: g.num, grain: g.grain, unit: g.Unit, noun: nounKey(g.noun), text: g.Text, rank: 60})
		}
	}
	for _, c := range calendar {
		if containsAny(sentence, c.cues) {
			add(operand{num: c.num, grain: 1, text: c.text, rank: 60})
		}
	}
	if k.calculated != nil {
		k.hints, k.calculated = k.calculated(), nil
	}
	for i := range k.hints {
		h := &k.hints[i]
		if p := k.posting(h); p != nil || k.given.states(h) != nil {
			add(operand{num: h.num, grain: h.grain, unit: h.Unit, text: h.Text, rank: 90, post: p})
		}
	}
	k.addRelated(near, beside, add)
	sort.SliceStable(out, func(i, j int) bool { return out[i].rank > out[j].rank })
	if len(out) > maxOperands {
		out = out[:maxOperands]
	}
	for i := range out {
		if p := out[i].post; p != nil {
			out[i].locus = k.index.locus(p)
		}
	}
	return out
}

// Units of dates as operands: they can only be taken from each other.
const (
	unitYear = "year of"
	unitDay  = "day of"
)

// dateOperand is a year, or a day as a number of days, to calculate with.
func dateOperand(iso string) (float64, string, bool) {
	if len(iso) == 4 {
		return float64(atoi(iso)), unitYear, atoi(iso) > 0
	}
	if len(iso) >= 10 && iso[4] == '-' && isDigit(iso[0]) {
		n, _, ok := dayNumber(iso)
		return float64(n), unitDay, ok
	}
	return 0, "", false
}

// dates tries the time between two dates.
func (c *calculation) dates(ops []operand) {
	for i, x := range ops {
		for _, y := range ops[i+1:] {
			if x.unit != y.unit {
				continue
			}
			gap := math.Abs(x.num - y.num)
			switch {
			case x.unit == unitYear && (c.a.Unit == "y" || c.a.Unit == ""):
				c.offer(gap, "difference", cueDifference|cueChange, x, y)
			case x.unit == unitDay && c.a.Unit == "d":
				c.offer(gap, "difference", cueDifference|cueChange, x, y)
			case x.unit == unitDay && c.a.Unit == "wk":
				c.offer(math.Round(gap/7), "difference", cueDifference|cueChange, x, y)
			case x.unit == unitDay && c.a.Unit == "y":
				c.offer(math.Floor(gap/365.2425), "difference", cueDifference|cueChange, x, y)
			}
		}
	}
}

// locus identifies the sentence of a text, or the record, that a posting stands in.
func (x *index) locus(p *posting) uint64 {
	pc := &x.obs[p.obs].pieces[p.piece]
	from := 0
	if len(pc.text) > 40 {
		from, _ = sentence(pc.text, int(p.off), int(p.off+p.length))
		return uint64(p.obs+1)<<40 | uint64(p.piece+1)<<24 | uint64(from)&0xffffff
	}
	return uint64(p.obs+1) << 40
}

// posting is the first posting that states a.
func (k *linker) posting(a *Atom) *posting {
	var first *posting
	k.index.find(keyOf(a), func(p *posting) bool {
		if int(k.index.obs[p.obs].step) < k.limit && !p.coarse && k.fitPosting(a, p) > 0 {
			first = p
			return false
		}
		return true
	})
	return first
}

// addRelated adds the numbers of observations whose sentences share words with
// the value's sentence or with the question. Those beside another value of the
// value's sentence (the year, the order's number) come first.
func (k *linker) addRelated(near words, beside []uint64, add func(operand)) {
	k.index.related(near, k.question, func(i int32) bool {
		p := &k.index.posts[i]
		if int(k.index.obs[p.obs].step) >= k.limit || !Kinds[p.kind].numeric() || unitNames[p.unit] == "th" {
			return true
		}
		ctx := k.index.context(p)
		if s := 2*near.shared(ctx) + k.question.shared(ctx); s >= 2 {
			rank := min(s, 50)
			if k.index.besides(p, beside) {
				rank += 60
			}
			add(operand{num: p.num, grain: float64(p.grain), unit: unitNames[p.unit], noun: p.noun, text: k.index.text(p), rank: rank, post: p})
		}
		return true
	})
}

// besides reports whether one of the values stands in the posting's sentence or record.
func (x *index) besides(p *posting, keys []uint64) bool {
	if len(keys) == 0 {
		return false
	}
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	from, to := sentence(pc.text, int(p.off), int(p.off+p.length))
	atoms := x.atoms(p.obs, p.piece)
	for i := range atoms {
		if a := &atoms[i]; i != int(p.nth) && a.Offset >= from && a.Offset < to && slices.Contains(keys, keyOf(a)) {
			return true
		}
	}
	if len(pc.text) > 40 || len(o.pieces) > 16 {
		return false
	}
	for i := range o.pieces {
		if int32(i) != p.piece && len(o.pieces[i].text) <= 40 && slices.Contains(keys, hashOf(o.pieces[i].text)) {
			return true
		}
	}
	return false
}

// computed derives a value by arithmetic. The fewer the digits of the value and
// the farther the operands, the more must speak for it: a derivation that
// chance would find as easily is none.
func (k *linker) computed(l *Link, near words, text string, from, to int, links []Link) bool {
	a := &l.Atom
	if a.num == 0 || a.Kind == KindNumber && a.word && a.num <= 12 {
		return false
	}
	ops := k.operands(l, near, text[from:to], from, to, links)
	if len(ops) < 2 {
		return false
	}
	grain := a.grain
	if saysAbout(text[from:to]) {
		grain = a.coarse(true)
	}
	c := calculation{a: a, half: grain * .5 * (1 + 1e-9), ops: ops, digits: significant(a), cue: cues(text[from:to])}
	c.dates(ops)
	ops = slices.DeleteFunc(slices.Clone(ops), func(o operand) bool { return o.unit == unitYear || o.unit == unitDay })
	c.pairs(ops)
	if !c.found {
		c.rates(ops)
	}
	if !c.found {
		c.scaled(ops)
	}
	if !c.found {
		c.many(ops)
	}
	if !c.found {
		c.twoSteps(ops)
	}
	if !c.found {
		return false
	}
	l.State, l.How = Derived, c.how
	l.Given = true
	for _, o := range c.used {
		l.Operands = append(l.Operands, o.text)
		if o.post != nil {
			l.Given = false
			k.source(l, o.post)
		}
	}
	return true
}

// calculation searches for the arithmetic that yields one value.
type calculation struct {
	a       *Atom
	half    float64
	ops     []operand
	digits  int
	cue     uint16
	found   bool
	how     string
	used    []operand
	trust   int  // of what was found: the higher rank wins
	windows bool // operands are runs of neighbours in the text
}

const (
	cueSum = 1 << iota
	cueDifference
	cueRatio
	cueProduct
	cueMean
	cueChange
)

var cueWords = []struct {
	cue  uint16
	text string
}{
	{cueSum, "in all"}, {cueSum, "total"}, {cueSum, "together"}, {cueSum, "sum"}, {cueSum, "combined"}, {cueSum, "altogether"}, {cueSum, "合计"}, {cueSum, "一共"}, {cueSum, "总"}, {cueSum, "共"}, {cueSum, "加起来"},
	{cueDifference, "differ"}, {cueDifference, "more"}, {cueDifference, "less"}, {cueDifference, "cheaper"}, {cueDifference, "expensive"}, {cueDifference, "increase"}, {cueDifference, "decrease"}, {cueDifference, "gap"},
	{cueDifference, "higher"}, {cueDifference, "lower"}, {cueDifference, "older"}, {cueDifference, "younger"}, {cueDifference, "saving"}, {cueDifference, "save"}, {cueDifference, "remain"}, {cueDifference, "left"},
	{cueDifference, " old"}, {cueDifference, "age"}, {cueDifference, "later"}, {cueDifference, "after"}, {cueDifference, "before"}, {cueDifference, "earlier"}, {cueDifference, "ago"}, {cueDifference, "rose"}, {cueDifference, "fell"}, {cueDifference, "points"}, {cueDifference, "improve"}, {cueDifference, "narrow"}, {cueDifference, "widen"}, {cueDifference, "up "}, {cueDifference, "down "}, {cueDifference, "longer"}, {cueDifference, "shorter"}, {cueDifference, "fewer"}, {cueDifference, "lead"}, {cueDifference, "差"}, {cueDifference, "多"}, {cueDifference, "少"}, {cueDifference, "便宜"}, {cueDifference, "贵"}, {cueDifference, "剩"},
	{cueRatio, "ratio"}, {cueRatio, "times"}, {cueRatio, "per "}, {cueRatio, "share"}, {cueRatio, "%"}, {cueRatio, "percent"}, {cueRatio, "each"}, {cueRatio, " per"}, {cueRatio, "for "}, {cueRatio, "which is"}, {cueRatio, "a month"}, {cueRatio, "a year"}, {cueRatio, "a day"}, {cueRatio, "monthly"}, {cueRatio, "of which"}, {cueRatio, "of revenue"}, {cueRatio, "倍"}, {cueRatio, "占"}, {cueRatio, "比例"}, {cueRatio, "每"},
	{cueProduct, "cost"}, {cueProduct, "convert"}, {cueProduct, "rate"}, {cueProduct, "for "}, {cueProduct, "total"}, {cueProduct, "worth"}, {cueProduct, "equal"}, {cueProduct, "that is"}, {cueProduct, "comes to"}, {cueProduct, "折合"}, {cueProduct, "约合"}, {cueProduct, "共"},
	{cueSum, " of "}, {cueMean, "average"}, {cueMean, "mean"}, {cueMean, "平均"},
	{cueChange, "grew"}, {cueChange, "rise"}, {cueChange, "rose"}, {cueChange, "growth"}, {cueChange, "increase"}, {cueChange, "decrease"}, {cueChange, "fell"}, {cueChange, "drop"}, {cueChange, "decline"}, {cueChange, "change"},
	{cueChange, "up "}, {cueChange, "down "}, {cueChange, "增"}, {cueChange, "降"}, {cueChange, "涨"}, {cueChange, "跌"}, {cueChange, "lower"}, {cueChange, "higher"}, {cueChange, "cheaper"},
}

func cues(s string) uint16 {
	s = strings.ToLower(s)
	var c uint16
	for _, w := range cueWords {
		if strings.Contains(s, w.text) {
			c |= w.cue
		}
	}
	return c
}

// offer notes a result, where it is the value and likelier than what was found before.
func (c *calculation) offer(result float64, how string, cue uint16, used ...operand) {
	if math.Abs(result-c.a.num) > c.half && math.Abs(result-c.a.num) > math.Abs(c.a.num)*1e-12 {
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
	if c.chance(weakest, len(used), cue&c.cue != 0, locus) {
		return
	}
	trust := sum/len(used) - 10*len(used)
	if cue&c.cue != 0 {
		trust += 30
	}
	if !c.found || trust > c.trust {
		c.found, c.how, c.trust = true, how, trust
		c.used = append([]operand(nil), used...)
	}
}

// chance reports whether operands of a rank would hit the value by accident:
// the share of numbers that round to it, times the combinations of so many
// operands as rank as high. A word that names the arithmetic, and operands that
// stand in the text itself, are evidence against chance. Operands of one
// sentence or record (locus) are only compared with each other.
func (c *calculation) chance(rank, n int, named bool, locus uint64) bool {
	m := 0
	for i := range c.ops {
		if o := &c.ops[i]; o.rank >= rank && (locus == 0 || o.locus == locus) {
			m++
		}
	}
	trials := float64(m*(m-1)) * 3
	switch {
	case c.windows: // runs of neighbours: there are few
		trials = float64(m * m)
	case n > 2:
		trials *= float64(m)
	}
	if named {
		trials /= 3
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
	return trials*2*c.half/math.Abs(c.a.num) > allowed
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
			same := x.unit == y.unit
			if i < j && same && (x.unit == u || u == "" || x.unit == "" && u != "%") {
				c.offer(x.num+y.num, "sum", cueSum, x, y)
				c.offer((x.num+y.num)/2, "mean", cueMean, x, y)
			}
			if same && (x.unit == u || u == "" || x.unit == "" && u != "%" || x.unit == "%" && u == "pp") {
				c.offer(x.num-y.num, "difference", cueDifference, x, y)
			}
			if i < j && productUnit(x.unit, y.unit, u) {
				c.offer(x.num*y.num, "product", cueProduct, x, y)
			}
			if x.unit == "%" && (y.unit == u || u == "" || y.unit == "") && u != "%" {
				c.offer(x.num*y.num/100, "percentage", cueRatio|cueProduct|cueDifference, x, y)
				c.offer(y.num*(1-x.num/100), "percentage", cueRatio|cueDifference|cueProduct, x, y)
				c.offer(y.num*(1+x.num/100), "percentage", cueRatio|cueSum|cueProduct, x, y)
			}
			if y.num == 0 {
				continue
			}
			if u == "%" && same {
				c.offer(x.num/y.num*100, "ratio", cueRatio, x, y)
				c.offer((x.num-y.num)/y.num*100, "percent_change", cueChange|cueDifference, x, y)
				c.offer((y.num-x.num)/y.num*100, "percent_change", cueChange|cueDifference, x, y)
			}
			if same && (u == "" || u == "x") || y.unit == "" && x.unit == u && u != "%" || currency(x.unit) && currency(u) && y.unit == "" {
				c.offer(x.num/y.num, "ratio", cueRatio|cueProduct, x, y)
			}
		}
	}
	for _, x := range ops { // a percentage's complement
		if x.unit == "%" && c.a.Unit == "%" && x.rank >= 150 {
			c.offer(100-x.num, "difference", cueDifference, x, x)
		}
	}
}

func currency(unit string) bool {
	return len(unit) == 3 && isUpper(unit[0]) && isUpper(unit[1]) && isUpper(unit[2])
}

// productUnit reports whether a product of two units may have the unit u.
func productUnit(a, b, u string) bool {
	if b != "" && b != "x" && b != "d" && b != "mo" && b != "h" && b != "kg" && b != "km" && b != "kWh" && b != "L" && b != "y" {
		a, b = b, a
	}
	switch {
	case u == "%":
		return false
	case b == "" || b == "x":
		return a == u || u == "" || a == "" && b == "" || currency(a) && currency(u)
	case currency(a) && a == u: // a price per hour, day, kilogram
		return !currency(b) && b != "%"
	}
	return false
}

// rates tries what units themselves spell out: 15 mg/kg for 20 kg, metres in
// seconds as km/h.
func (c *calculation) rates(ops []operand) {
	over, under, compound := strings.Cut(splitUnit(c.a.Unit), "/")
	for i, x := range ops {
		a, b, rate := strings.Cut(splitUnit(x.unit), "/")
		for j, y := range ops {
			if i == j || y.num == 0 {
				continue
			}
			if rate && b != "" && measures[b].dim != dimNone && sameDimension(b, y.unit) && sameDimension(a, c.a.Unit) {
				c.offer(convert(x.num*convert(y.num, y.unit, b), a, c.a.Unit), "rate", cueRatio|cueProduct, x, y)
			}
			if compound && x.unit != "" && y.unit != "" && sameDimension(x.unit, over) && sameDimension(y.unit, under) {
				c.offer(convert(x.num, x.unit, over)/convert(y.num, y.unit, under), "rate", cueRatio|cueMean, x, y)
			}
		}
	}
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
	m, n := measures[from], measures[to]
	if m.by == 0 || n.by == 0 {
		return v
	}
	return (v*m.by + m.off - n.off) / n.by
}

// scaled tries a value times the ratio of two that count the same: a recipe for
// four, wanted for six.
func (c *calculation) scaled(ops []operand) {
	for i, y := range ops {
		for j, z := range ops {
			if i == j || y.noun == 0 || y.noun != z.noun || y.unit != z.unit || z.num == 0 || y.num == z.num {
				continue
			}
			for k, x := range ops {
				if k != i && k != j && x.unit == c.a.Unit && x.unit != "" && math.Abs(x.num*y.num/z.num-c.a.num) <= c.half {
					c.found, c.how, c.used = true, "proportion", []operand{x, y, z}
					return
				}
			}
		}
	}
}

// many tries sums and means of three operands and more.
func (c *calculation) many(ops []operand) {
	u := c.a.Unit
	var group []operand
	for _, o := range ops {
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
	if c.digits < 3 {
		return
	}
	var top []operand
	for _, o := range ops {
		if o.rank >= 60 {
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
				if productUnit(x.unit, y.unit, u) && (z.unit == u || z.unit == "" || u == "") {
					c.offer(x.num*y.num+z.num, "product_sum", cueSum|cueProduct, x, y, z)
					c.offer(x.num*y.num-z.num, "product_difference", cueDifference, x, y, z)
				}
				if i < j && z.num != 0 && z.unit == "" && (x.unit == u || y.unit == u || x.unit == "" || y.unit == "") && u != "%" {
					c.offer(x.num*y.num/z.num, "product_ratio", cueProduct|cueRatio, x, y, z)
				}
				if x.unit != y.unit || z.num == 0 {
					continue
				}
				if i < j && productUnit(x.unit, z.unit, u) {
					c.offer((x.num+y.num)*z.num, "sum_product", cueSum|cueProduct, x, y, z)
				}
				if productUnit(x.unit, z.unit, u) {
					c.offer((x.num-y.num)*z.num, "difference_product", cueDifference|cueProduct, x, y, z)
				}
				if z.unit == "" && (x.unit == u || u == "") || currency(x.unit) && currency(u) && z.unit == "" {
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
