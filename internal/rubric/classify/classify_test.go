package classify

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"It is 3.1 km. See road.example for more.": {"It is 3.1 km.", "See road.example for more."},
		"对不上。是吗？\n再查":                              {"对不上。", "是吗？", "再查"},
		" \n ":                                     nil,
	} {
		if got, whole := Sentences(text); !slices.Equal(got, want) || !whole {
			t.Errorf("Sentences(%q) = %q, %v, want %q", text, got, whole, want)
		}
	}
	for n, want := range map[int]bool{SentencesMax: true, SentencesMax + 1: false} {
		got, whole := Sentences(strings.Repeat("No.\n", n))
		if len(got) != SentencesMax || whole != want {
			t.Errorf("%d sentences: %d, whole %v, want %d, %v", n, len(got), whole, SentencesMax, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	for sentence, want := range map[string][]string{
		"I don’t know 12,500 Km": {"0", "0 km", "^ i", "don't", "don't know", "i", "i don't", "km", "know", "know 0"},
		"存疑吗":                    {"存", "存疑", "存疑吗", "疑", "疑吗", "吗"},
		"":                       nil,
	} {
		got := Features(sentence)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("Features(%q) = %q, want %q", sentence, got, want)
		}
	}
	if got := Features(strings.Repeat("疑", SentenceBytesMax)); len(got) != 3 {
		t.Errorf("a long sentence has features %q", got)
	}
}

// Two features weigh 1/√2 each: neutral 1, doubt (2+2)/√2, certainty 0.
func TestSentence(t *testing.T) {
	m, err := Read("# made by hand\n(bias)\t1000\t0\t0\nodd\t0\t2000\t0\n^ odd\t0\t2000\t0\n")
	if err != nil {
		t.Fatal(err)
	}
	n, d := math.E, math.Exp(4/math.Sqrt2)
	for sentence, want := range map[string]Scores{
		"Odd":     {n / (n + d + 1), d / (n + d + 1), 1 / (n + d + 1)},
		"":        {n / (n + 2), 1 / (n + 2), 1 / (n + 2)},
		"unknown": {n / (n + 2), 1 / (n + 2), 1 / (n + 2)},
	} {
		got := m.Sentence(sentence)
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-12 {
				t.Errorf("%q: %v, want %v", sentence, got, want)
				break
			}
		}
	}
	if got := m.Sentence("odd").Best(); got != Doubt {
		t.Errorf("best %v, want doubt", got)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"odd\t1\t2\n":       "line 1 has 3 columns",
		"# x\nodd\t1\t2\tq": `line 2: weight "q"`,
	} {
		if _, err := Read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Read(%q): %v, want %q", text, err, want)
		}
	}
	if _, err := ParseClass("sure"); err == nil || !strings.Contains(err.Error(), "neutral, doubt, certainty") {
		t.Errorf("ParseClass: %v", err)
	}
}

func BenchmarkSentence(b *testing.B) {
	m := Default()
	for b.Loop() {
		m.Sentence("The page is from 2011, so its prices may no longer hold.")
	}
}
