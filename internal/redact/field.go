package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// DefaultFields are the names whose values are always removed. A name matches
// a key that ends in it at a word boundary: api_key matches OPENAI_API_KEY and
// xApiKey. Values of fields called token, pass, sig and signature, of whatever
// service, are removed where they look like secrets: see suspects. Names of what people look up by are not
// among them (session_id, user, account), nor are counts (tokens, max_tokens).
var DefaultFields = []string{
	"password", "passwd", "pwd", "passphrase", "passcode", "secret", "client_secret",
	"api_key", "access_key", "secret_key", "secret_access_key", "private_key", "encryption_key", "signing_key", "session_key",
	"access_token", "refresh_token", "id_token", "auth_token", "session_token", "bearer_token", "csrf_token",
	"authorization", "proxy_authorization", "cookie", "set_cookie",
	"密码", "密碼", "口令", "密钥", "密鑰",
}

// keyBytesMax is the longest key that is looked at.
const keyBytesMax = 64

// normaliseName lower-cases a name and drops everything but letters and digits.
func normaliseName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// endings is a set of names by their last two letters or digits, in which others may
// seem to be: it tells most keys from names faster than a map does.
type endings [1 << 10]bool

func (e *endings) add(name string) {
	last, both := lastTwo(name)
	e[both] = true
	if utf8.RuneCountInString(name) == 1 { // which any letter may stand before
		e[last] = true
	}
}

func (e *endings) mayHold(key string) bool {
	last, both := lastTwo(key)
	return e[both] || e[last]
}

// lastTwo is the place of a name by its last letter or digit, and by the last two.
func lastTwo(name string) (last, both int) {
	n := 0
	for i := len(name); i > 0 && n < 2; {
		r, size := rune(name[i-1]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeLastRuneInString(name[:i])
		}
		i -= size
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		if n++; n == 1 {
			last = int(unicode.ToLower(r)) % len(endings{})
			both = last
		} else {
			both = (last + 31*int(unicode.ToLower(r))) % len(endings{})
		}
	}
	return last, both
}

// holds says of a key whether its value is removed whatever it is, or how it looks
// where it is a secret; nil where the key names none. Most keys end as no such name does.
func (p *Policy) holds(key string) (named bool, like func(value string) bool) {
	if !p.endings.mayHold(key) {
		return false, nil
	}
	return p.named(key), suspect(key)
}

// spaced is how a value looks that is a secret by a name in two words ("API key: …"),
// the last of which is the key that ends s; nil where they are none.
func (p *Policy) spaced(s, key string) func(value string) bool {
	if len(key) < 3 || !p.endings.mayHold(key) {
		return nil
	}
	at := strings.LastIndex(s, key)
	if at < 1 || s[at-1] != ' ' {
		return nil
	}
	if first := keyBefore(s[:at-1]); first == "" || !p.named(first+"_"+key) {
		return nil
	}
	return keyLike
}

// noSecret is what stands where a secret would, and is none.
var noSecret = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("required optional mandatory none null nil true false empty blank missing invalid incorrect expired unset needed not too") {
		m[w] = true
	}
	return m
}()

// named reports whether key ends, at a word boundary, in a field's name.
func (p *Policy) named(key string) bool {
	if key == "" || len(key) > keyBytesMax {
		return false
	}
	previous := rune(-1)
	for i, r := range key {
		// Chinese is written without spaces: 登录密码 ends in 密码.
		boundary := previous == -1 || unicode.Is(unicode.Han, r) || !unicode.IsLetter(previous) && !unicode.IsDigit(previous) || unicode.IsUpper(r) && !unicode.IsUpper(previous)
		previous = r
		if boundary && p.fields[normaliseName(key[i:])] {
			return true
		}
	}
	// A password is one whatever is written before it, as in PGPASSWORD.
	return p.fields["password"] && len(key) > len("password") && strings.EqualFold(key[len(key)-len("password"):], "password")
}

// suspects are the names of what may be a secret, and is one only where its value
// looks like it.
var suspects = []struct {
	name string
	like func(value string) bool
}{
	{"token", keyLike}, {"sig", keyLike}, {"signature", keyLike},
	{"pass", passLike}, // as against pass: 12, pass: true
	// Of a password, as other languages call it: of words about one none is mixed.
	{"passwort", passLike}, {"kennwort", passLike}, {"wachtwoord", passLike}, {"passe", passLike}, {"contraseña", passLike}, {"clave", passLike}, {"senha", passLike},
	{"пароль", passLike}, {"hasło", passLike}, {"şifre", passLike}, {"パスワード", passLike}, {"비밀번호", passLike}, {"暗証番号", passLike},
}

// passLike reports whether a value looks like a password: letters, and digits or signs
// that words lack.
func passLike(value string) bool {
	return len(value) >= 4 && mixed(value) && !saidKind().MatchString(value)
}

