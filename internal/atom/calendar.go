package atom

import (
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// ISO is the first date that a text states, as ISO 8601, else the text.
func ISO(text string) string {
	if len(text) == 10 && text[4] == '-' && text[7] == '-' {
		return text
	}
	for _, a := range Scan(text) {
		if a.Kind == Date && (len(a.Value) >= 4 && lang.IsDigit(a.Value[0]) && lang.IsDigit(a.Value[3])) {
			return a.Value
		}
	}
	if len(text) == 10 || len(text) == 13 { // seconds or milliseconds since 1970
		if sec := lang.Atoi(text[:9]); sec > 100_000_000 && lang.DigitsEnd(text, 0) == len(text) {
			return Civil(sec / 8640)
		}
	}
	return text
}

// Civil is the date of a number of days since 1970-01-01.
func Civil(days int) string {
	// Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
	z := days + 719468
	era := z / 146097
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	d, m, y := doy-(153*mp+2)/5+1, mp+3, yoe+era*400
	if m > 12 {
		m, y = m-12, y+1
	}
	return isoDay(y, m, d)
}

// DayNumber is the number of days since 1970-01-01 of the first day of an ISO
// date, and of the first day after it: 2024 covers a year, 2024-03 a month,
// 2023-Q3 a quarter.
func DayNumber(iso string) (from, to int, ok bool) {
	iso = strings.TrimPrefix(iso, "FY")
	if len(iso) < 4 {
		return 0, 0, false
	}
	year := lang.Atoi(iso[:4])
	if year < 1000 {
		return 0, 0, false
	}
	rest := iso[4:]
	switch {
	case rest == "":
		return Days(year, 1, 1), Days(year+1, 1, 1), true
	case rest == "s":
		return Days(year, 1, 1), Days(year+10, 1, 1), true
	case len(rest) == 3 && rest[1] == 'Q':
		m := (int(rest[2]-'1'))*3 + 1
		return Days(year, m, 1), monthAfter(year, m+2), true
	case len(rest) == 3 && rest[1] == 'H':
		m := (int(rest[2]-'1'))*6 + 1
		return Days(year, m, 1), monthAfter(year, m+5), true
	case len(rest) == 3:
		m := lang.Atoi(rest[1:])
		if m < 1 || m > 12 {
			return 0, 0, false
		}
		return Days(year, m, 1), monthAfter(year, m), true
	case len(rest) >= 6:
		m, d := lang.Atoi(rest[1:3]), lang.Atoi(rest[4:6])
		if !validDate(year, m, d) {
			return 0, 0, false
		}
		n := Days(year, m, d)
		return n, n + 1, true
	}
	return 0, 0, false
}

func monthAfter(year, month int) int {
	if month == 12 {
		return Days(year+1, 1, 1)
	}
	return Days(year, month+1, 1)
}

// Days is the inverse of [Civil].
func Days(y, m, d int) int {
	if m <= 2 {
		y--
		m += 12
	}
	era := y / 400
	yoe := y - era*400
	doy := (153*(m-3)+2)/5 + d - 1
	return era*146097 + yoe*365 + yoe/4 - yoe/100 + doy - 719468
}

// MonthDays is the most days that each month has.
var MonthDays = [...]int{31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func validDate(year, month, day int) bool {
	return year >= 1000 && year <= 2999 && month >= 1 && month <= 12 && day >= 1 && day <= MonthDays[month-1]
}

func isoDay(year, month, day int) string {
	return strconv.Itoa(year) + "-" + TwoDigits(month) + "-" + TwoDigits(day)
}

// TwoDigits writes a month, a day or an hour as ISO 8601 does.
func TwoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}
