package evidence

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// operand is a number that a value may have been calculated from.
type operand struct {
	num    float64
	grain  float64
	unit   string
	noun   uint32
	counts uint32 // what its key says that it counts: {"contributors": 37}
	text   string
	rank   int      // the higher, the likelier: 100 and more stand in the same text
	at     int      // place in the text, for the order of operands
	post   *posting // nil where it was given
	from   *Link    // of the same text, which is derived itself
	key    string   // of the record's member that it is
	locus  uint64   // of the sentence or the record that it stands in; 0 where it was given
	per    per      // what it is for each of: a price per night
	ahead  float64  // of a moment, or a time of one, that names its offset from UTC: the seconds of it
	stated bool     // the text states it, or a call's arguments do
	asked  bool     // the day of asking
}

const maxOperands = 20

// maxWideOperands bounds the operands of a search that takes in those of all observations.
const maxWideOperands = 64

// calendarRank is the rank of what everybody knows: less likely than what the user states.
const calendarRank = 50

// calendar holds the numbers that everybody knows, with the words that call for them.
var calendar = []struct {
	num  float64
	text string
	cues *lang.Phrases
}{
	{12, "12 months", lang.MakePhrases("per year", "a year", "annual", "yearly", "per month", "a month", "monthly", "first month", "each month", "dozen", "每年", "每月", "年费")},
	{52, "52 weeks", lang.MakePhrases("per year", "a year", "annual", "yearly", "weekly", "a week", "每周")},
	{365, "365 days", lang.MakePhrases("per year", "a year", "annual", "yearly", "daily", "a day", "each day", "every day", "per day", "每天", "每日", "日均")},
	{7, "7 days", lang.MakePhrases("weekly", "per week", "a week", "每周")},
	{30, "30 days", lang.MakePhrases("per month", "a month", "monthly", "每月")},
	{100, "100", lang.MakePhrases("per 100", "/100", "百公里", "每百")},
	{24, "24 hours", lang.MakePhrases("per day", "a day", "daily", "hourly", "每天")},
	{2, "twice", twofold},
	{3, "three times", threefold},
	{60, "60", lang.MakePhrases("per minute", "per hour", "an hour", "a minute")},
}

// Words for a multiple or a part, which the question may have asked for.
var (
	twofold   = lang.MakePhrases("twice", "return trip", "round trip", "both ways", "diameter", "往返", "来回", "直径", "double", "half of ", "half the ", "half that", "halve", "一半", "两倍", "翻倍")
	threefold = lang.MakePhrases("triple", "threefold", "三倍")
)

// operands are the numbers of the text that are carried, then those that the
// agent calculated with, then those of observations on the same subject.
func (k *linker) operands(l *Link, near lang.Words, text string, from, to int, links []Link) []operand {
	return k.operandsUpTo(maxOperands, l, near, text, from, to, links)
}

