package atom

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// han reads what the Chinese character r at i begins.
func (sc *scanner) han(i int, r rune) int {
	s := sc.s
	width := utf8.RuneLen(r)
	switch r {
	case '第':
		return sc.hanOrdinal(i)
	case '百', '三', '两', '一', '二', '四', '五', '六', '七', '八', '九', '十', '千', '万', '〇', '半', '廿', '卅':
		if end := sc.hanNumber(i, r); end > i {
			return end
		}
	case '上', '下':
		if end := sc.hanHalf(i, ""); end > i {
			return end
		}
		if end := sc.hanClock(i); end > i {
			return end
		}
	case '早', '晚', '傍', '凌', '中', '清', '深', '夜':
		if end := sc.hanClock(i); end > i {
			return end
		}
	case '差':
		if t, end := sc.hanSpoken(i, false); end > i {
			return sc.date(i, end, t.String())
		}
	case '零':
		if p := i + len("零下"); strings.HasPrefix(s[i:], "零下") && lang.IsDigitAt(s, p) {
			return sc.number(i, p, true, "")
		}
		if end := sc.hanNumber(i, r); end > i {
			return end
		}
	case '人':
		if strings.HasPrefix(s[i:], "人民币") {
			if p := sc.space(i + len("人民币")); lang.IsDigitAt(s, p) {
				return sc.number(i, p, false, "CNY")
			}
		}
	case '负':
		if lang.IsDigitAt(s, i+width) {
			return sc.number(i, i+width, true, "")
		}
	case '公', '集', '银', '大', '医', '学', '研', '法', '协':
		if end := sc.organisation(i); end > i {
			return end
		}
	}
	if end := sc.place(i, r); end > i {
		return end
	}
	return i + width
}

// hanDigits are the values of the numerals of one digit.
func hanDigit(r rune) int {
	switch r {
	case '〇', '零':
		return 0
	case '一':
		return 1
	case '二', '两':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	}
	return -1
}

// parseHan reads a Chinese numeral: 一百二十三, 二十五万, 三点五, 二〇二三 (then digits is 4).
func parseHan(s string, i int) (d Decimal, end, runes, digits int) {
	var total, section, current uint64
	plain, plainDigits := uint64(0), 0
	positional := true
	end = i
	for end < len(s) && runes < 24 {
		r, w := utf8.DecodeRuneInString(s[end:])
		if v := hanDigit(r); v >= 0 {
			plain, plainDigits = plain*10+uint64(v), plainDigits+1
			current = uint64(v)
		} else {
			unit := uint64(0)
			switch r {
			case '十':
				unit = 10
			case '廿', '卅': // twenty and thirty, a digit with its ten
				current, unit = 2, 10
				if r == '卅' {
					current = 3
				}
			case '百':
				unit = 100
			case '千':
				unit = 1000
			case '万':
				unit = 1e4
			case '亿':
				unit = 1e8
			}
			if unit == 0 {
				break
			}
			positional = false
			switch {
			case unit >= 1e4:
				if section+current == 0 && total == 0 {
					current = 1
				}
				if unit == 1e8 {
					total = (total + section + current) * unit
				} else {
					total += (section + current) * unit
				}
				section, current = 0, 0
			default:
				if current == 0 {
					current = 1
				}
				section, current = section+current*unit, 0
			}
		}
		if total > 1e15 || plain > 1e15 {
			return Decimal{}, i, 0, 0
		}
		end += w
		runes++
	}
	if runes == 0 {
		return Decimal{}, i, 0, 0
	}
	d.Coef = total + section + current
	if positional {
		d.Coef, digits = plain, plainDigits
	}
	// 三点五
	if strings.HasPrefix(s[end:], "点") {
		p := end + len("点")
		f, n := d, 0
		for p < len(s) {
			r, w := utf8.DecodeRuneInString(s[p:])
			v := hanDigit(r)
			if v < 0 || !f.add(byte(v)) {
				break
			}
			f.Exp--
			p += w
			n++
		}
		if n > 0 && !lang.HasAnyPrefix(s[p:], "分", "钟") {
			d, end, runes = f, p, runes+n+1
		}
	}
	return d, end, runes, digits
}

// hanNumber reads an amount, a fraction or a date in Chinese numerals.
func (sc *scanner) hanNumber(i int, r rune) int {
	s := sc.s
	if r == '百' && strings.HasPrefix(s[i:], "百分之") {
		return sc.hanPercent(i)
	}
	if e := sc.place(i, r); e > i { // 四川, 三亚
		return e
	}
	if lang.HasAnyPrefix(s[i:], hanNotNumbers...) {
		return i + utf8.RuneLen(r)
	}
	if r == '半' {
		return i
	}
	if t, e := sc.hanSpoken(i, false); e > i {
		return sc.date(i, e, t.String())
	}
	n, end, runes, digits := parseHan(s, i)
	if runes == 0 {
		return i
	}
	if digits == 4 && strings.HasPrefix(s[end:], "年") {
		return sc.hanDate(i, end, int(n.Coef))
	}
	if q := sc.hanQuarter(i, end, n, ""); q > end {
		return q
	}
	if m := sc.hanMonth(i, end, n, ""); m > end {
		return m
	}
	if strings.HasPrefix(s[end:], "分之") {
		if parts, e, k, _ := parseHan(s, end+len("分之")); k > 0 && n.Coef > 0 {
			sc.emitFraction(i, e, parts.Coef, n.Coef)
			return e
		}
		return end
	}
	if strings.HasPrefix(s[end:], "成") && n.Coef <= 10 && n.Exp == 0 && !lang.HasAnyPrefix(s[end+len("成"):], "为", "功", "立", "员", "了", "本", "长", "分", "果", "熟", "都") {
		d := Decimal{Coef: n.Coef * 10}
		sc.emit(Atom{Kind: Percent, Value: d.String(), Unit: "%", Offset: i, Length: end + len("成") - i, Num: d.Float(), Grain: 10, InWords: true})
		return end + len("成")
	}
	if runes == 1 && n.Exp == 0 && (r == '一' || r == '十' || r == '百' || r == '千' || r == '万' || r == '零' || r == '〇') {
		return sc.loneNumeral(i, end, n, r)
	}
	if runes == 1 && !sc.hanCounted(end) {
		return end
	}
	if stop := sc.tallness(i, end, n); stop > end {
		return stop
	}
	if runes > 1 && digits == runes && digits > 1 && digits < 4 && !sc.hanCounted(end) { // 一二 in passing
		return end
	}
	return sc.amount(i, i, end, n, "", true)
}

