package evidence

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence/dispute"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// link links the values of the answer and of the tools' arguments.
func (b *builder) link() {
	l := b.ledger
	if l.index.full {
		b.cut("atoms")
		if l.Missing == "" {
			l.Missing = "cut"
		}
	}
	k := b.linker(&b.scratch.linker, b.t.Question, l.given)
	k.limit = len(b.t.Steps)
	l.Links = b.scratch.links[:0]
	if b.t.Answer != "" {
		// An agent's own step begins before what it observes.
		if at := b.stepIndex(b.t.AnswerStep); at >= 0 && b.t.Steps[at].Kind == trace.KindLLM {
			k.limit = b.t.SpokenBy(at)
		}
		k.calculated, k.acted, k.chose = b.hints, b.acted, b.chose
		k.text(b.t.Answer, func(off, length int) Place {
			return Place{StepID: b.t.AnswerStep, Field: "answer", Offset: off, Length: length}
		})
	}
	if turns := b.t.Earlier(); len(turns) > 0 {
		g := &given{texts: &atom.Texts{}}
		for i := range turns {
			b.earlier(&turns[i], g)
		}
		k.spoken = "" // the words that were read last are another linker's
	}
	k.hints, k.calculated, k.acted, k.chose = nil, nil, nil, nil
	defer func() { // as long as they are: a ledger outlives its making
		b.scratch.links = l.Links
		l.Links = append(l.memory.links, l.Links...)
		clear(b.scratch.links)
	}()
	for i, s := range b.t.Steps {
		if s.DuplicateOf != "" || s.Tool == nil || !s.Tool.Arguments.Captured() {
			continue
		}
		if len(l.Links) >= MaxLinks {
			b.cut("links")
			break
		}
		k.limit, k.began = i, nanos(s.Start)
		b.arguments(k, s)
	}
}

// linker makes k the linker of texts that belong to one question.
func (b *builder) linker(k *linker, question string, given *atom.Texts) *linker {
	l := b.ledger
	*k = linker{question: k.question[:0], scratch: b.scratch, ledger: l, index: l.index, room: &l.memory.room, given: given, missing: l.Missing, asked: question, readings: &b.readings}
	b.scratch.words = b.scratch.words[:0]
	k.question.Add(question)
	return k
}

// earlier links the answer of an earlier turn to what was observed and given up to
// then. One before which nothing was observed is about nothing of the trace.
func (b *builder) earlier(turn *trace.Turn, g *given) {
	l := b.ledger
	limit := b.t.TurnEnd(turn)
	if !slices.ContainsFunc(l.Observations, func(o Observation) bool { return o.step < limit }) {
		return
	}
	g.add(turn.Question)
	k := b.linker(&linker{}, turn.Question, g.until(b.t.Steps[:limit]))
	k.limit = limit
	k.calculated, k.acted, k.chose = b.hints, b.acted, b.chose
	first := len(l.Links)
	k.text(turn.Answer, func(off, length int) Place {
		return Place{StepID: turn.Step.ID, Field: "answer", Offset: off, Length: length}
	})
	for i := first; i < len(l.Links); i++ {
		l.Links[i].earlier, l.Links[i].gave = true, k.given.Gives(&l.Links[i].Atom)
	}
}

func (b *builder) stepIndex(id string) int {
	for i, s := range b.t.Steps {
		if s.ID == id {
			return i
		}
	}
	return -1
}

