package redact

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A sentence may say a password: "my password for the portal is hunter2",
// 登录密码是 hunter2. Far more sentences are about one, so that what is removed must be
// quoted or look like a password: words about passwords do not.
var (
	saidNoun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i:\bmy (?:[\pL-]{1,12} ){0,2})?\b(?:(?i:pass(?:word|code|phrase)s?|pwd)|PIN)\b|密码|密碼|口令`)
	})
	saidIs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i: (?:is|was|to|be|as)\b(?: now| still)?:? ?)|(?:是|为|為|成|：)[:：]? ?`)
	})
	// What is written with digits and is no password: ciphers, encodings, versions.
	saidKind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:aes|sha|md|base|rsa|argon|utf|pbkdf|blake|des|oauth|v)[-_]?[0-9]|^[0-9.,]+[a-z%]{0,3}$`)
	})
)

// saidNeedles are texts of which one is in each such noun.
var saidNeedles = []string{"assw", "assW", "ASSW", "assc", "assC", "ASSC", "assp", "assP", "ASSP", "pwd", "Pwd", "PWD", "PIN", "密", "口令"}

// saidBytesMax is how far behind its noun a password is looked for.
const saidBytesMax = 80

// replaceSaid removes the passwords that sentences say.
func replaceSaid(s string, n int) (string, int) {
	var b strings.Builder
	end := 0
	for _, noun := range saidNoun().FindAllStringIndex(s, -1) {
		if noun[0] < end {
			continue
		}
		from, to := saidValue(s, noun)
		if from == to {
			continue
		}
		b.WriteString(s[end:from])
		b.WriteString(placeholder("field"))
		end = to
		n++
	}
	if end == 0 {
		return s, n
	}
	b.WriteString(s[end:])
	return b.String(), n
}

// saidValue is where the password lies that a sentence says of a noun; empty where
// it says none.
func saidValue(s string, noun []int) (from, to int) {
	rest := s[noun[1]:min(len(s), noun[1]+saidBytesMax)]
	if k := strings.IndexAny(rest, "\n?!;"); k >= 0 {
		rest = rest[:k]
	}
	for _, sep := range []string{". ", "。", "；", "？"} {
		rest, _, _ = strings.Cut(rest, sep)
	}
	mine := strings.HasPrefix(strings.ToLower(s[noun[0]:noun[1]]), "my ")
	chinese := s[noun[1]-1] >= utf8.RuneSelf
	for _, is := range saidIs().FindAllStringIndex(rest, -1) {
		if strings.ContainsAny(rest[:is[0]], ":=\"'(") || chinese && utf8.RuneCountInString(rest[:is[0]]) > 8 {
			break
		}
		from = noun[1] + is[1]
		quoted := false
		if r, size := utf8.DecodeRuneInString(s[from:]); strings.ContainsRune("\"'“‘`「『", r) {
			quoted, from = true, from+size
		}
		to = from
		if words := strings.IndexByte("\"'`", s[max(0, from-1)]); quoted && words >= 0 {
			// Several words in quotes are one password.
			if k := strings.IndexByte(rest[is[1]+1:], s[from-1]); k > 0 && !noSecret[strings.ToLower(firstWord(rest[is[1]+1:]))] {
				return from, from + k
			}
		}
		for to < len(s) && s[to] > ' ' && s[to] < utf8.RuneSelf-1 && strings.IndexByte("\"'`<>", s[to]) < 0 {
			to++
		}
		for to > from && strings.IndexByte(".,:;!?)", s[to-1]) >= 0 {
			to--
		}
		if looksSaid(s[from:to], s[to:], quoted, mine || chinese) {
			return from, to
		}
	}
	return 0, 0
}

// looksSaid reports whether a word is a password, before what follows it. own says
// that a plain word is one too where the sentence ends with it.
func looksSaid(value, after string, quoted, own bool) bool {
	if len(value) < 4 || isPlaceholder(value) > 0 || strings.ContainsAny(value[:1], "${[<*/") || saidKind().MatchString(value) && !isPIN(value, after) || aboutPasswords[strings.ToLower(value)] {
		return false
	}
	if quoted || isPIN(value, after) || mixed(value) {
		return true
	}
	last, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, ".,!?\"' "))
	ends := after == "" || strings.ContainsAny(after[:1], ".,!?;\n\"") || strings.HasPrefix(after, "，") || strings.HasPrefix(after, "。")
	return ends && !unicode.Is(unicode.Han, last) && isWord(value) && (own && !hasAnySuffix(value, "ed", "ing") || !own && !hasAnySuffix(value, descriptive...))
}

// descriptive are the endings of words that say how a password is, or what became of
// it. Where a sentence does not say whose it is, it may be about passwords in general.
var descriptive = strings.Fields("ed ing able ible ive al ary ory ous ful less ic ent ant ure ly er est ten own ough ique ple y")

func hasAnySuffix(s string, list ...string) bool {
	return slices.ContainsFunc(list, func(end string) bool { return strings.HasSuffix(s, end) })
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return strings.Trim(word, "\"'`.,")
}

// isPIN reports whether a value is a number of four digits or more of which nothing
// is counted.
func isPIN(value, after string) bool {
	for i := range len(value) {
		if value[i] < '0' || value[i] > '9' {
			return false
		}
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(after, " "))
	return len(value) >= 4 && (after == "" || !unicode.IsLetter(next))
}

// mixed reports whether a word has letters, and digits or signs that words lack.
func mixed(s string) bool {
	letter, other := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letter = true
		case c >= '0' && c <= '9' || strings.IndexByte("!@#$%^&*+=~?", c) >= 0:
			other = true
		}
	}
	return letter && other
}

func isWord(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// aboutPasswords are words that are said of passwords, or stand where one would.
var aboutPasswords = func() map[string]bool {
	m := maps.Clone(noSecret)
	for _, w := range strings.Fields(`correct valid wrong right weak strong short long
		string text safe secure unsafe unknown known missing unset public private secret here there that this what case-sensitive one-time lost gone
		must should only also very your their hidden broken given forgotten stolen written shown sent kept case-insensitive plaintext plain fine good okay old new same different not enough due set hashed salted bad stale hard easy hash key field value word password back up off on safe sure ready next first last four six eight ten twelve`) {
		m[w] = true
	}
	return m
}()
