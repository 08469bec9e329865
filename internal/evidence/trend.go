package evidence

import (
	"strings"
	"sync"

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

var trendWords = sync.OnceValue(func() map[string]trend {
	m := make(map[string]trend, 128)
	for w := range strings.FieldsSeq(`grew grow grows grown growing growth rose rise rises risen rising increase increased increases increasing gain gained gains climbed jumped surged soared
 up more higher dearer thicker wider deeper brighter faster stronger expensive longer older later taller bigger larger heavier warmer hotter above added wider`) {
		m[w] = up
	}
	for w := range strings.FieldsSeq(`fell fall falls fallen falling drop dropped drops decline declined declines decrease decreased decreases down less fewer lower cheaper shorter younger earlier
 smaller lighter colder cooler below reduced reduction cut shrank shrunk discount off save saves saved saving savings narrower`) {
		m[w] = down
	}
	return m
})

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
	before, after := lang.Lower(text[low:a.Offset]), lang.Lower(text[a.Offset+a.Length:high])
	if lang.HasAnySuffix(strings.TrimRight(before, " ~≈"), " to", " at", " from", "到", "至", "为", "more than", "less than", "down to", "up to") || strings.HasPrefix(after, " of ") || strings.HasPrefix(after, "的") {
		return noTrend
	}
	var said [2]bool
	note := func(w trend) {
		switch w {
		case up:
			said[0] = true
		case down:
			said[1] = true
		}
	}
	for _, part := range [2]string{before, after} {
		for w := range strings.FieldsFuncSeq(part, func(r rune) bool { return r < 'a' || r > 'z' }) {
			note(trendWords()[w])
		}
	}
	if lang.HasHan(text[low:high]) {
		for _, h := range trendHan {
			if strings.Contains(before, h.text) || strings.HasPrefix(after, h.text) {
				note(h.way)
			}
		}
	}
	switch said {
	case [2]bool{true, false}:
		return up
	case [2]bool{false, true}:
		return down
	}
	return noTrend
}

// goes reports whether a change from one amount to another is one of the trend: what
// grew is compared with what it was, the smaller one, and what fell with the larger.
func (t trend) goes(from, to float64) bool {
	return t == noTrend || from <= 0 || to <= 0 || (t == up) == (to > from)
}
