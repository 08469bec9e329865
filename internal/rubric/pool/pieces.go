package pool

import (
	"unicode"
	"unicode/utf8"
)

// The encoding cuts a text into pieces before it looks for tokens, and no token goes
// over the end of one: words with the sign before them, numbers of three digits, signs,
// white space. This is the cut of o200k, whose expression is
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// written out: an engine that goes back takes twenty times as long for it.

// runeClass is what the expression tells characters apart by.
type runeClass uint8

const (
	sign    runeClass = iota // neither of these
	mark                     // \p{M}: goes with both cases, and counts as a sign too
	capital                  // \p{Lu}, \p{Lt}
	small                    // \p{Ll}
	letter                   // \p{Lm}, \p{Lo}: of no case
	number                   // \p{N}
	space                    // \s without the next
	newline                  // \r, \n
)

var asciiClass = func() (c [utf8.RuneSelf]runeClass) {
	for i := range c {
		c[i] = wideClass(rune(i))
	}
	return c
}()

// classAt is the class of the first character of a text that is not empty, and its size.
func classAt(s string) (runeClass, int) {
	if s[0] < utf8.RuneSelf {
		return asciiClass[s[0]], 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r >= 0x4E00 && r <= 0x9FFF {
		return letter, size // Chinese, which the tables know too
	}
	return wideClass(r), size
}

func wideClass(r rune) runeClass {
	switch {
	case r == '\r' || r == '\n':
		return newline
	case unicode.IsSpace(r):
		return space
	case unicode.Is(unicode.Ll, r):
		return small
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return capital
	case unicode.IsLetter(r):
		return letter
	case unicode.Is(unicode.M, r):
		return mark
	case unicode.Is(unicode.N, r):
		return number
	}
	return sign
}

// piece is the length of the first piece of a text that is not empty.
func piece(s string) int {
	class, size := classAt(s)
	switch class {
	case capital, small, letter:
		if n := cased(s); n > 0 {
			return n
		}
		return upper(s)
	case number:
		n := size
		for range 2 {
			if n == len(s) {
				break
			}
			c, w := classAt(s[n:])
			if c != number {
				break
			}
			n += w
		}
		return n
	case newline:
		return blank(s)
	}
	// A word may have one sign before it.
	if rest := s[size:]; rest != "" {
		if n := cased(rest); n > 0 {
			return size + n
		}
		if class == mark {
			if n := cased(s); n > 0 {
				return n
			}
		}
		if n := upper(rest); n > 0 {
			return size + n
		}
	}
	if class == mark { // alone, a mark is a word
		if n := cased(s); n > 0 {
			return n
		}
	}
	at := 0
	if s[0] == ' ' {
		at = 1
	}
	if n := signs(s[at:]); n > 0 {
		return at + n
	}
	return blank(s)
}

// cased is a word whose last part is small letters or letters of no case, with a
// contraction; 0 where none begins.
func cased(s string) int {
	at, last := 0, 0 // last is the end of the last character that may end the word
	for at < len(s) {
		c, size := classAt(s[at:])
		if c != capital && c != letter && c != mark {
			break
		}
		at += size
		if c != capital {
			last = at
		}
	}
	for at < len(s) {
		c, size := classAt(s[at:])
		if c != small && (c != letter && c != mark || last < at) {
			break
		}
		at += size
		last = at
	}
	if last == 0 {
		return 0
	}
	return last + contraction(s[last:])
}

// upper is a word of capitals and letters of no case, with a contraction; 0 where none
// begins.
func upper(s string) int {
	at := 0
	for at < len(s) {
		c, size := classAt(s[at:])
		if c != capital && c != letter && c != mark {
			break
		}
		at += size
	}
	if at == 0 {
		return 0
	}
	return at + contraction(s[at:])
}

// contraction is the length of the one that begins a text; 0 where none does.
func contraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	switch a := s[1] | 0x20; a {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v', 'l':
		if len(s) > 2 {
			if b := s[2] | 0x20; b == 'e' && a != 'l' || b == 'l' && a == 'l' {
				return 3
			}
		}
	}
	return 0
}

// signs is a run of signs, with line breaks and strokes after it; 0 where none begins.
func signs(s string) int {
	at := 0
	for at < len(s) {
		c, size := classAt(s[at:])
		if c != sign && c != mark {
			break
		}
		at += size
	}
	for at > 0 && at < len(s) && (s[at] == '\r' || s[at] == '\n' || s[at] == '/') {
		at++
	}
	return at
}

// blank is white space: up to its last line break, else all but its last character,
// which belongs to what follows, else that one.
func blank(s string) int {
	at, last, lines := 0, 0, 0
	for at < len(s) {
		c, size := classAt(s[at:])
		if c != space && c != newline {
			break
		}
		last = at
		at += size
		if c == newline {
			lines = at
		}
	}
	switch {
	case lines > 0:
		return lines
	case at == len(s) || last == 0:
		return at
	}
	return last
}
