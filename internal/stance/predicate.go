package stance

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// predicates match what a clause says of its value, or of what its writer knows,
// by the form of the predicate: adjectives of appraisal, verbs of leaving, what
// somebody is about to check, knowledge that is denied.
var predicates = sync.OnceValue(func() (p struct {
	appraisal, appearance, leaving, slip, digits, checking, recheck, another, several, evidence, refusal, consent, supposed, part, generic, lacking, withheld, bare, disowned, crossed, former, formerOf, amount, reporting, deed *regexp.Regexp
}) {
	// appraisal: "far too high", "suspiciously large", "would be surprising", "more than I expected".
	p.appraisal = regexp.MustCompile(`(?i)\b(?:too (?:good|\w+(?: (?:for|to)\b|[.,;!]?\s*$))|(?:far|much|way) too \w+|(?:suspiciously|oddly|surprisingly|strangely|remarkably|unusually|implausibly|curiously|improbably|unexpectedly|weirdly|abnormally) \w+|would be the \w+est\b|(?:is|be|looks|seems|sounds|as|find|it|a|an|rather|very|quite) (?:surprising|strange|odd|weird|excessive|improbable|unlikely|unrealistic|unbelievable|peculiar|dubious|unusual|fishy|absurd|ridiculous|impossible|nonsense|nonsensical|crazy|insane|outlandish|preposterous|laughable|inconceivable|unthinkable|far-fetched|off)|(?:'s|’s) (?:absurd|ridiculous|impossible|nonsense|crazy|insane|preposterous|unlikely|implausible|odd|strange|weird)|\boff by (?:an?|some\w*|about|roughly|\d+)|(?:does|do|did|can|could) ?n[o'’]?t (?:\w+ )?(?:fit|add up|make sense|square with|tally|ring true|look right|seem right|sound right|feel right|hold water)|makes? (?:no|little) sense|times what (?:i|we|you|one)(?:'d| would)|hardly an?|unusual for|no date on it|hard to (?:believe|credit|square)|than (?:i )?(?:had )?expected|than i (?:would|had) (?:have )?(?:expect|thought|guess)\w*|can be (?:trusted|believed|relied on))\b|[太偏过][大小高低长短深浅多少重轻贵远近早晚](?:了|$|[，。；,])|离谱|荒谬|荒唐|不合理|不合常理|说不通|对不上号|不像话|不对劲|不太对|可信度(?:不高|很?低|存疑)`)
	// appearance: "seems steep"; what seems right is not doubted.
	p.appearance = regexp.MustCompile(`(?i)\b(?:seems|looks|sounds|appears|feels|strikes me as|strikes us as)(?: (?:a bit|a little|rather|quite|very|somewhat))? ([a-z]+)`)
	p.leaving = regexp.MustCompile(`(?i)^\W*(?:(?:has|had|have|already|then|since|later) )*(?:left|resigned|retired|departed|quit|died|stepped down|moved on|passed away|gave up the|handed (?:over|on|the|it|things)|passed (?:the|it on|things on)|made way|gave way|bowed out|was followed by|relinquished|ceded|was (?:dismissed|fired|removed|succeeded|replaced|let go))\b|^[\s，]*(?:已经?|早已|早就|后来|于)?(?:[于在]?[\d年月日初末底〇一二三四五六七八九十去今前]{1,16})?(?:就|便|正式)?(?:离职|离任|卸任|辞职|退休|去世|调离|离开|交棒|让位|退位|去职|下台|作废|废止)`)
	p.slip = regexp.MustCompile(`(?i)\b(?:slip|misreading|mix-up|mixup|mix(?:ed|es|ing)?(?: \w+)? up|transposition|miscalculation|hoax|myth|confusion|misunderstanding)\b|\b(?:be|is|was|as|by|from|through|looks like|to be) (?:an?|some|mere|pure|another|somebody's|someone's)? ?(?:[a-z]+ )?(?:mistake|error|rumour|rumor|hearsay|blunder|oversight|accident|fabrication|invention|exaggeration|fiction|guess)\b|[抄写打记看印弄搞听传算]错|写反|抄反|颠倒|谣言|谣传|误传|讹传|误会|误读`)
	p.digits = regexp.MustCompile(`(?i)\b(?:swap|exchang|transpos|revers|switch|interchang)\w*\b.{0,24}\bdigits?\b|\bdigits?\b.{0,24}\b(?:swap|exchang|transpos|revers|switch|interchang)\w*`)
	// checking: somebody is about to look whether it holds.
	p.checking = checkingForms()
	p.recheck = recheckForms()
	// another: what has a value that is said to be that of another thing.
	p.another = regexp.MustCompile(`(?i)^[\s*_"]*(?:is|was|are|were)(?: only| just| merely)? (?:the|its|their) (?:[\w-]+ ){1,3}(?:of|for|in|at|with|without|before|after|excluding|including) (?:the|an?|its|their|all|both|another|other)\b([^,.;]*)`)
	// several: values that are counted as unlike: "two different lengths", 两种说法.
	p.several = severalForms()
	// evidence: what was read, or where: "that figure", 旅游网站的数字.
	p.evidence = regexp.MustCompile(`(?i)\b(?:this|that|the|its|their|his|her) (?:\w+ ){0,2}?(?:figure|number|value|claim|date|name|price|result|profile|snippet|` + strings.Join(sourceNouns, "|") + `)\b|\b(?:` + strings.Join(sourceNouns, "|") + `)s\b|\bthe one (?:i|we)\b|数字|数据|数值|说法|消息|` + strings.Join(hanSources, "|"))
	// refusal and consent: a reply that has no more than the verb of the question: "it
	// didn't", "sadly not", "they have", 可惜没有.
	const regret = `^[\s*_"]*(?:(?:unfortunately|sadly|regrettably|alas|i'm afraid|i am afraid|apparently|evidently|clearly|actually|well|certainly|definitely|absolutely|indeed|happily|fortunately|luckily|as it turns out),? )?`
	const verb = `(?:it|they|she|he|we|that|this|(?:the|its) [\w-]+) (?:did|does|do|has|have|had|was|were|is|are|will|would|can|could)`
	p.refusal = regexp.MustCompile(`(?i)` + regret + `(?:not|no)\b|` + regret + verb + `(?:n't| not)(?: (?:yet|at all|in the end|unfortunately|sadly))?\s*(?:[.,;!:*]|$)|^[\s]*(?:很遗憾|遗憾的是|可惜|抱歉|很可惜|其实|实际上)?[,，]?(?:并?没有?|未|不是|否)[。，,.!！\s]*$`)
	p.consent = regexp.MustCompile(`(?i)` + regret + `(?:yes|yep|yeah)\b|` + regret + verb + `(?: indeed| so)?\s*(?:[.;!*]|$)`)
	// supposed: what would follow from a value, or make it so: "72 m would be a record".
	p.supposed = regexp.MustCompile(`(?i)^[\s*_"]*(?:(?:an?|per|each|every) \w+ )?would (?:then )?(?:be|mean|make|put|imply|have been|require|kill|need|take|exceed|break)\b`)
	// part: a noun that is the subject of the clause.
	p.part = regexp.MustCompile(`(?i)^[\s*_"-]*(?:and |while |whereas )?(?:the|its) ((?:[a-z]+ )?[a-z]+) (?:is|was|are|were|measures|stands|weighs)(?: about| roughly| some)?\s*$`)
	p.generic = regexp.MustCompile(`(?i)\b(?:answer|value|figure|number|one|right|correct|true|real|actual|official|result|latest|newest|final)\b|正确|答案|实际|最新`)
	// lacking: knowledge or evidence that is denied.
	p.lacking = lackingForms()
	// withheld: an answer that is not given, or given later.
	p.withheld = withheldForms()
	// disowned: words right before a value that warn of it, or say that there is no such
	// number; crossed: a mark that strikes it out.
	p.disowned = regexp.MustCompile(`(?i)\b(?:common|frequent|usual|typical|popular|widespread|classic) (?:mistake|error|misconception|misreading)s? (?:is|are|was|would be)(?: to (?:say|write|read|take|use|answer|think))?[\s:]*$|\bavoid(?: (?:using|saying|writing|the (?:value|figure|number)))?\s*$|(?:没有|别用|别写)\s*$|[✗✘❌✖]\s*$`)
	p.crossed = regexp.MustCompile(`^[\s*_"]*[✗✘❌✖]`)
	// former: a value that is said to be the one before; formerOf says so before it.
	const before = `(?:previous|old|former|earlier|prior|outdated) (?:value|figure|number|count|total|reading|estimate|price|rate|date|limit)`
	p.former = regexp.MustCompile(`(?i)^[\s*_"]*(?:is|was) (?:only |just |merely )?(?:the|an?|its|our|their) ` + before + `\b`)
	p.formerOf = regexp.MustCompile(`(?i)\b` + before + `(?: (?:is|was|of|had been))?[\s:]*$`)
	// bare: nothing is said but that it is not known.
	p.bare = regexp.MustCompile(`(?i)^[\s*_"#>-]*(?:(?:final )?answer\s*[:：]\s*)?(?:unknown|n/a|not known|not available|undecided|unclear|no answer|inconclusive|未知|不详|不明|不清楚|不确定)[\s.。!！*_"]*$`)
	// amount: by how much a value is off: "eighteen years too early".
	p.amount = regexp.MustCompile(`(?i)^(?:by |about |some |almost |nearly |at least )?(?:an? |[\w.,]+ )?(?:factor|orders?|seconds?|minutes?|hours?|days?|weeks?|months?|years?|decades?|percent|points?|met(?:er|re)s?|kilomet(?:er|re)s?|times|much|far|way|a bit|a little|slightly) $`)
	// deed: what was done at the value: "and was rebuilt on".
	p.deed = regexp.MustCompile(`(?i)\b(?:was|were|been|got|then|later|again|and|it|they) ([a-z]{3,}(?:en|un|ilt|old|aid|ought|id|et|ew|an)) (?:on|in|at|for|by)\s*$|\b([a-z]{3,}ed)(?: (?:off|out|up|down|over|back))? (?:on|in|at|for|by)\s*$`)
	// reporting: what some source, which is not named, gives for something.
	p.reporting = regexp.MustCompile(`(?i)^\W*(?:(?:and|but|while|though|although) )?(?:an?|one|some|several|many|most) (?:[\w-]+ ){1,4}?(?:dates?|puts?|places?|sets?|gives?|has|have|lists?|quotes?|pegs?|prices?|estimates?|claims?|calls?) (?:the|its|it|this|that|them)\b`)
	return p
})

