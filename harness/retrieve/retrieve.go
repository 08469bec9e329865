// Package retrieve finds documents: full text (BM25) and vectors together, with
// the operators that people write in a search box.
//
//	ParseQuery  text -> Query      words, "phrases", -words, site:, before:, after:
//	New         items -> *Index    built once, then safe for concurrent use
//	Search      Query -> ranked places, ties in the order of the items
package retrieve

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode"
)

// Item is what is indexed of a document.
type Item struct {
	Title, Text string
	Domain      string
	Day         string // 2006-01-02, for before: and after:
}

// Words is the text by which an item is found.
func (it Item) Words() string { return it.Title + "\n" + it.Text }

// Query is a parsed query.
type Query struct {
	Words   []string // what remains to be matched by meaning
	Text    string   // the words as one text, for the embedder
	Phrases []string // must occur
	Without []string // must not occur
	Sites   []string // the domain, or one above it
	NotSite []string
	Before  string
	After   string
}

// ParseQuery reads a query. It never fails: an operator without a value is a
// word.
func ParseQuery(text string) Query {
	var q Query
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		if rest[0] == '"' {
			if phrase, after, ok := strings.Cut(rest[1:], `"`); ok {
				q.Phrases = append(q.Phrases, strings.ToLower(phrase))
				q.Words = append(q.Words, Tokens(phrase)...)
				q.Text += phrase + " "
				rest = after
				continue
			}
			rest = rest[1:]
			continue
		}
		word := rest
		if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
			word = rest[:i]
		}
		rest = rest[len(word):]
		q.operator(word)
	}
	q.Text = strings.TrimSpace(q.Text)
	return q
}

func (q *Query) operator(word string) {
	lower := strings.ToLower(word)
	for _, op := range []struct {
		prefix string
		take   func(string)
	}{
		{"site:", func(v string) { q.Sites = append(q.Sites, Domain(v)) }},
		{"-site:", func(v string) { q.NotSite = append(q.NotSite, Domain(v)) }},
		{"before:", func(v string) { q.Before = v }},
		{"after:", func(v string) { q.After = v }},
		{"-", func(v string) { q.Without = append(q.Without, v) }},
	} {
		if v, ok := strings.CutPrefix(lower, op.prefix); ok && v != "" {
			op.take(v)
			return
		}
	}
	q.Words = append(q.Words, Tokens(word)...)
	q.Text += word + " "
}

// Domain is the host of an address, or of what people write after site:.
func Domain(v string) string {
	v = strings.ToLower(v)
	v = strings.TrimPrefix(strings.TrimPrefix(v, "https://"), "http://")
	v, _, _ = strings.Cut(v, "/")
	return strings.TrimPrefix(v, "www.")
}

