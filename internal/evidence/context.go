package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// words is a small set of content words, by hash. A slice beats a map here: a
// sentence has a dozen.
type words []uint64

// maxWords bounds a set: what stands after so many words is no context.
const maxWords = 96

// shared counts the words that both sets have.
func (w words) shared(o words) int {
	n := 0
	for _, h := range w {
		if o.has(h) {
			n++
		}
	}
	return n
}

func (w words) has(h uint64) bool {
	for _, x := range w {
		if x == h {
			return true
		}
	}
	return false
}

// names reports whether a text has one of the words.
func (w words) names(text string) bool {
	found := false
	eachWord(text, func(_, _ int, h uint64) { found = found || w.has(h) })
	return found
}

// add takes the content words of a text: Latin words in lower case without
// endings, Chinese as pairs of characters. Stop words and numerals are left out.
func (w *words) add(text string) {
	if text == "" {
		return
	}
	eachWord(text, func(_, _ int, h uint64) {
		if len(*w) < maxWords && !w.has(h) {
			*w = append(*w, h)
		}
	})
}

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// hashOf is FNV-1a of a text in lower case (ASCII).
func hashOf(s string) uint64 {
	h := uint64(fnvOffset)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if isUpper(c) {
			c |= 0x20
		}
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// eachWord calls f for every content word of a text with its place and hash.
func eachWord(text string, f func(start, end int, hash uint64)) {
	var prev rune
	prevAt := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			prev = 0
			if !isLetter(c) {
				i++
				continue
			}
		}
		if c >= utf8.RuneSelf {
			r, w := utf8.DecodeRuneInString(text[i:])
			if unicode.Is(unicode.Han, r) {
				if hanStop(r) {
					prev = 0
				} else {
					if prev != 0 {
						f(prevAt, i+w, hashOf(text[prevAt:i+w]))
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
		for i < len(text) && (alnumASCII(text[i]) || text[i] >= utf8.RuneSelf && alnumAt(text, i)) {
			if text[i] < utf8.RuneSelf {
				i++
			} else {
				_, w := utf8.DecodeRuneInString(text[i:])
				i += w
			}
		}
		w := text[start:i]
		if len(w) < 2 {
			continue
		}
		h := hashOf(w)
		if stopHash(len(w), h) {
			continue
		}
		if s := stem(w); len(s) < len(w) {
			h = hashOf(s)
		}
		f(start, i, h)
	}
}

// stem takes common English endings off a word.
func stem(w string) string {
	n := len(w)
	switch {
	case n > 4 && (strings.HasSuffix(w, "ies") || strings.HasSuffix(w, "ied")):
		return w[:n-3]
	case n > 5 && (strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		return w[:n-2]
	case n > 5 && strings.HasSuffix(w, "ing"):
		return strings.TrimSuffix(w[:n-3], "e")
	case n > 4 && strings.HasSuffix(w, "ed"):
		return w[:n-2]
	case n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i':
		return strings.TrimSuffix(w[:n-1], "e")
	case n > 3 && (w[n-1] == 'e' || w[n-1] == 'y'):
		return w[:n-1]
	}
	return w
}

func hanStop(r rune) bool {
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

func stopWord(w string) bool { return stopHash(len(w), hashOf(w)) }

// stopHash is stopWord of a word's length and hash.
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
	for w := range stopWords {
		h := hashOf(w)
		i := h % uint64(len(t))
		for t[i] != 0 {
			i = (i + 1) % uint64(len(t))
		}
		t[i] = h
	}
	return t
}()

var stopWords = set(`a an the and or but if then of to in on at by for from with as is are was were be been being it its this that these those there here he she they
 we you i his her their our your my not no nor so than too very can could may might will would shall should do does did has have had having into about over under
 more most less least much many some any each every all both which who whom whose what when where why how also just only even still yet per via up out off down
 one two other such same own new said says say according between during while after before again once because since until against us`)

// sentence is the bounds of the sentence of text that the bytes from off to
// end stand in: to the next full stop, question mark or line break on each
// side, at most 300 bytes away.
func sentence(text string, off, end int) (int, int) {
	const reach = 300
	start := off
	for low := max(0, off-reach); start > low; start-- {
		if breaksAt(text, start-1) {
			break
		}
	}
	for start < off && !utf8.RuneStart(text[start]) {
		start++
	}
	stop := end
	for high := min(len(text), end+reach); stop < high; stop++ {
		if breaksAt(text, stop) {
			break
		}
	}
	for stop < len(text) && !utf8.RuneStart(text[stop]) {
		stop++
	}
	return start, stop
}

// breaksAt reports whether a sentence ends with the byte at i.
func breaksAt(s string, i int) bool {
	c := s[i]
	if c > '?' && c < 0x80 || c == ' ' {
		return false
	}
	switch c {
	case '\n', '!', '?':
		return true
	case '.':
		if i+1 < len(s) && s[i+1] > ' ' && s[i+1] != '"' && s[i+1] < utf8.RuneSelf {
			return false
		}
		w := i
		for w > 0 && isLetter(s[w-1]) {
			w--
		}
		return !abbreviated(s[w:i]) && (i-w != 1 || w > 1 && isLower(s[w]) && s[w-1] == ' ' && isDigit(s[w-2])) // 8,420 t.
	case 0x82: // 。is e3 80 82
		return i >= 2 && s[i-1] == 0x80 && s[i-2] == 0xe3
	case 0x81, 0x9b, 0x9f: // ！ ； ？ are ef bc 81, 9b, 9f
		return i >= 2 && s[i-1] == 0xbc && s[i-2] == 0xef
	}
	return false
}
