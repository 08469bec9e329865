package stance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// scope follows of whom a text speaks, so that a value of another subject is not
// read as the claim's. A name is another subject's where it is of the kind of the
// claim's own and not it ("Kessel Reservoir" beside "Orlen Reservoir", INV-3072
// beside INV-3071, 云溪湖 beside 石镜湖), or the grammatical subject of a predicate.
type scope struct {
	c       *Claim
	heading bool // the line above all this names another subject
	last    bool // the sentence before spoke of another subject
}

// whose tells a name's bearer.
type whose uint8

const (
	nobody   whose = iota // no name, a value of the claim, or unclear
	own                   // the claim's subject
	kin                   // another thing of its kind
	stranger              // some other name
)

// Stated reports which of the values a text states as the claim's own, read
// sentence by sentence. The title, which may be empty, stands above the text.
func (c *Claim) Stated(title, text string) (isTrue, isFalse bool) {
	for _, s := range c.Lines(title, text) {
		isTrue, isFalse = isTrue || s.True, isFalse || s.False
	}
	return isTrue, isFalse
}

// Other reports whether a name is that of another thing of the subject's kind.
func (c *Claim) Other(name string) bool { return c.names(name) == kin }

// Line is a sentence, and which values it states as the claim's.
type Line struct {
	Text        string
	True, False bool
}

// Lines reads a text sentence by sentence for the values of the claim's own
// subject and aspect.
func (c *Claim) Lines(title, text string) []Line {
	s := scope{c: c, heading: c.names(title) == kin}
	sentences := Sentences(text)
	out := make([]Line, len(sentences))
	var own [2]bool
	var others [2][]int // lines that state a side as another aspect's, once for each time
	for i, sentence := range sentences {
		list := c.clauses(sentence)
		s.enter(list)
		out[i].Text = sentence
		for j, p := range list {
			if p.states[0] == p.states[1] {
				out[i].True, out[i].False = out[i].True || p.states[0], out[i].False || p.states[1]
				continue
			}
			side := sideOf(&p)
			w := c.wordingOf(list, j)
			named, other, apart := c.topical(list, j, &w)
			own[side] = own[side] || named
			if other != "" {
				if !apart {
					others[side] = append(others[side], i)
				}
				continue
			}
			out[i].True, out[i].False = out[i].True || side == 0, out[i].False || side == 1
		}
	}
	for side, lines := range others {
		for _, i := range lines {
			if own[side] || !own[1-side] {
				out[i].True, out[i].False = out[i].True || side == 0, out[i].False || side == 1
			}
		}
	}
	return out
}

// enter takes from the clauses of the next sentence the values that are not the
// claim's.
func (s *scope) enter(list []remark) {
	first := strings.TrimLeft(list[0].text, " \t\n*_#>|-•")
	if len(list) <= 2 && len(strings.Join(textsOf(list), "")) <= BareLimit && !statesAny(list) {
		if w := s.c.names(strings.Trim(joined(list), " \t\n*_#>-•:：|")); w == own || w == kin {
			s.heading, s.last = w == kin, w == kin // a line that is a name and nothing else
			return
		}
	}
	other := s.heading || s.last && lang.Opens(first, pronominal)
	named := false
	for i := range list {
		p := &list[i]
		head, value, tail := p.text, "", ""
		if !p.silent() {
			from, to := s.c.place(p.text, sideOf(p))
			head, value, tail = p.text[:from], p.text[from:to], p.text[to:]
		}
		here := other
		switch w := s.c.subjectOf(head, tail, i == 0 || !p.silent()); {
		case w == own:
			other, here, named = false, false, true
			s.heading = false
		case w == kin, w == stranger && !p.silent():
			other, here, named = true, true, true
		case !p.silent() && i > 0 && lang.Opens(p.text, relative) && s.c.closing(list[i-1].text) == kin:
			here = true // "unlike Kessel Reservoir, which is 72 m deep"
		case !p.silent() && leads(head) && i+1 < len(list) && list[i+1].silent():
			here = s.c.subjectOf(list[i+1].text, "", true) == kin // "at 72 m, Kessel Reservoir is the deepest"
		}
		if here || s.c.otherAspect(head, tail) || undertakes(value, tail) {
			p.states = [2]bool{}
		}
	}
	s.last = other && (named || s.last)
}

