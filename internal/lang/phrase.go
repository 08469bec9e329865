package lang

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Set makes a set of the words of a text.
func Set(words string) map[string]bool {
	m := make(map[string]bool, strings.Count(words, " "))
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// Lookup finds a word in a table by its lower-case form, without a copy. Words
// of more than 24 bytes are in no table.
func Lookup[V any](table map[string]V, w string) V {
	var buf [24]byte
	if len(w) > len(buf) {
		var none V
		return none
	}
	for i := 0; i < len(w); i++ {
		c := w[i]
		if IsUpper(c) {
			c |= 0x20
		}
		buf[i] = c
	}
	return table[string(buf[:len(w)])]
}

// Table is what some words mean, for texts of which most words have no place in it: they
// are told by their length and three of their letters.
type Table[V any] struct {
	of    map[string]V
	may   []uint64 // a bit for each shape; their number is a power of two
	shift int
}

// MakeTable makes a table of the words of a map, which must not change any more.
func MakeTable[V any](of map[string]V) *Table[V] {
	const perWord, word = 16, 64 // bits
	size := bits.Len(uint(max(word, perWord*len(of)) - 1))
	t := &Table[V]{of: of, may: make([]uint64, 1<<size/word), shift: 32 - size}
	for w := range of {
		at := t.shape(w)
		t.may[at/word] |= 1 << (at % word)
	}
	return t
}

// MakeSet makes a table of the words of a text.
func MakeSet(words string) *Table[bool] { return MakeTable(Set(words)) }

// shape is a number that words of one length with the same letters at three places share,
// in either case.
func (t *Table[V]) shape(w string) uint32 {
	const fold, mix = 0x20, 0x9e3779b1 // the golden ratio's bits
	n := len(w)
	if n == 0 {
		return 0
	}
	return (uint32(w[0]|fold) | uint32(w[n/2]|fold)<<8 | uint32(w[n-1]|fold)<<16 | uint32(n)<<24) * mix >> t.shift
}

func (t *Table[V]) mayHave(w string) bool {
	at := t.shape(w)
	return t.may[at/64]>>(at%64)&1 != 0
}

// Get is what a word means as it is written; the zero value where it has no place.
func (t *Table[V]) Get(w string) V {
	if !t.mayHave(w) {
		var none V
		return none
	}
	return t.of[w]
}

// Fold is what a word means by its lower-case form; see [Lookup].
func (t *Table[V]) Fold(w string) V {
	if !t.mayHave(w) {
		var none V
		return none
	}
	return Lookup(t.of, w)
}

// ContainsAny reports whether a text contains one of the strings of a list, within words too.
func ContainsAny(s string, list []string) bool {
	for _, w := range list {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// HasAnyPrefix reports whether a text begins with one of the strings.
func HasAnyPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// HasAnySuffix reports whether a text ends with one of the strings.
func HasAnySuffix(s string, list ...string) bool {
	for _, x := range list {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}

// ContainsFold is strings.Contains for ASCII letters of either case.
func ContainsFold(s, sub string) bool { return IndexFold(s, sub) >= 0 }

// IndexFold is strings.Index for ASCII letters of either case. Where the next of
// either case stands is remembered, so that a text of one case alone is looked
// through once and not once for each candidate.
func IndexFold(s, sub string) int {
	if sub == "" || len(sub) > len(s) {
		return -1
	}
	next := func(c byte, from int) int {
		if i := strings.IndexByte(s[from:], c); i >= 0 {
			return from + i
		}
		return len(s)
	}
	lo, up := sub[0], sub[0]
	if IsLetter(lo) {
		lo, up = lo|0x20, lo&^0x20
	}
	l, u := next(lo, 0), len(s)
	if up != lo {
		u = next(up, 0)
	}
	for {
		i := min(l, u)
		switch {
		case i+len(sub) > len(s):
			return -1
		case strings.EqualFold(s[i:i+len(sub)], sub):
			return i
		case i == l:
			l = next(lo, i+1)
		default:
			u = next(up, i+1)
		}
	}
}

// HasAny reports whether a text holds one of the phrases; see [IndexWord].
func HasAny(text string, list []string) bool {
	for _, c := range list {
		if IndexWord(text, c) >= 0 {
			return true
		}
	}
	return false
}

// IndexAny is where the first phrase of the list that a text holds stands; -1 where
// it holds none.
func IndexAny(text string, list []string) int {
	for _, c := range list {
		if i := IndexWord(text, c); i >= 0 {
			return i
		}
	}
	return -1
}

// IndexWord is where a phrase stands, letters of either case: an English one as
// whole words, a Chinese one anywhere; -1 where it does not.
func IndexWord(text, phrase string) int {
	for from := 0; from <= len(text)-len(phrase); {
		i := IndexFold(text[from:], phrase)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(phrase):])
		if phrase[0] >= utf8.RuneSelf || !wordRune(before) && !wordRune(after) {
			return i
		}
		from = i + 1
	}
	return -1
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && r < unicode.MaxLatin1 && unicode.IsLetter(r)
}

// Opens reports whether a text begins with one of the phrases, behind marks.
func Opens(text string, list []string) bool {
	text = strings.TrimLeft(text, " \t\n*_>-#(（\"'“，,")
	for _, c := range list {
		if IndexWord(text[:min(len(text), len(c)+utf8.UTFMax)], c) == 0 {
			return true
		}
	}
	return false
}

// Closes reports whether a text ends with one of the phrases, before marks.
func Closes(text string, list []string) bool {
	text = strings.TrimRight(text, " *_`\"“")
	for _, c := range list {
		if n := len(text) - len(c); n >= 0 && IndexWord(text[n:], c) == 0 && (n == 0 || c[0] >= utf8.RuneSelf || text[n-1] == ' ') {
			return true
		}
	}
	return false
}

// IndexAll is all places where the phrases stand in a text, phrase by phrase.
func IndexAll(text string, list []string) []int {
	var out []int
	for _, c := range list {
		for from := 0; ; {
			i := IndexWord(text[from:], c)
			if i < 0 {
				break
			}
			out = append(out, from+i)
			from += i + len(c)
		}
	}
	return out
}

// Mentions reports whether a text contains one of some names, letters of either case.
func Mentions(text string, names []string) bool {
	for _, n := range names {
		if n != "" && ContainsFold(text, n) {
			return true
		}
	}
	return false
}

// Phrases is a list of phrases that are looked for all at once, letters of ASCII in
// either case, in one pass over a text and without a copy of it.
type Phrases struct {
	list  []string    // in lower case, by their first bytes
	first [256]uint8  // by a phrase's first byte: 1 + the first one in the list
	then  [256]uint32 // by a phrase's first byte: the lowest bits of the second ones, as bits
}

// MakePhrases makes a list of at most 255 phrases in lower case, none of them empty.
func MakePhrases(list ...string) *Phrases {
	p := &Phrases{list: slices.Clone(list)}
	slices.Sort(p.list)
	for i := len(p.list) - 1; i >= 0; i-- {
		w := p.list[i]
		p.first[w[0]] = uint8(i + 1)
		if len(w) == 1 {
			p.then[w[0]] = math.MaxUint32 // whatever follows
		} else {
			p.then[w[0]] |= 1 << (w[1] & 31) // of either case
		}
	}
	return p
}

// In reports whether a text contains one of the phrases, within words too.
func (p *Phrases) In(s string) bool { return p.at(s, false) }

// AsWord reports whether one of the phrases, which are words, stands in a text with no
// letter of ASCII beside it.
func (p *Phrases) AsWord(s string) bool { return p.at(s, true) }

func (p *Phrases) at(s string, whole bool) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if IsUpper(c) {
			c |= 0x20
		}
		then := p.then[c]
		if then == 0 || i+1 < len(s) && then>>(s[i+1]&31)&1 == 0 || whole && i > 0 && IsLetter(s[i-1]) {
			continue
		}
		for _, w := range p.list[p.first[c]-1:] {
			if w[0] != c {
				break
			}
			if HasPrefixFold(s[i:], w) && !(whole && IsLetterAt(s, i+len(w))) {
				return true
			}
		}
	}
	return false
}

// HasPrefixFold reports whether a text begins with a phrase in lower case.
func HasPrefixFold(s, lower string) bool {
	if len(s) < len(lower) {
		return false
	}
	for i := 0; i < len(lower); i++ {
		c := s[i]
		if IsUpper(c) {
			c |= 0x20
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
