package evidence

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// maxRivals bounds the values that are looked at as those which a statement may
// name instead.
const maxRivals = 256

// namedInstead is the value that a statement of the text names by all that it names the
// posting at by, and by more, where that value is another one than the text's; -1
// where there is none. What the statement says is read clause by clause, from the
// value's own to what the sentence and the one before speak of, as far as it takes
// to tell the rows apart. A tool's arguments state nothing of anything.
func (k *linker) namedInstead(a *atom.Atom, at int32, text string) int32 {
	if k.acted == nil || a.Part != 0 || a.InWords || identityKey(&k.index.obs[k.index.posts[at].obs].pieces[k.index.posts[at].piece], a.Kind) {
		return -1
	}
	rivals := k.rivals(&k.index.posts[at])
	if len(rivals) == 0 {
		return -1
	}
	r := rivalry{k: k, a: a, own: k.namingOf(at), at: at, rivals: rivals, text: text}
	r.from, r.to = saying(text, a)
	if row, column, ok := cellOf(text, a); ok {
		for _, s := range [...]string{row, column} {
			addWords(&r.clause, s, atom.Scan(s), 0, len(s), nil, true)
		}
		r.said = r.clause
		q, _ := r.decide()
		return q
	}
	segs := segments(k.scratch.segs[:0], text, r.from, r.to)
	k.scratch.segs = segs
	n := 0
	for n+1 < len(segs) && segs[n+1].from <= a.Offset {
		n++
	}
	if manifold(text[segs[n].from:segs[n].to], a.Offset-segs[n].from) {
		return -1
	}
	r.segs, r.n = segs, n
	k.addTokens(&r.clause, text, segs[n].from, segs[n].to, a, true)
	r.said = slices.Clone(r.clause)
	for i := n; ; {
		if q, done := r.decide(); done {
			return q
		}
		if segs[n].against {
			return -1
		}
		for i--; i >= 0 && segs[i].against; i-- {
		}
		if i < 0 {
			break
		}
		k.addTokens(&r.said, text, segs[i].from, segs[i].to, nil, false)
	}
	low, high, ok := sayingBefore(text, r.from)
	if !ok || !resumes(text[r.from:r.to]) || manifold(text[low:high], high-low) {
		return -1
	}
	before := segments(nil, text, low, high)
	if r.own.key != "" {
		k.addTokens(&r.said, text, before[0].from, before[0].to, nil, false)
	}
	for i := range k.scratch.atoms {
		if b := &k.scratch.atoms[i]; b.Kind == atom.Name && b.Offset >= before[0].from && b.Offset < before[0].to {
			r.said.Add(b.Text)
		}
	}
	q, _ := r.decide()
	return q
}

// rivalry is one value of a text, what states it, and what else the text may speak of.
type rivalry struct {
	k        *linker
	a        *atom.Atom
	own      *naming
	at       int32 // the posting that states it
	rivals   []int32
	text     string
	from, to int        // of the statement
	clause   lang.Words // of the value's clause
	said     lang.Words // of the clauses that have been read
	all      lang.Words // of the statement; see whole
	segs     []segment  // its parts, of which the value's is the n-th; none of a table
	n        int
}

// whole is the words of the statement, read on demand.
func (r *rivalry) whole() lang.Words {
	if r.all == nil {
		r.all = slices.Clone(r.clause)
		for i := range r.segs {
			if i != r.n && !r.segs[i].against {
				r.k.addTokens(&r.all, r.text, r.segs[i].from, r.segs[i].to, r.a, true)
			}
		}
	}
	return r.all
}

// decide is the rival that what was said names; done is false where nothing tells
// which row is spoken of.
func (r *rivalry) decide() (found int32, done bool) {
	x := r.k.index
	found = -1
	apart := false // a row is named that not all have
	for _, at := range r.rivals {
		other := r.k.namingOf(at)
		all, labelled := true, false
		for _, h := range r.said {
			if !r.own.has(h) {
				continue
			}
			all = all && other.has(h)
			apart = apart || r.own.row.Has(h) && !other.has(h)
			labelled = labelled || r.own.label.Has(h)
		}
		if !all {
			continue
		}
		row, label := false, false // what names the rival alone
		for _, h := range r.said {
			if !r.own.has(h) {
				row = row || other.row.Has(h)
				label = label || other.label.Has(h)
			}
		}
		q := &x.posts[at]
		switch {
		case other.key != "" && other.key == r.own.key:
			if !row {
				continue
			}
		case !row && !label && !r.inFull(other), r.clause.Shared(other.label) == 0 && !(row && r.parallel(q, other)):
			continue
		case !row && (labelled && (other.key == "" || r.own.key == "") || r.rowNamed(other)):
			continue
		case !r.comparable(&x.posts[r.at], q, other):
			continue
		}
		if of, rate := perOf(r.text, r.a.Offset, r.a.Offset+r.a.Length); rate && x.perOf(q) != of && x.perOf(q) != (per{}) {
			continue
		}
		b := x.atoms(q.obs, q.piece)[q.nth]
		if dispute.Agree(r.a, &b) || roundsTo(r.a, &b) || r.stated(&b) {
			return -1, true
		}
		if found < 0 {
			found = at
		}
	}
	return found, found >= 0 || apart
}

