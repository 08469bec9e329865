package store

import (
	"strings"
	"unicode/utf8"
)

// cutText returns s as valid UTF-8 of at most limit bytes (0: no limit), and
// whether that took anything from its end.
func cutText(s string, limit int) (string, bool) {
	cut := limit > 0 && len(s) > limit
	if cut {
		s = s[:limit]
		// A rune that the limit went through would read as damage of the
		// producer's.
		for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
			if r := s[len(s)-i]; utf8.RuneStart(r) {
				if !utf8.FullRuneInString(s[len(s)-i:]) {
					s = s[:len(s)-i]
				}
				break
			}
		}
	}
	// ClickHouse stores any bytes, but its JSON output and most clients do not.
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
		if limit > 0 && len(s) > limit {
			s, _ = cutText(s, limit)
			cut = true
		}
	}
	return s, cut
}

// quote writes s as a ClickHouse string literal.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// Array writes list as a ClickHouse literal of type Array(String): the value of
// a parameter.
func Array(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
