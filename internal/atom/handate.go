package atom

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// hanOrdinal reads 第3 and the quarter 第三季度; other ordinals in characters are words.
func (sc *scanner) hanOrdinal(i int) int {
	s := sc.s
	p := i + len("第")
	if lang.IsDigitAt(s, p) {
		n, end := ParseDigits(s, p)
		if q := sc.hanQuarter(i, end, n, ""); q > end {
			return q
		}
		sc.emit(Atom{Kind: Number, Value: n.String(), Unit: "th", Offset: i, Length: end - i, Num: n.Float(), Grain: 1})
		return end
	}
	n, end, runes, _ := parseHan(s, p)
	if runes == 0 {
		return p
	}
	if q := sc.hanQuarter(i, end, n, ""); q > end {
		return q
	}
	return end
}

// hanQuarter reads 季度 after a numeral that ends at end.
func (sc *scanner) hanQuarter(i, end int, n Decimal, year string) int {
	s := sc.s
	if n.Coef < 1 || n.Coef > 4 || n.Exp != 0 {
		return i
	}
	e := end
	switch {
	case strings.HasPrefix(s[end:], "季度"):
		e += len("季度")
	case strings.HasPrefix(s[end:], "季") && (i > 0 || year != ""):
		e += len("季")
	default:
		return i
	}
	if year == "" && !strings.HasPrefix(s[i:], "第") && n.Coef > 1 && lang.IsDigit(s[i]) {
		return i
	}
	name := "Q" + strconv.Itoa(int(n.Coef))
	if year != "" {
		name = year + "-" + name
	}
	return sc.date(i, e, name)
}

// hanHalf reads 上半年 and 下半年.
func (sc *scanner) hanHalf(i int, year string) int {
	s := sc.s
	name := ""
	switch {
	case strings.HasPrefix(s[i:], "上半年"):
		name = "H1"
	case strings.HasPrefix(s[i:], "下半年"):
		name = "H2"
	default:
		return i
	}
	if year != "" {
		name = year + "-" + name
	}
	return sc.date(i, i+len("上半年"), name)
}

// hanDate reads what follows a year that ends before 年 at y: a month, a day, a quarter, a half.
func (sc *scanner) hanDate(i, y, year int) int {
	s := sc.s
	p := y + len("年")
	name := strconv.Itoa(year)
	if strings.HasPrefix(s[y:], "财年") {
		return sc.date(i, y+len("财年"), "FY"+name)
	}
	p = sc.space(p)
	if lang.HasAnyPrefix(s[p:], "上半年", "下半年") {
		half := "H1"
		if strings.HasPrefix(s[p:], "下") {
			half = "H2"
		}
		return sc.date(i, p+len("上半年"), name+"-"+half)
	}
	q := p
	if strings.HasPrefix(s[q:], "第") {
		q += len("第")
	}
	n, end := sc.smallNumber(q)
	if end > q {
		if strings.HasPrefix(s[end:], "季") {
			if e := sc.hanQuarter(q, end, n, name); e > end {
				a := sc.last()
				a.Length += a.Offset - i
				a.Offset = i
				return e
			}
		}
		if q == p {
			if e := sc.hanMonth(i, end, n, name); e > end {
				return e
			}
		}
	}
	return sc.date(i, y+len("年"), name)
}

// smallNumber reads a numeral in either writing.
func (sc *scanner) smallNumber(i int) (Decimal, int) {
	if lang.IsDigitAt(sc.s, i) {
		return ParseDigits(sc.s, i)
	}
	n, end, _, _ := parseHan(sc.s, i)
	return n, end
}

// hanMonth reads 月 and the day after a numeral that ends at end.
func (sc *scanner) hanMonth(i, end int, n Decimal, year string) int {
	s := sc.s
	if n.Exp != 0 || n.Coef < 1 || n.Coef > 12 || !strings.HasPrefix(s[end:], "月") {
		return i
	}
	e := end + len("月")
	prefix := year + "-"
	if year == "" {
		prefix = "--"
	}
	value := prefix + TwoDigits(int(n.Coef))
	if strings.HasPrefix(s[e:], "份") {
		return sc.date(i, e+len("份"), value)
	}
	if d, stop := sc.smallNumber(sc.space(e)); stop > e && d.Exp == 0 && d.Coef >= 1 && d.Coef <= 31 && lang.HasAnyPrefix(s[stop:], "日", "号") {
		return sc.date(i, stop+len("日"), value+"-"+TwoDigits(int(d.Coef)))
	}
	return sc.date(i, e, value)
}