// suspect is how the value of a key looks where it is a secret; nil where the key
// names none.
func suspect(key string) func(value string) bool {
	if len(key) > keyBytesMax {
		return nil
	}
	for _, s := range suspects {
		before, ok := endsIn(key, s.name)
		if !ok {
			continue
		}
		// A token that is a place in a list is evidence of what was read.
		for _, place := range placesInLists {
			if len(before) >= len(place) && strings.EqualFold(before[len(before)-len(place):], place) {
				return nil
			}
		}
		return s.like
	}
	return nil
}

// endsIn reports whether a key ends in a name at a word boundary (GITHUB_TOKEN,
// x-bot-token, botToken), and what stands before it. Part of a word, as in
// "betoken", it is not.
func endsIn(key, name string) (before string, ok bool) {
	head := len(key) - len(name)
	if head < 0 || !strings.EqualFold(key[head:], name) {
		return "", false
	}
	before = strings.TrimRight(key[:head], "_-.")
	return before, head == 0 || len(before) < head || key[head] < 'a'
}

// placesInLists are the words before token that make it a place in a list, of
// results or of a text.
var placesInLists = []string{"page", "next", "previous", "continuation", "cursor", "sync", "pagination", "resume", "start", "end", "stop"}

// keyLike reports whether a value of a token field looks like a key: long, without
// spaces, of letters and digits both. Words and counts do not.
func keyLike(value string) bool {
	if len(value) < 16 {
		return false
	}
	letter, digit := false, false
	for i := range len(value) {
		switch c := value[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			letter = true
		case c >= '0' && c <= '9':
			digit = true
		case strings.IndexByte("._~+/=-%", c) < 0:
			return false
		}
	}
	return letter && digit
}

// replaceFields removes the values of named fields in a text of any syntax
// that writes a key, then : or = (also the wide ones of Chinese), then the value. It works on cut JSON, on
// JSON inside a JSON string, and on text around it.
func (p *Policy) replaceFields(s string, n int) (string, int) {
	var b strings.Builder
	end := 0
	for k := 0; k < len(s); k++ {
		c := s[k]
		wide := c == "："[0] && (strings.HasPrefix(s[k:], "：") || strings.HasPrefix(s[k:], "＝"))
		if !wide && c != ':' && c != '=' && c != '>' {
			continue
		}
		key := ""
		if c == '>' {
			key = tagName(s[max(0, k-tagBytesMax):k])
		} else {
			key = keyBefore(s[:k])
		}
		if strings.EqualFold(key, "value") {
			if name := nameBefore(s[max(0, k-pairBytesMax):k]); name != "" {
				key = name
			}
		}
		named, like := p.holds(key)
		if key == "pass" && isTicket(s[:k]) {
			continue
		}
		if !named && like == nil {
			if like = p.spaced(s[:k], key); like == nil {
				continue
			}
		}
		var from, to int
		switch {
		case c == '>':
			from = k + 1
			to = elementEnd(s, from)
		case wide:
			from, to = valueAfter(s, k+len("：")-1, headers[normaliseName(key)])
			if value := s[from:to]; len(value) < 4 || strings.ContainsFunc(value, isHan) {
				continue // 密码：8位以上: what the sentence says is said.go's
			}
		default:
			from, to = valueAfter(s, k, headers[normaliseName(key)])
		}
		if value := s[from:to]; value == "" || isPlaceholder(s[from:]) > 0 || inChinese(value) || noSecret[strings.ToLower(value)] || headers[normaliseName(key)] && prose(value) || !named && !like(value) {
			continue
		}
		b.WriteString(s[end:from])
		b.WriteString(placeholder("field"))
		end, k = to, to-1
		n++
	}
	if end == 0 {
		return s, n
	}
	b.WriteString(s[end:])
	return b.String(), n
}

// A variable may be written as a pair: {"name": "DB_PASSWORD", "value": "…"}.
var pairPattern = lazy(`(?i)["'](?:name|key)\\*["']\s*:\s*\\*["']([\w.-]{1,64})\\*["']\s*,\s*\\*["']value\\*["']\s*$`)

// pairBytesMax is how far before a value its name is looked for.
const pairBytesMax = 160

