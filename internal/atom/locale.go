package atom

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// continental reads the rest of a numeral that is written as on the European
// continent: 18 490 €, 1.299 €, 12,50 €, 3,5 km, 1,5 Mio. A point, a comma or a space
// can mean such things only beside a currency, a unit or a scale, or where two digits
// after a comma end all that a text says, as a field does; code is that of a currency
// before the numeral. The numeral n stands from i to end.
func (sc *scanner) continental(i, end int, n Decimal, code string) (Decimal, int) {
	s, c := sc.s, byte(0)
	if end < len(s) {
		c = s[end]
	}
	switch {
	case c == ' ' && n.Exp == 0 && end-i <= 3 && groupOfThree(s, end+1) && !(i >= 2 && s[i-1] == ' ' && lang.IsDigit(s[i-2])):
		m, e := n, end
		for e < len(s) && s[e] == ' ' && groupOfThree(s, e+1) {
			m, e = appendDigits(m, s[e+1:e+4]), e+4
		}
		if e < len(s) && s[e] == ',' && lang.IsDigitAt(s, e+1) && lang.IsDigitAt(s, e+2) && !lang.IsDigitAt(s, e+3) {
			m = appendDigits(m, s[e+1:e+3])
			m.Exp, e = -2, e+3
		}
		if code != "" || m.Exp < 0 || sc.measuredAt(e) || sc.grouped(i, end, e) {
			return m, e
		}
	case c == ',' && !sc.folded && n.Exp == 0 && lang.IsDigitAt(s, end+1):
		e := lang.DigitsEnd(s, end+1)
		if sc.decimalComma(i, end, e) {
			return fraction(n, s[end+1:e]), e
		}
		if e-end > 3 && n.Coef > 0 || e < len(s) && (s[e] == ',' || s[e] == '.' && lang.IsDigitAt(s, e+1)) || code == "" && !sc.measuredAt(e) && !(e-end == 3 && (i == 0 && e == len(s) || endsLine(s, i, e))) || code != "" && e-end != 3 {
			break
		}
		return fraction(n, s[end+1:e]), e
	}
	if n.Exp == -3 && end-i >= 5 && end-i <= 7 { // 1.299 €
		after := end
		if code == "" {
			c, e := sc.currencyAfter(end)
			if c.Code != "EUR" && c.Code != "CHF" || c.Scale != 0 {
				return n, end
			}
			after = e
		}
		if code != "" && code != "EUR" && code != "CHF" || s[i] == '0' {
			return n, end
		}
		if rest := strings.TrimLeft(s[after:], " "); !lang.HasAnyPrefix(rest, "/", "per", "pro", "par", "por", "a ", "an ", "million", "billion", "bn", "m ") {
			n.Exp = 0
		}
	}
	return n, end
}

// decimalComma reports that the comma between the digits from i and those to e is a
// decimal one, as the language of the text tells: "noch 14,5 Tage". Digits that more
// commas part are a list.
func (sc *scanner) decimalComma(i, comma, e int) bool {
	s := sc.s
	return strings.IndexByte(s[i:comma], ',') < 0 && !(i >= 2 && s[i-1] == ',' && lang.IsDigit(s[i-2])) &&
		!(e < len(s) && (s[e] == ',' || s[e] == '.') && lang.IsDigitAt(s, e+1)) && !lang.IsAlnumAt(s, e) && sc.inCommaLanguage()
}

// inCommaLanguage reports a text in a language that writes decimals with a comma. It is
// asked only where a number has one, and answered once.
func (sc *scanner) inCommaLanguage() bool {
	if !sc.told {
		sc.told = true
		switch lang.Language(sc.s) {
		case "de", "fr", "es", "pt", "it", "nl", "pl", "sv", "da", "tr", "ru", "uk", "el":
			sc.commas = true
		}
	}
	return sc.commas
}

// fraction adds the digits after a decimal mark to a whole number.
func fraction(n Decimal, digits string) Decimal {
	n = appendDigits(n, digits)
	n.Exp = -int32(len(digits))
	return n
}

func appendDigits(n Decimal, digits string) Decimal {
	for i := range len(digits) {
		n.add(digits[i] - '0')
	}
	return n
}

