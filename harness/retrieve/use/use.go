// Package use is Google's Universal Sentence Encoder Lite in Go: an English
// sentence becomes a vector of 512 numbers, and near meanings near vectors.
//
//	pieces.go   text -> pieces of words (SentencePiece, 8,000 of them)
//	layers.go   pieces -> vector: a transformer of two layers
//	weights.go  the weights, 8 bits each, as weights.bin holds them
//
// It has no pieces of Chinese, Japanese or Korean: every such text is one unknown
// piece to it. Nothing is loaded before the first vector is asked for. NOTICE says
// where the model comes from.
package use

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"runtime"
	"sync"
)

// Dim is the length of a vector.
const Dim = 512

// Limits of a text. The model reads MaxPieces at once; of a longer text the
// vectors of its windows are averaged, and what is beyond MaxWindows is not read.
const (
	MaxPieces  = 128
	MaxWindows = 16
)

// model is what the embedded files hold.
type model struct {
	*vocabulary
	*network
}

var load = sync.OnceValue(func() model { return model{readVocabulary(vocabFile), readNetwork(weightsFile)} })

// Version names the weights and the vocabulary: equal where vectors are.
var Version = sync.OnceValue(func() string {
	h := sha256.New()
	h.Write([]byte(vocabFile))
	h.Write(weightsFile)
	return hex.EncodeToString(h.Sum(nil)[:8])
})

// Embed turns texts into unit vectors, several at once. Each number is a multiple
// of the vector's largest by 1/127, so that a vector that is kept as bytes is the
// one that was computed.
func Embed(texts []string) [][]float32 {
	m := load()
	out := make([][]float32, len(texts))
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), len(texts)) {
		wg.Go(func() {
			for i := range next {
				out[i] = Unpack(Pack(m.embed(texts[i])))
			}
		})
	}
	for i := range texts {
		next <- i
	}
	close(next)
	wg.Wait()
	return out
}

func (m model) embed(text string) []float32 {
	ids := m.pieces(text)
	sum := make([]float32, Dim)
	for n := 0; n < MaxWindows && (n == 0 || len(ids) > 0); n++ {
		window := ids[:min(MaxPieces, len(ids))]
		ids = ids[len(window):]
		for i, v := range m.encode(window) {
			sum[i] += v
		}
	}
	return unit(sum)
}

// unit scales a vector to length 1; a zero vector stays.
func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return v
}

// Pack rounds a vector to one byte a number. The largest becomes ±127.
func Pack(v []float32) []int8 {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	out := make([]int8, len(v))
	if most == 0 {
		return out
	}
	for i, x := range v {
		out[i] = int8(math.Round(float64(x) * 127 / float64(most)))
	}
	return out
}

// Unpack is the unit vector of what Pack made.
func Unpack(p []int8) []float32 {
	v := make([]float32, len(p))
	for i, x := range p {
		v[i] = float32(x)
	}
	return unit(v)
}
