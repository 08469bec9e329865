package stance

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// widened is the claim with what answers write for its values besides their
// spellings: the other words of two outcomes, a person's name without the first
// one, a code's other writings; and what is less exact, see [Claim.coarsely].
// Observations are not read so: a month that a page mentions is no value of the
// claim. polar reports the outcomes.
func (c *Claim) widened() (wide *Claim, polar bool) {
	words, polar := c.outcomes()
	wide = new(Claim)
	*wide = *c
	wide.coarse = [2]*atom.Atom{onlyAtom(c.True.Text), onlyAtom(c.False.Text)}
	if polar {
		for side := range words {
			words[side] = slices.Concat(words[side], each("", hanDenials, hanOnly(words[1-side])))
		}
	} else {
		words = apart([2][]string{alsoWritten(c.True.Text), alsoWritten(c.False.Text)})
	}
	wide.True.Also = slices.Concat(c.True.Also, words[0])
	wide.False.Also = slices.Concat(c.False.Also, words[1])
	return wide, polar
}

// apart is two lists without what stands in both.
func apart(lists [2][]string) (out [2][]string) {
	for side, list := range lists {
		out[side] = slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(lists[1-side], w) })
	}
	return out
}

// alsoWritten is what else a name or a code is written: Ortiz for Lena Ortiz,
// GPLv3 for GPL-3.0.
func alsoWritten(value string) []string {
	if last := surname(value); last != "" {
		return []string{last}
	}
	if a := onlyAtom(value); a != nil && a.Kind == atom.Quantity {
		return colloquial(a)
	}
	if place := placeOf(value); place > 0 {
		return places[place-1]
	}
	for _, d := range doers {
		if stem, ok := strings.CutSuffix(strings.ToLower(value), d.field); ok && len(stem) > 1 && !strings.Contains(stem, " ") {
			return []string{stem + d.person, stem + d.person + "s"}
		}
	}
	m := versioned().FindStringSubmatch(strings.TrimSpace(value))
	if m == nil {
		return nil
	}
	short := m[2]
	for strings.HasSuffix(short, ".0") {
		short = strings.TrimSuffix(short, ".0")
	}
	return each("", each("", []string{m[1]}, []string{"-", " ", "", "v", " v", "-v", " version "}), slices.Compact([]string{m[2], short}))
}

// colloquial is how people say a quantity whose unit they leave out or name otherwise.
func colloquial(a *atom.Atom) []string {
	switch n := strconv.FormatFloat(a.Num, 'f', -1, 64); a.Unit {
	case "km/h":
		return []string{"时速" + n + "公里", "每小时" + n + "公里", "时速" + n}
	case "kWh":
		return []string{n + "度"}
	}
	return nil
}

// doers are the ends of words for a field, and for who works in it.
var doers = []struct{ field, person string }{{"logy", "logist"}, {"graphy", "grapher"}, {"istry", "ist"}, {"iatry", "iatrist"}, {"nomy", "nomist"}, {"tecture", "tect"}}

// places are what the first three of a contest are called, and how ranks are written.
var places = [][]string{
	{"first place", "first", "1st", "1st place", "won", "winner", "wins", "champion", "victory", "gold", "第一名", "第1名", "第一", "冠军", "夺冠", "金牌", "榜首"},
	{"second place", "second", "2nd", "2nd place", "runner-up", "silver", "第二名", "第2名", "第二", "亚军", "银牌"},
	{"third place", "third", "3rd", "3rd place", "bronze", "第三名", "第3名", "第三", "季军", "铜牌"},
	{"fourth place", "fourth", "4th", "4th place", "第四名", "第4名", "第四"},
	{"fifth place", "fifth", "5th", "5th place", "第五名", "第5名", "第五"},
	{"sixth place", "sixth", "6th", "6th place", "第六名", "第6名", "第六"},
}

// placeOf is the rank in a contest that a value is, from 1; 0 where it is none.
func placeOf(value string) int {
	value = strings.TrimSpace(value)
	for i, names := range places {
		for _, n := range names {
			if strings.EqualFold(n, value) && (strings.Contains(n, "place") || lang.HasAnySuffix(n, "名", "军")) {
				return i + 1
			}
		}
	}
	return 0
}

// versioned is a name and a number: GPL-3.0, Python 3.12.
var versioned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Za-z]{2,})[ -]?(?:v|version )?(\d+(?:\.\d+)*)$`)
})

// hanDenials before an outcome make it the other one.
var hanDenials = phrases("没有", "没", "未", "未能", "并未", "尚未", "不", "没能", "没有能", "未获", "未获得", "不予")

func hanOnly(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w[0] < utf8.RuneSelf })
}

// surname is the last word of a name of two, both capitalised and neither of
// them a common word; empty where it is no such name.
func surname(name string) string {
	given, last, ok := strings.Cut(strings.TrimSpace(name), " ")
	if !ok || len(last) < 4 || !bareName(given) || !bareName(last) || atom.IsCommon(strings.ToLower(given)) || atom.IsCommon(strings.ToLower(last)) || atom.ClassWords.Get(given) || atom.ClassWords.Get(last) {
		return ""
	}
	return last
}

func bareName(w string) bool {
	for i, r := range w {
		if !unicode.IsLetter(r) && r != '-' && r != '\'' || i == 0 && !unicode.IsUpper(r) {
			return false
		}
	}
	return w != ""
}
