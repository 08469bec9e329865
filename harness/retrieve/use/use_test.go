package use

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func cosine(a, b []float32) float64 {
	var dot, na, nb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		na += float64(a[i]) * float64(a[i])
		nb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(na*nb)
}

// The vectors are those of the JavaScript package that the model was published
// in: testdata/original.mjs wrote them.
func TestEqualsTheOriginal(t *testing.T) {
	data, err := os.ReadFile("testdata/original.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []struct {
		Text   string
		Vector []byte
	}
	if err := json.Unmarshal(data, &list); err != nil || len(list) < 40 {
		t.Fatalf("%d vectors, %v", len(list), err)
	}
	least := 1.0
	for _, x := range list {
		want := make([]float32, Dim)
		for i := range want {
			want[i] = math.Float32frombits(binary.LittleEndian.Uint32(x.Vector[4*i:]))
		}
		c := cosine(Embed([]string{x.Text})[0], want)
		least = min(least, c)
		if c < 0.999 {
			t.Errorf("%q: cosine %.5f to the original's vector, want 0.999", x.Text, c)
		}
	}
	t.Logf("least cosine %.5f", least)
}

func TestPieces(t *testing.T) {
	m := load()
	tests := map[string][]int{"": nil, "中文中": {m.ids["\u2581"], unknown}, "the": {m.ids["\u2581the"]}, "ﬁnal": m.pieces("final")}
	for text, want := range tests {
		if d := cmp.Diff(want, m.pieces(text)); d != "" {
			t.Errorf("pieces of %q (-want +got):\n%s", text, d)
		}
	}
}

// A text alone, among others and at the end of a batch has the same vector, of
// length 1; a long one is read in windows, and the last word still counts.
func TestEmbed(t *testing.T) {
	long := strings.Repeat("The hall has a roof of slate. ", 40)
	texts := []string{"one", "", long, "one", long + "Whales sing."}
	got := Embed(texts)
	if d := cmp.Diff(got[0], got[3]); d != "" {
		t.Errorf("the same text twice:\n%s", d)
	}
	for i, v := range got {
		var sum float64
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if len(v) != Dim || math.Abs(sum-1) > 1e-5 && texts[i] != "" {
			t.Errorf("%.20q: %d numbers, squares sum to %v", texts[i], len(v), sum)
		}
	}
	if c := cosine(got[2], got[4]); c > 0.99999 || c < 0.8 {
		t.Errorf("a long text and itself with one more sentence: cosine %v", c)
	}
	if len(Embed(nil)) != 0 {
		t.Error("no texts have vectors")
	}
}

// What is kept as bytes is what was computed.
func TestPack(t *testing.T) {
	v := Embed([]string{"The rated output is 412 MW."})[0]
	if d := cmp.Diff(v, Unpack(Pack(v))); d != "" {
		t.Errorf("packed twice:\n%s", d)
	}
	if z := Unpack(Pack(make([]float32, 3))); z[0] != 0 {
		t.Errorf("zero vector: %v", z)
	}
}

func BenchmarkEmbed(b *testing.B) {
	Embed([]string{"warm"})
	for b.Loop() {
		Embed([]string{"How much power does the plant at Velmora produce?"})
	}
}
