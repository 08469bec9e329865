package atom

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// dayWords are the days of a month in words, but for those of two words.
var dayWords = map[string]int{
	"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
	"eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
	"eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}

// dayWord reads a day of a month in words: twelfth, twenty-first. The end is i where
// there is none.
func (sc *scanner) dayWord(i int) (day, end int) {
	w, end := lang.WordAt(sc.s, i)
	if day := lang.Lookup(dayWords, w); day > 0 {
		return day, end
	}
	tens, ok := numberWord(lang.Lower(w))
	if !ok || tens != 20 && tens != 30 || end >= len(sc.s) || sc.s[end] != '-' {
		return 0, i
	}
	w, end = lang.WordAt(sc.s, end+1)
	if units := lang.Lookup(dayWords, w); units > 0 && units < 10 && int(tens)+units <= 31 {
		return int(tens) + units, end
	}
	return 0, i
}

// spokenDay reads a date that begins with a day in words: the twelfth of May 1931.
func (sc *scanner) spokenDay(i int) int {
	day, end := sc.dayWord(i)
	if end == i || !strings.HasPrefix(sc.s[end:], " of ") {
		return i
	}
	return sc.dayMonth(i, end, Decimal{Coef: uint64(day)})
}

// yearWords reads a year in words: nineteen thirty-one, two thousand and four. The
// end is i where there is none.
func (sc *scanner) yearWords(i int) (year, end int) {
	w, end := lang.WordAt(sc.s, i)
	first, ok := numberWord(lang.Lower(w))
	p := sc.space(end)
	if !ok || p == end {
		return 0, i
	}
	if w, stop := lang.WordAt(sc.s, p); first == 2 && w == "thousand" {
		next, e := lang.WordAt(sc.s, sc.space(stop))
		if next == "and" {
			e = sc.space(e)
		} else {
			e = sc.space(stop)
		}
		if rest, last := sc.count(e); last > e && rest < 100 {
			return 2000 + rest, last
		}
		return 2000, stop
	} else if w == "hundred" && first >= 13 && first <= 19 {
		return int(first) * 100, stop
	}
	if lang.IsDigitAt(sc.s, p) || first < 13 || first > 20 {
		return 0, i
	}
	if rest, last := sc.count(p); last > p && rest >= 10 && rest < 100 {
		return int(first)*100 + rest, last
	}
	return 0, i
}
