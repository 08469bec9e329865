package evidence

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// hanOrdinal reads 第3 and the quarter 第三季度; other ordinals in characters are words.
func (sc *scanner) hanOrdinal(i int) int {
	s := sc.s
	p := i + len("第")
	if isDigitAt(s, p) {
		n, end := parseDigits(s, p)
		if q := sc.hanQuarter(i, end, n, ""); q > end {
			return q
		}
		sc.emit(Atom{Kind: KindNumber, Value: n.String(), Unit: "th", Offset: i, Length: end - i, num: n.float(), grain: 1})
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
func (sc *scanner) hanQuarter(i, end int, n decimal, year string) int {
	s := sc.s
	if n.coef < 1 || n.coef > 4 || n.exp != 0 {
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
	if year == "" && !strings.HasPrefix(s[i:], "第") && n.coef > 1 && isDigit(s[i]) {
		return i
	}
	name := "Q" + strconv.Itoa(int(n.coef))
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
	if hasAnyPrefix(s[p:], "上半年", "下半年") {
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
func (sc *scanner) smallNumber(i int) (decimal, int) {
	if isDigitAt(sc.s, i) {
		return parseDigits(sc.s, i)
	}
	n, end, _, _ := parseHan(sc.s, i)
	return n, end
}

// hanMonth reads 月 and the day after a numeral that ends at end.
func (sc *scanner) hanMonth(i, end int, n decimal, year string) int {
	s := sc.s
	if n.exp != 0 || n.coef < 1 || n.coef > 12 || !strings.HasPrefix(s[end:], "月") {
		return i
	}
	e := end + len("月")
	prefix := year + "-"
	if year == "" {
		prefix = "--"
	}
	value := prefix + two(int(n.coef))
	if strings.HasPrefix(s[e:], "份") {
		return sc.date(i, e+len("份"), value)
	}
	if d, stop := sc.smallNumber(sc.space(e)); stop > e && d.exp == 0 && d.coef >= 1 && d.coef <= 31 && hasAnyPrefix(s[stop:], "日", "号") {
		return sc.date(i, stop+len("日"), value+"-"+two(int(d.coef)))
	}
	return sc.date(i, e, value)
}

// hanAfterDigits reads the Chinese dates and times that begin with digits:
// 2024年3月5日, 3月5日, 7时45分, 90年代. It returns i where there is none.
func (sc *scanner) hanAfterDigits(i, end int, n decimal) int {
	s := sc.s
	p := sc.space(end)
	if p >= len(s) || s[p] < utf8.RuneSelf || n.exp != 0 {
		return i
	}
	switch {
	case hasAnyPrefix(s[p:], "年代"):
		if end-i == 2 && n.coef >= 20 {
			return sc.date(i, p+len("年代"), "19"+s[i:end]+"s")
		}
		if end-i == 4 {
			return sc.date(i, p+len("年代"), s[i:end]+"s")
		}
	case hasAnyPrefix(s[p:], "年", "财年"):
		if end-i == 4 && n.coef >= 1000 && n.coef < 3000 {
			return sc.hanDate(i, p, int(n.coef))
		}
	case hasAnyPrefix(s[p:], "月"):
		return sc.hanMonth(i, p, n, "")
	case hasAnyPrefix(s[p:], "季度"):
		return sc.hanQuarter(i, p, n, "")
	case hasAnyPrefix(s[p:], "时", "点"):
		return sc.hanTime(i, p, int(n.coef), 0)
	}
	return i
}

// hanTime reads 7时45分, 9点30分, 3点半, after the hour that ends at p. A lone
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
	if strings.HasPrefix(s[e:], "半") {
		return sc.date(i, e+len("半"), two(hour)+":30")
	}
	if m, stop := sc.smallNumber(e); stop > e && m.exp == 0 && m.coef < 60 && strings.HasPrefix(s[stop:], "分") {
		return sc.date(i, stop+len("分"), two(hour)+":"+two(int(m.coef)))
	}
	if shift < 0 || shift > 0 || strings.HasPrefix(s[e:], "整") || strings.HasPrefix(s[p:], "点钟") {
		return sc.date(i, e, two(hour)+":00")
	}
	return i
}

// hanClock reads 上午9点30分, 下午3点, 晚上8:30.
func (sc *scanner) hanClock(i int) int {
	s := sc.s
	shift, p := 0, i
	switch {
	case hasAnyPrefix(s[i:], "上午", "早上", "凌晨"):
		shift, p = -1, i+len("上午")
	case hasAnyPrefix(s[i:], "下午", "晚上", "傍晚"):
		shift, p = 12, i+len("下午")
	case strings.HasPrefix(s[i:], "中午"):
		shift, p = 12, i+len("中午")
	default:
		return i
	}
	n, end := sc.smallNumber(p)
	if end == p || n.exp != 0 || n.coef > 12 {
		return i
	}
	hour := int(n.coef)
	if strings.HasPrefix(s[end:], ":") && isDigitAt(s, end+1) && isDigitAt(s, end+2) {
		if shift > 0 && hour < 12 {
			hour += 12
		}
		return sc.date(i, end+3, two(hour)+s[end:end+3])
	}
	if !hasAnyPrefix(s[end:], "点", "时") {
		return i
	}
	if shift < 0 {
		if e := sc.hanTime(i, end, hour, 0); e > i {
			return e
		}
		return sc.date(i, end+len("点"), two(hour)+":00")
	}
	return sc.hanTime(i, end, hour, shift)
}