func sideOf(p *remark) int {
	if p.states[0] {
		return 0
	}
	return 1
}

func textsOf(list []remark) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].text
	}
	return out
}

func joined(list []remark) string { return strings.Join(textsOf(list), "") }

func statesAny(list []remark) bool {
	return slices.ContainsFunc(list, func(p remark) bool { return !p.silent() })
}

// leads reports whether what stands before a value is a preposition only.
func leads(head string) bool {
	return slices.Contains([]string{"at", "with"}, strings.ToLower(strings.Trim(head, " \t\n*_")))
}

var (
	pronominal = phrases("it", "its", "she", "her", "he", "his", "they", "their", "该", "它", "其", "她", "他")
	relative   = phrases("which", "whose", "who", "with", "at", "being")
	// copulas are predicates whose subject no source of a statement is.
	copulas = lang.Set("is are was were measures stands reaches weighs costs lasts totals")
	// placing stand before a name that places another thing: "north of Kessel Reservoir".
	placing = lang.Set("north south east west upstream downstream ahead front outside inside side part")
	// binding stand before the name whose value it is.
	binding = lang.Set("of for on at in by")
	// before are words that may stand before the subject of a clause.
	leading = lang.Set("only just even the a an and or but while whereas so as also then yet though although however since because")
	// ofYear stand before a year that tells a thing from others of its kind.
	ofYear = lang.Set("the a an its their this that of in for")
	// variants after a name or before it make it another one's.
	variants = lang.Set("north south east west upper lower new old ii iii iv junior jr mini pro plus max central")
)

// subjectOf is of whom a clause says something: head stands before its value and
// tail after it; a clause without a value is all head. A name that does not open
// the clause counts only where bound says so.
func (c *Claim) subjectOf(head, tail string, bound bool) whose {
	if w := c.hanSubject(head); w != nobody {
		return w
	}
	if c.ofOtherYear(head + " " + tail) {
		return kin
	}
	mentioned := lang.Mentions(head, c.Subject)
	names := namesIn(head)
	for _, n := range names {
		w := c.names(head[n.from:n.to])
		before := strings.Fields(strings.Trim(head[:n.from], " \t\n*_#>|-•\"'“("))
		next, _, _ := strings.Cut(strings.TrimLeft(head[n.to:]+" "+tail, " *_"), " ")
		opens := !slices.ContainsFunc(before, func(f string) bool { return !leading[strings.ToLower(f)] && !lang.HasAny(f, elsewhere) })
		switch {
		case w == own && lang.Closes(head[:n.from], namesakes):
			return kin // "there is another Ines Kohler"
		case w == own && opens:
			return own
		case w == kin && opens:
			return kin
		case w == stranger && opens && n.words > 0 && copulas[strings.ToLower(next)] && !mentioned && !lang.Mentions(head[n.from:n.to], c.publishers()):
			return stranger
		case w == kin && bound && !mentioned && (possessive(head[n.to:]) || binds(before)):
			return kin
		}
	}
	if mentioned {
		return own
	}
	if lang.Mentions(tail, c.Subject) {
		return nobody
	}
	for _, n := range namesIn(tail) {
		if w := c.names(tail[n.from:n.to]); (w == kin || w == stranger) && lang.Closes(tail[:n.from], giving) {
			return kin // "the medal went to Northern Bells"
		}
		if c.names(tail[n.from:n.to]) == kin && (possessive(tail[n.to:]) || binds(strings.Fields(tail[:n.from])) || lang.HasAny(tail[:n.from], belonging)) {
			return kin // "72 m is the depth of Kessel Reservoir"
		}
	}
	return nobody
}

var belonging = phrases("belongs to", "applies to", "refers to", "describes", "is for", "leads", "runs", "heads", "edits", "coaches")

// namesakes stand before a name that another one bears, too.
var namesakes = phrases("another", "a different", "the other", "an unrelated", "a second")

