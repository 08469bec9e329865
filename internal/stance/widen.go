package stance

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
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
	if !ok || len(last) < 4 || !bareName(given) || !bareName(last) || atom.IsCommon(strings.ToLower(given)) || atom.IsCommon(strings.ToLower(last)) || atom.ClassWords[given] || atom.ClassWords[last] {
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
