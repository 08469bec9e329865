// Package classify tells sentences that doubt from sentences that are sure and
// from all others, in English and Chinese, without a model server.
//
// The model is a multinomial logistic regression over words, pairs of words and
// short runs of Chinese characters. Program train makes its weights from the
// labelled sentences beside it; they are embedded, so the same sentence has the
// same class everywhere. It knows wording and nothing of the world: whether a
// doubt is justified, or what it is about, is not its question.
package classify

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Class is what a sentence expresses.
type Class int

const (
	Neutral   Class = iota // states, asks, plans or acts
	Doubt                  // lowers the credence of something, or says that it must be checked
	Certainty              // says that the speaker is sure, beyond stating it
)

// Classes lists the names of the classes, by [Class].
var Classes = []string{"neutral", "doubt", "certainty"}

func (c Class) String() string { return Classes[c] }

// ParseClass is the class of a name.
func ParseClass(name string) (Class, error) {
	if i := slices.Index(Classes, name); i >= 0 {
		return Class(i), nil
	}
	return 0, fmt.Errorf("class %q: want %s", name, strings.Join(Classes, ", "))
}

// Scores is one number for each class.
type Scores [3]float64

// Weight is the unit of the weights in a file: they are whole thousandths.
const Weight = 1000

// biasName stands for the bias among the features; no sentence has it.
const biasName = "(bias)"

// Model is trained weights. It is safe for concurrent use.
type Model struct {
	bias    Scores
	weights map[string]Scores
	hash    string
}

//go:embed weights.txt
var embedded string

// Default is the embedded model.
var Default = sync.OnceValue(func() *Model {
	m, err := Read(embedded)
	if err != nil {
		panic("classify: the embedded weights cannot be read: " + err.Error())
	}
	return m
})

// Read reads weights: lines of a feature and its weight for each class, in
// thousandths, with tabs between them. Lines that begin with # are comments.
func Read(text string) (*Model, error) {
	sum := sha256.Sum256([]byte(text))
	m := &Model{weights: map[string]Scores{}, hash: hex.EncodeToString(sum[:8])}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 1+len(Classes) {
			return nil, fmt.Errorf("line %d has %d columns: want a feature and %d weights", n, len(parts), len(Classes))
		}
		var w Scores
		for i := range w {
			v, err := strconv.Atoi(parts[1+i])
			if err != nil {
				return nil, fmt.Errorf("line %d: weight %q: want thousandths, a whole number", n, parts[1+i])
			}
			w[i] = float64(v) / Weight
		}
		if parts[0] == biasName {
			m.bias = w
		} else {
			m.weights[parts[0]] = w
		}
	}
	return m, nil
}

// New makes a model of weights by feature.
func New(bias Scores, weights map[string]Scores) *Model { return &Model{bias: bias, weights: weights} }

// Format writes weights as [Read] reads them. Features whose weights are all 0
// then are left out.
func (m *Model) Format() string {
	var b strings.Builder
	line := func(name string, w Scores) {
		var k [len(w)]int
		for i := range w {
			k[i] = int(math.Round(w[i] * Weight))
		}
		if k != [len(w)]int{} {
			fmt.Fprintf(&b, "%s\t%d\t%d\t%d\n", name, k[0], k[1], k[2])
		}
	}
	fmt.Fprintf(&b, "# Written by program train. Feature, then %s, in thousandths.\n", strings.Join(Classes, ", "))
	line(biasName, m.bias)
	names := make([]string, 0, len(m.weights))
	for f := range m.weights {
		names = append(names, f)
	}
	slices.Sort(names)
	for _, f := range names {
		line(f, m.weights[f])
	}
	return b.String()
}

// Hash is the identity of a model that was read.
func (m *Model) Hash() string { return m.hash }

// Sentence is the probability of each class for a sentence.
func (m *Model) Sentence(s string) Scores {
	features := Features(s)
	z := m.bias
	x := Value(len(features))
	for _, f := range features {
		w := m.weights[f]
		for i := range z {
			z[i] += x * w[i]
		}
	}
	return Softmax(z)
}

// Value is what each of n features counts: sentences weigh the same, however
// long they are.
func Value(n int) float64 {
	if n == 0 {
		return 0
	}
	return 1 / math.Sqrt(float64(n))
}

// Softmax makes probabilities of scores.
func Softmax(z Scores) Scores {
	most, sum := slices.Max(z[:]), 0.0
	for i := range z {
		z[i] = math.Exp(z[i] - most)
		sum += z[i]
	}
	for i := range z {
		z[i] /= sum
	}
	return z
}

// Best is the most probable class.
func (s Scores) Best() Class {
	best := Neutral
	for i := range s {
		if s[i] > s[best] {
			best = Class(i)
		}
	}
	return best
}

// Limits of what is read of a text. What is beyond them is not looked at.
const (
	SentencesMax     = 2000
	SentenceBytesMax = 2000
)

// Sentences splits a text, at most SentencesMax of them. whole is false where the
// text has more.
func Sentences(text string) (list []string, whole bool) {
	begin := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[begin:end]); s != "" {
			list = append(list, s)
		}
		begin = end
	}
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch r {
		case '\n', '!', '?', ';', '。', '！', '？', '；':
			cut(end)
		case '.': // not within 3.1 or example.org
			if end == len(text) || text[end] == ' ' || text[end] == '\n' {
				cut(end)
			}
		}
		if len(list) > SentencesMax {
			return list[:SentencesMax], false
		}
	}
	cut(len(text))
	if len(list) > SentencesMax {
		return list[:SentencesMax], false
	}
	return list, true
}

// Features lists what the model looks at in a sentence, each once and in order:
// words in lower case and pairs of them, numbers as 0; of Chinese, runs of one
// to three characters.
func Features(sentence string) []string {
	if len(sentence) > SentenceBytesMax {
		sentence = strings.ToValidUTF8(sentence[:SentenceBytesMax], "")
	}
	var list []string
	previous := "^" // the sentence's begin
	word := func(w string) {
		list = append(list, w, previous+" "+w)
		previous = w
	}
	var letters []rune
	var han []rune
	flush := func() {
		if len(letters) > 0 {
			word(string(letters))
		}
		for n := 1; n <= 3; n++ {
			for i := 0; i+n <= len(han); i++ {
				list = append(list, string(han[i:i+n]))
			}
		}
		letters, han = letters[:0], han[:0]
	}
	for _, r := range sentence {
		switch r = unicode.ToLower(r); {
		case unicode.Is(unicode.Han, r):
			if len(letters) > 0 {
				flush()
			}
			han = append(han, r)
		case unicode.IsLetter(r), r == '\'', r == '’':
			if len(han) > 0 {
				flush()
			}
			if r == '’' {
				r = '\''
			}
			letters = append(letters, r)
		case unicode.IsDigit(r):
			flush()
			if previous != "0" {
				word("0")
			}
		default:
			flush()
		}
	}
	flush()
	slices.Sort(list)
	return slices.Compact(list)
}