// ofOtherYear reports whether a text tells its thing by another year than the question
// does: "the 1974 drama" where the film of 2019 is asked for.
func (c *Claim) ofOtherYear(text string) bool {
	asked := yearsOf(c.asked)
	if len(asked) == 0 {
		return false
	}
	named := yearsOf(text)
	return len(named) > 0 && !slices.ContainsFunc(named, func(y string) bool { return slices.Contains(asked, y) })
}

// yearsOf is the years by which a text tells things from others of their kind: "the
// 2019 film".
func yearsOf(text string) (years []string) {
	words := strings.Fields(text)
	for i := 1; i+1 < len(words); i++ {
		y := words[i]
		if len(y) == len("2019") && lang.DigitsEnd(y, 0) == len(y) && (y[0] == '1' || y[0] == '2') && lang.IsLetterAt(words[i+1], 0) && !lang.IsStop(strings.ToLower(words[i+1])) && ofYear[strings.ToLower(words[i-1])] {
			years = append(years, y)
		}
	}
	return years
}

// giving stand between a value and whose it became.
var giving = phrases("went to", "goes to", "was given to", "was awarded to", "is awarded to", "was won by", "is held by", "was held by", "is that of", "was that of", "is the one of")

func possessive(after string) bool { return lang.HasAnyPrefix(after, "'s ", "’s ") }

// binds reports whether the words before a name bind a value to it.
func binds(before []string) bool {
	n := len(before)
	for n > 0 && leading[strings.ToLower(before[n-1])] {
		n--
	}
	return n > 0 && binding[strings.ToLower(before[n-1])] && (n < 2 || !placing[strings.ToLower(before[n-2])])
}

// closing is whose name a clause ends with.
func (c *Claim) closing(text string) whose {
	names := namesIn(text)
	if len(names) == 0 {
		return nobody
	}
	n := names[len(names)-1]
	if strings.Trim(text[n.to:], " ,") != "" {
		return nobody
	}
	return c.names(text[n.from:n.to])
}

type nameSpan struct{ from, to, words int }

// namesIn is the runs of capitalised words in a text, and the words of letters and
// digits that are identifiers. Words of grammar at the head of a run are none of it.
func namesIn(text string) []nameSpan {
	var out []nameSpan
	var run nameSpan
	flush := func() {
		if run.words > 0 {
			out = append(out, run)
		}
		run = nameSpan{}
	}
	for i := 0; i < len(text); {
		r, w := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if r != ' ' {
				flush()
			}
			i += w
			continue
		}
		end := i
		for end < len(text) {
			r, w := utf8.DecodeRuneInString(text[end:])
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !(r == '-' && end+1 < len(text) && lang.IsAlnum(text[end+1])) {
				break
			}
			end += w
		}
		word := text[i:end]
		first, _ := utf8.DecodeRuneInString(word)
		switch {
		case !unicode.IsUpper(first) && !(isID(word) && (run.words > 0 || varied(text[end:]))), run.words == 0 && leading[strings.ToLower(word)], lang.IsStop(strings.ToLower(word)):
			flush()
		case run.words == 0:
			run = nameSpan{i, end, 1}
		default:
			run.to, run.words = end, run.words+1
		}
		i = end
	}
	flush()
	return out
}

// varied reports whether a text goes on with the word for a variant: 900 Pro.
func varied(rest string) bool {
	w, _ := lang.WordAt(rest, min(1, len(rest)))
	return strings.HasPrefix(rest, " ") && variants[strings.ToLower(w)]
}

// isID reports digits, or letters with digits: what tells one of a kind from another.
func isID(word string) bool { return lang.HasDigit(word) }