// under reports whether host is the domain or below it.
func under(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// Wrong is what no reply can do justice to: a day that there is not; nil where
// nothing is. A year or a month is the day that it begins with.
func (q *Query) Wrong() error {
	for _, op := range []struct{ name, day string }{{"before:", q.Before}, {"after:", q.After}} {
		if op.day != "" && !slices.ContainsFunc([]string{time.DateOnly, "2006-01", "2006"}, func(layout string) bool {
			_, err := time.Parse(layout, op.day)
			return err == nil
		}) {
			return fmt.Errorf("%s%s: want a day such as 2026-03-01", op.name, op.day)
		}
	}
	return nil
}

// allows applies everything but the ranking.
func (q *Query) allows(it *Item, lower string) bool {
	if len(q.Sites) > 0 && !slices.ContainsFunc(q.Sites, func(s string) bool { return under(it.Domain, s) }) {
		return false
	}
	return !slices.ContainsFunc(q.NotSite, func(s string) bool { return under(it.Domain, s) }) &&
		!slices.ContainsFunc(q.Phrases, func(p string) bool { return !strings.Contains(lower, p) }) &&
		!slices.ContainsFunc(q.Without, func(w string) bool { return strings.Contains(lower, w) }) &&
		(q.Before == "" || it.Day < q.Before) && (q.After == "" || it.Day > q.After)
}

// Tokens splits a text: words of letters and digits in lower case, and Chinese
// characters, each and in pairs.
func Tokens(text string) []string {
	var out []string
	var word strings.Builder
	var last rune
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	for _, c := range strings.ToLower(text) {
		switch {
		case unicode.Is(unicode.Han, c):
			flush()
			out = append(out, string(c))
			if last != 0 {
				out = append(out, string([]rune{last, c}))
			}
			last = c
			continue
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			word.WriteRune(c)
		default:
			flush()
		}
		last = 0
	}
	flush()
	return out
}

// Constants of BM25, and what a cosine weighs against the best full text score:
// vector for each 1 above floor. An item without a word of the query is found
// from near. They were chosen on testdata/questions.json.
const (
	k1     = 1.2
	b      = 0.75
	vector = 4.0
	floor  = 0.2
	near   = 0.4
)

// Index is documents ready to be searched. It is safe for concurrent use.
type Index struct {
	items    []Item
	lower    []string
	counts   []map[string]int
	length   []float64
	mean     float64
	holds    map[string]int // token -> number of documents
	vectors  [][]float32
	embedder Embedder
}

// New indexes items. Without an embedder the full text alone ranks.
func New(ctx context.Context, items []Item, e Embedder) (*Index, error) {
	ix := &Index{items: items, holds: map[string]int{}, embedder: e}
	texts := make([]string, len(items))
	for i, it := range items {
		texts[i] = it.Words()
		ix.lower = append(ix.lower, strings.ToLower(texts[i]))
		counts := map[string]int{}
		tokens := Tokens(texts[i])
		for _, t := range tokens {
			counts[t]++
		}
		for t := range counts {
			ix.holds[t]++
		}
		ix.counts = append(ix.counts, counts)
		ix.length = append(ix.length, float64(len(tokens)))
		ix.mean += float64(len(tokens)) / float64(len(items))
	}
	if e == nil || len(items) == 0 {
		return ix, nil
	}
	var err error
	if ix.vectors, err = e.Embed(ctx, texts); err != nil {
		return nil, fmt.Errorf("embed %d documents with %s: %w", len(items), e.ID(), err)
	}
	return ix, nil
}

// Search returns the places of the matching items, best first. An item that
// shares nothing with the query is left out, unless the query is operators only.
func (ix *Index) Search(ctx context.Context, q Query) ([]int, error) {
	words := make([]float64, len(ix.items))
	best := 0.0
	for i := range ix.items {
		words[i] = ix.bm25(i, q.Words)
		best = max(best, words[i])
	}
	var ask []float32
	if ix.vectors != nil && q.Text != "" {
		v, err := ix.embedder.Embed(ctx, []string{q.Text})
		if err != nil {
			return nil, fmt.Errorf("embed the query with %s: %w", ix.embedder.ID(), err)
		}
		ask = v[0]
	}
	score := make([]float64, len(ix.items))
	var found []int
	for i := range ix.items {
		if !q.allows(&ix.items[i], ix.lower[i]) {
			continue
		}
		cosine := 0.0
		if best > 0 {
			score[i] = words[i] / best
		}
		if ask != nil {
			cosine = Cosine(ask, ix.vectors[i])
			score[i] += vector * max(0, cosine-floor)
		}
		if words[i] > 0 || cosine >= near || len(q.Words) == 0 {
			score[i] = math.Round(score[i]*1e6) / 1e6 // the last bits differ between machines
			found = append(found, i)
		}
	}
	sort.SliceStable(found, func(a, c int) bool { return score[found[a]] > score[found[c]] })
	return found, nil
}

func (ix *Index) bm25(i int, words []string) float64 {
	var sum float64
	n := float64(len(ix.items))
	for _, w := range words {
		tf := float64(ix.counts[i][w])
		if tf == 0 {
			continue
		}
		df := float64(ix.holds[w])
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		sum += idf * tf * (k1 + 1) / (tf + k1*(1-b+b*ix.length[i]/ix.mean))
	}
	return sum
}
