package stance

import (
	"regexp"
	"strings"
)

// would and their fellows are what forms of several tables are made of.
const (
	would  = "i'd|we'd|i would|we would"
	refuse = "would not|wouldn't|do not|don't|does not|doesn't|did not|didn't|could not|couldn't|cannot|can't|can not"
	unable = "could not|couldn't|cannot|can't|can not|am not|am unable|was not|wasn't|was unable|were not|weren't|were unable|is not|isn't|is unable|are not|aren't|are unable"
)

// checkingForms: somebody is about to look whether it holds.
func checkingForms() *regexp.Regexp {
	return forms(words{
		"must":  "should|must|need to|needs to|want to|ought to|would like to|i'd like to|we'd like to|will|i'll|we'll|let me|let us|let's|have to|had better|going to|better",
		"check": "double-check|cross-check|check|verify|confirm|consult|ask|make sure|validate|look it up|look this up|look that up|look at|look into|look for",
		"would": would,
		"要":     "得|要|先|再|想|应该?|需要?|我来?|让我|去",
		"查":     "查一?下|查查|查一查|查证|核对|核实|确认|求证|问一?下|验证",
	}, `
		{must} [now|first|also|still|quickly|at least] {check}
		{would} (rather|sooner|prefer to) (see|check|ask|look|hear|read|wait)
		(needs?|requires?|wants?|calls for) [a|an|some|further] (confirmation|verification|checking|second source|second opinion|corroboration)
		去 [^，。；\s]{1,10} (核对|核实|查证|确认|求证|查一|看看)
		{要} [再|去|先|来|找] {查}
		{要} [再|去|先|来|找] 查 [^了到过得询看,，。；]{2,8} ([,，。；]|$)
		{要} [再|去|先|来|找] 找 [^,，。；]{1,14} (对照|印证|核对|比对|确认)
	`)
}

// recheckForms: it is the value that was read that is to be looked at again.
func recheckForms() *regexp.Regexp {
	return forms(words{
		"shall": "let me|i will|i'll|i should|i must|i need to|i have to|i want to",
		"it":    "this|that|it|the figure|the value|the number|the claim",
	}, `
		{shall} (double-check|cross-check)
		{shall} (verify|check|confirm) {it}
		(need|want) [a|another] second (source|opinion)
	`)
}

// severalForms: values that are counted as unlike, or that stand against what somebody
// said: "two different lengths", 两种说法, "contrary to what the blog says".
func severalForms() *regexp.Regexp {
	return forms(nil, `
		(contrary to|despite|unlike) (what|the claims?|the statements?|the reports?)
		(two|three|both|several|various) (different|differing|conflicting|competing|contradictory) \w+
		[两三几](?:个|种|处) (不同|说法|数字|答案|版本)
	`)
}

// lackingForms: knowledge or evidence that is denied.
func lackingForms() *regexp.Regexp {
	return forms(words{
		"no":       "do not|don't|does not|doesn't|did not|didn't|can not|can't|could not|couldn't|have not|haven't|has not|hasn't",
		"data":     "data|information|evidence|figures?|numbers?|knowledge|sources?|basis|grounds",
		"reliable": "reliable|trustworthy|dependable|credible|solid|usable|confirmed|sound|authoritative",
	}, `
		{no} (?:\w+\s){0,2}?(?:have|has|had|possess|hold|seen|found|get) (?:\w+\s){0,3}?{data}
		(data|information|evidence|sources?) … (is|are|was|were|seems?) [\w+] (insufficient|inconclusive|inadequate|too thin|too weak|missing)
		(no|without any?) [\w+] {reliable} \w+
		(nothing|no source|no evidence) [\w+] (tells|says|shows|confirms|settles|proves|supports)
		(没有|缺乏|缺少|无) [任何] (可靠|可信|确切|足够|权威|充分|有效|准确) 的? (数据|资料|信息|答案|证据|来源|数字)
		(数据|资料|信息|证据) 并? (不充分|不充足|不够|不足|欠缺)
	`)
}

