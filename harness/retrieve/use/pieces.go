package use

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

//go:embed vocab.txt
var vocabFile string

// reserved is the first pieces of the vocabulary, which stand for no text.
const reserved = 6

// vocabulary is the pieces of words and how likely each is.
type vocabulary struct {
	ids     map[string]int
	score   []float32 // log probability
	longest int       // in runes
}

// readVocabulary reads lines of a piece, a tab and its score.
func readVocabulary(text string) *vocabulary {
	v := &vocabulary{ids: map[string]int{}}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		piece, number, ok := strings.Cut(line, "\t")
		score, err := strconv.ParseFloat(number, 32)
		if !ok || err != nil {
			panic("use: vocab.txt: line " + strconv.Itoa(i+1))
		}
		v.score = append(v.score, float32(score))
		if i >= reserved {
			v.ids[piece] = i
			v.longest = max(v.longest, len([]rune(piece)))
		}
	}
	return v
}

// unknown is the piece of a character that no piece holds.
const unknown = 0

// pieces splits a text into its likeliest pieces: the path of the highest sum of
// scores over the characters (Viterbi). As in the original a sum of 0 counts as
// not reached, of two equal ways the later piece wins, and unknown characters in
// a row are one.
func (v *vocabulary) pieces(text string) []int {
	text = norm.NFKC.String(text)
	if text == "" {
		return nil
	}
	text = "\u2581" + strings.ReplaceAll(text, " ", "\u2581")
	var at []int // where each character begins
	for i := range text {
		at = append(at, i)
	}
	n := len(at)
	at = append(at, len(text))
	best, id, from := make([]float32, n+1), make([]int, n+1), make([]int, n+1)
	reached := make([]bool, n+1)
	reached[0] = true
	take := func(i, j, piece int, score float32) {
		if sum := best[i] + score; !reached[j] || best[j] == 0 || sum >= best[j] {
			best[j], id[j], from[j], reached[j] = sum, piece, i, true
		}
	}
	for i := range n {
		found := false
		for j := i + 1; j <= min(n, i+v.longest); j++ {
			if piece, ok := v.ids[text[at[i]:at[j]]]; ok {
				found = true
				take(i, j, piece, v.score[piece])
			}
		}
		if !found {
			take(i, i+1, unknown, 0)
		}
	}
	var out []int
	for j := n; j > 0; j = from[j] {
		if id[j] != unknown || len(out) == 0 || out[len(out)-1] != unknown {
			out = append(out, id[j])
		}
	}
	slices.Reverse(out)
	return out
}
