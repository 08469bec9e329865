package evidence

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// word reads what a letter at i begins: a URL, a code, a month, a number in
// words, a name, or just a word.
func (sc *scanner) word(i int) int {
	s := sc.s
	end := i
	for end < len(s) && isLetter(s[end]) {
		end++
	}
	if end < len(s) {
		switch c := s[end]; {
		case c <= ' ' || c == ',':
		case isDigit(c) || c == '-' || c == '_' || c == '@' || c == ':' || c == '.' || c == '/' || c == '$':
			if e := sc.code(i, end); e > i {
				return e
			}
		case c >= utf8.RuneSelf && alnumAt(s, end):
			return sc.foreignWord(i, end)
		}
	}
	w := s[i:end]
	if len(w) == 0 {
		return sc.foreignWord(i, end)
	}
	if isUpper(w[0]) {
		return sc.capital(i, end, w)
	}
	if len(w) > 1 && hasUpper(w) && units[w] == "" { // iPhone, not kWh
		return sc.name(i)
	}
	return sc.lowerWord(i, end, w)
}

// lowerWord reads numbers and periods in words.
func (sc *scanner) lowerWord(i, end int, w string) int {
	if len(w) > 9 {
		return end
	}
	switch w[0] {
	case 't', 'o', 'f', 's', 'e', 'n', 'z', 'a', 'h', 'm':
	default:
		return end
	}
	switch w { // the commonest of them
	case "the", "and", "of", "to", "for", "at", "as", "are", "that", "this", "from", "has", "have", "on", "not", "e", "s", "t":
		return end
	}
	if !numeralStarts[w] {
		return end
	}
	if w == "minus" {
		if p := sc.space(end); p > end && isDigitAt(sc.s, p) {
			if last := sc.last(); last != nil && last.Numeric() && sc.space(last.Offset+last.Length) == i { // 31.5 days minus 17 days
				return end
			}
			return sc.number(i, p, true, "")
		}
		return end
	}
	if e := sc.wordPeriod(i, end, w); e > i {
		return e
	}
	if w == "half" {
		if before := lower(sc.wordBefore(i)); strings.HasPrefix(sc.s[end:], " of ") && before != "first" && before != "second" && before != "latter" && before != "other" {
			sc.emitFraction(i, end, 1, 2)
		}
		return end
	}
	if e := sc.wordAmount(i, end, w); e > i {
		return e
	}
	return end
}

// capital reads what a capitalised word begins.
func (sc *scanner) capital(i, end int, w string) int {
	s := sc.s
	if code := currencyCode(w); code != "" {
		p := sc.space(end)
		if p < len(s) && s[p] == '$' {
			p = sc.space(p + 1)
		}
		if p > end && isDigitAt(s, p) {
			return sc.number(i, p, false, code)
		}
	}
	if e := sc.period(i); e > i {
		return e
	}
	if e := sc.month(i); e > i {
		return e
	}
	if look(numeralStarts, w) {
		l := lower(w)
		if e := sc.wordPeriod(i, end, l); e > i {
			return e
		}
		if l == "minus" || l == "half" {
			return sc.lowerWord(i, end, l)
		}
		if _, ok := numberWord(l); ok && sc.sentenceStart(i) || l == "a" || l == "an" {
			if e := sc.wordAmount(i, end, l); e > i {
				return e
			}
		}
	}
	return sc.name(i)
}

func currencyCode(w string) string {
	if len(w) != 3 {
		return ""
	}
	return currencyCodes[w]
}

// numeralStarts are the words that may begin a number or a period in words.
var numeralStarts = func() map[string]bool {
	m := set("a an minus half fiscal first second third fourth")
	for w := range numberWords {
		m[w] = true
	}
	return m
}()

// foreignWord reads a word with Latin letters beyond ASCII.
func (sc *scanner) foreignWord(i, end int) int {
	r, _ := utf8.DecodeRuneInString(sc.s[i:])
	if unicode.IsUpper(r) {
		return sc.name(i)
	}
	return max(wordEnd(sc.s, i), end, i+1)
}