// hints are texts of the agent itself that show with what it calculated: the
// reasoning, and the arguments of its calls.
func (b *builder) hints() []atom.Atom {
	var out []atom.Atom
	for i := len(b.t.Steps) - 1; i >= 0 && len(out) < 64; i-- {
		s := b.t.Steps[i]
		if s.Tool != nil && s.Tool.Arguments.Captured() {
			for _, a := range atom.Scan(s.Tool.Arguments.Text()) {
				if a.Numeric() {
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// arguments links the values of one call.
func (b *builder) arguments(k *linker, s *trace.Step) {
	text := s.Tool.Arguments.Text()
	room := passing.Get().(*nodeRoom)
	defer room.release()
	root, ok := room.read(text, nil, true)
	if !ok {
		k.text(text, func(off, length int) Place {
			return Place{StepID: s.ID, Field: "tool.arguments", Offset: off, Length: length}
		})
		return
	}
	eachArgument(&root, "", func(n *node, key string) {
		if n.kind == nodeScalar && (settings[plainKey(key)] || n.text == "0" || n.text == "1") {
			return
		}
		k.text(n.text, func(off, length int) Place {
			from := n.back.at(off)
			return Place{StepID: s.ID, Field: "tool.arguments", Offset: from, Length: n.back.at(off+length) - from}
		})
	})
}

// eachArgument calls f for the texts and scalars inside of an argument, with the key
// that each stands under.
func eachArgument(n *node, key string, f func(n *node, key string)) {
	if n.kind == nodeObject || n.kind == nodeList {
		for i := range n.kids {
			name := n.kids[i].key
			if name == "" {
				name = key
			}
			eachArgument(&n.kids[i], name, f)
		}
		return
	}
	if inner := n.nested(); inner != nil {
		eachArgument(inner, key, f)
		return
	}
	f(n, key)
}

// settings are arguments that tell a tool how to work, not what about.
var settings = lang.Set(`limit k topk topn n count page pagesize size perpage offset start max maxresults numresults maxtokens timeout temperature depth retries batchsize numofresults
 resultcount maxlength precision decimals digits places version verbose`)

// linker finds where the values of one text come from.
type linker struct {
	scratch    *scratch
	ledger     *Ledger
	index      *index
	given      *atom.Texts
	question   lang.Words
	asked      string      // the question
	said       string      // the text that is linked, whose atoms are those of scratch
	squares    verdict     // whether the text speaks of a body-mass index; saysNothing where it has not been asked
	limit      int         // steps from here on come later than the text
	began      int64       // when the call began whose arguments are linked: what was returned after it comes later; 0 where unknown, and for the answer
	hints      []atom.Atom // what the agent calculated with, read on demand
	calculated func() []atom.Atom
	acted      func(id string) bool    // whether a call that succeeded was made with an identifier; nil but for the answer
	chose      func(a *atom.Atom) bool // whether a call was made for a time; nil but for the answer
	missing    string
	reused     map[reuse]bool    // what values of the text were calculated from
	vocabulary map[uint64]bool   // the words of the observations and the question; made on demand
	tellings   map[int32]telling // of postings; made on demand
	room       *room
	keys       map[string]keySense
	cued       string // the sentence whose cues were read last
	cues       uint16
	spoken     string                       // the sentence whose words were read last
	again      bool                         // the value is looked for once more, where nothing of its sentence was found to carry it
	beside     []uint64                     // the records and sentences that one value each of the sentence stands in; see atHome
	goal       string                       // the unit of the value whose operands are looked for
	attr       uint64                       // attributes that the sentence of the value names
	readings   *readings                    // of the observations; nil where it does not matter what they say otherwise
	statements *dispute.Reading             // of the text; made on demand
	disputes   map[int32][]dispute.Conflict // of the text with observations
	namings    map[int32]*naming            // of postings; made on demand
	slips      int                          // pairs of values that copied has weighed
	budget     int                          // bytes of observations that were searched for names and quotes
}

// later reports an observation that was not yet there when the text was written:
// a sub-agent's call ends after the calls that are made inside of it.
func (k *linker) later(obs int32) bool {
	o := &k.index.obs[obs]
	return o.step >= k.limit || k.began > 0 && o.returned > k.began
}

// wordsOf is the words of a sentence, read once for the values of it. They are good
// until another sentence is read.
func (k *linker) wordsOf(sentence string) lang.Words {
	if sentence != k.spoken {
		k.spoken, k.scratch.words = sentence, k.scratch.words[:0]
		k.scratch.words.Add(sentence)
	}
	return k.scratch.words
}

// text links the atoms of one text.
func (k *linker) text(text string, place func(off, length int) Place) {
	atoms := atom.Append(k.scratch.atoms[:0], text)
	k.scratch.atoms, k.said, k.squares, k.reused = atoms, text, saysNothing, nil
	defer k.unread()
	first := len(k.ledger.Links)
	from, to := -1, -1
	l := &k.scratch.link // of each atom in turn
	for i := range atoms {
		a := &atoms[i]
		if len(k.ledger.Links) >= MaxLinks {
			return
		}
		*l = Link{Place: place(a.Offset, a.Length), Atom: *a}
		if a.Offset >= to || a.Offset < from {
			from, to = lang.Sentence(text, a.Offset, a.Offset+a.Length)
		}
		if a.Part != atom.PartLater && k.direct(l, text[from:to]) {
			if !k.misplaced(l, text) && a.Kind == atom.Name {
				k.misattributed(l, text)
			}
			k.ledger.Links = append(k.ledger.Links, *l)
			continue
		}
		if a.Kind == atom.Name && k.splitName(a, text[from:to], place) {
			continue
		}
		l.State = "" // decided below, when all direct links are known
		k.ledger.Links = append(k.ledger.Links, *l)
	}
	links := k.ledger.Links[first:]
	// What one value is derived from may be derived itself, and stand after it. What
	// lies farther is looked for when all that lies near has been found.
	news, wide := true, false // news: the last pass, or this one, decided a value that others may follow from
	for pass, progress := 0, true; progress && pass < maxPasses; pass++ {
		before := news
		progress, news = false, false
		for i := range links {
			l := &links[i]
			if l.State != "" {
				continue
			}
			if l.Atom.Part == atom.PartLater && i > 0 && links[i-1].whole {
				l.follow(&links[i-1])
				news = true
				continue
			}
			around := links[max(0, i-maxAround):min(len(links), i+maxAround)]
			if k.atHome(l, text, around); (before || news) && k.derived(l, text, around) || wide && k.reckoned(l, text, around) {
				news = true
				progress = !k.misplaced(l, text) && !k.rather(l, text) && l.Atom.Numeric() || progress
			}
		}
		k.beside = k.beside[:0]
		if !progress && !wide {
			progress, wide = true, true
		}
	}
	kept := k.ledger.Links[:first]
	for i := range links {
		l := &links[i]
		if l.State == "" && l.Atom.Part == atom.PartLater && i > 0 && links[i-1].whole {
			l.follow(&links[i-1])
		}
		if l.State == "" && !k.unresolved(l, text) {
			continue // a small count or a phrase in quotes, which is nobody's to carry
		}
		if l.Observations == nil { // lists are always present
			l.Observations, l.Sources, l.Quotes = noObservations, noPlaces, noOperands
		}
		if l.Operands == nil {
			l.Operands = noOperands
		}
		kept = append(kept, *l)
	}
	k.ledger.Links = kept
	if k.acted != nil {
		k.inWords(text, first, place)
	}
}

var (
	noObservations = []int{}
	noPlaces       = []Place{}
	noOperands     = []string{}
)

// unread gives back what was read of the text's statements.
func (k *linker) unread() {
	if k.statements != nil {
		k.statements.Release()
		k.statements, k.disputes = nil, nil
	}
}

// direct finds the observations that carry the value as it is, else what gave it.
func (k *linker) direct(l *Link, sentence string) bool {
	a := &l.Atom
	switch a.Kind {
	case atom.Quote:
		return k.phrase(l, a.Value)
	case atom.Name:
		return k.name(l)
	}
	if found := k.carriers(a, sentence); len(found) > 0 {
		k.take(l, found)
		l.whole = a.Part == atom.PartFirst
		return true
	}
	if k.given.States(a) != nil {
		l.State, l.Given, l.whole = Carried, true, a.Part == atom.PartFirst
		return true
	}
	if a.Kind == atom.Identifier && k.acted != nil && k.acted(a.Value) {
		l.State, l.Given = Carried, true
		return true
	}
	if a.Numeric() && (a.Num < 0 || saysDown(sentence) || a.Significant() >= 3) { // {"change": -1.27}, and "down $1.27"
		turned := *a
		if turned.Num = -a.Num; a.Num > 0 {
			turned.Value = "-" + a.Value
		} else {
			turned.Value = strings.TrimPrefix(a.Value, "-")
		}
		found := k.carriers(&turned, sentence)
		if a.Num > 0 && !saysDown(sentence) && a.Significant() < 4 { // the words must tell
			found = slices.DeleteFunc(found, func(c candidate) bool { return k.wordsOf(sentence).Shared(k.index.label(c.p)) == 0 })
		}
		if len(found) > 0 {
			k.take(l, found)
			return true
		}
	}
	return false
}

// saysDown reports a sentence that tells of a fall: it states what is negative
// without its sign.
func saysDown(sentence string) bool {
	return fallWords.In(sentence)
}

var fallWords = lang.MakePhrases("down", "fell", "fall", "drop", "declin", "decreas", "lost", "loss", "lower", "below", "shed", "slip", "跌", "降", "亏", "减")

// maxPasses bounds how often the values of a text are looked at for derivations.
const maxPasses = 5

// maxAround bounds the values before a value, and those after it, that it may be
// derived from: what a text says hundreds of values before is rarely meant, and all
// of them for each would take the square of their number.
const maxAround = 128

// bodyMass reports a text that speaks of a body-mass index, which is by the square of a height.
func (k *linker) bodyMass() bool {
	if k.squares == saysNothing {
		if k.squares = differs; bodyMassWords.In(k.said) {
			k.squares = fits
		}
	}
	return k.squares == fits
}

var bodyMassWords = lang.MakePhrases("bmi", "body mass index", "body-mass index", "体质指数")

// atHome notes where the values stand that are in the sentence of a value: what one
// record or one sentence of an observation states is mostly told in one sentence, in
// whatever words.
func (k *linker) atHome(l *Link, text string, links []Link) {
	from, to := lang.Sentence(text, l.Atom.Offset, l.Atom.Offset+l.Atom.Length)
	k.beside = k.beside[:0]
	for i := range links {
		if o := &links[i]; o.Atom.Offset >= from && o.Atom.Offset < to && o != l && len(o.posts) == 1 && o.posts[0] >= 0 {
			k.beside = append(k.beside, k.index.locus(&k.index.posts[o.posts[0]]))
		}
	}
}

// derived decides a value that follows from others.
func (k *linker) derived(l *Link, text string, links []Link) bool {
	a := &l.Atom
	if a.Kind == atom.Identifier || a.Kind == atom.Number && a.Unit == "" {
		if k.loosely(l, text) || k.telephone(l, text) || a.Kind == atom.Identifier && k.inKeys(l) {
			return true
		}
	}
	if a.Kind == atom.Number && (a.Unit == "th" || countsItself(a) || scaleOfMark(text, a)) || !a.Numeric() && a.Kind != atom.Date {
		return false
	}
	if a.Kind != atom.Date && k.inItsDigits(l) {
		return true
	}
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	near := k.wordsOf(text[from:to])
	if a.Kind == atom.Date {
		return k.coarserDate(l, text) || k.onTheHour(l) || yearsApart(l, links) || k.zoned(l, text, links) || k.clockSum(l, near, text, from, to, links)
	}
	if a.Part != 0 && k.apart(l, near, text, from, to, links) {
		return true
	}
	k.again = true
	found := k.carriers(a, text[from:to])
	if k.again = false; len(found) > 0 {
		k.take(l, found)
		return true
	}
	return k.spelled(l, text, links) || k.near(l, near, text) || l.sameElsewhere(links) || k.column(l, text, text[from:to]) || k.computed(l, near, text, from, to, links) || k.remains(l, text, from, to, links)
}

// unresolved decides a value that nothing carries and nothing leads to. It
// reports false for what need not be carried.
func (k *linker) unresolved(l *Link, text string) bool {
	a := &l.Atom
	switch a.Kind {
	case atom.Name:
		if capitalOnly(text, a) {
			return false
		}
	case atom.Quote:
		if len(strings.Fields(a.Value)) < 3 && !lang.IsHan(a.Value) || len(a.Value) < 12 {
			return false
		}
	case atom.Number:
		if a.Unit == "th" || countsItself(a) || scaleOfMark(text, a) || factor(text, a) {
			return false
		}
	case atom.Money, atom.Quantity:
		if unitOfRate(text, a) {
			return false
		}
	}
	if l.left {
		l.State = Unknown
		return true
	}
	if a.Kind == atom.Number && a.InWords && a.Num <= 12 {
		return false
	}
	if a.Numeric() || a.Kind == atom.Date || a.Kind == atom.Identifier {
		if k.contradicted(l, text) {
			l.whole = a.Part == atom.PartFirst
			return true
		}
	}
	if k.chose != nil && isTime(a) && k.chose(a) {
		l.State, l.Given = Carried, true
		return true
	}
	l.State = Unsupported
	if k.missing != "" {
		l.State = Unknown
	}
	return true
}

// scaleOfMark reports what a mark is of: 4.8/5, 7.5/10.
func scaleOfMark(text string, a *atom.Atom) bool {
	if a.Offset < 2 || text[a.Offset-1] != '/' || a.Unit != "" || a.Num != 5 && a.Num != 10 && a.Num != 100 {
		return false
	}
	before := text[a.Offset-2]
	return lang.IsDigit(before) || before == '*'
}

// factor reports a small whole number that the text multiplies with: 3 × €29.90.
func factor(text string, a *atom.Atom) bool {
	return counting(a) && (strings.HasPrefix(strings.TrimLeft(text[a.Offset+a.Length:], " *"), "×") || strings.HasSuffix(strings.TrimRight(text[:a.Offset], " *"), "×"))
}

// capitalOnly reports a single word of which nothing but its capital letters says that
// it is a name: one where any word has a capital, and an abbreviation.
func capitalOnly(text string, a *atom.Atom) bool {
	const longest = 5 // of abbreviations
	switch {
	case strings.IndexByte(a.Value, ' ') >= 0 || lang.HasHan(a.Value):
		return false
	case atom.Opens(text, a.Offset):
		return true
	}
	return len(a.Value) <= longest && lang.LowerASCII(a.Value[1:]) != a.Value[1:]
}

// unitOfRate reports the one of a unit whose worth in another the text goes on to
// state: 1 EUR is 11.62 SEK.
func unitOfRate(text string, a *atom.Atom) bool {
	if a.Num != 1 || a.Raw.Coef != 1 {
		return false
	}
	verb, rest, _ := strings.Cut(strings.TrimLeft(text[a.Offset+a.Length:], " "), " ")
	switch verb {
	case "is", "=", "≈", "equals", "buys", "costs", "gets", "gives", "→":
	default:
		return false
	}
	atoms := atom.Scan(rest[:min(len(rest), 40)])
	return len(atoms) > 0 && (atoms[0].Kind == atom.Money || atoms[0].Kind == atom.Quantity) && atoms[0].Unit != a.Unit
}

// sameElsewhere derives a value from one that the text states in another unit,
// or more exactly: 64,480 kg, i.e. 64.48 t.
func (l *Link) sameElsewhere(links []Link) bool {
	a := &l.Atom
	if atom.Measures[a.Unit].Dim == atom.DimNone || a.Unit == "%" {
		return false
	}
	v, _, m := atom.Base(a.Num, a.Grain, a.Unit)
	for i := range links {
		o := &links[i]
		if o == l || o.State != Carried && o.State != Derived || !o.Atom.Numeric() || o.Atom.Unit == a.Unit || !atom.SameDimension(o.Atom.Unit, a.Unit) || o.Atom.Part == atom.PartLater {
			continue
		}
		if w, _, _ := atom.Base(o.Atom.Num, o.Atom.Grain, o.Atom.Unit); math.Abs(w-v) <= a.Grain*m.By*.5*(1+1e-9) {
			place, own := l.Place, l.Atom
			l.follow(o)
			l.Place, l.Atom = place, own
			l.State, l.How, l.Operands = Derived, "converted", []string{o.Atom.Text}
			return true
		}
	}
	return false
}

// apart decides a part of a value in several units: the first one as the whole,
// else each by itself.
func (k *linker) apart(l *Link, near lang.Words, text string, from, to int, links []Link) bool {
	if l.Atom.Part == atom.PartFirst {
		if l.whole = k.near(l, near, text) || k.computed(l, near, text, from, to, links); l.whole {
			return true
		}
	}
	whole := l.Atom
	l.Atom.Part, l.Atom.Num, l.Atom.Grain = 0, whole.Raw.Float(), 1
	if k.direct(l, text[from:to]) {
		return true
	}
	l.Atom = whole
	return false
}

// follow makes a link of what the link of the whole is.
func (l *Link) follow(first *Link) {
	own := *l
	*l = *first
	l.Place, l.Atom = own.Place, own.Atom
	l.Observations, l.Sources, l.Quotes = slices.Clone(l.Observations), slices.Clone(l.Sources), slices.Clone(l.Quotes)
}

// countsItself reports a number that counts parts of the answer or the work
// done for it: two sources, three steps.
func countsItself(a *atom.Atom) bool {
	return a.Num <= 20 && a.Num == math.Trunc(a.Num) && ownNouns()[lang.Stem(a.Noun)]
}

var ownNouns = sync.OnceValue(func() map[string]bool {
	m := make(map[string]bool, 64)
	for w := range strings.FieldsSeq(`sources source steps step results result options option ways way points point reasons reason things thing searches search calls call documents document
 pages examples example questions question parts part sections tools tool attempts attempt sentences bullets paragraphs facts checks websites articles references`) {
		m[lang.Stem(w)] = true
	}
	return m
})
