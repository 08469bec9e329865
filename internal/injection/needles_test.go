package injection

import (
	"strings"
	"testing"
)

// TestNeedlesAreThoseContained looks for every needle whole, cut and twice, at
// the ends of a text and within it, alone and beside another.
func TestNeedlesAreThoseContained(t *testing.T) {
	n := newNeedles(signs)
	naive := func(text string) uint64 {
		found := uint64(0)
		for i, s := range signs {
			for _, needle := range s.needles {
				if strings.Contains(text, needle) {
					found |= 1 << i
				}
			}
		}
		return found
	}
	texts := []string{"", "a", "abc", "abcd", "\xe7\xb3\xbb", "<", "<<", "<|"}
	last := ""
	for _, s := range signs {
		for _, needle := range s.needles {
			texts = append(texts, needle, "x"+needle, needle+"x", needle+last, last+"-"+needle+needle,
				needle[1:], needle[:len(needle)-1], needle[:1]+needle)
			last = needle
		}
	}
	for _, text := range texts {
		if got, want := n.in(text), naive(text); got != want {
			t.Errorf("%q: have signs %b, want %b", text, got, want)
		}
	}
	if len(signs) > 64 {
		t.Errorf("%d signs do not fit the bits of a word", len(signs))
	}
}