// hanAfterDigits reads the Chinese dates and times that begin with digits:
// 2024年3月5日, 3月5日, 7时45分, 90年代. It returns i where there is none.
func (sc *scanner) hanAfterDigits(i, end int, n Decimal) int {
	s := sc.s
	p := sc.space(end)
	if p >= len(s) || s[p] < utf8.RuneSelf || n.Exp != 0 {
		return i
	}
	switch {
	case lang.HasAnyPrefix(s[p:], "年代"):
		if end-i == 2 && n.Coef >= 20 {
			return sc.date(i, p+len("年代"), "19"+s[i:end]+"s")
		}
		if end-i == 4 {
			return sc.date(i, p+len("年代"), s[i:end]+"s")
		}
	case lang.HasAnyPrefix(s[p:], "年", "财年"):
		if end-i == 4 && n.Coef >= 1000 && n.Coef < 3000 {
			return sc.hanDate(i, p, int(n.Coef))
		}
	case lang.HasAnyPrefix(s[p:], "月"):
		return sc.hanMonth(i, p, n, "")
	case lang.HasAnyPrefix(s[p:], "季度"):
		return sc.hanQuarter(i, p, n, "")
	case lang.HasAnyPrefix(s[p:], "时", "点"):
		return sc.hanTime(i, p, int(n.Coef), 0)
	}
	return i
}

// hanTime reads 7时45分, 9点30分, 3点半, 5点三刻, after the hour that ends at p. A lone
// 时 or 点 is a time only after 上午, 下午 and their like, of which shift tells.
func (sc *scanner) hanTime(i, p, hour, shift int) int {
	s := sc.s
	if hour > 24 {
		return i
	}
	if hour < 12 {
		hour += shift
	}
	e := p + len("点")
	if t, end := sc.hanSpoken(i, false); end > i {
		t.hour = hour
		return sc.date(i, end, t.String())
	}
	if m, stop := sc.smallNumber(e); stop > e && m.Exp == 0 && m.Coef < 60 && strings.HasPrefix(s[stop:], "分") {
		return sc.date(i, stop+len("分"), TwoDigits(hour)+":"+TwoDigits(int(m.Coef)))
	}
	if shift < 0 || shift > 0 || strings.HasPrefix(s[e:], "整") || strings.HasPrefix(s[p:], "点钟") {
		return sc.date(i, e, TwoDigits(hour)+":00")
	}
	return i
}

// hanClock reads 上午9点30分, 下午3点, 晚上8:30.
func (sc *scanner) hanClock(i int) int {
	s := sc.s
	shift, p := 0, i
	switch {
	case lang.HasAnyPrefix(s[i:], "上午", "早上", "凌晨", "清晨", "早晨"):
		shift, p = -1, i+len("上午")
	case lang.HasAnyPrefix(s[i:], "下午", "晚上", "傍晚", "深夜", "夜里", "夜间"):
		shift, p = 12, i+len("下午")
	case strings.HasPrefix(s[i:], "中午"):
		shift, p = 12, i+len("中午")
	default:
		return i
	}
	if hour, _ := sc.hanCount(p); hour < 6 && lang.HasAnyPrefix(s[i:], "深夜", "夜") {
		shift = -1 // 深夜两点
	}
	if t, end := sc.hanSpoken(p, true); end > p {
		if shift > 0 && t.hour < 12 {
			t.hour += shift
		}
		return sc.date(i, end, t.String())
	}
	n, end := sc.smallNumber(p)
	if end == p || n.Exp != 0 || n.Coef > 12 {
		return i
	}
	hour := int(n.Coef)
	if strings.HasPrefix(s[end:], ":") && lang.IsDigitAt(s, end+1) && lang.IsDigitAt(s, end+2) {
		if shift > 0 && hour < 12 {
			hour += 12
		}
		return sc.date(i, end+3, TwoDigits(hour)+s[end:end+3])
	}
	if !lang.HasAnyPrefix(s[end:], "点", "时") {
		return i
	}
	if shift < 0 {
		if e := sc.hanTime(i, end, hour, 0); e > i {
			return e
		}
		return sc.date(i, end+len("点"), TwoDigits(hour)+":00")
	}
	return sc.hanTime(i, end, hour, shift)
}
