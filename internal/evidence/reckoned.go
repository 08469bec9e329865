package evidence

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/reckon"
)

// reckoned derives a value by the cheapest arithmetic that yields it, over all that
// the value may have to do with: what the text states and observations bear, what
// was given, the numbers of observations, and what lists of them come to. What
// each costs is how little the value's sentence says of it.
func (k *linker) reckoned(l *Link, text string, links []Link) bool {
	a := &l.Atom
	if a.Kind == atom.Date {
		return k.dated(l, text, links)
	}
	if !a.Numeric() || a.Unit == "th" || a.Num == 0 || countsItself(a) || a.Kind == atom.Number && a.InWords && a.Num <= 12 && a.Num >= 1 {
		return false
	}
	if k.exhausted(l) {
		return false
	}
	l.sought = true
	r := k.reckoning(l, text, links)
	r.goal()
	if r.g.Bits <= 0 {
		return false
	}
	r.stated(links)
	r.given()
	r.observed(links)
	r.lists()
	r.runs()
	r.chains(links)
	r.spans()
	r.known()
	r.weigh()
	k.seek(len(r.terms), 0)
	r.g.Allow = r.allow
	res, ok := reckon.Solve(r.g, r.terms)
	if r.each != nil {
		r.each.Allow = r.allow
		if other, found := reckon.Solve(*r.each, r.terms); found && (!ok || other.Bits < res.Bits) {
			res, ok, r.g = other, true, *r.each
		}
	}
	if ok {
		r.make(res)
	}
	return ok
}

// reckoning begins that of a value of a text.
func (k *linker) reckoning(l *Link, text string, links []Link) *reckoning {
	a := &l.Atom
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	r := &reckoning{k: k, l: l, text: text, from: from, to: to, intro: introduction(text, from)}
	r.both = text[from:to] + " " + r.intro
	r.near.Add(text[from:to])
	for i := range links {
		if o := &links[i]; o != l && o.Atom.Kind == atom.Date && o.Atom.Offset >= from && o.Atom.Offset < to {
			r.near = appendDate(r.near, &o.Atom)
		}
	}
	r.far.Add(r.intro)
	r.attr = attributesIn(text[from:to])
	return r
}

// reckoning gathers the terms of one value.
type reckoning struct {
	k         *linker
	l         *Link
	text      string
	from, to  int        // the value's sentence
	intro     string     // what introduces it
	both      string     // the sentence and what introduces it
	near      lang.Words // of the sentence
	far       lang.Words // of what introduces it
	attr      uint64     // attributes that the sentence names
	g         reckon.Goal
	each      *reckon.Goal // with what the value is for each of; nil where nothing says that
	terms     []reckon.Term
	standings []standing        // of the terms
	byNum     map[float64][]int // the terms beyond the first few, by their number
	indexed   int               // terms that byNum was made of
	moments   []moment
	beside    []uint64 // the records and sentences that values of the sentence stand in
}

const (
	opNear      = 0   // what an operation costs that the value's clause speaks of
	opCued      = .7  // that its sentence, or what introduces it, speaks of
	opPlain     = 3   // of which nothing speaks
	nearBits    = 1.5 // a term of the same record or list as another one, before it is said which
	reusedBits  = 1   // a term that another value of the text was calculated from
	strangeBits = 3   // what a clause loses of which the evidence has no word
	prior       = 3   // what speaks for arithmetic before any is known: most values rest on something
)

