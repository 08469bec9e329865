package retrieve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Embedder turns texts into vectors of one length.
type Embedder interface {
	// ID names the model: it stands where results are compared.
	ID() string
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Cosine is the similarity of two vectors of one length; 0 where one is zero.
func Cosine(a, b []float32) float64 {
	var dot, na, nb float64
	for i := range min(len(a), len(b)) {
		dot += float64(a[i]) * float64(b[i])
		na += float64(a[i]) * float64(a[i])
		nb += float64(b[i]) * float64(b[i])
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return dot / math.Sqrt(na*nb)
}

// Hashed is words and pieces of words of a text, hashed into a vector. It needs no
// model and knows no meaning beyond shared spelling.
type Hashed struct{}

const hashedDim = 512

// ID implements [Embedder].
func (Hashed) ID() string { return "hashed-512" }

// Embed implements [Embedder].
func (Hashed) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, hashedDim)
		for _, w := range Tokens(t) {
			add(v, w, 1)
			padded := []rune("^" + w + "$")
			for j := 0; j+3 <= len(padded); j++ {
				add(v, string(padded[j:j+3]), 0.3)
			}
		}
		out[i] = v
	}
	return out, nil
}

func add(v []float32, feature string, weight float32) {
	h := fnv.New64a()
	h.Write([]byte(feature))
	sum := h.Sum64()
	if sum>>63 == 1 {
		weight = -weight
	}
	v[sum%hashedDim] += weight
}

// OpenAI asks a server that speaks POST {BaseURL}/embeddings.
type OpenAI struct {
	BaseURL string // such as http://127.0.0.1:11434/v1
	Key     string // sent as a bearer token where it is not empty
	Model   string
	Client  *http.Client // nil: a client with a limit of 30 seconds
}

// ID implements [Embedder].
func (o OpenAI) ID() string { return o.Model }

// Embed implements [Embedder].
func (o OpenAI) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": o.Model, "input": texts, "encoding_format": "float"})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(o.BaseURL, "/")+"/embeddings", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+o.Key)
	}
	client := o.Client
	if client == nil {
		client = &http.Client{Timeout: 30 * time.Second}
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %s: %.200s", resp.Status, data)
	}
	var reply struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(data, &reply); err != nil {
		return nil, fmt.Errorf("reply: %w", err)
	}
	out := make([][]float32, len(texts))
	for _, d := range reply.Data {
		if d.Index < 0 || d.Index >= len(out) {
			return nil, fmt.Errorf("reply: index %d of %d texts", d.Index, len(texts))
		}
		out[d.Index] = d.Embedding
	}
	for i, v := range out {
		if len(v) == 0 || len(v) != len(out[0]) {
			return nil, fmt.Errorf("reply: text %d has a vector of %d numbers, the first has %d", i, len(v), len(out[0]))
		}
	}
	return out, nil
}

// Cached remembers the vectors of up to Max texts.
type Cached struct {
	Of  Embedder
	Max int // 0 means 100,000

	mu   sync.Mutex
	seen map[string][]float32
}

// ID implements [Embedder].
func (c *Cached) ID() string { return c.Of.ID() }

// Embed implements [Embedder].
func (c *Cached) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var missing []string
	var places []int
	c.mu.Lock()
	for i, t := range texts {
		if v, ok := c.seen[t]; ok {
			out[i] = v
		} else {
			missing, places = append(missing, t), append(places, i)
		}
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	fresh, err := c.Of.Embed(ctx, missing)
	if err != nil {
		return nil, err
	}
	limit := c.Max
	if limit == 0 {
		limit = 100_000
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen == nil || len(c.seen) > limit {
		c.seen = map[string][]float32{}
	}
	for j, v := range fresh {
		out[places[j]] = v
		c.seen[missing[j]] = v
	}
	return out, nil
}
