package atom

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Scan returns the atoms of a text in the order in which they stand, English
// and Chinese. A quotation comes before the atoms within it. It reads the text
// once, by hand: regular expressions cost tens of times as much.
func Scan(text string) []Atom { return Append(make([]Atom, 0, min(2+len(text)/32, 4096)), text) }

// Append is Scan into a buffer that the caller may reuse.
func Append(atoms []Atom, text string) []Atom {
	folded, back := fold(text)
	sc := scanner{s: folded, atoms: atoms, base: len(atoms), folded: back != nil}
	sc.run()
	sc.ranges()
	sc.compounds()
	found := sc.atoms[sc.base:]
	for i := range found {
		a := &found[i]
		if back != nil {
			end := int(back[a.Offset+a.Length])
			a.Offset = int(back[a.Offset])
			a.Length = end - a.Offset
		}
		a.Text = text[a.Offset : a.Offset+a.Length]
	}
	return sc.atoms
}

// fold writes full-width forms (１２％：) as ASCII. The second result leads
// every byte of the folded text back to the original; it is nil where nothing
// had to be folded.
func fold(text string) (string, []int32) {
	if !fullWidth(text) {
		return text, nil
	}
	b := make([]byte, 0, len(text))
	back := make([]int32, 0, len(text)+1)
	for i := 0; i < len(text); {
		if text[i] == 0xef && i+2 < len(text) {
			if r, _ := utf8.DecodeRuneInString(text[i:]); r >= 0xff01 && r <= 0xff5e {
				b, back = append(b, byte(r-0xff01+'!')), append(back, int32(i))
				i += 3
				continue
			}
		}
		b, back = append(b, text[i]), append(back, int32(i))
		i++
	}
	return string(b), append(back, int32(len(text)))
}

// fullWidth reports whether a text may have full-width forms (ef bc, ef bd).
func fullWidth(text string) bool {
	for {
		at := strings.IndexByte(text, 0xef)
		if at < 0 || at+1 >= len(text) {
			return false
		}
		if c := text[at+1]; c == 0xbc || c == 0xbd {
			return true
		}
		text = text[at+1:]
	}
}

// scanner reads one text. Its methods take a position and return the position
// after what they read; a method that finds nothing of its kind returns where
// it was called.
type scanner struct {
	s      string
	atoms  []Atom
	base   int  // the scanner's first atom
	folded bool // full-width marks were written as ASCII: a comma parts sentences
	quote  int  // end of the quotation that is being read, 0 outside
	told   bool // the text's language was asked for
	commas bool // it writes decimals with a comma
}

func (sc *scanner) run() {
	s := sc.s
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			i = sc.high(i)
		case lang.IsLetter(c):
			i = sc.word(i)
		case lang.IsDigit(c):
			i = sc.number(i, i, false, "")
		case c <= ' ':
			i++
		default:
			i = sc.sign(i)
		}
	}
}

// sign reads what a punctuation mark may begin.
func (sc *scanner) sign(i int) int {
	s := sc.s
	switch s[i] {
	case '$':
		return sc.currency(i, i, false)
	case '-':
		if sc.startsValue(i) && i+1 < len(s) && (lang.IsDigit(s[i+1]) || s[i+1] == '$' || s[i+1] >= utf8.RuneSelf) {
			return sc.negative(i, i+1)
		}
	case '"':
		return sc.quoted(i, 1, `"`)
	case '#':
		if end := lang.DigitsEnd(s, i+1); end > i+1 && !lang.IsLetterAt(s, end) {
			sc.emit(Atom{Kind: Identifier, Value: s[i+1 : end], Offset: i + 1, Length: end - i - 1})
			return end
		}
	case '+':
		if end := sc.telephone(i); end > i {
			return end
		}
	case '/':
		if end := sc.path(i); end > i {
			return end
		}
	}
	return i + 1
}

// negative reads the number or the money whose sign ends before i.
func (sc *scanner) negative(start, i int) int {
	if i < len(sc.s) && lang.IsDigit(sc.s[i]) {
		return sc.number(start, i, true, "")
	}
	if end := sc.currency(start, i, true); end > i {
		return end
	}
	return i
}

// startsValue reports whether a sign at i can belong to a number: a minus
// after a letter, a digit or a bracket is a hyphen.
func (sc *scanner) startsValue(i int) bool {
	if i == 0 {
		return true
	}
	c := sc.s[i-1]
	return c <= ' ' || c == '(' || c == '[' || c == ':' || c == '=' || c == ',' || c == '|' || c == '"' || c == '$' || sc.hanBefore(i)
}

