package rubric

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tracegrade/tracegrade/internal/rubric/pool"
)

// packVersion stands in judge hashes: it is raised when the same material
// comes to be packed differently.
const packVersion = 3

// Coverage says how much of the selected material a judge saw.
type Coverage struct {
	Shown, Selected             int // sections
	TokensShown, TokensSelected int // of [pool.CountTokens]; estimated where everything fits, and where by far not
	Incomplete                  int // sections in which something is missing
}

// Whole reports whether nothing is missing.
func (c Coverage) Whole() bool { return c.Shown == c.Selected && c.Incomplete == 0 }

// String says it for people.
func (c Coverage) String() string {
	s := fmt.Sprintf("the judge saw %d of %d sections", c.Shown, c.Selected)
	if c.TokensShown < c.TokensSelected {
		s += fmt.Sprintf(", %d %% of their tokens", 100*c.TokensShown/c.TokensSelected)
	}
	if c.Incomplete > 0 {
		s += fmt.Sprintf("; in %d something is missing", c.Incomplete)
	}
	return s
}

// pack chooses what fits into so many tokens: the sections that are fixed, then
// of the others the passages that have most in common with them. The order of the
// material is kept, and what was left out is said where it stood. need is what the
// fixed ones take: where that is more than tokens, nothing fits.
func pack(sections []Section, tokens int) (packed []Section, c Coverage, need int) {
	size, material := 0, 0
	for i := range sections {
		size += len(sections[i].Text) + sectionOverhead
		if !sections[i].Aid {
			c.Selected++
			material += len(sections[i].Text)
		}
		if sections[i].Incomplete {
			c.Incomplete++
		}
	}
	whole := func() ([]Section, Coverage, int) {
		c.Shown, c.TokensShown = c.Selected, c.TokensSelected
		return sections, c, need
	}
	// No token is shorter than a byte: what fits by bytes need not be counted.
	if size <= tokens {
		c.TokensSelected = size / 4
		return whole()
	}
	counts := make([]int, len(sections))
	aids := 0
	for i := range sections {
		counts[i] = len(sections[i].Text) / 4
		if sections[i].Fixed || sections[i].Aid || material/tokenBytesMost <= tokens {
			counts[i] = pool.CountTokens(sections[i].Text)
		}
		counts[i] += sectionOverhead / 2
		switch {
		case sections[i].Aid:
			aids += counts[i]
			continue
		case sections[i].Fixed:
			need += counts[i]
		}
		c.TokensSelected += counts[i]
	}
	if c.TokensSelected+aids <= tokens && material/tokenBytesMost <= tokens {
		return whole()
	}
	left := tokens - need
	if left < 0 {
		return nil, c, need
	}
	kept := make([][]span, len(sections))
	take := func(i int, pieces ...span) { kept[i] = append(kept[i], pieces...) }
	// Where the material fits, an aid takes what is left; else a small part of the room.
	forAids := max(tokens-c.TokensSelected, left/aidShare)
	for i, s := range sections {
		switch {
		case s.Fixed:
			take(i, span{0, len(s.Text)})
			c.TokensShown += counts[i]
		case s.Aid:
			if pieces, n := ends(s.Text, forAids-sectionOverhead/2); len(pieces) > 0 {
				take(i, pieces...)
				left -= n + sectionOverhead/2
				forAids -= n + sectionOverhead/2
			}
		}
	}
	misses := 0
	for _, p := range byRelevance(sections) {
		if left < tokensMin || misses == missesMax {
			break
		}
		pieces := []span{p.span}
		cost := pool.CountTokens(sections[p.section].Text[p.from:p.to])
		if len(kept[p.section]) == 0 {
			cost += sectionOverhead / 2
			if p.from > 0 { // the beginning says what the rest is of
				head := passages(sections[p.section].Text)[0]
				pieces = append(pieces, head)
				cost += pool.CountTokens(sections[p.section].Text[head.from:head.to])
			}
		} else if p.from == 0 && slices.ContainsFunc(kept[p.section], func(s span) bool { return s.from == 0 }) {
			continue // shown already, as the beginning
		}
		if cost > left {
			misses++
			continue
		}
		take(p.section, pieces...)
		left -= cost
		c.TokensShown += cost
	}
	for i, pieces := range kept {
		if len(pieces) == 0 {
			continue
		}
		shown := sections[i].excerpt(pieces)
		if !shown.Aid {
			c.Shown++
		}
		if shown.Incomplete && !sections[i].Incomplete {
			c.Incomplete++
		}
		packed = append(packed, shown)
	}
	if c.Shown < c.Selected {
		var note writer
		note.ours(fmt.Sprintf("[left out: %d of %d sections, because there is no room for them]", c.Selected-c.Shown, c.Selected))
		packed = append(packed, Section{Name: "note", Text: note.String(), own: note.own, Fixed: true})
	}
	return packed, c, need
}

