package atom

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// dayMonth reads 5 March 2024, 29th of February, 3-5 March 2024 (its last part).
func (sc *scanner) dayMonth(i, end int, n Decimal) int {
	s := sc.s
	if n.Exp != 0 || n.Coef < 1 || n.Coef > 31 || n.Neg {
		return i
	}
	p := sc.space(end)
	if p == end {
		return sc.dashedMonth(i, end, int(n.Coef))
	}
	if strings.HasPrefix(s[p:], "of ") {
		p += 3
	}
	if p >= len(s) || !lang.IsUpper(s[p]) {
		return i
	}
	month, e := MonthAt(s, p)
	if month == 0 {
		return i
	}
	if year, y := sc.yearAfter(e); y > e {
		return sc.date(i, y, isoDay(year, month, int(n.Coef)))
	}
	return sc.date(i, e, "--"+TwoDigits(month)+"-"+TwoDigits(int(n.Coef)))
}

// dashedMonth reads the rest of 03-May-2024.
func (sc *scanner) dashedMonth(i, end, day int) int {
	s := sc.s
	if end+1 >= len(s) || s[end] != '-' || !lang.IsUpper(s[end+1]) {
		return i
	}
	month, e := MonthAt(s, end+1)
	if month == 0 || e >= len(s) || s[e] != '-' {
		return i
	}
	y := lang.DigitsEnd(s, e+1)
	year := lang.Atoi(s[e+1 : y])
	if y != e+5 || lang.IsAlnumAt(s, y) || !validDate(year, month, day) {
		return i
	}
	return sc.date(i, y, isoDay(year, month, day))
}

// month reads a date that begins with a month's name: March 5, 2024; Mar 5;
// March 3-5, 2024; June 2019; in October.
func (sc *scanner) month(i int) int {
	s := sc.s
	month, end := MonthAt(s, i)
	if month == 0 {
		return i
	}
	p := sc.space(end)
	if strings.HasPrefix(s[p:], "the ") && lang.IsDigitAt(s, p+len("the ")) { // May the 3rd
		if d := lang.DigitsEnd(s, p+len("the ")); lang.HasAnyPrefix(s[d:], "st", "nd", "rd", "th") {
			p += len("the ")
		}
	}
	if p > end && lang.IsDigitAt(s, p) {
		d := lang.DigitsEnd(s, p)
		day := lang.Atoi(s[p:d])
		switch {
		case d-p == 4 && !lang.IsAlnumAt(s, d) && day >= 1000:
			return sc.date(i, d, s[p:d]+"-"+TwoDigits(month))
		case d < len(s) && (s[d] == '%' || s[d] == '.' && lang.IsDigitAt(s, d+1)): // APR 6.24%
		case d-p <= 2 && day >= 1 && day <= 31:
			return sc.monthDay(i, month, day, d)
		}
		return i
	}
	if p > end {
		if strings.HasPrefix(s[p:], "the ") {
			p += len("the ")
		}
		if day, d := sc.dayWord(p); d > p {
			return sc.monthDay(i, month, day, d)
		}
	}
	if year, y := sc.yearAfter(end); y > end {
		return sc.date(i, y, strconv.Itoa(year)+"-"+TwoDigits(month))
	}
	if end-i == 3 || month == 5 || month == 3 { // Mar, May and March are words too
		if !lang.Lookup(beforeMonth, sc.wordBefore(i)) {
			return i
		}
	}
	return sc.date(i, end, "--"+TwoDigits(month))
}

func (sc *scanner) monthDay(i, month, day, d int) int {
	s := sc.s
	if d+1 < len(s) && lang.IsLetter(s[d]) { // 5th
		switch s[d : d+2] {
		case "st", "nd", "rd", "th":
			d += 2
		}
		if lang.IsAlnumAt(s, d) {
			return i
		}
	}
	// A range of days: the year stands after the second.
	if p := sc.dash(d); p > d && lang.IsDigitAt(s, p) {
		e := lang.DigitsEnd(s, p)
		last := lang.Atoi(s[p:e])
		if e-p <= 2 && last > day && last <= 31 {
			year, y := sc.yearAfter(e)
			a, b := "--"+TwoDigits(month)+"-"+TwoDigits(day), "--"+TwoDigits(month)+"-"+TwoDigits(last)
			if y > e {
				a, b, e = isoDay(year, month, day), isoDay(year, month, last), y
			}
			sc.date(i, d, a)
			return sc.date(p, e, b)
		}
	}
	if year, y := sc.yearAfter(d); y > d {
		return sc.date(i, y, isoDay(year, month, day))
	}
	return sc.date(i, d, "--"+TwoDigits(month)+"-"+TwoDigits(day))
}