// operandsUpTo is operands, so many of them. They are good until the next call.
func (k *linker) operandsUpTo(most int, l *Link, near lang.Words, text string, from, to int, links []Link) []operand {
	sentence := text[from:to]
	k.attr = attributesOf(sentence)
	k.goal = l.Atom.Unit
	out := k.scratch.ops[:0]
	var beside []uint64
	add := func(o operand) {
		for i := range out {
			if out[i].num == o.num && out[i].unit == o.unit && out[i].ahead == o.ahead {
				if o.rank > out[i].rank {
					if out[i].rank = o.rank; out[i].post == nil { // what a record that the sentence names states
						out[i].post, out[i].key, out[i].counts = o.post, o.key, o.counts
					}
				}
				out[i].stated = out[i].stated || o.stated
				if o.heads() && !out[i].heads() { // for six, of the question's 6 people; from 4, of the record's serves
					out[i].noun, out[i].key = o.noun, o.key
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
		if o.Atom.Offset >= from && o.Atom.Offset < to && o != l && (o.Atom.Numeric() || o.Atom.Kind == atom.Date || o.Atom.Kind == atom.Identifier) {
			beside = append(beside, o.Atom.Key())
		}
		if o != l && (o.State == Carried || o.State == Derived) && o.Atom.Kind == atom.Date {
			var of *posting
			if len(o.posts) > 0 && o.posts[0] >= 0 {
				of = &k.index.posts[o.posts[0]]
			}
			if d, unit, ok := dateOperand(o.Atom.Value); ok {
				use := operand{num: d, grain: 1, unit: unit, text: o.Atom.Text, rank: 200, at: o.Atom.Offset, post: of}
				if of != nil {
					use.ahead = ahead(k.index.text(of))
				}
				add(use)
			} else if of != nil && of.how == coarsened { // 28 November: of the year that the observation states
				k.addPosting(of, 200, add)
			}
		}
		if o != l && o.State == "" && o.Atom.Kind == atom.Number && o.Atom.Unit == "" && o.Atom.Num <= 12 && o.Atom.Num >= 2 && o.Atom.Grain == 1 && (o.Atom.InWords || o.Atom.Noun != "") && o.Atom.Offset >= from && o.Atom.Offset < to {
			add(operand{num: o.Atom.Num, grain: 1, noun: atom.NounKey(o.Atom.Noun), text: o.Atom.Text, rank: 60}) // two tickets
			continue
		}
		if o == l || o.State != Carried && o.State != Derived || !o.Atom.Numeric() || o.Atom.Unit == "th" || o.Atom.Part == atom.PartLater {
			continue
		}
		rank := 200
		if o.Given {
			rank = 150
		}
		use := operand{noun: atom.NounKey(o.Atom.Noun), num: o.Atom.Num, grain: o.Atom.Grain, unit: o.Atom.Unit, text: o.Atom.Text, rank: rank, at: o.Atom.Offset, stated: true}
		if len(o.posts) > 0 && o.posts[0] >= 0 {
			use.post = &k.index.posts[o.posts[0]]
		}
		use.per, _ = perOf(text, o.Atom.Offset, o.Atom.Offset+o.Atom.Length)
		if o.State == Derived {
			use.from = o
		}
		add(use)
		if o.exact != 0 && o.exact != use.num { // or of what it is before rounding
			precise := use
			precise.num, precise.rank = o.exact, rank-10
			add(precise)
		}
		if p := use.post; p != nil && o.How == "rounded" { // or of what was rounded
			add(operand{num: p.num, grain: float64(p.grain), unit: atom.UnitNames[p.unit], text: k.index.text(p), rank: rank - 10, at: o.Atom.Offset, post: p, stated: true})
		}
	}
	given := k.given.Atoms()
	for i := range given {
		if g := &given[i]; g.Numeric() && g.Unit != "th" {
			add(operand{num: g.Num, grain: g.Grain, unit: g.Unit, noun: atom.NounKey(g.Noun), text: g.Text, rank: 60})
		} else if d, unit, ok := dateOperand(g.Value); ok && g.Kind == atom.Date {
			add(operand{num: d, grain: 1, unit: unit, text: g.Text, rank: 60})
		}
	}
	if atom.Measures[l.Atom.Unit].Dim == atom.DimTime || l.Atom.Unit == "" && l.Atom.Kind == atom.Number && saysAge(text, from, to, &l.Atom) {
		for _, v := range [...]string{k.ledger.AskedAt, k.ledger.AskedAt[:min(4, len(k.ledger.AskedAt))]} {
			if d, unit, ok := dateOperand(v); ok {
				add(operand{num: d, grain: 1, unit: unit, text: k.ledger.AskedAt, rank: 60, asked: true}) // 95 years old today
			}
		}
	}
	for i := range calendar {
		c := &calendar[i]
		if multiple := c.num == 2 || c.num == 3; c.cues.In(sentence) || multiple && c.cues.In(k.asked) {
			rank := calendarRank
			if c.num == 100 || multiple {
				rank = 60 // its words state it
			}
			o := operand{num: c.num, grain: 1, text: c.text, rank: rank}
			if multiple { // twice for two people is four times
				out = append(out, o)
				continue
			}
			add(o)
		}
	}
	if k.calculated != nil {
		k.hints, k.calculated = k.calculated(), nil
	}
	for i := range k.hints {
		h := &k.hints[i]
		if p := k.posting(h); p != nil || k.given.States(h) != nil {
			add(operand{num: h.Num, grain: h.Grain, unit: h.Unit, text: h.Text, rank: 90, post: p, stated: true})
		}
	}
	k.addRelated(near, beside, add)
	k.addRecords(links, near, from, to, add)
	if slices.ContainsFunc(out, operand.heads) { // for six: a recipe says for how many it is
		for _, i := range k.index.headcounts() {
			if p := &k.index.posts[i]; !k.later(p.obs) {
				k.addPosting(p, 60, add)
			}
		}
	}
	if most > maxOperands {
		k.addAll(add)
	}
	k.scratch.ops = out
	slices.SortStableFunc(out, func(a, b operand) int { return cmp.Compare(b.rank, a.rank) })
	out = out[:min(len(out), most)]
	for i := range out {
		if p := out[i].post; p != nil {
			out[i].locus = k.index.locus(p)
			if out[i].per == (per{}) {
				out[i].per = k.index.perOf(p)
			}
		}
	}
	return out
}

// maxHeadcounts bounds the numbers of those whom something is for that are looked at.
const maxHeadcounts = 8

// headcounts is the postings of the first few such numbers, read once.
func (x *index) headcounts() []int32 {
	if x.heads == nil {
		x.heads = []int32{}
		for i := range x.posts {
			p := &x.posts[i]
			if p.how != asWritten || atom.Kinds[p.kind] != atom.Number {
				continue
			}
			if o := (operand{noun: p.noun, key: x.obs[p.obs].pieces[p.piece].key}); o.heads() {
				if x.heads = append(x.heads, int32(i)); len(x.heads) == maxHeadcounts {
					break
				}
			}
		}
	}
	return x.heads
}

// locus identifies the sentence of a text, or the record, that a posting stands in.
func (x *index) locus(p *posting) uint64 {
	pc := &x.obs[p.obs].pieces[p.piece]
	from := 0
	if len(pc.text) > 40 {
		from, _ = lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
		return uint64(p.obs+1)<<40 | uint64(p.piece+1)<<24 | uint64(from)&0xffffff
	}
	return uint64(p.obs+1) << 40
}

// together reports two postings of one observation that are of one locus.
func (x *index) together(p, q *posting) bool {
	const reach = 300 // bytes: so far before a value its sentence may begin
	long := func(p *posting) bool { return len(x.obs[p.obs].pieces[p.piece].text) > 40 }
	switch {
	case !long(p) && !long(q):
		return true
	case p.piece != q.piece || abs(int(p.off-q.off)) > reach:
		return false
	}
	return x.locus(p) == x.locus(q)
}

// posting is the first posting that states a.
func (k *linker) posting(a *atom.Atom) *posting {
	var first *posting
	k.index.find(a.Key(), func(p *posting) bool {
		if !k.later(p.obs) && p.how == asWritten && k.fitPosting(a, p) > 0 {
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
func (k *linker) addRelated(near lang.Words, beside []uint64, add func(operand)) {
	k.index.related(near, k.question, func(i int32) bool {
		p := &k.index.posts[i]
		if k.later(p.obs) || !atom.Kinds[p.kind].Numeric() && atom.Kinds[p.kind] != atom.Date || atom.UnitNames[p.unit] == "th" {
			return true
		}
		ctx := k.index.context(p)
		if s := 2*near.Shared(ctx) + k.question.Shared(ctx); s >= 2 {
			rank := min(s, 50)
			if k.index.besides(p, beside) {
				rank += 60
			}
			k.addPosting(p, rank, add)
		}
		return true
	})
}

// addPosting adds a posting as an operand: a number, which may be a percentage
// by its key, or a date.
func (k *linker) addPosting(p *posting, rank int, add func(operand)) {
	x := k.index
	o := operand{num: p.num, grain: float64(p.grain), unit: atom.UnitNames[p.unit], noun: p.noun, text: x.text(p), rank: rank, post: p, key: x.obs[p.obs].pieces[p.piece].key}
	if atom.Kinds[p.kind] == atom.Date {
		a := x.atoms(p.obs, p.piece)[p.nth]
		d, unit, ok := dateOperand(a.Value)
		if ok {
			if o.num, o.unit, o.grain = d, unit, 1; unit == unitMoment {
				o.ahead = ahead(o.text)
			}
			add(o)
		}
		return
	}
	pc := &x.obs[p.obs].pieces[p.piece]
	if p.how != converted && identityKey(pc, atom.Kinds[p.kind]) { // a year, a number that names something
		return
	}
	if o.unit == "" && pc.key != "" {
		o.counts = atom.NounHash(lastKeyWord(pc.key))
	}
	add(o)
	if o.unit == "" && k.goal != "" && pc.key != "" && o.noun == 0 && int(p.length) == len(pc.text) && x.unitAround(p.obs, k.goal) {
		stated := o
		stated.unit = k.goal
		add(stated)
	}
	if c := k.goal; atom.IsCurrency(c) && pc.key != "" && (o.unit == "" || p.how == converted) && x.obs[p.obs].currencyBeside() == "" && inMinorUnits(pc.key) { // cents of whatever the answer is in
		minor := o
		if minor.unit = c; p.how != converted {
			minor.num, minor.grain = o.num/100, o.grain/100
		}
		add(minor)
	}
	if o.unit == "" && pc.key != "" && int(p.length) == len(pc.text) {
		if key := lang.Lower(spaced(pc.key)); mayBePercent(key) {
			if o.unit = "%"; math.Abs(o.num) < 1 {
				o.num, o.grain = o.num*100, o.grain*100
			}
			add(o)
		}
	}
}

// unitAround reports whether a record, or the first one of its result, which is
// the envelope, names a unit or a currency in a member of its own.
func (x *index) unitAround(obs int32, unit string) bool {
	names := func(o *Observation) bool {
		for i := range o.pieces {
			p := &o.pieces[i]
			if k := plainKey(p.key); (unitMembers[k] || k == "currency" || k == "currencycode" || k == "ccy") && unitNamed(p.text) == unit {
				return true
			}
		}
		return false
	}
	if names(&x.obs[obs]) {
		return true
	}
	first := obs
	for n := 0; n < maxRows && first > 0 && x.obs[first-1].step == x.obs[obs].step; n++ {
		first--
	}
	return first != obs && names(&x.obs[first])
}

// maxRows bounds how far back of a record its envelope is looked for.
const maxRows = 64

// inMinorUnits reports a key that says cents, or the like.
func inMinorUnits(key string) bool {
	for w := range strings.FieldsSeq(lang.Lower(spaced(key))) {
		if minorUnits[w] != "" {
			return true
		}
	}
	return false
}

// namedRank is what an operand gains whose key the value's sentence names.
const namedRank = 45

// named counts the words of a number's key that the sentence names: "requests",
// and "0.12% of requests".
func (k *linker) named(p *posting, near lang.Words) int {
	key := k.index.obs[p.obs].pieces[p.piece].key
	if key == "" {
		return 0
	}
	of, ok := k.keys[key]
	if !ok {
		if k.keys == nil {
			k.keys = map[string]keySense{}
		}
		of.words.Add(spaced(key))
		of.attr = attributesOf(key)
		if len(k.keys) < maxKeys {
			k.keys[key] = of
		}
	}
	if n := near.Shared(of.words); n > 0 || k.attr&of.attr == 0 {
		return n
	}
	return 1
}

// keySense is what a key of a record says.
type keySense struct {
	words lang.Words
	attr  uint64
}

// maxKeys bounds the keys that are kept.
const maxKeys = 1024

// mayBePercent reports a key whose number may be a percentage: discount, tax_rate.
func mayBePercent(key string) bool {
	for w := range strings.FieldsSeq(key) {
		if slices.Contains(keyWords[lang.Stem(w)], atom.DimPercent) {
			return true
		}
	}
	return false
}

// addRecords adds the numbers and dates of the records that the values of the
// sentence stand in, and of the records that are all that a call returned.
func (k *linker) addRecords(links []Link, near lang.Words, from, to int, add func(operand)) {
	const most, pieces, short, paragraph = 8, 24, 60, 600 // of records, of their members, of a member's bytes, and of the only text there is
	x := k.index
	var done []int32
	record := func(obs int32, rank int) {
		if len(done) >= most || slices.Contains(done, obs) || len(x.obs[obs].pieces) > pieces || k.later(obs) {
			return
		}
		done = append(done, obs)
		if near.Shared(x.obs[obs].own()) > 0 { // the row that the sentence names
			rank += 60
		}
		at := x.firstOf(obs)
		for n := 0; at < len(x.posts) && x.posts[at].obs == obs && n < 2*pieces; at, n = at+1, n+1 {
			if p := &x.posts[at]; (len(x.obs[obs].pieces[p.piece].text) <= short || rank == 1 && len(x.obs[obs].pieces[p.piece].text) <= paragraph && k.oneStep()) && p.how != coarsened && (atom.Kinds[p.kind].Numeric() && atom.UnitNames[p.unit] != "th" || atom.Kinds[p.kind] == atom.Date && p.how == asWritten) {
				own := rank
				switch n := k.named(p, near); {
				case n > 1:
					own += 60
				case n > 0:
					own += namedRank
				}
				if in := x.obs[obs].pieces[p.piece].in; in != "" && near.Names(spaced(in)) { // {"Lodz": {"on_hand": 340, …}}
					own += namedRank
				}
				k.addPosting(p, min(own, 89), add)
			}
		}
	}
	for i := range links {
		if o := &links[i]; o.Atom.Offset >= from && o.Atom.Offset < to && (o.State == Carried || o.State == Derived) {
			for _, obs := range o.Observations {
				record(int32(obs), 12)
			}
		}
	}
	few := len(x.obs) <= most
	for i := len(x.obs) - 1; i >= 0 && len(done) < most; i-- {
		if (few || x.alone(i)) && !x.obs[i].Error {
			record(int32(i), 1)
		}
	}
}

// addAll adds the numbers and the dates of all observations, where they are few.
func (k *linker) addAll(add func(operand)) {
	x := k.index
	if len(x.posts) > 4*maxWideOperands {
		return
	}
	for i := range x.posts {
		p := &x.posts[i]
		if p.how == asWritten && (atom.Kinds[p.kind].Numeric() && atom.UnitNames[p.unit] != "th" || atom.Kinds[p.kind] == atom.Date) && !k.later(p.obs) {
			k.addPosting(p, farRank, add)
		}
	}
}

// farRank is the rank of operands of which nothing says that the value has to do with them.
const farRank = 12

// besides reports whether one of the values stands in the posting's sentence or record.
func (x *index) besides(p *posting, keys []uint64) bool {
	if len(keys) == 0 {
		return false
	}
	o := &x.obs[p.obs]
	pc := &o.pieces[p.piece]
	from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
	atoms := x.atoms(p.obs, p.piece)
	for i := range atoms {
		if a := &atoms[i]; i != int(p.nth) && a.Offset >= from && a.Offset < to && slices.Contains(keys, a.Key()) {
			return true
		}
	}
	if len(pc.text) > 40 || len(o.pieces) > 16 {
		return false
	}
	for i := range o.pieces {
		if int32(i) != p.piece && len(o.pieces[i].text) <= 40 && slices.Contains(keys, lang.Hash(o.pieces[i].text)) {
			return true
		}
	}
	return false
}
