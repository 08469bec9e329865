package stance

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Stance is how a clause stands to a value that it states, by rising commitment.
type Stance uint8

const (
	silent     Stance = iota // does not state it
	asked                    // asks whether it holds
	rejected                 // states that it is wrong, or holds no longer
	hedged                   // states it with doubt
	open                     // names it as one of two
	rumoured                 // says that somebody states it, or mentions it beside another
	attributed               // says who states it
	Asserted                 // states it as its own
	concluded                // states it as what the text comes to
)

// reported reports a stance that leaves a value to others, or open.
func (s Stance) reported() bool { return s >= open && s <= attributed }

// Sentences splits a text at full stops, question and exclamation marks that
// end a word or stand before Chinese, and at line breaks. A mark inside of a number
// ends nothing.
func Sentences(text string) []string {
	var out []string
	from := 0
	for i, r := range text {
		if i < from {
			continue // a mark that closes the sentence before
		}
		end := i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '；', '\n':
		case '.', '!', '?', ';':
			if r == '.' && lang.HasAny(text[max(from, i-3):i], versus) {
				continue
			}
			end += len(text[end:]) - len(strings.TrimLeft(text[end:], closing))
			if next, _ := utf8.DecodeRuneInString(text[end:]); end < len(text) && !unicode.IsSpace(next) && (r == '.' || !unicode.Is(unicode.Han, next)) {
				continue
			}
		default:
			continue
		}
		out = append(out, text[from:end])
		from = end
	}
	if from < len(text) {
		out = append(out, text[from:])
	}
	return out
}

var versus = phrases("vs")

// closing are marks that may stand between the end of a sentence and the blank behind it.
const closing = "*_\"”’)）"

// strike stands around what is struck out.
const strike = "~~"

// remark is a clause: a piece of a sentence with at most one stance to each value.
type remark struct {
	text    string
	states  [2]bool // the true, the false value
	stance  Stance  // preset where the cut tells it; else found by [stanceOf]
	bracket bool    // stands in brackets
	back    bool    // spoke of the value before it, and introduces nothing
	object  bool    // follows another value in the same statement
	own     bool    // names the claim's aspect before its value
	other   string  // what it names there that is not the aspect
	apart   bool    // names one there that is no other word for it
	measure bool    // is what another value is measured by
	twofold bool    // its sentence states both values
	beside  bool    // mentions its value beside the claim's, see beside
}

func (c *remark) silent() bool { return !c.states[0] && !c.states[1] }

// clausesOf splits a sentence at commas and colons that are followed by a blank or
// by Chinese, at dashes and brackets, and before the words at which it turns.
func clausesOf(sentence string) []string {
	at := append(lang.IndexAll(sentence, turns), lang.IndexAll(sentence, changes)...)
	for from, n := 0, 0; ; n++ {
		i := strings.Index(sentence[from:], strike)
		if i < 0 {
			break
		}
		from += i + len(strike)
		if n%2 == 1 {
			at = append(at, from)
		}
	}
	for i, r := range sentence {
		switch r {
		case ',', ':':
			next, _ := utf8.DecodeRuneInString(sentence[i+1:])
			if !inDate(sentence, i) && (next == ' ' || unicode.Is(unicode.Han, next)) {
				at = append(at, i+1)
			}
		case '，', '：', '—', ')', '）':
			at = append(at, i+utf8.RuneLen(r))
		case '（', '(':
			at = append(at, i)
		}
	}
	return cutAt(sentence, at)
}

// inDate reports a comma between a day and a year: May 14, 2019.
func inDate(s string, i int) bool {
	return i > 0 && lang.IsDigit(s[i-1]) && s[i] == ',' && strings.HasPrefix(s[i+1:], " ") && lang.DigitsEnd(s, i+2) == i+6
}

func cutAt(s string, cuts []int) []string {
	mark := make(map[int]bool, len(cuts))
	for _, c := range cuts {
		mark[c] = true
	}
	var out []string
	from := 0
	for i := range s {
		if mark[i] && i > from {
			out = append(out, s[from:i])
			from = i
		}
	}
	return append(out, s[from:])
}

// clauses splits a sentence so that each clause has one stance to a value. A
// value that a cut would break keeps the sentence whole.
func (c *Claim) clauses(sentence string) []remark {
	whole := c.clause(sentence)
	if whole.silent() {
		return []remark{whole}
	}
	var out []remark
	var kept [2]bool
	within := false // brackets
	for _, text := range clausesOf(sentence) {
		if strings.TrimSpace(text) == "" {
			continue
		}
		whole := c.clause(text)
		whole.bracket = whole.bracket || within
		within = whole.bracket && !strings.ContainsAny(text, ")）")
		for _, p := range c.apart(whole) {
			kept[0], kept[1] = kept[0] || p.states[0], kept[1] || p.states[1]
			out = append(out, p)
		}
	}
	if whole.states[0] && !kept[0] || whole.states[1] && !kept[1] {
		return []remark{whole}
	}
	return out
}

