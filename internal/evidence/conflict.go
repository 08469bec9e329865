package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Bounds of the search for conflicts, which keep its work linear.
const (
	maxPaired  = 20_000    // pairs of observations
	maxLaid    = 5_000_000 // pairs of statements, of which most are of different kinds
	maxSought  = 2_000     // bytes of an observation that tell what it is about
	maxSharing = 48        // observations of which a word still tells what they are about
)

// conflicts finds the observations that state different values of one thing:
// those that share a rare word are read and compared.
func (b *builder) conflicts() []Conflict {
	out := []Conflict{}
	if len(b.ledger.Observations) < 2 {
		return out
	}
	x := b.ledger.index
	f := disputes{x: x, steps: b.t.Steps}
	pairs := x.akin()
	if len(pairs) > maxPaired {
		pairs = pairs[:maxPaired]
		b.cut("conflicts")
	}
	laid, weighed := 0, 0
	for _, p := range pairs {
		i, j := int(p>>32), int(uint32(p))
		if f.laterState(&x.obs[i], &x.obs[j]) {
			continue
		}
		r, o := b.readings.of(i), b.readings.of(j)
		laid += r.Len() * o.Len()
		if laid > maxLaid || weighed > dispute.MaxWeighed {
			b.cut("conflicts")
			break
		}
		found, n := r.Against(o)
		weighed += n
		for _, c := range found {
			if c.Nameless && f.askedApart(&x.obs[i], &x.obs[j]) {
				continue
			}
			if len(out) >= MaxPairs {
				b.cut("conflicts")
				return out
			}
			out = append(out, Conflict{A: i, B: j, AtomA: x.disputed(i, c.A), AtomB: x.disputed(j, c.B), PlaceA: x.disputedAt(i, c.A), PlaceB: x.disputedAt(j, c.B), Subject: c.Subject})
		}
	}
	if weighed > dispute.MaxWeighed {
		b.cut("conflicts")
	}
	slices.SortStableFunc(out, func(a, b Conflict) int {
		return cmp.Or(a.A-b.A, a.B-b.B, a.PlaceA.Offset-b.PlaceA.Offset, a.PlaceB.Offset-b.PlaceB.Offset)
	})
	return out
}

// Bits of what an observation can be contradicted in, beside those of dimensions.
const (
	ofWords = 1 << (63 - iota) // states, and names for roles
	ofDates
	ofClocks
	ofCodes
	ofCounts
)

// stakes are the kinds of values of an observation, as bits.
func (x *index) stakes(obs int32) (bits uint64) {
	page := x.obs[obs].page()
	piece, role := int32(-1), roleOther
	for i := x.firstOf(obs); i < len(x.posts) && x.posts[i].obs == obs; i++ {
		p := &x.posts[i]
		if p.how != asWritten {
			continue
		}
		if p.piece != piece {
			piece, role = p.piece, roleOf(x.obs[obs].pieces[p.piece].key).role
		}
		switch role {
		case roleURL, roleAuthority:
			continue
		case roleID, roleDate, roleRank, roleNoise, roleTitle:
			if page {
				continue
			}
		}
		switch kind := atom.Kinds[p.kind]; {
		case kind == atom.Date:
			bits |= ofDates | ofClocks
		case kind == atom.Identifier:
			bits |= ofCodes | ofCounts
		case kind == atom.Money:
			bits |= 2 << atom.DimMoney
		case kind.Numeric() && p.unit == 0:
			bits |= ofCounts | ofDates
		case kind.Numeric():
			if dim := atom.Measures[atom.UnitNames[p.unit]].Dim; dim != atom.DimNone {
				bits |= 2 << dim
			} else {
				bits |= 1 << (32 + p.unit%16)
			}
		}
	}
	return bits
}

// few are so many observations that each is compared with each.
const few = 8