// withheldForms: an answer that is not given, or given later.
func withheldForms() *regexp.Regexp {
	return forms(words{
		"would":  would,
		"answer": "pick|choose|answer|decide|commit|say|give|name",
	}, `
		(leave|leaving|left) (it|this|that|the question|the matter|the answer) [\w+] (open|unanswered|undecided|unresolved)
		{would} [first] (?:need|have|want|like|prefer)\b[^.;]*\bbefore\b[^.;]*\b(?:answer|giv|say|commit|nam|stat|quot|provid|recommend|decid|settl|pick)\w*
		(have to|must|i'll|we'll|will|going to) pass on (this|that|it)
		(have to|must|i'll|we'll|will|going to) pass(?:[.!]|\s*$)
		(does not|doesn't|do not|don't|did not|didn't) (allow|permit|support|justify|warrant) (?:\w+\s){0,3}(?:answer|conclusion|statement|figure|claim|verdict)
		(i|we) [\w+] (do not|don't|cannot|can't) [\w+] know (which|who|what|whether|if|its?|the answer)
		(i|we) [\w+] (do not|don't|cannot|can't) [\w+] know(?:[,.;!]|\s*$)
		(please|better|best to|i'd suggest|i suggest|i would suggest|i recommend|you should) [\w+] (ask|asking|contact|contacting|consult|consulting|call|calling|phone)
		prefer not to
		not [\w+] (certain|sure|confident) enough
		(will not|can not|cannot|do not|don't|would not|wouldn't) {answer}
		give no (figure|number|answer|value|name)
		(is|are|remains?|stays?|:|;|,) (undecided|unanswered|unresolved)
		建议 [您|你] [直接|最好|先|尽快] (联系|咨询|询问|致电|请教|去问|问)
		(不便|不宜|不好|难以|暂不) (作答|回答|(?:给出|下|作出|做出)[^，。；]{0,6}(?:结论|答案|答复|判断))
		(不作答|不清楚|不做选择|无从选择)
	`)
}

// distrustForms: what the writer would not build on, what a source lacks, and what a value
// cannot be.
func distrustForms() *regexp.Regexp {
	return forms(words{
		"wont":   refuse,
		"would":  would + "|i'll|we'll|one would|one'd",
		"unable": unable,
		"trust":  "trust|rely on|depend on|bet on|bank on|count on|build on|swear to|go by",
		"nouns":  strings.Join(sourceNouns, "|"),
		"no":     "没有|缺乏|缺少|尚未|并未|没|无|未",
	}, `
		{wont} [\w+] ({trust}|put (?:much|any|a lot of|too much|great) \w+ (?:in|on|by)|take (?:it|this|that|\w+ \w+) at face value)
		not (something|an? \w+|an? \w+ \w+) {would} {trust}
		(i'm|i am|we're|we are|am|remain|not yet|not quite|not fully|not entirely) [not|less than|far from] [\w+] (convinced|unconvinced)
		(i'd|i would|i'm|i am|we'd|let's|let me) [be] [\w+] (careful|wary|cautious|reluctant|hesitant)
		(gives?|gave|cites?|names?|has|with|without|lacks?|provides?|offers?|shows?|states?|carries|carried) (no|without|not an?y?|any|a) [\w+] (sources?|date|references?|citations?|evidence|author|proof|documents?)
		gets? (?:\w+\s){0,4}wrong
		(often|sometimes|frequently|usually|regularly|notoriously) (wrong|inaccurate|unreliable|mistaken|out of date|outdated)
		anyone (can|could|may) (edit|write|post|change)
		(i|we|could|can|was|were|have|has) (only|just) [be|been] (find|found|see|seen|saw)
		only (one|a single) [\w+] (source|page|site|blog|article|place)
		(cannot|can't|could not|couldn't) [possibly] know
		before (i|we) (use|accept|take|quote|rely|trust|adopt|repeat|settle|believe)
		(neither|none|nothing) … (could|can|was|were) [be] (confirmed|verified|checked|established|found|trusted)
		(has|have|had) (an?|every|its|their) [own|vested|strong|obvious] (interest|reason|incentive|motive|stake) (in|to)
		{unable} [to] (?:\w+\s){1,8}?(?:confirm|verify|corroborate|substantiate)
		(double|cross)-checking (this|that|it|the)
		i'd (recommend|suggest|advise) (checking|verifying|confirming) (this|that|it)
		(nothing|no one|nobody) [else] [to|that|which] (backs?|backed|supports?|supported|corroborates?|corroborated|confirms?|confirmed)
		leads? nowhere
		vested interest
		biased
		(isn't|is not|aren't|are not|wasn't|hardly) [exactly|really|very] (ideal|great|enough|the best|an? (?:good|great|strong|solid|primary|proper|first-hand|independent|neutral|impartial|authoritative|official|trustworthy) \w+)
		when (that|this|the) [\w+] {nouns} (was|got|came|appeared)
		still (current|valid|true|up to date)\?
		(may|could|might) (just|only|simply|easily|equally) (be|have)
		(contradicts|conflicts with|does not match|doesn't match) what (i|we) (know|remember|recall|expect)
		(未必|不一定|不见得|恐怕|值得商榷|持有?保留|不[太敢很]?放心|当不得真|不足为据|不可能)
		不能 (全信|尽信|当真|作为|作准|轻信|采信)
		超出 了? (常规|正常|合理)
		可[靠信][性度] (一般|有限|不足|较?差|较?低|不高)
		只[在有]? [^，。；]{0,8} 一[个篇处家] [^，。；]{0,8} (看到|见到|找到|查到|提到)
		有[点些]? (问题|蹊跷|可疑|奇怪)
		{no} (?:有|得到|注明|标明|给出|写明|说明|提供|附上?|经|任何|明确|具体|的|可靠)* (出处|来源|日期|依据|文件|证据|官方(?:渠道|来源)?的?(?:确认|证实)|证实|佐证|支撑)
	`)
}
