package atom

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// dateDigits reads dates and times that are written in digits alone:
// 2024-03-05, 2024/3/5, 2024.03.05, 13/04/2019, 2024-03, 15:30,
// 2024-03-05T15:30:00Z, 2023-Q3.
func (sc *scanner) dateDigits(i int) int {
	s := sc.s
	end := lang.DigitsEnd(s, i)
	if end >= len(s) {
		return i
	}
	switch n := end - i; {
	case n == 4 && (s[end] == '-' || s[end] == '/' || s[end] == '.'):
		return sc.yearFirst(i, end)
	case n <= 2 && s[end] == ':':
		return sc.timeOfDay(i, end)
	case n <= 2 && (s[end] == '/' || s[end] == '.' || s[end] == '-'):
		return sc.yearLast(i, end)
	case n == 4 && (s[end] == 'Q' || s[end] == ' ' && end+1 < len(s) && s[end+1] == 'Q'):
		q := strings.IndexByte(s[end:], 'Q') + end
		if lang.IsDigitAt(s, q+1) && s[q+1] >= '1' && s[q+1] <= '4' && !lang.IsAlnumAt(s, q+2) {
			return sc.date(i, q+2, s[i:end]+"-Q"+s[q+1:q+2])
		}
	case n == 8 && s[end] == 'T' && s[i] <= '2' && validDate(lang.Atoi(s[i:i+4]), lang.Atoi(s[i+4:i+6]), lang.Atoi(s[i+6:end])): // 20260612T193000Z
		t := lang.DigitsEnd(s, end+1)
		if d := t - end - 1; d != 4 && d != 6 {
			return i
		}
		value := s[i:i+4] + "-" + s[i+4:i+6] + "-" + s[i+6:end] + "T" + s[end+1:end+3] + ":" + s[end+3:end+5]
		if t == end+7 {
			value += ":" + s[end+5:t]
		}
		if t < len(s) && s[t] == 'Z' {
			value, t = value+"Z", t+1
		}
		if !lang.IsAlnumAt(s, t) {
			return sc.date(i, t, value)
		}
	case n == 8 && validDate(lang.Atoi(s[i:i+4]), lang.Atoi(s[i+4:i+6]), lang.Atoi(s[i+6:end])) && lang.Lower(sc.wordBefore(i)) == "date":
		return sc.date(i, end, s[i:i+4]+"-"+s[i+4:i+6]+"-"+s[i+6:end])
	}
	return i
}

// date emits a date and returns its end.
func (sc *scanner) date(i, end int, value string) int {
	sc.emit(Atom{Kind: Date, Value: value, Offset: i, Length: end - i})
	return end
}

func (sc *scanner) yearFirst(i, y int) int {
	s := sc.s
	year := lang.Atoi(s[i:y])
	if year < 1000 || year > 2999 {
		return i
	}
	sep := s[y]
	if sep == '-' && y+2 < len(s) && s[y+1] == 'Q' && s[y+2] >= '1' && s[y+2] <= '4' && !lang.IsAlnumAt(s, y+3) {
		return sc.date(i, y+3, s[i:y]+"-Q"+s[y+2:y+3])
	}
	m := lang.DigitsEnd(s, y+1)
	if m == y+1 || m > y+3 {
		return i
	}
	month := lang.Atoi(s[y+1 : m])
	if month < 1 || month > 12 {
		return i
	}
	if m < len(s) && s[m] == sep {
		d := lang.DigitsEnd(s, m+1)
		if day := lang.Atoi(s[m+1 : d]); d > m+1 && d <= m+3 && validDate(year, month, day) {
			value := s[i:d]
			if sep != '-' || m-y != 3 || d-m != 3 {
				value = isoDay(year, month, day)
			}
			return sc.dateTime(i, d, value)
		}
		return i
	}
	if sep == '-' && m == y+3 && !lang.IsAlnumAt(s, m) {
		return sc.date(i, m, s[i:m])
	}
	if sep == '/' && m-y == 3 && !lang.IsAlnumAt(s, m) {
		return sc.date(i, m, s[i:y]+"-"+s[y+1:m])
	}
	return i
}