func (sc *scanner) hanBefore(i int) bool {
	if i == 0 || sc.s[i-1] < utf8.RuneSelf {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(sc.s[:i])
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303f
}

// CurrencySigns lead from a sign to its ISO 4217 code. ¥ is decided by the text.
var CurrencySigns = []struct{ Sign, Code string }{
	{"US$", "USD"}, {"HK$", "HKD"}, {"NT$", "TWD"}, {"CA$", "CAD"}, {"C$", "CAD"}, {"AU$", "AUD"}, {"A$", "AUD"}, {"NZ$", "NZD"}, {"S$", "SGD"}, {"R$", "BRL"},
	{"$", "USD"}, {"€", "EUR"}, {"£", "GBP"}, {"￥", "CNY"}, {"¥", "CNY"}, {"₹", "INR"}, {"₩", "KRW"}, {"₽", "RUB"}, {"₺", "TRY"}, {"₫", "VND"},
}

// currency reads money that begins with a sign at i.
func (sc *scanner) currency(start, i int, neg bool) int {
	for _, c := range CurrencySigns {
		if !strings.HasPrefix(sc.s[i:], c.Sign) {
			continue
		}
		p := sc.space(i + len(c.Sign))
		if p < len(sc.s) && sc.s[p] == '-' && !neg {
			p, neg = p+1, true
		}
		if p+1 < len(sc.s) && sc.s[p] == '(' && lang.IsDigit(sc.s[p+1]) { // $(12.4) million: a loss
			if n, end := ParseDigits(sc.s, p+1); end < len(sc.s) && sc.s[end] == ')' {
				n.Neg = true
				return sc.amount(start, p+1, end+1, n, c.Code, false)
			}
		}
		if p < len(sc.s) && lang.IsDigit(sc.s[p]) {
			code := c.Code
			if c.Sign == "¥" && strings.Contains(sc.s, "yen") {
				code = "JPY"
			}
			return sc.number(start, p, neg, code)
		}
		return i + len(c.Sign)
	}
	return i + 1
}

// quoted emits the quotation whose opening mark stands at i; what is within is
// read on. Marks must close on the same line, within maxQuote bytes.
func (sc *scanner) quoted(i, width int, closing string) int {
	const maxQuote = 400
	s, from := sc.s, i+width
	if closing == `"` && i > 0 && !(s[i-1] <= ' ' || s[i-1] == '(' || s[i-1] == ':' || s[i-1] == '[' || s[i-1] >= utf8.RuneSelf) {
		return from
	}
	limit := min(len(s), from+maxQuote)
	n := strings.Index(s[from:limit], closing)
	if n <= 0 || s[from] <= ' ' || i < sc.quote || strings.IndexByte(s[from:from+n], '\n') >= 0 {
		return from
	}
	sc.emit(Atom{Kind: Quote, Value: s[from : from+n], Offset: i, Length: width + n + len(closing)})
	sc.quote = from + n
	return from
}

// high reads what a character beyond ASCII begins.
func (sc *scanner) high(i int) int {
	r, width := utf8.DecodeRuneInString(sc.s[i:])
	switch r {
	case '“':
		return sc.quoted(i, width, "”")
	case '「':
		return sc.quoted(i, width, "」")
	case '『':
		return sc.quoted(i, width, "』")
	case '《':
		return sc.quoted(i, width, "》")
	case '€', '£', '¥', '￥', '₹', '₩', '₽', '₺', '₫':
		return sc.currency(i, i, false)
	case '−', '–':
		if r == '−' && sc.startsValue(i) {
			return sc.negative(i, i+width)
		}
		return i + width
	}
	if unicode.Is(unicode.Han, r) || r == '〇' {
		return sc.han(i, r)
	}
	if unicode.IsLetter(r) {
		return sc.word(i)
	}
	return i + width
}

func (sc *scanner) emit(a Atom) { sc.atoms = append(sc.atoms, a) }

func (sc *scanner) last() *Atom {
	if len(sc.atoms) == sc.base {
		return nil
	}
	return &sc.atoms[len(sc.atoms)-1]
}

// space is [lang.SkipSpace] of the scanner's text.
func (sc *scanner) space(i int) int { return lang.SkipSpace(sc.s, i) }

// wordBefore is the word that ends before i, spaces skipped: "" at a sentence's start.
func (sc *scanner) wordBefore(i int) string {
	s := sc.s
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '\t') {
		i--
	}
	end := i
	if i > 0 && s[i-1] == '.' { // No. 17
		i--
		end = i
	}
	for i > 0 && lang.IsLetter(s[i-1]) {
		i--
	}
	return s[i:end]
}

// wordAt is the ASCII word at i after spaces.
func (sc *scanner) wordAt(i int) string {
	s := sc.s
	i = sc.space(i)
	end := i
	for end < len(s) && lang.IsLetter(s[end]) {
		end++
	}
	return s[i:end]
}
