package evidence

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/reckon"
)

// standing is where a term of a reckoning comes from, and what speaks for it.
type standing struct {
	class  uint8
	order  int     // in its class: the lower, the nearer to the value
	bits   float64 // what it costs besides
	place  uint64  // the record or the sentence of an observation that it stands in; 0 for none
	list   uint64  // the column that it stands in; 0 for none
	noun   uint32  // what it counts
	each   per     // what it is for each of; none of a number as it stands
	how    string  // how it was made of others; empty for a number that is stated
	text   string
	posts  []int32 // the numbers of observations that it is, or was made of
	factor bool    // it is only multiplied or divided by
	links  []*Link // the values of the text that it is, or was made of
}

// The classes of terms, by what speaks for them.
const (
	ofSentence = iota // the value's sentence states it
	ofBoth            // the sentence names it by its row and its key
	ofOne             // by one of them
	ofBeside          // it stands in a record of which the sentence states something
	ofGiven           // the question states it
	ofText            // another sentence of the text states it
	ofAll             // an observation states it
	ofCalendar        // everybody knows it, and the sentence speaks of it
	ofChain           // values of a sentence come to it
	ofList            // numbers of observations come to it
	ofSpan            // it lies between two moments
	classes
)

// classBits is what it costs to say that a term is of a class, before those of all
// classes are weighed against each other. They and the costs of operations are fitted to
// answers whose links are known; near their optimum a bit more or less changes little.
var classBits = [classes]float64{ofSentence: 0, ofBoth: 2, ofOne: 1.5, ofBeside: 2, ofGiven: .7, ofText: 1, ofAll: 3, ofCalendar: 3.5, ofChain: 2, ofList: 2, ofSpan: 0}

// add notes a term: a number in a unit.
func (r *reckoning) add(num float64, unit string, s standing) {
	const farther = 12 // than any
	dim, by := dimOf(unit)
	if s.each.unit != "" {
		each, size := dimOf(s.each.unit)
		rate, ok := dim.Per(each)
		if !ok {
			return
		}
		dim, by = rate, by/size/s.each.times
	}
	t := reckon.Term{Num: num * by, By: by, Dim: dim, Percent: unit == "%" || unit == "pp", Noun: s.noun, Place: s.place, List: s.list, Near: farther, Made: s.how != "", Factor: s.factor, Span: s.class == ofSpan}
	if i := r.same(&t); i >= 0 {
		o, was := &r.terms[i], &r.standings[i]
		if s.class < was.class {
			was.class, was.order, was.bits = s.class, s.order, s.bits
		}
		if o.Place == 0 {
			o.Place, o.List = t.Place, t.List
		}
		if o.Noun == 0 {
			o.Noun = t.Noun
		}
		if len(was.posts) == 0 {
			was.how, was.text, was.posts, was.links = s.how, s.text, s.posts, s.links
		}
		return
	}
	r.terms, r.standings = append(r.terms, t), append(r.standings, s)
}

// same is the first term that is the same number as another, of no other list; -1
// where there is none.
func (r *reckoning) same(t *reckon.Term) int {
	const few = 64 // terms that are compared one by one
	is := func(i int) bool {
		o := &r.terms[i]
		return o.Num == t.Num && o.Dim == t.Dim && o.Percent == t.Percent && (o.List == t.List || o.List == 0 || t.List == 0)
	}
	for i := range r.terms[:min(len(r.terms), few)] {
		if is(i) {
			return i
		}
	}
	if r.byNum == nil && len(r.terms) > few {
		r.byNum = map[float64][]int{}
	}
	for ; r.indexed < len(r.terms); r.indexed++ {
		if num := r.terms[r.indexed].Num; r.indexed >= few {
			r.byNum[num] = append(r.byNum[num], r.indexed)
		}
	}
	for _, i := range r.byNum[t.Num] {
		if is(i) {
			return i
		}
	}
	return -1
}

