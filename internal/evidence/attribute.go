package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// attributes are groups of words for one attribute of a thing. They are
// ordinary words of figures; words that are in no group stay words.
var attributes = []string{
	"price cost costs priced sell sells selling sold buy buys retail msrp charge charges tariff 售价 价格 卖 报价 定价 多少钱 官方售价",
	"revenue revenues sales turnover 营收 营业收入 收入 销售额",
	"profit profits earnings 净利润 利润 净利",
	"employee employees headcount employ employs staff work works workers workforce headcount 员工 人数 职工 雇员",
	"population inhabitants residents inhabitant live lives 人口 居民 常住人口",
	"battery charge lasts last runtime 续航 电池",
	"weight mass weigh weighs weighing 重 重量 重达 体重",
	"length long longest 长 长度 全长",
	"height high tall tallest highest rises elevation altitude 身高 高 高度 海拔",
	"width wide breadth 宽 宽度",
	"depth deep 深 深度",
	"growth economy gdp grew grow grows increase increased rise rose risen 增长 同比 增幅 上涨 增加 增速",
	"decline fell fall drop dropped decrease decreased 下降 下跌 减少",
	"founded established founding foundation incorporated 成立 创立 创办 建立",
	"open opens opened opening opening-date 开放 开门 开业 开幕",
	"ceo chief executive 首席执行官 总裁",
	"storage capacity 存储 容量 内存",
	"dose dosage take 剂量 用量 服用",
	"departs depart departure departing leaves 出发 起飞",
	"arrives arrive arrival eta 到达 抵达",
	"version release 版本",
	"rate interest 利率 费率",
	"area size covers surface 面积",
	"distance lies from 距离 相距 距",
	"speed fast 速度 时速",
	"age old aged 年龄 岁",
	"temperature temp 气温 温度",
	"died killed death dead deaths 死亡 去世",
	"born birth 出生",
	"capital-city capital 首都",
	"deadline due close closes closing expires expire 截止 到期",
	"fee fees 手续费 费用",
	"passed pass tests 通过",
	"rating rated stars 评分",
	"author written wrote novel by 作者 著",
	"boiling boils boil 沸点",
	"melting melts melt 熔点",
	"score scored scores 得分",
	"composer composed 作曲",
	"referee refereed 裁判",
	"timeout times time-out",
	"patent patents 专利",
	"screen display 屏幕",
	"port listens 端口",
	"visa stay stays 签证",
	"phone telephone reached 电话",
	"won winner win wins champion 冠军 夺冠",
	"ram memory",
	"baggage luggage bag 行李",
	"chairman 董事长",
	"released out launched 发布 推出",
	"built build completed construction 建成 建于 竣工",
	"debt owes 债务 负债",
	"budget 预算",
	"duration runtime runs running takes lasts 历时 时长 全程 需要",
	"rooms 房间 客房",
	"market-share share 份额 占比",
	"stock inventory 库存",
	"buy acquire acquisition acquires 收购",
	"refund refunded return returns 退货 退款",
	"delivery shipped ships shipping delivered 发货 送达 交付",
	"warranty guarantee 保修",
	"created placed registered submitted 创建 下单 注册",
	"discount off 折扣 优惠",
}

var attributeWords, attributeHan = func() (map[string]uint64, []hanAttribute) {
	latin := make(map[string]uint64, 512)
	var han []hanAttribute
	for i, group := range attributes {
		for _, w := range strings.Fields(group) {
			if w[0] < 0x80 {
				latin[lang.Stem(w)] |= 1 << i
			} else {
				han = append(han, hanAttribute{w, 1 << i})
			}
		}
	}
	// Longer words first: 营业收入 before 收入.
	for i := range han {
		for j := i + 1; j < len(han); j++ {
			if len(han[j].word) > len(han[i].word) {
				han[i], han[j] = han[j], han[i]
			}
		}
	}
	return latin, han
}()

type hanAttribute struct {
	word string
	bit  uint64
}

// attributesOf is the attributes that the words of a key or a sentence name.
func attributesOf(text string) (bits uint64) {
	for i := 0; i < len(text); {
		if !lang.IsLetter(text[i]) {
			i++
			continue
		}
		start := i
		for i++; i < len(text) && lang.IsLetter(text[i]) && !(lang.IsUpper(text[i]) && lang.IsLower(text[i-1])); i++ {
		}
		if i-start > 1 && i-start < 16 {
			bits |= attributeWords[lang.Stem(lang.Lower(text[start:i]))]
		}
	}
	return bits
}

// attributesIn is the attributes that a text names, in either language.
func attributesIn(text string) uint64 {
	bits := attributesOf(text)
	if lang.HasHan(text) {
		for _, a := range attributeHan {
			if strings.Contains(text, a.word) {
				bits |= a.bit
			}
		}
	}
	return bits
}
