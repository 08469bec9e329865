package evidence

import (
	"strings"
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
		if _, e := scientific(s, fraction, decimal{}); e == fraction {
			if end := sc.digitCode(i); end > i {
				return end
			}
		}
	}
	n, end := parseDigits(s, i)
	if m, e := scientific(s, end, n); e > end {
		n, end = m, e
	} else if m, e := powerOfTen(s, i, end); e > end {
		n, end = m, e
	} else if m, e := fractionSign(s, end, n); e > end {
		n, end = m, e
	} else {
		n, end = sc.continental(i, end, n, code)
	}
	n.neg = neg
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
func (sc *scanner) vulgar(i, end int, n decimal) int {
	s := sc.s
	whole, p := uint64(0), i
	if n.exp == 0 && end < len(s) && s[end] == ' ' && isDigitAt(s, end+1) && end+3 < len(s) && s[end+2] == '/' {
		whole, p = n.coef, end+1
	}
	if p+2 >= len(s) || s[p+1] != '/' || !isDigit(s[p]) || alnumAt(s, p+3) || p+3 < len(s) && (s[p+3] == '/' || s[p+3] == '.' && isDigitAt(s, p+4)) || p > 0 && s[p-1] == '/' {
		return i
	}
	a, b := uint64(s[p]-'0'), uint64(s[p+2]-'0')
	if a == 0 || a >= b || b != 2 && b != 3 && b != 4 && b != 8 {
		return i
	}
	sc.emitFraction(i, p+3, whole*b+a, b)
	return p + 3
}

// parseDigits reads digits with thousands separators and a fraction.
func parseDigits(s string, i int) (decimal, int) {
	var d decimal
	full := true
	digits := 0
	take := func(c byte, fraction bool) {
		if full {
			if full = d.add(c - '0'); full {
				if fraction {
					d.exp--
				}
				return
			}
		}
		if !fraction {
			d.exp++
		}
	}
	for ; i < len(s); i++ {
		if isDigit(s[i]) {
			take(s[i], false)
			digits++
			continue
		}
		if digits > 0 && digits <= 3 {
			if w := separator(s, i); w > 0 && groupOfThree(s, i+w) {
				digits = 0
				i += w - 1
				continue
			}
		}
		break
	}
	if digits > 0 && digits <= 3 && d.coef < 1000 && d.exp == 0 && i < len(s) && s[i] == '.' {
		if e, ok := european(s, i, &d); ok {
			return d, e
		}
	}
	if i+1 < len(s) && s[i] == '.' && isDigit(s[i+1]) {
		for i++; i < len(s) && isDigit(s[i]); i++ {
			take(s[i], true)
		}
	}
	return d, i
}

