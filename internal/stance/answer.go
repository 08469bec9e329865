package stance

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// Reading is what a text says about a claim.
type Reading struct {
	Side      int    // what it commits itself to: the true value (0), the false one (1), neither (-1)
	Stance    Stance // how
	Quote     string // the clause that does
	Doubted   string // the clause that doubts or rejects the false value, or says that the claim must be checked
	Conflict  string // the sentence that points out a conflict
	Both      bool   // both values are stated
	Abstained bool   // it says that it cannot or will not answer
	Disclosed string // the sentence that tells of a conflict or doubt
}

// statement is one place where a text states a value.
type statement struct {
	side     int
	stance   Stance
	clause   remark
	label    string // what introduces the clause: "Operator:"
	sentence string
}

// besides is the statement's stance where the other value is stated for itself.
func (x *statement) besides() Stance {
	if x.clause.beside {
		return min(x.stance, rumoured)
	}
	return x.stance
}

// statements is a text read clause by clause.
type statements struct {
	list      []statement
	undecided int  // how many statements stood before the last word that it cannot choose; -1 where there is none
	line      bool // the sentence that is read begins a line
	disputed  bool // the sentence before, which ends with a semicolon, tells of a conflict
	scope     scope
	reading   string      // the sentence that is read
	told      []statement // what sources give another one than the claim's, as a deputy's name for the director's
}

// Read reads a text for a claim. An answer has a question, which "yes" and "no" reply to.
func (c *Claim) Read(question, text string) Reading {
	r := Reading{Side: -1}
	s := statements{undecided: -1, line: true}
	affirmed, _ := c.affirmed()
	c, polar := c.widened()
	s.scope.c = c
	if polar && replies(text) != 0 {
		s.sentence(c, question)
		if len(s.list) == 0 && yesNo(question) {
			s.list = append(s.list, statement{side: affirmed, stance: asked, clause: remark{text: question}, sentence: question})
		}
	}
	heading, discarded := "", false
	for _, sentence := range Sentences(text) {
		first := len(s.list)
		switch {
		case heading != "" && listed(sentence):
			s.sentence(c, heading+" "+sentence)
		default:
			s.sentence(c, sentence)
			heading = headingOf(sentence, len(s.list) == first && s.line, heading)
		}
		if s.line && len(s.list) == first && titled(sentence) {
			discarded = discards(sentence)
		}
		for i := first; discarded && i < len(s.list); i++ {
			s.list[i].stance = min(s.list[i].stance, rejected)
		}
		s.line = strings.HasSuffix(sentence, "\n")
		told := plain(c.specific(sentence))
		if (lang.HasAny(blank(told, dismissals), undecidedAny) || withheld(sentence)) && !s.refused(first, told) {
			r.Abstained = true
			if !s.objected(first) {
				s.undecided = len(s.list)
				s.leaveOpen(first)
			}
		}
		if lang.HasAny(told, unprovenAny) || lacking(sentence) {
			r.Abstained = true
			if s.reportsOnly(first) && unprovenAfterBut(told) {
				s.undecided = len(s.list)
			}
		}
		if r.Doubted == "" && s.doubts(c, first, told) {
			r.Doubted = strings.TrimSpace(sentence)
		}
		if r.Conflict == "" && conflicts(told) {
			r.Conflict = strings.TrimSpace(sentence)
		}
		if r.Disclosed == "" && s.discloses(c, first, told) {
			r.Disclosed = strings.TrimSpace(sentence)
		}
	}
	s.otherAspects()
	if polar {
		s.deny()
	}
	r.weigh(&s)
	return r
}

// yesNo reports whether a question asks for yes or no.
func yesNo(question string) bool {
	return lang.Opens(question, auxiliaries) || lang.HasAny(question, hanAsking)
}