// sound are adjectives after "seems" that doubt nothing.
var sound = lang.Set("right correct fine good plausible reasonable reliable to that like accurate consistent credible trustworthy genuine official ok okay clear as be the an solid definitive up well sound certain likely true valid sensible current safe")

// appraised reports whether what a clause says after its value, or of it, doubts it.
func appraised(text string) bool {
	p := predicates()
	if p.appraisal.MatchString(text) {
		return true
	}
	m := p.appearance.FindStringSubmatch(text)
	return m != nil && !sound[strings.ToLower(m[1])]
}

// appraises reports whether a clause without a value opens with what doubts the one
// before it: "72 m: too good to be true".
func appraises(text string) bool {
	text = strings.TrimLeft(text, " ,:;，：*_")
	at := predicates().appraisal.FindStringIndex(text)
	return at != nil && (at[0] == 0 || predicates().amount.MatchString(text[:at[0]]))
}

// left reports whether the clause says of its value that it is gone, or a slip.
func left(w *wording) bool {
	p := predicates()
	return p.leaving.MatchString(w.text[len(w.head):]) || p.slip.MatchString(w.text[len(w.head):]) || p.digits.MatchString(w.text)
}

// disowned reports whether the words around the value warn of it, or it is struck out.
func (w *wording) disowned() bool {
	return predicates().disowned.MatchString(w.head) || predicates().crossed.MatchString(w.text[len(w.head):])
}

