package evidence

import (
	"math"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// A comparison is a filter that a sentence states: above 28 °C, since March,
// 超过100万.
type comparison struct {
	atom  atom.Atom
	above bool // else below
	equal bool // the bound itself is among them
}

// comparators are the words before a bound, longest first where one holds another.
var comparators = []struct {
	text         string
	above, equal bool
}{
	{"at least", true, true}, {"at most", false, true}, {"no more than", false, true}, {"no less than", true, true}, {"not more than", false, true}, {"more than", true, false}, {"less than", false, false},
	{"greater than", true, false}, {"higher than", true, false}, {"lower than", false, false}, {"fewer than", false, false}, {"longer than", true, false}, {"shorter than", false, false},
	{"above", true, false}, {"below", false, false}, {"over", true, false}, {"under", false, false}, {"exceeding", true, false}, {"exceeds", true, false}, {"exceed", true, false}, {"up to", false, true},
	{"since", true, true}, {"from", true, true}, {"after", true, false}, {"before", false, false}, {"until", false, true}, {"by", false, true}, {">=", true, true}, {"<=", false, true}, {"≥", true, true}, {"≤", false, true}, {">", true, false}, {"<", false, false},
	{"不超过", false, true}, {"不低于", true, true}, {"不少于", true, true}, {"超过", true, false}, {"高于", true, false}, {"大于", true, false}, {"低于", false, false}, {"小于", false, false}, {"少于", false, false}, {"不足", false, false}, {"不到", false, false}, {"至少", true, true},
}

// comparisonsOf reads the filters of a text.
func comparisonsOf(text string) []comparison {
	var out []comparison
	low := lang.LowerASCII(text)
	for _, a := range atom.Scan(text) {
		if !a.Numeric() && a.Kind != atom.Date || a.Unit == "th" {
			continue
		}
		before := strings.TrimRight(low[:a.Offset], " $€£*¥")
		for _, c := range comparators {
			if strings.HasSuffix(before, c.text) && (c.text[0] >= 0x80 || !lang.IsLetter(c.text[0]) || len(before) == len(c.text) || !lang.IsLetter(before[len(before)-len(c.text)-1])) {
				out = append(out, comparison{a, c.above, c.equal})
				break
			}
		}
		switch after := strings.TrimLeft(low[a.Offset+a.Length:], " *"); {
		case lang.HasAnyPrefix(after, "or more", "or above", "or higher", "or older", "or longer", "及以上", "以上", "and above", "and over", "plus"):
			out = append(out, comparison{a, true, true})
		case lang.HasAnyPrefix(after, "or less", "or fewer", "or below", "or lower", "or younger", "or shorter", "及以下", "以下", "and below", "and under"):
			out = append(out, comparison{a, false, true})
		}
	}
	return out
}

// holds reports whether a posting keeps the bound; ok whether it can be compared with it.
func (c *comparison) holds(x *index, p *posting) (holds, ok bool) {
	var v, bound float64
	switch {
	case c.atom.Numeric() && atom.Kinds[p.kind].Numeric():
		unit := atom.UnitNames[p.unit]
		if unit != c.atom.Unit && unit != "" && c.atom.Unit != "" && !atom.SameDimension(unit, c.atom.Unit) {
			return false, false
		}
		v, bound = p.num, c.atom.Num
		if unit != "" && c.atom.Unit != "" && unit != c.atom.Unit {
			v = convert(v, unit, c.atom.Unit)
		}
	case c.atom.Kind == atom.Date && atom.Kinds[p.kind] == atom.Date:
		from, to, ok := atom.DayNumber(x.atoms(p.obs, p.piece)[p.nth].Value)
		low, high, known := atom.DayNumber(c.atom.Value)
		if !ok || !known {
			return false, false
		}
		if c.above && !c.equal { // after March: not in it
			return from >= high, true
		}
		if c.above {
			return from >= low, true
		}
		if c.equal {
			return to <= high, true
		}
		return from < low, true
	default:
		return false, false
	}
	switch {
	case math.Abs(v-bound) <= 1e-9*math.Abs(bound):
		return c.equal, true
	case c.above:
		return v > bound, true
	}
	return v < bound, true
}

// compared are the sets of records that the filters of a text pick out, by any of
// their members that can be compared with the bound: neither none nor all.
func (s *selection) compared(text string) []uint64 {
	var out []uint64
	for _, c := range comparisonsOf(text) {
		sets := map[string]uint64{} // by the key of the member
		rows := map[string]uint64{}
		for r, at := range s.posts {
			obs := s.x.posts[at].obs
			if dataKey(s.x.obs[obs].pieces[s.x.posts[at].piece].key) { // one record holds all of them
				if h, ok := c.holds(s.x, &s.x.posts[at]); ok {
					rows[""] |= 1 << r
					if h {
						sets[""] |= 1 << r
					}
				}
				continue
			}
			for i := s.x.firstOf(obs); i < len(s.x.posts) && s.x.posts[i].obs == obs; i++ {
				p := &s.x.posts[i]
				if p.how != asWritten {
					continue
				}
				if h, ok := c.holds(s.x, p); ok {
					key := s.x.obs[obs].pieces[p.piece].key
					rows[key] |= 1 << r
					if h {
						sets[key] |= 1 << r
					}
				}
			}
		}
		for key, set := range sets {
			if rows[key] == s.all() && set != s.all() && !slices.Contains(out, set) {
				out = append(out, set)
			}
		}
	}
	slices.Sort(out)
	return out
}

// extremes are the largest, the smallest, the first and the last records, as many as
// the text says: the two largest, the top three, 前三.
func (s *selection) extremes(text string) []uint64 {
	var out []uint64
	for _, a := range atom.Scan(text) {
		n := int(a.Num)
		if a.Kind != atom.Number && atom.Measures[a.Unit].Dim != atom.DimTime || n < 2 || float64(n) != a.Num || n >= len(s.posts) {
			continue
		}
		before, after := text[max(0, a.Offset-24):a.Offset], text[a.Offset+a.Length:min(len(text), a.Offset+a.Length+24)]
		if !orderingWords.In(before) && !orderingWords.In(after) {
			continue
		}
		last, small := s.all()&^(1<<(len(s.posts)-n)-1), s.all()&^s.largest(len(s.posts)-n)
		out = append(out, s.largest(n), small, 1<<n-1, last)
	}
	return out
}

var orderingWords = lang.MakePhrases("top", "largest", "biggest", "highest", "smallest", "lowest", "best", "worst", "first", "last", "latest", "oldest", "newest", "most", "least", "longest", "shortest", "cheapest", "dearest", "strongest", "fastest", "slowest", "最", "前", "后", "头")

// largest is the n largest of the list.
func (s *selection) largest(n int) uint64 {
	var set uint64
	for range n {
		best := -1
		for r, at := range s.posts {
			if set>>r&1 == 0 && (best < 0 || s.x.posts[at].num > s.x.posts[s.posts[best]].num) {
				best = r
			}
		}
		set |= 1 << best
	}
	return set
}

// called are the sets of records that the dates, codes and names of a text, and
// the words of which a member is the abbreviation, pick out.
func (s *selection) called(text string) []uint64 {
	var out []uint64
	note := func(set uint64) {
		if set != 0 && set != s.all() && !slices.Contains(out, set) {
			out = append(out, set)
		}
	}
	for _, a := range atom.Scan(text) {
		if a.Kind != atom.Date && a.Kind != atom.Identifier && a.Kind != atom.Name {
			continue
		}
		key, set := a.Key(), uint64(0)
		for r := range s.posts {
			if s.states(r, key) {
				set |= 1 << r
			}
		}
		note(set)
	}
	low := lang.LowerASCII(text)
	for start, end := nextWord(low, 0); start < end; start, end = nextWord(low, end) {
		if end-start < 5 {
			continue
		}
		set := uint64(0)
		for r, at := range s.posts {
			o := &s.x.obs[s.x.posts[at].obs]
			for i := range o.pieces {
				if t := o.pieces[i].text; len(t) >= 2 && len(t) <= end-start-2 && len(t) < 7 && lang.IsLetter(t[0]) && strings.EqualFold(t, low[start:start+len(t)]) {
					set |= 1 << r
				}
			}
		}
		note(set)
	}
	return out
}

// states reports a record that says the date, the code or the name of a key.
func (s *selection) states(r int, key uint64) bool {
	p := &s.x.posts[s.posts[r]]
	o := &s.x.obs[p.obs]
	within := dataKey(o.pieces[p.piece].key)
	for i := range o.pieces {
		pc := &o.pieces[i]
		if within != pc.named || within && pc.text != o.pieces[p.piece].key || len(pc.text) > 60 {
			continue
		}
		for _, a := range s.x.atoms(p.obs, int32(i)) {
			if a.Kind != atom.Date && a.Kind != atom.Identifier && a.Kind != atom.Name {
				continue
			}
			if a.Key() == key {
				return true
			}
			if a.Kind == atom.Date && slices.ContainsFunc(atom.Coarser(a.Value), func(v string) bool { return lang.Hash(v) == key }) {
				return true
			}
		}
	}
	return false
}
