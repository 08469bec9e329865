package stance

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// topic is what a clause or its label says that its value is of: "fire inspection"
// in "Fire inspection: passed", 首班 in 首班22:40; empty where it says none, or says
// it of the subject only, or names who states it.
func (c *Claim) topic(label, head string) string {
	t := head
	if strings.Trim(head, " \t\n*_|#>-") == "" {
		t = label
	}
	if i := strings.LastIndexAny(strings.TrimRight(t, " ,|:*"), ",;|\n"); i >= 0 {
		t = t[i+1:]
	}
	for _, s := range c.Subject {
		t = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(t, " of "+s, " "), s+"'s", " "), s, " ")
	}
	t = strings.Trim(t, " \t\n*_|#>-•:：,，、。；\"“”")
	for _, w := range []string{"为", "是", "约", "达", "有"} {
		t = strings.TrimSuffix(t, w)
	}
	words := strings.Fields(strings.ToLower(t))
	for len(words) > 0 && (leading[words[0]] || words[0] == "its" || words[0] == "their") {
		words = words[1:]
	}
	for len(words) > 0 && (copulas[words[len(words)-1]] || words[len(words)-1] == "at" || words[len(words)-1] == "of") {
		words = words[:len(words)-1]
	}
	const most, mostHan = 3, 6
	t = strings.Join(words, " ")
	switch {
	case len(words) == 0, len(words) > most, lang.HasHan(t) && utf8.RuneCountInString(t) > mostHan, lang.HasHan(t) && len(words) > 1,
		lang.HasAny(t, attribution), sourceLabel(t), tellsSource(t), predicates().generic.MatchString(t), lang.HasAny(t, rejectBefore), lang.HasAny(t, notTopics):
		return ""
	}
	for _, w := range words {
		if !lang.HasHan(w) && (lang.IsStop(w) || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-") != "") {
			return ""
		}
	}
	return t
}

// notTopics stand before a value and are no word for what it is of.
var notTopics = phrases("note", "update", "summary", "verified", "confirmed", "correction", "estimate", "result", "conclusion", "roughly", "about", "around", "nearly", "almost", "only", "just", "probably", "perhaps", "maybe", "rejected", "discarded",
	"我", "他", "她", "它", "这", "那", "不", "没", "已", "来源", "结论", "更正", "答", "应", "大约", "左右", "另", "其实", "可能", "也", "还", "却", "则")

// topical tells of each statement whether what it says that its value is of is the
// claim's aspect, or another one.
func (c *Claim) topical(w *wording) (own, other bool) {
	if lang.Mentions(w.label+w.head, c.Aspect) {
		return true, false
	}
	t := c.topic(w.label, w.head)
	own = t != "" && c.touches(t)
	return own, t != "" && !own
}

// otherAspects takes out the statements that give their value as another aspect's,
// where the claim's own aspect has the other value: "Hygiene audit: failed. Fire
// inspection: passed." What some source says of the aspect is no such value.
func (s *statements) otherAspects() {
	var own [2]bool
	for _, x := range s.list {
		own[x.side] = own[x.side] || x.clause.own && x.stance >= attributed && (x.stance >= Asserted || !tellsSource(plain(x.sentence)))
	}
	if own[0] != own[1] {
		s.list = slices.DeleteFunc(s.list, func(x statement) bool { return x.clause.other && own[1-x.side] })
	}
}
