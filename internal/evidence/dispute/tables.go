package dispute

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// mark is what a word says of a statement.
type mark struct {
	concept int16 // from 1 on
	group   int16 // of opposed, from 1 on
	state   int16 // of states, from 1 on
	class   int8
	narrow  bool
	filler  bool
	kinds   kind // of the values that the concept has
	place   string
}

// entry is what is known of a word.
type entry struct {
	marks []mark
	does  role
}

type hanWord struct {
	text  string
	marks []mark
}

// tables are the lexicon by word.
type tables struct {
	latin   map[string]int32 // into entries; the first is of all other words
	entries []entry
	shapes  shapes             // of the Latin words
	han     map[rune][]hanWord // by the first character, the longest first
	kinds   []kind             // of each concept
	places  map[rune][]hanPlace
	about   [64][maxGroups]bool // of a state: the groups whose words are its words too; they part no state from its opposite

	born, died, version, phone int16 // concepts
	former, forecast           int16 // groups
}

type hanPlace struct{ text, name string }

// lexicon makes the tables when the first text is read: most commands read none.
var lexicon = sync.OnceValue(func() *tables {
	const room = 4096
	x := &tables{latin: make(map[string]int32, room), entries: make([]entry, 1, room), han: make(map[rune][]hanWord, 1024), places: map[rune][]hanPlace{}}
	x.concepts()
	x.classes(opposed, func(g, c int16, narrow bool) mark { return mark{group: g, class: int8(c), narrow: narrow} })
	x.classes(states, func(g, c int16, _ bool) mark { return mark{state: g, class: int8(c)} })
	for w := range strings.FieldsSeq(fillers + " " + hanFillers) {
		x.add(w, mark{filler: true})
	}
	for line := range strings.SplitSeq(places, ",") {
		var name string
		for w := range strings.FieldsSeq(line) {
			if name == "" {
				name = w
			}
			x.add(w, mark{place: name})
			if r, _ := utf8.DecodeRuneInString(w); lang.IsHan(w) {
				x.places[r] = append(x.places[r], hanPlace{w, name})
			}
		}
	}
	for r := range x.han {
		slices.SortFunc(x.han[r], func(a, b hanWord) int { return len(b.text) - len(a.text) })
	}
	for does, words := range roles {
		for w := range strings.FieldsSeq(words) {
			x.entry(w).does |= does
		}
	}
	for w := range x.latin {
		x.shapes.add(w, 0)
	}
	x.each(func(_ string, marks []mark) {
		for _, m := range marks {
			for _, g := range marks {
				if m.state > 0 && g.group > 0 {
					x.about[m.state][g.group] = true
				}
			}
		}
	})
	x.born, x.died, x.version, x.phone = x.concept("born", date), x.concept("died", date), x.concept("version", code), x.concept("phone", code)
	x.former, x.forecast = x.group("former"), x.group("forecast")
	return x
})

var phraseMarks = strings.NewReplacer("_", " ", "-", " ")

// entry is that of a Latin word, in lower case, made where there is none.
func (x *tables) entry(w string) *entry {
	i := x.latin[w]
	if i == 0 {
		i = int32(len(x.entries))
		x.latin[w] = i
		x.entries = append(x.entries, entry{})
	}
	return &x.entries[i]
}

// add notes once what a word or a phrase says.
func (x *tables) add(w string, m mark) {
	if lang.IsHan(w) {
		r, _ := utf8.DecodeRuneInString(w)
		list := x.han[r]
		i := slices.IndexFunc(list, func(h hanWord) bool { return h.text == w })
		if i < 0 {
			x.han[r] = append(list, hanWord{w, []mark{m}})
		} else if !slices.Contains(list[i].marks, m) {
			list[i].marks = append(list[i].marks, m)
		}
		return
	}
	if at := strings.IndexAny(w, "_-"); at > 0 && at < len(w)-1 {
		w = phraseMarks.Replace(w)
		x.entry(w[:at]).does |= opensPhrase
	}
	if e := x.entry(w); !slices.Contains(e.marks, m) {
		e.marks = append(e.marks, m)
	}
}

func (x *tables) concepts() {
	x.kinds = make([]kind, 1, len(concepts)+1)
	for i, line := range concepts {
		names, words, _ := strings.Cut(line, ": ")
		var of kind
		for k := range strings.FieldsSeq(names) {
			if kindNames[k] == 0 {
				panic("dispute: no kind of values is called " + k)
			}
			of |= kindNames[k]
		}
		x.kinds = append(x.kinds, of)
		for w := range strings.FieldsSeq(words) {
			x.add(w, mark{concept: int16(i + 1), kinds: of})
		}
	}
}

func (x *tables) classes(list []string, of func(group, class int16, narrow bool) mark) {
	for g, group := range list {
		c := int16(0)
		for class := range strings.FieldsSeq(group) {
			words, narrow := strings.CutPrefix(class, "!")
			for w := range strings.SplitSeq(words, "/") {
				x.add(w, of(int16(g+1), c, narrow))
			}
			c++
		}
	}
}

// each calls f for every word.
func (x *tables) each(f func(w string, marks []mark)) {
	for w, i := range x.latin {
		f(w, x.entries[i].marks)
	}
	for _, list := range x.han {
		for _, w := range list {
			f(w.text, w.marks)
		}
	}
}

// concept is the concept of a kind that a word stands for.
func (x *tables) concept(word string, k kind) int16 {
	for _, m := range x.entry(word).marks {
		if m.kinds&k != 0 {
			return m.concept
		}
	}
	panic("dispute: no concept has the word " + word)
}

// group is the group of opposed words that has a word.
func (x *tables) group(word string) int16 {
	for _, m := range x.entry(word).marks {
		if m.group > 0 {
			return m.group
		}
	}
	panic("dispute: no group has the word " + word)
}

// entryOf is what is known of a word of letters of either case.
func entryOf(w string) *entry {
	x := lexicon()
	if w == "" || !x.shapes.may(w) {
		return &x.entries[0]
	}
	return &x.entries[lang.Lookup(x.latin, w)]
}

// shapes tells most words that are not in a list by their first two letters and
// their lengths, as bits.
type shapes [32 * 32]uint32

// at is where words that begin as w does are; letters of either case are one.
func (s *shapes) at(w string) *uint32 {
	i := int(w[0]&31) << 5
	if len(w) > 1 {
		i |= int(w[1] & 31)
	}
	return &s[i]
}

// add notes a word that may be up to longer bytes longer.
func (s *shapes) add(w string, longer int) {
	for n := len(w); n <= len(w)+longer; n++ {
		*s.at(w) |= 1 << min(n, 31)
	}
}

// may reports a word that may be one of the list.
func (s *shapes) may(w string) bool { return *s.at(w)&(1<<min(len(w), 31)) != 0 }
