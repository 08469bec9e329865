package evidence

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// A frame is what a text says of one of its atoms: the thing, the attribute
// and the circumstances. Two atoms can only contradict each other where their
// frames are of one subject.
type frame struct {
	atom          atom.Atom
	attr          uint64      // bits of attributes, see attributes
	names         terms       // proper nouns, in lower case
	rest          terms       // other content words, stemmed; Chinese as pairs of characters
	where         terms       // names after "in" that stand behind the value: of which place it is
	scope         terms       // words after "for", "among": whom or what the figure is for
	head          string      // a noun that the attribute is of: repair, in "a repair of the X"
	periods       []string    // dates in the sentence besides the atom
	codes         []string    // identifiers besides the atom
	others        []atom.Atom // other numeric atoms of the sentence
	same          []atom.Atom // the atoms of the sentence that could stand for this one
	key           string      // the record's key
	han           bool
	circumstances string // the words that may contrast, and their sentence
	sentence      string
	said          *sides // of the groups of contrastGroups, made when they are asked for
	before        string // what stands before the value
	prose         bool   // of a text, not of a record
	text          string // the clause, or the sentence, in lower case
	inferred      bool   // its names are those of an earlier sentence
	label         string // the record's key, in words
	leads         bool   // a date that begins its sentence: when something happened, not what is said
}

// terms is a small set of words.
type terms []string

func (t terms) has(w string) bool { return slices.Contains(t, w) }

func (t *terms) add(w string) {
	if !t.has(w) {
		*t = append(*t, w)
	}
}

// fillers say nothing of a subject.
var fillers = lang.Set(`number figure amount value total currently current now today latest newest recent official according report reported reports state stated list listed page site
 come comes start starts stand stands give gives given get gets make makes base basic standard average estimate estimated expected record recorded post posted light
 date time year month day people person unit piece led lead announce announced source note update updated approximately about around roughly nearly exactly first next last period`)

// frameOf reads the frame of the atom at index i of a text's atoms. The title
// names the subject where the sentence does not; inTitle is its atoms.
func frameOf(text string, atoms []atom.Atom, i int, key, title string, inTitle []atom.Atom) frame {
	a := atoms[i]
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	f := frame{atom: a, key: plainKey(key), prose: key == "" || roleOf(key).role == roleContent}
	said := lang.LowerASCII(text[from:to])
	covered := make([][2]int, 0, 8)
	for j := range atoms {
		b := &atoms[j]
		if b.Offset+b.Length <= from || b.Offset >= to {
			continue
		}
		switch {
		case j == i:
		case b.Kind == atom.Name:
			f.addName(b.Value)
			if b.Offset > a.Offset && strings.HasSuffix(text[from:b.Offset], " in ") {
				f.where.add(lang.Lower(b.Value))
			}
		case b.Kind == atom.Date:
			f.periods = append(f.periods, b.Value)
			if a.Kind == atom.Date {
				f.same = append(f.same, *b)
			}
		case b.Kind == atom.Identifier:
			f.codes = append(f.codes, lang.Lower(b.Value))
			if a.Kind == atom.Identifier {
				f.same = append(f.same, *b)
			}
		case b.Numeric():
			if a.Numeric() && atom.SameDimension(a.Unit, b.Unit) {
				f.same = append(f.same, *b)
			} else {
				f.others = append(f.others, *b)
			}
		}
		if b.Kind != atom.Quote {
			covered = append(covered, [2]int{b.Offset, b.Offset + b.Length})
		}
	}
	low, high := clause(text, from, to, &a)
	named := attributesIn(text[low:high]) != 0
	if named && f.prose {
		f.words(text, low, high, covered)
	} else {
		f.words(text, from, to, covered)
	}
	circumstances := text[from:to]
	f.text = said
	if named {
		circumstances = text[low:high]
		f.text = said[low-from : high-from]
	}
	if key != "" && roleOf(key).role == roleOther {
		f.label = lang.Lower(strings.TrimSuffix(spaced(key), " min"))
		f.loose(withoutUnit(spaced(key)))
		circumstances += " " + strings.TrimSuffix(spaced(key), " min")
	}
	if strings.Contains(f.text, " was ") && (strings.Contains(f.text, " until ") || strings.Contains(f.text, " from ") && strings.Contains(f.text, " to ")) {
		circumstances += " former"
	} else if strings.Contains(f.text, " has been ") {
		circumstances += " current"
	}
	f.circumstances, f.sentence = circumstances, text[from:to]
	f.before = text[max(0, a.Offset-20):a.Offset]
	f.attr = ofDimension(f.attr, &a)
	if a.Kind == atom.Date && key == "" {
		switch strings.TrimSpace(text[from:a.Offset]) {
		case "On", "In", "At", "By", "During", "Since", "Until":
			f.leads = true
		}
	}
	if a.Noun != "" {
		f.loose(a.Noun)
	}
	if len(f.names) == 0 && f.prose {
		for j := 0; j < len(atoms) && named; j++ { // what the text began with
			if b := &atoms[j]; b.Kind == atom.Name && b.Offset+b.Length <= from {
				f.addName(b.Value)
				f.inferred = true
				break
			}
		}
	}
	if title != "" {
		f.titled(title, inTitle)
	}
	return f
}

// latest reports a sentence that speaks of the latest or current one.
func (f *frame) latest() bool { return lang.ContainsAny(lang.LowerASCII(f.sentence), latestWords) }

