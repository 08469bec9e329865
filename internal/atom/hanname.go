package atom

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

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
	if runes < 2 || lang.HasAnyPrefix(s[start:i], "保险", "上市", "母", "子", "分", "这家", "技术有限", "有限", "股份", "综合性", "商业", "中央银行") {
		return i
	}
	if r, _ := utf8.DecodeRuneInString(s[end:]); class == "大学" && strings.ContainsRune("生教毕", r) || class == "银行" && strings.ContainsRune("卡账业", r) {
		return i
	}
	for n := len(sc.atoms); n > sc.base && sc.atoms[n-1].Offset >= start; n = len(sc.atoms) {
		sc.atoms = sc.atoms[:n-1]
	}
	sc.emit(Atom{Kind: Name, Value: s[start:end], Offset: start, Length: end - start})
	return end
}

var orgClasses = []string{"公司", "集团", "银行", "大学", "医院", "学院", "研究院", "研究所", "法院", "协会"}

const orgStops = "的了在由和与及从对向为是据被将把于到至等有个家名位则该其本某这那各每去找问说称给让叫同或而但也都就又再会能可要想应"

// place reads a country, a province or a well-known city.
func (sc *scanner) place(i int, r rune) int {
	for _, p := range placesByRune()[r] {
		if strings.HasPrefix(sc.s[i:], p) {
			end := i + len(p)
			if lang.HasAnyPrefix(sc.s[end:], "元", "语", "文", "人民币", "币", "时间") {
				return end
			}
			sc.emit(Atom{Kind: Name, Value: p, Offset: i, Length: len(p)})
			return end
		}
	}
	return i
}

var placesByRune = sync.OnceValue(func() map[rune][]string {
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
})