const (
	// sectionOverhead is what the two lines around a section cost, in bytes.
	sectionOverhead = 120
	// tokenBytesMost is more than the bytes of a token on average, in any text that is
	// worth a judge's while: what has more cannot fit, and need not be counted.
	tokenBytesMost = 16
	// passageBytes is how long a passage is at most: a section that does not fit is
	// shown in passages.
	passageBytes = 400
	// aidShare: an aid may take one part in so many of the room that the fixed
	// sections leave.
	aidShare = 4
	// tokensMin is what is left of the room when nothing more is looked for, and
	// missesMax how many passages that do not fit end the search.
	tokensMin, missesMax = 16, 50
)

// span is a piece of a text: its bytes from from to before to.
type span struct{ from, to int }

// passages cuts a text into pieces of at most passageBytes: at a line break, else
// at the end of a sentence, else between words or entries, else between characters.
func passages(text string) []span {
	var out []span
	for at := 0; at < len(text); {
		end := len(text)
		if end-at > passageBytes {
			end = at + passageBytes
			for !utf8.RuneStart(text[end]) {
				end--
			}
			for _, marks := range passageEnds {
				if n := lastEnd(text[at+passageBytes/4:end], marks); n > 0 {
					end = at + passageBytes/4 + n
					break
				}
			}
		}
		out = append(out, span{at, end})
		at = end
	}
	return out
}

// passageEnds are the marks that a passage may end with, those that part best first.
var passageEnds = [][]string{{"\n"}, {". ", "! ", "? ", "。", "！", "？", "；", "},", "],"}, {", ", "，", "\",", " "}}

// lastEnd is where the last of the marks ends; 0 where there is none.
func lastEnd(s string, marks []string) int {
	last := 0
	for _, m := range marks {
		if k := strings.LastIndex(s, m); k >= 0 {
			last = max(last, k+len(m))
		}
	}
	return last
}

// ends is the first and the last lines of a text that fit into so many tokens,
// and how many they have: all of them where they fit.
func ends(text string, tokens int) (kept []span, used int) {
	var lines []span
	for at := 0; at < len(text); {
		n := strings.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			n = len(text) - at
		}
		lines = append(lines, span{at, at + n})
		at += n
	}
	for first, last, n := 0, len(lines)-1, 0; first <= last; n++ {
		at := first
		if n%2 == 1 {
			at = last
			last--
		} else {
			first++
		}
		cost := pool.CountTokens(text[lines[at].from:lines[at].to])
		if used+cost > tokens {
			break
		}
		used += cost
		kept = append(kept, lines[at])
	}
	return kept, used
}

// excerpt is the section with these pieces of its text in order, and what was left
// out between them said in our words.
func (s Section) excerpt(pieces []span) Section {
	slices.SortFunc(pieces, func(a, b span) int { return a.from - b.from })
	own := ownPlaces(s)
	var w writer
	at, cut := 0, false
	gap := func(to int) {
		if to > at {
			cut = true
			if t := w.text.String(); t != "" && !strings.HasSuffix(t, "\n") {
				w.theirs("\n")
			}
			w.ours(fmt.Sprintf("[left out: %d bytes]", to-at))
			w.theirs("\n")
		}
	}
	for _, p := range pieces {
		gap(p.from)
		at = p.from
		for ; len(own) > 0 && own[0] < p.to; own = own[2:] {
			if own[1] > at {
				from := max(own[0], at)
				w.theirs(s.Text[at:from])
				w.ours(s.Text[from:min(own[1], p.to)])
				at = min(own[1], p.to)
			}
			if own[1] > p.to { // the rest of it is of the next piece
				break
			}
		}
		w.theirs(s.Text[at:p.to])
		at = p.to
	}
	gap(len(s.Text))
	if cut {
		s.Text, s.own, s.Incomplete = w.String(), w.own, s.Incomplete || !s.Aid
	}
	return s
}

