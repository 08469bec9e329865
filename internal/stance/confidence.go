package stance

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// writings are the writings of a stated confidence: the number after the word
// ("confidence: 0.8", 置信度为80%), or before it ("80 % sure", 八成 is not read).
// The groups are the number and its unit. notOwn follows a confidence that is a
// statistic of what is reported. They are made for the first text, so that no
// other start of the process pays for them.
var writings = sync.OnceValue(func() (w struct {
	stated []*regexp.Regexp
	notOwn *regexp.Regexp
}) {
	w.stated = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:confidence|certainty)(?:\s+(?:level|score|in\s+(?:this|the|my)(?:\s+\w+)?|that\s+this\s+is\s+(?:right|correct)))?["'*_]*\s*(?:is|of|at|[:=])?\s*["'*_]*\s*(?:about|around|approximately|~)?\s*(\d{1,3}(?:\.\d+)?)\s*(%|percent\b|/\s*100?\b|out of 100?\b)?`),
		regexp.MustCompile(`(?i)(\d{1,3}(?:\.\d+)?)\s*(%|percent)\s+(?:sure|certain|confident|confidence|certainty)\b`),
		regexp.MustCompile(`(?:置信度|信心|把握|确信度|可信度)[^0-9，。；\n]{0,6}(\d{1,3}(?:\.\d+)?)\s*(%|％)?`),
		regexp.MustCompile(`(\d{1,3}(?:\.\d+)?)\s*(%|％)的?(?:置信度|信心|把握)`),
	}
	w.notOwn = regexp.MustCompile(`(?i)^[\s-]*(?:intervals?|limits?|bounds?|bands?|regions?|ci\b|区间)`)
	return w
})

// Confidence is the probability of being right that a text states of itself as a
// number, 0 to 1; the last one where it states several. A bare number above 1 is
// a percentage. A "95 % confidence interval" is a statistic and no confidence;
// words such as "fairly sure" have no number, see [Sureness].
func Confidence(text string) (p float64, ok bool) {
	w, last := writings(), -1
	for _, re := range w.stated {
		for _, m := range re.FindAllStringSubmatchIndex(text, -1) {
			if w.notOwn.MatchString(text[m[1]:]) || m[0] <= last {
				continue
			}
			unit := ""
			if m[4] >= 0 {
				unit = text[m[4]:m[5]]
			}
			if v, fits := probability(text[m[2]:m[3]], unit); fits {
				p, ok, last = v, true, m[0]
			}
		}
	}
	return p, ok
}

// probability is a number with its unit as 0 to 1.
func probability(number, unit string) (float64, bool) {
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, false
	}
	switch {
	case strings.HasSuffix(unit, "10"):
		v /= 10
	case unit != "" || v > 1:
		v /= 100
	}
	return v, v <= 1
}

// Sure is how sure a text says in words that it is of what it says: a class and no
// number, since no one mapping of such words to numbers fits two languages and
// answers to questions of every kind. The classes are in order.
type Sure string

const (
	Unsure        Sure = "unsure"         // not sure, low confidence, 不太确定
	FairlySure    Sure = "fairly_sure"    // fairly sure, probably, 大概
	AlmostCertain Sure = "almost_certain" // very confident, almost certainly, 基本可以肯定
	Certain       Sure = "certain"        // certain, definitely, 毫无疑问
)

// Sures lists the classes from the least to the most sure.
var Sures = []Sure{Unsure, FairlySure, AlmostCertain, Certain}

// degrees are the words before "sure", "certain" and "confident", and their
// Chinese fellows, by the class that they make of it.
var degrees = map[string]Sure{
	"somewhat": FairlySure, "fairly": FairlySure, "reasonably": FairlySure, "pretty": FairlySure, "moderately": FairlySure, "quite": FairlySure, "rather": FairlySure, "relatively": FairlySure, "mostly": FairlySure,
	"almost": AlmostCertain, "nearly": AlmostCertain, "virtually": AlmostCertain, "very": AlmostCertain, "highly": AlmostCertain, "extremely": AlmostCertain,
	"absolutely": Certain, "completely": Certain, "totally": Certain, "entirely": Certain, "fully": Certain, "100%": Certain,
	"比较": FairlySure, "相当": FairlySure, "大致": FairlySure, "较为": FairlySure,
	"基本": AlmostCertain, "基本上": AlmostCertain, "几乎": AlmostCertain, "很": AlmostCertain, "非常": AlmostCertain, "高度": AlmostCertain, "十分": AlmostCertain,
	"完全": Certain, "绝对": Certain, "百分之百": Certain,
	"very low": Unsure, "low": Unsure, "little": Unsure, "medium": FairlySure, "moderate": FairlySure, "high": AlmostCertain, "very high": AlmostCertain,
	"低": Unsure, "较低": Unsure, "不高": Unsure, "不足": Unsure, "不大": Unsure, "中": FairlySure, "中等": FairlySure, "较高": FairlySure, "较大": FairlySure, "高": AlmostCertain, "很高": AlmostCertain, "很大": AlmostCertain,
}

