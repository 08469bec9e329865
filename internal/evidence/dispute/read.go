package dispute

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// token is a word, a run of Chinese or a value of a text.
type token struct {
	from, to int32
	hash     uint64
	marks    []mark
	clause   int16
	atom     int16 // of a value or a name; -1
	proper   bool  // a word of a name, or a code
	lead     bool  // the name's first word
	han      bool
	stop     bool // carries no content
	filler   bool // says nothing of what a statement is of
	does     role
	letter   bool // alone
	variant  bool // tells models of one name apart
	season   bool // 2024-25
}

func (t *token) plain() bool { return len(t.marks) == 0 && !t.proper && t.atom < 0 }

// lex reads the tokens of text[from:to]. Its atoms are in order.
func lex(text string, atoms []atom.Atom, from, to int, toks []token) []token {
	clause := int16(0)
	n := 0
	names := make([][2]int, 0, 8) // of names and their numbers
	emit := func(t token) {
		t.clause = clause
		t.filler = onlyFiller(t.marks)
		toks = append(toks, t)
	}
	for i := from; i < to; {
		for n < len(atoms) && atoms[n].Offset+atoms[n].Length <= i {
			n++
		}
		for n < len(atoms) && atoms[n].Offset < to && (atoms[n].Kind == atom.Quote || atoms[n].Offset < i) {
			if a := &atoms[n]; a.Kind == atom.Quote && a.Offset >= i && len(a.Value) <= 50 && strings.Count(a.Value, " ") < 6 && a.Value != "" && !lang.IsLower(a.Value[0]) {
				names = append(names, [2]int{a.Offset + a.Length, n}) // "The Salt Road"
			}
			n++
		}
		if n < len(atoms) && atoms[n].Offset == i {
			a := &atoms[n]
			end := i + a.Length
			switch {
			case a.Kind == atom.Name:
				if word := compactCode(a.Value); word != "" {
					emit(token{from: int32(i), to: int32(end), hash: lang.Hash(word), atom: int16(n), proper: true, lead: true})
					i = end
					n++
					continue
				}
				names = append(names, [2]int{end, n})
				n++
			case a.Kind == atom.Identifier:
				emit(token{from: int32(i), to: int32(end), hash: lang.Hash(squeeze(a.Value)), atom: int16(n), proper: true, lead: true})
				i = end
				n++
				continue
			case a.Kind == atom.URL:
				i = end
				n++
				continue
			default:
				if n+1 < len(atoms) && seasonAt(text, a, &atoms[n+1]) {
					end = atoms[n+1].Offset + atoms[n+1].Length
					emit(token{from: int32(i), to: int32(end), atom: int16(n), season: true})
					i = end
					n += 2
					continue
				}
				emit(token{from: int32(i), to: int32(end), atom: int16(n)})
				i = end
				n++
				continue
			}
		}
		c := text[i]
		switch {
		case lang.IsAlnum(c) || c >= utf8.RuneSelf && !hanAt(text, i) && lang.IsAlnumAt(text, i):
			i = latinWord(text, atoms, names, i, to, emit)
			if n := len(toks); n > 0 && toks[n-1].stop && toks[n-1].does&joins != 0 {
				clause++
			}
		case c >= utf8.RuneSelf && hanAt(text, i):
			stop := to
			for k := n; k < len(atoms) && atoms[k].Offset < to; k++ {
				if atoms[k].Kind != atom.Name && atoms[k].Kind != atom.Quote && atoms[k].Offset > i {
					stop = atoms[k].Offset
					break
				}
			}
			i = hanRun(text, i, stop, emit)
		default:
			if parts(text, i) {
				clause++
			}
			_, w := utf8.DecodeRuneInString(text[i:])
			i += w
		}
	}
	return toks
}

// seasonAt reports a year and the two digits of the next one: 2024-25.
func seasonAt(text string, a, b *atom.Atom) bool {
	if a.Length != 4 || b.Length != 2 || !isYear(a) && a.Kind != atom.Date || b.Offset != a.Offset+5 || text[a.Offset+4] != '-' && text[a.Offset+4] != '/' {
		return false
	}
	return (lang.Atoi(text[a.Offset:a.Offset+4])+1)%100 == lang.Atoi(b.Text)
}

