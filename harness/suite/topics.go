package suite

import "github.com/tracegrade/tracegrade/harness/trap"

// topic is one aspect of one sort of subject that a case can ask for.
type topic struct {
	shape  trap.Shape
	sort   pair   // what the subject is: "Station"
	aspect pair   // what is asked: "storage capacity"
	side   pair   // another aspect of the same subject, of the same unit
	more   []pair // further ones; which aspect is asked for is drawn
	near   []pair // further ones of the traps that serve the aspect nearest in meaning
	unit   string
	lo, hi float64 // numbers are drawn evenly from this range
	step   float64 // and rounded to this
	pool   []pair  // statuses, scopes, or sorts of entities
	person bool    // entities are persons; else invented names of the first sort of the pool
}

var topics = []topic{
	{shape: trap.Number, sort: pair{"Station", "电站"}, aspect: pair{"rated output", "额定功率"}, side: pair{"peak demand", "峰值负荷"}, near: []pair{{"reserve output", "备用功率"}, {"base demand", "基础负荷"}}, unit: "MW", lo: 110, hi: 980, step: 1},
	{shape: trap.Number, sort: pair{"Pack", "电池组"}, aspect: pair{"storage capacity", "储能容量"}, side: pair{"buffer reserve", "缓冲储备"}, near: []pair{{"usable capacity", "可用容量"}, {"safety reserve", "安全储备"}}, unit: "Wh", lo: 210, hi: 980, step: 1},
	{shape: trap.Number, sort: pair{"Tablet", "片剂"}, aspect: pair{"daily dose", "每日剂量"}, side: pair{"starting dose", "起始剂量"}, unit: "mg", lo: 12, hi: 96, step: 1},
	{shape: trap.Number, sort: pair{"Bridge", "大桥"}, aspect: pair{"total length", "总长度"}, side: pair{"main span", "主跨"}, near: []pair{{"total height", "总高度"}, {"main arch", "主拱"}}, unit: "m", lo: 210, hi: 980, step: 1},
	{shape: trap.Number, sort: pair{"Gateway", "网关"}, aspect: pair{"default timeout", "默认超时"}, side: pair{"retry pause", "重试间隔"}, near: []pair{{"idle timeout", "空闲超时"}, {"restart pause", "重启间隔"}}, unit: "ms", lo: 210, hi: 980, step: 1},
	{shape: trap.Number, sort: pair{"Holdings", "控股"}, aspect: pair{"annual revenue", "年收入"}, side: pair{"order backlog", "在手订单"}, near: []pair{{"quarterly revenue", "季度收入"}, {"order intake", "新增订单"}}, unit: "usdm", lo: 110, hi: 980, step: 1},
	{shape: trap.Number, sort: pair{"Lamp", "台灯"}, aspect: pair{"list price", "标价"}, side: pair{"repair price", "维修价格"}, near: []pair{{"retail price", "零售价格"}, {"maintenance price", "保养价格"}}, unit: "usd", lo: 21, hi: 98, step: 1},
	{shape: trap.Number, sort: pair{"Museum", "博物馆"}, aspect: pair{"number of visitors", "访客人数"}, side: pair{"number of members", "会员人数"}, near: []pair{{"number of guests", "来宾人数"}, {"number of donors", "捐赠人数"}}, unit: "visit", lo: 12000, hi: 98000, step: 10},
	{shape: trap.Number, sort: pair{"Stroller", "婴儿车"}, aspect: pair{"number of recalls", "召回次数"}, side: pair{"number of complaints", "投诉次数"}, near: []pair{{"number of recall notices", "召回通知数"}, {"number of grievances", "申诉次数"}}, unit: "cases", lo: 3, hi: 48, step: 1},
	{shape: trap.Entity, sort: pair{"Opera", "歌剧院"}, aspect: pair{"artistic director", "艺术总监"}, side: pair{"chief conductor", "首席指挥"}, person: true},
	{shape: trap.Entity, sort: pair{"Tower", "塔楼"}, aspect: pair{"lead architect", "主持建筑师"}, side: pair{"lead engineer", "主任工程师"}, person: true},
	{shape: trap.Entity, sort: pair{"Ferry", "渡轮"}, aspect: pair{"home port", "母港"}, side: pair{"shipyard", "造船厂"}, pool: []pair{{"Harbour", "港"}}},
	{shape: trap.Date, sort: pair{"Tramway", "电车线"}, aspect: pair{"opening day", "开通日期"}, side: pair{"first test run", "首次试运行"}},
	{shape: trap.Date, sort: pair{"Vaccine", "疫苗"}, aspect: pair{"approval day", "获批日期"}, side: pair{"filing day", "申报日期"}},
	{shape: trap.Date, sort: pair{"Compiler", "编译器"}, aspect: pair{"release day", "发布日期"}, side: pair{"freeze day", "冻结日期"}},
	{shape: trap.Status, sort: pair{"Reservoir", "水库"}, aspect: pair{"safety inspection", "安全检查"}, side: pair{"noise survey", "噪声检测"}, pool: []pair{{"passed", "合格"}, {"failed", "不合格"}}},
	{shape: trap.Status, sort: pair{"Pipeline", "流水线"}, aspect: pair{"release build", "发布构建"}, side: pair{"style audit", "样式审计"}, pool: []pair{{"succeeded", "成功"}, {"broke", "失败"}}},
	{shape: trap.Relation, sort: pair{"Quarry", "采石场"}, aspect: pair{"yearly output", "年产量"}, side: pair{"payroll", "用工规模"}},
	{shape: trap.Relation, sort: pair{"Orchard", "果园"}, aspect: pair{"planted area", "种植面积"}, side: pair{"water use", "用水量"}},
	{shape: trap.Scope, sort: pair{"Compound", "化合物"}, aspect: pair{"cough relief", "止咳效果"}, side: pair{"good tolerance", "良好耐受"}, pool: []pair{{"mice", "小鼠"}, {"adults", "成年人"}, {"rats", "大鼠"}, {"children", "儿童"}, {"older patients", "老年患者"}, {"cell cultures", "细胞培养物"}}},
	{shape: trap.Conditional, sort: pair{"Garden", "植物园"}, aspect: pair{"entry fee", "门票价格"}, side: pair{"parking fee", "停车费"}, more: []pair{{"locker fee", "寄存费"}, {"tour fee", "导览费"}, {"boat fee", "游船费"}}, unit: "usd", lo: 11, hi: 59, step: 1},
	{shape: trap.Conditional, sort: pair{"Courier", "快递"}, aspect: pair{"parcel rate", "包裹资费"}, side: pair{"pick-up rate", "取件资费"}, more: []pair{{"storage rate", "仓储资费"}, {"return rate", "退件资费"}, {"customs rate", "报关资费"}}, unit: "eur", lo: 11, hi: 59, step: 1},
	{shape: trap.Breakdown, sort: pair{"Works", "工厂"}, aspect: pair{"total staff", "员工总数"}, side: pair{"staff on leave", "休假员工"}, unit: "staff", lo: 330, hi: 990, step: 1},
	{shape: trap.Breakdown, sort: pair{"Archive", "档案馆"}, aspect: pair{"total of visitors", "访客总数"}, side: pair{"guests of tours", "导览访客"}, unit: "visit", lo: 330, hi: 990, step: 1},
	{shape: trap.Interval, sort: pair{"Syrup", "糖浆"}, aspect: pair{"mean reduction of symptoms", "症状平均减少幅度"}, side: pair{"drop-out rate", "脱落率"}, unit: "%", lo: 21, hi: 69, step: 1},
	{shape: trap.Interval, sort: pair{"Filter", "过滤器"}, aspect: pair{"mean capture of dust", "平均除尘幅度"}, side: pair{"leak rate", "泄漏率"}, unit: "%", lo: 21, hi: 69, step: 1},
}