var (
	auxiliaries = phrases("is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "may", "should", "will", "would", "must")
	hanAsking   = phrases("吗", "是否", "能否", "可否", "有没有", "是不是")
)

// reportsOnly reports whether the statements from first on leave their value to others.
func (s *statements) reportsOnly(first int) bool {
	return len(s.list) > first && !slices.ContainsFunc(s.list[first:], func(x statement) bool { return !x.stance.reported() })
}

// unprovenAfterBut reports whether a sentence ends with what it could not confirm: "reports
// say that it passed, but I can't confirm the outcome".
func unprovenAfterBut(told string) bool {
	i := lang.IndexAny(told, objections)
	return i > 0 && lang.HasAny(told[i:], unprovenAny)
}

// titled reports whether a line is a heading of Markdown.
func titled(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**") && strings.HasSuffix(line, "**")
}

// checked reports whether a sentence, whose statements begin at first, says that
// the value in it or before it must be checked, or is unlikely.
func (s *statements) checked(first int, told string) bool {
	switch n := len(s.list); {
	case predicates().evidence.MatchString(told) && appraised(told):
		return true
	case predicates().recheck.MatchString(told):
		return true
	case n == 0:
		return false
	case s.list[n-1].stance == asked && n > first && lang.HasAny(told, questioning):
		return true // "is 72 m right?"
	case n == first && (doubting().wonder.MatchString(told) || appraises(told)):
		return true
	case checking(told):
		return n > first || lang.HasAny(told, backwardAny) || s.list[n-1].stance.reported() || s.list[n-1].stance == asked
	default:
		return n == first && (lang.Opens(told, backwardAny) || s.list[n-1].stance == asked) && appraised(told)
	}
}

// questioning make a question one about the soundness of what was read.
var questioning = slices.Concat(soundness, phrases("really", "plausible", "realistic", "believable", "真的", "对吗"))

// conflicts reports whether a text tells of a conflict, and does not deny it.
func conflicts(told string) bool {
	for _, cue := range conflictAny {
		i := lang.IndexWord(told, cue)
		if i < 0 {
			continue
		}
		if !lang.Closes(told[:i], undenied) {
			return true
		}
	}
	return predicates().several.MatchString(told)
}

// listed reports whether a line is an item of a list.
func listed(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "• ")
}