// former reports whether the value is said to be the one before: it stands only
// where no other one is stated.
func (w *wording) former() bool {
	return predicates().former.MatchString(w.text[len(w.head):]) || predicates().formerOf.MatchString(w.head)
}

// ended reports whether what a clause says after its value is over: "was CEO until".
func ended(after string) bool {
	i := lang.IndexAny(after, ending)
	return i >= 0 && lang.Opens(after, past) && !lang.HasAny(after[:i], denials)
}

var (
	past   = phrases("was", "were", "had", "held", "served", "led", "ran", "headed", "worked", "applied", "stood", "remained")
	ending = phrases("until", "till", "up to", "before")
)

// slipped reports whether a text says that somebody made a slip.
func slipped(text string) bool {
	return predicates().slip.MatchString(text) || predicates().digits.MatchString(text)
}

// supposed reports whether what a clause says after its value tells what would
// follow from it: not "would be the right answer".
func supposed(after string) bool {
	p := predicates()
	return p.supposed.MatchString(after) && !p.generic.MatchString(after)
}

// checking reports whether a text says that something is to be checked.
func checking(text string) bool { return predicates().checking.MatchString(text) }

// withheld reports whether a sentence says that no answer is given, and lacking
// whether it says that there is nothing to give one by.
func withheld(sentence string) bool {
	p, told := predicates(), strings.ReplaceAll(sentence, "’", "'")
	return p.withheld.MatchString(told) || p.bare.MatchString(told)
}

