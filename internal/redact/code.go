package redact

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// A short code opens something to whoever knows it: a PIN, the code of a message
// for a login, the three digits of a card. It has no shape of its own, so that it is
// told by its name: one of codeNames, a separator and a code ("OTP: 482193", 验证码是482193),
// or the code, a verb and the name ("482193 is your login code").

// codeNames are those names, as [normaliseName] writes them. Codes by which things
// are looked up or sorted (postal, error, booking, product) are not among them.
var codeNames = sync.OnceValue(func() map[string]codeKind {
	m := map[string]codeKind{}
	for kind, names := range map[codeKind]string{
		codeOnce: `otp totp otpcode onetimecode onetimepassword onetimepasscode onetimepin onetimetoken mtan
			verificationcode verifycode verificationpin 2facode 2fatoken mfacode mfatoken twofactorcode twostepcode
			authcode mypin yourpin atmpin simpin cardpin userpin authenticationcode authenticatorcode logincode signincode smscode passcode accesscode unlockcode
			recoverycode resetcode passwordresetcode
			验证码 驗證碼 校验码 校驗碼 动态码 動態碼 动态口令 动态密码 解锁码 提取码 登录码
			認証コード 確認コード ワンタイムパスワード 暗証番号 인증번호 인증코드
			bestätigungscode verifizierungscode sicherheitscode zugangscode anmeldecode einmalpasswort
			codedevérification códigodeverificación códigodeverificação codicediverifica кодподтверждения`,
		codePIN:  `pin pincode pinnumber pin码 pin碼`,
		codeCard: `cvv cvv2 cvc cvc2 cvvcode cvccode securitycode cardsecuritycode cardverificationcode 安全码 安全碼`,
	} {
		for name := range strings.FieldsSeq(names) {
			m[name] = kind
		}
	}
	return m
})

type codeKind uint8

const (
	codeOnce codeKind = iota + 1
	codePIN
	codeCard
)

// codeBy is what makes a code that of the name before it.
type codeBy uint8

const (
	bySign  codeBy = iota // a sign or a verb between them
	byShape               // nothing, or a space, behind a name in capitals or Chinese: PIN 4821, 验证码482193
	bySpace               // a space, which says little in prose
)

// fits reports whether a code may be one of the kind.
func (k codeKind) fits(code string, by codeBy) bool {
	digits := allDigits(code)
	switch n := len(code); k {
	case codePIN: // six digits are an Indian postal code, which is called so too
		return digits && by != bySpace && (n == 4 || n == 5 || n == 8)
	case codeCard:
		return digits && (n == 3 || n == 4)
	default:
		return n >= 4 && n <= 10 && (digits && (by == bySign || !isYear(code)) || by == bySign && upperCode(code))
	}
}

func isYear(s string) bool {
	return len(s) == 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20"))
}

func allDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// upperCode reports whether a word is capitals and digits, or one of few small letters
// and digits, as no word is.
func upperCode(s string) bool {
	upper, lower, digit := false, false, false
	for i := range len(s) {
		switch c := s[i]; {
		case lang.IsUpper(c):
			upper = true
		case lang.IsLower(c):
			lower = true
		default:
			digit = true
		}
	}
	return digit && (upper && !lower || lower && !upper && len(s) <= 6)
}

const (
	codeNameBytes  = 40 // a name with what is written in it, at most
	codeBytesMin   = 3  // of a code, or of its first group
	codeBytesMax   = 12
	codeAfterBytes = 64 // how far behind a code its name is looked for
	codeWordsMax   = 6  // is your Example two factor code
)

// codeSpans is where short codes stand in a text: begin and end of each, in order.
func codeSpans(s string) (spans []int) {
	for i := 0; i < len(s); i++ {
		if !lang.IsDigit(s[i]) {
			continue
		}
		from, to := i, i
		for from > 0 && lang.IsAlnum(s[from-1]) && i-from <= codeBytesMax {
			from--
		}
		for to < len(s) && lang.IsAlnum(s[to]) {
			to++
		}
		i = to
		if n := to - from; n < codeBytesMin || n > codeBytesMax {
			continue
		}
		end := groups(s, from, to)
		if from, to = codeAt(s, from, to, end); from < to {
			spans = append(spans, from, to)
			i = to
		}
	}
	return spans
}

// groups is where a code ends that is written in groups of three or four digits, of which
// the first stands from place to place: 482-193, 482 193.
func groups(s string, from, to int) int {
	n := to - from
	if n < 3 || n > 4 || !allDigits(s[from:to]) || to+1+n > len(s) || s[to] != ' ' && s[to] != '-' || !allDigits(s[to+1:to+1+n]) || to+1+n < len(s) && lang.IsAlnum(s[to+1+n]) {
		return to
	}
	return to + 1 + n
}

// codeAt is where the code lies of which a word, or the word and its second group up to
// end, is the value; empty where its name says that it is none.
func codeAt(s string, from, to, end int) (int, int) {
	if next, _ := utf8.DecodeRuneInString(s[to:]); next == '%' || next == '.' && to+1 < len(s) && lang.IsAlnum(s[to+1]) || strings.ContainsRune(codeUnits, next) {
		return 0, 0
	}
	start := from
	if k := strings.LastIndexByte(s[max(0, from-4):from], '-'); k >= 0 && isCapitals(s[max(0, from-4):from-1]) {
		start = max(0, from-4) // G-482193
	}
	kind, by := codeBefore(s[:start])
	if kind == 0 {
		kind, by = codeBehind(s[end:]), bySign
	}
	switch {
	case kind == 0:
		return 0, 0
	case end > to && kind != codeCard && by == bySign:
		return from, end
	case kind.fits(s[from:to], by):
		return from, to
	}
	return 0, 0
}