// parts reports a mark at i that parts clauses.
func parts(text string, i int) bool {
	switch c := text[i]; {
	case c == ';' || c == '(' || c == ')' || c == '\n' || c == '|' || c == '\t':
		return true
	case c == ',' || c == ':':
		return i+1 < len(text) && text[i+1] == ' '
	case c >= 0xe2:
		for _, w := range [...]string{"，", "；", "：", "、", "（", "）", "。", "—"} {
			if strings.HasPrefix(text[i:], w) {
				return true
			}
		}
	}
	return false
}

func hanAt(text string, i int) bool {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return unicode.Is(unicode.Han, r)
}

// squeeze is a code in lower case without spaces and strokes.
func squeeze(s string) string {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != ' ' && c != '-' && c != '_' && c != '#' {
			b = append(b, c)
		}
	}
	return lang.LowerASCII(string(b))
}

// compactCode is a name of a few capitals and a number, as flights and trains have them.
func compactCode(s string) string {
	i := 0
	for i < len(s) && lang.IsUpper(s[i]) {
		i++
	}
	if i == 0 || i > 3 || i+1 >= len(s) || s[i] != ' ' || strings.Trim(s[i+1:], "0123456789") != "" {
		return ""
	}
	return squeeze(s)
}

// latinWord reads the word or the phrase at i.
func latinWord(text string, atoms []atom.Atom, names [][2]int, i, to int, emit func(token)) int {
	end := wordEnd(text, i, to)
	w := text[i:end]
	inName, lead := -1, false
	if k := len(names) - 1; k >= 0 && i < names[k][0] {
		inName = names[k][1]
		lead = atoms[inName].Offset == i
	}
	known := entryOf(w)
	if head := strings.IndexByte(w, '-'); known.does&opensPhrase != 0 || head > 0 && entryOf(w[:head]).does&opensPhrase != 0 {
		w := lang.LowerASCII(w)
		p := end
		var best []mark
		at := end
		if head >= 0 {
			best = entryOf(phraseMarks.Replace(w)).marks
		}
		for range 3 {
			if p >= to || text[p] != ' ' && text[p] != '-' || p+1 >= to || !lang.IsLetterAt(text, p+1) {
				break
			}
			p = wordEnd(text, p+1, to)
			if m := entryOf(phraseMarks.Replace(lang.LowerASCII(text[i:p]))).marks; m != nil {
				best, at = m, p
			}
		}
		if best != nil && (w != "a" && w != "an" || ends(text[at:])) { // $9 a month, but not a month ticket
			t := token{from: int32(i), to: int32(at), hash: lang.Hash(text[i:at]), marks: placed(best, text[i:at]), atom: -1}
			t.place()
			emit(t)
			return at
		}
	}
	marks := known.marks
	if short := strings.TrimSuffix(strings.TrimSuffix(w, "'"), "'s"); len(short) < len(w) {
		w = short
		known = entryOf(w)
		marks = known.marks
	}
	if marks == nil && len(w) > 3 && w[len(w)-1] == 's' {
		marks = entryOf(w[:len(w)-1]).marks
	}
	if at := strings.IndexByte(w, '-'); marks == nil && at > 1 && at+1 < len(w) && (inName < 0 || lang.IsLower(text[i+at+1])) && !lang.HasDigit(w) { // Lisbon-based
		latinWord(text, atoms, names, i, i+at, emit)
		latinWord(text, atoms, names, i+at+1, end, emit)
		return end
	}
	marks = placed(marks, text[i:end])
	t := token{from: int32(i), to: int32(end), hash: lang.Hash(lang.Stem(w)), marks: marks, atom: -1, stop: lang.IsStop(w), does: known.does}
	t.place()
	if lang.HasDigit(w) {
		t.hash = lang.Hash(squeeze(w))
	}
	if inName >= 0 {
		whole := atoms[inName].Length == end-i
		if !whole || !inLexicon(marks) {
			t.proper, t.lead, t.atom = true, lead, int16(inName)
			if len(marks) > 0 { // Full, in a name, says nothing; Mini tells models apart
				t.marks = slices.DeleteFunc(slices.Clone(marks), func(m mark) bool { return m.place == "" && (whole || m.group == 0) })
			}
		}
	}
	if inName >= 0 && !lead && (known.does&tellsApart != 0 || len(w) == 1 && lang.IsUpper(text[i]) && (end >= len(text) || text[end] != '.')) {
		t.variant = true
	}
	if len(w) < 2 && !lang.IsDigit(w[0]) {
		t.marks, t.proper, t.letter = nil, false, true
	}
	emit(t)
	return end
}