// wordEnd is the end of a word of Latin letters, with apostrophes and hyphens
// within; a possessive 's is left out.
func wordEnd(s string, i int) int {
	for i < len(s) {
		c := s[i]
		if isLetter(c) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, w := utf8.DecodeRuneInString(s[i:])
			if r == '’' {
				if rest := s[i+w:]; strings.HasPrefix(rest, "s") && !alnumAt(s, i+w+1) || !alnumAt(s, i+w) {
					return i
				}
				i += w
				continue
			}
			if unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) || unicode.IsMark(r) {
				i += w
				continue
			}
			return i
		}
		if c == '&' && i > 0 && isUpper(s[i-1]) && i+1 < len(s) && isUpper(s[i+1]) { // S&P
			i++
			continue
		}
		if (c == '\'' || c == '-') && alnumAt(s, i+1) && !isDigitAt(s, i+1) {
			if c == '\'' && s[i+1] == 's' && !alnumAt(s, i+2) {
				return i
			}
			i++
			continue
		}
		return i
	}
	return i
}

func hasUpper(w string) bool {
	for i := 0; i < len(w); i++ {
		if isUpper(w[i]) {
			return true
		}
	}
	return false
}

// name reads a run of capitalised words, with the number that belongs to it.
func (sc *scanner) name(i int) int {
	s := sc.s
	start, end := i, wordEnd(s, i)
	first := s[i:end]
	if end == i {
		return i + 1
	}
	atStart := sc.sentenceStart(i)
	words := 1
	if next := sc.space(end); next > end && (isDigitAt(s, next) && look(idWords, first) > 0 || codeAt(s, next) && look(idWords, first) == idWord) {
		return end // Article 12, Batch LOT-0093
	}
	if !atStart && len(first) > 1 && len(first) < 5 && units[first] != "" { // GB
		return end
	}
	if classWords[first] && words == 1 {
		if next := sc.space(end); next > end && (isUpperRune(s, next) || isDigitAt(s, next) && first == "Windows" || strings.HasPrefix(s[next:], "of ") && isUpperRune(s, next+3)) {
			return sc.run1(start, end, words)
		}
	}
	if notNames[first] && !(first == "Dr" || first == "Prof") || first == "The" || first == "A" || first == "An" || atStart && isCommon(first) {
		// Not a name by itself: the run may go on without it.
		if next := sc.space(end); !atStart && next > end && isUpperRune(s, next) && !notNames[first] && !articles[first] && isCommon(first) && !isCommon(s[next:wordEnd(s, next)]) {
			return sc.run1(start, end, words)
		}
		return end
	}
	return sc.run1(start, end, words)
}

// codeAt reports letters and digits in one word at i: LOT-0093.
func codeAt(s string, i int) bool {
	e := i
	for e < len(s) && (isUpper(s[e]) || s[e] == '-') {
		e++
	}
	return e > i && isDigitAt(s, e)
}

// classWords are common words that belong to the name that follows them.
var classWords = set("Lake Mount Mt River Cape Fort Port Saint St San Santa Los Las New North South East West Upper Lower Great Royal National International United Windows Bank University Treaty Republic Ministry Department Court Museum King Queen President Prince Princess Pope Flight Airport Station Hotel Hospital Institute Battle Bay Gulf Isle Island Dr Prof Central Big Black White Red Blue Green Golden")

var articles = set("The A An This That These Those In On At By For From With And Or But If When While As It Its His Her Their Our Your My No Not")

