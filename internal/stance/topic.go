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
	if m := predicates().deed.FindStringSubmatch(t); m != nil {
		if verb := m[1] + m[2]; !lang.HasAny(verb, attribution) && !lang.HasAny(verb, notTopics) && !lang.HasAny(verb, changing) {
			return strings.ToLower(verb) // "and was rebuilt on"
		}
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
	const most, mostHan = 4, 6
	labels := strings.HasSuffix(strings.TrimRight(label+head, " *_"), ":") || strings.HasPrefix(strings.TrimSpace(head), "|")
	t = strings.Join(words, " ")
	switch {
	case len(words) == 0, len(words) > most, lang.HasHan(t) && utf8.RuneCountInString(t) > mostHan, lang.HasHan(t) && len(words) > 1,
		lang.HasAny(t, attribution), sourceLabel(t), tellsSource(t), predicates().generic.MatchString(t), lang.HasAny(t, rejectBefore), lang.HasAny(t, notTopics):
		return ""
	}
	for _, w := range words {
		if !lang.HasHan(w) && (!labels && lang.IsStop(w) || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-") != "") {
			return ""
		}
	}
	return t
}

// notTopics stand before a value and are no word for what it is of.
var notTopics = phrases("use", "take", "thereafter", "afterwards", "since", "then", "later", "subsequently", "meanwhile", "specifically", "namely", "exactly", "precisely", "note", "update", "summary", "verified", "confirmed", "correction", "estimate", "estimated", "recorded", "found", "known", "based", "dated", "published", "located", "updated", "result", "conclusion", "roughly", "about", "around", "nearly", "almost", "only", "just", "probably", "perhaps", "maybe", "rejected", "discarded",
	"我", "他", "她", "它", "这", "那", "不", "没", "已", "来源", "结论", "更正", "答", "应", "大约", "左右", "另", "其实", "可能", "也", "还", "却", "则")

// topical tells of each statement whether what it says that its value is of is the
// claim's aspect, or else what that is; apart where it is another one by its own
// words, whatever the text says of the aspect: 副馆长 where the 馆长 is asked for.
func (c *Claim) topical(list []remark, i int, w *wording) (own bool, other string, apart bool) {
	named, qualified := c.namesAspect(w.label + w.head)
	if named || qualified {
		if named {
			return true, "", false
		}
		return false, w.label + w.head, true
	}
	for j := i + 1; j < len(list) && list[j].silent(); j++ {
		if c.sparesClaim(&list[j]) {
			return false, "another", true
		}
	}
	behind := w.text[len(w.head):]
	if lang.Opens(opening(behind, holding), c.Aspect) {
		return true, "", false // "appoints Priya Raman CEO"
	}
	if i+1 < len(list) && list[i+1].silent() && (list[i+1].bracket || i+2 == len(list)) {
		behind += list[i+1].text // "Ellison, deputy director"
	}
	if named, qualified = c.namesAspect(behind); qualified && !named || c.seconds(behind) {
		return false, behind, true
	}
	if c.doesIt(w.text) {
		return true, "", false
	}
	t := c.topic(w.label, w.head)
	if t == "" && c.isSubject(w.label) {
		return true, "", false // "Velmora (town): 18,240"
	}
	if t == "" {
		return w.label == "" && i == 0 && strings.Trim(w.head, " \t\n*_#>") == "" && len(strings.Fields(behind)) <= 2 && !lang.HasHan(behind), "", false // "20 mL a day"
	}
	last := t[strings.LastIndexByte(t, ' ')+1:]
	if !c.sibling(t) && (c.touches(t) && (len(last) < 4 || c.touches(last)) || c.asksFor(t)) { // not "wall temperature limit" for a temperature
		return true, "", false
	}
	return false, t, false
}

// seconds reports whether a text that stands behind a name gives it a place beside or
// before the one that is asked for: "as her deputy", "is the former one".
func (c *Claim) seconds(behind string) bool {
	words := strings.Fields(strings.ToLower(strings.Trim(behind, " ,*_.;\n")))
	for i := 0; i < len(words) && i < 3; i++ {
		w := strings.Trim(words[i], ".,;:*_")
		if slices.Contains(qualifiers, w) {
			return i > 0 && (i+1 == len(words) || words[i+1] == "one") && !lang.ContainsFold(c.asked, w)
		}
		if !joining[w] {
			return false
		}
	}
	return false
}

var joining = lang.Set("as is was being her his its their the a an now only")

// doesIt reports whether a text has the Chinese verb of the aspect, where that is who does
// something: 由罗嘉树负责 for the 负责人.
func (c *Claim) doesIt(text string) bool {
	for _, a := range c.Aspect {
		verb := strings.TrimRight(a, "人者员")
		if verb != a && utf8.RuneCountInString(verb) >= 2 && strings.Contains(text, verb) && !strings.Contains(text, a) {
			return true
		}
	}
	return false
}

// isSubject reports whether a label is a name of the subject, with no word beside it
// that the question does not have.
func (c *Claim) isSubject(label string) bool {
	if !lang.Mentions(label, c.Subject) {
		return false
	}
	for _, s := range c.Subject {
		if i := lang.IndexFold(label, s); i >= 0 {
			label = label[:i] + label[i+len(s):]
		}
	}
	for w := range strings.FieldsSeq(label) {
		if w = strings.Trim(w, "*_#>-:：()（）.,"); w != "" && !leading[strings.ToLower(w)] && !c.touches(w) {
			return false
		}
	}
	return true
}