// akin lists the pairs of observations that share a rare word and a kind of values,
// in order, each as two numbers in one.
func (x *index) akin() []uint64 {
	stakes := make([]uint64, len(x.obs))
	for i := range x.obs {
		if !x.obs[i].Error {
			stakes[i] = x.stakes(int32(i)) | 1
		}
	}
	said := make([]dispute.Said, len(x.obs))
	var pairs []uint64
	if len(x.obs) <= few {
		read := [few]bool{}
		saying := func(i int) *dispute.Said {
			if !read[i] {
				read[i] = true
				x.telling(i, said[i].Read)
			}
			return &said[i]
		}
		for i := range x.obs {
			for j := i + 1; j < len(x.obs); j++ {
				if a, b := stakes[i], stakes[j]; a != 0 && b != 0 && (a&b > 1 || !saying(i).Nothing() && saying(i).Against(saying(j))) {
					pairs = append(pairs, uint64(i)<<32|uint64(j))
				}
			}
		}
		return pairs
	}
	type holder struct {
		term uint64
		obs  int32
	}
	var holders []holder
	var own []uint64
	for i := range x.obs {
		if stakes[i] == 0 {
			continue
		}
		own = own[:0]
		x.telling(i, func(text string) {
			dispute.Terms(text, func(h uint64) {
				own = append(own, h)
				said[i].Add(h)
			})
		})
		slices.Sort(own)
		for _, h := range slices.Compact(own) {
			holders = append(holders, holder{h, int32(i)})
		}
	}
	slices.SortFunc(holders, func(a, b holder) int { return cmp.Or(cmp.Compare(a.term, b.term), cmp.Compare(a.obs, b.obs)) })
	for from := 0; from < len(holders); {
		to := from + 1
		for to < len(holders) && holders[to].term == holders[from].term {
			to++
		}
		for i := from; i < to && to-from <= maxSharing; i++ {
			for j := i + 1; j < to; j++ {
				if a, b := holders[i].obs, holders[j].obs; stakes[a]&stakes[b] > 1 || said[a].Against(&said[b]) {
					pairs = append(pairs, uint64(a)<<32|uint64(b))
				}
			}
		}
		from = to
	}
	slices.Sort(pairs)
	return slices.Compact(pairs)
}

// telling calls f for the texts by which an observation is found.
func (x *index) telling(i int, f func(text string)) {
	o := &x.obs[i]
	f(o.Title)
	f(o.about)
	left := maxSought
	for n := range o.pieces {
		p := &o.pieces[n]
		switch roleOf(p.key).role {
		case roleURL, roleAuthority, roleID, roleDate, roleRank, roleNoise:
			continue
		}
		f(p.key)
		text := p.text[:min(len(p.text), left)]
		left -= len(text)
		f(text)
	}
}

type disputes struct {
	x     *index
	steps []*trace.Step
}

func (x *index) disputed(obs int, v dispute.Value) atom.Atom {
	if v.Atom != nil {
		return *v.Atom
	}
	text := x.obs[obs].pieces[v.Part].text[v.Offset : v.Offset+v.Length]
	return atom.Atom{Kind: atom.Name, Value: text, Text: text, Offset: v.Offset, Length: v.Length}
}

func (x *index) disputedAt(obs int, v dispute.Value) Place {
	o := &x.obs[obs]
	return o.pieces[v.Part].place(o.StepID, v.Offset, v.Length)
}

// laterState reports results of one call that was made again: what differs is
// what has happened in between. Pages that it found, which have addresses, are
// sources of their own.
func (f *disputes) laterState(a, b *Observation) bool {
	if a.step == b.step || a.Tool != b.Tool || a.URL != b.URL {
		return false
	}
	x, y := f.steps[a.step].Tool, f.steps[b.step].Tool
	if f.steps[a.step].Kind != trace.KindTool || len(askedFor(f.steps[a.step])) == 0 {
		return false
	}
	return x != nil && y != nil && x.Arguments.Captured() && y.Arguments.Captured() && x.Arguments.Text() == y.Arguments.Text()
}

// askedApart reports results whose calls asked one tool for different things: the weather of two cities.
func (f *disputes) askedApart(a, b *Observation) bool {
	if a.Tool != b.Tool {
		return false
	}
	s, t := askedFor(f.steps[a.step]), askedFor(f.steps[b.step])
	lacks := func(list terms) func(string) bool { return func(w string) bool { return !list.has(w) } }
	return slices.ContainsFunc(s, lacks(t)) && slices.ContainsFunc(t, lacks(s))
}

// askedFor is the words and numbers of a call's arguments that say what about.
// The address of a page says where, not what about: two pages may well differ
// on one thing.
func askedFor(s *trace.Step) terms {
	var out terms
	var add func(v any, key string)
	add = func(v any, key string) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				add(e, k)
			}
		case []any:
			for _, e := range v {
				add(e, key)
			}
		case nil, bool:
		default:
			if !settings[plainKey(key)] {
				for w := range strings.FieldsSeq(lang.Lower(fmt.Sprint(v))) {
					if !strings.Contains(w, "://") {
						out.add(w)
					}
				}
			}
		}
	}
	if s.Tool != nil && s.Tool.Arguments.Captured() {
		add(s.Tool.Arguments.Data(), "")
	}
	return out
}
