package pool

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// A count is that of the encoding, whatever the text is made of, and whether its
// pieces were seen before or not.
func TestCountIsThatOfTheEncoding(t *testing.T) {
	texts := []string{
		"", " ", "\n", "a", "A", "The quick brown fox doesn't jump, he'LL stay. DON'T! they'Re we'VE I'd", "camelCase HTTPServer XMLHttpRequest iOS", "中A中a A中",
		"412 million m3; 1234567 12 1,299.50 ١٢٣ Ⅷ ½", "  two  spaces\t\ttabs \n\n lines\r\n \r\n end  ", `{"title": "Norden \"x\" report", "n": [1, 2.5e3]}`,
		"https://water.example/report-1/?a=b&c=d#e //// /\n/\n ...\n\n/", "诺登水库的库容是4.12亿立方米。東京タワーは333m。한국어 문장", "e\u0301te\u0301 \u0301 \u0301\u0301A a\u0301B \u0301'S", "ǅungla ǈ ªº ʰʰ Ⓐⓐ", "🙂🙂 👨‍👩‍👧 ️", "\u00a0x\u2003\u3000y\u2028z\u0085", "x \u200b y", "\xff\xfe broken", "'s 'S 'ſ 're'RE 'x ''", strings.Repeat("a", 200) + strings.Repeat("=", 200),
	}
	r := rand.New(rand.NewPCG(1, 2))
	parts := []string{"a", "b", "Z", "Q", "é", "É", "ǅ", "中", "文", "ʰ", "\u0301", "1", "٣", " ", "  ", "\t", "\n", "\r", "\u00a0", "'", "'s", "'LL", "/", "-", ".", "🙂", "\u200b", "the", "Re", "\u017f"}
	for range 5000 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		texts = append(texts, b.String())
	}
	for _, s := range texts {
		want := encode(s)
		for range 2 {
			if got := CountTokens(s); got != want {
				t.Fatalf("CountTokens(%q) = %d, the encoding has %d", s, got, want)
			}
		}
	}
}

// What is held of pieces is bounded, and full it counts as before.
func TestPiecesAreBounded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3 {
		var b strings.Builder
		for range piecesMax / 2 {
			b.WriteByte(' ')
			for range 4 {
				b.WriteByte(byte('a' + r.IntN(26)))
			}
		}
		if got, want := CountTokens(b.String()), encode(b.String()); got != want {
			t.Fatalf("%d tokens, want %d", got, want)
		}
		if n := len(pieces.tokens); n > piecesMax {
			t.Fatalf("%d pieces are held, want at most %d", n, piecesMax)
		}
	}
}

func FuzzCountTokens(f *testing.F) {
	f.Add("The page's title: 412 million m3\n\n 中文 HTTPServer")
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\uFFFD")        // the encoding is one of valid texts
		s = strings.ReplaceAll(s, "\x7f", "\uFFFD") // the codec counts none for this byte, for which there is a token
		if got, want := CountTokens(s), encode(s); got != want {
			t.Errorf("CountTokens(%q) = %d, the encoding has %d", s, got, want)
		}
	})
}

func BenchmarkCountTokens(b *testing.B) {
	text := strings.Repeat(`{"title": "Annual report 2019", "body": "Revenue was 412 million USD: see https://example.com/a?b=1", "score": 0.5} 三季度营收`+"\n", 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		CountTokens(text)
	}
}
