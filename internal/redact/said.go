package redact

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// A sentence may say a password: "my password for the portal is hunter2",
// 登录密码是 hunter2. Far more sentences are about one, so that what is removed must be
// quoted or look like a password: words about passwords do not.
var (
	saidNoun = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i:\bmy (?:[\pL-]{1,12} ){0,2})?\b(?:(?i:pass(?:word|code|phrase)s?|pwd))\b|密码|密碼|口令|\b(?i:api|access|secret) (?i:key|token)\b|密钥|密鑰|令牌`)
	})
	saidIs = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i: (?:is|was|to|be|as)\b(?: now| still)?:? ?)|(?:是|为|為|成|[：＝]|——|--?>)[:：＝]?[ *_]*`)
	})
	// What is written with digits and is no password: ciphers, encodings, versions.
	saidKind = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:aes|sha|md|base|rsa|argon|utf|pbkdf|blake|des|oauth|v)[-_]?[0-9]|^[0-9.,]+[a-z%]{0,3}$`)
	})
)

// saidNeedles are texts of which one is in each such noun.
var saidNeedles = []string{"assw", "assc", "assp", "pwd", "密", "口令", "令牌", "i key", "s key", "t key", "i token", "s token", "t token"}

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
	key := isKey(s[noun[0]:noun[1]])
	if from, to = wordAfter(s, noun[1]); from < to && len(s[from:to]) >= 6 && hasDigit(s[from:to]) && looksSaid(s[from:to], s[to:], true, false) && mixed(s[from:to]) && (!key || keyLike(s[from:to])) {
		return from, to // "user ann, password hunter2z"
	}
	places := saidIs().FindAllStringIndex(rest, -1)
	if r, _ := utf8.DecodeRuneInString(rest); chinese && strings.ContainsRune("“「『", r) {
		places = [][]int{{0, 0}} // 密码「hunter2」
	}
	for _, is := range places {
		if strings.ContainsAny(rest[:is[0]], ":=\"'(") || chinese && utf8.RuneCountInString(rest[:is[0]]) > 8 {
			break
		}
		from = noun[1] + is[1]
		quoted := false
		if r, size := utf8.DecodeRuneInString(s[from:]); strings.ContainsRune("\"'“‘`「『", r) {
			quoted, from = true, from+size
		}
		to = from
		if chinese && !key && is[0] == 0 {
			if size := hanSaid(s[from:], quoted); size > 0 {
				return from, from + size
			}
		}
		if words := strings.IndexByte("\"'`", s[max(0, from-1)]); quoted && words >= 0 {
			// Several words in quotes are one password.
			if k := strings.IndexByte(rest[is[1]+1:], s[from-1]); k > 0 && !noSecret[strings.ToLower(firstWord(rest[is[1]+1:]))] {
				return from, from + k
			}
		}
		to = wordEnd(s, from)
		if s[from-1] == '*' {
			to = from + len(strings.TrimRight(s[from:to], "*")) // in bold
		}
		if looksSaid(s[from:to], s[to:], quoted, mine || chinese) && (!key || keyLike(s[from:to])) {
			return from, to
		}
	}
	return 0, 0
}

// isKey reports whether a noun is that of a key, which no plain word is.
func isKey(noun string) bool {
	return !strings.HasSuffix(noun, "密码") && !strings.HasSuffix(noun, "密碼") && !strings.HasSuffix(noun, "口令") && noun[len(noun)-1] >= utf8.RuneSelf ||
		strings.HasSuffix(strings.ToLower(noun), " key") || strings.HasSuffix(strings.ToLower(noun), " token")
}

// wordAfter is the word behind one space at a place; empty where none stands there.
func wordAfter(s string, at int) (from, to int) {
	if at+1 >= len(s) || s[at] != ' ' {
		return at, at
	}
	return at + 1, wordEnd(s, at+1)
}

// wordEnd is where the word ends that begins at a place, without punctuation.
func wordEnd(s string, from int) int {
	to := from
	for to < len(s) && s[to] > ' ' && s[to] < utf8.RuneSelf-1 && strings.IndexByte("\"'`<>", s[to]) < 0 {
		to++
	}
	for to > from && strings.IndexByte(".,:;!?)", s[to-1]) >= 0 {
		to--
	}
	return to
}

// hanSaid is the size of a password of Chinese words, or of any words in Chinese
// quotes, that begins a text; 0 where it is none. Words about passwords have one of
// the characters of [aboutHan].
func hanSaid(s string, quoted bool) int {
	const runesMin, runesMax = 2, 10
	if quoted {
		end := strings.IndexAny(s[:min(len(s), saidBytesMax)], "”’」』\"'\n")
		if end <= 0 || strings.ContainsAny(s[:end], aboutHan) || noSecret[strings.ToLower(firstWord(s[:end]))] || isPlaceholder(s) > 0 || s[end] < utf8.RuneSelf && !inChinese(s) {
			return 0
		}
		return end
	}
	size, n := 0, 0
	for size < len(s) {
		r, w := utf8.DecodeRuneInString(s[size:])
		if r < utf8.RuneSelf && lang.IsAlnum(byte(r)) && size > 0 { // 我爱你123
			size, n = size+w, n+1
			continue
		}
		if !unicode.Is(unicode.Han, r) {
			if !strings.ContainsRune("。，；！\n,.;!\"", r) {
				return 0
			}
			break
		}
		if strings.ContainsRune(aboutHan, r) {
			return 0
		}
		size, n = size+w, n+1
	}
	if n < runesMin || n > runesMax {
		return 0
	}
	return size
}

// aboutHan are characters of what is said of passwords (必填, 见附件, 什么, 正确), which
// a password in words rarely has.
const aboutHan = "必须填请无空未不已需可至见如何么吗呢的了过被在和或与及位字符数母个格错误对正确重修改更换设置忘记安全强弱复杂简单默认初始相同样一二两三四五六七八九十几致有效失期保密加明文大小写长短含包自动随机发送找联系生日身份证号关键核心础前提要指种类学科由用户输入这那此其我你他她它您本该旧新什谁哪是否为应能会没以上下内外后首附件邮箱短信手机向管理员获取通知另参阅稍公私人敏感共享问题提示仅只"

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