// nameBefore is the name of a pair whose key "value" ends the text; empty where
// there is none.
func nameBefore(s string) string {
	if m := pairPattern().FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

// isTicket reports whether a text ends with a pass to go in with.
func isTicket(s string) bool {
	before, ok := strings.CutSuffix(s, " pass")
	return ok && hasAnySuffix(strings.ToLower(before[max(0, len(before)-len("backstage")):]), tickets...)
}

var tickets = strings.Fields("boarding day bus press season ski rail visitor backstage")

// prose reports whether a value of a header is words: cookie: chocolate chip.
func prose(value string) bool {
	first, rest, _ := strings.Cut(value, " ")
	return rest != "" && !strings.Contains(value, "=") && isWord(first) && strings.ToLower(first) == first && !schemes[first]
}

// schemes are those of an Authorization header.
var schemes = map[string]bool{"basic": true, "bearer": true, "token": true, "digest": true, "negotiate": true, "apikey": true, "hmac": true, "key": true}

// tagBytesMax is how long an opening tag may be whose element is looked at.
const tagBytesMax = 200

// tagName is the name of the XML element whose opening tag ends the text; empty
// where none does.
func tagName(s string) string {
	open := strings.LastIndexAny(s, "<>")
	if open < 0 || s[open] != '<' || strings.HasSuffix(s, "/") || strings.HasPrefix(s[open:], "</") {
		return ""
	}
	name, _, _ := strings.Cut(s[open+1:], " ")
	return name
}

// elementEnd is where the text of an element ends that begins at a place. It is
// that place where there is none, as in "mysql -p <password> -u <user>".
func elementEnd(s string, from int) int {
	size := strings.IndexByte(s[from:], '<')
	if size < 0 || strings.TrimSpace(s[from:from+size]) == "" {
		return from
	}
	if rest := s[from+size:]; !strings.HasPrefix(rest, "</") && !strings.HasPrefix(rest, `<\/`) {
		return from
	}
	return from + size
}

// inChinese reports whether a value is Chinese words, which say something of a
// password (密码：必填) and are none.
func inChinese(value string) bool {
	r, _ := utf8.DecodeRuneInString(value)
	return isHan(r)
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// headers are the fields whose unquoted value runs to the end of its line.
var headers = map[string]bool{"authorization": true, "proxyauthorization": true, "cookie": true, "setcookie": true}

// asideMax is the longest aside in brackets behind a key, with the brackets.
const asideMax = 24

// keyBefore is the key that ends the text: a run of key characters, with
// spaces, quotes, backslashes and stars after it skipped.
func keyBefore(s string) string {
	end := len(s)
	for end > 0 {
		c, size := s[end-1], 1
		if c >= utf8.RuneSelf {
			_, size = utf8.DecodeLastRuneInString(s[:end])
		}
		if size == 1 && strings.IndexByte(" \t\"'`\\*", c) < 0 || size > 1 && !strings.Contains("」』”’】", s[end-size:end]) {
			break
		}
		if len(s)-end >= 16 {
			return ""
		}
		end -= size
	}
	if end > 0 && s[end-1] == ')' { // password (temporary): x
		from := max(0, end-asideMax)
		if open := strings.LastIndexByte(s[from:end], '('); open > 0 {
			end = len(strings.TrimRight(s[:from+open], " "))
		}
	}
	start := end
	for start > 0 && end-start <= keyBytesMax {
		r, size := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.' {
			break
		}
		start -= size
	}
	return s[start:end]
}

// valueAfter is where the value lies that follows the : or = at place i,
// without its quotes. It is empty where there is none to remove.
func valueAfter(s string, i int, wholeLine bool) (from, to int) {
	space := " \t=>" // also := == =>
	if i > 0 && strings.IndexByte("\"'", s[i-1]) >= 0 {
		space += "\r\n" // a quoted key is data, in which a value may stand on the next line
	}
	for i++; i < len(s) && strings.IndexByte(space, s[i]) >= 0; {
		i++
	}
	bold := strings.HasPrefix(s[i:], "**") // **Password:** x, Password: **x**
	if bold {
		for i += len("**"); i < len(s) && s[i] == ' '; {
			i++
		}
	}
	slashes := 0
	for i+slashes < len(s) && s[i+slashes] == '\\' {
		slashes++
	}
	q := i + slashes
	switch {
	case q < len(s) && (s[q] == '"' || s[q] == '\'' || s[q] == '`'):
		return q + 1, closing(s, q+1, s[q], slashes)
	case i < len(s) && (s[i] == '{' || s[i] == '[') && isPlaceholder(s[i:]) == 0:
		return i, bracketEnd(s, i)
	}
	if r, size := utf8.DecodeRuneInString(s[i:]); strings.ContainsRune("“‘「『", r) {
		i += size
		if k := strings.IndexAny(s[i:], "”’」』\n"); k >= 0 {
			return i, i + k
		}
		return i, len(s)
	}
	stop := " \t\r\n,;&}])\"'`\\<，。；！？、）」』】”’"
	if wholeLine {
		stop = "\r\n\"\\"
	}
	to = len(s)
	if k := strings.IndexAny(s[i:], stop); k >= 0 {
		to = i + k
	}
	if bold {
		to = i + len(strings.TrimSuffix(s[i:to], "**"))
	}
	return i, to
}

// closing is the place of the quote that closes a text which was opened behind
// the given number of backslashes; the end of s where the text is cut.
func closing(s string, i int, quote byte, slashes int) int {
	for i < len(s) {
		k := strings.IndexByte(s[i:], quote)
		if k < 0 {
			return len(s)
		}
		k += i
		run := 0
		for k-run-1 >= i && s[k-run-1] == '\\' {
			run++
		}
		// Fewer: a text around ours ends here. Escaped backslashes before the
		// quote come in groups of twice our own level's.
		if run < slashes || run%(2*(slashes+1)) == slashes {
			return k - min(run, slashes)
		}
		i = k + 1
	}
	return len(s)
}

// bracketEnd is the end of the object or list that opens at i; the end of s
// where it is cut. Brackets inside quoted text do not count.
func bracketEnd(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"':
			if i = closing(s, i+1, '"', 0); i >= len(s) {
				return len(s)
			}
		}
	}
	return len(s)
}
