package retrieve

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Gloss is a Chinese-English dictionary in the format of CC-CEDICT. With it a
// Chinese text becomes a row of English words, of which the English encoder makes
// a vector: no translation, and near enough to find pages by, in both languages.
type Gloss struct {
	words   map[string]string // simplified or traditional word -> its first sense
	longest int               // of the words, in characters
	hash    string            // of the file
}

// Limits of a dictionary.
const (
	maxGlossFile = 64 << 20 // bytes
	leastWords   = 1000     // fewer are no dictionary
	longestWord  = 8        // characters that are looked up at once
)

// glossEntry and glossAside are an entry ("銀行 银行 [yin2 hang2] /bank/"), and what is taken out of a sense.
var (
	glossEntry = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\S+) (\S+) \[([^\]]*)\] /(.+)/\s*$`) })
	glossAside = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]`) })
)

// noSense begin what a dictionary says of a word that is not what it means.
var noSense = []string{"CL:", "surname ", "variant of", "old variant", "see ", "also written", "abbr. for", "erhua variant", "used in "}

// grammar is words that carry no meaning of their own in a row of words.
var grammar = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("的 了 为 在 是 和 与 及 约 于 并 能 吗 呢 吧 着 过 地 得 之 其 该 也 就 都 被 把 对 从 到 这 那 有") {
		m[w] = true
	}
	return m
}()

// ReadGloss reads a dictionary. Lines that are no entries are passed over: comments,
// and what a package puts around the text.
func ReadGloss(r io.Reader) (*Gloss, error) {
	h := sha256.New()
	g := &Gloss{words: map[string]string{}}
	names := map[string]bool{} // words of which only a proper name is known
	lines := bufio.NewScanner(io.TeeReader(io.LimitReader(r, maxGlossFile), h))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		m := glossEntry().FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		sense := firstSense(m[4])
		if sense == "" {
			continue
		}
		name := m[3] != "" && unicode.IsUpper(rune(m[3][0]))
		for _, w := range m[1:3] {
			if _, ok := g.words[w]; ok && (name || !names[w]) {
				continue
			}
			g.words[w], names[w] = sense, name
			g.longest = max(g.longest, min(longestWord, utf8.RuneCountInString(w)))
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(g.words) < leastWords {
		return nil, errors.New("want a dictionary in the format of CC-CEDICT, with lines such as 銀行 银行 [yin2 hang2] /bank/")
	}
	g.hash = hex.EncodeToString(h.Sum(nil)[:4])
	return g, nil
}

// firstSense is the first of the senses, which are joined by strokes, that says
// what a word means.
func firstSense(senses string) string {
next:
	for sense := range strings.SplitSeq(senses, "/") {
		for _, p := range noSense {
			if strings.HasPrefix(sense, p) {
				continue next
			}
		}
		sense, _, _ = strings.Cut(glossAside().ReplaceAllString(sense, ""), ";")
		if sense = strings.TrimSpace(strings.TrimPrefix(sense, "to ")); sense != "" {
			return sense
		}
	}
	return ""
}

// English is a text with its Chinese words in English, each the longest that the
// dictionary has; characters that it has not are left out.
func (g *Gloss) English(text string) string {
	var out []string
	rs := []rune(text)
	for i := 0; i < len(rs); {
		if !unicode.Is(unicode.Han, rs[i]) {
			from := i
			for i < len(rs) && !unicode.Is(unicode.Han, rs[i]) {
				i++
			}
			out = append(out, strings.TrimSpace(string(rs[from:i])))
			continue
		}
		n := min(g.longest, len(rs)-i)
		for ; n > 1; n-- {
			if _, ok := g.words[string(rs[i:i+n])]; ok {
				break
			}
		}
		w := string(rs[i : i+n])
		if sense := g.words[w]; sense != "" && !grammar[w] {
			out = append(out, sense)
		}
		i += n
	}
	return strings.Join(out, " ")
}

// Glossed embeds Chinese texts by their English words.
type Glossed struct {
	Gloss *Gloss
	Of    Embedder // knows English
}

// ID implements [Embedder]: another dictionary gives other vectors.
func (g Glossed) ID() string { return fmt.Sprintf("%s+gloss-%s", g.Of.ID(), g.Gloss.hash) }

// Embed implements [Embedder].
func (g Glossed) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	english := make([]string, len(texts))
	for i, t := range texts {
		english[i] = t
		if strings.ContainsFunc(t, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			english[i] = g.Gloss.English(t)
		}
	}
	return g.Of.Embed(ctx, english)
}
