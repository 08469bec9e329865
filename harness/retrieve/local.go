package retrieve

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"slices"
	"sort"
	"unicode"

	"github.com/tracegrade/tracegrade/harness/retrieve/use"
)

// Local is the built-in embedder: the Universal Sentence Encoder Lite for texts
// in letters, [Hashed] for Chinese, of which the encoder knows nothing. A query of
// the one and a document of the other are near by their full text only.
type Local struct{}

// ID implements [Embedder].
func (Local) ID() string { return "use-lite-en+hashed-512" }

// Embed implements [Embedder].
func (Local) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var english []string
	var places []int
	for i, t := range texts {
		if chinese(t) {
			v, err := Hashed{}.Embed(ctx, []string{t})
			if err != nil {
				return nil, err
			}
			out[i] = v[0]
			continue
		}
		english, places = append(english, t), append(places, i)
	}
	for j, v := range use.Embed(english) {
		out[places[j]] = v
	}
	return out, ctx.Err()
}

// chinese reports whether a text is mainly Chinese: a character says about as
// much as five letters.
func chinese(text string) bool {
	han, letters := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Han, r):
			han++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return han > 0 && 5*han >= letters
}

// Shipped answers from vectors that were computed before, and asks Of for the
// others. The vectors are those that Of itself gives.
type Shipped struct {
	Of      Embedder
	Vectors []byte // what Ship wrote
}

// record is a hash of the text and its vector, one byte a number.
const record = 8 + use.Dim

// ID implements [Embedder].
func (s Shipped) ID() string { return s.Of.ID() }

// Embed implements [Embedder].
func (s Shipped) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var missing []string
	var places []int
	for i, t := range texts {
		if out[i] = s.find(t); out[i] == nil {
			missing, places = append(missing, t), append(places, i)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	fresh, err := s.Of.Embed(ctx, missing)
	if err != nil {
		return nil, err
	}
	for j, v := range fresh {
		out[places[j]] = v
	}
	return out, nil
}

// Has reports whether the vector of a text is among those that were computed
// before.
func (s Shipped) Has(text string) bool { return s.find(text) != nil }

// Modelled reports whether the vector of a text comes from the model, so that it
// is worth shipping.
func (Local) Modelled(text string) bool { return !chinese(text) }

func (s Shipped) find(text string) []float32 {
	key := hashOf(text)
	n := len(s.Vectors) / record
	at := func(i int) []byte { return s.Vectors[i*record : (i+1)*record] }
	i := sort.Search(n, func(i int) bool { return binary.BigEndian.Uint64(at(i)) >= key })
	if i == n || binary.BigEndian.Uint64(at(i)) != key {
		return nil
	}
	packed := make([]int8, use.Dim)
	for j, b := range at(i)[8:] {
		packed[j] = int8(b)
	}
	return use.Unpack(packed)
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}

// Ship computes the vectors of the English ones among the texts, for
// [Shipped.Vectors]. Chinese vectors cost nothing and are left out.
func Ship(texts []string) []byte {
	keys := map[uint64]string{}
	for _, t := range texts {
		if !chinese(t) {
			keys[hashOf(t)] = t
		}
	}
	order := make([]uint64, 0, len(keys))
	for k := range keys {
		order = append(order, k)
	}
	slices.Sort(order)
	english := make([]string, len(order))
	for i, k := range order {
		english[i] = keys[k]
	}
	var out []byte
	for i, v := range use.Embed(english) {
		out = binary.BigEndian.AppendUint64(out, order[i])
		for _, q := range use.Pack(v) {
			out = append(out, byte(q))
		}
	}
	return out
}