// yearAfter reads ", 2024" or " 2024", and a year in words.
func (sc *scanner) yearAfter(i int) (int, int) {
	s := sc.s
	p := i
	if p < len(s) && s[p] == ',' {
		p++
	}
	p = sc.space(p)
	if p > i && lang.IsLetterAt(s, p) {
		if year, e := sc.yearWords(p); e > p {
			return year, e
		}
	}
	e := lang.DigitsEnd(s, p)
	if p == i || e-p != 4 || lang.IsAlnumAt(s, e) {
		return 0, i
	}
	if y := lang.Atoi(s[p:e]); y >= 1000 && y <= 2999 {
		return y, e
	}
	return 0, i
}

// period reads Q3 2023, H1, FY2023 and their kind at a capital letter.
func (sc *scanner) period(i int) int {
	s := sc.s
	if i+1 >= len(s) {
		return i
	}
	switch {
	case (s[i] == 'Q' && s[i+1] >= '1' && s[i+1] <= '4' || s[i] == 'H' && s[i+1] >= '1' && s[i+1] <= '2') && !lang.IsAlnumAt(s, i+2):
		name := s[i : i+2]
		p := i + 2
		if strings.HasPrefix(s[p:], " of ") {
			p += 3
		}
		if p < len(s) && (s[p] == '/' || s[p] == '-') && lang.IsDigitAt(s, p+4) {
			p++
			if e := lang.DigitsEnd(s, p); e == p+4 {
				return sc.date(i, e, s[p:e]+"-"+name)
			}
		}
		if year, e := sc.yearAfter(p); e > p {
			return sc.date(i, e, strconv.Itoa(year)+"-"+name)
		}
		return sc.date(i, i+2, name)
	case s[i] == 'F' && s[i+1] == 'Y':
		p := sc.space(i + 2)
		if e := lang.DigitsEnd(s, p); e == p+4 && !lang.IsAlnumAt(s, e) {
			return sc.date(i, e, "FY"+s[p:e])
		} else if e == p+2 && !lang.IsAlnumAt(s, e) {
			return sc.date(i, e, "FY20"+s[p:e])
		}
	}
	return i
}

// wordPeriod reads "the third quarter of 2023", "first half of 2024",
// "fiscal 2023". The word at i ends at end; a "the" before it is taken along.
func (sc *scanner) wordPeriod(i, end int, w string) int {
	s := sc.s
	if w == "fiscal" {
		p := sc.space(end)
		if strings.HasPrefix(s[p:], "year ") {
			p += len("year ")
		}
		if e := lang.DigitsEnd(s, p); e == p+4 && !lang.IsAlnumAt(s, e) {
			return sc.date(i, e, "FY"+s[p:e])
		}
		return i
	}
	n, ok := periodOrdinals[w]
	if !ok {
		return i
	}
	what, e := lang.WordAt(s, sc.space(end))
	name := ""
	switch {
	case what == "quarter" && n <= 4:
		name = "Q" + strconv.Itoa(n)
	case what == "half" && n <= 2:
		name = "H" + strconv.Itoa(n)
	default:
		return i
	}
	if i >= 4 && lang.Lower(s[i-4:i]) == "the " {
		i -= 4
	}
	p := e
	if strings.HasPrefix(s[p:], " of") {
		p += 3
	}
	if year, y := sc.yearAfter(p); y > p {
		return sc.date(i, y, strconv.Itoa(year)+"-"+name)
	}
	if name[0] == 'H' {
		return i
	}
	return sc.date(i, e, name)
}

var periodOrdinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4}

// decade reads 1990s and the 90s.
func (sc *scanner) decade(i, end int) int {
	s := sc.s
	p := end
	if p < len(s) && s[p] == '\'' {
		p++
	}
	if p >= len(s) || s[p] != 's' || lang.IsAlnumAt(s, p+1) || s[end-1] != '0' {
		return i
	}
	switch {
	case end-i == 4 && s[i] <= '2' && s[i] >= '1':
		return sc.date(i, p+1, s[i:end]+"s")
	case end-i == 2 && s[i] >= '2' && lang.Lower(sc.wordBefore(i)) == "the":
		return sc.date(i, p+1, "19"+s[i:end]+"s")
	}
	return i
}

// MonthAt reads a month's name or abbreviation at i.
func MonthAt(s string, i int) (int, int) {
	if i >= len(s) {
		return 0, i
	}
	switch s[i] {
	case 'J', 'F', 'M', 'A', 'S', 'O', 'N', 'D':
	default:
		return 0, i
	}
	end := i
	for end < len(s) && lang.IsLetter(s[end]) {
		end++
	}
	if end-i < 3 || end-i > 9 || lang.IsAlnumAt(s, end) {
		return 0, i
	}
	m := 1 + slices.IndexFunc(monthNames, func(n string) bool {
		return n[0] == s[i]|0x20 && n[1] == s[i+1]|0x20 && n[2] == s[i+2]|0x20
	})
	if m == 0 {
		return 0, i
	}
	w := lang.Lower(s[i:end])
	if full := monthNames[m-1]; w != full && len(w) != 3 && w != "sept" {
		return 0, i
	}
	if len(w) <= 4 && w != monthNames[m-1] && end < len(s) && s[end] == '.' {
		end++
	}
	return m, end
}

var monthNames = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