func lacking(sentence string) bool {
	return predicates().lacking.MatchString(strings.ReplaceAll(sentence, "’", "'"))
}

// beside reports whether a clause mentions its value as one that is known
// already ("the 72 m"), or gives it another part than the claim's ("72 m is the
// limit on old track"). Where the other value is stated for itself, it is the answer.
func (c *Claim) beside(w *wording) bool {
	after := w.text[len(w.head):]
	if lang.Closes(strings.Trim(w.head, "(（"), definite) {
		return true
	}
	if part := predicates().part.FindStringSubmatch(w.head); part != nil && !c.about(w.head) && !lang.HasAny(part[1], c.ownNouns()) && !predicates().generic.MatchString(part[1]) {
		return true // "the dam measures 72 m"
	}
	if strings.Trim(w.head, " \t\n*_\"#>-,，(（") != "" && !joins(w.head) && !c.kindOf(w.head) {
		return false
	}
	if !c.about(after) && slices.ContainsFunc(namesIn(after), func(n nameSpan) bool { return c.names(after[n.from:n.to]) == stranger }) {
		return true // "Owen Brandt edits the Millbrook Herald"
	}
	if m := predicates().another.FindStringSubmatch(after); m != nil && !c.about(m[1]) && !lang.HasAny(m[1], c.ownNouns()) && !predicates().generic.MatchString(m[1]) {
		return true // "79 minutes is the running time of the television cut"
	}
	if !otherRole(after) {
		return false
	}
	return !c.about(after) && !c.touches(after) && !predicates().generic.MatchString(after) || lang.HasHan(after) && !lang.Mentions(after, c.Subject) && compounded(after, c.Aspect)
}

// joins reports whether a text is a conjunction and nothing else.
func joins(head string) bool {
	words := strings.Fields(strings.ToLower(head))
	return !slices.ContainsFunc(words, func(w string) bool { return !leading[strings.Trim(w, " *_,")] })
}

// otherRole reports whether what follows a value says what it is or did: "is where she was
// built", "dates from", "plays in goal", 为该书作序.
func otherRole(after string) bool {
	after = strings.TrimLeft(after, " \t\n*_\"")
	if lang.HasHan(after) {
		return lang.HasAnyPrefix(after, hanRoles...)
	}
	word, rest, _ := strings.Cut(strings.ToLower(after), " ")
	if !copular[word] {
		return acted[word] || len(word) > 3 && (strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss")) && lang.IsLetter(word[0]) && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == "" && !notActs[word]
	}
	for {
		next, behind, more := strings.Cut(rest, " ")
		if next = strings.Trim(next, ".,;:*_"); !roleAdverbs[next] || !more {
			return roleOpeners[next]
		}
		rest = behind
	}
}

var (
	copular     = lang.Set("is was are were")
	roleAdverbs = lang.Set("only just merely also still now")
	roleOpeners = lang.Set("the a an one part among where when who how its for from")
	// acted are verbs, of which the past has no "ed", that tell of a value's bearer; notActs
	// end like a verb and are none, or stand behind any value.
	acted    = lang.Set("belong apply refer relate come had held went came ran led won wrote made took gave sat fell began")
	notActs  = lang.Set("this thus less plus minus versus across always perhaps besides has does pass class needed required indeed based hours minutes seconds days weeks months years metres meters miles litres liters euros dollars pounds grams degrees percents points times people persons units items pieces employees passengers participants inhabitants residents patients requests")
	hanRoles = phrases("是", "指的是", "指", "属于", "为该", "为此", "为其", "为本", "替", "给", "曾", "负责", "主持", "则", "仅", "只是", "作序", "也是", "参与")
)

// kindOf reports whether a text is the word for what a value is, as the question has
// it: "Version" before 3.2.7.
func (c *Claim) kindOf(head string) bool {
	words := strings.Fields(strings.Trim(head, " \t\n*_\"#>-,，(（"))
	if n := len(words); n > 1 && words[n-1] == "of" && predicates().generic.MatchString(words[n-2]) {
		return true // "the figure of"
	}
	return len(words) > 0 && len(words) <= 2 && (len(words) == 1 || leading[strings.ToLower(words[0])]) && c.touches(words[len(words)-1])
}

// touches reports whether a text has a word of the claim's aspect or of its question,
// in whatever form: "is the editor" where the question is who edits.
func (c *Claim) touches(text string) bool {
	const stem = 4
	asked := strings.ToLower(c.asked + " " + strings.Join(c.Aspect, " "))
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		if w = strings.Trim(w, ".,;:!?*_\"()"); len(w) >= stem && !lang.IsStop(w) && lang.IsLetterAt(w, 0) && strings.Contains(" "+asked, " "+w[:stem]) {
			return true
		}
	}
	return false
}

