package funnel

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/evidence"
)

// references are the numbers in brackets by which an answer points at sources, and
// the list of sources that it gives for them.
type references struct {
	marks   []int          // the numbers, ascending, each once
	entries map[int]string // what the list says of a number; nil without a list
}

// referenceForms are [1], [1, 2], [1-3], [^1] and 【1】 in a text; a line of a list
// of sources that such a mark begins; one that "1." does; the line above such
// a list; and a result that bears its number itself.
var referenceForms = sync.OnceValue(func() (f struct{ mark, entry, numbered, heading, own *regexp.Regexp }) {
	const one = `\^?\d{1,2}`
	f.mark = regexp.MustCompile(`[\[［【]\s*(` + one + `(?:\s*[,，、;–-]\s*` + one + `)*)\s*[\]］】]`)
	f.entry = regexp.MustCompile(`^[\s>*-]*[\[［【]\s*\^?(\d{1,2})\s*[\]］】]\s*[:：.-]?\s*(\S.*)$`)
	f.numbered = regexp.MustCompile(`^[\s>*-]*(\d{1,2})\s*[.)、．]\s*(\S.*)$`)
	f.heading = regexp.MustCompile(`(?i)^[\s#*_]*(?:sources?|references?|citations?|notes?|参考资料|参考文献|参考|来源|资料来源|出处|注释)[\s*_]*[:：]?[\s*_]*$`)
	f.own = regexp.MustCompile(`(?m)^\s*[\[［【]\d{1,2}[\]］】]\s*\S`)
	return f
})

// referencesOf reads the references of an answer. A list of sources stands at its
// end: lines that each begin with a mark, or with "1." below a heading such as
// "Sources:". Without marks in front of it nothing refers to it.
func referencesOf(answer string) references {
	f := referenceForms()
	lines := strings.Split(answer, "\n")
	entries := map[int]string{}
	end := len(lines)
	numbered := false
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		m := f.entry.FindStringSubmatch(lines[i])
		if m == nil {
			m = f.numbered.FindStringSubmatch(lines[i])
			numbered = numbered || m != nil
		}
		if m == nil {
			if f.heading.MatchString(lines[i]) {
				end, numbered = i, false
			}
			break
		}
		n, _ := strconv.Atoi(m[1])
		entries[n], end = m[2], i
	}
	if numbered || len(entries) == 0 { // steps of an answer, which no heading calls sources
		entries, end = nil, len(lines)
	}
	return references{marks: marksIn(strings.Join(lines[:end], "\n")), entries: entries}
}

// marksIn is the numbers of the marks in a text. A mark before "(" is the words of a link.
func marksIn(text string) []int {
	var seen [100]bool
	for _, at := range referenceForms().mark.FindAllStringSubmatchIndex(text, -1) {
		if strings.HasPrefix(text[at[1]:], "(") {
			continue
		}
		from, last := 0, -1
		for list := text[at[2]:at[3]]; list != ""; {
			n, digits := 0, 0
			for list != "" && list[0] >= '0' && list[0] <= '9' {
				n, digits, list = n*10+int(list[0]-'0'), digits+1, list[1:]
			}
			switch {
			case digits == 0:
				if list[0] == '-' || strings.HasPrefix(list, "–") {
					from = last
				}
				list = list[1:]
			case from > 0:
				for ; from <= n; from++ {
					seen[from] = true
				}
				from, last = 0, n
			default:
				seen[n], last = true, n
			}
		}
	}
	seen[0] = false // an index of a program, and no source
	var marks []int
	for n, is := range seen {
		if is {
			marks = append(marks, n)
		}
	}
	return marks
}

// numbered is the document that a number refers to where the answer lists no
// sources: the one that stands there in the only list that a call returned; -1
// where it is beyond. Told is false where nothing tells which is meant: several
// calls returned lists, none returned documents, or the texts bear numbers of
// their own.
func numbered(l *evidence.Ledger, n int) (of int, told bool) {
	var lists [][]int
	for i := range l.Observations {
		o := &l.Observations[i]
		switch {
		case o.Error:
		case o.URL == "" && o.Title == "" && o.DocID == "":
			if referenceForms().own.MatchString(o.Text) {
				return -1, false
			}
		case len(lists) > 0 && l.Observations[lists[len(lists)-1][0]].StepID == o.StepID:
			lists[len(lists)-1] = append(lists[len(lists)-1], i)
		default:
			lists = append(lists, []int{i})
		}
	}
	if len(lists) > 1 {
		lists = slices.DeleteFunc(lists, func(list []int) bool { return len(list) == 1 })
	}
	switch {
	case len(lists) != 1:
		return -1, false
	case n > len(lists[0]):
		return -1, true
	}
	return lists[0][n-1], true
}
