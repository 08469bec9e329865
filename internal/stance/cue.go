package stance

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Cues are words by which a clause rejects, doubts, attributes, concludes or
// abstains. An English cue is matched as whole words, a Chinese one anywhere.
var (
	// rejectBefore reject the value that follows in their clause: denials, what
	// stands against something, what was thought at first.
	rejectBefore = phrases("not", "rather than", "instead of", "isn't", "wasn't", "aren't", "don't", "doesn't", "didn't", "can't be", "cannot be", "couldn't be", "never", "neither", "nor",
		"unlike", "contrary to", "despite", "won't", "will not", "shouldn't", "should not", "must not", "no one should", "nobody should", "refuse", "decline to accept", "decline to use", "beware of", "superseded", "discarded", "wrongly", "incorrectly", "erroneously", "mistakenly", "so-called",
		"discard", "reject", "rejected", "ignore", "ignored", "ignoring", "disregard", "no evidence for", "no support for", "corrects", "corrected from", "up from", "down from", "replaces", "replaced", "succeeds", "succeeded", "over from", "bought it from", "acquired it from", "inherited it from",
		"was about to", "was going to", "i would have", "i'd have", "we would have", "tempted to", "almost said", "nearly said", "at first i", "at first it", "initially thought", "initially read", "initially found", "first thought", "first found", "i thought", "i had thought",
		"切勿", "请勿", "不要", "别信", "拒绝", "不是", "而非", "并非", "不应", "而不是", "不认为", "不觉得", "不相信", "错误地", "误将", "误把", "错将", "错把", "误认为", "误以为", "误报", "误写", "忽略", "不采用", "排除", "取代", "接替", "接任", "没有证据",
		"以为", "本想", "起初", "一开始", "差点", "险些")
	// rejectAny reject the value of their clause wherever they stand in it.
	rejectAny = phrases("wrong", "incorrect", "erroneous", "mistaken", "false", "outdated", "stale", "obsolete", "spoofed", "fabricated", "misleading", "untrue",
		"is an error", "was an error", "contradicted by", "not supported", "unsupported", "cannot be trusted", "can't be trusted", "cannot be relied on", "can't be relied on", "not to be relied on", "does not hold", "doesn't hold", "作废", "inaccurate", "invalid", "tampered", "typo", "misprint", "misquoted", "in error",
		"out of date", "debunked", "refuted", "disproved", "disproven", "to be true", "to be right",
		"denies", "denied", "deny", "denying", "unfounded", "baseless", "groundless", "isn't right", "isn't correct", "isn't true", "cannot be right", "can't be right", "cannot be correct", "can't be correct",
		"听起来太", "看起来太", "不太可信", "错误", "有误", "错的", "错了", "不对", "不正确", "不准确", "过时", "已失效", "不可信", "伪造", "误导", "不实", "不属实", "笔误", "已被更正", "相反", "否认", "没有根据", "没有依据", "毫无根据", "站不住脚")
	// dismissals say that the value before them was not taken.
	dismissals = phrases("wrongly", "mistakenly", "by mistake", "by accident", "accidentally", "in error", "through an error", "taken back", "took it back", "withdrew", "withdrawn", "retracted", "recanted", "did not use", "didn't use", "did not take", "didn't take", "did not adopt", "have not used", "disregarded", "discarded", "ignored", "rejected",
		"not used", "is not right", "turned out to be", "没有采信", "没采信", "未采信", "不采信", "不予采信", "没有采用", "没采用", "未采用", "不采用", "不予采用", "没有采纳", "未采纳", "不予采纳", "排除")
	// leftOut label what was not taken.
	leftOut = phrases("left out", "unused", "excluded", "ruled out", "set aside", "dropped", "not taken", "not adopted", "discarding", "rejecting", "弃用", "舍弃", "未采用", "排除")
	// formerAny say that the value of their clause no longer holds.
	formerAny = slices.Concat(each(" used to ", phrases("it", "they", "he", "she", "there", "this", "that", "which", "who"), phrases("stay", "open", "close", "run", "hold", "lead", "list", "offer", "charge", "pay", "allow", "stand", "sell", "live", "go", "last", "take", "show", "require")), phrases("used to be", "used to have", "used to cost", "used to say", "formerly", "previously", "was originally", "originally planned", "originally scheduled", "had been planned", "had been scheduled", "initially planned", "initially scheduled", "no longer", "back then", "had been", "predecessor",
		"旧价", "旧数据", "旧数字", "旧值", "是旧的", "前身", "曾为", "曾是", "曾经", "以前是", "以前为", "以前的", "过去是", "过去为", "此前是", "此前为", "此前的", "原计划", "原定", "原拟", "原为", "原先", "原本", "不再"))
	// undone hold a word of rejection and do not reject.
	undone = phrases("what i said", "i said", "i wrote", "i stated", "i told you", "i mentioned", "gives me", "gives us", "that gives", "this gives", "which gives", "without any doubt", "without a doubt", "no room for doubt", "beyond any doubt", "beyond a doubt", "beyond all doubt", "leaves no doubt", "如有疑问", "如有任何疑问", "若有疑问", "有任何疑问", "如需核实", "如要核实", "if you're unsure", "if you are unsure", "if you're not sure", "if you are not sure", "if you have any doubts", "if in doubt", "in case of doubt",
		"would have to", "no reason to doubt", "no reason to question", "not doubt", "not denied", "not deny", "没有否认", "并未否认", "not wrong", "not incorrect", "not outdated", "not false", "isn't wrong", "not in doubt", "not until", "not disputed", "not refuted", "not debunked", "not out of date", "seems to be true", "appears to be true", "seems to be right", "appears to be right", "proved to be true", "proved to be right", "no doubt", "without doubt", "beyond doubt", "not only", "if i'm not wrong", "if i am not wrong", "unless i'm wrong", "unless i am wrong",
		"没有错误", "没有错", "没错", "不错", "毫无疑问", "很可能", "极可能", "最可能")
	hedgeAny = phrases("may be", "could be", "tentatively", "provisionally", "pending", "may have", "may not", "may well", "may also", "might", "maybe", "perhaps", "possibly", "probably not", "cannot confirm", "can't confirm", "could not confirm",
		"couldn't confirm", "unable to confirm", "not sure", "unsure", "uncertain", "doubt", "doubtful", "questionable", "suspicious", "suspect", "if correct", "if true",
		"needs checking", "need to verify", "needs verification", "must be checked", "must verify", "should verify", "verify whether", "verify this", "check whether",
		"double-check", "seems off", "implausible", "allegedly", "purportedly",
		"可能", "也许", "或许", "无法证实", "无法确认", "不能确认", "不确定", "存疑", "可疑", "有疑问", "需要核实", "有待核实", "需核实", "尚待", "据称", "疑似")
	// conditions with a word of soundness after them make what follows in their
	// sentence depend on whether something is right.
	conditions = phrases("if", "were the", "were this", "were that", "should the", "assuming", "provided", "supposing", "unless", "如果", "假如", "假设", "要是", "若", "倘若", "除非")
	soundness  = phrases("right", "correct", "true", "accurate", "reliable", "trustworthy", "genuine", "up to date", "to be believed", "wrong", "没错", "没写错", "没有错", "没说错", "属实", "正确", "准确", "可靠", "可信", "无误", "是真", "为真")
	// hedgeBefore leave open whether the value that follows holds.
	hedgeBefore = phrases("whether", "是否")
	attribution = slices.Concat(goingBy, each(" ", phrases("seems to", "seem to", "appears to", "appear to"), phrases("list", "give", "state", "say", "show", "put", "suggest", "indicate", "have", "use", "quote", "name", "mention")), phrases("says", "said", "say", "states", "stated", "puts it at", "put it at", "puts the", "put the", "has it as", "has it at", "printed", "advertises", "advertised", "cites", "cited", "quoted", "claims", "claimed", "claim", "reports", "reported", "lists", "listed", "gives", "gave", "give", "shows", "showed", "returned", "specifies", "prints", "mentions", "insists on", "named", "names", "credits", "credited", "pointed to", "points to",
		"writes", "quotes", "indicates", "indicate", "suggests", "suggest", "mention", "list", "show", "according to",
		"声称", "称", "据", "显示", "写着", "写的", "写", "说", "报道", "记载", "标注", "给出"))
	accordingTo = slices.Concat(goingBy, phrases("according to", "per", "as per", "based on", "根据", "据", "按照"))
	// telling open a clause that says whose the value before it is.
	telling = phrases("said", "says", "say", "reports", "reported", "claims", "claimed", "writes", "wrote", "so says", "so said")
	// vague name a source that could be any.
	vague = phrases("one page", "one source", "one site", "one has", "the one has", "the other has", "the other one", "and the other", "one says", "one gives", "one claims", "another", "some pages", "some sources", "some sites", "some say", "some claim", "some give", "others",
		"other sources", "other pages", "other page", "several pages", "several sources", "many pages", "many sources", "a page", "a source", "a site", "a blog",
		"a website", "an older page", "an older source", "an older figure", "the first says", "the second says", "the former", "the latter", "it is said", "compared with", "compared to", "versus", "vs",
		"come across", "you may see", "you might see", "you may find", "会看到", "流传", "有来源", "一个来源", "另一", "有网页", "某些", "某个", "某网", "有的", "有些", "一些", "有人", "其他", "别的", "网传", "前者", "后者", "相比")
	// sourceLabels name a source where they stand before a colon.
	sourceLabels = phrases("page", "site", "website", "source", "blog", "网页", "来源", "官网", "网站")
	// parties state values too, and label them where nothing else stands there.
	parties = phrases("operator", "manufacturer", "maker", "vendor", "supplier", "publisher", "regulator", "authority", "retailer", "shop", "store")
	// concluding mark the value of their clause as what the answer comes to, even
	// where it names a source; current do where it names none.
	concluding = phrases("therefore", "thus", "hence", "final answer", "answer is", "answer comes to", "my answer", "i answer", "i'd use", "i would use", "i'd take", "i would take", "我取", "我选", "我采用", "我倾向", "i still answer", "in conclusion", "conclusion", "conclude", "go with", "i trust", "settled on", "make that",
		"correction", "wait", "因此", "所以", "综上", "结论", "答案", "最终", "为准", "更正")
	// concludingBefore do so before the value only: 320吨应是误报 concludes nothing.
	concludingBefore = phrases("应为", "应是", "其实")
	current          = phrases("now", "today", "currently", "current", "correct", "right", "actual", "actually", "in fact",
		"现在", "目前", "如今", "现行", "正确", "实际")
	// answerLabels mark the answer where they stand before a colon.
	answerLabels = phrases("answer")
	// imperatives open an answer that tells what to take.
	imperatives = phrases("use", "take", "go with", "stick with", "choose", "pick")
	confusing   = phrases("confuse", "confuses", "confused", "confusing", "mistakes", "mistook", "混淆", "误作", "当成", "当作", "误认作")
	instead     = phrases("with", "for", "和", "与")
	conflictAny = phrases("cannot both", "can't both", "can not both", "cannot all", "do not match", "对不上", "打架", "有出入", "不吻合", "不相符", "各执一词", "说法不一",
		"conflict", "conflicts", "conflicting", "contradict", "contradicts", "contradictory", "contradiction", "disagree", "disagrees", "discrepancy", "inconsistent",
		"inconsistency", "differs", "differ", "clash", "clashes", "clashing", "at odds", "different number", "different figure", "different value", "different answer", "do not agree", "don't agree", "does not match", "don't match", "mismatch",
		"矛盾", "冲突", "不一致", "不符", "分歧", "相左", "互相抵触")
	// opposing lead from a word of conflict to what somebody sets against a value.
	opposing = phrases("with", "with its", "with a", "with the", "by saying", "by giving", "and says", "and gives")
	// undenied stand before a word of conflict and deny it.
	undenied = phrases("no", "nothing", "not", "never", "without", "without any", "not any", "no real", "none", "doesn't", "don't", "没有", "并无", "无", "不", "毫无")
	// doubtsAny doubt a value without taking it back.
	doubtsAny = slices.Concat(firmly, unproven, phrases("unreliable", "untrustworthy", "unsourced", "anonymous", "not reliable", "isn't reliable", "aren't reliable", "not a reliable", "isn't a reliable", "not very reliable", "not trustworthy", "isn't trustworthy", "not credible", "can't vouch", "cannot vouch", "don't trust", "do not trust", "don't quite trust", "wouldn't trust", "would not trust",
		"靠不住", "不靠谱", "不太靠谱", "不可靠", "不太可靠", "信不过", "不足为凭", "不敢肯定", "不敢确定", "不敢断言", "来源单一", "只有一个来源", "仅有一个来源", "pinch of salt", "不足为信", "不敢信", "存疑", "doubts", "skeptical", "sceptical", "skepticism", "scepticism", "please verify", "verify it", "take it with a grain of salt", "with caution", "请核实", "建议核实", "怀疑", "仅供参考"))
	// advising tell the reader what to do with an answer.
	advising = phrases("please", "you should", "you may want", "you might want", "recommend", "advise", "建议", "请", "仅供参考")
	// refusals before a value refuse that value, and not to answer.
	refusals = phrases("refuse", "refuses", "refused", "decline", "declined", "won't", "will not", "拒绝")
	// undecidedAny say that the answer cannot or will not choose.
	undecidedAny = slices.Concat(
		each(" ", inabilities, phrases("vouch for", "work out", "figure out", "make out", "make up my mind", "pin down", "name", "resolve", "reconcile", "determine", "answer", "tell", "say", "decide", "judge", "choose", "settle", "commit", "give", "establish which", "conclude", "recommend", "pick")),
		each("", hanInabilities, phrases("确定", "判断", "断定", "回答", "作答", "给出", "得出", "得知", "下结论", "取舍", "选择")),
		each("", phrases("确定", "判断", "回答", "给", "分辨", "说明", "说", "选"), phrases("不了", "不出")),
		shrugs, phrases("cannot be determined", "could not be determined", "can't be determined", "couldn't be determined", "不作判断", "不做判断", "not going to give", "won't answer", "will not answer", "won't commit", "will not commit", "will not give", "won't give", "decline to", "refuse to", "no way to tell", "no idea",
			"won't guess", "will not guess", "rather not", "doesn't let me", "does not let me", "don't let me", "do not let me", "no basis for", "no grounds for", "nothing reliable", "no answer", "i don't know", "i do not know", "do not know which", "don't know which", "undetermined",
			"不给出", "不予", "拒绝", "不下结论", "不知道", "说不准", "拿不准"))
	// shrugs say by an idiom that the writer does not know.
	shrugs = phrases("as good as mine", "anyone's guess", "anybody's guess", "beats me", "search me", "who knows", "nobody knows", "no one knows", "heaven knows", "god knows", "no clue", "not a clue", "haven't a clue", "clueless", "none the wiser", "stumped", "at a loss", "in the dark", "couldn't tell you", "can't tell you",
		"hard to say", "hard to tell", "impossible to say", "impossible to tell", "out of my depth", "not for me to say", "draw a blank", "drew a blank", "drawn a blank", "come up empty", "came up empty",
		"天晓得", "天知道", "鬼知道", "谁知道", "说不上来", "说不清", "答不上来", "不得而知", "无可奉告", "没有头绪", "毫无头绪", "没头绪", "难说", "不好说", "吃不准", "心里没底", "没数", "一无所知", "不知情")
	// unprovenAny say that evidence is missing; an answer can be given beside them.
	unprovenAny = slices.Concat(
		each(" ", inabilities, phrases("confirm", "verify", "establish", "find", "check", "be confirmed", "be verified")),
		each("", hanInabilities, phrases("确认", "证实", "核实", "查证", "找到")),
		each("", phrases("确认", "证实", "核实", "查证", "查", "找"), phrases("不了", "不到")),
		each(" ", phrases("have not", "haven't", "did not", "didn't"), phrases("looked at", "looked into", "checked", "examined", "tested")),
		each("", phrases("没有", "没", "尚未", "未"), phrases("查看", "查过", "检查", "核对")),
		phrases("not enough to", "isn't enough", "not enough information", "not enough data", "insufficient information", "insufficient data", "信息不足", "资料不足", "不足以",
			"not enough evidence", "insufficient evidence", "no reliable evidence", "no evidence", "is unknown", "remains unknown",
			"没有足够", "证据不足", "缺乏证据", "没有找到", "未能找到", "尚不清楚"))
	discloseAny = append(append(phrases("only found", "only seen", "single source", "only source", "undated", "vary a lot", "vary widely", "varies widely", "range widely", "which of the two", "which of them", "which of these", "谁对谁错", "孰是孰非", "哪个对", "两种说法", "说法不同", "however", "although", "though", "best guess", "note that", "caveat", "be aware", "other sources", "another source", "some sources", "older figure", "older page", "older source", "earlier figure",
		"但", "然而", "不过", "虽然", "尽管", "请注意", "另有来源", "其他来源"), rejectAny...), doubtsAny...)

	// turns are the words at which a sentence turns to another statement.
	turns = phrases("but", "however", "while", "whereas", "although", "though", "yet", "instead of", "rather than", "despite", "contrary to", "not", "and not",
		"但", "而非", "而不是", "不是", "并非", "不过", "然而", "虽然", "尽管", "而")
	// concessions open a clause of less weight than its neighbour, oppositions one only
	// where they open the sentence; objections open one of more.
	concessions = phrases("although", "though", "虽然", "尽管")
	oppositions = phrases("while", "whereas")
	objections  = phrases("but", "however", "yet", "但", "不过", "然而")
	// contending label a value that stands against the one that is given.
	contending = slices.Concat(conflictAny, phrases("alternative", "competing", "other value", "other figure", "other date", "also found", "其他说法", "另一说", "另有说法"))
	// denials before "until" say that what follows is when it began.
	denials = phrases("not", "didn't", "doesn't", "wasn't", "isn't", "weren't", "won't", "never", "没有", "未", "不")
	// changes are verbs that lead from a value that held to one that holds.
	changes = phrases("changed to", "raised to", "increased to", "lowered to", "reduced to", "cut to", "updated to", "revised to", "corrected to", "replaced by", "replaced with", "succeeded by", "superseded by", "should read", "ought to read",
		"改为", "调整为", "更正为", "变为", "修订为", "升至", "降至", "增至", "减至", "提高到", "降低到")
	changing = phrases("changes", "change", "changed", "raised", "increased", "lowered", "reduced", "cut", "updated", "revised", "corrected", "corrects", "moved", "went", "rose", "grew", "fell", "dropped", "改", "调整", "更正", "修订", "上调", "下调", "提高", "降低")
	origins  = phrases("from", "由", "从", "自") // of a change, and what it leads to
	goals    = phrases("to", "至", "到", "为")
	// joints between two values make them alternatives.
	joints = phrases("or", "and", "to", "vs", "vs.", "versus", "against", "-", "–", "—", "~", "/", "&", "或", "或者", "还是", "和", "与", "及", "至", "到", "、", "对")
	ands   = phrases("and", "并且", "而且")
	verbs  = phrases("is", "are", "was", "were", "be", "been", "take", "use", "是", "为")
	was    = phrases("was", "were", "为", "是")
	until  = phrases("until", "till", "before", "prior to", "up to", "之前")
	// backward open a clause that speaks of the value before it.
	backward = phrases("that turned out", "this turned out", "it turned out", "that proved", "it proved", "which turned out", "which proved", "which is", "which was", "that is", "that was", "that's", "this is", "this was", "it is", "it was", "it's", "she is", "she's", "he is", "he's", "they are", "they're", "is", "was", "are", "were", "both are", "这是", "那是", "这", "那", "该", "此", "是", "已", "它", "其")
	// backwardAny point at what was said before.
	backwardAny = phrases("this", "that", "it", "这", "该", "此")
	// insertions stand between "not" and what it denies: "and not, as is often read, 69 mg".
	insertions = phrases("as", "like")
	noes       = phrases("no", "nope", "not", "it is not", "it isn't", "不", "否", "并非")
	nots       = phrases("not", "不是", "并非")
	so         = phrases("so")
	yeses      = phrases("yes", "indeed", "correct", "right", "是", "对", "没错")
)