// grouped reports that the digits from i to e, which a space parts at end, are
// one number and not two, where no unit says so: they are all of the text, or
// counted ("139 875 inhabitants"), or what one label is of ("Population: 139 875").
// Two numbers stand behind a name (Phone 15 256 GB) and in lists of numbers.
func (sc *scanner) grouped(i, end, e int) bool {
	s := sc.s
	if e < len(s) && (s[e] == ' ' || s[e] == ',' && e+1 < len(s) && s[e+1] == ' ') && lang.IsDigitAt(s, digitsGap(s, e)) {
		return false
	}
	if i == 0 && e == len(s) {
		return true
	}
	before := sc.wordBefore(i)
	if before != "" && (hasUpper(before) || idWords.Fold(before) > 0) {
		return false
	}
	if sc.nounAfter(e) != "" {
		return true
	}
	if e < len(s) && s[e] != '\n' && s[e] != '.' && !strings.HasPrefix(s[e:], " (") {
		return false
	}
	colon := strings.TrimRight(s[:i], " *")
	label := strings.TrimRight(strings.TrimSuffix(colon, ":"), " *")
	return len(label) < len(colon) && !strings.HasSuffix(label, "s") && e == end+4
}

// digitsGap is where what follows a space, or a comma and a space, begins.
func digitsGap(s string, i int) int {
	if s[i] == ',' {
		i++
	}
	return i + 1
}

// measuredAt reports a percent sign, a currency, a unit or a scale in words at i.
func (sc *scanner) measuredAt(i int) bool {
	if w := sc.wordAt(i); len(w) > 2 && lang.HasAnyPrefix(lang.Lower(w), "million", "billion") {
		return true
	}
	if _, e := sc.foreignScale(i); e > i {
		return true
	}
	if _, _, e := sc.percentAt(i); e > i {
		return true
	}
	if _, e := sc.currencyAfter(i); e > i {
		return true
	}
	u, e := sc.unitAt(i)
	return e > i && Measures[u].By != 0
}

// foreignScale reads a scale's word in another language than English at i, with the
// point of an abbreviation and what joins a currency to it: 3,5 Mio. EUR, 4 Milliarden
// Euro, 2 millones de euros.
func (sc *scanner) foreignScale(i int) (power, end int) {
	s := sc.s
	p := sc.space(i)
	if p >= len(s) || s[p]|0x20 != 'm' && s[p]|0x20 != 'b' && !lang.HasAnyPrefix(s[p:], "м") { // most words
		return 0, i
	}
	const longest = len("миллионов")
	end = min(len(s), p+longest+1)
	if stop := strings.IndexFunc(s[p:end], func(r rune) bool { return !unicode.IsLetter(r) }); stop >= 0 {
		end = p + stop
	}
	w := lang.Lower(s[p:end])
	if power = foreignScales()[w]; power == 0 {
		return 0, i
	}
	if strings.HasPrefix(s[end:], ".") && len(w) <= len("mio") {
		if _, e := sc.currencyAfter(end + 1); e > end+1 {
			end++
		}
	}
	for _, of := range [...]string{" d'", " d’", " de ", " di "} {
		if p := end + len(of); strings.HasPrefix(s[end:], of) {
			if _, e := sc.currencyAfter(p); e > p {
				return power, p
			}
		}
	}
	return power, end
}

var foreignScales = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for power, words := range map[int]string{
		6: "mio mln millionen millions millón millones milhão milhões milione milioni miljoen miljoner million millioner milion miliony milionów milyon миллион миллиона миллионов",
		9: "mrd mld milliarde milliarden milliard milliards milliarder miliardo miliardi miljard miljarder miliard miliardy miliardów milyar bilhão bilhões миллиард миллиарда миллиардов",
	} {
		for w := range strings.FieldsSeq(words) {
			m[w] = power
		}
	}
	return m
})

// endsLine reports a numeral that stands by itself at the end of a line, as an amount of a
// bill does: "Blood count ....... 58,20".
func endsLine(s string, i, e int) bool {
	return i >= 2 && (e == len(s) || s[e] == '\n') && s[i-1] == ' ' && (s[i-2] == '.' || s[i-2] == ' ')
}