// names tells whose name it is.
func (c *Claim) names(name string) whose {
	if w := c.hanName(name); w != nobody {
		return w
	}
	words := strings.Fields(strings.ToLower(name))
	if len(words) == 0 {
		return nobody
	}
	for _, v := range slices.Concat(c.True.All(), c.False.All()) {
		if v != "" && (lang.ContainsFold(v, name) || lang.ContainsFold(name, v)) {
			return nobody
		}
	}
	for _, a := range c.Aspect {
		if strings.EqualFold(a, name) {
			return nobody // "the CEO is"
		}
	}
	related := false
	for _, s := range c.Subject {
		have := strings.Fields(strings.ToLower(s))
		if len(have) == 0 || lang.HasHan(s) {
			continue
		}
		extra := missing(words, have)
		switch {
		case len(extra) == 0:
			return own
		case len(extra) == 1 && len(words) > 1 && (variants[extra[0]] || isID(words[len(words)-2]) && words[len(words)-1] == extra[0] && !atom.IsCommon(extra[0])):
			return kin // the 900 Pro, where the Kestrel 900 is asked for
		case len(missing(have, words)) == 0: // it holds the subject's name
			return own
		case ofKind(words, have):
			related = true
		}
	}
	switch {
	case related:
		return kin
	case !slices.ContainsFunc(words, func(w string) bool { return !atom.IsCommon(w) }), isID(words[0]):
		return nobody
	}
	return stranger
}

// missing is the words of a that b lacks.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}

// ofKind reports whether two names name two of one kind: they end with the same
// word, or are numbered alike.
func ofKind(a, b []string) bool {
	if len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] && !isID(a[len(a)-1]) {
		return true
	}
	if len(a) > 1 && len(b) > 1 && a[0] == b[0] && classes[a[0]] {
		return true // Port Hessle, Port Adeline
	}
	x, y := a[len(a)-1], b[len(b)-1]
	if !isID(x) || !isID(y) || shape(x) != shape(y) {
		return false
	}
	return strings.ContainsFunc(x, unicode.IsLetter) || len(a) > 1 && len(b) > 1 && a[len(a)-2] == b[len(b)-2]
}

// classes are the words for a kind of place that stand before its name.
var classes = lang.Set("port lake mount mt fort cape river loch camp castle saint st san santa isle")

// shape is an identifier with its digits made alike.
func shape(id string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return '0'
		}
		return r
	}, id)
}

// hanName tells whose a Chinese name is that a text is and nothing else.
func (c *Claim) hanName(name string) whose {
	if !lang.HasHan(name) {
		return nobody
	}
	n := len([]rune(strings.TrimSpace(name)))
	for _, s := range c.Subject {
		if lang.HasHan(s) && n <= len([]rune(s))+2 {
			return c.hanSubject(name)
		}
	}
	return nobody
}

// hanSubject is of whom a clause that begins with a Chinese name speaks. Two names
// are of one kind where they end with the same character, or from four on with two.
func (c *Claim) hanSubject(head string) whose {
	if !lang.HasHan(head) {
		return nobody
	}
	if lang.Mentions(head, c.Subject) {
		return own
	}
	text := []rune(strings.TrimLeft(head, " \t\n*_#>|-•，,、；（(“\"而"))
	for _, s := range c.Subject {
		name := []rune(s)
		if n := len(name); isID(s) && n <= len(text) && string(text[:n]) != s && shape(string(text[:n])) == shape(s) {
			return kin // 夜19路 beside 夜17路
		}
		if !lang.HasHan(s) || len(name) < 3 {
			continue
		}
		class := name[len(name)-1:]
		if len(name) > 3 {
			class = name[len(name)-2:]
		}
		const longest = 6
		for _, text := range [][]rune{text, behindRelation(text, longest+len(class))} {
			for n := 2; n <= longest && n+len(class) <= len(text) && unicode.Is(unicode.Han, text[n-1]); n++ {
				if slices.Equal(text[n:n+len(class)], class) && !(n > 2 && strings.Contains(s, string(text[:3]))) && !strings.ContainsAny(string(text[:n]), "这那该此本其各整全的与和同跟比在从是有座个条家片") {
					return kin
				}
			}
		}
	}
	return nobody
}

// behindRelation is a Chinese text without what places its first name: 上游的青峰水库.
func behindRelation(text []rune, longest int) []rune {
	if i := slices.Index(text[:min(len(text), longest)], '的'); i > 0 {
		return text[i+1:]
	}
	return text
}
