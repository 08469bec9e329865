package rules

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordIndex holds the words of calls, each taken apart once, to tell whether a
// call goes after the same target as one that failed.
type wordIndex struct {
	arguments, results []map[string]bool // by step; nil where not asked for yet
	question           map[string]bool
	used               map[string]int // last step whose arguments hold a word; MaxInt for words of the answer
}

func (ix *index) words() *wordIndex {
	if ix.wordIndex == nil {
		n := len(ix.steps)
		ix.wordIndex = &wordIndex{
			arguments: make([]map[string]bool, n), results: make([]map[string]bool, n),
			question: wordsOf(strings.Join(ix.questions(), " ")), used: map[string]int{},
		}
		for i := range ix.steps {
			if s := &ix.steps[i]; isCall(s) {
				for w := range ix.wordIndex.of(s) {
					ix.wordIndex.used[w] = i
				}
			}
		}
		for _, t := range ix.conversation().turns {
			for w := range wordsOf(t.(*turn).Answer) {
				ix.wordIndex.used[w] = math.MaxInt
			}
		}
	}
	return ix.wordIndex
}

// of is the words of a call's arguments.
func (x *wordIndex) of(s *step) map[string]bool {
	if x.arguments[s.pos] == nil {
		x.arguments[s.pos] = wordsOf(s.Tool.Arguments.Data())
	}
	return x.arguments[s.pos]
}

func (x *wordIndex) ofResult(s *step) map[string]bool {
	if x.results[s.pos] == nil {
		x.results[s.pos] = wordsOf(s.Tool.Result.Data())
	}
	return x.results[s.pos]
}

// sameTarget reports whether a later call is for what a failed one was for. A
// repair may change arguments, but shares a word or number with the failed call
// or takes one from its error. One that names something of the question which
// the failed call does not name, in place of what that one names, is for
// another target. Calls of one tool without arguments are the same; where they
// were not captured nothing else is known.
func (x *wordIndex) sameTarget(failed, later *step) bool {
	if failed.Tool.Name == later.Tool.Name && (!failed.Tool.Arguments.Captured() || !later.Tool.Arguments.Captured()) || sameArguments(failed, later) {
		return true
	}
	a, b := x.of(failed), x.of(later)
	if len(a) == 0 {
		return failed.Tool.Name == later.Tool.Name
	}
	if lost, other := x.swapped(a, b); lost != "" && other {
		return false
	}
	shared := meet(a, b)
	if shared || sameLetters(failed, later) {
		return true
	}
	for w := range wordsOf(failed.Tool.Error) {
		if b[w] {
			return true
		}
	}
	return false
}

// swapped compares what two calls name of the question: a word that the later one no
// longer names, one with a number where there is one, and whether it names another.
func (x *wordIndex) swapped(failed, later map[string]bool) (lost string, other bool) {
	for w := range failed {
		if !later[w] && x.question[w] && (lost == "" || strings.ContainsFunc(w, unicode.IsNumber)) {
			lost = w
		}
	}
	for w := range later {
		other = other || !failed[w] && x.question[w]
	}
	return lost, other
}

// sameLetters reports calls of which one writes together, or by its first letters,
// what the other writes as several words: EURSEK and EUR SEK, NYC and New York.
func sameLetters(a, b *step) bool {
	x, y := lettersOf(a), lettersOf(b)
	return shortens(x, y) || shortens(y, x)
}

func lettersOf(s *step) []string {
	text := strings.Join(argumentTexts(s.Tool.Arguments.Data()), " ")
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	return words[:min(len(words), maxLetters)]
}

// maxLetters bounds the words of a call's arguments that are looked at for others of
// the same letters, maxShortened those that one word may stand for.
const (
	maxLetters   = 64
	maxShortened = 4
)

// shortens reports a word of the first list that stands for several of the second: it
// is all of them, or has their first letters and at most one more.
func shortens(short, long []string) bool {
	for from := range long {
		whole, initials := "", ""
		for n, w := range long[from:min(len(long), from+maxShortened)] {
			whole += w
			if first, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(first) {
				initials += string(first)
			}
			if n == 0 {
				continue
			}
			for _, s := range short {
				if strings.EqualFold(s, whole) || len(initials) == n+1 && strings.HasPrefix(s, initials) && len(s) <= len(initials)+1 && s == strings.ToUpper(s) {
					return true
				}
			}
		}
	}
	return false
}

// sameWork reports whether another tool did what a failed call was made for: it
// is called alike, or something that only its result says was used.
func (x *wordIndex) sameWork(failed, later *step) bool {
	name := wordsOf(failed.Tool.Name)
	for w := range wordsOf(later.Tool.Name) {
		if name[w] {
			return true
		}
	}
	arguments := x.of(later)
	for w := range x.ofResult(later) {
		if !arguments[w] && !x.question[w] && x.used[w] > later.pos {
			return true
		}
	}
	return false
}

// wordsOf is the words in the texts of a value, in lower case: those of three
// letters or more, whatever holds a digit, with its hyphens, and each sign of
// scripts that write no spaces. A name in camel case is several words.
func wordsOf(v any) map[string]bool {
	words := map[string]bool{}
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, e := range v {
				add(e)
			}
		case []any:
			for _, e := range v {
				add(e)
			}
		case nil, bool:
		default:
			for _, w := range splitWords(valueText(v)) {
				words[w] = true
			}
		}
	}
	add(v)
	return words
}

func splitWords(text string) []string {
	var words []string
	for token := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '-' && r != '_'
	}) {
		if strings.ContainsFunc(token, unicode.IsNumber) {
			words = append(words, strings.ToLower(strings.Trim(token, "-_")))
			continue
		}
		words = append(words, plainWords(token)...)
	}
	return words
}

// plainWords takes a token without digits apart.
func plainWords(token string) []string {
	var words []string
	runes := []rune(token)
	begin := 0
	end := func(at int) {
		if at-begin >= 3 {
			words = append(words, strings.ToLower(string(runes[begin:at])))
		}
		begin = at
	}
	for i, r := range runes {
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
			end(i)
			words = append(words, string(r))
			begin = i + 1
		case r == '-' || r == '_':
			end(i)
			begin = i + 1
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]):
			end(i)
		}
	}
	end(len(runes))
	return words
}
