package dispute

import (
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Terms calls f for the words of a text by which sources of one thing are found:
// Latin words and codes, Chinese as pairs of characters, places in either
// language. Words that carry no content are left out.
func Terms(text string, f func(uint64)) { terms(text, nil, f) }

// terms leaves out the Latin words without digits that have none of the shapes, if
// there are any.
func terms(text string, of *shapes, f func(uint64)) {
	var prev rune
	at := 0
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case lang.IsAlnum(c):
			prev = 0
			start, digits, joined := i, false, false
			for i < len(text) {
				if !lang.IsAlnum(text[i]) {
					if text[i] != '-' && text[i] != '_' || i+1 >= len(text) || !lang.IsAlnum(text[i+1]) {
						break
					}
					joined = true
				}
				digits = digits || lang.IsDigit(text[i])
				i++
			}
			switch w := text[start:i]; {
			case digits && strings.Trim(w, "0123456789-") == "" && len(w) < 5 || len(w) < 2:
			case digits:
				f(lang.Hash(squeeze(w)))
			case joined:
				for p := range strings.FieldsFuncSeq(w, func(r rune) bool { return r == '-' || r == '_' }) {
					word(p, of, f)
				}
			default:
				word(w, of, f)
			}
		case c >= utf8.RuneSelf && hanAt(text, i):
			r, w := utf8.DecodeRuneInString(text[i:])
			if lang.IsHanStop(r) {
				prev = 0
			} else {
				if prev != 0 {
					f(lang.Hash(text[at : i+w]))
				}
				if p := placeAt(text[i:], r); p != "" {
					f(lang.Hash(lang.Stem(p)))
				}
				prev, at = r, i
			}
			i += w
		default:
			_, w := utf8.DecodeRuneInString(text[i:])
			prev = 0
			i += w
		}
	}
}

func word(w string, of *shapes, f func(uint64)) {
	if of != nil && !of.may(w) {
		return
	}
	if !lang.IsStop(w) || lang.Lookup(telling, w) {
		f(lang.Hash(lang.Stem(lowerEnd(w))))
	}
}

// lowerEnd is a word whose ending, of at most four letters, is in lower case. The case of
// the others is nothing to a hash.
func lowerEnd(w string) string {
	for i := max(0, len(w)-4); i < len(w); i++ {
		if lang.IsUpper(w[i]) {
			return lang.LowerASCII(w)
		}
	}
	return w
}

// telling are stop words that state something.
var telling = lang.Set("not no without")

// placeAt is the English name of the place that a Chinese text begins with.
func placeAt(s string, r rune) string {
	for _, p := range lexicon().places[r] {
		if strings.HasPrefix(s, p.text) {
			return p.name
		}
	}
	return ""
}

// Said is what the words of a text can be values of: states, of which two words
// exclude each other, and roles, beside which names stand.
type Said struct {
	states  [2]uint64 // two bits for each group of states
	roles   [2]uint64
	negates bool
}

// Add notes a word as [Terms] has it.
func (s *Said) Add(h uint64) {
	x := spoken()
	i := h % uint64(64*len(x.bits))
	if x.bits[i/64]&(1<<(i%64)) == 0 { // most words
		return
	}
	o := x.of[h]
	s.join(&o)
}

func (s *Said) join(o *Said) {
	s.states[0] |= o.states[0]
	s.states[1] |= o.states[1]
	s.roles[0] |= o.roles[0]
	s.roles[1] |= o.roles[1]
	s.negates = s.negates || o.negates
}

// Read notes the words of a text.
func (s *Said) Read(text string) { terms(text, &spoken().shapes, s.Add) }

// Nothing reports that no word is a value: no other text is against it.
func (s *Said) Nothing() bool { return s.roles == [2]uint64{} && s.states == [2]uint64{} }

// Against reports texts that may state opposite states of a thing, or two names for a role.
func (s *Said) Against(o *Said) bool {
	if s.roles[0]&o.roles[0]|s.roles[1]&o.roles[1] != 0 {
		return true
	}
	const first = 0x5555555555555555
	for i := range s.states {
		a, b := s.states[i], o.states[i]
		if s.negates || o.negates {
			a |= a&first<<1 | a>>1&first
		}
		if a&first<<1&b|b&first<<1&a != 0 {
			return true
		}
	}
	return false
}

// spoken is what each word says, and what tells most others apart.
var spoken = sync.OnceValue(func() *spokenWords {
	x := &spokenWords{of: make(map[uint64]Said, 2048)}
	lexicon().each(func(w string, marks []mark) {
		var said Said
		for _, k := range marks {
			if k.state > 0 {
				at := 2*int(k.state-1) + int(k.class)
				said.states[at/64] |= 1 << (at % 64)
			}
			if k.kinds&name != 0 {
				said.roles[k.concept/64%2] |= 1 << (k.concept % 64)
			}
		}
		if said != (Said{}) {
			x.add(w, &said)
		}
	})
	for _, w := range []string{"not", "never", "longer", "isn", "wasn", "aren", "doesn", "didn", "hasn", "尚未", "从未", "并未", "没有"} {
		x.add(w, &Said{negates: true})
	}
	return x
})

type spokenWords struct {
	of     map[uint64]Said
	bits   [1 << 12]uint64
	shapes shapes
}

func (x *spokenWords) add(w string, said *Said) {
	const ending = 4 // bytes that a stem has lost at most
	for p := range strings.FieldsFuncSeq(w, func(r rune) bool { return r < utf8.RuneSelf && !lang.IsAlnum(byte(r)) }) {
		x.shapes.add(lang.Stem(lang.Lower(p)), ending)
	}
	Terms(w, func(h uint64) {
		s := x.of[h]
		s.join(said)
		x.of[h] = s
		i := h % uint64(64*len(x.bits))
		x.bits[i/64] |= 1 << (i % 64)
	})
}
