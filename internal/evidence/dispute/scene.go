package dispute

import (
	"strings"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// scene is what a sentence, a record or a heading names.
type scene struct {
	names, words []uint64 // of names; of other words
	first        []uint64 // the words of the first name
	texts        []string // the names as they are written
	runs         []string // Chinese between the words of the lexicon
	codes        []coded
	when, dates  []string // periods; and all dates
	sides        []mark   // of a heading
	spoken       []uint64 // words of attributes
	variants     []uint64 // words of names that tell models apart
	common       []uint64 // words of names that are no proper ones
}

// coded is a code or a numbered thing, by its form.
type coded struct{ form, value uint64 }

var replacing = []string{"更正", "修订", "取代", "作废", "调整为"}

// take makes a sentence's names those of what follows.
func (s *scene) take(o *scene, r *Reading) {
	s.names = r.words.add(s.names, o.names...)
	s.texts = r.texts.add(s.texts, o.texts...)
	s.codes = r.codes.add(s.codes, o.codes...)
	s.runs = r.texts.add(s.runs, o.runs...)
	s.words = r.words.add(s.words, o.words...)
	s.when = append(s.when, o.when...)
	s.sides = append(s.sides, o.sides...)
	s.variants = r.words.add(s.variants, o.variants...)
	s.common = r.words.add(s.common, o.common...)
}

// add collects what tokens name.
func (s *scene) add(text string, atoms []atom.Atom, toks []token, r *Reading) {
	name := 0
	for i := range toks {
		t := &toks[i]
		word := text[t.from:t.to]
		r.replaces = r.replaces || t.does&replaces != 0 || t.han && lang.ContainsAny(word, replacing)
		switch {
		case t.atom >= 0 && atoms[t.atom].Kind != atom.Name && atoms[t.atom].Kind != atom.Identifier && atoms[t.atom].Kind != atom.Quote:
			a := &atoms[t.atom]
			if a.Unit == "th" { // the first edition, 第一版
				rest := strings.TrimLeft(text[t.to:min(len(text), int(t.to)+16)], " ")
				end := wordEnd(rest, 0, len(rest))
				if end == 0 {
					_, end = utf8.DecodeRuneInString(rest)
				}
				s.codes = r.codes.add(s.codes, coded{lang.Hash("th " + rest[:end]), lang.Hash(a.Value)})
				continue
			}
			if t.season {
				s.codes = r.codes.add(s.codes, coded{lang.Hash("season"), lang.Hash(text[t.from : t.from+4])})
				continue
			}
			if y := yearOf(a); y != "" {
				s.when = push(s.when, y)
			}
			if w := hyphened(text, a); w != 0 {
				s.codes = r.codes.add(s.codes, coded{w, lang.Hash(a.Value)})
				continue
			}
			if a.Kind == atom.Number && a.Unit == "" && i > 0 && toks[i-1].atom < 0 && !toks[i-1].han && t.from-toks[i-1].to <= 2 && toks[i-1].does&labels != 0 {
				s.codes = r.codes.add(s.codes, coded{toks[i-1].hash, lang.Hash(a.Value)})
			}
			continue
		case t.han && !t.proper:
			if len(t.marks) == 0 {
				s.runs = r.texts.add(s.runs, word)
				bigrams(word, func(h uint64) { r.term(h) })
			}
			r.term(t.hash)
			r.term(t.meaning())
			continue
		}
		if t.variant {
			s.variants = r.words.add(s.variants, t.hash)
			r.term(t.hash)
			continue
		}
		if t.letter {
			if i > 0 && lang.IsUpper(word[0]) && toks[i-1].does&labels != 0 {
				s.codes = r.codes.add(s.codes, coded{toks[i-1].hash, t.hash})
			}
			continue
		}
		r.term(t.hash)
		if m := t.meaning(); m != t.hash {
			r.term(m)
		}
		if t.proper && t.atom >= 0 && (atoms[t.atom].Kind == atom.Identifier || compactCode(atoms[t.atom].Value) != "") {
			c := coded{formOf(word), t.hash}
			if i > 0 && toks[i-1].does&labels != 0 && strings.Trim(word, "0123456789") == "" {
				c = coded{toks[i-1].hash, lang.Hash(word)}
			}
			s.codes = r.codes.add(s.codes, c)
			continue
		}
		if t.proper && lang.HasDigit(word) && !lang.IsDigit(word[0]) {
			s.codes = r.codes.add(s.codes, coded{formOf(word), t.hash})
			continue
		}
		if t.proper && t.does&labels != 0 {
			continue // Room, of Room 204
		}
		if t.proper && len(word) <= 2 && lang.IsUpper(word[0]) && len(t.marks) == 0 {
			continue // PT, of Lisbon
		}
		if t.proper {
			if t.lead {
				name++
			}
			if name <= 1 {
				s.first = r.words.add(s.first, t.hash)
			}
			s.names = r.words.add(s.names, t.hash)
			s.texts = r.texts.add(s.texts, word)
			continue
		}
		switch {
		case len(t.marks) == 0 && !t.stop:
			s.words = r.words.add(s.words, t.hash)
		case hasAny(t.marks):
			s.spoken = r.words.add(s.spoken, t.hash)
		}
	}
}

// bigrams calls f for each two characters that stand together.
func bigrams(run string, f func(uint64)) {
	prev := -1
	for i := range run {
		if prev >= 0 {
			_, w := utf8.DecodeRuneInString(run[i:])
			f(lang.Hash(run[prev : i+w]))
		}
		prev = i
	}
}

// formOf is a code without what its digits are.
func formOf(s string) uint64 {
	b := make([]byte, 0, len(s))
	digits, letters, hex := 0, 0, true
	for i := 0; i < len(s); i++ {
		c := s[i] | 0x20
		switch {
		case lang.IsDigit(s[i]):
			digits++
			if n := len(b); n == 0 || b[n-1] != '9' {
				b = append(b, '9')
			}
		case lang.IsLetter(s[i]):
			letters++
			hex = hex && c <= 'f'
			b = append(b, c)
		case s[i] == '.':
			b = append(b, '.')
		}
	}
	if hex && letters > 0 && digits > 0 && letters+digits >= 7 && letters+digits == len(s) {
		return 1
	}
	form := string(b)
	if letters == 0 && strings.Count(form, ".") > 0 && strings.Count(form, ".") < 3 || form == "v9" {
		form = "v"
	}
	return lang.Hash(form)
}

// meaning is what words of one class have in common, else the word.
func (t *token) meaning() uint64 {
	for k := range t.marks {
		if m := &t.marks[k]; m.group > 0 {
			return uint64(m.group)<<8 | uint64(m.class) + 1
		}
	}
	return t.hash
}