// run1 extends the run that begins at start and whose first word ends at end, and emits it.
func (sc *scanner) run1(start, end, words int) int {
	s := sc.s
	single := s[start:end]
	for {
		p := end
		if p < len(s) && s[p] == '.' && abbreviated(s[lastSpace(s, start, end):end]) {
			p++
		}
		q := sc.space(p)
		if q == p {
			break
		}
		if isUpperRune(s, q) || camel(s, q) {
			e := wordEnd(s, q)
			if w := s[q:e]; notNames[w] || e == q || currencyCodes[w] != "" && isDigitAt(s, sc.space(e)) {
				break
			}
			if m, _ := monthAt(s, q); m > 0 || periodAt(s, q) {
				break
			}
			if isDigitAt(s, e) || e+1 < len(s) && s[e] == '-' && isDigitAt(s, e+1) { // Airbus A320
				stop := e
				for stop < len(s) && (alnumASCII(s[stop]) || s[stop] == '-' && alnumAt(s, stop+1)) {
					stop++
				}
				if strings.HasPrefix(s[stop:], "年") { // Helio Energy2021年
					end, words = e, words+1
					break
				}
				e = stop
			}
			end = e
			words++
			continue
		}
		if isDigitAt(s, q) {
			if e := sc.nameNumber(q); e > q {
				end = e
				words++
			}
			break
		}
		// A connector between two capitalised words.
		e := q
		for e < len(s) && (isLower(s[e]) || s[e] == '&') {
			e++
		}
		if r := sc.space(e); r > e && isUpperRune(s, r) && connectors[s[q:e]] && !notNames[s[r:wordEnd(s, r)]] && !articles[s[r:wordEnd(s, r)]] && !(words == 1 && isCommon(single) && !classWords[single]) {
			end = wordEnd(s, r)
			words++
			continue
		}
		break
	}
	if words == 1 {
		if notNames[single] && !(single == "Dr" || single == "Prof") || (allUpper(single) && single != "WHO" || sc.inHeading(start, end)) && isCommon(single) || len(single) == 1 || single == "Dr" || single == "Prof" {
			return end
		}
	}
	if sc.quote > start && sc.wholeQuote(start, end) {
		return end
	}
	sc.emit(Atom{Kind: KindName, Value: s[start:end], Offset: start, Length: end - start})
	return end
}

// periodAt reports Q3, H1 or FY2023 at i.
func periodAt(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	return (s[i] == 'Q' && s[i+1] >= '1' && s[i+1] <= '4' || s[i] == 'H' && (s[i+1] == '1' || s[i+1] == '2')) && !alnumAt(s, i+2) || s[i] == 'F' && s[i+1] == 'Y' && i+2 < len(s) && (isDigit(s[i+2]) || s[i+2] == ' ')
}

// inHeading reports whether a single common word stands alone, as a label or a cell.
func (sc *scanner) inHeading(start, end int) bool {
	s := sc.s
	return end < len(s) && (s[end] == ':' || s[end] == '|' || s[end] == '\n' || s[end] == ',') || sc.sentenceStart(start)
}

func allUpper(w string) bool {
	for i := 0; i < len(w); i++ {
		if isLower(w[i]) {
			return false
		}
	}
	return true
}

func lastSpace(s string, start, end int) int {
	if i := strings.LastIndexByte(s[start:end], ' '); i >= 0 {
		return start + i + 1
	}
	return start
}

// abbreviated reports a word whose point does not end the sentence: Dr. Chen, J. K. Rowling.
func abbreviated(w string) bool {
	switch w {
	case "Dr", "Prof", "Mr", "Mrs", "Ms", "St", "Mt", "Sr", "Jr", "Gen", "Sen":
		return true
	}
	return len(w) == 1 && isUpper(w[0])
}

// camel reports a word like iPhone or eBay.
func camel(s string, i int) bool {
	return i+2 < len(s) && isLower(s[i]) && isUpper(s[i+1]) && isLetter(s[i+2])
}