// goal reads the value as what is to be explained.
func (r *reckoning) goal() {
	a := &r.l.Atom
	dim, by := dimOf(unitOfAtom(a))
	grain := a.Grain
	if saysAbout(r.text, a) {
		grain = a.Coarse(true)
	}
	half := min(grain*.5, .15*math.Abs(a.Num)) * (1 + 1e-9)
	g := reckon.Goal{Num: a.Num * by, By: by, Half: half * by, Dim: dim, Percent: a.Unit == "%" || a.Unit == "pp", Points: a.Unit == "pp", Noun: atom.NounKey(a.Noun), Whole: a.Unit == "" && a.Noun != "" && a.Grain == 1 && a.Num < 100 && !saysAbout(r.text, a)}
	if strings.HasPrefix(r.text[a.Offset+a.Length:], "折") { // 8.8 of 10 parts of the price
		g.Percent, by = true, .1
		g.Num, g.By, g.Half = a.Num*by, by, half*by
	}
	cue := r.k.cuesOf(r.text[r.from:r.to]) | cues(r.intro)
	low, high := clause(r.text, r.from, r.to, a)
	own := cues(r.text[low:high] + " ")
	trend := trendOf(r.text, a)
	g.Up, g.Down = trend == up, trend == down
	if trend != noTrend {
		own |= cueDifference | cueChange
	}
	of := func(bits uint16) float64 {
		switch {
		case own&bits != 0:
			return opNear
		case cue&bits != 0:
			return opCued
		}
		return opPlain
	}
	g.Ops = [...]float64{reckon.Sum: of(cueSum), reckon.Difference: of(cueDifference), reckon.Product: of(cueProduct), reckon.Ratio: of(cueRatio),
		reckon.Change: of(cueChange | cueDifference), reckon.Part: of(cueProduct | cueRatio), reckon.Less: of(cueChange | cueDifference), reckon.Proportion: .5 + min(of(cueProduct), of(cueRatio)), reckon.Mean: 2*of(cueMean) + 1, reckon.Growth: 6}
	if g.Percent { // what else
		g.Ops[reckon.Ratio] = min(g.Ops[reckon.Ratio], 1.5)
	}
	if a.Unit == "x" {
		g.Ops[reckon.Ratio] = opNear
	}
	if yearlyWords.In(r.text[r.from:r.to]) {
		g.Ops[reckon.Growth] = 1
	}
	g.Bits = math.Log2(math.Abs(a.Num)/(2*half)) + 1 + prior
	g.Bits -= strangeBits * r.k.strange(r.text[low:high])
	r.g = g
	if each, ok := eachOf(r.text, a); ok {
		if d, size := dimOf(each.unit); size > 0 {
			if e, ok := g.Dim.Per(d); ok {
				size *= each.times
				g.Dim, g.Whole, g.Num, g.By, g.Half = e, false, g.Num/size, g.By/size, g.Half/size
				r.each = &g
			}
		}
	}
}

var yearlyWords = lang.MakePhrases("a year", "annual", "per year", "cagr", "年均", "每年", "复合")

// cueVocabulary is the words of the cues in Latin letters, which are strange nowhere.
var cueVocabulary = sync.OnceValue(func() map[uint64]bool {
	words := map[uint64]bool{}
	for _, c := range cueWords {
		if c.text[0] < 0x80 {
			lang.EachWord(strings.TrimSpace(c.text), func(_, _ int, h uint64) { words[h] = true })
		}
	}
	return words
})

// strange is the share of a clause's words that no observation and no question has.
func (k *linker) strange(clause string) float64 {
	const most = 400_000
	if k.vocabulary == nil {
		k.vocabulary = map[uint64]bool{}
		size := 0
		add := func(text string) {
			if size += len(text); size < most {
				lang.EachWord(text, func(_, _ int, h uint64) { k.vocabulary[h] = true })
			}
		}
		add(k.asked)
		for i := range k.index.obs {
			o := &k.index.obs[i]
			add(o.asked)
			add(spaced(o.Tool))
			add(spaced(o.of))
			for j := range o.pieces {
				add(spaced(o.pieces[j].key))
				add(o.pieces[j].text)
			}
		}
		k.vocabulary[0] = size < most
	}
	if !k.vocabulary[0] {
		return 0
	}
	all, none := 0.0, 0.0
	lang.EachWord(clause, func(from, to int, h uint64) {
		if clause[from] >= 0x80 {
			return
		}
		all++
		if !k.vocabulary[h] && !cueVocabulary()[h] {
			none++
		}
	})
	if all == 0 {
		return 0
	}
	return none / all
}

// allow reports terms that may be calculated with together: not rows of a list of
// which the text picks out none, since any list has rows that add up to something.
func (r *reckoning) allow(op int, terms []int) bool {
	var all []operand
	for _, i := range terms {
		s := &r.standings[i]
		if s.how == "sum_product" {
			continue
		}
		for _, at := range s.posts {
			all = append(all, operand{post: &r.k.index.posts[at], stated: s.class == ofSentence || s.class == ofText})
		}
	}
	return len(all) < 2 || !r.k.arbitrary(all, r.text[r.from:r.to], r.intro) && (len(terms) < 2 || r.parts(terms))
}