// titled reads what an observation is about: the codes and dates of a record's
// other members, and its names where the sentence has none.
func (f *frame) titled(title string, atoms []atom.Atom) {
	nameless := len(f.names) == 0 && !(f.prose && f.han && len(f.rest) > 0)
	if f.prose && !nameless {
		return
	}
	for i := range atoms {
		t := &atoms[i]
		switch {
		case t.Kind == atom.Name && nameless:
			f.addName(t.Value)
		case f.prose:
		case t.Kind == atom.Identifier:
			f.codes = append(f.codes, lang.Lower(t.Value))
		case t.Kind == atom.Date && (f.atom.Kind != atom.Date || len(t.Value) >= 10):
			f.periods = append(f.periods, t.Value)
		}
	}
	if nameless && len(f.names) == 0 {
		f.loose(title)
	}
}

func (f *frame) addName(n string) {
	if w := lang.Stem(lang.Lower(n)); attributeWords[w] != 0 && strings.IndexByte(n, ' ') < 0 {
		f.attr |= attributeWords[w]
		return
	}
	f.names.add(lang.Lower(n))
}

// words reads the sentence's words outside the atoms.
func (f *frame) words(text string, from, to int, covered [][2]int) {
	at := from
	for _, c := range append(covered, [2]int{to, to}) {
		if c[0] > at && at < to {
			f.loose(text[at:min(c[0], to)])
		}
		at = max(at, c[1])
	}
	f.headNoun(text[from:to])
	f.scopeWords(text[from:to])
}

// scopeWords takes the words after "for" and "among", up to the next mark.
func (f *frame) scopeWords(s string) {
	for _, link := range [...]string{" for ", " among "} {
		at := strings.Index(s, link)
		if at < 0 {
			continue
		}
		rest := s[at+len(link):]
		if lang.IsDigitAt(rest, 0) { // for 36 months
			continue
		}
		if end := strings.IndexAny(rest, ",.;:()"); end >= 0 {
			rest = rest[:end]
		}
		for n, w := range strings.Fields(rest) {
			if n >= 3 {
				break
			}
			if w = lang.Lower(w); lang.IsLetter(w[0]) && !lang.StopWords[w] && !fillers[w] {
				f.scope.add(lang.Stem(w))
			}
		}
	}
}

// lastWord is the last word of a text.
func lastWord(s string) string {
	s = strings.TrimRight(s, " ")
	i := len(s)
	for i > 0 && lang.IsLetter(s[i-1]) {
		i--
	}
	return s[i:]
}

// nextWord is where the next word of letters begins at or after from, hyphens in
// it included, and where it ends; at the end of the text both are its length.
func nextWord(text string, from int) (start, end int) {
	for start = from; start < len(text) && !lang.IsLetter(text[start]); start++ {
	}
	for end = start; end < len(text) && (lang.IsLetter(text[end]) || text[end] == '-' && lang.IsLetterAt(text, end+1)); end++ {
	}
	return start, end
}

// loose takes the words of a text without atoms.
func (f *frame) loose(text string) {
	text = f.hanWords(text)
	for start, end := nextWord(text, 0); start < end; start, end = nextWord(text, end) {
		w := lang.Lower(text[start:end])
		if end-start == 1 && lang.IsUpper(text[start]) && start > 1 && text[start-1] == ' ' && lang.IsLower(text[start-2]) { // zone B, vitamin D
			f.codes = append(f.codes, w)
		}
		if len(w) < 2 || lang.StopWords[w] || fillers[w] {
			continue
		}
		s := lang.Stem(w)
		if bit := attributeWords[s]; bit != 0 {
			f.attr |= bit
		} else if !fillers[s] {
			f.rest.add(s)
		}
	}
}

// hanWords takes the Chinese out of a text: attributes, then pairs of characters.
func (f *frame) hanWords(text string) string {
	has := false
	for i := 0; i < len(text); i++ {
		if text[i] >= 0xe4 && text[i] <= 0xe9 {
			has = true
			break
		}
	}
	if !has {
		return text
	}
	f.han = true
	for _, a := range attributeHan {
		if strings.Contains(text, a.word) {
			f.attr |= a.bit
			text = strings.ReplaceAll(text, a.word, " ")
		}
	}
	var prev rune
	for _, r := range text {
		switch {
		case !unicode.Is(unicode.Han, r) || lang.IsHanStop(r):
			prev = 0
			continue
		case prev != 0:
			f.rest.add(string(prev) + string(r))
		}
		prev = r
	}
	f.loneHan(text)
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf {
			return ' '
		}
		return r
	}, text)
}

// loneHan takes single Chinese characters that stand alone between marks and
// stop words: 桥 in 该桥.
func (f *frame) loneHan(text string) {
	var run rune
	n := 0
	flush := func() {
		if n == 1 {
			f.rest.add(string(run))
		}
		n = 0
	}
	for _, r := range text {
		if unicode.Is(unicode.Han, r) && !lang.IsHanStop(r) {
			run = r
			n++
			continue
		}
		flush()
	}
	flush()
}

// headNoun finds the noun of "a repair of the X", "dose for children": what
// the value is of, before the name.
func (f *frame) headNoun(s string) {
	for _, link := range [...]string{" of the ", " of ", " for the "} {
		at := strings.Index(s, link)
		if at <= 0 {
			continue
		}
		start := at
		for start > 0 && lang.IsLetter(s[start-1]) {
			start--
		}
		if attributeWords[lang.Stem(lang.Lower(lastWord(s[:start])))] != 0 { // battery life of
			return
		}
		if w := lang.Lower(s[start:at]); w != "" && lang.IsLower(s[start]) && !lang.StopWords[w] && attributeWords[lang.Stem(w)] == 0 && !fillers[w] && !fillers[lang.Stem(w)] && atom.Units[w] == "" {
			f.head = lang.Stem(w)
			return
		}
	}
}
