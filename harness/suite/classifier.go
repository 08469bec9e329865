package suite

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// AUC is how well a surface classifier tells defective texts from clean ones,
// cross-validated: 0.5 is chance. Low and High bound the 95 % interval, from a
// bootstrap over cases.
type AUC struct {
	Value, Low, High float64
	Texts            int
}

const (
	folds      = 5
	epochs     = 25
	resamples  = 400
	learning   = 0.2
	shrinkage  = 1e-3
	rareBefore = 2 // words that fewer training texts hold are left out
)

// Separability trains a logistic classifier on what a reader of the surface
// sees (length, digits, punctuation, words and pairs of words, in Chinese
// characters and pairs of characters) and scores each text by a model that saw
// no text of its case.
func Separability(texts []Text, seed uint64) AUC {
	r := rand.New(rand.NewPCG(seed, 0))
	group := map[string]int{}
	for _, t := range texts {
		if _, ok := group[t.Case]; !ok {
			group[t.Case] = len(group)
		}
	}
	feats := make([]map[string]float64, len(texts))
	for i, t := range texts {
		feats[i] = surface(t.Body)
	}
	scores := make([]float64, len(texts))
	for f := range folds {
		var train, test []int
		for i, t := range texts {
			if group[t.Case]%folds == f {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		w := fit(r, texts, feats, train)
		for _, i := range test {
			scores[i] = w.score(feats[i])
		}
	}
	return interval(r, texts, scores, group)
}

// surface is the features of a text.
func surface(text string) map[string]float64 {
	f := map[string]float64{"bias": 1, "length": float64(len([]rune(text))) / 200}
	for _, c := range text {
		switch {
		case unicode.IsDigit(c):
			f["digits"] += 0.05
			f["digit "+string(c)] += 0.2
		case unicode.IsPunct(c):
			f["punctuation"] += 0.1
			f["mark "+string(c)] += 0.2
		}
	}
	last := ""
	for _, w := range words(text) {
		f["word "+w] = 1
		f["pair "+last+" "+w] = 1
		last = w
	}
	return f
}

// words splits at everything but letters and digits; a Chinese character is a
// word.
func words(text string) []string {
	var out []string
	var word strings.Builder
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
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			word.WriteRune(c)
		default:
			flush()
		}
	}
	flush()
	return out
}

type weights map[string]float64

func (w weights) score(f map[string]float64) float64 {
	// In the order of the keys: a sum of floats depends on its order.
	var sum float64
	for _, k := range sorted(f) {
		sum += w[k] * f[k]
	}
	return sum
}

func sorted(f map[string]float64) []string {
	keys := make([]string, 0, len(f))
	for k := range f {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func fit(r *rand.Rand, texts []Text, feats []map[string]float64, train []int) weights {
	count := map[string]int{}
	for _, i := range train {
		for k := range feats[i] {
			count[k]++
		}
	}
	w := weights{}
	order := slices.Clone(train)
	keys := map[int][]string{}
	for _, i := range train {
		keys[i] = slices.DeleteFunc(sorted(feats[i]), func(k string) bool { return count[k] < rareBefore })
	}
	for e := range epochs {
		r.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		rate := learning / (1 + 0.2*float64(e))
		for _, i := range order {
			var sum float64
			for _, k := range keys[i] {
				sum += w[k] * feats[i][k]
			}
			y := 0.0
			if texts[i].Defective {
				y = 1
			}
			step := rate * (y - 1/(1+math.Exp(-sum)))
			for _, k := range keys[i] {
				w[k] += step*feats[i][k] - rate*shrinkage*w[k]
			}
		}
	}
	return w
}

// interval is the area under the curve with its bootstrap over cases.
func interval(r *rand.Rand, texts []Text, scores []float64, group map[string]int) AUC {
	byCase := make([][]int, len(group))
	for i, t := range texts {
		g := group[t.Case]
		byCase[g] = append(byCase[g], i)
	}
	all := make([]int, len(texts))
	for i := range all {
		all[i] = i
	}
	boot := make([]float64, resamples)
	for b := range boot {
		var pick []int
		for range byCase {
			pick = append(pick, byCase[r.IntN(len(byCase))]...)
		}
		boot[b] = area(texts, scores, pick)
	}
	slices.Sort(boot)
	return AUC{
		Value: area(texts, scores, all), Texts: len(texts),
		Low: boot[resamples*25/1000], High: boot[resamples*975/1000],
	}
}

// area is the probability that a defective text scores above a clean one, ties
// counted half.
func area(texts []Text, scores []float64, pick []int) float64 {
	order := slices.Clone(pick)
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var bad, clean, wins float64
	for i := 0; i < len(order); {
		j := i
		var b, c float64
		for ; j < len(order) && scores[order[j]] == scores[order[i]]; j++ {
			if texts[order[j]].Defective {
				b++
			} else {
				c++
			}
		}
		wins += b*clean + b*c/2
		bad, clean = bad+b, clean+c
		i = j
	}
	if bad == 0 || clean == 0 {
		return math.NaN()
	}
	return wins / (bad * clean)
}