// stated adds what the text states and observations bear.
func (r *reckoning) stated(links []Link) {
	for i := range links {
		o := &links[i]
		if o == r.l || o.State != Carried && o.State != Derived || o.Atom.Unit == "th" || o.Atom.Part == atom.PartLater {
			continue
		}
		s := standing{class: ofText, order: abs(o.Atom.Offset - r.l.Atom.Offset), text: o.Atom.Text, noun: atom.NounKey(o.Atom.Noun)}
		if o.Atom.Offset >= r.from && o.Atom.Offset < r.to {
			s.class = ofSentence
		}
		num := o.Atom.Num
		if len(o.posts) > 0 && o.posts[0] >= 0 && (o.State == Carried || o.How == "rounded") {
			s.place, s.list = r.home(o.posts[0])
		}
		switch {
		case s.place != 0 && o.State == Carried:
			s.posts = o.posts[:1]
		case o.exact != 0:
			num, s.links = o.exact, []*Link{o}
		default:
			s.links = []*Link{o}
			if s.place != 0 {
				if p := &r.k.index.posts[o.posts[0]]; atom.UnitNames[p.unit] == o.Atom.Unit {
					num = p.num
				}
			}
		}
		switch {
		case o.Atom.Kind == atom.Date:
			r.moment(o.Atom.Value, s)
		case o.Atom.Numeric() && !(len(o.Atom.Text) > 1 && o.Atom.Text[0] == '0' && o.Atom.Num >= 1) && (o.Atom.Num != r.l.Atom.Num || o.Atom.Unit != r.l.Atom.Unit):
			r.add(num, unitOfAtom(&o.Atom), s)
			if each, ok := eachOf(r.text, &o.Atom); ok {
				rate := s
				rate.each = each
				r.add(num, unitOfAtom(&o.Atom), rate)
			}
			if num != o.Atom.Num { // as it was rounded
				s.bits = .5
				r.add(o.Atom.Num, unitOfAtom(&o.Atom), s)
			}
		}
	}
}

// given adds what the question and the instructions state, and the day of asking.
func (r *reckoning) given() {
	given := r.k.given.Atoms()
	for i := range given {
		g := &given[i]
		s := standing{class: ofGiven, text: g.Text, noun: atom.NounKey(g.Noun)}
		switch {
		case g.Numeric() && g.Unit != "th":
			r.add(g.Num, unitOfAtom(g), s)
		case g.Kind == atom.Date:
			r.moment(g.Value, s)
		}
	}
	asked := standing{class: ofAll, text: r.k.ledger.AskedAt}
	if untilNow.In(r.both) {
		asked.class = ofGiven
	}
	r.moment(asked.text, asked)
}

// untilNow are words of what is counted from or to the day of asking.
var untilNow = lang.MakePhrases("ago", "since", "old", "for ", "until", "today", "now", "left", "remain", "has been", "already", "in ", "experience", "至今", "已", "还有", "距", "今年", "剩")

// common are the numbers that everybody knows, with the words that call for them.
var common = []struct {
	num   float64
	unit  string
	class uint8
	text  string
	cues  *lang.Phrases
}{
	{1, "d", ofCalendar, "day", lang.MakePhrases("day", "daily", "天", "日", "per minute", "per hour", "an hour", "每小时")},
	{1, "y", ofCalendar, "year", lang.MakePhrases("year", "annual", "capacity", "load factor", "年")},
	{1, "mo", ofCalendar, "month", lang.MakePhrases("month", "payment", "月", "期")},
	{1, "wk", ofCalendar, "week", lang.MakePhrases("week", "周")},
	{1, "h", ofCalendar, "hour", lang.MakePhrases("hour", "小时")},
	{1, "min", ofCalendar, "minute", lang.MakePhrases("minute", "分钟")},
	{12, "", ofSentence, "month", lang.MakePhrases("month", "year", "annual", "月", "年", "dozen")},
	{2, "", ofSentence, "twice", twofold},
	{3, "", ofSentence, "triple", threefold},
	{100, "", ofSentence, "per 100", lang.MakePhrases("per 100", "/100", "百公里", "每百")},
	{1, "", ofSentence, "one ", lang.MakePhrases("one ", "1 ")},
}

// known adds what everybody knows and the sentence calls for; for a body-mass index,
// the squares of lengths.
func (r *reckoning) known() {
	for _, c := range common {
		if c.cues.In(r.both) || (c.num == 2 || c.num == 3) && c.cues.In(r.k.asked) {
			s := standing{class: c.class, text: c.text, factor: true}
			if c.class == ofSentence {
				s.bits = .5
			}
			r.add(c.num, c.unit, s)
		}
	}
	if !r.k.bodyMass() {
		return
	}
	for i, t := range r.terms {
		if t.Dim == (reckon.Dim{Length: 1}) {
			t.Dim.Length, t.Num, t.By = 2, t.Num*t.Num, 1
			r.terms, r.standings = append(r.terms, t), append(r.standings, r.standings[i])
		}
	}
}

// home is the record or the sentence of a posting, and its column.
func (r *reckoning) home(at int32) (place, list uint64) {
	x := r.k.index
	p := &x.posts[at]
	o := &x.obs[p.obs]
	place = x.locus(p)
	if key := o.pieces[p.piece].key; key != "" && int(p.length) == len(o.pieces[p.piece].text) {
		list = lang.Hash(key) ^ uint64(o.step+1)<<32
	}
	return place, list
}

