package stance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Words by which a clause states a value without saying that it is the claim's:
// of another thing, for another time, as one term of a sum, or on a condition.
var (
	// elsewhere place another thing beside the subject.
	elsewhere = phrases("neighbouring", "neighboring", "next to it", "beside it", "nearby", "adjacent", "belongs to another", "not to be confused with", "same name", "same title", "namesake", "同名", "邻近", "隔壁", "相邻", "旁边", "附近的", "附近另", "上游的", "下游的")
	// wholes say that a value is that of all of something.
	wholes = phrases("company-wide", "companywide", "group-wide", "nationwide", "worldwide", "globally", "statewide", "citywide", "as a whole", "altogether", "combined", "all together", "put together", "taken together", "both together", "for all", "across all", "of all", "all three", "all four", "all five", "all the", "all its", "all of", "the whole", "the entire", "the sum of", "total", "in total", "全公司", "全国", "全市", "全县", "全省", "整个", "合计", "总计", "总共")
	// elsewhen are times before the one that is asked about.
	elsewhen = phrases("last year", "last month", "last week", "the year before", "a year earlier", "years ago", "months ago", "去年", "前年", "上一年", "上个月", "此前（", "此前(")
	// operation after a value make it an operand; measuredBy before it make it what another is measured by.
	operation  = phrases("minus", "plus", "less the", "减", "减去", "加上")
	measuredBy = slices.Concat(spans, phrases("half of", "half", "twice", "double", "a third of", "a quarter of", "less than", "fewer than", "lower than", "higher than", "greater than", "shorter than", "longer than", "smaller than", "larger than", "bigger than", "cheaper than", "older than", "younger than", "earlier than", "later than"))
	// spans lead to what a time is counted from: "three years after the ground was broken in 2016".
	spans = phrases("days before", "days after", "weeks before", "weeks after", "months before", "months after", "years before", "years after")
	// merely after a name gives it another part: "was only the engineer".
	merely = phrases("only", "merely", "was only", "is only", "was merely", "was just", "只是", "仅是")
	// hypotheses open a clause that supposes its value.
	hypotheses = phrases("if", "assuming", "supposing", "suppose", "were it", "candidate", "如果", "假如", "假设", "要是", "若", "倘若")
	// bounds and outcomes are what the subject may reach, or what would follow.
	bounds = phrases("can reach", "could reach", "at most", "up to a maximum", "最多", "最高可")
	// unproven say that the value of their clause was not tested.
	unproven = phrases("unverified", "unconfirmed", "not verified", "to be verified", "to be confirmed", "to be checked", "未经证实", "未证实", "待核实", "待确认", "待查")
)

// aside reports whether a clause mentions its value beside what it claims.
func (w *wording) aside() bool {
	after := w.text[len(w.head):]
	switch {
	case lang.HasAny(w.text, elsewhere), lang.HasAny(w.text, elsewhen), lang.HasAny(w.text, bounds), lang.HasAny(w.text, unproven),
		lang.Opens(after, operation), lang.Opens(after, merely), lang.Opens(w.text, hypotheses), lang.Opens(w.label, hypotheses), lang.HasAny(w.label, contending), lang.HasAny(w.head, spans), wouldDo(w.text):
		return true
	}
	return lang.HasAny(w.head, was) && inYear(w.head)
}

// wouldDo reports whether a clause tells what would happen: not what "would be"
// the value, nor what I would say.
func wouldDo(text string) bool {
	i := lang.IndexWord(text, "would")
	return i >= 0 && !lang.Opens(text[i+len("would"):], be) && !lang.Closes(text[:i], first)
}

var (
	be    = phrases("be", "have been")
	first = phrases("i", "we")
)

// inYear reports whether a text holds "in" and a year.
func inYear(text string) bool {
	i := lang.IndexWord(text, "in")
	if i < 0 {
		return false
	}
	rest := strings.TrimLeft(text[i+len("in"):], " ")
	return len(rest) >= 4 && lang.DigitsEnd(rest, 0) == 4 && (rest[0] == '1' || rest[0] == '2')
}

// comparison words around a value that another one is measured by.
func (w *wording) compares() bool {
	head := strings.TrimSuffix(strings.TrimRight(w.head, " "), " the")
	if i := strings.LastIndexByte(strings.TrimSuffix(head, "'s"), ' '); i > 0 && strings.HasSuffix(head, "'s") { // "9 kg less than the blog's 21 kg"
		head = strings.TrimSuffix(head[:i], " the")
	}
	if lang.Closes(head, measuredBy) && !lang.Closes(head, noLess) {
		return true
	}
	i := strings.LastIndex(w.head, "比")
	return i >= 0 && !strings.HasSuffix(w.head[:i], "百分") && lang.HasAny(w.text[len(w.head):], differing) || lang.Closes(w.head, ratherSay)
}

var (
	noLess    = phrases("no less than", "not less than", "no fewer than", "no later than", "no lower than")
	differing = phrases("少", "多", "高", "低", "长", "短", "大", "小", "早", "晚")
	ratherSay = phrases("与其说是", "与其说")
)

// possessed reports whether the last word with an apostrophe names whose value
// it is: "Northpost's figure is".
func possessed(head string) bool {
	i := strings.LastIndex(head, "'s ")
	if i <= 0 {
		return false
	}
	name := head[strings.LastIndexAny(head[:i], " (*\"\n")+1 : i]
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r) && !lang.HasAny(name, pronouns)
}

var pronouns = phrases("it", "that", "there", "here", "what", "who", "he", "she", "let", "this", "where", "how", "today")

// publishers are the names of the sites of the claim's sources.
func (c *Claim) publishers() []string {
	var out []string
	for _, s := range c.Sources {
		out = append(out, Publisher(s))
	}
	return out
}

// Publisher is how people name a site: its domain without the ending, where that
// is long enough to be a name.
func Publisher(url string) string {
	labels := strings.Split(strings.TrimPrefix(Host(url), "www."), ".")
	if len(labels) < 2 || len(labels[len(labels)-2]) < 4 {
		return ""
	}
	return labels[len(labels)-2]
}

// Host is the host of a URL; empty where it is none.
func Host(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	h, _, _ := strings.Cut(rest, "/")
	return h
}
