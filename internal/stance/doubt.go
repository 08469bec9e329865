package stance

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// modals are words that leave open whatever their clause says: a doubt of the value
// only in its own clause, or where what they leave open is a fault of it. "The film
// may be shown abroad" doubts nothing.
var modals = phrases("may be", "could be", "may have", "may not", "may well", "may also", "might", "maybe", "perhaps", "possibly", "probably", "likely", "大概", "可能", "也许", "或许")

// doubting match doubts by their form.
var doubting = sync.OnceValue(func() (p struct{ fault, distrust, general, elsewhere, wonder *regexp.Regexp }) {
	// fault: what a modal can say against a value: "might be outdated", "could just be the peak".
	p.fault = regexp.MustCompile(`(?i)\b(?:wrong|mistak\w+|errors?|outdated|out of date|old|older|stale|changed|different|higher|lower|off|inaccurate|incorrect|confus\w+|mix\w*|typo|transpos\w+|swapped|exaggerat\w+|inflated|rounded|biased|unreliable|rumou?rs?|not (?:be |have been )?(?:\w+ )?(?:right|current|accurate|reliable|correct|true|apply|hold)|be (?:just |only |simply |merely )?(?:the|an?|from|for|of|in)|apply to|refer to)\b|旧|过时|错|误|不准|不对|不实|不全|有变|变了|混|写反|夸大|偏|高估|低估|不是|并非|更新|改了|另一|别的|其他`)
	// distrust: what the writer would not build on, what a source lacks, and what a value cannot be.
	p.distrust = distrustForms()
	// general: a clause that would stand under any answer: an offer, a courtesy, a
	// disclaimer of the whole, a referral to professionals, what changes in general.
	p.general = regexp.MustCompile(`(?i)\bif (?:you\b(?:'d|'re|'ve)?(?: are| have| need| want| would| wish| notice| see| still| find)?|anything|something)|\b(?:let me know|feel free|(?:happy|glad) to|just ask|do not hesitate|don't hesitate|i hope (?:this|that|it)|hope this helps)\b|\b(?:disclaimer|informational purposes|general information|important information|my (?:knowledge|training)|knowledge cutoff)\b|\b(?:i'm|i am|as) an? (?:ai|language model|assistant)\b|\bnot an? (?:doctor|lawyer|pharmacist|expert|professional)\b|\b(?:medical|legal|financial|professional|investment|tax) advice\b|\b(?:consult|ask|see|contact|talk to|speak to|check with) (?:with )?(?:a|an|your) (?:\w+ )?(?:professional|expert|doctor|physician|pharmacist|lawyer|attorney|adviser|advisor|accountant|specialist|provider)s?\b|\b(?:may|might|can|could) (?:change|vary|differ|fluctuate|make mistakes)\b|\bsubject to change\b` +
		`|如果?(?:您|你)|如果?有(?:任何|其他|不)?|若(?:您|你|有)|如需|若需|如要|欢迎|随时(?:问|告|联|提)|告诉我|告知我|(?:对|能)(?:您|你)有|免责声明|温馨提示|不构成|(?:以上|上述|本|此)(?:信息|内容|回答|回复|数据|答案|资料)?[^，。；,]{0,6}(?:仅供参考|供参考)|由\s?(?:AI|人工智能|模型)|遵医嘱|咨询(?:您的|你的)?(?:医生|药师|医师|律师|专业|专家)|可能会?(?:随|因|有所|发生)?[^，。；,]{0,8}(?:变化|变动|波动|调整|浮动)`)
	// elsewhere: a doubt, and of what: "the doubts that some had about the harbour".
	p.elsewhere = regexp.MustCompile(`(?i)\b(?:doubts?|doubted|doubtful|concerns|scepticism|skepticism|uncertainty|uncertain|unsure|not sure|questions)\b[^.,;]{0,30}?\b(?:about|over|regarding|concerning|whether|of) ([^.,;]+)`)
	// wonder: all that a sentence says after a value.
	p.wonder = regexp.MustCompile(`(?i)^[\s*_(]*(?:h+m+|huh|really|seriously|odd|strange|weird|curious|doubtful|suspicious|unlikely|surely not|no way|嗯+|奇怪|真的吗?|不会吧|怎么会|不太像)[\s.…!?。！？*_)]*$`)
	return p
})

