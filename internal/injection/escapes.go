package injection

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapesMax is how often escapes are taken away: JSON in a string of JSON has two.
const escapesMax = 2

// escapes are those of JSON but for \u.
var escapes = strings.NewReplacer(`n`, "\n", `r`, "\r", `t`, "\t", `"`, `"`, `/`, `/`, `\`, `\`)

// unescape writes a text with what its escapes stand for, and the place of each
// byte, and of the end, in the text that before maps the places of s to (nil: s
// itself). The places are nil where there is no escape.
func unescape(s string, before []int32) (string, []int32) {
	if !strings.Contains(s, `\`) {
		return s, nil
	}
	place := func(i int) int32 {
		if before == nil {
			return int32(i)
		}
		return before[i]
	}
	out, at := make([]byte, 0, len(s)), make([]int32, 0, len(s)+1)
	changed := false
	for i := 0; i < len(s); {
		text, n := s[i:i+1], 1
		if s[i] == '\\' && i+1 < len(s) {
			if t, size := escaped(s[i:]); size > 0 {
				text, n, changed = t, size, true
			}
		}
		for range len(text) {
			at = append(at, place(i))
		}
		out = append(out, text...)
		i += n
	}
	if !changed {
		return s, nil
	}
	return string(out), append(at, place(len(s)))
}

// escaped reads one escape at the beginning of a text; size 0: there is none.
func escaped(s string) (text string, size int) {
	if strings.IndexByte(`nrt"/\`, s[1]) >= 0 {
		return escapes.Replace(s[1:2]), 2
	}
	r, ok := unit(s)
	if !ok {
		return "", 0
	}
	size = 6
	if utf16.IsSurrogate(r) {
		low, _ := unit(s[6:])
		if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
			size = 12
		}
	}
	return string(r), size
}

// unit reads one \uXXXX at the beginning of a text.
func unit(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(n), err == nil
}
