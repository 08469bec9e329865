package evidence

import (
	"math"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// leftOver finds what a value that nothing carries stands for where text and evidence
// share no words, since one is Chinese and the other is not: the only number of its unit
// that no value of the text is carried by, and that is not far from it.
func (k *linker) leftOver(a *atom.Atom, text string) *posting {
	const few = 200
	x := k.index
	if !a.Numeric() || a.Unit == "" && a.Noun == "" || a.Num == 0 || len(x.posts) > few {
		return nil
	}
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	han := lang.HasHan(text[from:to])
	var left *posting
	for i := range x.posts {
		p := &x.posts[i]
		if k.later(p.obs) || p.how != asWritten || x.obs[p.obs].Error || !atom.Kinds[p.kind].Numeric() {
			continue
		}
		unit := atom.UnitNames[p.unit]
		if unit != a.Unit && (a.Unit == "" || unit == "" || !atom.SameDimension(unit, a.Unit)) || k.cited(p) {
			continue
		}
		pc := &x.obs[p.obs].pieces[p.piece]
		if identityKey(pc, atom.Kinds[p.kind]) {
			continue
		}
		v, w := a.Num, p.num
		if unit != a.Unit {
			w = convert(w, unit, a.Unit)
		}
		if r := math.Abs(w / v); r > farthest || r < 1/farthest {
			continue
		}
		start, end := lang.Sentence(pc.text, int(p.off), int(p.off+p.length))
		if lang.HasHan(pc.key+pc.text[start:end]) == han || left != nil && (left.num != p.num || left.unit != p.unit) {
			return nil // its words would tell, or there are two
		}
		left = p
	}
	return left
}

// cited reports a number of an observation that a value of the text rests on.
func (k *linker) cited(p *posting) bool {
	for i := range k.ledger.Links {
		l := &k.ledger.Links[i]
		if l.State != Carried && l.State != Derived {
			continue
		}
		for _, at := range l.posts {
			if at >= 0 && (at == p.self || k.index.posts[at].num == p.num && k.index.posts[at].unit == p.unit) {
				return true
			}
		}
	}
	return false
}