// passage is a piece of a section.
type passage struct {
	section int
	span
	score float64
}

// byRelevance orders the passages of the sections that may be cut by how many rare
// words they share with the fixed ones (BM25 with k1 = 1.2, b = 0.75), and a half of what
// the passages beside them do; the earlier of equals first.
func byRelevance(sections []Section) []passage {
	query := map[uint32]bool{}
	for _, s := range sections {
		if s.Fixed && s.Name != "outline" {
			words(s.Text, func(w uint32) { query[w] = true })
		}
	}
	var list []passage
	var docs []map[uint32]int
	var lengths []float64
	seenIn := map[uint32]int{}
	var sum float64
	for i, s := range sections {
		if s.Fixed || s.Aid {
			continue
		}
		for _, p := range passages(s.Text) {
			doc, length := map[uint32]int{}, 0.0
			words(s.Text[p.from:p.to], func(w uint32) {
				length++
				if query[w] {
					doc[w]++
				}
			})
			for w := range doc {
				seenIn[w]++
			}
			list, docs, lengths = append(list, passage{section: i, span: p}), append(docs, doc), append(lengths, length)
			sum += length
		}
	}
	n := float64(len(list))
	scores := make([]float64, len(list))
	for i, d := range docs {
		for w, tf := range d {
			idf := math.Log(1 + (n-float64(seenIn[w])+0.5)/(float64(seenIn[w])+0.5))
			scores[i] += idf * float64(tf) * 2.2 / (float64(tf) + 1.2*(0.25+0.75*lengths[i]*n/sum))
		}
	}
	for i := range list {
		list[i].score = scores[i]
		for _, beside := range []int{i - 1, i + 1} {
			if beside >= 0 && beside < len(list) && list[beside].section == list[i].section {
				list[i].score += scores[beside] / 2
			}
		}
	}
	slices.SortStableFunc(list, func(a, b passage) int { return cmp.Compare(b.score, a.score) })
	return list
}

// words calls f for the words of a text: runs of letters and digits in lower
// case, and pairs of neighbours where the script has no spaces.
func words(s string, f func(uint32)) {
	h := fnv.New32a()
	length := 0
	var previous rune
	flush := func() {
		if length > 1 {
			f(h.Sum32())
		}
		h.Reset()
		length = 0
	}
	for _, r := range s {
		switch {
		case unicode.Is(unicode.Han, r) || unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			flush()
			if previous != 0 {
				f(uint32(previous)<<16 ^ uint32(r)*31)
			}
			previous = r
			continue
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			var b [4]byte
			h.Write(b[:copy(b[:], string(unicode.ToLower(r)))])
			length++
		default:
			flush()
		}
		previous = 0
	}
	flush()
}

// reversed puts the listed sections in reverse among their own places.
func reversed(sections []Section) []Section {
	out := append([]Section{}, sections...)
	var at []int
	for i := range out {
		if out[i].Listed {
			at = append(at, i)
		}
	}
	for i, j := 0, len(at)-1; i < j; i, j = i+1, j-1 {
		a, b := at[i], at[j]
		out[a], out[b] = out[b], out[a]
	}
	return out
}

// listed counts the sections whose order may be reversed.
func listed(sections []Section) int {
	n := 0
	for i := range sections {
		if sections[i].Listed {
			n++
		}
	}
	return n
}

// firstWords is a text cut for one line.
func firstWords(s string, n int) string {
	return shorten(strings.Join(strings.Fields(s), " "), n)
}
