package evidence

import (
	"math"
	"slices"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// contradicted reports whether an observation says otherwise of what the value
// is said of.
func (k *linker) contradicted(l *Link, text string) bool {
	if !k.heard(min(len(k.index.posts), maxCopies)) {
		return false
	}
	near := make(lang.Words, 0, 24)
	from, to := lang.Sentence(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	near.Add(text[from:to])
	k.otherwise(l, text, near)
	if _, rate := perOf(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length); l.State != Contradicted && !rate {
		k.recordSays(l, text)
	}
	if l.State != Contradicted {
		k.miscopied(l, text, near)
	}
	if l.State != Contradicted {
		if p := k.leftOver(&l.Atom, text); p != nil {
			k.deny(l, p)
		}
	}
	return l.State == Contradicted
}

// maxSaid bounds the observations that are named as saying otherwise.
const maxSaid = 8

// otherwise finds the observations that state another value of the thing and the
// attribute that the text states this one of.
func (k *linker) otherwise(l *Link, text string, near lang.Words) {
	if k.readings == nil {
		return
	}
	if k.statements == nil {
		k.statements = dispute.Read(&dispute.Source{Title: k.asked, Parts: []dispute.Part{{Text: text, Atoms: k.scratch.atoms, Prose: true}}})
		k.disputes = map[int32][]dispute.Conflict{}
	}
	if !k.statements.Has(l.Atom.Offset, l.Atom.Length) {
		return
	}
	own, rate := perOf(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	for _, obs := range k.about(near) {
		found, ok := k.disputes[obs]
		if !ok {
			found = k.readings.against(k.statements, int(obs))
			k.disputes[obs] = found
		}
		for i := range found {
			c := &found[i]
			if c.Lonely || c.A.Offset != l.Atom.Offset || c.A.Length != l.Atom.Length {
				continue
			}
			p := k.index.at(obs, &c.B)
			if p == nil || !mistakable(&l.Atom, p) || rate && k.index.perOf(p) != own { // $0.35 per GB, and a price of $15
				continue
			}
			if k.says(l, p); len(l.Observations) >= maxSaid {
				return
			}
		}
	}
}

// farthest is how many times another value may be what a text misstates.
const farthest = 2.0

// mistakable reports a value of an observation that a text may have meant by another
// one: a number is misstated as one not far from it, or in another scale. What is far from
// it is another thing, or was made of it.
func mistakable(a *atom.Atom, p *posting) bool {
	if !a.Numeric() || !atom.Kinds[p.kind].Numeric() || a.Num == 0 || p.num == 0 {
		return true
	}
	v := p.num
	switch unit := atom.UnitNames[p.unit]; {
	case atom.Measures[a.Unit].Dim == atom.DimTemperature:
		return true
	case unit != a.Unit && atom.SameDimension(unit, a.Unit):
		v = convert(v, unit, a.Unit)
	case unit == "" && a.Unit == "%" && math.Abs(v) <= 1:
		v *= 100
	}
	r := math.Abs(v / a.Num)
	scale := math.Log10(r)
	return r <= farthest && r >= 1/farthest || math.Abs(scale-math.Round(scale)) < 1e-9 ||
		p.unit == 0 && a.Unit != "" && r <= 100*farthest && r >= 100/farthest // cents
}

// says makes a link contradicted by what one more observation states.
func (k *linker) says(l *Link, p *posting) {
	l.State = Contradicted
	n := len(l.Observations)
	if k.source(l, p); len(l.Observations) > n {
		l.Operands = append(l.Operands, k.index.text(p))
	}
}

// deny makes a link contradicted by what observations state, whatever it was.
func (k *linker) deny(l *Link, by ...*posting) {
	*l = Link{Place: l.Place, Atom: l.Atom}
	for _, p := range by {
		k.says(l, p)
	}
}

// about lists the observations that may be about a sentence: all where there are
// few, else those that share rare words, and those that are all of a result.
func (k *linker) about(near lang.Words) []int32 {
	const few, most = 200, 16
	x := k.index
	var out []int32
	speaks := func(obs int32) bool { return !k.later(obs) && !x.obs[obs].Error }
	if len(x.obs) <= few {
		for i := range int32(len(x.obs)) {
			if speaks(i) {
				out = append(out, i)
			}
		}
		return out
	}
	add := func(obs int32) {
		if speaks(obs) && !slices.Contains(out, obs) {
			out = append(out, obs)
		}
	}
	x.related(near, nil, func(i int32) bool { add(x.posts[i].obs); return len(out) < most })
	for i := len(x.obs) - 1; i >= 0 && len(out) < most; i-- {
		if x.alone(i) {
			add(int32(i))
		}
	}
	return out
}

// at is the posting of a value of an observation; nil where it has none.
func (x *index) at(obs int32, v *dispute.Value) *posting {
	for i := x.firstOf(obs); i < len(x.posts) && x.posts[i].obs == obs; i++ {
		if p := &x.posts[i]; int(p.piece) == v.Part && int(p.off) == v.Offset && int(p.length) == v.Length {
			return p
		}
	}
	return nil
}

func kindsCompare(a, b atom.Kind) bool { return a == b || a.Numeric() && b.Numeric() }