// loneNumeral reads 一, 十, 百, 千, 万 by themselves: only before a unit of
// measure, and 千 and 万 before what is counted.
func (sc *scanner) loneNumeral(i, end int, n Decimal, r rune) int {
	if stop := sc.tallness(i, end, n); stop > end {
		return stop
	}
	if _, p := hanUnit(sc.s, end); p > end && r != '万' {
		return sc.amount(i, i, end, n, "", true)
	}
	if _, p := sc.currencyAfter(end); p > end && r != '一' {
		return sc.amount(i, i, end, n, "", true)
	}
	if (r == '千' || r == '百' || r == '十' || r == '万') && (sc.hanCounted(end) || strings.HasPrefix(sc.s[end:], "人")) {
		return sc.amount(i, i, end, n, "", true)
	}
	return end
}

// tallness reads 一米八: a digit after the metre is tenths of it.
func (sc *scanner) tallness(i, end int, n Decimal) int {
	s := sc.s
	if !strings.HasPrefix(s[end:], "米") || n.Exp != 0 {
		return i
	}
	p := end + len("米")
	r, w := utf8.DecodeRuneInString(s[p:])
	next, _ := utf8.DecodeRuneInString(s[p+w:])
	if hanDigit(r) <= 0 || unicode.Is(unicode.Han, next) {
		return i
	}
	n.Coef, n.Exp = n.Coef*10+uint64(hanDigit(r)), -1
	sc.emit(Atom{Kind: Quantity, Value: n.String(), Unit: "m", Offset: i, Length: p + w - i, Num: n.Float(), Grain: .1, Raw: n})
	return p + w
}

// hanNotNumbers are words that begin with a numeral and count nothing.
var hanNotNumbers = []string{"十分", "万一", "一般", "一直", "一起", "一些", "一样", "一下", "一定", "一切", "一旦", "一致", "一方面", "一位", "一个", "一种", "一次", "一家", "一名", "一款", "一部分", "一项",
	"三角", "四周", "四处", "九江", "六安", "三明", "千万别", "千万不", "万分", "万能", "万物", "一年级", "十足", "八卦", "五金", "半导体", "一体", "一线", "一流", "一律", "一经", "一向", "一同", "一时", "一边", "一再",
	"二手", "二维", "三星", "两者", "两边", "两岸", "百姓", "百货", "百度", "千里", "一半", "一共"}

// hanCounted reports whether what follows a numeral is counted or measured: a
// measure word, a unit, a currency, a percentage.
func (sc *scanner) hanCounted(i int) bool {
	s := sc.s
	if _, p := sc.currencyAfter(i); p > i {
		return true
	}
	if _, p := hanUnit(s, i); p > i {
		return true
	}
	if _, _, p := sc.percentAt(i); p > i {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return strings.ContainsRune("个名家台辆件次项位只条张本册间栋艘架股届期章页篇座份种款批笔部户例人所棵匹瓶盒包套双对头枚颗层楼排队组科晚夜桌趟箱袋罐顿", r)
}

// hanNoun is the Chinese that follows a number without a unit.
func (sc *scanner) hanNoun(i int) string {
	s := sc.s
	end, n := i, 0
	for end < len(s) && n < 3 {
		r, w := utf8.DecodeRuneInString(s[end:])
		if !unicode.Is(unicode.Han, r) {
			break
		}
		end += w
		n++
	}
	return s[i:end]
}

func (sc *scanner) hanPercent(i int) int {
	s := sc.s
	p := i + len("百分之")
	if lang.IsDigitAt(s, p) {
		n, end := ParseDigits(s, p)
		return sc.percent(i, end, n)
	}
	n, end, runes, _ := parseHan(s, p)
	if runes == 0 {
		return p
	}
	return sc.percent(i, end, n)
}

func (sc *scanner) percent(i, end int, n Decimal) int {
	sc.emit(Atom{Kind: Percent, Value: n.String(), Unit: "%", Offset: i, Length: end - i, Num: n.Float(), Grain: pow10(int(n.Exp)), Raw: n})
	return end
}

// hanIDWord reports whether a text ends with a Chinese word after which a
// number is an identifier.
func hanIDWord(before string) bool {
	before = strings.TrimRight(before, " :：#")
	for _, w := range [...]string{"订单", "订单号", "运单", "运单号", "编号", "工单", "单号", "航班", "房间", "版本", "版本号", "案号", "卡号", "手机号", "手机", "电话", "电话号码", "账号", "身份证号", "学号", "工号"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}
