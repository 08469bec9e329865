package atom

import (
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// spoken is a time of day in words. Open is true where nothing tells the half of
// the day: half past six.
type spoken struct {
	hour, minute int
	open         bool
}

func (t spoken) String() string { return TwoDigits(t.hour) + ":" + TwoDigits(t.minute) }

// spokenTime reads a time of day whose first word or number stands at i: half past
// six, a quarter to nine, ten minutes past 4 p.m., six thirty in the evening, six
// o'clock. The end is i where there is none. "Five to six" and "six thirty" are
// times only where the part of the day follows: they may be counts as well.
func (sc *scanner) spokenTime(i int) (spoken, int) {
	var t spoken
	first, end := sc.count(i)
	w, stop := lang.WordAt(sc.s, i)
	if w == "a" {
		w, stop = lang.WordAt(sc.s, sc.space(stop))
	}
	sure := true
	switch w {
	case "half":
		first, end = 30, stop
	case "quarter":
		first, end = 15, stop
	default:
		if end == i {
			return t, i
		}
		w, stop = lang.WordAt(sc.s, sc.space(end))
		sure = w == "minutes" || w == "minute"
		if sure {
			end = stop
		}
	}
	if first > 59 {
		return t, i
	}
	link, e := lang.WordAt(sc.s, sc.space(end))
	switch hour, stop := sc.count(sc.space(e)); {
	case link == "o" && first <= 12 && strings.HasPrefix(sc.s[e:], "'clock"):
		return sc.partOfDay(spoken{hour: first}, e+len("'clock"), true, i)
	case e == end || stop == sc.space(e) || hour == 0 || hour > 12:
	case link == "past":
		return sc.partOfDay(spoken{hour: hour, minute: first}, stop, true, i)
	case link == "after" && first < 60:
		return sc.partOfDay(spoken{hour: hour, minute: first}, stop, false, i)
	case (link == "to" || link == "before") && w != "half" && first > 0:
		return sc.partOfDay(spoken{hour: (hour+10)%12 + 1, minute: 60 - first}, stop, sure || timely[lang.Lower(sc.wordBefore(i))], i)
	}
	if sure || first == 0 || first > 12 {
		return t, i
	}
	if before := lang.Lower(sc.wordBefore(i)); timely[before] || before == "from" { // "until 4 in the afternoon", but no "3 in the morning", which may be tablets
		if hour, e := sc.afternoon(first, end); e > end {
			return spoken{hour: hour}, e
		}
	}
	if minute, e := sc.count(sc.space(end)); e > sc.space(end) && minute >= 10 && minute < 60 && !lang.IsDigitAt(sc.s, i) {
		return sc.partOfDay(spoken{hour: first, minute: minute}, e, false, i)
	}
	return t, i
}

// timely are the words before a time of day: at ten to eight.
var timely = lang.Set("at by until till")

// partOfDay gives a time the half of the day that is told behind it. Where none is,
// it is one by itself or none; start is returned for none.
func (sc *scanner) partOfDay(t spoken, end int, itself bool, start int) (spoken, int) {
	if hour, e := sc.afternoon(t.hour, end); e > end {
		t.hour = hour
		return t, e
	}
	if !itself || lang.IsAlnumAt(sc.s, end) {
		return spoken{}, start
	}
	t.open = true
	return t, end
}

// count reads a number below a hundred, in digits or in words.
func (sc *scanner) count(i int) (n, end int) {
	if e := lang.DigitsEnd(sc.s, i); e > i {
		if e > i+2 || lang.IsAlnumAt(sc.s, e) {
			return 0, i
		}
		return lang.Atoi(sc.s[i:e]), e
	}
	w, end := lang.WordAt(sc.s, i)
	v, ok := numberWord(w)
	if !ok {
		return 0, i
	}
	if end < len(sc.s) && (sc.s[end] == '-' || sc.s[end] == ' ') && v >= 20 {
		next, stop := lang.WordAt(sc.s, end+1)
		if u, ok := numberWord(next); ok && u > 0 && u < 10 {
			return int(v + u), stop
		}
	}
	return int(v), end
}

// Faces are the times of day in a text that stand on the face of a clock only, as
// 06:30: half past six, 6:30, 六点半, each without a word for the half of the day.
func Faces(text string) []string {
	var out []string
	for _, a := range Scan(text) {
		if a.Kind == Date && len(a.Value) == len("15:30") && a.Value[2] == ':' && a.Value < "13" && a.Text[0] != '0' && !lang.ContainsAny(strings.ToLower(a.Text), halves) {
			out = append(out, a.Value)
		}
	}
	sc := scanner{s: text}
	for i := 0; i < len(text); {
		if !lang.IsAlnum(text[i]) {
			i++
			continue
		}
		if t, end := sc.spokenTime(i); end > i && t.open {
			out = append(out, t.String())
			i = end
		}
		for i < len(text) && lang.IsAlnum(text[i]) {
			i++
		}
	}
	return out
}

// halves are the words for a part of the day.
var halves = []string{"am", "pm", "a.m", "p.m", "morning", "afternoon", "evening", "night", "上午", "早上", "凌晨", "下午", "晚上", "傍晚", "中午"}

// hanSpoken reads a time of day in Chinese words that begins at i with its hour:
// 五点三刻, 三点四十五分, 六点差一刻, 差五分六点. What could be a number with a
// decimal point is none: 九点五分.
//
// Behind a word for the part of the day, which told says that there is, the minutes need no 分.
func (sc *scanner) hanSpoken(i int, told bool) (spoken, int) {
	s := sc.s
	less, p := 0, i
	if strings.HasPrefix(s[p:], "差") {
		if less, p = sc.hanLess(p); less == 0 {
			return spoken{}, i
		}
	}
	hour, end := sc.hanCount(p)
	if end == p || hour == 0 || hour > 24 || !lang.HasAnyPrefix(s[end:], "点", "时") {
		return spoken{}, i
	}
	e := end + len("点")
	t := spoken{hour: hour, open: hour <= 12}
	minute, stop := sc.hanCount(e)
	numeral := s[e:stop]
	switch behind, z := sc.hanLess(e); {
	case less == 0 && behind > 0:
		less, e = behind, z
	case less > 0:
		e += len(sc.prefixOf(e, "钟"))
	case strings.HasPrefix(s[e:], "半"):
		t.minute, e = 30, e+len("半")
	case (numeral == "一" || numeral == "三" || numeral == "1" || numeral == "3") && strings.HasPrefix(s[stop:], "刻"):
		t.minute, e = 15*minute, stop+len("刻")
	case stop > e && minute < 60 && strings.HasPrefix(s[stop:], "分") && (strings.Contains(numeral, "十") || strings.HasPrefix(numeral, "零") || lang.IsDigit(s[e])):
		t.minute, e = minute, stop+len("分")
	case told && stop > e && minute < 60 && utf8.RuneCountInString(numeral) > 1 && !lang.HasAnyPrefix(s[stop:], "点", "秒", "."):
		t.minute, e = minute, stop
	case lang.HasAnyPrefix(s[e:], "整", "钟"):
		e += len("整")
	default:
		return spoken{}, i
	}
	if less > 0 {
		t.hour, t.minute = (t.hour+23)%24, 60-less
		if t.open && t.hour == 0 {
			t.hour = 12
		}
	}
	return t, e
}

// prefixOf is the word where it stands at i, else nothing.
func (sc *scanner) prefixOf(i int, word string) string {
	if strings.HasPrefix(sc.s[i:], word) {
		return word
	}
	return ""
}

// hanLess reads how many minutes an hour lacks: 差一刻, 差五分.
func (sc *scanner) hanLess(i int) (minutes, end int) {
	if !strings.HasPrefix(sc.s[i:], "差") {
		return 0, i
	}
	n, e := sc.hanCount(i + len("差"))
	switch {
	case e == i+len("差"):
	case strings.HasPrefix(sc.s[e:], "刻") && n == 1:
		return 15, e + len("刻")
	case strings.HasPrefix(sc.s[e:], "分") && n > 0 && n < 60:
		e += len("分")
		return n, e + len(sc.prefixOf(e, "钟"))
	}
	return 0, i
}

// hanCount reads a number below a hundred, in digits or in Chinese numerals, of
// which 点 is no part.
func (sc *scanner) hanCount(i int) (n, end int) {
	if lang.IsDigitAt(sc.s, i) {
		return sc.count(i)
	}
	ten := false
	for end = i; end < len(sc.s); {
		r, w := utf8.DecodeRuneInString(sc.s[end:])
		switch v := hanDigit(r); {
		case r == '十' && !ten:
			n, ten = max(n, 1)*10, true
		case v < 0 || !ten && n > 0 || ten && n%10 > 0:
			return n, end
		default:
			n += v
		}
		end += w
	}
	return n, end
}