// inFull reports a clause that says no more than a rival's key in full, of which the
// value's own has more words: profit, and last year's profit.
func (r *rivalry) inFull(other *naming) bool {
	if other.key == "" || r.own.key == "" || other.obs != r.own.obs || other.in != r.own.in || len(other.label) >= len(r.own.label) || r.clause.Shared(other.label) == 0 {
		return false
	}
	for _, h := range other.label {
		if !r.own.label.Has(h) {
			return false
		}
	}
	return !slices.ContainsFunc(r.clause, func(h uint64) bool { return !other.has(h) }) && !slices.ContainsFunc(r.whole(), func(h uint64) bool { return r.own.label.Has(h) && !other.has(h) })
}

// comparable reports bare numbers that may be of one attribute: they count the same,
// the same word is before them, or the clause names the rival's key.
func (r *rivalry) comparable(p, q *posting, other *naming) bool {
	if !atom.Kinds[p.kind].Numeric() || p.unit != 0 || q.unit != 0 || p.noun != 0 && p.noun == q.noun {
		return true
	}
	if other.key == "" || r.own.key == "" {
		lead := r.k.index.leadOf(q)
		return lead != 0 && lead == r.k.index.leadOf(p)
	}
	if p.num > 20*q.num || q.num > 20*p.num {
		return false
	}
	return r.own.label.Shared(other.label) > 0 || !slices.ContainsFunc(other.label, func(h uint64) bool { return !r.clause.Has(h) })
}

// leadOf is the word right before a number of a text: floor 5.
func (x *index) leadOf(p *posting) uint64 {
	text := x.obs[p.obs].pieces[p.piece].text
	var lead uint64
	from := max(0, int(p.off)-40)
	lang.EachWord(text[from:p.off], func(_, end int, h uint64) {
		if lead = 0; strings.TrimLeft(text[from+end:p.off], " :=") == "" {
			lead = h
		}
	})
	return lead
}

// parallel reports a rival of another statement that stands there as the value does in
// its own: behind the same word, or as the only one of its dimension.
func (r *rivalry) parallel(q *posting, other *naming) bool {
	if lead := r.k.index.leadOf(q); lead != 0 && lead == r.k.index.leadOf(&r.k.index.posts[r.at]) {
		return true
	}
	return r.own.only && other.only
}

// onlyOne reports a value that has a dimension which no other one of its statement has.
func (x *index) onlyOne(p *posting, from, to int) bool {
	if p.unit == 0 {
		return false
	}
	for _, a := range x.atoms(p.obs, p.piece) {
		if a.Offset >= from && a.Offset < to && a.Offset != int(p.off) && a.Unit != "" && atom.SameDimension(a.Unit, atom.UnitNames[p.unit]) {
			return false
		}
	}
	return true
}

// rowNamed reports a statement that names the value's own row by something that the
// rival's does not have.
func (r *rivalry) rowNamed(other *naming) bool {
	return slices.ContainsFunc(r.whole(), func(h uint64) bool { return r.own.row.Has(h) && !other.has(h) })
}

// stated reports a value that another one of the statement is.
func (r *rivalry) stated(b *atom.Atom) bool {
	for i := range r.k.scratch.atoms {
		c := &r.k.scratch.atoms[i]
		if c.Offset >= r.from && c.Offset < r.to && c.Offset != r.a.Offset && (dispute.Agree(c, b) || roundsTo(c, b)) {
			return true
		}
	}
	return false
}

// rivals are the values of the result, or of the results of the tool, that may be what
// a text means instead of one of them.
func (k *linker) rivals(p *posting) []int32 {
	x := k.index
	tool := x.obs[p.obs].Tool
	same := func(obs int32) bool {
		return x.obs[obs].step == x.obs[p.obs].step || x.obs[obs].Tool == tool && tool != ""
	}
	first, last := p.obs, p.obs
	for first > 0 && same(first-1) && p.obs-first < maxSelected {
		first--
	}
	for int(last)+1 < len(x.obs) && same(last+1) && last-p.obs < maxSelected {
		last++
	}
	var out []int32
	from, until := x.firstOf(first), x.firstOf(last+1)
	if until-from > maxBeside || !k.heard(until-from) {
		return nil
	}
	for i := from; i < until; i++ {
		q := &x.posts[i]
		if len(out) > maxRivals {
			return nil
		}
		if q.self != p.self && q.how == asWritten && q.key != p.key && !k.later(q.obs) && x.rivaling(p, q) {
			out = append(out, int32(i))
		}
	}
	return out
}

// rivaling reports values of one kind, and of one key unless their unit or noun says
// that they may be of one attribute.
func (x *index) rivaling(p, q *posting) bool {
	kp, kq := atom.Kinds[p.kind], atom.Kinds[q.kind]
	if !kindsCompare(kp, kq) {
		return false
	}
	b, c := &x.obs[p.obs].pieces[p.piece], &x.obs[q.obs].pieces[q.piece]
	oneKey := b.key != "" && b.key == c.key && x.fills(p) && x.fills(q)
	switch {
	case kp == atom.Date:
		return dateShape(x.atoms(p.obs, p.piece)[p.nth].Value) == dateShape(x.atoms(q.obs, q.piece)[q.nth].Value)
	case !kp.Numeric():
		return oneKey && kp == atom.Identifier
	case p.unit == 0 && q.unit == 0:
		return true // see comparable
	}
	u, v := atom.UnitNames[p.unit], atom.UnitNames[q.unit]
	return u == v || atom.SameDimension(u, v)
}
