package value

import (
	"strings"
	"unicode"
)

// placeholderMax is the longest placeholder that is looked for, in bytes.
const placeholderMax = 100

// fixed reports whether a text is what SDKs write in place of content, without a
// word that says so.
func fixed(s string) bool {
	switch s {
	case "N/A", "<not specified>", "<not serializable>":
		return true
	}
	return false
}

// hidingWords are what placeholders say was done, in lower case.
var hidingWords = []string{"redact", "scrub", "mask", "filter", "hidden", "omitted", "removed", "withheld", "elided", "anonymi", "saniti", "censor", "脱敏", "隐藏", "屏蔽", "已删除"}

// masks are the characters that cover content, or stand where it was left out.
var masks = []string{"*", "•", "█", ".", "…"}

// Placeholder reports whether a whole text stands in place of content that was
// not recorded: a mask (***), a word of hiding in brackets ([REDACTED],
// <scrubbed: password>, __MASKED__), the kind of what was there (<PERSON>), or a
// hash of it (sha256:…). The empty text is none.
func Placeholder(s string) bool {
	if len(s) < 3 || len(s) > placeholderMax {
		return false
	}
	switch first, last := s[0], s[len(s)-1]; {
	case first == '[' && last == ']', first == '<' && last == '>', first == '{' && last == '}', first == '_' && last == '_' && strings.HasPrefix(s, "__"):
		inner := strings.Trim(s, "[]<>{}_")
		if strings.ContainsAny(inner, "\"[]<>{}") {
			return false // data, or more than one of them
		}
		return fixed(s) || hides(inner) || first == '<' && kindOfThing(inner)
	case fixed(s), s == "REDACTED":
		return true
	case strings.HasPrefix(s, "sha") || strings.HasPrefix(s, "md5") || strings.HasPrefix(s, "hash"):
		_, hash, ok := strings.Cut(s, ":")
		return ok && len(hash) >= 8 && strings.Trim(hash, "0123456789abcdefABCDEF") == ""
	}
	for _, mask := range masks {
		if strings.HasPrefix(s, mask) { // as few texts do
			return strings.Trim(s, mask) == ""
		}
	}
	return false
}

// hides reports whether a text begins with a word, perhaps the second or third
// of it, that says that something was hidden.
func hides(s string) bool {
	s = strings.ToLower(s)
	for _, w := range hidingWords {
		if i := strings.Index(s, w); i >= 0 && strings.Count(s[:i], " ") <= 2 {
			return true
		}
	}
	return false
}

// kindOfThing reports whether a text names a kind as recognisers of personal data
// do: PERSON, EMAIL_ADDRESS, US_SSN_1.
func kindOfThing(s string) bool {
	letters := 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			letters++
		case r != '_' && !unicode.IsDigit(r):
			return false
		}
	}
	return letters >= 3
}
