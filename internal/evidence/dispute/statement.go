// Package dispute reads what texts and records say of things, and finds where
// two of them say otherwise of one.
package dispute

import (
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Part is one text of a source: plain text, or a member of a record.
type Part struct {
	Key   string // of the member, in words; empty for plain text
	Text  string
	Atoms []atom.Atom
	Prose bool // sentences, under whatever key
	Self  bool // says something of the record itself: its address, its rank
	Date  bool // says of which time the record is
	Named bool // a text or a number that tells records apart, not one that is said of them
}

// Source is what one observation says.
type Source struct {
	Title string      // what it is about, where its sentences do not say so
	Atoms []atom.Atom // of the title; nil where they have not been read
	Parts []Part
}

// Limits of one source.
const (
	maxStatements = 512
	maxTerms      = 4096
)

// Reading is the statements of a source.
type Reading struct {
	list     []statement
	terms    []uint64 // of all its words, in order
	scenes   arena[scene]
	contexts arena[gathered]
	words    arena[uint64]
	texts    arena[string]
	codes    arena[coded]
	topic    scene    // what its heading, its title or its record names
	replaces bool     // it says that it corrects or replaces another
	chinese  []script // of the parts, as far as they were asked for
}

// statement is one value and what it is said of.
type statement struct {
	kind      kind
	part      int32
	off, size int32
	a         *atom.Atom
	hi        float64 // of a range, in base units; else the value
	bound     int8
	about     bool
	own       coded // of the value itself, where it is a code
	concepts  []int16
	near      int // how far its concept is, in words; for values in words
	words     []uint64
	mods      []uint64 // before the attribute's word
	sides     []mark
	wider     []mark
	when      []string
	clocks    []string
	scene     *scene
	context   *gathered
	under     *scene // what was spoken of before
	clauseRun []string
	noun      string
	qualities [][2]uint64  // words and those before them
	scope     []uint64     // whom or what it is for
	head      []uint64     // a part of the thing that is named: the motor of the X
	perUnit   uint64       // of what it is the price or the rate
	tail      uint64       // the end of the Chinese before it
	key       uint64       // of a record
	places    []uint64     // in which it is so
	same      []*atom.Atom // values of its kind in its sentence
	others    []*atom.Atom // other quantities of its clause
	value     []uint64     // words of a value in words
	state     mark
	record    bool
	text      string
}

// Read reads the statements of a source.
func Read(s *Source) *Reading {
	r := readings.Get().(*Reading)
	buffer := buffers.Get().(*[]token)
	toks := *buffer
	defer func() { *buffer = toks[:0]; buffers.Put(buffer) }()
	if s.Title != "" {
		atoms := s.Atoms
		if atoms == nil {
			atoms = atom.Scan(s.Title)
		}
		toks = lex(s.Title, atoms, 0, len(s.Title), toks[:0])
		r.topic.add(s.Title, atoms, toks, r)
	}
	r.record(s)
	for i := range s.Parts {
		p := &s.Parts[i]
		if !p.Prose || p.Self {
			continue
		}
		first := true
		under := r.scenes.one()
		under.take(&r.topic, r)
		under.first = r.topic.first
		if p.Key != "" {
			atoms := atom.Scan(p.Key)
			toks = lex(p.Key, atoms, 0, len(p.Key), toks[:0])
			under.add(p.Key, atoms, toks, r)
		}
		for from := 0; from < len(p.Text) && len(r.list) < maxStatements; {
			_, to := lang.Sentence(p.Text, from, from+1)
			toks = lex(p.Text, p.Atoms, from, to, toks[:0])
			sc := r.scenes.one()
			sc.add(p.Text, p.Atoms, toks, r)
			r.sentence(p, int32(i), toks, sc, under)
			if len(toks) > 0 && (first || len(sc.names)+len(sc.codes)+len(sc.runs) > 0) {
				next := r.scenes.one()
				next.take(sc, r)
				if first {
					under.take(sc, r)
					if len(under.first) == 0 {
						under.first = sc.first
					}
					next = under
					first = false
				} else {
					next.names = r.words.add(next.names, under.names[:min(len(under.names), 12)]...)
					if next.first = sc.first; len(next.first) == 0 {
						next.first = under.first
					}
					next.texts = r.texts.add(next.texts, under.texts[:min(len(under.texts), 12)]...)
					next.words = r.words.add(next.words, under.words[:min(len(under.words), 12)]...)
					next.runs = r.texts.add(next.runs, under.runs[:min(len(under.runs), 8)]...)
					next.codes = r.codes.add(next.codes, under.codes...)
					if len(next.when) == 0 {
						next.when = under.when
					}
					next.sides = under.sides
				}
				under = next
			}
			for from = to; from < len(p.Text) && !(p.Text[from] >= utf8.RuneSelf && hanAt(p.Text, from)) && !lang.IsAlnum(p.Text[from]) && p.Text[from] != '"'; {
				_, w := utf8.DecodeRuneInString(p.Text[from:])
				from += w
			}
		}
	}
	slices.Sort(r.terms)
	r.terms = slices.Compact(r.terms)
	return r
}

// push appends, and makes room for some more.
func push[T any](list []T, v T) []T {
	if cap(list) == 0 {
		list = make([]T, 0, 8)
	}
	return append(list, v)
}

// Release gives a reading's memory back for others.
func (r *Reading) Release() {
	clear(r.list)
	r.scenes.release()
	r.contexts.release()
	r.words.release()
	r.texts.release()
	r.codes.release()
	*r = Reading{list: r.list[:0], terms: r.terms[:0], scenes: r.scenes, contexts: r.contexts, words: r.words, texts: r.texts, codes: r.codes, chinese: r.chinese[:0]}
	readings.Put(r)
}

var readings = sync.Pool{New: func() any { return &Reading{terms: make([]uint64, 0, 96)} }}

// buffers are the tokens of a sentence, which the next one needs no more.
var buffers = sync.Pool{New: func() any { b := make([]token, 0, 128); return &b }}

func (r *Reading) term(h uint64) {
	if len(r.terms) < maxTerms {
		r.terms = append(r.terms, h)
	}
}

func (r *Reading) says(h uint64) bool { _, ok := slices.BinarySearch(r.terms, h); return ok }

// script tells whether a part has Chinese characters.
type script uint8

const (
	unread script = iota
	latinOnly
	withHan
)

// han reports a statement of a part with Chinese characters, which is looked for once.
func (r *Reading) han(s *statement) bool {
	for len(r.chinese) <= int(s.part) {
		r.chinese = append(r.chinese, unread)
	}
	known := &r.chinese[s.part]
	if *known == unread {
		if *known = latinOnly; lang.HasHan(s.text) {
			*known = withHan
		}
	}
	return *known == withHan
}

// Has reports whether a statement is of the value at a place of a text of one part.
func (r *Reading) Has(offset, length int) bool {
	for i := range r.list {
		if s := &r.list[i]; int(s.off) == offset && int(s.size) == length {
			return true
		}
	}
	return false
}

// Len is the number of statements of a reading.
func (r *Reading) Len() int { return len(r.list) }