// dateTime reads the time that may follow a date: T15:30, T15:30:00.000Z, 15:30.
func (sc *scanner) dateTime(i, d int, value string) int {
	s := sc.s
	if d+5 < len(s) && (s[d] == 'T' || s[d] == ' ') && lang.IsDigit(s[d+1]) && lang.IsDigit(s[d+2]) && s[d+3] == ':' && lang.IsDigit(s[d+4]) && lang.IsDigit(s[d+5]) {
		end := d + 6
		for end < len(s) && (lang.IsDigit(s[end]) || (s[end] == ':' || s[end] == '.') && lang.IsDigitAt(s, end+1)) {
			end++
		}
		clock := end
		if end < len(s) && s[end] == 'Z' {
			end++
		} else if end+5 < len(s) && (s[end] == '+' || s[end] == '-') && lang.IsDigit(s[end+1]) && lang.IsDigit(s[end+2]) && s[end+3] == ':' && lang.IsDigit(s[end+4]) {
			end += 6
		}
		if s[d] == ' ' && end == clock {
			return sc.date(i, end, value+"T"+s[d+1:end])
		}
		return sc.date(i, end, value+"T"+s[d+1:end])
	}
	if lang.IsAlnumAt(s, d) {
		return i
	}
	return sc.date(i, d, value)
}

// yearLast reads 13/04/2019: month first unless that is impossible. Points may have a
// space after them: 3. 8. 2027.
func (sc *scanner) yearLast(i, a int) int {
	s := sc.s
	sep := s[a]
	if sep == '.' && a+1 < len(s) && s[a+1] == ' ' {
		return sc.spacedDate(i, a)
	}
	b := lang.DigitsEnd(s, a+1)
	if sep == '/' && a == i+2 && b == a+3 && !lang.IsAlnumAt(s, b) && (b == len(s) || s[b] != '/' && s[b] != '-') && (i == 0 || s[i-1] == ' ' || s[i-1] == '|' || s[i-1] == '(') { // 21/03
		if day, month := lang.Atoi(s[i:a]), lang.Atoi(s[a+1:b]); day > 12 && validDate(2024, month, day) {
			return sc.date(i, b, "--"+TwoDigits(month)+"-"+TwoDigits(day))
		}
	}
	if b == a+1 || b > a+3 || b >= len(s) || s[b] != sep {
		return i
	}
	y := lang.DigitsEnd(s, b+1)
	if y != b+5 || lang.IsAlnumAt(s, y) {
		return i
	}
	month, day, year := lang.Atoi(s[i:a]), lang.Atoi(s[a+1:b]), lang.Atoi(s[b+1:y])
	if month > 12 || sep == '.' {
		month, day = day, month
	}
	if !validDate(year, month, day) {
		return i
	}
	return sc.date(i, y, isoDay(year, month, day))
}

// spacedDate reads a day, a month and a year of digits with a point and a space
// between them.
func (sc *scanner) spacedDate(i, a int) int {
	s := sc.s
	b := lang.DigitsEnd(s, a+2)
	if b == a+2 || b > a+4 || b+2 >= len(s) || s[b] != '.' || s[b+1] != ' ' {
		return i
	}
	y := lang.DigitsEnd(s, b+2)
	day, month, year := lang.Atoi(s[i:a]), lang.Atoi(s[a+2:b]), lang.Atoi(s[b+2:y])
	if y != b+6 || lang.IsAlnumAt(s, y) || year < 1000 || year > 2999 || !validDate(year, month, day) {
		return i
	}
	return sc.date(i, y, isoDay(year, month, day))
}

// timeOfDay reads 15:30, 9:30 am, 14:05:30.
func (sc *scanner) timeOfDay(i, colon int) int {
	s := sc.s
	hour := lang.Atoi(s[i:colon])
	m := lang.DigitsEnd(s, colon+1)
	if m != colon+3 || hour > 24 {
		return i
	}
	minute := s[colon+1 : m]
	if minute > "59" || lang.IsLetterAt(s, m) && !sc.halfDay(m) {
		return i
	}
	end, seconds := m, ""
	if m+2 < len(s) && s[m] == ':' && lang.IsDigit(s[m+1]) && lang.IsDigit(s[m+2]) && !lang.IsDigitAt(s, m+3) {
		seconds, end = s[m:m+3], m+3
	}
	hour, end = sc.afternoon(hour, end)
	return sc.date(i, end, TwoDigits(hour)+":"+minute+seconds)
}

func (sc *scanner) halfDay(i int) bool {
	_, end := sc.afternoon(1, i)
	return end > i
}