// surenessForms are the writings. In each the first group, where there is one, is a
// denial, the second a degree; bare is the class without either.
var surenessForms = sync.OnceValue(func() []surenessForm {
	const some = `(somewhat|fairly|reasonably|pretty|moderately|quite|rather|relatively|mostly|almost|nearly|virtually|very|highly|extremely|absolutely|completely|totally|entirely|fully|100%)`
	const level = `(very low|low|little|medium|moderate|very high|high)`
	const han = `(比较|相当|大致|较为|基本上|基本|几乎|很|非常|高度|十分|完全|绝对|百分之百)`
	return []surenessForm{
		// I'm (not) (very) sure; of others that are sure, and of "a certain dose", nothing is read
		{regexp.MustCompile(`(?i)\b(?:i'm|i am|we're|we are|i feel|i remain)\s+(not\s+)?(?:` + some + `\s+)?(?:sure|certain|confident)\b`), Certain},
		{regexp.MustCompile(`(?i)(?:^|[.,;:(]\s*)(not\s+)?` + some + `\s+(?:sure|certain|confident)\b`), Certain},
		{regexp.MustCompile(`(?i)(?:^|[.,;:(]\s*)(not)()\s+(?:sure|certain|confident)\b`), Unsure},
		{regexp.MustCompile(`(?i)\b()()(?:unsure|uncertain about (?:this|it))\b`), Unsure},
		{regexp.MustCompile(`(?i)\b()(almost|nearly|virtually)?\s*certainly\b`), Certain},
		{regexp.MustCompile(`(?i)\b()()(?:definitely|undoubtedly|without (?:a )?doubt|no doubt)\b`), Certain},
		{regexp.MustCompile(`(?i)\b()()(?:probably|most likely|very likely|in all likelihood)\b`), FairlySure},
		{regexp.MustCompile(`(?i)()\b` + level + `[\s-]+(?:confidence|certainty)\b`), FairlySure},
		{regexp.MustCompile(`(?i)()\b(?:confidence|certainty)(?:\s+level)?["'*_]*\s*(?:is|[:=])[\s"'*_]*` + level + `\b`), FairlySure},
		{regexp.MustCompile(`(不太|不是很|不大|并不|不)(` + `)敢?(?:确定|肯定|确信|有把握)`), Unsure},
		{regexp.MustCompile(`()` + han + `(?:可以|能够|能)?(?:确定|肯定|确信|有把握|有信心)`), Certain},
		{regexp.MustCompile(`(没有?)` + han + `?(?:的)?(?:十足)?(?:把握|信心)`), Unsure},
		{regexp.MustCompile(`()()(?:我|可以|能够)(?:确定|肯定|确信)`), Certain},
		{regexp.MustCompile(`()()(?:毫无疑问|无疑)`), Certain},
		{regexp.MustCompile(`()()(?:大概|很可能|极可能|多半)`), FairlySure},
		{regexp.MustCompile(`()(?:置信度|信心|把握|确信度|可信度)[为是：:\s]{0,3}(较低|很低|不高|不足|不大|低|中等|中|较高|较大|很高|很大|高)`), FairlySure},
	}
})

type surenessForm struct {
	re   *regexp.Regexp
	bare Sure
}

// Sureness is how sure a text says in words that it is, the last time that it says
// so; empty where it does not. A denial makes it unsure: "not fully certain".
func Sureness(text string) Sure {
	text = strings.ReplaceAll(text, "’", "'")
	var sure Sure
	last := -1
	for _, f := range surenessForms() {
		for _, m := range f.re.FindAllStringSubmatchIndex(text, -1) {
			if m[1] <= last || m[0] == last {
				continue
			}
			last = m[1]
			switch {
			case m[3] > m[2] && m[2] >= 0:
				sure = Unsure
			case m[4] >= 0 && m[5] > m[4]:
				sure = degrees[strings.ToLower(text[m[4]:m[5]])]
			default:
				sure = f.bare
			}
		}
	}
	return sure
}
