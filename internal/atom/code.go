package atom

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// code reads what a word with digits or marks in it is: a URL, an e-mail
// address, a version, a path, a code such as INV-20931. It returns i where the
// word is only a word.
func (sc *scanner) code(i, end int) int {
	s := sc.s
	if s[end] == '$' {
		return sc.prefixedDollar(i, end)
	}
	if e := sc.url(i, end); e > i {
		return e
	}
	if s[end] == ':' {
		return i
	}
	if e := sc.version(i, end); e > i {
		return e
	}
	if e := sc.period(i); e > i {
		return e
	}
	if s[end] == '-' && lang.IsDigitAt(s, end+1) {
		if e := lang.DigitsEnd(s, end+1); e == end+5 {
			switch lang.Lower(s[i:end]) {
			case "mid", "pre", "post", "early", "late", "since":
				if d := sc.decade(end+1, e); d > end+1 { // the mid-1970s
					return d
				}
				if !lang.IsAlnumAt(s, e) {
					return sc.date(end+1, e, s[end+1:e])
				}
			}
		}
	}
	e, digits, at, slash := end, false, -1, -1
	for e < len(s) {
		c := s[e]
		switch {
		case lang.IsDigit(c):
			digits = true
		case lang.IsLetter(c):
		case c == '@' && at < 0 && lang.IsAlnumAt(s, e+1):
			at = e
		case c == '/' && lang.IsAlnumAt(s, e+1) && at < 0:
			slash = e
		case (c == '-' || c == '_' || c == '.' || c == '+' && at < 0) && e+1 < len(s) && (lang.IsLetter(s[e+1]) || lang.IsDigit(s[e+1]) || c == '_'):
		default:
			goto done
		}
		e++
	}
done:
	if strings.HasPrefix(s[e:], "年") && digits { // Tesla2024年
		return i
	}
	switch {
	case at >= 0:
		return sc.email(i, at)
	case slash >= 0 && fileName(s[slash+1:e]):
		return sc.identifier(i, e)
	case slash >= 0:
		e = slash
		digits = strings.ContainsAny(s[i:e], "0123456789")
	}
	if digits && !sc.ordinaryHyphen(i, e) {
		return sc.identifier(i, sc.groups(i, e))
	}
	if !digits && fileName(s[i:e]) {
		return sc.identifier(i, e)
	}
	return i
}

// groups is the end of a code that is written in groups, of which the first one is
// s[i:e]: an account (DE89 3704 0044 0532 0130 00), a card's number.
func (sc *scanner) groups(i, e int) int {
	s := sc.s
	account := e-i == 4 && lang.IsUpper(s[i]) && lang.IsUpper(s[i+1]) && lang.IsDigit(s[i+2]) && lang.IsDigit(s[i+3])
	if !account && !(lang.DigitsEnd(s, i) == e && (e-i == 4 || e-i == 3)) {
		return e
	}
	end, n := e, 0
	for end < len(s) && s[end] == ' ' {
		g := end + 1
		for g < len(s) && (lang.IsDigit(s[g]) || account && lang.IsUpper(s[g])) {
			g++
		}
		if size := g - end - 1; size != 4 && !(account && n >= 2 && size > 0 && size < 4) || lang.IsAlnumAt(s, g) {
			break
		}
		end, n = g, n+1
	}
	if n >= 3 || n == 2 && (account || e-i == 3) {
		return end
	}
	return e
}

func (sc *scanner) identifier(i, e int) int {
	sc.emit(Atom{Kind: Identifier, Value: sc.s[i:e], Offset: i, Length: e - i})
	return e
}

// ordinaryHyphen reports a word such as US-based or top-10, whose digits stand
// for themselves after a lower-case word.
func (sc *scanner) ordinaryHyphen(i, e int) bool {
	s := sc.s
	h := strings.IndexByte(s[i:e], '-')
	return h > 1 && lang.IsLower(s[i]) && lang.DigitsEnd(s, i+h+1) == e && commonWords().Get(s[i:i+h])
}

// prefixedDollar reads US$2.5bn.
func (sc *scanner) prefixedDollar(i, end int) int {
	switch sc.s[i:end] {
	case "US", "HK", "NT", "CA", "C", "AU", "A", "NZ", "S", "R":
		if e := sc.currency(i, i, false); lang.IsDigitAt(sc.s, end+1) || lang.IsDigitAt(sc.s, end+2) {
			return e
		}
	}
	return i
}