// observed adds the numbers of observations: all where they are few, else those that
// share words with the sentence or the question.
func (r *reckoning) observed(links []Link) {
	const few, most = 400, 300
	x := r.k.index
	for i := range links {
		if o := &links[i]; o.Atom.Offset >= r.from && o.Atom.Offset < r.to && o.State == Carried {
			for _, at := range o.posts {
				if at >= 0 {
					r.beside = append(r.beside, x.locus(&x.posts[at]))
				}
			}
		}
	}
	n := 0
	visit := func(i int32) bool {
		p := &x.posts[i]
		kind := atom.Kinds[p.kind]
		switch {
		case r.k.later(p.obs) || p.how == coarsened || atom.UnitNames[p.unit] == "th" || x.obs[p.obs].Error:
			return true
		case kind == atom.Date:
			if p.how == asWritten {
				s := r.standing(i)
				r.moment(x.atoms(p.obs, p.piece)[p.nth].Value, s)
				n++
			}
		case p.unit == 0 && (x.keySays(p, &r.l.Atom) == differs || p.length > 1 && x.text(p)[0] == '0' && p.num >= 1): // a code
		case kind.Numeric() && (p.how == converted || !identityKey(&x.obs[p.obs].pieces[p.piece], kind)):
			s := r.standing(i)
			r.add(p.num, atom.UnitNames[p.unit], s)
			if p.unit == 0 && nightNouns[lang.Stem(lastKeyWord(x.obs[p.obs].pieces[p.piece].key))] { // {"nights": 4}: days, or so many times a price
				r.add(p.num, "d", s)
			}
			if s.each = x.perOf(p); s.each.unit != "" && s.class <= ofBeside {
				r.add(p.num, atom.UnitNames[p.unit], s)
			}
			n++
		}
		return n < most
	}
	if len(x.posts) > few {
		x.related(r.near, r.k.question, visit)
		return
	}
	for i := range x.posts {
		visit(int32(i))
	}
}

// standing tells what speaks for a number of an observation.
func (r *reckoning) standing(at int32) standing {
	x := r.k.index
	p := &x.posts[at]
	s := standing{class: ofAll, noun: p.noun, text: x.text(p), posts: []int32{at}}
	s.place, s.list = r.home(at)
	told := r.k.told(at)
	key := r.near.Shared(told.label)
	if r.attr&told.attr != 0 {
		key++
	}
	row := 0
	for _, h := range told.row {
		if !told.label.Has(h) && (r.near.Has(h) || r.far.Has(h)) {
			row++
		}
	}
	switch s.order = -key - row; {
	case key > 0 && row > 0:
		s.class = ofBoth
	case key > 0 || row > 0:
		s.class = ofOne
	case slices.Contains(r.beside, s.place):
		s.class = ofBeside
	}
	return s
}

// telling is what a number of an observation says that it is of.
type telling struct {
	label lang.Words // of its key or its clause
	row   lang.Words // of its sentence or its record
	attr  uint64     // attributes that its key names
}

// maxTold bounds the numbers whose telling is kept for other values.
const maxTold = 4096

// told is the telling of a posting, read once.
func (k *linker) told(at int32) telling {
	t, ok := k.tellings[at]
	if ok {
		return t
	}
	p := &k.index.posts[at]
	t = telling{label: k.index.label(p), row: slices.Clone(k.rowWords(p))}
	if key := k.index.obs[p.obs].pieces[p.piece].key; key != "" {
		t.attr = attributesIn(spaced(key))
	}
	if k.tellings == nil {
		k.tellings = map[int32]telling{}
	}
	if len(k.tellings) < maxTold {
		k.tellings[at] = t
	}
	return t
}

// rowWords are the words that tell which thing a number is of: those of its sentence, or
// of the texts of its record and of the heading above it. They are good until the next call.
func (k *linker) rowWords(p *posting) lang.Words {
	const short, long = 60, 200
	x := k.index
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	x.ctxOf = [4]int32{}
	w := x.ctx[:0]
	if len(pc.text) > short {
		from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
		w.Add(pc.text[from:to])
	}
	w.Add(o.Title)
	w.Add(o.about)
	w.Add(spaced(pc.in))
	for i := range o.pieces {
		if q := &o.pieces[i]; q != pc && len(q.text) < long && !isNumber(q.text) {
			w.Add(q.text)
			if lang.IsDigit(q.text[0]) && len(q.text) <= len("2006-01-02T15:04:05Z07:00") { // a row of May
				for _, a := range x.atoms(p.obs, int32(i)) {
					if a.Kind == atom.Date {
						w = appendDate(w, &a)
					}
				}
			}
		}
	}
	if x.alone(int(p.obs)) { // what was asked says what the result is about
		w.Add(o.asked)
	}
	x.ctx = w
	return w
}

// appendDate adds a date as words that name it: its day, its month, of any year as well.
func appendDate(w lang.Words, a *atom.Atom) lang.Words {
	w = append(w, a.Key())
	if len(a.Value) >= 7 && a.Value[4] == '-' {
		w = append(w, lang.Hash(a.Value[:7]), lang.Hash("-"+a.Value[4:7]))
	}
	return w
}