func (c *Claim) clause(text string) remark {
	t, f := c.Sides(text)
	return remark{text: text, states: [2]bool{t, f}, bracket: strings.HasPrefix(text, "(") || strings.HasPrefix(text, "（")}
}

// apart splits a clause at "and", and between two values: they are alternatives
// where only a word like "or" stands between them, from one to the other where
// the clause tells of a change; else the second is what the first is set beside.
func (c *Claim) apart(p remark) []remark {
	if !p.states[0] || !p.states[1] {
		return c.conjuncts(p)
	}
	t, tEnd := c.place(p.text, 0)
	f, fEnd := c.place(p.text, 1)
	from, to := tEnd, f
	if f < t {
		from, to = fEnd, t
	}
	if from > to || to >= len(p.text) {
		p.stance = open // in one writing, such as 44–69 mg
		return []remark{p}
	}
	between := strings.Trim(p.text[from:to], " *_`\"“”")
	joined := false
	for _, j := range joints {
		joined = joined || strings.EqualFold(between, j)
	}
	if !joined {
		if parts := c.conjuncts(p); len(parts) > 1 {
			var out []remark
			for _, q := range parts {
				out = append(out, c.apart(q)...)
			}
			return out
		}
	}
	a, b := c.clause(p.text[:from]), c.clause(p.text[from:])
	a.bracket, b.bracket = p.bracket, p.bracket
	switch {
	case between == "->" || between == "→" || between == "=>":
		a.stance, b.stance = rejected, Asserted
	case predicates().leaving.MatchString(between):
		a.stance, b.stance = rejected, Asserted // "Drevik handed the reins to Okafor"
	case strings.EqualFold(between, "to") && lang.Closes(p.text[:min(t, f)], changing), joined && lang.HasAny(p.text, changing) && lang.HasAny(a.text, origins):
		a.stance, b.stance = rejected, Asserted
	case joined:
		a.stance, b.stance = open, open
	case !lang.HasAny(a.text, rejectBefore):
		b.object = true
	}
	return []remark{a, b}
}

// conjuncts splits a clause at "and" where no value breaks.
func (c *Claim) conjuncts(p remark) []remark {
	texts := cutAt(p.text, lang.IndexAll(p.text, ands))
	var out []remark
	var kept [2]bool
	for _, text := range texts {
		q := c.clause(text)
		q.bracket = p.bracket
		kept[0], kept[1] = kept[0] || q.states[0], kept[1] || q.states[1]
		out = append(out, q)
	}
	if p.states[0] && !kept[0] || p.states[1] && !kept[1] {
		return []remark{p}
	}
	return out
}

// wording is a clause as its cues are looked up: without its value, which may
// hold the word of a cue.
type wording struct {
	head   string // before the value
	text   string // all of it, with what stands around its brackets
	label  string // the clause before, where it introduces this one: "press.example:", "According to the leaflet,"
	source string // the label where it can name a source, and is no field of the claim
}

func (c *Claim) wordingOf(list []remark, i int) wording {
	p := &list[i]
	side := 0
	if !p.states[0] {
		side = 1
	}
	from, to := c.place(p.text, side)
	w := wording{head: plain(p.text[:from])}
	w.text = w.head + " " + plain(p.text[to:])
	if i > 0 && list[i-1].silent() {
		before := plain(list[i-1].text)
		switch {
		case list[i-1].back || holdsValue(list[i-1].text):
		case i > 1 && !list[i-2].silent() && rejects(&list[i-2], list[i-1].text): // it speaks of the value before it
		case strings.HasSuffix(before, ":"), strings.HasSuffix(before, "："), lang.Opens(before, accordingTo):
			w.label = before
		case p.bracket:
			w.head, w.text = before+w.head, before+w.text
		}
	}
	if i+1 < len(list) && list[i+1].silent() && (p.bracket || (lang.Opens(list[i+1].text, accordingTo) || lang.Opens(list[i+1].text, telling))) {
		w.text += plain(list[i+1].text)
	}
	if !c.about(w.label) {
		w.source = w.label
	}
	return w
}

