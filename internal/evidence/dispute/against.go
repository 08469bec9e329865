package dispute

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Value is one side of a dispute: its place in its source.
type Value struct {
	Part, Offset, Length int
	Atom                 *atom.Atom // nil where the value is words
}

// Conflict is two values that cannot both be right.
type Conflict struct {
	A, B     Value
	Subject  string // what both are of
	Nameless bool   // neither says what it is of
	Lonely   bool   // of one kind, and nothing says that they are of one attribute
}

// MaxWeighed bounds the pairs of statements that [Reading.Against] weighs.
const MaxWeighed = 50_000

// Against lists where two sources state different values of one thing, and says
// how many pairs of statements it weighed: more than [MaxWeighed] where it left some out.
func (r *Reading) Against(o *Reading) (out []Conflict, weighed int) {
	if r.replaces || o.replaces {
		return nil, 0
	}
	type rivals struct{ a, b, score int }
	var found []rivals
	var lonely []rivals // of one dimension, of which nothing says that they are of one attribute
	settledA, settledB := map[int]bool{}, map[int]bool{}
	for i := range r.list {
		a := &r.list[i]
		for j := range o.list {
			b := &o.list[j]
			if a.kind&b.kind == 0 {
				continue
			}
			v := a.compare(b, r, o)
			if v == incomparable {
				continue
			}
			if weighed++; weighed > MaxWeighed {
				break
			}
			score, m := r.match(o, a, b)
			switch {
			case m == no:
			case v == agrees:
				settledA[i], settledB[j] = true, true
			case m == alone:
				lonely = append(lonely, rivals{i, j, score})
			default:
				found = append(found, rivals{i, j, score})
			}
		}
	}
	slices.SortStableFunc(found, func(x, y rivals) int { return y.score - x.score })
	for _, f := range found {
		if settledA[f.a] || settledB[f.b] {
			continue
		}
		a, b := &r.list[f.a], &o.list[f.b]
		if a.kind == name && b.kind == name && (farther(r.list, f.a, o) || farther(o.list, f.b, r)) {
			continue
		}
		settledA[f.a], settledB[f.b] = true, true
		out = append(out, r.conflict(o, a, b))
	}
	// They are where each is the only one that the other could mean.
	lonely = slices.DeleteFunc(lonely, func(f rivals) bool { return settledA[f.a] || settledB[f.b] })
	ofA, ofB := map[int]int{}, map[int]int{}
	for _, f := range lonely {
		ofA[f.a]++
		ofB[f.b]++
	}
	for _, f := range lonely {
		if ofA[f.a] == 1 && ofB[f.b] == 1 {
			c := r.conflict(o, &r.list[f.a], &o.list[f.b])
			c.Lonely = true
			out = append(out, c)
		}
	}
	return out, weighed
}

func (r *Reading) conflict(o *Reading, a, b *statement) Conflict {
	names := append(slices.Clone(a.scene.names), a.under.names...)
	texts := append(slices.Clone(a.scene.texts), a.under.texts...)
	var common []string
	for i, text := range texts {
		if w := lang.LowerASCII(text); i < len(names) && len(common) < 6 && o.says(names[i]) && !slices.Contains(common, w) {
			common = append(common, w)
		}
	}
	for _, run := range append(slices.Clone(a.scene.runs), a.under.runs...) {
		if len(common) == 0 && slices.Contains(o.terms, lang.Hash(run)) {
			common = append(common, run)
		}
	}
	nameless := func(s *statement) bool {
		return len(s.scene.names)+len(s.under.names)+len(s.scene.codes)+len(s.under.codes)+len(s.scene.runs)+len(s.under.runs) == 0
	}
	return Conflict{A: a.place(), B: b.place(), Subject: strings.Join(common, " "), Nameless: nameless(a) && nameless(b)}
}

// farther reports a name of a role of which a nearer one is the role's.
func farther(list []statement, i int, o *Reading) bool {
	s := &list[i]
	for j := range list {
		t := &list[j]
		if t.kind == name && j != i && t.part == s.part && t.scene == s.scene && t.concepts[0] == s.concepts[0] && t.near < s.near && lone(t.value, o) > 0 {
			return true
		}
	}
	return false
}

func (s *statement) place() Value {
	return Value{int(s.part), int(s.off), int(s.size), s.a}
}