// goingBy make what follows depend on whom one trusts.
var goingBy = phrases("if you go by", "going by", "if you trust", "if you believe", "if one trusts", "if we trust", "如果按", "若按", "如果相信")

// inabilities and their Chinese fellows, with a verb behind them, say what the
// answer could not do.
var (
	inabilities    = phrases("cannot", "can't", "can not", "could not", "couldn't", "unable to", "not able to", "wasn't able to", "not possible to", "impossible to", "failed to", "no way to")
	hanInabilities = phrases("无法", "没法", "不能", "难以", "无从", "没办法", "没有办法", "无力", "未能")
)

func phrases(list ...string) []string { return list }

// each is every phrase of the first list followed by every one of the second.
func each(between string, first, second []string) []string {
	out := make([]string, 0, len(first)*len(second))
	for _, a := range first {
		for _, b := range second {
			out = append(out, a+between+b)
		}
	}
	return out
}

// conditional reports whether a text says "if" and then that something is right.
func conditional(text string) bool {
	for _, c := range conditions {
		if i := lang.IndexWord(text, c); i >= 0 && lang.HasAny(text[i+len(c):], soundness) {
			return true
		}
	}
	return false
}

// sourceNouns and hanSources are words for what states things.
var (
	sourceNouns = phrases("page", "source", "site", "website", "blog", "manual", "document", "listing", "article", "blog post", "forum post", "FAQ", "report", "entry", "database", "forum", "snapshot", "portal", "leaflet", "brochure",
		"newspaper", "magazine", "newsletter", "catalogue", "catalog", "news item", "press release", "preprint", "gazette", "wiki", "encyclopedia", "encyclopaedia", "tweet", "podcast", "guidebook", "directory", "registry", "data sheet", "datasheet", "fact sheet", "factsheet",
		"guide", "timetable", "schedule", "label", "packaging", "notes", "release notes", "documentation", "docs", "README", "changelog", "advisory", "tutorial", "spec sheet", "specification", "summary", "filing", "prospectus", "statute", "profile", "flyer", "booklet", "bulletin", "spreadsheet", "yearbook", "almanac")
	hanSources = phrases("博客", "网页", "官网", "网站", "论坛", "新闻", "报道", "媒体", "网店", "商家", "厂家", "厂商", "说明书", "手册", "公告", "帖子", "百科", "公众号", "年鉴", "简报", "数据库", "运营方", "网上", "报纸", "杂志", "书评", "影评", "评测", "攻略", "词条", "文章", "通稿")
)