// distrusts reports whether a text says that something is not to be built on.
func distrusts(text string) bool { return doubting().distrust.MatchString(text) }

// specific is a sentence without the clauses that would stand under any answer and
// state no value of the claim, and without what goes on from there and names no evidence.
func (c *Claim) specific(sentence string) string {
	if m := doubting().elsewhere.FindStringSubmatchIndex(sentence); m != nil {
		if object := sentence[m[2]:m[3]]; silentOn(c, object) && !c.about(object) && !c.touches(object) && !lang.HasAny(object, backwardAny) && !lang.HasAny(object, pronouns) && !predicates().evidence.MatchString(object) && !tellsSource(object) {
			sentence = sentence[:m[0]] + sentence[m[1]:]
		}
	}
	if !doubting().general.MatchString(sentence) {
		return sentence
	}
	var kept strings.Builder
	general := false
	for _, text := range clausesOf(sentence) {
		p := c.clause(text)
		general = p.silent() && (offhand(text) || general && !lang.Opens(text, turns) && !predicates().evidence.MatchString(text))
		if !general {
			kept.WriteString(text)
		}
	}
	return kept.String()
}

func silentOn(c *Claim, text string) bool { p := c.clause(text); return p.silent() }

// offhand reports whether a clause would stand under any answer.
func offhand(text string) bool { return doubting().general.MatchString(plain(text)) }

// wavers reports whether a clause without a value hedges.
func wavers(text string) bool {
	if lang.HasAny(text, firmly) {
		return true
	}
	for _, m := range modals {
		i := lang.IndexWord(text, m)
		if i < 0 {
			continue
		}
		rest := strings.Trim(text[:i]+text[i+len(m):], " \t\n,.;:*_()（），。；：!！")
		return rest == "" || doubting().fault.MatchString(text)
	}
	return false
}

// firmly are the hedges that are no modals.
var firmly = slices.DeleteFunc(slices.Clone(hedgeAny), func(w string) bool { return slices.Contains(modals, w) })

// concerns reports whether a sentence, whose statements begin at first, is of the
// claim: it states its value, names it or what was read, or points back at a value.
func (s *statements) concerns(c *Claim, first int, told string) bool {
	return len(s.list) > first || c.about(told) || len(s.list) > 0 && lang.HasAny(told, backwardAny) || predicates().evidence.MatchString(told) || sourcePatterns().some.MatchString(told) || lang.HasAny(told, undecidedAny)
}

// doubts reports whether a sentence, whose statements begin at first, doubts the claim.
func (s *statements) doubts(c *Claim, first int, told string) bool {
	switch {
	case s.checked(first, told):
		return true
	case !s.concerns(c, first, told):
		return false
	case lang.HasAny(told, doubtsAny), distrusts(told):
		return true
	case len(s.list) == first:
		return wavers(told) || len(s.list) > 0 && lang.Opens(told, backwardAny) && conflicts(told)
	}
	sides := [2]bool{}
	for _, x := range s.list[first:] {
		sides[x.side] = true
	}
	return s.hedges(first) || sides[0] != sides[1] && conflicts(told)
}

// hedges reports whether a statement from first on is hedged.
func (s *statements) hedges(first int) bool {
	return slices.ContainsFunc(s.list[first:], func(x statement) bool { return x.stance == hedged })
}

// discloses reports whether a sentence, whose statements begin at first, tells of
// doubt, of a slip, or of what somebody else states.
func (s *statements) discloses(c *Claim, first int, told string) bool {
	return s.concerns(c, first, told) && (lang.HasAny(told, discloseAny) || distrusts(told) || slipped(told) && tellsSource(told) || len(s.list) == first && wavers(told)) ||
		len(s.list) > first && (slipped(told) || waversAfterBut(c, told)) || s.hedges(first)
}

// waversAfterBut reports whether a sentence goes on to doubt what it said: "€2.50, but the
// rate today is probably higher".
func waversAfterBut(c *Claim, told string) bool {
	i := lang.IndexAny(told, objections)
	return i > 0 && silentOn(c, told[i:]) && wavers(told[i:])
}