// european reads the rest of 1.299,00: points between groups of three, then a
// comma and a fraction, without which the points are no separators.
func european(s string, i int, d *decimal) (int, bool) {
	n := *d
	for i < len(s) && s[i] == '.' && groupOfThree(s, i+1) {
		for _, c := range []byte(s[i+1 : i+4]) {
			n.add(c - '0')
		}
		i += 4
	}
	e := digitsEnd(s, min(i+1, len(s)))
	if i >= len(s) || s[i] != ',' || e-i != 2 && e-i != 3 || n.coef == d.coef {
		return i, false
	}
	for _, c := range []byte(s[i+1 : e]) {
		if n.add(c - '0') {
			n.exp--
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
	case hasAnyPrefix(s[i:], "\u202f", "\u2009", "’"):
		return 3
	}
	return 0
}

func groupOfThree(s string, i int) bool {
	return isDigitAt(s, i) && isDigitAt(s, i+1) && isDigitAt(s, i+2) && !isDigitAt(s, i+3)
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
	end := digitsEnd(s, i)
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
func (sc *scanner) amount(start, i, end int, n decimal, code string, inWords bool) int {
	s := sc.s
	a := Atom{Kind: KindNumber, Offset: start, word: inWords, raw: n}
	scale, plain := 0, sc.plainFollows(end)
	if !plain {
		scale, end = sc.scaleAt(end, code != "")
	}
	a.scale = int8(scale)
	if w, stop := wordFrom(s, sc.space(end)); w == "dozen" && n.exp == 0 && n.coef < 1e6 && code == "" {
		n.coef, end = n.coef*12, stop
		a.raw = n
	}
	value := n
	value.exp += int32(scale)
	switch {
	case plain && code == "":
		if scale == 0 && !inWords && !n.neg {
			if e := sc.contextual(start, end, n); e > 0 {
				return e
			}
		}
		a.noun = sc.nounAfter(end)
	case code != "":
		a.Kind, a.Unit = KindMoney, code
		if c, p := sc.currencyAfter(end); p > end && c.code == code && c.scale == 0 {
			end = p
		}
	default:
		if unit, shift, p := sc.percentAt(end); p > end {
			a.Kind, a.Unit, end = KindPercent, unit, p
			value.exp += int32(shift)
			if shift != 0 {
				a.raw = value
			}
			break
		}
		if c, p := sc.currencyAfter(end); p > end {
			a.Kind, a.Unit, end = KindMoney, c.code, p
			value.exp += int32(c.scale)
			break
		}
		if unit, p := sc.unitAt(end); p > end {
			a.Kind, a.Unit, end = KindQuantity, unit, p
			break
		}
		if e := sc.glued(i, end); e > end {
			return e
		}
		if scale == 0 && !inWords && !n.neg {
			if e := sc.contextual(start, end, n); e > 0 {
				return e
			}
		}
		a.noun = sc.nounAfter(end)
	}
	a.num, a.grain = value.float(), pow10(int(value.exp))
	if value.exp < 0 {
		a.grain = 1 / pow10(int(-value.exp))
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
	if !isLetter(s[end]) {
		return s[end] < 0x80 && s[end] != '%' && s[end] != '$'
	}
	e := end
	for e < len(s) && isLetter(s[e]) {
		e++
	}
	if e-end < 3 || e < len(s) && s[e] >= 0x80 {
		return false
	}
	return !look(afterNumber, s[end:e])
}

// afterNumber holds the words of three letters and more that may follow a
// numeral and belong to it.
var afterNumber = func() map[string]bool {
	m := set(`thousand million billion trillion hundred mln mio percent per percentage basis pct bps square cubic degrees degree light us hong pound pounds times
 miles kilometres kilometers metres meters`)
	for u := range units {
		m[lower(u)] = true
	}
	for c := range currencyWords {
		m[c] = true
	}
	for c := range currencyOf {
		m[c] = true
	}
	for u := range compoundUnits {
		w, _, _ := strings.Cut(u, "/")
		m[lower(w)] = true
	}
	return m
}()

// canonical is d.String(), without a copy where the text begins with just that.
func canonical(text string, d decimal) string {
	if !d.neg && d.exp == 0 && d.coef != 0 && text[0] != '0' {
		if n := digitsEnd(text, 0); n > 0 && n < 18 && (n == len(text) || text[n] != ',' && text[n] != '.') && uintLen(d.coef) == n {
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
	if end >= len(s) || !isLetter(s[end]) && s[end] != '_' {
		return end
	}
	e := end
	for e < len(s) && (alnumASCII(s[e]) || (s[e] == '-' || s[e] == '_' || s[e] == '.') && e+1 < len(s) && alnumASCII(s[e+1])) {
		e++
	}
	if e < len(s) && s[e] == '@' {
		if stop := sc.email(i, e); stop > e {
			return stop
		}
	}
	sc.emit(Atom{Kind: KindIdentifier, Value: s[i:e], Offset: i, Length: e - i})
	return e
}

func alnumASCII(c byte) bool { return isLetter(c) || isDigit(c) }

// contextual reads a bare numeral by the words around it: a year, a number
// that is an identifier, a heading's number. It returns 0 where it is just a number.
func (sc *scanner) contextual(start, end int, n decimal) int {
	s := sc.s
	before := sc.wordBefore(start)
	if start > 2 && (s[start-1] >= 0x80 || s[start-2] >= 0x80) && hanIDWord(s[:start]) {
		return sc.identifier(start, end)
	}
	if plain := strings.IndexByte(s[start:end], ','); plain < 0 && n.exp == 0 && end-start == 4 && n.coef >= 1500 && n.coef < 2200 {
		if sc.isYear(before, start, end, n) {
			sc.emit(Atom{Kind: KindDate, Value: s[start:end], Offset: start, Length: end - start, num: float64(n.coef), grain: 1})
			return end
		}
	}
	if before == "" {
		return 0
	}
	switch look(idWords, before) {
	case idWord:
		if before == "ref" && end+1 < len(s) && s[end] == '-' && isDigit(s[end+1]) { // a reference range
			return 0
		}
		if !(isUpper(before[0]) && sc.nameEndsAt(start)) {
			sc.emit(Atom{Kind: KindIdentifier, Value: s[start:end], Offset: start, Length: end - start})
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
	return a != nil && a.Kind == KindName && a.Offset+a.Length+1 >= i
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
	for e < len(s) && (isLower(s[e]) || s[e] == '-' && e > i) {
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
func (sc *scanner) ordinal(i, end int, n decimal) int {
	s := sc.s
	if n.exp != 0 || end+2 > len(s) || alnumAt(s, end+2) {
		return i
	}
	switch lower(s[end : end+2]) {
	case "st", "nd", "rd", "th":
	default:
		return i
	}
	if e := sc.dayMonth(i, end+2, n); e > end+2 {
		return e
	}
	sc.emit(Atom{Kind: KindNumber, Value: n.String(), Unit: "th", Offset: i, Length: end + 2 - i, num: n.float(), grain: 1})
	return end + 2
}