// ends reports that a phrase goes on with a mark or a preposition.
func ends(rest string) bool {
	rest = lang.LowerASCII(strings.TrimPrefix(rest[:min(len(rest), 8)], " "))
	return rest == "" || !lang.IsLetter(rest[0]) || lang.HasAnyPrefix(rest, "in ", "for ", "and ", "to ", "at ", "from ", "with ", "since ", "on ", "if ")
}

// place makes a name of the token where it is a place.
func (t *token) place() {
	for k := range t.marks {
		if p := t.marks[k].place; p != "" {
			t.hash, t.proper, t.lead = lang.Hash(p), true, true
		}
	}
}

// placed leaves out the place where the word is not written as one: us.
func placed(marks []mark, word string) []mark {
	for k := range marks {
		if marks[k].place != "" && lang.IsLower(word[0]) {
			return slices.DeleteFunc(slices.Clone(marks), func(m mark) bool { return m.place != "" })
		}
	}
	return marks
}

// inLexicon reports a word of the lexicon that is no place.
func inLexicon(marks []mark) bool {
	for k := range marks {
		if marks[k].place == "" {
			return true
		}
	}
	return false
}

func wordEnd(text string, i, to int) int {
	for i < to {
		c := text[i]
		switch {
		case lang.IsAlnum(c) || c == '\'' || c == '&':
			i++
		case c == '-' || c == '.':
			if i+1 >= to || !lang.IsAlnum(text[i+1]) || c == '.' && !(i > 0 && i+2 < to && text[i+2] == '.') {
				return i
			}
			i++
		case c >= utf8.RuneSelf && !hanAt(text, i) && lang.IsAlnumAt(text, i):
			_, w := utf8.DecodeRuneInString(text[i:])
			i += w
		default:
			return i
		}
	}
	return i
}

// hanRun reads the Chinese at i: words of the lexicon, and what is between them.
func hanRun(text string, i, to int, emit func(token)) int {
	start := i
	flush := func(end int) {
		if end > start && utf8.RuneCountInString(text[start:end]) > 1 {
			emit(token{from: int32(start), to: int32(end), hash: lang.Hash(text[start:end]), atom: -1, han: true})
		}
	}
	for i < to && text[i] >= utf8.RuneSelf && hanAt(text, i) {
		c, w := utf8.DecodeRuneInString(text[i:])
		found := hanWordAt(text[i:to])
		if found != nil && len(found.text) == w && i+w < to && hanAt(text, i+w) && !lang.IsHanStop(firstRune(text[i+w:])) && hanWordAt(text[i+w:to]) == nil {
			found = nil // 高 in 高新区
		}
		if found == nil {
			if lang.IsHanStop(c) {
				flush(i)
				start = i + w
			}
			i += w
			continue
		}
		flush(i)
		end := i + len(found.text)
		t := token{from: int32(i), to: int32(end), hash: lang.Hash(found.text), marks: found.marks, atom: -1, han: true}
		t.place()
		emit(t)
		i, start = end, end
	}
	flush(i)
	return i
}

// hanWordAt is the longest word of the lexicon that a text begins with.
func hanWordAt(s string) *hanWord {
	c, _ := utf8.DecodeRuneInString(s)
	list := lexicon().han[c]
	for k := range list {
		if strings.HasPrefix(s, list[k].text) {
			return &list[k]
		}
	}
	return nil
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
