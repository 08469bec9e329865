package atom

import (
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// number reads what the digit at i begins. The atom starts at start, which is
// before i where a sign or a currency has been read.
func (sc *scanner) number(start, i int, neg bool, code string) int {
	s := sc.s
	if code == "" {
		if !neg {
			if end := sc.listItem(i); end > i {
				return end
			}
		}
		if end := sc.dateDigits(i); end > i {
			return end
		}
		if !neg {
			if end := sc.compact(i); end > i {
				return end
			}
		}
		fraction := fractionEnd(s, i)
		if _, e := scientific(s, fraction, Decimal{}); e == fraction {
			if end := sc.digitCode(i); end > i {
				return end
			}
		}
	}
	n, end := ParseDigits(s, i)
	if m, e := scientific(s, end, n); e > end {
		n, end = m, e
	} else if m, e := powerOfTen(s, i, end); e > end {
		n, end = m, e
	} else if m, e := fractionSign(s, end, n); e > end {
		n, end = m, e
	} else {
		n, end = sc.continental(i, end, n, code)
	}
	n.Neg = neg
	if code == "" && !neg {
		if e := sc.vulgar(i, end, n); e > end {
			return e
		}
		if e := sc.hanAfterDigits(i, end, n); e > end {
			return e
		}
		if e := sc.decade(i, end); e > end {
			return e
		}
		if e := sc.dayMonth(i, end, n); e > end {
			return e
		}
		if end <= i+2 && strings.HasPrefix(s[end:], " ") {
			if t, e := sc.spokenTime(i); e > end && !t.open {
				return sc.date(i, e, t.String())
			}
		}
		if e := sc.clock(i, end, n); e > end {
			return e
		}
		if e := sc.ordinal(i, end, n); e > end {
			return e
		}
	}
	return sc.amount(start, i, end, n, code, false)
}

// vulgar reads 1/2, 3/4 and 3 1/2: halves, thirds, quarters and eighths.
func (sc *scanner) vulgar(i, end int, n Decimal) int {
	s := sc.s
	whole, p := uint64(0), i
	if n.Exp == 0 && end < len(s) && s[end] == ' ' && lang.IsDigitAt(s, end+1) && end+3 < len(s) && s[end+2] == '/' {
		whole, p = n.Coef, end+1
	}
	if p+2 >= len(s) || s[p+1] != '/' || !lang.IsDigit(s[p]) || lang.IsAlnumAt(s, p+3) || p+3 < len(s) && (s[p+3] == '/' || s[p+3] == '.' && lang.IsDigitAt(s, p+4)) || p > 0 && s[p-1] == '/' {
		return i
	}
	a, b := uint64(s[p]-'0'), uint64(s[p+2]-'0')
	if a == 0 || a >= b || b != 2 && b != 3 && b != 4 && b != 8 {
		return i
	}
	sc.emitFraction(i, p+3, whole*b+a, b)
	return p + 3
}

// ParseDigits reads digits with thousands separators and a fraction.
func ParseDigits(s string, i int) (Decimal, int) {
	var d Decimal
	full := true
	digits := 0
	take := func(c byte, fraction bool) {
		if full {
			if full = d.add(c - '0'); full {
				if fraction {
					d.Exp--
				}
				return
			}
		}
		if !fraction {
			d.Exp++
		}
	}
	for ; i < len(s); i++ {
		if lang.IsDigit(s[i]) {
			take(s[i], false)
			digits++
			continue
		}
		if digits > 0 && digits <= 3 && d.Coef > 0 { // 0,375 is no group
			if w := separator(s, i); w > 0 && groupOfThree(s, i+w) {
				digits = 0
				i += w - 1
				continue
			}
		}
		break
	}
	if digits > 0 && digits <= 3 && d.Coef < 1000 && d.Exp == 0 && i < len(s) && s[i] == '.' {
		if e, ok := european(s, i, &d); ok {
			return d, e
		}
	}
	if i+1 < len(s) && s[i] == '.' && lang.IsDigit(s[i+1]) {
		for i++; i < len(s) && lang.IsDigit(s[i]); i++ {
			take(s[i], true)
		}
	}
	return d, i
}

// european reads the rest of 1.299,00: points between groups of three, then a
// comma and a fraction, without which the points are no separators.
func european(s string, i int, d *Decimal) (int, bool) {
	n := *d
	for i < len(s) && s[i] == '.' && groupOfThree(s, i+1) {
		for _, c := range []byte(s[i+1 : i+4]) {
			n.add(c - '0')
		}
		i += 4
	}
	e := lang.DigitsEnd(s, min(i+1, len(s)))
	if i >= len(s) || s[i] != ',' || e-i != 2 && e-i != 3 || n.Coef == d.Coef {
		return i, false
	}
	for _, c := range []byte(s[i+1 : e]) {
		if n.add(c - '0') {
			n.Exp--
		}
	}
	*d = n
	return e, true
}

// separator is the width of a mark that parts thousands: a comma, the Swiss
// apostrophe, a space that does not break.
func separator(s string, i int) int {
	switch {
	case s[i] == ',' || s[i] == '\'':
		return 1
	case s[i] < 0xc2:
		return 0
	case strings.HasPrefix(s[i:], "\u00a0"):
		return 2
	case lang.HasAnyPrefix(s[i:], "\u202f", "\u2009", "’"):
		return 3
	}
	return 0
}

func groupOfThree(s string, i int) bool {
	return lang.IsDigitAt(s, i) && lang.IsDigitAt(s, i+1) && lang.IsDigitAt(s, i+2) && !lang.IsDigitAt(s, i+3)
}

// listItem skips the number of a list's item: alone at the start of its line,
// followed by a point or a bracket and a space.
func (sc *scanner) listItem(i int) int {
	s := sc.s
	for j := i - 1; j >= 0 && s[j] != '\n'; j-- {
		if s[j] != ' ' && s[j] != '\t' && s[j] != '(' && s[j] != '*' {
			return i
		}
	}
	end := lang.DigitsEnd(s, i)
	if end-i > 3 || end >= len(s) {
		return i
	}
	if strings.HasPrefix(s[end:], "、") {
		return end
	}
	if (s[end] == '.' || s[end] == ')') && end+1 < len(s) && (s[end+1] == ' ' || s[end+1] == '\t' || s[end+1] == '*') {
		return end
	}
	return i
}

// amount reads what follows a numeral (scale, percent, currency, unit) and emits the atom.
func (sc *scanner) amount(start, i, end int, n Decimal, code string, inWords bool) int {
	s := sc.s
	a := Atom{Kind: Number, Offset: start, InWords: inWords, Raw: n}
	scale, plain := 0, sc.plainFollows(end)
	if !plain {
		scale, end = sc.scaleAt(end, code != "")
	}
	a.Scale = int8(scale)
	if p := sc.space(end); p < len(s) && s[p]|0x20 == 'd' && n.Exp == 0 && n.Coef < 1e6 && code == "" && strings.EqualFold(sc.wordAt(end), "dozen") {
		n.Coef, end = n.Coef*12, p+len("dozen")
		a.Raw = n
	}
	value := n
	value.Exp += int32(scale)
	switch {
	case plain && code == "":
		if scale == 0 && !inWords && !n.Neg {
			if e := sc.contextual(start, end, n); e > 0 {
				return e
			}
		}
		a.Noun = sc.nounAfter(end)
	case code != "":
		a.Kind, a.Unit = Money, code
		if c, p := sc.currencyAfter(end); p > end && c.Code == code && c.Scale == 0 {
			end = p
		}
	default:
		if unit, shift, p := sc.percentAt(end); p > end {
			a.Kind, a.Unit, end = Percent, unit, p
			value.Exp += int32(shift)
			if shift != 0 {
				a.Raw = value
			}
			break
		}
		if c, p := sc.currencyAfter(end); p > end {
			a.Kind, a.Unit, end = Money, c.Code, p
			value.Exp += int32(c.Scale)
			break
		}
		if unit, p := sc.unitAt(end); p > end {
			a.Kind, a.Unit, end = Quantity, unit, p
			break
		}
		if e := sc.glued(i, end); e > end {
			return e
		}
		if scale == 0 && !inWords && !n.Neg {
			if e := sc.contextual(start, end, n); e > 0 {
				return e
			}
		}
		a.Noun = sc.nounAfter(end)
	}
	a.Num, a.Grain = value.Float(), pow10(int(value.Exp))
	if value.Exp < 0 {
		a.Grain = 1 / pow10(int(-value.Exp))
	}
	a.Length = end - start
	a.Value = canonical(s[i:end], value)
	sc.emit(a)
	return end
}

// plainFollows reports whether nothing that follows a numeral can change it:
// punctuation, or a word that is no scale, percent, currency or unit. Most
// numbers are such, and this is one look instead of six.
func (sc *scanner) plainFollows(end int) bool {
	s := sc.s
	if end >= len(s) {
		return true
	}
	switch c := s[end]; {
	case c == ' ':
		end++
	case c == ',' || c == '.' || c == ')' || c == '\n' || c == ';' || c == '"' || c == '|':
		return true
	default:
		return false
	}
	if end >= len(s) {
		return true
	}
	if !lang.IsLetter(s[end]) {
		return s[end] < 0x80 && s[end] != '%' && s[end] != '$'
	}
	e := end
	for e < len(s) && lang.IsLetter(s[e]) {
		e++
	}
	if e-end < 3 || e < len(s) && s[e] >= 0x80 {
		return false
	}
	return !lang.Lookup(afterNumber(), s[end:e])
}

// afterNumber holds the words of three letters and more that may follow a
// numeral and belong to it.
var afterNumber = sync.OnceValue(func() map[string]bool {
	m := lang.Set(`thousand million billion trillion hundred mln mio percent per percentage basis pct bps square cubic degrees degree light us hong pound pounds times
 miles kilometres kilometers metres meters`)
	for u := range Units {
		m[lang.Lower(u)] = true
	}
	for w := range foreignScales() {
		m[w] = true
	}
	for c := range CurrencyWords {
		m[c] = true
	}
	for c := range currencyOf {
		m[c] = true
	}
	for u := range CompoundUnits {
		w, _, _ := strings.Cut(u, "/")
		m[lang.Lower(w)] = true
	}
	return m
})

// canonical is d.String(), without a copy where the text begins with just that.
func canonical(text string, d Decimal) string {
	if !d.Neg && d.Exp == 0 && d.Coef != 0 && text[0] != '0' {
		if n := lang.DigitsEnd(text, 0); n > 0 && n < 18 && (n == len(text) || text[n] != ',' && text[n] != '.') && uintLen(d.Coef) == n {
			return text[:n]
		}
	}
	return d.String()
}

func uintLen(n uint64) int {
	l := 1
	for ; n >= 10; n /= 10 {
		l++
	}
	return l
}

// glued reads letters that follow a numeral directly and are no unit: the whole is a code.
func (sc *scanner) glued(i, end int) int {
	s := sc.s
	if end >= len(s) || !lang.IsLetter(s[end]) && s[end] != '_' {
		return end
	}
	e := end
	for e < len(s) && (lang.IsAlnum(s[e]) || (s[e] == '-' || s[e] == '_' || s[e] == '.') && e+1 < len(s) && lang.IsAlnum(s[e+1])) {
		e++
	}
	if e < len(s) && s[e] == '@' {
		if stop := sc.email(i, e); stop > e {
			return stop
		}
	}
	sc.emit(Atom{Kind: Identifier, Value: s[i:e], Offset: i, Length: e - i})
	return e
}

// contextual reads a bare numeral by the words around it: a year, a number
// that is an identifier, a heading's number. It returns 0 where it is just a number.
func (sc *scanner) contextual(start, end int, n Decimal) int {
	s := sc.s
	before := sc.wordBefore(start)
	if start > 2 && (s[start-1] >= 0x80 || s[start-2] >= 0x80) && hanIDWord(s[:start]) {
		return sc.identifier(start, end)
	}
	if plain := strings.IndexByte(s[start:end], ','); plain < 0 && n.Exp == 0 && end-start == 4 && n.Coef >= 1500 && n.Coef < 2200 {
		if sc.isYear(before, start, end, n) {
			sc.emit(Atom{Kind: Date, Value: s[start:end], Offset: start, Length: end - start, Num: float64(n.Coef), Grain: 1})
			return end
		}
	}
	if before == "" {
		return 0
	}
	switch idWords.Fold(before) {
	case idWord:
		if before == "ref" && end+1 < len(s) && s[end] == '-' && lang.IsDigit(s[end+1]) { // a reference range
			return 0
		}
		if !(lang.IsUpper(before[0]) && sc.nameEndsAt(start)) {
			sc.emit(Atom{Kind: Identifier, Value: s[start:end], Offset: start, Length: end - start})
			return end
		}
	case headingWord:
		return end
	}
	return 0
}

// nameEndsAt reports whether a name ends just before i.
func (sc *scanner) nameEndsAt(i int) bool {
	a := sc.last()
	return a != nil && a.Kind == Name && a.Offset+a.Length+1 >= i
}

// nounAfter is the word that a bare number counts: the next lower-case word, or
// the Chinese characters that follow.
func (sc *scanner) nounAfter(end int) string {
	s := sc.s
	i := sc.space(end)
	for i < len(s) && s[i] == ' ' {
		i++
	}
	e := i
	for e < len(s) && (lang.IsLower(s[e]) || s[e] == '-' && e > i) {
		e++
	}
	if e > i+1 {
		if functionWords[s[i:e]] || e-i > 4 && s[e-2:e] == "ly" { // 40 exactly
			return ""
		}
		return s[i:e]
	}
	if i == end || e > i {
		return sc.hanNoun(end)
	}
	return ""
}

// ordinal reads 21st, and a day of a month after it.
func (sc *scanner) ordinal(i, end int, n Decimal) int {
	s := sc.s
	if n.Exp != 0 || end+2 > len(s) || lang.IsAlnumAt(s, end+2) {
		return i
	}
	switch lang.Lower(s[end : end+2]) {
	case "st", "nd", "rd", "th":
	default:
		return i
	}
	if e := sc.dayMonth(i, end+2, n); e > end+2 {
		return e
	}
	sc.emit(Atom{Kind: Number, Value: n.String(), Unit: "th", Offset: i, Length: end + 2 - i, Num: n.Float(), Grain: 1})
	return end + 2
}