// ownNouns are the words of the subject's names.
func (c *Claim) ownNouns() []string {
	var out []string
	for _, s := range c.Subject {
		out = append(out, strings.Fields(s)...)
	}
	return out
}

var definite = phrases("the", "that", "those", "先前的", "之前的", "那个", "所谓的")

// compounded reports a Chinese word for the aspect inside of a longer word, such
// as 流域面积 where 面积 is asked for.
func compounded(text string, aspects []string) bool {
	text = strings.TrimLeft(strings.Trim(text, " 。；\n"), "是指的它其该")
	for _, a := range aspects {
		if i := strings.Index(text, a); i > 0 && !strings.HasSuffix(text[:i], "的") {
			return true
		}
	}
	return false
}

// tellsSource reports whether a sentence tells of somebody who states a value.
func tellsSource(text string) bool {
	return anySource(text) || lang.HasAny(text, sourceLabels) || lang.HasAny(text, sourceNouns) || lang.HasAny(text, hanSources) || lang.HasAny(text, circulating) || whoever().MatchString(text)
}

// whoever matches a person or people who state something, and are not named.
var whoever = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:whoever|somebody|someone|people|others|everyone|everybody|many|they) (?:\w+ )?(?:wrote|writes?|said|says?|stated?|states|claim(?:s|ed)?|gave|gives?|put|printed|typed|quotes?|quoted)\b`)
})

var circulating = phrases("official", "claimed", "claims", "claim", "article", "press", "circulates", "circulating", "quoted", "people quote", "found first", "rule out", "博客", "报道", "网传", "流传")

// looksElsewhere reports whether a clause is about to look something else up than the
// claim: 再查一下公告里的续航, where the capacity is asked for.
func (c *Claim) looksElsewhere(text string) bool {
	at := predicates().checking.FindStringIndex(text)
	if at == nil {
		return false
	}
	object := strings.Trim(text[at[1]:], " 。，,.;；！!\n")
	if i := strings.LastIndex(object, "的"); i >= 0 {
		object = object[i+len("的"):]
	} else if lang.HasHan(object) {
		return false
	}
	const short = 2 // runes
	return utf8.RuneCountInString(object) >= short && !c.about(object) && !c.touches(object) && !lang.HasAny(object, backwardAny) && !predicates().evidence.MatchString(object) &&
		!lang.HasAny(object, soundness) && !lang.HasAny(object, elsewherePreps) && !tellsSource(object) && len(namesIn(object)) == 0
}

// elsewherePreps stand before where something is looked up.
var elsewherePreps = phrases("with", "on", "at", "in", "against", "whether", "if", "again", "twice", "first", "further", "more")

// unsure reports whether a clause without a value doubts the one beside it, or
// says that it will be checked.
func unsure(text string) bool {
	return wavers(text) || !offhand(text) && checking(text) || (lang.Opens(text, backward) || lang.Opens(text, pointing)) && appraised(text) || lang.Opens(text, trusting) && appraised(text) || appraises(text)
}

// pointing open a clause that says something of the one before it.
var pointing = phrases("which", "that", "this")

// trusting open a condition that something is sound.
var trusting = phrases("if", "provided", "assuming")

// discards reports whether a label is that of what was not taken: "Rejected values:".
func discards(label string) bool {
	return lang.HasAny(label, dismissals) || lang.HasAny(label, leftOut)
}
