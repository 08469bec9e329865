package main

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/rubric/classify"
)

// The embedded weights are what the sentences give: to a thousandth, because
// processors round the last digits of a sum differently.
func TestWeightsAreCurrent(t *testing.T) {
	list, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../weights.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, got := rows(t, fit(list).Format()), rows(t, string(b))
	for name := range want {
		for i := range want[name] {
			if d := want[name][i] - got[name][i]; d < -1 || d > 1 {
				t.Fatalf("%q: the file has %v, training gives %v: run go run ./internal/rubric/classify/train internal/rubric/classify/weights.txt", name, got[name], want[name])
			}
		}
	}
	if d := len(got) - len(want); d < -5 || d > 5 { // weights near 0 come and go
		t.Errorf("the file has %d features, training gives %d", len(got), len(want))
	}
}

func rows(t *testing.T, text string) map[string][3]int {
	t.Helper()
	m := map[string][3]int{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(strings.TrimSpace(line), "\t")
		var w [3]int
		for i := range w {
			n, err := strconv.Atoi(parts[i+1])
			if err != nil {
				t.Fatal(err)
			}
			w[i] = n
		}
		m[parts[0]] = w
	}
	return m
}

// Every class has sentences in both languages, and no sentence is there twice.
func TestExamples(t *testing.T) {
	list, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	seen, count := map[string]bool{}, map[string]int{}
	for _, e := range list {
		if seen[e.sentence] {
			t.Errorf("%q is there twice", e.sentence)
		}
		seen[e.sentence] = true
		lang := "en"
		if slices.ContainsFunc([]rune(e.sentence), func(r rune) bool { return r > 0x3000 }) {
			lang = "zh"
		}
		count[lang+" "+e.class.String()]++
	}
	for _, lang := range []string{"en", "zh"} {
		for _, c := range classify.Classes {
			if count[lang+" "+c] < 80 {
				t.Errorf("%s %s: %d sentences", lang, c, count[lang+" "+c])
			}
		}
	}
}

// What is held out is not among the examples.
func TestHeldOut(t *testing.T) {
	list, err := examples()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../../../../rubrics/model_free/doubt-stated_items.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if strings.Contains(string(b), strconv.Quote(e.sentence)) {
			t.Errorf("%q is both held out and an example", e.sentence)
		}
	}
}