// sourcePatterns match words for a source that could be any, such as "an archived
// manual" (an official one could not); many of them that do something, such as
// "resellers still ask"; and a Chinese source with what it does.
var sourcePatterns = sync.OnceValue(func() (p struct{ some, many, states *regexp.Regexp }) {
	p.some = regexp.MustCompile(`(?i)\b(?:an?|one|some|several|many|other|another|certain) (?:[\w-]+ ){0,2}?(?:` + strings.Join(sourceNouns, "|") + `|post|thread|review|register)s?\b`)
	p.many = regexp.MustCompile(`(?i)^[^\pL]*(?:(?:but|and|though|while|note that|even) )?(?:[\w-]+ ){0,3}?(?:` + strings.Join(slices.Concat(sourceNouns, parties, []string{"reseller", "dealer", "seller", "outlet", "platform", "aggregator", "tourist", "user", "commentator", "journalist", "reviewer", "fan"}), "|") + `)s (?:\w+ ){0,2}?[a-z]+\b`)
	p.states = regexp.MustCompile(`(?:` + strings.Join(hanSources, "|") + `)(?:上|里|中|则|却|也|都|还|仍|然|在|依旧|依然|一直)*(?:标|写|说|称|给|记|列|登|载|刊|印|卖|售|挂|报|要价|显示|公布)`)
	return p
})