// afternoon reads am and pm, and "in the evening".
func (sc *scanner) afternoon(hour, i int) (int, int) {
	s := sc.s
	for _, part := range partsOfDay {
		if strings.HasPrefix(s[i:], part.words) && !lang.IsAlnumAt(s, i+len(part.words)) && hour <= 12 {
			if part.late && hour < 12 {
				hour += 12
			}
			return hour, i + len(part.words)
		}
	}
	p := sc.space(i)
	if p+1 >= len(s) {
		return hour, i
	}
	c, end := s[p]|0x20, 0
	switch {
	case s[p+1]|0x20 == 'm':
		end = p + 2
	case p+3 < len(s) && s[p+1] == '.' && s[p+2]|0x20 == 'm' && s[p+3] == '.':
		end = p + 4
	default:
		return hour, i
	}
	if c != 'a' && c != 'p' || lang.IsAlnumAt(s, end) || hour > 12 {
		return hour, i
	}
	switch {
	case c == 'p' && hour < 12:
		hour += 12
	case c == 'a' && hour == 12:
		hour = 0
	}
	return hour, end
}

var partsOfDay = []struct {
	words string
	late  bool
}{{" in the morning", false}, {" in the afternoon", true}, {" in the evening", true}, {" at night", true}}

// clock reads 6 pm and 4.30 pm.
func (sc *scanner) clock(i, end int, n Decimal) int {
	if point := end - len(".30"); n.Exp < 0 && point > i && point <= i+2 && sc.s[point] == '.' && sc.halfDay(end) {
		if hour := lang.Atoi(sc.s[i:point]); hour > 0 && hour <= 12 && sc.s[point+1] < '6' {
			hour, e := sc.afternoon(hour, end)
			return sc.date(i, e, TwoDigits(hour)+":"+sc.s[point+1:end])
		}
	}
	if n.Exp != 0 || n.Coef > 12 || n.Coef == 0 || end-i > 2 || lang.HasAnyPrefix(sc.s[end:], " in the ", " at night") {
		return i // "6 in the evening" may count six of them
	}
	hour, e := sc.afternoon(int(n.Coef), end)
	if e == end {
		return i
	}
	return sc.date(i, e, TwoDigits(hour)+":00")
}

// dash skips the mark of a range.
func (sc *scanner) dash(i int) int {
	s := sc.s
	p := sc.space(i)
	for _, mark := range rangeMarks {
		if strings.HasPrefix(s[p:], mark) {
			return sc.space(p + len(mark))
		}
	}
	return i
}

var rangeMarks = []string{"-", "–", "—", "~", "～", "〜", "－", "―"}

// isYear decides whether the four digits from start to end are a year, by the
// words around them.
func (sc *scanner) isYear(before string, start, end int, n Decimal) bool {
	s := sc.s
	role := lang.Lookup(yearWords, before)
	if role == 2 {
		return true
	}
	if start > 0 && s[start-1] == '(' && end < len(s) && (s[end] == ')' || s[end] == ',') {
		return n.Coef >= 1800 && n.Coef <= 2100
	}
	if n.Coef < 1900 || n.Coef > 2100 {
		return false
	}
	if a := sc.last(); a != nil && a.Kind == Date && start-(a.Offset+a.Length) <= 5 && len(a.Value) == 4 && strings.Trim(s[a.Offset+a.Length:start], " -–—~,/至到andor") == "" {
		return len(sc.wordAt(end)) == 0 || functionWords[sc.wordAt(end)]
	}
	if e := sc.dash(end); e > end && lang.DigitsEnd(s, e) == e+4 && (s[e] == '1' || s[e] == '2') {
		return true
	}
	next := sc.wordAt(end)
	if role == 1 && (next == "" || strings.HasSuffix(next, "ed") || !lang.IsLower(next[0]) || functionWords[next]) {
		return true
	}
	if isUpperAt(before) && role == 0 && !articles.Get(before) {
		return sc.nameEndsAt(start) // Olympics 2024
	}
	return lang.Lookup(yearNouns, next) || (lang.Lookup(articleWords, before) || before == "s" && sc.possessiveAt(start)) && (isUpperAt(next) || next != "" && n.Coef >= 1990 && n.Coef <= 2050 && next[len(next)-1] != 's' && !irregularPlurals[next])
}

// irregularPlurals are counted things without an s: the 2000 people.
var irregularPlurals = lang.Set("people men women children sheep staff or and to cattle fish police of")

// articleWords are the words before the only one of its year: the 2024 marathon, their 2024 marathon.
var articleWords = lang.Set("the its his her their our your my whose")

// possessiveAt reports a possessive 's before the spaces before i.
func (sc *scanner) possessiveAt(i int) bool {
	return lang.HasAnySuffix(strings.TrimRight(sc.s[:i], " \t"), "'s", "’s")
}

func isUpperAt(w string) bool { return w != "" && lang.IsUpper(w[0]) }
