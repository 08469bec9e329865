package rubric

import (
	"fmt"
	"hash/fnv"
	"math"
	"sort"
	"strings"
	"unicode"

	"github.com/tracegrade/tracegrade/internal/rubric/pool"
)

// packVersion stands in judge hashes: it is raised when the same material
// comes to be packed differently.
const packVersion = 2

// Coverage says how much of the selected material a judge saw.
type Coverage struct {
	Shown, Selected             int // sections
	TokensShown, TokensSelected int // estimated where everything fits: see [pool.CountTokens]
	Incomplete                  int // sections in which something is missing
}

// Whole reports whether nothing is missing.
func (c Coverage) Whole() bool { return c.Shown == c.Selected && c.Incomplete == 0 }

// String says it for people.
func (c Coverage) String() string {
	s := fmt.Sprintf("the judge saw %d of %d sections", c.Shown, c.Selected)
	if c.Shown < c.Selected && c.TokensSelected > 0 {
		s += fmt.Sprintf(", %d %% of their tokens", 100*c.TokensShown/c.TokensSelected)
	}
	if c.Incomplete > 0 {
		s += fmt.Sprintf("; in %d something is missing", c.Incomplete)
	}
	return s
}

// pack chooses the sections that fit into so many tokens: those that are
// fixed, then the others by how much they have in common with them. The order
// of the material is kept. It returns nothing where the fixed ones do not fit.
func pack(sections []Section, tokens int) ([]Section, Coverage, bool) {
	c := Coverage{Selected: len(sections)}
	size := 0
	for i := range sections {
		size += len(sections[i].Text) + sectionOverhead
		if sections[i].Incomplete {
			c.Incomplete++
		}
	}
	// No token is shorter than a byte: what fits by bytes need not be counted.
	if size <= tokens {
		c.Shown, c.TokensShown, c.TokensSelected = len(sections), size/4, size/4
		return sections, c, true
	}
	counts := make([]int, len(sections))
	left := tokens
	keep := make([]bool, len(sections))
	for i := range sections {
		counts[i] = pool.CountTokens(sections[i].Text) + sectionOverhead/2
		c.TokensSelected += counts[i]
		if sections[i].Fixed {
			left -= counts[i]
			keep[i] = true
		}
	}
	if left < 0 {
		return nil, c, false
	}
	for _, i := range byRelevance(sections) {
		if !sections[i].Fixed && counts[i] <= left {
			left -= counts[i]
			keep[i] = true
		}
	}
	var out []Section
	for i, k := range keep {
		if k {
			out = append(out, sections[i])
			c.TokensShown += counts[i]
		}
	}
	c.Shown = len(out)
	if c.Shown < c.Selected {
		var note writer
		note.ours(fmt.Sprintf("[left out: %d of %d sections, because there is no room for them]", c.Selected-c.Shown, c.Selected))
		out = append(out, Section{Name: "note", Text: note.String(), own: note.own, Fixed: true})
	}
	return out, c, true
}

// sectionOverhead is what the two lines around a section cost, in bytes.
const sectionOverhead = 120

// byRelevance orders sections by how many rare words they share with the fixed
// ones (BM25 with k1 = 1.2, b = 0.75); the earlier of equals first.
func byRelevance(sections []Section) []int {
	query := map[uint32]bool{}
	docs := make([]map[uint32]int, len(sections))
	lengths := make([]float64, len(sections))
	seenIn := map[uint32]int{}
	var mean float64
	for i := range sections {
		if sections[i].Fixed && sections[i].Name != "outline" {
			words(sections[i].Text, func(w uint32) { query[w] = true })
		}
	}
	for i := range sections {
		docs[i] = map[uint32]int{}
		words(sections[i].Text, func(w uint32) {
			lengths[i]++
			if query[w] {
				docs[i][w]++
			}
		})
		for w := range docs[i] {
			seenIn[w]++
		}
		mean += lengths[i] / float64(len(sections))
	}
	scores := make([]float64, len(sections))
	order := make([]int, len(sections))
	n := float64(len(sections))
	for i, d := range docs {
		order[i] = i
		for w, tf := range d {
			idf := math.Log(1 + (n-float64(seenIn[w])+0.5)/(float64(seenIn[w])+0.5))
			scores[i] += idf * float64(tf) * 2.2 / (float64(tf) + 1.2*(0.25+0.75*lengths[i]/mean))
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return scores[order[a]] > scores[order[b]] })
	return order
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