// sourceLabel reports whether a label names a source: by a word for one, or a party
// and nothing else.
func sourceLabel(label string) bool {
	const few = 4 // words
	if lang.HasAny(label, sourceLabels) {
		return true
	}
	words := strings.Fields(strings.Trim(label, " *_#>-:："))
	return len(words) > 0 && len(words) <= few && len(label) <= BareLimit && (lang.HasAny(label, sourceNouns) || lang.HasAny(label, hanSources) || lang.Closes(strings.Trim(label, " *_:："), parties))
}

// sourceHas reports whether a text ends with a source that has what follows: "the
// encyclopedia entry still has".
func sourceHas(head string) bool {
	words := strings.Fields(strings.TrimRight(head, " *_\"“"))
	n := len(words)
	if n == 0 || !having[strings.ToLower(words[n-1])] {
		return false
	}
	return lang.HasAny(strings.Join(words[max(0, n-4):n-1], " "), sourceNouns)
}

var having = lang.Set("has had have puts put uses used carries carried keeps kept reads read credits credited")

// official are words for a source that speaks for its subject.
var official = phrases("official", "primary", "own", "manufacturer", "manufacturer's", "operator's", "government")

// anySource reports whether a text names a source, and not which.
func anySource(text string) bool {
	p := sourcePatterns()
	for _, re := range []*regexp.Regexp{p.some, p.many} {
		if found := re.FindString(text); found != "" && !lang.HasAny(found, official) {
			return true
		}
	}
	return lang.HasAny(text, vague) || predicates().reporting.MatchString(text)
}