// codeUnits are what a number counts or numbers that stands before them.
const codeUnits = "年月日号號个個次元种種位条條步章节節版套张張只"

func isCapitals(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

// Signs around and between a name and a code, and verbs that say what it is.
const codeMarks = " \t\"'`*_\\“”‘’「」『』【】[](){}（）<"

var (
	codeSigns = strings.Fields(": ： = ＝ > — – -")
	codeVerbs = []string{"is", "was", "to", "as", "是", "为", "為", "成", "ist", "est", "es", "は"}
)

// codeBefore is the kind of code whose name ends a text, before what makes the code
// its value; 0 where none does.
func codeBefore(s string) (codeKind, codeBy) {
	s = trimMarks(s[max(0, len(s)-codeNameBytes-16):])
	by := bySpace
	for range 2 { // "is:", 是：
		for _, list := range [2][]string{codeSigns, codeVerbs} {
			if rest, ok := cutOneOf(s, list); ok {
				s, by = trimMarks(rest), bySign
			}
		}
	}
	kind, shaped := codeNamed(s)
	if by == bySpace && shaped {
		by = byShape
	}
	return kind, by
}

// cutOneOf is a text without the one of a list that ends it; a word of letters ends it
// behind a space.
func cutOneOf(s string, list []string) (rest string, ok bool) {
	if s == "" {
		return s, false
	}
	for _, end := range list {
		if end[len(end)-1] != s[len(s)-1] {
			continue
		}
		if rest, ok = strings.CutSuffix(s, end); ok && (!lang.IsAlnum(end[0]) || strings.HasSuffix(rest, " ")) {
			return rest, true
		}
	}
	return s, false
}

// trimMarks is a text without the marks that end it.
func trimMarks(s string) string {
	for s != "" {
		_, size := utf8.DecodeLastRuneInString(s)
		if !strings.Contains(codeMarks, s[len(s)-size:]) {
			break
		}
		s = s[:len(s)-size]
	}
	return s
}

// codeNamed is the kind of code whose name, the longest there is, ends a text at the
// bounds of words. shaped says that the name is in capitals, or in Chinese.
func codeNamed(s string) (kind codeKind, shaped bool) {
	if s == "" || !codeEndings().mayHold(s) {
		return 0, false
	}
	words := 0
	for at := len(s); at > 0 && len(s)-at < codeNameBytes && words < codeWordsMax; {
		r, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if strings.IndexByte(" _-.", s[at]) < 0 {
				break
			}
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		inWord := r < hanFirst && before < hanFirst && (unicode.IsLetter(before) || unicode.IsDigit(before))
		if inWord && !(unicode.IsUpper(r) && unicode.IsLower(before)) { // verifyCode is two words
			continue
		}
		if r < hanFirst {
			words++
		}
		if k := codeNames()[normaliseName(s[at:])]; k != 0 {
			kind, shaped = k, isCapitals(s[at:]) || s[len(s)-1] >= utf8.RuneSelf
		}
	}
	return kind, shaped
}

// hanFirst begins the scripts of East Asia, in which words are not parted.
const hanFirst = 0x2E80

var codeEndings = sync.OnceValue(func() *endings {
	var e endings
	for name := range codeNames() {
		e.add(name)
	}
	return &e
})

// codeBehind is the kind of code that a text calls what stands before it: " is your
// login code", 是您的验证码, （登录验证码）; 0 where it calls it none.
func codeBehind(s string) codeKind {
	if s == "" {
		return 0
	}
	s = s[:min(len(s), codeAfterBytes)]
	rest := strings.TrimLeft(s, " \"'`*】」”)")
	switch {
	case strings.HasPrefix(rest, "is "):
	case strings.HasPrefix(rest, "是"), strings.HasPrefix(rest, "为"), strings.HasPrefix(rest, "（"), strings.HasPrefix(rest, "("):
	default:
		return 0
	}
	if k := strings.IndexAny(rest[1:], ".,;!?\n。，；！？、）)"); k >= 0 {
		rest = rest[:k+1]
	}
	// The name is near, and not one of what is spoken of further on (验证码技术).
	words := 0
	for at, r := range rest {
		next := at + utf8.RuneLen(r)
		after, _ := utf8.DecodeRuneInString(rest[min(next, len(rest)):])
		switch inHan := r >= hanFirst; {
		case r == utf8.RuneError || words >= codeWordsMax:
			return 0
		case !unicode.IsLetter(r) && !unicode.IsDigit(r), !inHan && (unicode.IsLetter(after) || unicode.IsDigit(after)):
			continue
		case !inHan:
			words++
		case unicode.Is(unicode.Han, after) && after != '请' && after != '請':
			continue
		}
		if kind, _ := codeNamed(rest[:next]); kind != 0 {
			return kind
		}
	}
	return 0
}