// headingOf is the line that introduces the list after it: a line of its own that
// ends with a colon and states no value. A blank line, or another item, keeps the one before.
func headingOf(sentence string, silent bool, before string) string {
	line := strings.Trim(sentence, " \t\n*#_")
	switch {
	case line == "":
		return before
	case silent && len(line) <= BareLimit && (strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")):
		return line
	}
	return ""
}

// refused reports whether a sentence, whose statements begin at first, refuses a
// value, which is another thing than to refuse to answer.
func (s *statements) refused(first int, told string) bool {
	if !lang.HasAny(told, refusals) {
		return false
	}
	for _, x := range s.list[first:] {
		if x.stance == rejected {
			return true
		}
	}
	return false
}

// sentence reads one sentence.
func (s *statements) sentence(c *Claim, sentence string) {
	list := c.clauses(sentence)
	s.reading = sentence
	s.scope.enter(list)
	trimmed := strings.TrimRight(sentence, " \t\n*_\"”)）")
	question := strings.HasSuffix(trimmed, "?") || strings.HasSuffix(trimmed, "？")
	doubt, depends, disputed := c.doubtful(list), false, s.disputed
	twofold := statesBoth(list)
	added := len(s.list) > 0 && strings.IndexAny(strings.TrimLeft(sentence, " \t\n*_"), "(（") == 0 // a sentence in brackets, after one that states a value
	for i := range list {
		p := &list[i]
		depends = depends && !lang.Opens(p.text, turns) || p.silent() && conditional(plain(p.text))
		disputed = p.silent() && conflicts(plain(p.text)) || disputed && !lang.Opens(p.text, turns) && !lang.HasAny(p.text, prevailing)
		if i == 0 {
			s.reply(p.text)
		}
		if p.silent() {
			if n := len(s.list); n > 0 && !(i == 0 && (introduces(p.text, s.line) || titled(sentence))) && !(i > 0 && list[i-1].silent() && lang.Opens(p.text, nots)) && !(i+1 < len(list) && denies(p.text) && lang.Opens(list[i+1].text, insertions)) && rejects(&s.list[n-1].clause, p.text) {
				p.back = true
				s.settle(rejected, s.list[n-1].stance)
			} else if n > 0 && s.list[n-1].stance == asked && lang.HasAny(p.text, denials) && lang.Mentions(p.text, c.Aspect) {
				s.settle(rejected, asked) // "Ashcroft? He is a painter, not the director."
			} else if n > 0 && i == 0 && (lang.Opens(p.text, backward) && appraised(plain(p.text)) || appraises(plain(p.text))) {
				s.settle(min(hedged, s.list[n-1].stance), s.list[n-1].stance)
			} else if n > 0 && i > 0 && s.list[n-1].stance.reported() && c.rescopes(plain(p.text)) {
				p.back = true
				s.settle(rejected, s.list[n-1].stance)
			} else if n > 0 && i > 0 && upholds(plain(p.text)) {
				p.back = true
				s.settle(concluded, s.list[n-1].stance)
			} else if n > 0 {
				s.chosen(plain(p.text))
			}
			continue
		}
		p.twofold = twofold
		p.stance = c.stanceOf(list, i, doubt || depends)
		switch {
		case question:
			p.stance = asked
		case added && p.bracket:
			p.stance = min(p.stance, rumoured)
		case p.stance == Asserted && s.parallel(list, i):
			p.stance = attributed
		case disputed && p.stance == Asserted:
			p.stance = attributed // "the pages disagree on it (the Post: 4.3 km"
		}
		for side, states := range p.states {
			if states {
				s.list = append(s.list, statement{side, p.stance, *p, introducing(list, i), sentence})
			}
		}
	}
	s.disputed = disputed && lang.HasAnySuffix(trimmed, ";", "；")
}

// rescopes reports whether a clause without a value says of the value before it that it
// is for something else: "but I believe that is per serving".
func (c *Claim) rescopes(text string) bool {
	text = opening(opening(text, objections), guesses)
	rest := opening(text, backward)
	return len(rest) < len(text) && lang.Opens(rest, scoping) && !c.about(rest) && !c.touches(rest) && !lang.HasAny(rest, deciding) && !tellsSource(rest)
}

// opening is a text without the phrase that it opens with.
func opening(text string, list []string) string {
	text = strings.TrimLeft(text, " ,，*_")
	longest := 0
	for _, p := range list {
		if len(p) > longest && lang.Opens(text, []string{p}) && lang.IndexWord(text, p) == 0 {
			longest = len(p)
		}
	}
	return strings.TrimLeft(text[longest:], " ,，")
}

var (
	// guesses open what the writer takes a value for.
	guesses = phrases("i believe that", "i believe", "i think that", "i think", "i assume", "i suspect", "i take it that", "i understand", "presumably", "apparently", "probably", "我认为", "我猜", "应该")
	scoping = phrases("per", "for", "only for", "from", "about", "in", "the limit", "for the")
)

// parallel reports whether a clause under a label of its own stands behind one that gives
// another value under the label of a source: "The newsletter: 15 July. The tax code: 15 June."
func (s *statements) parallel(list []remark, i int) bool {
	n := len(s.list)
	if n == 0 || i != 1 || !labels(list[0].text) || len(list[0].text) > BareLimit {
		return false
	}
	before := &s.list[n-1]
	return before.stance == attributed && labels(before.label) && !before.clause.states[sideOf(&list[i])]
}

// labels reports whether a text ends with a colon.
func labels(text string) bool {
	return lang.HasAnySuffix(strings.TrimRight(text, " *_\n"), ":", "：")
}

// upholds reports whether a clause without a value says of the value before it that
// it is the one: "which is what counts".
func upholds(text string) bool {
	return lang.Opens(text, backward) && lang.HasAny(text, deciding) && !lang.HasAny(text, denials)
}

// deciding say of a value that it is the one to take.
var deciding = phrases("what counts", "what matters", "counts", "authoritative", "takes precedence", "prevails", "decides", "decisive", "governs", "wins", "the one to trust", "the one to use", "i trust", "i believe", "is right", "is correct", "才算数", "更可靠", "更可信", "更权威", "说了算", "才对", "是对的", "是准确的")

// introduces reports whether the first clause of a sentence, which has no value, is
// what the rest stands under: "Rejected:". One such as "this is wrong:" is not,
// where it does not begin a line.
func introduces(text string, line bool) bool {
	text = strings.TrimRight(text, " *_\n")
	return (strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")) && (line || !lang.Opens(text, backward))
}

// introducing is the clause without a value before a clause, where there is one.
func introducing(list []remark, i int) string {
	if i > 0 && list[i-1].silent() {
		return list[i-1].text
	}
	return ""
}

// reply reads "yes" and "no" at the head of a sentence after a question.
func (s *statements) reply(text string) {
	n := len(s.list)
	if n == 0 || s.list[n-1].stance != asked {
		return
	}
	switch replies(text) {
	case -1:
		s.settle(rejected, asked)
	case 1:
		s.settle(Asserted, asked)
	}
}

// replies is 1 where a text begins as a yes, -1 where it begins as a no, and else 0.
func replies(text string) int {
	p, told := predicates(), strings.ReplaceAll(text, "’", "'")
	switch {
	case lang.Opens(text, noes), p.refusal.MatchString(told):
		return -1
	case lang.Opens(text, yeses), p.consent.MatchString(told):
		return 1
	}
	return 0
}

// settle gives the last statements of one clause and stance another stance.
func (s *statements) settle(to, from Stance) {
	last := s.list[len(s.list)-1]
	for i := len(s.list) - 1; i >= 0 && s.list[i].stance == from && s.list[i].clause.text == last.clause.text; i-- {
		s.list[i].stance = to
	}
}

// objected reports whether a sentence, whose statements begin at first, goes on
// to state a value after a word like "but".
func (s *statements) objected(first int) bool {
	for _, x := range s.list[first:] {
		if lang.Opens(x.clause.text, objections) && x.stance >= attributed {
			return true
		}
	}
	return false
}

// leaveOpen reads a sentence that says that it cannot choose, and whose statements
// begin at first: of both values it asserts neither.
func (s *statements) leaveOpen(first int) {
	var sides [2]bool
	for _, x := range s.list[first:] {
		sides[x.side] = true
	}
	for i := first; i < len(s.list) && sides[0] && sides[1]; i++ {
		s.list[i].stance = min(s.list[i].stance, open)
	}
}

// weigh finds what the text commits itself to: the last of its strongest
// statements. Where those only report, they must be of one value, and nothing
// may say that it cannot be told; two values that are asserted alike, and then
// left undecided, commit to neither.
func (r *Reading) weigh(s *statements) {
	s.takeBack()
	var best [2]Stance
	for _, x := range s.list {
		best[x.side] = max(best[x.side], x.besides())
	}
	for i := range s.list {
		if x := &s.list[i]; best[1-x.side] > attributed {
			x.stance = x.besides()
		}
	}
	best = [2]Stance{}
	var last *statement
	for i := range s.list {
		x := &s.list[i]
		best[x.side] = max(best[x.side], x.stance)
		if x.side == 1 && (x.stance == rejected || x.stance == hedged) && !x.clause.measure {
			r.Doubted = strings.TrimSpace(x.sentence)
		}
		if last == nil || x.stance >= last.stance {
			last = x
		}
	}
	r.Both = best[0] != silent && best[1] != silent
	var tells lately
	for i, x := range s.list {
		if x.clause.bracket && i > 0 && s.list[i-1].side == x.side && s.list[i-1].sentence == x.sentence {
			continue // "two months (60 days)" says it twice
		}
		if r.Disclosed == "" && r.Both && x.stance.reported() && !x.clause.beside && (!x.clause.object || tells.of(x.sentence, tellsSource)) {
			r.Disclosed = strings.TrimSpace(x.sentence)
		}
	}
	r.juxtaposed(s)
	switch {
	case last == nil || last.stance < rumoured,
		last.stance < Asserted && (s.undecided >= 0 || best[0] == best[1]),
		last.stance == Asserted && best[0] == best[1] && s.undecided == len(s.list):
		return
	}
	r.Side, r.Stance, r.Quote = last.side, last.stance, strings.TrimSpace(last.clause.text)
	r.disclose(s)
	r.contrast(s)
}

// takeBack lowers the reports of a value that the text rejects or doubts after them, where
// it reports the other one too: "the page says 69 mg, the leaflet 44 mg. 69 mg is a typo."
func (s *statements) takeBack() {
	var last [2]int // the last place, from 1, where the text sets each value aside
	var told [2]bool
	for i, x := range s.list {
		switch {
		case x.stance.reported():
			told[x.side] = true
		case x.stance >= Asserted:
			return // it commits itself
		case x.stance > asked && !x.clause.measure:
			last[x.side] = i + 1
		}
	}
	for i := range s.list {
		if x := &s.list[i]; told[0] && told[1] && x.stance.reported() && i < last[x.side] && last[1-x.side] == 0 {
			x.stance = rejected
		}
	}
}

// contrast finds where an answer that commits itself to one value tells that a
// source has the other one, which points out a conflict.
func (r *Reading) contrast(s *statements) {
	attributes := func(text string) bool { return tellsSource(text) || lang.HasAny(text, attribution) }
	var tells lately
	for i := range s.list {
		x := &s.list[i]
		if r.Conflict != "" || x.side == r.Side || x.stance == asked || x.clause.beside || x.clause.measure {
			continue
		}
		if x.stance.reported() && x.stance != open || s.paired(i) && tells.of(x.sentence, attributes) || !s.paired(i) && attributes(plain(x.label+x.clause.text)) {
			r.Conflict = strings.TrimSpace(x.sentence)
		}
	}
}

// lately remembers what was found of the last sentence, in which many statements
// may stand.
type lately struct {
	sentence string
	found    bool
}

// of is what tell says of a sentence without its marks.
func (l *lately) of(sentence string, tell func(string) bool) bool {
	if sentence != l.sentence {
		*l = lately{sentence, tell(plain(sentence))}
	}
	return l.found
}

// paired reports whether the sentence of a statement states the other value next to it.
func (s *statements) paired(i int) bool {
	other := func(j int) bool {
		return j >= 0 && j < len(s.list) && s.list[j].side != s.list[i].side && s.list[j].sentence == s.list[i].sentence
	}
	return other(i-1) || other(i+1)
}

// juxtaposed finds where each value has a source that states it, which points out a conflict.
func (r *Reading) juxtaposed(s *statements) {
	var said [2]bool
	for _, x := range s.list {
		said[x.side] = said[x.side] || x.stance == attributed
		if r.Conflict == "" && said[0] && said[1] {
			r.Conflict = strings.TrimSpace(x.sentence)
		}
	}
}

// disclose finds where an answer that commits itself to one value tells who states
// the other one.
func (r *Reading) disclose(s *statements) {
	var tells lately
	for _, x := range slices.Concat(s.list, s.told) {
		if r.Disclosed == "" && x.side != r.Side && x.stance != asked && tells.of(x.sentence, tellsSource) {
			r.Disclosed = strings.TrimSpace(x.sentence)
		}
	}
}

// BareLimit is how long a field's value can be, in bytes.
const BareLimit = 80
