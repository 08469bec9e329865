package evidence

import (
	"math"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// candidate is a posting that may carry a value.
type candidate struct {
	p     *posting
	fit   int  // 3 same unit, 2 a unit is missing, 1 another thing is counted
	score int  // words in common
	home  bool // it stands where another value of the sentence does
}

const maxCandidates = 96

// carriers are the postings that state the value, those on the same subject
// where they can be told apart. They are good until the next call.
func (k *linker) carriers(a *atom.Atom, sentence string) []candidate {
	found := k.scratch.found[:0]
	k.index.find(a.Key(), func(p *posting) bool {
		if k.later(p.obs) || p.how != asWritten {
			return true
		}
		if f := k.fitPosting(a, p); f > 0 && (a.Part != atom.PartFirst || math.Abs(p.num-a.Num) <= 1e-9*a.Num) {
			found = append(found, candidate{p: p, fit: f})
		}
		return len(found) < maxCandidates
	})
	k.scratch.found = found
	if len(found) == 1 && found[0].fit == 3 && (a.Unit != "" || !a.Numeric() || math.Abs(a.Num) >= 13) {
		return found // the only place that there is: its context decides nothing
	}
	if len(found) == 0 {
		return nil
	}
	return k.choose(a, found, k.wordsOf(sentence))
}

// choose keeps the candidates on the value's subject.
func (k *linker) choose(a *atom.Atom, found []candidate, near lang.Words) []candidate {
	if len(found) == 0 {
		return nil
	}
	best, bestFit := 0, 0
	for i := range found {
		c := &found[i]
		ctx := k.index.context(c.p)
		ctx.Add(spaced(k.index.obs[c.p.obs].pieces[c.p.piece].in))
		c.score = 2*near.Shared(ctx) + k.question.Shared(ctx)
		if c.fit == 3 {
			c.score++
		}
		if c.home = len(k.beside) > 0 && slices.Contains(k.beside, k.index.locus(c.p)); c.home {
			c.score += 2
		}
		if c.fit == 2 && a.Unit != "" && c.p.unit == 0 {
			switch k.index.keySays(c.p, a) {
			case fits, isAll:
				c.score += 2
			case differs:
				c.fit, c.score = 1, 0
			case saysNothing: // {"was": 200, "currency": "USD"}
				if a.Kind == atom.Money && atom.Currencies[strings.ToUpper(k.index.obs[c.p.obs].currencyBeside())] == a.Unit {
					c.score += 2
				}
			}
		}
		best, bestFit = max(best, c.score), max(bestFit, c.fit)
	}
	only := len(found) == 1 && k.foreign(found[0].p, a)
	kept := found[:0]
	for _, c := range found {
		switch {
		case only && c.fit > 1: // whose words say nothing
			kept = append(kept, c)
		case a.Kind == atom.Identifier && k.index.identifies(c.p): // #20, and {"id": 20}
			kept = append(kept, c)
		case c.score*2 < best && best > 2:
		case c.fit < bestFit && c.score < best && c.fit == 1:
		case c.fit == 1 && c.score < 3 && a.Significant() < 5:
		case c.home && c.fit > 1:
			kept = append(kept, c)
		case c.fit == 2 && a.Unit != "" && c.p.unit == 0 && a.Significant() < 2 && k.unnamed(c.p, a, near) && (c.p.num == a.Num || !k.sole(a, c.p)):
		case c.fit == 2 && c.score == 0 && a.Significant() < 3 && !(k.index.counts(c.p) && a.Noun != "") && !k.sole(a, c.p) && !(k.again && a.Unit == "" && a.Noun == "" && a.Significant() > 1 && !k.index.identifies(c.p) && k.rare(a, a.Grain*.5, c.p)):
		case c.fit == 3 && c.score <= 1 && a.Unit == "" && a.Numeric() && math.Abs(a.Num) < 13:
		case a.Kind == atom.Number && a.Unit == "" && math.Abs(a.Num) < 13 && !k.rowNamed(c.p, near):
		default:
			kept = append(kept, c)
		}
	}
	return kept
}

// identifies reports a posting that is the id of a record.
func (x *index) identifies(p *posting) bool {
	return roleOf(x.obs[p.obs].pieces[p.piece].key).role == roleID
}

// foreign reports a number of an observation whose words are in another script than the
// sentence that was read last.
func (k *linker) foreign(p *posting, a *atom.Atom) bool {
	pc := &k.index.obs[p.obs].pieces[p.piece]
	from, to := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
	before, after := pc.text[from:int(p.off)], pc.text[int(p.off+p.length):to]
	if pc.key == "" && before == "" && after == "" {
		return false
	}
	return lang.HasHan(k.spoken) != (lang.HasHan(pc.key) || lang.HasHan(before) || lang.HasHan(after))
}

// unnamed reports the number of a record that a small value with a unit is not taken
// from: neither its key nor its record allows the unit, and the sentence does not name the key.
func (k *linker) unnamed(p *posting, a *atom.Atom, near lang.Words) bool {
	pc := &k.index.obs[p.obs].pieces[p.piece]
	if pc.key == "" || int(p.length) != len(pc.text) || atom.Units[lastKeyWord(pc.key)] == a.Unit || generalKeys[plainKey(pc.key)] || near.Names(spaced(pc.key)) || near.Names(spaced(pc.in)) {
		return false
	}
	return k.index.keySays(p, a) == saysNothing && !k.index.unitAround(p.obs, a.Unit) && !(a.Kind == atom.Money && k.index.obs[p.obs].currencyBeside() != "")
}

// rowNamed reports a number of a record that a small count can be taken from: the
// record is not one of a list, or its sentence names the key or
// something that no other record of the list has. "4 open orders" is not the number
// of items of one of them.
func (k *linker) rowNamed(p *posting, near lang.Words) bool {
	obs, o := k.index.obs, &k.index.obs[p.obs]
	key := o.pieces[p.piece].key
	if key == "" || k.index.counts(p) || near.Names(spaced(key)) {
		return true
	}
	at, rows, others, alike := int(p.obs), 1, lang.Words{}, true
	for _, step := range [2]int{-1, 1} {
		for i := at + step; i >= 0 && i < len(obs) && obs[i].step == o.step && rows <= maxSelected; i += step {
			if obs[i].hasKey(key) {
				rows++
				alike = alike && obs[i].states(key, o.pieces[p.piece].text)
				others = append(others, obs[i].identity()...)
			}
		}
	}
	if rows < 3 || rows > maxSelected || alike { // or all say so
		return true
	}
	own := o.identity()
	for _, h := range near {
		if own.Has(h) && !others.Has(h) {
			return true
		}
	}
	return false
}

func (o *Observation) hasKey(key string) bool {
	for i := range o.pieces {
		if o.pieces[i].key == key {
			return true
		}
	}
	return false
}

// take makes a link carried by the candidates.
func (k *linker) take(l *Link, found []candidate) {
	l.State = Carried
	for _, c := range found {
		k.source(l, c.p)
	}
}

// source adds a posting's observation to a link, once.
func (k *linker) source(l *Link, p *posting) {
	for _, o := range l.Observations {
		if o == int(p.obs) {
			return
		}
	}
	if l.Observations == nil {
		k.room.take(l)
	}
	l.Observations = append(l.Observations, int(p.obs))
	l.posts = append(l.posts, p.self)
	l.Sources = append(l.Sources, k.index.place(p))
	l.Quotes = append(l.Quotes, quoteOf(k.index.obs[p.obs].pieces[p.piece].text, int(p.off), int(p.off+p.length)))
}

// room is memory for the lists of links, which mostly have one or two members.
type room struct {
	observations []int
	posts        []int32
	places       []Place
	quotes       []string
	used         int
}

// take gives a link lists of room for two.
func (r *room) take(l *Link) {
	const each, chunk = 2, 16
	if r.used+each > len(r.observations) {
		n := max(chunk, min(2*len(r.observations), recycledMax))
		*r = room{make([]int, n), make([]int32, n), make([]Place, n), make([]string, n), 0}
	}
	from, to := r.used, r.used+each
	l.Observations, l.posts, l.Sources, l.Quotes = r.observations[from:from:to], r.posts[from:from:to], r.places[from:from:to], r.quotes[from:from:to]
	r.used = to
}

// renew makes room for other links: nothing looks at the lists any more.
func (r *room) renew() {
	clear(r.places[:r.used])
	clear(r.quotes[:r.used])
	r.used = 0
}

// quoteOf is the sentence around the bytes from off to end.
func quoteOf(text string, off, end int) string {
	from, to := lang.Sentence(text, off, end)
	return strings.TrimSpace(text[from:to])
}

// splitName links a name that nothing states, and the number or code at its end,
// each by itself: Lyon 42, Nonstop QZ512.
func (k *linker) splitName(a *atom.Atom, sentence string, place func(off, length int) Place) bool {
	at := strings.LastIndexByte(a.Text, ' ')
	if at < 0 || !strings.ContainsAny(a.Text[at:], "0123456789") {
		return false
	}
	head, tail := atom.Atom{}, atom.Atom{}
	for _, part := range [...]struct {
		into *atom.Atom
		from int
		text string
	}{{&head, 0, a.Text[:at]}, {&tail, at + 1, a.Text[at+1:]}} {
		atoms := atom.Scan(part.text)
		if len(atoms) != 1 || atoms[0].Length != len(part.text) {
			if part.into == &head && len(atoms) == 0 {
				continue // a common word
			}
			return false
		}
		*part.into = atoms[0]
		part.into.Offset = a.Offset + part.from
	}
	rest := Link{Place: place(tail.Offset, tail.Length), Atom: tail}
	if !k.direct(&rest, sentence) {
		return false
	}
	if head.Kind != "" {
		l := Link{Place: place(head.Offset, head.Length), Atom: head}
		switch {
		case k.direct(&l, sentence):
			k.ledger.Links = append(k.ledger.Links, l)
		case strings.IndexByte(head.Text, ' ') >= 0 || !strings.HasPrefix(strings.TrimLeft(sentence, " "), head.Text):
			return false
		}
	}
	k.ledger.Links = append(k.ledger.Links, rest)
	return true
}

func (k *linker) fitPosting(a *atom.Atom, p *posting) int {
	return a.Fit(atom.Kinds[p.kind], atom.UnitNames[p.unit], p.noun)
}
