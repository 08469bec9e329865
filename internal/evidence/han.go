package evidence

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// han reads what the Chinese character r at i begins.
func (sc *scanner) han(i int, r rune) int {
	s := sc.s
	width := utf8.RuneLen(r)
	switch r {
	case '第':
		return sc.hanOrdinal(i)
	case '百', '三', '两', '一', '二', '四', '五', '六', '七', '八', '九', '十', '千', '万', '〇', '半':
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
	case '早', '晚', '凌', '中':
		if end := sc.hanClock(i); end > i {
			return end
		}
	case '零':
		if p := i + len("零下"); strings.HasPrefix(s[i:], "零下") && isDigitAt(s, p) {
			return sc.number(i, p, true, "")
		}
		if end := sc.hanNumber(i, r); end > i {
			return end
		}
	case '人':
		if strings.HasPrefix(s[i:], "人民币") {
			if p := sc.space(i + len("人民币")); isDigitAt(s, p) {
				return sc.number(i, p, false, "CNY")
			}
		}
	case '负':
		if isDigitAt(s, i+width) {
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
func parseHan(s string, i int) (d decimal, end, runes, digits int) {
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
			return decimal{}, i, 0, 0
		}
		end += w
		runes++
	}
	if runes == 0 {
		return decimal{}, i, 0, 0
	}
	d.coef = total + section + current
	if positional {
		d.coef, digits = plain, plainDigits
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
			f.exp--
			p += w
			n++
		}
		if n > 0 && !hasAnyPrefix(s[p:], "分", "钟") {
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
	if hasAnyPrefix(s[i:], hanNotNumbers...) {
		return i + utf8.RuneLen(r)
	}
	if r == '半' {
		return i
	}
	n, end, runes, digits := parseHan(s, i)
	if runes == 0 {
		return i
	}
	if digits == 4 && strings.HasPrefix(s[end:], "年") {
		return sc.hanDate(i, end, int(n.coef))
	}
	if q := sc.hanQuarter(i, end, n, ""); q > end {
		return q
	}
	if m := sc.hanMonth(i, end, n, ""); m > end {
		return m
	}
	if strings.HasPrefix(s[end:], "分之") {
		if parts, e, k, _ := parseHan(s, end+len("分之")); k > 0 && n.coef > 0 {
			sc.emitFraction(i, e, parts.coef, n.coef)
			return e
		}
		return end
	}
	if strings.HasPrefix(s[end:], "成") && n.coef <= 10 && n.exp == 0 && !hasAnyPrefix(s[end+len("成"):], "为", "功", "立", "员", "了", "本", "长", "分", "果", "熟", "都") {
		d := decimal{coef: n.coef * 10}
		sc.emit(Atom{Kind: KindPercent, Value: d.String(), Unit: "%", Offset: i, Length: end + len("成") - i, num: d.float(), grain: 10, word: true})
		return end + len("成")
	}
	if runes == 1 && n.exp == 0 && (r == '一' || r == '十' || r == '百' || r == '千' || r == '万' || r == '零' || r == '〇') {
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
func (sc *scanner) loneNumeral(i, end int, n decimal, r rune) int {
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
func (sc *scanner) tallness(i, end int, n decimal) int {
	s := sc.s
	if !strings.HasPrefix(s[end:], "米") || n.exp != 0 {
		return i
	}
	p := end + len("米")
	r, w := utf8.DecodeRuneInString(s[p:])
	next, _ := utf8.DecodeRuneInString(s[p+w:])
	if hanDigit(r) <= 0 || unicode.Is(unicode.Han, next) {
		return i
	}
	n.coef, n.exp = n.coef*10+uint64(hanDigit(r)), -1
	sc.emit(Atom{Kind: KindQuantity, Value: n.String(), Unit: "m", Offset: i, Length: p + w - i, num: n.float(), grain: .1, raw: n})
	return p + w
}

// hanNotNumbers are words that begin with a numeral and count nothing.
var hanNotNumbers = []string{"十分", "万一", "一般", "一直", "一起", "一些", "一样", "一下", "一定", "一切", "一旦", "一致", "一方面", "一位", "一个", "一种", "一次", "一家", "一名", "一款", "一部分", "一项",
	"三角", "四川", "四周", "四处", "九江", "六安", "三亚", "三明", "千万别", "千万不", "万分", "万能", "万物", "一年级", "十足", "八卦", "五金", "半导体", "一体", "一线", "一流", "一律", "一经", "一向", "一同", "一时", "一边", "一再",
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
	return strings.ContainsRune("个名家台辆件次项位只条张本册间栋艘架股届期章页篇座份种款批笔部户例人所棵匹瓶盒包套双对头枚颗层楼排队组科", r)
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
	if isDigitAt(s, p) {
		n, end := parseDigits(s, p)
		return sc.percent(i, end, n)
	}
	n, end, runes, _ := parseHan(s, p)
	if runes == 0 {
		return p
	}
	return sc.percent(i, end, n)
}

func (sc *scanner) percent(i, end int, n decimal) int {
	sc.emit(Atom{Kind: KindPercent, Value: n.String(), Unit: "%", Offset: i, Length: end - i, num: n.float(), grain: pow10(int(n.exp)), raw: n})
	return end
}

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
	case hasAnyPrefix(s[i:], "下午", "晚上"):
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

// organisation reads an organisation that ends with the class word at i: the
// name reaches back to the last character that cannot be a part of it.
func (sc *scanner) organisation(i int) int {
	s := sc.s
	class := ""
	for _, c := range orgClasses {
		if strings.HasPrefix(s[i:], c) {
			class = c
			break
		}
	}
	if class == "" {
		return i
	}
	start, runes := i, 0
	for start > 0 && runes < 12 {
		r, w := utf8.DecodeLastRuneInString(s[:start])
		if !unicode.Is(unicode.Han, r) || strings.ContainsRune(orgStops, r) {
			break
		}
		start -= w
		runes++
	}
	end := i + len(class)
	if runes < 2 || hasAnyPrefix(s[start:i], "保险", "上市", "母", "子", "分", "这家", "技术有限", "有限", "股份", "综合性", "商业", "中央银行") {
		return i
	}
	if r, _ := utf8.DecodeRuneInString(s[end:]); class == "大学" && strings.ContainsRune("生教毕", r) || class == "银行" && strings.ContainsRune("卡账业", r) {
		return i
	}
	for n := len(sc.atoms); n > sc.base && sc.atoms[n-1].Offset >= start; n = len(sc.atoms) {
		sc.atoms = sc.atoms[:n-1]
	}
	sc.emit(Atom{Kind: KindName, Value: s[start:end], Offset: start, Length: end - start})
	return end
}

var orgClasses = []string{"公司", "集团", "银行", "大学", "医院", "学院", "研究院", "研究所", "法院", "协会"}

const orgStops = "的了在由和与及从对向为是据被将把于到至等有个家名位则该其本某这那各每去找问说称给让叫同或而但也都就又再会能可要想应"

// place reads a country, a province or a well-known city.
func (sc *scanner) place(i int, r rune) int {
	for _, p := range placesByRune[r] {
		if strings.HasPrefix(sc.s[i:], p) {
			end := i + len(p)
			if hasAnyPrefix(sc.s[end:], "元", "语", "文", "人民币", "币", "时间") {
				return end
			}
			sc.emit(Atom{Kind: KindName, Value: p, Offset: i, Length: len(p)})
			return end
		}
	}
	return i
}

var placesByRune = func() map[rune][]string {
	m := map[rune][]string{}
	for p := range strings.FieldsSeq(`中国 美国 英国 法国 德国 日本 韩国 俄罗斯 印度 巴西 加拿大 澳大利亚 意大利 西班牙 葡萄牙 荷兰 比利时 瑞士 瑞典 挪威 芬兰 丹麦 波兰 奥地利 希腊 土耳其
 埃及 南非 肯尼亚 尼日利亚 墨西哥 阿根廷 智利 秘鲁 泰国 越南 新加坡 马来西亚 印度尼西亚 印尼 菲律宾 缅甸 老挝 柬埔寨 蒙古国 朝鲜 伊朗 伊拉克 以色列 沙特 阿联酋 巴基斯坦 孟加拉国 乌克兰 哈萨克斯坦 新西兰 爱尔兰 冰岛 古巴 欧盟 非洲 欧洲 亚洲
 北京 上海 天津 重庆 河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 四川 贵州 云南 陕西 甘肃 青海 台湾 内蒙古 广西 西藏 宁夏 新疆 香港 澳门
 广州 深圳 杭州 南京 武汉 成都 西安 苏州 青岛 大连 厦门 宁波 无锡 长沙 郑州 济南 沈阳 哈尔滨 长春 昆明 合肥 福州 南昌 贵阳 南宁 太原 石家庄 兰州 乌鲁木齐 拉萨 海口 三亚 珠海 佛山 东莞
 纽约 洛杉矶 旧金山 华盛顿 芝加哥 波士顿 伦敦 巴黎 柏林 慕尼黑 罗马 马德里 东京 大阪 首尔 莫斯科 悉尼 加州 硅谷`) {
		r, _ := utf8.DecodeRuneInString(p)
		m[r] = append(m[r], p)
	}
	return m
}()

// hanIDWord reports whether a text ends with a Chinese word after which a
// number is an identifier.
func hanIDWord(before string) bool {
	before = strings.TrimRight(before, " :：#")
	for _, w := range [...]string{"订单", "订单号", "编号", "工单", "单号", "航班", "房间", "版本", "版本号", "案号", "卡号"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}