// stanceOf is how a clause stands to its value. Around it are the clauses of the
// same sentence, which may doubt all of it.
func (c *Claim) stanceOf(list []remark, i int, doubt bool) Stance {
	p := &list[i]
	if p.stance != silent {
		return p.stance
	}
	w := c.wordingOf(list, i)
	if p.twofold && lang.HasAny(w.label, contending) {
		w.label = "" // it introduces both values
	}
	p.beside = c.beside(&w) || lang.HasAny(w.text, elsewhere) || lang.HasAny(introducing(list, i)+w.text, wholes) && !lang.HasAny(c.asked, wholes)
	p.measure = w.compares()
	p.own, p.other, p.apart = c.topical(list, i, &w)
	told, sourced := w.label+" "+w.text, w.source+" "+w.text
	switch {
	case w.rejects(), c.ahead(&w), p.measure, ended(w.text[len(w.head):]), left(&w), w.disowned(), discards(w.label), lang.HasAny(w.label, rejectBefore) && !lang.HasAny(w.label, conflictAny), confused(list, i), setAside(list, i), lang.HasAny(told, rejectAny), lang.HasAny(w.text, dismissals), i+1 < len(list) && lang.Opens(list[i+1].text, changes):
		return rejected
	case lang.HasAny(w.text, hedgeAny), lang.HasAny(w.head, hedgeBefore), conditional(w.text), appraised(w.text[len(w.head):]), supposed(w.text[len(w.head):]), checking(w.text), distrusts(w.text), doubt:
		return hedged
	case p.states[0] && p.states[1]:
		return open
	case lang.HasAny(told, concluding) && !lang.HasAny(w.label, undecidedAny), lang.HasAny(w.label, answerLabels) && !w.aside(), lang.HasAny(w.head, concludingBefore), lang.Opens(w.text, so), i == 0 && lang.Opens(w.text, imperatives):
		return concluded
	case p.object, w.aside(), w.former(), anySource(sourced), lang.HasAny(w.head, conflictAny) && lang.Closes(w.head, opposing), p.bracket && (i > 0 && !list[i-1].silent() || i > 1 && list[i-1].bracket && !list[i-2].silent()):
		return rumoured
	case lang.HasAny(sourced, attribution), lang.HasHan(sourced) && sourcePatterns().states.MatchString(sourced), sourceHas(w.head), possessed(w.head) && !c.about(w.head), lang.Mentions(sourced, c.publishers()), sourceLabel(w.source), hasHost(w.label), strings.HasPrefix(strings.TrimSpace(p.text), "|"):
		if lang.Opens(w.text, concessions) || i == 0 && lang.Opens(w.text, oppositions) {
			return rumoured
		}
		return attributed
	case lang.HasAny(w.text, current):
		return concluded
	case i > 0 && list[i-1].stance.reported() && !lang.HasAny(p.text, verbs):
		return list[i-1].stance // "one says 69 mg, the leaflet 44 mg"
	}
	return Asserted
}

// statesBoth reports whether the clauses of a sentence state both values.
func statesBoth(list []remark) bool {
	var sides [2]bool
	for i := range list {
		sides[0], sides[1] = sides[0] || list[i].states[0], sides[1] || list[i].states[1]
	}
	return sides[0] && sides[1]
}

// holdsValue reports whether a clause holds a value of its own, though none of the claim's.
func holdsValue(text string) bool {
	return slices.ContainsFunc(atom.Scan(text), func(a atom.Atom) bool {
		return a.Kind == atom.Quantity || a.Kind == atom.Money || a.Kind == atom.Percent
	})
}

// setAside reports a value behind "not" and an insertion: "and not, as is often read, X".
func setAside(list []remark, i int) bool {
	return i > 1 && lang.Opens(list[i-1].text, insertions) && denies(list[i-2].text)
}

// denies reports whether a clause ends with "not", which speaks of what follows.
func denies(text string) bool {
	return lang.Closes(strings.TrimRight(text, " ,，"), nots) && strings.HasSuffix(strings.TrimRight(text, " "), ",")
}

// confused reports whether a sentence says that somebody takes a thing for that of
// this clause: "confuses the track with", "mistakes it for".
func confused(list []remark, i int) bool {
	const near = 3 // clauses
	p := list[i].text
	for j := i; j >= max(0, i-near); j-- {
		if k := lang.IndexAny(list[j].text, confusing); k >= 0 {
			rest := list[j].text[k:]
			if j < i {
				rest = list[i-1].text + p
				if j == i-1 {
					rest = list[j].text[k:] + p
				}
			}
			return lang.HasAny(rest, instead)
		}
	}
	return false
}