// parts reports that of a part of a list and another part, the text picks out each.
func (r *reckoning) parts(terms []int) bool {
	made := false
	for _, i := range terms {
		made = made || len(r.standings[i].posts) > 1 && r.standings[i].how != "sum_product"
	}
	if !made {
		return true
	}
	for _, col := range r.k.index.columns() {
		for _, i := range terms {
			s := &r.standings[i]
			if len(s.posts) != 1 || s.class == ofSentence || s.class == ofText || s.how != "" {
				continue
			}
			if at := slices.Index(col.posts, s.posts[0]); at >= 0 && at < maxSelected && !r.k.selection(col.posts, r.text[r.from:r.to], r.intro).holds(1<<at) {
				return false
			}
		}
	}
	return true
}

// weigh turns the standing of terms into what they cost: as much less as there is
// that speaks for others.
func (r *reckoning) weigh() {
	type group struct {
		dim     reckon.Dim
		percent bool
		class   uint8
	}
	type relation struct {
		dim  reckon.Dim
		home uint64
	}
	near, groups := map[relation]float64{}, map[group][]int{}
	for i := range r.terms {
		t := &r.terms[i]
		g := group{t.Dim, t.Percent, r.standings[i].class}
		groups[g] = append(groups[g], i)
		near[relation{t.Dim, t.Place}]++
		near[relation{t.Dim, t.List}]++
	}
	for g, members := range groups { // in its class the second costs a bit more than the first
		slices.SortStableFunc(members, func(a, b int) int { return r.standings[a].order - r.standings[b].order })
		rank := 0.0
		for n, i := range members {
			if n > 0 && !sameLinks(r.standings[i].links, r.standings[members[n-1]].links) {
				rank++
			}
			t := &r.terms[i]
			if r.k.reused[reuse{t.Num, t.Dim, t.Percent}] { // as values beside this one are
				t.Bits = reusedBits
				continue
			}
			if t.Bits = r.standings[i].bits + classBits[g.class]; g.class != ofSpan { // which has its own
				t.Bits += math.Log2(rank + 1)
			}
		}
	}
	whole, kin := 0.0, map[group]float64{}
	for i := range r.terms {
		t := &r.terms[i]
		w := math.Exp2(-t.Bits)
		whole += w
		kin[group{t.Dim, t.Percent, 0}] += w
	}
	for i := range r.terms {
		t := &r.terms[i]
		t.Kin = t.Bits + math.Log2(kin[group{t.Dim, t.Percent, 0}])
		t.Bits += math.Log2(whole)
		if t.Place != 0 {
			t.Near = nearBits + math.Log2(near[relation{t.Dim, t.Place}])
		}
		if t.List != 0 {
			t.Near = min(t.Near, nearBits+math.Log2(near[relation{t.Dim, t.List}]))
		}
	}
}

// sameLinks reports what is made of the same values of the text: a value, and what it
// was before it was rounded.
func sameLinks(a, b []*Link) bool { return len(a) > 0 && slices.Equal(a, b) }

// reuse is a term that another value of the text was calculated from.
type reuse struct {
	num     float64
	dim     reckon.Dim
	percent bool
}

// make turns a result into a link.
func (r *reckoning) make(res reckon.Result) {
	l := r.l
	l.State, l.How, l.Given = Derived, reckon.Names[res.Op], true
	l.exact = res.Num / r.g.By
	if len(res.Terms) == 1 {
		if l.How = r.standings[res.Terms[0]].how; l.How == "" {
			l.How = "converted"
		}
	}
	if r.k.reused == nil {
		r.k.reused = map[reuse]bool{}
	}
	for _, i := range res.Terms {
		t := &r.terms[i]
		r.k.reused[reuse{t.Num, t.Dim, t.Percent}] = true
		r.cite(r.standings[i])
	}
}

// cite adds a term to what the value's link rests on.
func (r *reckoning) cite(s standing) {
	l := r.l
	for _, o := range s.links {
		l.Given = l.Given && len(o.Observations) == 0
		l.rest(o)
		if s.text == "" {
			l.Operands = append(l.Operands, o.Atom.Text)
		}
	}
	l.Given = l.Given && len(s.posts) == 0
	if s.text == "" {
		r.k.take8(l, s.posts)
		return
	}
	for _, at := range s.posts {
		r.k.source(l, &r.k.index.posts[at])
	}
	l.Operands = append(l.Operands, s.text)
}