// match decides whether two statements are of one attribute of one thing, under
// circumstances that do not exclude each other.
func (r *Reading) match(o *Reading, a, b *statement) (int, match) {
	if apart(a, b) {
		return 0, no
	}
	when, whenB := a.when, b.when
	if len(when) == 0 {
		when = a.under.when
	}
	if len(whenB) == 0 {
		whenB = b.under.when
	}
	if clash(when, whenB) {
		return 0, no
	}
	if a.kind != clock && len(a.clocks) > 0 && len(b.clocks) > 0 && !slices.ContainsFunc(a.clocks, func(c string) bool { return slices.Contains(b.clocks, c) }) {
		return 0, no
	}
	namesA, namesB := a.names(r), b.names(o)
	codesA, codesB := a.context.codes, b.context.codes
	sameCode, clashing := compareCodes(codesA, codesB)
	if clashing {
		return 0, no
	}
	loneA, loneB := a.loneNames(o), b.loneNames(r)
	if loneA > 0 && loneB > 0 {
		return 0, no
	}
	if a.sibling(b, r, o) {
		return 0, no
	}
	if lone(a.scene.variants, o)+lone(b.scene.variants, r) > 0 {
		return 0, no
	}
	if otherQuantities(a, b) {
		return 0, no
	}
	if a.narrower(b, o) || b.narrower(a, r) {
		return 0, no
	}
	if (a.perUnit == 1) != (b.perUnit == 1) || a.perUnit != 0 && b.perUnit != 0 && a.perUnit != b.perUnit {
		return 0, no
	}
	if a.kind&b.kind&count != 0 && (a.perUnit == 0) != (b.perUnit == 0) { // barrels a day, and barrels
		return 0, no
	}
	hanA, hanB := r.han(a), o.han(b)
	if hanA == hanB && a.qualified(b, r, o) {
		return 0, no
	}
	if lone(a.head, o) > 0 || lone(b.head, r) > 0 {
		return 0, no
	}
	if lone(a.scope, o) > 0 && lone(b.scope, r) > 0 && !shares(a.scope, b.scope) {
		return 0, no
	}
	// The subject.
	subject := 2 * (shared(namesA, namesB) + sameCode)
	wordsA, wordsB := a.context.words, b.context.words
	subject += shared(namesA, wordsB) + shared(wordsA, namesB) + shared(wordsA, wordsB)
	runs := a.sharedRuns(b, r, o)
	subject += runs
	concept := sharedConcept(a, b)
	if concept == 0 && a.key != 0 && a.key == b.key && a.kind&b.kind&code == 0 {
		concept = -1
	}
	knownA, knownB := len(namesA)+len(codesA)+len(a.scene.runs)+len(a.under.runs) > 0, len(namesB)+len(codesB)+len(b.scene.runs)+len(b.under.runs) > 0
	if knownA && knownB && subject < 2 {
		return 0, no
	}
	if a.kind&b.kind == code && subject < 2 {
		return 0, no
	}
	if concept != 0 {
		subject++
	}
	if !knownA || !knownB {
		subject += shared(a.scene.spoken, b.scene.spoken)
	}
	if !knownA && !knownB && (concept != 0 || subject > 0) && (lone(wordsA, o) == 0 || lone(wordsB, r) == 0) {
		subject++
	}
	if len(when) > 0 && len(whenB) > 0 {
		subject++
	}
	if subject < 2 {
		return 0, no
	}
	score := 2*subject - loneA - loneB
	if hanA && hanB && a.loneRun(o) && b.loneRun(r) {
		return 0, no
	}
	// The attribute.
	words := shared(a.words, b.words)
	loneWordsA, loneWordsB := lone(a.words, o), lone(b.words, r)
	if hanA != hanB { // words of two languages say nothing of each other
		loneWordsA, loneWordsB = 0, 0
	} else if a.tail != 0 && b.tail != 0 && !o.says(a.tail) && !r.says(b.tail) {
		return 0, no
	}
	apart := loneWordsA > 0 && loneWordsB > 0 && (words < min(loneWordsA, loneWordsB) || !knownA && !knownB && words == min(loneWordsA, loneWordsB))
	if a.kind == stateKind {
		if words > 0 || len(a.words) == 0 || len(b.words) == 0 {
			return score + 2*words, surely
		}
		return 0, no
	}
	if a.kind == scoreKind {
		return score, surely
	}
	if concept != 0 {
		if hanA == hanB && lone(a.mods, o) > 0 && lone(b.mods, r) > 0 {
			return 0, no
		}
		if a.kind&b.kind == code && loneWordsA > 0 && loneWordsB > 0 && words == 0 && concept > 0 {
			return 0, no
		}
		return score + 4 + words, surely
	}
	if len(a.concepts) > 0 && len(b.concepts) > 0 {
		return 0, no
	}
	if words > 0 && apart {
		return 0, no
	}
	switch k := a.kind & b.kind; {
	case k&(name|date) != 0:
		return 0, no
	case k&count != 0:
		if a.noun != "" && b.noun != "" && lang.IsHan(a.noun) == lang.IsHan(b.noun) {
			if lang.Stem(a.noun) != lang.Stem(b.noun) || loneWordsA > 0 && loneWordsB > 0 && a.perUnit == 0 {
				return 0, no
			}
			return score + words, surely
		}
		if words == 0 && (a.record && len(a.words) == 0 || b.record && len(b.words) == 0) { // under the name of another thing
			return score, alone
		}
		if words == 0 {
			return 0, no
		}
		return score + words, surely
	case k&(code|clock) != 0:
		if words == 0 {
			return 0, no
		}
		return score + words, surely
	case words > 0 && len(a.concepts)+len(b.concepts) == 0:
		return score + words, surely
	case loneWordsA > 0 && loneWordsB > 0 && k&(power|energy|speed|temperature|charge) == 0:
		return 0, no
	}
	return score + words, alone
}

// match is how well two statements go together.
type match uint8

const (
	no     match = iota
	alone        // nothing speaks against it
	surely       // of one attribute
)

func sharedConcept(a, b *statement) int16 {
	for _, c := range a.concepts {
		if slices.Contains(b.concepts, c) {
			return c
		}
	}
	return 0
}

// names are those of the statement's sentence, else of what it stands under.
func (s *statement) names(r *Reading) []uint64 {
	if s.context == nil {
		s.context = r.contexts.one()
		s.context.names = r.words.add(r.words.add(nil, s.scene.names...), s.under.names...)
		s.context.codes = s.codes()
		if !s.record {
			s.context.words = r.words.add(r.words.add(nil, s.scene.words...), s.under.words...)
		}
	}
	return s.context.names
}

// gathered is what a statement's sentence and what it stands under name, put
// together when it is first compared.
type gathered struct {
	names, words []uint64
	codes        []coded
}

func (s *statement) codes() []coded {
	list := slices.Clone(s.scene.codes)
	for _, c := range s.under.codes {
		if !slices.ContainsFunc(s.scene.codes, func(o coded) bool { return o.form == c.form }) {
			list = append(list, c)
		}
	}
	if s.own != (coded{}) {
		list = slices.DeleteFunc(list, func(c coded) bool { return c == s.own })
	}
	return list
}
