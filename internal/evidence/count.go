package evidence

import (
	"math"
	mathbits "math/bits"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// counted derives a small number from the records of one step, or from the
// lines of one text that name what is counted: 3 orders, 12 commits.
func (k *linker) counted(l *Link, text, sentence string) bool {
	a := &l.Atom
	if a.Kind != atom.Number || a.Unit != "" || a.Num < 2 || a.Num > 500 || a.Num != math.Trunc(a.Num) {
		return false
	}
	noun := lang.Stem(a.Noun)
	if lang.IsHan(a.Noun) || noun == "" {
		noun = "\x00" // no word has it
	}
	terms := k.terms(text, a)
	head := noun // of "2 sealed loads": loads
	if len(terms) > 1 && !lang.IsHan(a.Noun) {
		head = lang.Stem(lang.Lower(terms[1]))
	}
	said := saysThereAre(text, a)
	obs := k.index.obs
	end := 0
	for end < len(obs) && !k.later(int32(end)) {
		end++
	}
	for i := max(0, end-maxCounted); i < end; {
		j, named, counts := i, false, noun
		for j < end && obs[j].step == obs[i].step {
			if k.budget += len(obs[j].Text); k.budget > maxSearch {
				k.ledger.noteCut("search")
				return false
			}
			for _, w := range [...]string{head, noun} {
				if !named && (len(obs[j].pieces) > 1 && namings(&obs[j], w) > 0 || lang.Stem(lastKeyWord(obs[j].of)) == w || lang.Stem(lastKeyWord(obs[j].Tool)) == w || len(w) > 3 && asksFor(obs[j].asked, w)) {
					named, counts = true, w
				}
			}
			j++
		}
		rows := obs[rowsFrom(obs, i, j):j]
		which := withTerm(rows, terms, int(a.Num))
		if which == nil && (named || said && len(rows) > 1) {
			part, restricted := countedPart(rows, restriction(text, a, counts))
			switch {
			case len(rows) == int(a.Num) && !restricted:
				which = everyOf(rows)
			case named && len(part) == int(a.Num):
				which = part
			}
		}
		if which != nil {
			l.State, l.How = Derived, "count"
			for _, row := range which[:min(len(which), 8)] {
				k.cite(l, j-len(rows)+row)
			}
			l.more(len(which) - 8)
			return true
		}
		for o := i; o < j; o++ {
			if (len(obs[o].pieces) == 1 || lang.Stem(lastKeyWord(obs[o].pieces[0].key)) == noun) && namings(&obs[o], noun) == int(a.Num) || linesWithTerm(&obs[o], terms, int(a.Num)) {
				l.State, l.How = Derived, "count"
				k.cite(l, o)
				return true
			}
		}
		i = j
	}
	return false
}

// asksFor reports a call whose arguments name what is counted.
func asksFor(asked, noun string) bool {
	for start, end := nextWord(asked, 0); start < end; start, end = nextWord(asked, end) {
		if lang.Stem(lang.Lower(asked[start:end])) == noun {
			return true
		}
	}
	return false
}

// rowsFrom is where the rows begin among the observations of one step: the first
// one is what is left of the envelope where it has no key of the next one.
func rowsFrom(obs []Observation, i, j int) int {
	if j-i < 2 {
		return i
	}
	for p := range obs[i].pieces {
		for q := range obs[i+1].pieces {
			if obs[i].pieces[p].key == obs[i+1].pieces[q].key {
				return i
			}
		}
	}
	return i + 1
}

// restriction is the words of a clause that may say which of some things a number
// counts: from the number before it to the one after it, without the noun of what it counts.
func restriction(text string, a *atom.Atom, noun string) lang.Words {
	from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
	low, high := clause(text, from, to, a)
	before, after := text[low:a.Offset], text[a.Offset+a.Length:high]
	before = before[strings.LastIndexAny(before, "0123456789")+1:]
	if end := strings.IndexAny(after, "0123456789"); end >= 0 {
		after = after[:end]
	}
	var w lang.Words
	w.Add(before)
	w.Add(after)
	return slices.DeleteFunc(w, func(h uint64) bool { return h == lang.Hash(noun) })
}

// countedPart lists the records that have all that the words say which any of them
// has; nil where none has. Restricted are words that part the records into those
// that they name, two and more, and others.
func countedPart(rows []Observation, said lang.Words) (which []int, restricted bool) {
	if len(rows) > maxSelected {
		return nil, false
	}
	records := make([]lang.Words, len(rows))
	for i := range rows {
		records[i] = rows[i].qualities()
	}
	named, _ := namedSets(records, said, 0)
	if len(named) == 0 {
		return nil, false
	}
	both, either, several := ^uint64(0), uint64(0), false
	for _, set := range named {
		both, either, several = both&set, either|set, several || mathbits.OnesCount64(set) > 1
	}
	for i := range rows {
		if both>>i&1 == 1 {
			which = append(which, i)
		}
	}
	return which, several && either != 1<<len(rows)-1
}

// everyOf lists all of some records.
func everyOf(rows []Observation) []int {
	out := make([]int, len(rows))
	for i := range out {
		out[i] = i
	}
	return out
}

// saysThereAre reports a number that the words before it count out: there are
// 3, I found 12, 共有2.
func saysThereAre(text string, a *atom.Atom) bool {
	before := lang.Lower(text[max(0, a.Offset-24):a.Offset])
	return lang.ContainsAny(before, []string{"there are", "found", "you have", "lists", "returned", "共"})
}

// terms are the words that may name what a number counts: the next three words
// ("5 TODO comments", "3 open orders"), and, for "3 of them", the names and codes of
// its sentence.
func (k *linker) terms(text string, a *atom.Atom) []string {
	var out []string
	rest := text[a.Offset+a.Length:]
	if strings.HasPrefix(rest, " of them") || strings.HasPrefix(rest, " of those") {
		from, to := lang.Sentence(text, a.Offset, a.Offset+a.Length)
		for _, b := range atom.Scan(text[from:to]) {
			if b.Kind == atom.Identifier || b.Kind == atom.Name {
				out = append(out, b.Text)
			}
		}
		return out
	}
	for range 3 {
		rest = strings.TrimPrefix(rest, " ")
		w, end := lang.WordAt(rest, 0)
		if len(w) < 3 || lang.IsStop(w) {
			break
		}
		out = append(out, rest[:end])
		rest = rest[end:]
	}
	return out
}

// withTerm lists the records, of several, that hold one of the terms, where they
// are as many as wanted and not all; nil where no term gives so many.
func withTerm(records []Observation, terms []string, want int) []int {
	if len(records) < 3 || len(records) > 200 || want >= len(records) {
		return nil
	}
	for _, t := range terms {
		var which []int
		for i := range records {
			for p := range records[i].pieces {
				if pc := &records[i].pieces[p]; len(pc.text) < 200 && lang.ContainsFold(pc.text, t) {
					which = append(which, i)
					break
				}
			}
		}
		if len(which) == want {
			return which
		}
	}
	return nil
}

// linesWithTerm reports whether so many lines of a text hold one of the terms.
func linesWithTerm(o *Observation, terms []string, want int) bool {
	if len(o.pieces) != 1 || len(o.Text) > 20_000 || strings.Count(o.Text, "\n") < 2 {
		return false
	}
	for _, t := range terms {
		n := 0
		for line := range strings.SplitSeq(o.Text, "\n") {
			if lang.ContainsFold(line, t) {
				n++
			}
		}
		if n == want {
			return true
		}
	}
	return false
}

// maxCounted bounds the observations, latest first, that are counted over.
const maxCounted = 400

// cite adds a whole observation to a link.
func (k *linker) cite(l *Link, o int) {
	p := &k.index.obs[o].pieces[0]
	text := p.text[:min(len(p.text), 80)]
	for len(text) > 0 && len(text) < len(p.text) && p.text[len(text)]&0xc0 == 0x80 {
		text = text[:len(text)-1]
	}
	l.Observations = append(l.Observations, o)
	l.posts = append(l.posts, -1)
	l.Sources = append(l.Sources, p.place(k.index.obs[o].StepID, 0, len(text)))
	l.Quotes = append(l.Quotes, text)
	first, _, _ := strings.Cut(text, "\n")
	l.Operands = append(l.Operands, first)
}

// namings counts the lines, keys and values of an observation that begin with
// or name a noun, up to 20 KB of it.
func namings(o *Observation, noun string) int {
	n, size := 0, 0
	for i := range o.pieces {
		p := &o.pieces[i]
		if size += len(p.text); size > 20_000 {
			break
		}
		if p.key != "" && strings.Contains(plainKey(p.key), noun) {
			n++
			continue
		}
		for line := range strings.SplitSeq(p.text, "\n") {
			line = strings.TrimLeft(line, " *-0123456789.)#|\t")
			w, _ := lang.WordAt(line, 0)
			if lang.Stem(w) == noun {
				n++
			}
		}
	}
	return n
}
