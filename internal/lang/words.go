package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words is a small set of content words, by hash. A slice beats a map here: a
// sentence has a dozen.
type Words []uint64

// maxWords bounds a set: what stands after so many words is no context.
const maxWords = 96

// Shared counts the words that both sets have.
func (w Words) Shared(o Words) int {
	n := 0
	for _, h := range w {
		if o.Has(h) {
			n++
		}
	}
	return n
}

// Has reports whether the set has the word of a hash.
func (w Words) Has(h uint64) bool {
	for _, x := range w {
		if x == h {
			return true
		}
	}
	return false
}

// Names reports whether a text has one of the words.
func (w Words) Names(text string) bool {
	found := false
	EachWord(text, func(_, _ int, h uint64) { found = found || w.Has(h) })
	return found
}

// Add takes the content words of a text: Latin words in lower case without
// endings, Chinese as pairs of characters. Stop words and numerals are left out.
func (w *Words) Add(text string) {
	if text == "" {
		return
	}
	if *w == nil {
		*w = make(Words, 0, 16)
	}
	EachWord(text, func(_, _ int, h uint64) {
		if len(*w) < maxWords && !w.Has(h) {
			*w = append(*w, h)
		}
	})
}

// Parameters of [Hash], for those who go on with one.
const (
	FNVOffset = 14695981039346656037
	FNVPrime  = 1099511628211
)

// Hash is FNV-1a of a text in lower case (ASCII).
func Hash(s string) uint64 {
	h := uint64(FNVOffset)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if IsUpper(c) {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * FNVPrime
	}
	return h
}

// EachWord calls f for every content word of a text with its place and hash.
func EachWord(text string, f func(start, end int, hash uint64)) {
	var prev rune
	prevAt := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			prev = 0
			if !IsLetter(c) {
				i++
				continue
			}
		}
		if c >= utf8.RuneSelf {
			r, w := utf8.DecodeRuneInString(text[i:])
			if unicode.Is(unicode.Han, r) {
				if IsHanStop(r) {
					prev = 0
				} else {
					if prev != 0 {
						f(prevAt, i+w, Hash(text[prevAt:i+w]))
					}
					prev, prevAt = r, i
				}
				i += w
				continue
			}
			prev = 0
			if !unicode.IsLetter(r) {
				i += w
				continue
			}
		}
		start := i
		h := uint64(FNVOffset)
		var before [maxEnding + 1]uint64 // the hashes of the word without its last bytes, by their number
		for end := i; i < len(text); {
			if c := text[i]; c < utf8.RuneSelf {
				if !IsAlnum(c) {
					break
				}
				end++
			} else {
				if !IsAlnumAt(text, i) {
					break
				}
				_, w := utf8.DecodeRuneInString(text[i:])
				end += w
			}
			for ; i < end; i++ {
				c := text[i]
				if IsUpper(c) {
					c |= 0x20
				}
				before[4], before[3], before[2], before[1] = before[3], before[2], before[1], h
				h = (h ^ uint64(c)) * FNVPrime
			}
		}
		w := text[start:i]
		if len(w) < 2 || stopHash(len(w), h) {
			continue
		}
		if ending := len(w) - len(Stem(w)); ending > 0 {
			h = before[ending]
		}
		f(start, i, h)
	}
}

// maxEnding is how many bytes [Stem] takes off at most.
const maxEnding = 4

// Stem takes common English endings off a word.
func Stem(w string) string {
	n := len(w)
	if n < 4 {
		return w
	}
	switch w[n-1] {
	case 's':
		switch {
		case n > 4 && strings.HasSuffix(w, "ies"):
			return w[:n-3]
		case n > 5 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
			return w[:n-2]
		case w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
			return strings.TrimSuffix(w[:n-1], "e")
		}
	case 'd':
		switch {
		case n > 4 && strings.HasSuffix(w, "ied"):
			return w[:n-3]
		case n > 4 && w[n-2] == 'e':
			return w[:n-2]
		}
	case 'g':
		if n > 5 && strings.HasSuffix(w, "ing") {
			return strings.TrimSuffix(w[:n-3], "e")
		}
	case 'e', 'y':
		return w[:n-1]
	}
	return w
}

// IsHanStop reports a Chinese character that carries no content.
func IsHanStop(r rune) bool {
	i := uint32(r) - 0x4e00
	return i < uint32(len(hanStops)*64) && hanStops[i/64]&(1<<(i%64)) != 0
}

// hanStops is a set of the characters that carry no content, by bit.
var hanStops = func() (bits [328]uint64) {
	for _, r := range "座款辆的了在由和与及从对向为是据被将把于到至有个名家位约则该其本某这那各每也都就又再会能可要想应之以并且而或等着过得地吗呢吧啊多少什么怎" {
		bits[(r-0x4e00)/64] |= 1 << ((r - 0x4e00) % 64)
	}
	return bits
}()

// IsStop reports a word of [StopWords], in either case.
func IsStop(w string) bool { return stopHash(len(w), Hash(w)) }

// stopHash is IsStop of a word's length and hash.
func stopHash(n int, h uint64) bool {
	if n > 8 {
		return false
	}
	for i := h % uint64(len(stopTable)); stopTable[i] != 0; i = (i + 1) % uint64(len(stopTable)) {
		if stopTable[i] == h {
			return true
		}
	}
	return false
}

// stopTable holds the stop words' hashes, with open addressing: this is asked
// of every word.
var stopTable = func() (t [1024]uint64) {
	for w := range StopWords {
		h := Hash(w)
		i := h % uint64(len(t))
		for t[i] != 0 {
			i = (i + 1) % uint64(len(t))
		}
		t[i] = h
	}
	return t
}()

// StopWords are the English words that carry no content, in lower case.
var StopWords = Set(`a an the and or but if then of to in on at by for from with as is are was were be been being it its this that these those there here he she they
 we you i his her their our your my not no nor so than too very can could may might will would shall should do does did has have had having into about over under
 more most less least much many some any each every all both which who whom whose what when where why how also just only even still yet per via up out off down
 one two other such same own new said says say according between during while after before again once because since until against us`)

// Mix spreads a hash over all bits (the finaliser of splitmix64).
func Mix(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}