// holding stand between a value and the word for what it is of.
var holding = phrases("is", "is the", "is its", "is their", "is now the", "is currently the", "as", "as the", "as its", "as their", "the", "是", "为", "是现任", "任", "担任", "出任")

// sparesClaim reports whether a clause says of the value before it that it is not that
// of what the claim is about: "is for the district, not for the town", 不是石浦镇的.
func (c *Claim) sparesClaim(p *remark) bool {
	if !p.silent() {
		return false
	}
	for _, cue := range sparing {
		if !lang.Opens(p.text, []string{cue}) {
			continue
		}
		_, rest, _ := strings.Cut(strings.ToLower(p.text), cue)
		return (!lang.HasHan(cue) || strings.HasSuffix(strings.TrimRight(rest, " 。；\n"), "的")) && !tellsSource(rest) && (lang.Mentions(rest, c.Subject) || c.touches(rest))
	}
	return false
}

var sparing = phrases("not for", "not of", "not to", "not about", "and not for", "and not of", "不是", "并非", "而不是")

var (
	// qualifiers before a word for the aspect make it that of somebody or something
	// else, as do hanQualifiers unless unqualified ends the word before: 目前馆长.
	qualifiers    = phrases("deputy", "former", "acting", "vice", "vice-", "assistant", "ex", "ex-", "interim", "outgoing", "previous", "past", "honorary", "deputy-", "associate", "founding", "first", "shadow")
	hanQualifiers = phrases("副", "前", "代", "原", "前任", "代理", "名誉", "候任", "助理")
	unqualified   = phrases("目前", "当前", "眼前", "现代", "当代", "时代", "历代", "一代", "二代", "三代", "四代", "新代")
)

// namesAspect reports whether a text names the claim's aspect, and whether it names
// it with a qualifier that the question does not have.
func (c *Claim) namesAspect(text string) (named, qualified bool) {
	for _, a := range c.Aspect {
		for from := 0; a != ""; {
			i := lang.IndexFold(text[from:], a)
			if i < 0 {
				break
			}
			before := strings.TrimRight(text[max(0, from+i-BareLimit):from+i], " ")
			from += i + len(a)
			if q := qualifier(before); q != "" && !lang.ContainsFold(c.asked, q+a) && !lang.ContainsFold(c.asked, q+" "+a) {
				qualified = true
			} else {
				named = true
			}
		}
	}
	return named, qualified
}

// qualifier is the qualifier that a text ends with; empty where it ends with none.
func qualifier(before string) string {
	for _, q := range hanQualifiers {
		if strings.HasSuffix(before, q) && !lang.HasAnySuffix(before, unqualified...) {
			return q
		}
	}
	for _, q := range qualifiers {
		if n := len(before) - len(q); n >= 0 && strings.EqualFold(before[n:], q) && (n == 0 || !lang.IsAlnum(before[n-1])) {
			return q
		}
	}
	return ""
}

// asksFor reports whether the question asks for a Chinese topic: its first two
// characters tell it from others, as the modifiers of a Chinese word stand before
// its head.
func (c *Claim) asksFor(t string) bool {
	first := []rune(t)
	return lang.HasHan(t) && len(first) > 1 && strings.Contains(c.asked, string(first[:2]))
}

// sibling reports whether a topic is another one of the aspect's kind: its last
// word is the aspect's or the question's, and what stands before that is another
// word: "fire inspection" where the hygiene inspection is asked for.
func (c *Claim) sibling(t string) bool {
	words := strings.Fields(t)
	n := len(words)
	if n < 2 || lang.HasAny(words[n-2], current) || predicates().generic.MatchString(words[n-2]) {
		return false
	}
	found := false
	for _, text := range append([]string{c.asked}, c.Aspect...) {
		have := strings.Fields(strings.ToLower(text))
		for i := range have {
			have[i] = strings.Trim(have[i], ".,;:!?*_\"()'")
			if i == 0 || have[i] != words[n-1] {
				continue
			}
			switch modifier := have[i-1]; {
			case modifier == words[n-2]:
				return false
			case !lang.IsStop(modifier) && !leading[modifier] && modifier != "its" && modifier != "their":
				found = true
			}
		}
	}
	return found
}

// otherAspects takes out the statements that give their value as another aspect's,
// where the claim's own aspect has the other value: "Hygiene audit: failed. Fire
// inspection: passed." What some source says of the aspect is no such value.
func (s *statements) otherAspects() {
	s.list = slices.DeleteFunc(s.list, func(x statement) bool {
		if x.clause.apart && x.stance.reported() && tellsSource(plain(x.clause.text)) {
			s.told = append(s.told, x)
		}
		return x.clause.apart
	})
	var own [2]bool
	for _, x := range s.list {
		own[x.side] = own[x.side] || x.clause.own && x.stance >= attributed && (x.stance >= Asserted || !tellsSource(plain(x.sentence)))
	}
	switch first := ""; {
	case own[0] != own[1]:
		s.list = slices.DeleteFunc(s.list, func(x statement) bool { return x.clause.other != "" && own[1-x.side] })
	case !own[0]:
		s.list = slices.DeleteFunc(s.list, func(x statement) bool {
			if first == "" && x.stance >= Asserted && s.scope.c.nameless(x.clause.other) {
				first = x.clause.other
			}
			return first != "" && x.clause.other != "" && x.clause.other != first
		})
	}
}

// nameless reports whether a topic is Chinese, and neither the aspect nor the question
// has a Chinese word: nothing tells then which of several topics is the aspect, and an
// answer begins with what was asked for.
func (c *Claim) nameless(topic string) bool {
	return lang.HasHan(topic) && !lang.HasHan(c.asked+strings.Join(c.Aspect, ""))
}