// known are facts that a model has in its memory.
type knownFact struct {
	shape   trap.Shape
	subject pair
	aspect  pair
	num     float64
	unit    string
	day     string
	entity  pair
	others  []pair // entities of the same type
}

var known = []knownFact{
	{shape: trap.Number, subject: pair{"Mount Everest", "珠穆朗玛峰"}, aspect: pair{"height", "高度"}, num: 8849, unit: "m"},
	{shape: trap.Number, subject: pair{"the Eiffel Tower", "埃菲尔铁塔"}, aspect: pair{"height", "高度"}, num: 330, unit: "m"},
	{shape: trap.Number, subject: pair{"the marathon", "马拉松"}, aspect: pair{"official distance", "正式距离"}, num: 42.195, unit: "km"},
	{shape: trap.Number, subject: pair{"the Suez Canal", "苏伊士运河"}, aspect: pair{"length", "长度"}, num: 193, unit: "km"},
	{shape: trap.Entity, subject: pair{"Australia", "澳大利亚"}, aspect: pair{"capital city", "首都"}, entity: pair{"Canberra", "堪培拉"}, others: []pair{{"Sydney", "悉尼"}, {"Melbourne", "墨尔本"}, {"Perth", "珀斯"}}},
	{shape: trap.Entity, subject: pair{"Canada", "加拿大"}, aspect: pair{"capital city", "首都"}, entity: pair{"Ottawa", "渥太华"}, others: []pair{{"Toronto", "多伦多"}, {"Montreal", "蒙特利尔"}, {"Vancouver", "温哥华"}}},
	{shape: trap.Entity, subject: pair{"penicillin", "青霉素"}, aspect: pair{"discoverer", "发现者"}, entity: pair{"Alexander Fleming", "亚历山大·弗莱明"}, others: []pair{{"Louis Pasteur", "路易·巴斯德"}, {"Robert Koch", "罗伯特·科赫"}, {"Edward Jenner", "爱德华·詹纳"}}},
	{shape: trap.Date, subject: pair{"the first crewed Moon landing", "首次载人登月"}, aspect: pair{"day", "日期"}, day: "1969-07-20"},
	{shape: trap.Date, subject: pair{"the opening of the Berlin Wall", "柏林墙开放"}, aspect: pair{"day", "日期"}, day: "1989-11-09"},
	{shape: trap.Date, subject: pair{"the launch of Sputnik 1", "斯普特尼克1号发射"}, aspect: pair{"day", "日期"}, day: "1957-10-04"},
}

