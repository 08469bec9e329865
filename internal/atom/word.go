package atom

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// word reads what a letter at i begins: a URL, a code, a month, a number in
// words, a name, or just a word.
func (sc *scanner) word(i int) int {
	s := sc.s
	end := i
	for end < len(s) && lang.IsLetter(s[end]) {
		end++
	}
	if end < len(s) {
		switch c := s[end]; {
		case c <= ' ' || c == ',':
		case lang.IsDigit(c) || c == '-' || c == '_' || c == '@' || c == ':' || c == '.' || c == '/' || c == '$':
			if e := sc.code(i, end); e > i {
				return e
			}
		case c >= utf8.RuneSelf && lang.IsAlnumAt(s, end):
			return sc.foreignWord(i, end)
		}
	}
	w := s[i:end]
	if len(w) == 0 {
		return sc.foreignWord(i, end)
	}
	if lang.IsUpper(w[0]) {
		return sc.capital(i, end, w)
	}
	if len(w) > 1 && hasUpper(w) && Units[w] == "" { // iPhone, not kWh
		return sc.name(i)
	}
	return sc.lowerWord(i, end, w)
}

// lowerWord reads numbers and periods in words.
func (sc *scanner) lowerWord(i, end int, w string) int {
	if !mayBeNumeral(w) {
		return end
	}
	switch w { // the commonest of them
	case "the", "and", "of", "to", "for", "at", "as", "are", "that", "this", "from", "has", "have", "on", "not", "e", "s", "t":
		return end
	}
	if !numeralStarts.Get(w) {
		return end
	}
	if w == "minus" {
		if p := sc.space(end); p > end && lang.IsDigitAt(sc.s, p) {
			if last := sc.last(); last != nil && last.Numeric() && sc.space(last.Offset+last.Length) == i { // 31.5 days minus 17 days
				return end
			}
			return sc.number(i, p, true, "")
		}
		return end
	}
	if t, e := sc.spokenTime(i); e > i && !t.open {
		return sc.date(i, e, t.String())
	}
	if e := sc.spokenDay(i); e > i {
		return e
	}
	if e := sc.wordPeriod(i, end, w); e > i {
		return e
	}
	if w == "half" {
		if before := lang.Lower(sc.wordBefore(i)); strings.HasPrefix(sc.s[end:], " of ") && before != "first" && before != "second" && before != "latter" && before != "other" {
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
		if p > end && lang.IsDigitAt(s, p) {
			return sc.number(i, p, false, code)
		}
	}
	if e := sc.period(i); e > i {
		return e
	}
	if e := sc.month(i); e > i {
		return e
	}
	if mayBeNumeral(w) && numeralStarts.Fold(w) {
		l := lang.Lower(w)
		if t, e := sc.spokenTime(i); e > i && !t.open {
			return sc.date(i, e, t.String())
		}
		if e := sc.spokenDay(i); e > i {
			return e
		}
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
	if len(w) != 3 || !lang.IsUpper(w[1]) || !lang.IsUpper(w[2]) {
		return ""
	}
	return Currencies[w]
}

// mayBeNumeral tells most words that are not in numeralStarts, letters of either case.
func mayBeNumeral(w string) bool {
	if len(w) > 11 {
		return false
	}
	switch w[0] | 0x20 {
	case 't', 'o', 'f', 's', 'e', 'n', 'z', 'a', 'h', 'm', 'q':
		return true
	}
	return false
}

// numeralStarts are the words that may begin a number or a period in words.
var numeralStarts = func() *lang.Table[bool] {
	m := lang.Set("a an minus half quarter fiscal")
	for w := range dayWords {
		m[w] = true
	}
	for w := range numberWords {
		m[w] = true
	}
	return lang.MakeTable(m)
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
		if lang.IsLetter(c) {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, w := utf8.DecodeRuneInString(s[i:])
			if r == '’' {
				if rest := s[i+w:]; strings.HasPrefix(rest, "s") && !lang.IsAlnumAt(s, i+w+1) || !lang.IsAlnumAt(s, i+w) {
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
		if c == '&' && i > 0 && lang.IsUpper(s[i-1]) && i+1 < len(s) && lang.IsUpper(s[i+1]) { // S&P
			i++
			continue
		}
		if (c == '\'' || c == '-') && lang.IsAlnumAt(s, i+1) && !lang.IsDigitAt(s, i+1) {
			if c == '\'' && s[i+1] == 's' && !lang.IsAlnumAt(s, i+2) {
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
		if lang.IsUpper(w[i]) {
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
	if next := sc.space(end); next > end && (lang.IsDigitAt(s, next) && idWords.Fold(first) > 0 || codeAt(s, next) && idWords.Fold(first) == idWord) {
		return end // Article 12, Batch LOT-0093
	}
	if !atStart && len(first) > 1 && len(first) < 5 && Units[first] != "" { // GB
		return end
	}
	if ClassWords.Get(first) && words == 1 {
		if next := sc.space(end); next > end && (isUpperRune(s, next) || lang.IsDigitAt(s, next) && first == "Windows" || strings.HasPrefix(s[next:], "of ") && isUpperRune(s, next+3)) {
			return sc.run1(start, end, words)
		}
	}
	if notNames.Get(first) && !(first == "Dr" || first == "Prof") || first == "The" || first == "A" || first == "An" || atStart && IsCommon(first) {
		// Not a name by itself: the run may go on without it.
		if next := sc.space(end); !atStart && next > end && isUpperRune(s, next) && !notNames.Get(first) && !articles.Get(first) && IsCommon(first) && !IsCommon(s[next:wordEnd(s, next)]) {
			return sc.run1(start, end, words)
		}
		return end
	}
	return sc.run1(start, end, words)
}

// codeAt reports letters and digits in one word at i: LOT-0093.
func codeAt(s string, i int) bool {
	e := i
	for e < len(s) && (lang.IsUpper(s[e]) || s[e] == '-') {
		e++
	}
	return e > i && lang.IsDigitAt(s, e)
}

// ClassWords are common words that belong to the name that follows them.
var ClassWords = lang.MakeSet("Lake Mount Mt River Cape Fort Port Saint St San Santa Los Las New North South East West Upper Lower Great Royal National International United Windows Bank University Treaty Republic Ministry Department Court Museum King Queen President Prince Princess Pope Flight Airport Station Hotel Hospital Institute Battle Bay Gulf Isle Island Dr Prof Central Big Black White Red Blue Green Golden")

var articles = lang.MakeSet("The A An This That These Those In On At By For From With And Or But If When While As It Its His Her Their Our Your My No Not")

// run1 extends the run that begins at start and whose first word ends at end, and emits it.
func (sc *scanner) run1(start, end, words int) int {
	s := sc.s
	single := s[start:end]
	for {
		p := end
		if p < len(s) && s[p] == '.' && lang.Abbreviated(s[lastSpace(s, start, end):end]) {
			p++
		}
		q := sc.space(p)
		if q == p || p > end && IsCommon(s[q:wordEnd(s, q)]) { // Offer A. Its rate
			break
		}
		if isUpperRune(s, q) || camel(s, q) {
			e := wordEnd(s, q)
			if w := s[q:e]; notNames.Get(w) || e == q || Currencies[w] != "" && lang.IsDigitAt(s, sc.space(e)) {
				break
			}
			if m, _ := MonthAt(s, q); m > 0 || periodAt(s, q) {
				break
			}
			if lang.IsDigitAt(s, e) || e+1 < len(s) && s[e] == '-' && lang.IsDigitAt(s, e+1) { // Airbus A320
				stop := e
				for stop < len(s) && (lang.IsAlnum(s[stop]) || s[stop] == '-' && lang.IsAlnumAt(s, stop+1)) {
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
		if lang.IsDigitAt(s, q) {
			if e := sc.nameNumber(q); e > q {
				end = e
				words++
			}
			break
		}
		// A connector between two capitalised words.
		e := q
		for e < len(s) && (lang.IsLower(s[e]) || s[e] == '&') {
			e++
		}
		if r := sc.space(e); r > e && isUpperRune(s, r) && connectors.Get(s[q:e]) && !notNames.Get(s[r:wordEnd(s, r)]) && !articles.Get(s[r:wordEnd(s, r)]) && !(words == 1 && IsCommon(single) && !ClassWords.Get(single)) {
			end = wordEnd(s, r)
			words++
			continue
		}
		break
	}
	if words == 1 {
		if notNames.Get(single) && !(single == "Dr" || single == "Prof") || (allUpper(single) && single != "WHO" || sc.inHeading(start, end)) && IsCommon(single) || len(single) == 1 || single == "Dr" || single == "Prof" {
			return end
		}
	}
	if sc.quote > start && sc.wholeQuote(start, end) {
		return end
	}
	sc.emit(Atom{Kind: Name, Value: s[start:end], Offset: start, Length: end - start})
	return end
}

// periodAt reports Q3, H1 or FY2023 at i.
func periodAt(s string, i int) bool {
	if i+1 >= len(s) {
		return false
	}
	return (s[i] == 'Q' && s[i+1] >= '1' && s[i+1] <= '4' || s[i] == 'H' && (s[i+1] == '1' || s[i+1] == '2')) && !lang.IsAlnumAt(s, i+2) || s[i] == 'F' && s[i+1] == 'Y' && i+2 < len(s) && (lang.IsDigit(s[i+2]) || s[i+2] == ' ')
}

// inHeading reports whether a single common word stands alone, as a label or a cell.
func (sc *scanner) inHeading(start, end int) bool {
	s := sc.s
	return end < len(s) && (s[end] == ':' || s[end] == '|' || s[end] == '\n' || s[end] == ',') || sc.sentenceStart(start)
}

func allUpper(w string) bool {
	for i := 0; i < len(w); i++ {
		if lang.IsLower(w[i]) {
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

// camel reports a word like iPhone or eBay.
func camel(s string, i int) bool {
	return i+2 < len(s) && lang.IsLower(s[i]) && lang.IsUpper(s[i+1]) && lang.IsLetter(s[i+2])
}

// nameNumber reads the number that belongs to a name: Windows 11. A year, and
// a number with a unit, do not.
func (sc *scanner) nameNumber(q int) int {
	s := sc.s
	e := lang.DigitsEnd(s, q)
	if e < len(s) {
		if w := separator(s, e); w > 1 && groupOfThree(s, e+w) { // Population 284 613, parted by a space that does not break
			return q
		}
	}
	if e-q > 4 || e < len(s) && (s[e] == '%' || s[e] == ',' && lang.IsDigitAt(s, e+1) || s[e] == '.' && lang.IsDigitAt(s, e+1) || s[e] == ':' && lang.IsDigitAt(s, e+1) || s[e] == '/') {
		return q
	}
	if e < len(s) && s[e] == '-' && e-q >= 3 && lang.IsDigitAt(s, e+1) && !lang.IsAlnumAt(s, e+2) && !(e+2 < len(s) && s[e+2] == '-') { // Boeing 787-9
		return e + 2
	}
	if e < len(s) && s[e] == '-' {
		return q
	}
	if e-q == 4 {
		if y := lang.Atoi(s[q:e]); y >= 1900 && y <= 2100 {
			return q
		}
	}
	if lang.IsAlnumAt(s, e) { // Pixel 8a, Galaxy 5G, not 5kg
		if _, p := sc.unitAt(e); p > e {
			return q
		}
		stop := e
		for stop < len(s) && lang.IsAlnum(s[stop]) {
			stop++
		}
		if stop-e > 2 {
			return q
		}
		return stop
	}
	if sc.measures(e) {
		return q
	}
	if next := sc.wordAt(e); isMonthWord(next) {
		return q
	}
	return e
}

func isMonthWord(w string) bool { m, _ := MonthAt(w, 0); return m > 0 }

var connectors = lang.MakeSet("of de la le du van von der den di da del y al bin ibn & and-")

func isUpperRune(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if s[i] < utf8.RuneSelf {
		return lang.IsUpper(s[i])
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return unicode.IsUpper(r)
}

// wholeQuote reports whether the run fills its quotation, which already is an atom.
func (sc *scanner) wholeQuote(start, end int) bool {
	return end >= sc.quote || sc.last() != nil && sc.last().Kind == Quote && start-sc.last().Offset <= 3 && end+8 >= sc.quote
}

// sentenceStart reports whether a sentence, a line, a cell or a list's item begins at i.
func (sc *scanner) sentenceStart(i int) bool {
	if i > 0 && sc.s[i-1] == '"' && i <= sc.quote {
		return true
	}
	return Opens(sc.s, i)
}

// Opens reports a place of a text where any word may have a capital letter: the start
// of a sentence, of an item of a list, of a cell of a table.
func Opens(s string, i int) bool {
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

// IsCommon reports whether a word is an ordinary one, in some inflected form.
func IsCommon(w string) bool {
	var buf [24]byte
	if len(w) > len(buf) {
		return false
	}
	for i := 0; i < len(w); i++ {
		c := w[i]
		if lang.IsUpper(c) {
			c |= 0x20
		}
		buf[i] = c
	}
	return commonForm(buf[:len(w)])
}

func commonForm(l []byte) bool {
	common := commonWords()
	if common.Get(string(l)) {
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
	case ends("ies") && common.Get(string(l[:n-3])+"y"):
		return true
	case ends("s") && (common.Get(string(l[:n-1])) || ends("es") && common.Get(string(l[:n-2]))):
		return true
	case (ends("ed") || ends("er")) && (common.Get(string(l[:n-2])) || common.Get(string(l[:n-1]))):
		return true
	case ends("ing") && n > 5 && (common.Get(string(l[:n-3])) || common.Get(string(l[:n-3])+"e")):
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