// fractionEnd is the end of digits with a point among them.
func fractionEnd(s string, i int) int {
	end := lang.DigitsEnd(s, i)
	if end < len(s) && s[end] == '.' && lang.IsDigitAt(s, end+1) {
		return lang.DigitsEnd(s, end+1)
	}
	return end
}

// scientific reads the power of ten after a numeral: 1.2e-5, 6.022×10^23, 3 × 10⁸.
func scientific(s string, end int, n Decimal) (Decimal, int) {
	if end+1 >= len(s) {
		return n, end
	}
	p := end
	switch c := s[p]; {
	case c|0x20 == 'e':
		p++
	case c == ' ' || c == '*' || c == 0xc3 || c|0x20 == 'x':
		if c == ' ' {
			p++
		}
		switch {
		case strings.HasPrefix(s[p:], "×"):
			p += len("×")
		case p < len(s) && (s[p]|0x20 == 'x' || s[p] == '*'):
			p++
		default:
			return n, end
		}
		if p < len(s) && s[p] == ' ' {
			p++
		}
		if !strings.HasPrefix(s[p:], "10") {
			return n, end
		}
		if p += 2; p < len(s) && s[p] == '^' {
			p++
		} else if p >= len(s) || s[p] < utf8.RuneSelf {
			return n, end
		}
	default:
		return n, end
	}
	power, p, ok := exponent(s, p)
	if !ok {
		return n, end
	}
	n.Exp += int32(power)
	return n, p
}

// powerOfTen reads 10^6 and 10⁶, whose 10 ends at end.
func powerOfTen(s string, i, end int) (Decimal, int) {
	if s[i:end] != "10" || end >= len(s) || s[end] != '^' && s[end] < utf8.RuneSelf {
		return Decimal{}, end
	}
	p := end
	if s[p] == '^' {
		p++
	}
	power, p, ok := exponent(s, p)
	if !ok {
		return Decimal{}, end
	}
	return Decimal{Coef: 1, Exp: int32(power)}, p
}

// exponent reads a power of ten, raised or not, at p.
func exponent(s string, p int) (power, end int, ok bool) {
	neg, digits := false, 0
	for p < len(s) {
		r, w := utf8.DecodeRuneInString(s[p:])
		d := -1
		if lang.IsDigit(s[p]) {
			d = int(s[p] - '0')
		} else {
			for i, u := range [...]rune{'⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'} {
				if u == r {
					d = i
				}
			}
		}
		if digits == 0 && (r == '-' || r == '⁻' || r == '−' || r == '+') && d < 0 {
			neg = r != '+'
		} else if d < 0 || digits == 3 {
			break
		} else {
			power, digits = power*10+d, digits+1
		}
		p += w
	}
	if digits == 0 || power > 300 || lang.IsAlnumAt(s, p) {
		return 0, p, false
	}
	if neg {
		power = -power
	}
	return power, p, true
}

// fractionSigns are the fractions of one character that a decimal holds.
var fractionSigns = map[rune]Decimal{
	'½': {Coef: 5, Exp: -1}, '¼': {Coef: 25, Exp: -2}, '¾': {Coef: 75, Exp: -2}, '⅛': {Coef: 125, Exp: -3}, '⅜': {Coef: 375, Exp: -3}, '⅝': {Coef: 625, Exp: -3}, '⅞': {Coef: 875, Exp: -3},
}

// fractionSign adds the fraction that follows a whole number, with or without a space: 2½.
func fractionSign(s string, end int, n Decimal) (Decimal, int) {
	at := end
	if end+1 < len(s) && s[end] == ' ' { // 4 ½
		at++
	}
	if at >= len(s) || s[at] < utf8.RuneSelf || n.Exp != 0 || n.Coef > 1e9 {
		return n, end
	}
	r, w := utf8.DecodeRuneInString(s[at:])
	f, ok := fractionSigns[r]
	if !ok {
		return n, end
	}
	f.Coef += n.Coef * uint64(pow10(int(-f.Exp)))
	return f, at + w
}