// rejects reports whether words before the value deny it, or tell that it held
// once, or it is struck out.
func (w *wording) rejects() bool {
	if strings.HasSuffix(strings.TrimRight(w.head, " *_"), strike) {
		return true
	}
	if i := lang.IndexAny(w.head, until); i >= 0 && lang.Closes(w.head, until) && lang.HasAny(w.head[:i], denials) {
		return false // "did not open until May" says that it did then
	}
	changed := lang.HasAny(w.text, changing)
	if changed && lang.Closes(w.head, origins) || lang.HasAny(w.text, formerAny) || lang.HasAny(w.head, until) && lang.HasAny(w.head, was) {
		return true
	}
	if lang.Opens(w.text, changes) || changed && lang.Closes(w.head, goals) {
		return false // the verb's own word rejects nothing
	}
	return lang.Closes(w.head, stillThen) || lang.HasAny(blank(w.head, hedgeAny), rejectBefore)
}

// stillThen stand before what held before: "the preview builds were still on 6.6".
var stillThen = each(" ", phrases("was still", "were still", "was then", "were then", "was once", "were once"), phrases("at", "on", "in", "using", "with", "listed as", "priced at", "called"))

// doubtful reports whether a clause without a value doubts the sentence, which
// turns nowhere. What is added in brackets, or advises the reader, is a caveat.
func (c *Claim) doubtful(list []remark) bool {
	doubt := false
	for i := range list {
		if lang.Opens(list[i].text, turns) {
			return false
		}
		doubt = doubt || list[i].silent() && !list[i].bracket && !lang.HasAny(list[i].text, advising) && !c.looksElsewhere(list[i].text) && unsure(plain(list[i].text))
	}
	return doubt
}

// rejects reports whether a clause without a value says of the value before it
// that it is wrong: "which is outdated", "and wrong". "The other page is wrong"
// says it of another.
func rejects(before *remark, text string) bool {
	if strings.HasSuffix(strings.TrimRight(text, " "), `":`) {
		return false // a key of an object speaks of what follows it
	}
	text = strings.TrimLeft(plain(text), " ，,*")
	for _, a := range slices.Concat(ands, objections) {
		if lang.IndexWord(text, a) == 0 {
			text = strings.TrimSpace(text[len(a):])
		}
	}
	const near = 30 // bytes
	start := strings.ToValidUTF8(text[:min(near, len(text))], "")
	if points := lang.Opens(text, backward) || lang.Opens(text, pointing) || lang.Opens(text, seeming); points && (slipped(text) || before.stance == rumoured && lang.HasAny(text, defying)) {
		return true
	}
	if lang.HasAny(start, dismissals) || lang.Opens(start, rejectAny) || lang.Opens(start, backward) && (lang.HasAny(start, rejectAny) || lang.HasAny(start, formerAny)) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(strings.TrimSpace(before.text))
	return lang.Opens(text, nots) && !unicode.IsPunct(last)
}

// seeming open a clause that guesses what the value before it is.
var seeming = phrases("it seems", "it appears", "it looks", "it probably", "it likely", "it may", "it might", "it must", "it could", "apparently", "probably", "likely", "possibly", "presumably", "perhaps", "they seem", "they appear", "they probably")

// defying say of what somebody states that something else stands against it.
var defying = phrases("contradicts", "conflicts with", "goes against", "runs counter to", "is at odds with", "disagrees with", "is not borne out", "is not backed", "矛盾", "不符", "相悖")

// plain is a text as cues are looked up in it: with straight apostrophes, and
// without what sounds like a rejection and is none.
func plain(text string) string { return blank(strings.ReplaceAll(text, "’", "'"), undone) }

// blank is a text without cues.
func blank(text string, list []string) string {
	for _, c := range list {
		if i := lang.IndexWord(text, c); i >= 0 {
			text = text[:i] + " " + text[i+len(c):]
		}
	}
	return text
}

// hasHost reports whether a word of the text is the name of a site.
func hasHost(text string) bool {
	for w := range strings.FieldsSeq(text) {
		name, ending, ok := strings.Cut(strings.Trim(w, "*`:：()[]|"), ".")
		if ok && len(name) > 1 && len(ending) > 1 && unicode.IsLetter(rune(name[0])) && unicode.IsLetter(rune(ending[0])) {
			return true
		}
	}
	return false
}

// about reports whether a text names the subject or the aspect of the claim.
func (c *Claim) about(text string) bool {
	return lang.Mentions(text, c.Subject) || lang.Mentions(text, c.Aspect)
}