// nameNumber reads the number that belongs to a name: Windows 11. A year, and
// a number with a unit, do not.
func (sc *scanner) nameNumber(q int) int {
	s := sc.s
	e := digitsEnd(s, q)
	if e < len(s) {
		if w := separator(s, e); w > 1 && groupOfThree(s, e+w) { // Population 284 613, parted by a space that does not break
			return q
		}
	}
	if e-q > 4 || e < len(s) && (s[e] == '%' || s[e] == ',' && isDigitAt(s, e+1) || s[e] == '.' && isDigitAt(s, e+1) || s[e] == ':' && isDigitAt(s, e+1) || s[e] == '/') {
		return q
	}
	if e < len(s) && s[e] == '-' && e-q >= 3 && isDigitAt(s, e+1) && !alnumAt(s, e+2) && !(e+2 < len(s) && s[e+2] == '-') { // Boeing 787-9
		return e + 2
	}
	if e < len(s) && s[e] == '-' {
		return q
	}
	if e-q == 4 {
		if y := atoi(s[q:e]); y >= 1900 && y <= 2100 {
			return q
		}
	}
	if alnumAt(s, e) { // Pixel 8a, Galaxy 5G, not 5kg
		if _, p := sc.unitAt(e); p > e {
			return q
		}
		stop := e
		for stop < len(s) && alnumASCII(s[stop]) {
			stop++
		}
		if stop-e > 2 {
			return q
		}
		return stop
	}
	if _, p := sc.scaleAt(e, false); p > e {
		return q
	}
	if _, _, p := sc.percentAt(e); p > e {
		return q
	}
	if _, p := sc.currencyAfter(e); p > e {
		return q
	}
	if _, p := sc.unitAt(e); p > e {
		return q
	}
	if next := sc.wordAt(e); isMonthWord(next) {
		return q
	}
	return e
}

func isMonthWord(w string) bool { m, _ := monthAt(w, 0); return m > 0 }

var connectors = set("of de la le du van von der den di da del y al bin ibn & and-")

func isUpperRune(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return isUpper(s[i])
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(r)
}

// wholeQuote reports whether the run fills its quotation, which already is an atom.
func (sc *scanner) wholeQuote(start, end int) bool {
	return end >= sc.quote || sc.last() != nil && sc.last().Kind == KindQuote && start-sc.last().Offset <= 3 && end+8 >= sc.quote
}

// sentenceStart reports whether a sentence, a line, a cell or a list's item begins at i.
func (sc *scanner) sentenceStart(i int) bool {
	s := sc.s
	if i > 0 && s[i-1] == '"' && i <= sc.quote {
		return true
	}
	for i > 0 && (s[i-1] == ' ' || s[i-1] == '"' || s[i-1] == '(' || s[i-1] == '*' || s[i-1] == '\t' || s[i-1] == '[') {
		i--
	}
	if i == 0 {
		return true
	}
	switch s[i-1] {
	case '.', '!', '?', ':', '\n', '|', ';', '-', '#', '>', ')', ']':
		return true
	}
	if s[i-1] >= utf8.RuneSelf {
		r, _ := utf8.DecodeLastRuneInString(s[:i])
		return unicode.IsPunct(r)
	}
	return false
}

// isCommon reports whether a word is an ordinary one, in some inflected form.
func isCommon(w string) bool {
	var buf [24]byte
	if len(w) > len(buf) {
		return false
	}
	for i := 0; i < len(w); i++ {
		c := w[i]
		if isUpper(c) {
			c |= 0x20
		}
		buf[i] = c
	}
	return commonForm(buf[:len(w)])
}

func commonForm(l []byte) bool {
	common := commonWords()
	if common[string(l)] {
		return true
	}
	n := len(l)
	for _, suffix := range commonSuffixes {
		if n > len(suffix)+4 && string(l[n-len(suffix):]) == suffix {
			return true
		}
	}
	ends := func(e string) bool { return n > len(e)+2 && string(l[n-len(e):]) == e }
	switch {
	case ends("ies") && common[string(l[:n-3])+"y"]:
		return true
	case ends("s") && (common[string(l[:n-1])] || ends("es") && common[string(l[:n-2])]):
		return true
	case (ends("ed") || ends("er")) && (common[string(l[:n-2])] || common[string(l[:n-1])]):
		return true
	case ends("ing") && n > 5 && (common[string(l[:n-3])] || common[string(l[:n-3])+"e"]):
		return true
	}
	for i, c := range l {
		if (c == '-' || c == '\'') && i > 0 {
			return commonForm(l[:i])
		}
	}
	return false
}

var commonSuffixes = []string{"tion", "tions", "sion", "sions", "ment", "ments", "ness", "ingly", "ally", "ously", "ively", "ability", "ibility", "ology", "isms", "ance", "ence", "ances", "ences", "ically"}
