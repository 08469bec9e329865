package evidence

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
// a percentage. A "95 % confidence interval" is a statistic and no confidence,
// and words such as "fairly sure" have no number.
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