// version reads v2.3.1 and ver.2.
func (sc *scanner) version(i, end int) int {
	s := sc.s
	if end-i != 1 || s[i]|0x20 != 'v' || !lang.IsDigit(s[end]) {
		return i
	}
	e := end
	for e < len(s) && (lang.IsAlnum(s[e]) || (s[e] == '.' || s[e] == '-' || s[e] == '+') && e+1 < len(s) && lang.IsAlnum(s[e+1])) {
		e++
	}
	sc.emit(Atom{Kind: Identifier, Value: s[end:e], Offset: i, Length: e - i})
	return e
}

// url reads a URL that begins at i.
func (sc *scanner) url(i, end int) int {
	s := sc.s
	switch {
	case strings.HasPrefix(s[end:], "://"):
	case s[end] == '.' && lang.Lower(s[i:end]) == "www" && lang.IsAlnumAt(s, end+1):
	default:
		return i
	}
	e := end
	depth := 0
	for e < len(s) {
		c := s[e]
		if c <= ' ' || c >= 0x80 || c == '"' || c == '<' || c == '>' || c == '`' || c == '\\' || c == '|' || c == '{' || c == '}' {
			break
		}
		if c == '(' {
			depth++
		}
		if c == ')' {
			if depth == 0 {
				break
			}
			depth--
		}
		if c == ']' || c == '\'' {
			break
		}
		e++
	}
	for e > end && strings.IndexByte(".,;:!?*", s[e-1]) >= 0 {
		e--
	}
	if e < end+4 {
		return i
	}
	sc.emit(Atom{Kind: URL, Value: s[i:e], Offset: i, Length: e - i})
	return e
}

// email reads the domain of an address whose @ stands at at.
func (sc *scanner) email(i, at int) int {
	s := sc.s
	e, dot := at+1, false
	for e < len(s) && (lang.IsAlnum(s[e]) || s[e] == '-' || s[e] == '.' && lang.IsAlnumAt(s, e+1)) {
		dot = dot || s[e] == '.'
		e++
	}
	if !dot || e == at+1 {
		return at
	}
	return sc.identifier(i, e)
}

// path reads a file path that begins with a slash.
func (sc *scanner) path(i int) int {
	s := sc.s
	if i > 0 && (lang.IsAlnumAt(s, i-1) || s[i-1] == '/' || s[i-1] == '<' || s[i-1] == '.') || !lang.IsLetterAt(s, i+1) {
		return i
	}
	e, strokes := i+1, 0
	for e < len(s) && (lang.IsAlnum(s[e]) || s[e] == '_' || s[e] == '-' || (s[e] == '/' || s[e] == '.') && lang.IsAlnumAt(s, e+1)) {
		if s[e] == '/' {
			strokes++
		}
		e++
	}
	if strokes == 0 {
		return i
	}
	return sc.identifier(i, e)
}

// fileName reports a name with an ending of one to four letters, such as main.go.
func fileName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s)-dot > 5 || len(s)-dot < 2 {
		return false
	}
	switch s[dot+1:] {
	case "go", "py", "js", "ts", "md", "txt", "csv", "json", "yaml", "yml", "xml", "html", "pdf", "log", "sql", "sh", "toml", "ini", "cfg", "conf", "c", "h", "cpp", "rs", "java", "rb", "tsx",
		"xlsx", "docx", "png", "jpg", "zip", "gz", "db", "parquet", "lock", "mod":
		return true
	}
	return false
}

// digitCode reads codes that begin with digits: versions and addresses
// (1.26.3, 10.0.12.7), telephone numbers (400-820-8820), mixed codes
// (9fceb02d, 1Z999AA1).
func (sc *scanner) digitCode(i int) int {
	s := sc.s
	end := lang.DigitsEnd(s, i)
	if end >= len(s) {
		return i
	}
	switch c := s[end]; {
	case c == ' ':
		if e := sc.groups(i, end); e > end {
			return sc.identifier(i, e)
		}
	case c == '.' && s[i:end] == "10" && sc.doi(i) > i:
		e := sc.doi(i)
		return sc.identifier(i, e)
	case c == '.':
		e, dots := end, 0
		for e+1 < len(s) && s[e] == '.' && lang.IsDigit(s[e+1]) {
			dots++
			e = lang.DigitsEnd(s, e+1)
		}
		if dots >= 2 {
			for e < len(s) && (s[e] == '-' || s[e] == '+') && lang.IsLetterAt(s, e+1) { // 2.4.0-rc1
				for e++; e < len(s) && (lang.IsAlnum(s[e]) || s[e] == '.' && lang.IsAlnumAt(s, e+1)); e++ {
				}
			}
			return sc.identifierNumber(i, e)
		}
		if dots == 1 && !lang.IsAlnumAt(s, e) {
			return sc.versionNumber(i, end, e)
		}
	case c == '-' && lang.IsDigitAt(s, end+1):
		e, groups := end, 1
		for e+1 < len(s) && s[e] == '-' && lang.IsDigit(s[e+1]) {
			groups++
			e = lang.DigitsEnd(s, e+1)
		}
		if groups >= 3 && e-i >= 9 && !lang.IsAlnumAt(s, e) {
			return sc.identifier(i, e)
		}
	case lang.IsLetter(c):
		e, letters, digits := end, 0, end-i
		for e < len(s) && lang.IsAlnum(s[e]) {
			if lang.IsDigit(s[e]) {
				digits++
			} else {
				letters++
			}
			e++
		}
		if letters >= 2 && digits > end-i && e-i >= 6 || s[i] == '0' && e-i >= 4 && letters > 0 && digits > end-i {
			return sc.identifier(i, e)
		}
	}
	return i
}