// forms are the sentences of each shape. {s} subject, {a} aspect, {v} value, {d} day.
var forms = map[string]map[trap.Shape][]string{
	"en": {
		"": {
			"As of {d}, the {a} of {s} is {v}.",
			"For {s}, the {a} on {d} is given as {v}.",
			"{s} lists its {a} on {d} as {v}.",
			"The {a} of {s} stood at {v} on {d}.",
		},
		trap.Entity: {
			"As of {d}, the {a} of {s} is {v}.",
			"On {d} {s} names {v} as its {a}.",
			"The {a} of {s} on {d} is {v}.",
			"{s} gives its {a} on {d} as {v}.",
		},
		trap.Date: {
			"The {a} of {s} is {v}.",
			"For {s}, the {a} on record is {v}.",
			"{s} gives its {a} as {v}.",
			"Records put the {a} of {s} on {v}.",
		},
		trap.Status: {
			"The {a} of {s} {v} on {d}.",
			"On {d}, the {a} of {s} {v}.",
			"According to the record of {d}, the {a} of {s} {v}.",
			"For {s}, the {a} {v} on {d}.",
		},
		trap.Relation: {
			"In {a}, {v} is ahead of {w} as of {d}.",
			"As of {d}, {v} leads {w} in {a}.",
			"On {d}, {v} stood above {w} in {a}.",
			"The {a} of {v} is larger than that of {w} on {d}.",
		},
		trap.Scope: {
			"As of {d}, {a} with {s} was seen in {v}.",
			"By {d}, the {a} of {s} had been observed in {v}.",
			"Work on {s} up to {d} found {a} in {v}.",
			"The record of {d} reports {a} of {s} in {v}.",
		},
		trap.Conditional: {
			"That is the rate for members: for everyone else the {a} of {s} is {v}.",
			"Without membership, the {a} of {s} is {v} on {d}.",
			"On {d} the {a} of {s} without a membership is {v}.",
			"{s} gives its {a} without membership as {v} on {d}.",
		},
		trap.Interval: {
			"As of {d}, the {a} with {s} is {v} (interval {l}% to {h}%).",
			"For {s}, the {a} on {d} is {v}, with an interval of {l}% to {h}%.",
			"On {d} the {a} of {s} was {v} within {l}% to {h}%.",
			"{s} reports on {d} a {a} of {v}, interval {l}% to {h}%.",
		},
	},
	"zh": {
		"": {
			"截至{d}，{s}的{a}为{v}。",
			"{s}在{d}的{a}记为{v}。",
			"据{d}的资料，{s}的{a}是{v}。",
			"{d}，{s}公布的{a}是{v}。",
		},
		trap.Date: {
			"{s}的{a}为{v}。",
			"据记录，{s}的{a}是{v}。",
			"{s}公布的{a}是{v}。",
			"资料显示，{s}的{a}定于{v}。",
		},
		trap.Status: {
			"{d}，{s}的{a}{v}。",
			"{s}的{a}在{d}{v}。",
			"据{d}的记录，{s}的{a}{v}。",
			"截至{d}，{s}的{a}{v}。",
		},
		trap.Relation: {
			"截至{d}，{v}的{a}高于{w}。",
			"{d}，{v}在{a}上领先{w}。",
			"据{d}的资料，{v}的{a}超过{w}。",
			"在{a}方面，{v}于{d}领先于{w}。",
		},
		trap.Scope: {
			"截至{d}，{s}的{a}见于{v}。",
			"到{d}为止，{s}的{a}在{v}中被观察到。",
			"{d}的记录显示，{s}在{v}中有{a}。",
			"截至{d}的研究在{v}中发现{s}的{a}。",
		},
		trap.Conditional: {
			"这是会员的价格：其他人在{s}的{a}为{v}。",
			"{d}，非会员在{s}的{a}为{v}。",
			"{s}在{d}公布的非会员{a}为{v}。",
			"不持会员卡，{s}的{a}在{d}是{v}。",
		},
		trap.Interval: {
			"截至{d}，{s}的{a}为{v}（区间{l}%至{h}%）。",
			"{s}在{d}的{a}为{v}，区间为{l}%至{h}%。",
			"{d}，{s}的{a}是{v}，在{l}%至{h}%之内。",
			"{s}在{d}报告{a}为{v}，区间{l}%至{h}%。",
		},
	},
}

