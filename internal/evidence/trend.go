package evidence

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// trend is which way a clause says that something went, or that one thing differs
// from another: up, down, or none that it says.
type trend int8

const (
	noTrend trend = 0
	up      trend = 1
	down    trend = -1
)

var (
	upWords = lang.MakePhrases(strings.Fields(`grew grow grows grown growing growth rose rise rises risen rising increase increased increases increasing gain gained gains climbed jumped surged soared
 up more higher dearer thicker wider deeper brighter faster stronger expensive longer older later taller bigger larger heavier warmer hotter above added`)...)
	downWords = lang.MakePhrases(strings.Fields(`fell fall falls fallen falling drop dropped drops decline declined declines decrease decreased decreases down less fewer lower cheaper shorter younger earlier
 smaller lighter colder cooler below reduced reduction cut shrank shrunk discount off save saves saved saving savings narrower`)...)
)

// trendHan are Chinese trends: 同比增长11%, 下降3%.
var trendHan = []struct {
	text string
	way  trend
}{{"增", up}, {"涨", up}, {"升", up}, {"高", up}, {"贵", up}, {"多", up}, {"降", down}, {"跌", down}, {"减", down}, {"低", down}, {"便宜", down}, {"少", down}}

// trendOf is the trend that a value's clause says of the value; none where it says
// both, where the value is what something rose or fell to, and where the value is a
// part of something: 80% of sales.
func trendOf(text string, a *atom.Atom) trend {
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	low, high := clause(text, from, to, a)
	before, after := text[low:a.Offset], text[a.Offset+a.Length:high]
	const longest = 9 // bytes of a suffix
	lead := strings.TrimRight(before, " ~≈")
	if lang.HasAnySuffix(lang.Lower(lead[max(0, len(lead)-longest):]), " to", " at", " from", "到", "至", "为", "more than", "less than", "down to", "up to") || lang.HasPrefixFold(after, " of ") || strings.HasPrefix(after, "的") {
		return noTrend
	}
	rises, falls := upWords.AsWord(before) || upWords.AsWord(after), downWords.AsWord(before) || downWords.AsWord(after)
	if lang.HasHan(text[low:high]) {
		for _, h := range trendHan {
			if strings.Contains(before, h.text) || strings.HasPrefix(after, h.text) {
				rises, falls = rises || h.way == up, falls || h.way == down
			}
		}
	}
	switch {
	case rises == falls:
		return noTrend
	case rises:
		return up
	}
	return down
}

// goes reports whether a change from one amount to another is one of the trend: what
// grew is compared with what it was, the smaller one, and what fell with the larger.
func (t trend) goes(from, to float64) bool {
	return t == noTrend || from <= 0 || to <= 0 || (t == up) == (to > from)
}