// doi is the end of a DOI that begins at i: 10.5555/coral2.2026.
func (sc *scanner) doi(i int) int {
	s := sc.s
	e := lang.DigitsEnd(s, i+3)
	if e < i+7 || e > i+12 || e+1 >= len(s) || s[e] != '/' || !lang.IsAlnum(s[e+1]) {
		return i
	}
	for e++; e < len(s) && (lang.IsAlnum(s[e]) || strings.IndexByte("-._;()/:", s[e]) >= 0); e++ {
	}
	for strings.IndexByte(".,;:)", s[e-1]) >= 0 {
		e--
	}
	return e
}

// identifierNumber emits a dotted number; a word "version" before it is not a part of it.
func (sc *scanner) identifierNumber(i, e int) int {
	start := i
	if p := sc.versionWord(i); p >= 0 {
		start = p
	}
	sc.emit(Atom{Kind: Identifier, Value: sc.s[i:e], Offset: start, Length: e - start})
	return e
}

// versionWord is where the word "version" that stands before i begins, or -1.
func (sc *scanner) versionWord(i int) int {
	s := sc.s
	if i >= 8 && s[i-1] == ' ' && lang.Lower(s[i-8:i-1]) == "version" {
		return i - 8
	}
	if i >= 6 && s[i-6:i] == "版本" {
		return i - 6
	}
	return -1
}

// versionNumber reads a number with one point as a version, where the words
// before it say so: version 3.2, NimbusOS 3.2, id 1706.03762.
func (sc *scanner) versionNumber(i, dot, e int) int {
	s := sc.s
	before := sc.wordBefore(i)
	switch lang.Lower(before) {
	case "version", "release", "id", "arxiv", "doi", "v", "patch":
		return sc.identifier(i, e)
	case "section", "chapter", "figure", "table":
		return e
	}
	if (lang.Lower(before) == "to" || lang.Lower(before) == "from" || sc.hanBefore(i)) && sc.upgraded(i) {
		return sc.identifier(i, e)
	}
	if sc.nameEndsAt(i) && i > 0 && s[i-1] == ' ' && e-i <= 6 {
		if sc.measures(e) {
			return i
		}
		return sc.identifier(i, e)
	}
	return i
}

// upgraded reports a sentence of upgrading before i: its numbers with a point are versions.
func (sc *scanner) upgraded(i int) bool {
	from, to := lang.Sentence(sc.s, i, i)
	if _, p := sc.unitAt(fractionEnd(sc.s, i)); p > fractionEnd(sc.s, i) {
		return false
	}
	return lang.ContainsAny(lang.Lower(sc.s[from:to]), []string{"upgrade", "downgrade", "升级", "降级"})
}

// telephone reads +1-555-010-4477.
func (sc *scanner) telephone(i int) int {
	s := sc.s
	e, digits := i+1, 0
	for e < len(s) && (lang.IsDigit(s[e]) || (s[e] == '-' || s[e] == ' ' || s[e] == '(' || s[e] == ')') && e+1 < len(s) && (lang.IsDigit(s[e+1]) || s[e+1] == '(' || s[e] == ')')) {
		if lang.IsDigit(s[e]) {
			digits++
		}
		e++
	}
	if digits < 8 || digits > 15 {
		return i
	}
	return sc.identifier(i, e)
}

// measures reports whether what stands at i makes an amount of the number before
// it: a unit, a scale, a percent sign or a currency.
func (sc *scanner) measures(i int) bool {
	if sc.plainFollows(i) {
		return false
	}
	if _, p := sc.unitAt(i); p > i {
		return true
	}
	if _, p := sc.scaleAt(i, false); p > i {
		return true
	}
	if _, _, p := sc.percentAt(i); p > i {
		return true
	}
	_, p := sc.currencyAfter(i)
	return p > i
}