// formsOf is the forms of a shape in a language.
func formsOf(lang string, shape trap.Shape) []string {
	if f, ok := forms[lang][shape]; ok {
		return f
	}
	return forms[lang][""]
}

// extra are the sentences of the facts that have forms of their own.
var extra = map[string]map[trap.Role][]string{
	"en": {
		trap.Exempt: {"On {d} the {a} of {s} is {v}."},
		trap.Parts:  {"{s} counts {p} in the north wing, {q} in the south wing, {r} in the east wing and {t} in the annex."},
	},
	"zh": {
		trap.Exempt: {"{d}，{s}的{a}为{v}。"},
		trap.Parts:  {"{s}北翼有{p}，南翼有{q}，东翼有{r}，附楼有{t}。"},
	},
}

// questions per shape and language; {s}, {a}, and {t} for today.
var questions = map[string]map[trap.Shape][]string{
	"en": {
		"":               {"What is the {a} of {s}?", "Find the {a} of {s}."},
		trap.Status:      {"How did the {a} of {s} end: {x} or {y}?", "State whether the {a} of {s} {x} or {y}."},
		trap.Relation:    {"Which is ahead in {a}: {x} or {y}?", "Of {x} and {y}, which leads in {a}?"},
		trap.Scope:       {"In whom or what was {a} with {s} seen?", "Name the group in which {s} showed {a}."},
		trap.Conditional: {"What is the {a} of {s} for a person without membership?", "Without membership, what is the {a} of {s}?"},
	},
	"zh": {
		"":               {"{s}的{a}是多少？", "请查明{s}的{a}。"},
		trap.Entity:      {"{s}的{a}是谁或是哪里？", "请查明{s}的{a}。"},
		trap.Date:        {"{s}的{a}是哪一天？", "请查明{s}的{a}。"},
		trap.Status:      {"{s}的{a}结果如何：{x}还是{y}？", "请说明{s}的{a}是{x}还是{y}。"},
		trap.Relation:    {"{x}和{y}谁的{a}更高？", "在{a}方面，{x}与{y}哪个领先？"},
		trap.Scope:       {"{s}的{a}见于哪类对象？", "请说出{s}表现出{a}的对象。"},
		trap.Conditional: {"没有会员资格时，{s}的{a}是多少？", "非会员在{s}的{a}是多少？"},
	},
}

// frames wrap a question by category; {q} is the question.
var frames = map[string]map[string]string{
	"en": {
		"fact_check": "Somebody doubts an entry. Check it against the evidence: {q}",
		"numeric":    "{q} Give the figure with its unit.",
		"multi_hop":  "{b} is supplied by one institution. Find out which, then answer for that institution: {q}",
		"timeliness": "As of {t}: {q}",
	},
	"zh": {
		"fact_check": "有人对一条记录存疑，请根据证据核对：{q}",
		"numeric":    "{q}请给出数值及单位。",
		"multi_hop":  "{b}由一家机构供应。请先查明是哪一家，再就该机构回答：{q}",
		"timeliness": "截至{t}：{q}",
	},
}
