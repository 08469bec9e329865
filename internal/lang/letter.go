package lang

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsLetter reports a letter of ASCII.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// IsUpper reports a capital of ASCII.
func IsUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// Upper is the capital of a small letter of ASCII, and any other byte itself.
func Upper(c byte) byte {
	if IsLower(c) {
		return c &^ 0x20
	}
	return c
}

// IsLower reports a small letter of ASCII.
func IsLower(c byte) bool { return c >= 'a' && c <= 'z' }

// IsDigit reports a digit of ASCII.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// HasDigit reports a text with a digit of ASCII.
func HasDigit(s string) bool {
	for i := 0; i < len(s); i++ {
		if IsDigit(s[i]) {
			return true
		}
	}
	return false
}

// IsLetterAt reports a letter of ASCII at i.
func IsLetterAt(s string, i int) bool { return i < len(s) && IsLetter(s[i]) }

// IsDigitAt reports a digit of ASCII at i.
func IsDigitAt(s string, i int) bool { return i >= 0 && i < len(s) && IsDigit(s[i]) }

// IsAlnumAt reports a letter or digit at i, Latin letters beyond ASCII included.
func IsAlnumAt(s string, i int) bool {
	if i < 0 || i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return IsLetter(s[i]) || IsDigit(s[i])
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r)
}

// IsAlnum reports a letter or digit of ASCII.
func IsAlnum(c byte) bool { return IsLetter(c) || IsDigit(c) }

// DigitsEnd is the end of the digits that begin at i.
func DigitsEnd(s string, i int) int {
	for i < len(s) && IsDigit(s[i]) {
		i++
	}
	return i
}

// Lower is strings.ToLower for short ASCII words, without a copy where nothing changes.
func Lower(s string) string {
	for i := 0; i < len(s); i++ {
		if IsUpper(s[i]) {
			return strings.ToLower(s)
		}
	}
	return s
}

// LowerASCII is a text with its ASCII letters in lower case: as long as it was.
func LowerASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if IsUpper(s[i]) {
			var b strings.Builder
			b.Grow(len(s))
			b.WriteString(s[:i])
			for ; i < len(s); i++ {
				c := s[i]
				if IsUpper(c) {
					c |= 0x20
				}
				b.WriteByte(c)
			}
			return b.String()
		}
	}
	return s
}

// WordAt is the word of ASCII letters that begins at i, in lower case, and its end.
func WordAt(s string, i int) (string, int) {
	end := i
	for end < len(s) && IsLetter(s[end]) {
		end++
	}
	return Lower(s[i:end]), end
}

// HasHan reports a text with a Chinese character.
func HasHan(text string) bool {
	for i := 0; i < len(text); i++ {
		if text[i] >= 0xe4 && text[i] <= 0xe9 {
			return true
		}
	}
	return false
}

// IsHan reports a word that does not begin in ASCII: a Chinese one.
func IsHan(n string) bool { return n != "" && n[0] >= 0x80 }

// Atoi reads up to nine digits; anything else is 0.
func Atoi(s string) int {
	n := 0
	if len(s) > 9 {
		return 0
	}
	for i := 0; i < len(s); i++ {
		if !IsDigit(s[i]) {
			return 0
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// SkipSpace is the place behind at most one space (ASCII or no-break) at i.
func SkipSpace(s string, i int) int {
	if i < len(s) && s[i] == ' ' {
		return i + 1
	}
	if strings.HasPrefix(s[i:], "\u00a0") || strings.HasPrefix(s[i:], "\u202f") {
		_, width := utf8.DecodeRuneInString(s[i:])
		return i + width
	}
	return i
}
