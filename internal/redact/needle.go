package redact

import (
	"math/bits"
	"slices"
	"strings"
)

// needles finds which of several short texts occur in a text, in one pass over
// it. A set of them is a bit each; there are at most 64.
type needles struct {
	texts  []string
	first  [256]uint64 // those that begin with a byte
	second [256]uint64 // those whose second byte is one, or that have none
	single uint64      // those of one byte
}

// add takes texts in and returns their set, which is empty where there is no room
// for all.
func (n *needles) add(texts []string) (set uint64) {
	before := n.texts
	for _, t := range texts {
		if !slices.Contains(n.texts, t) {
			n.texts = append(n.texts, t)
		}
	}
	if len(n.texts) > 64 {
		n.texts = before
		return 0
	}
	for _, t := range texts {
		k := slices.Index(n.texts, t)
		bit := uint64(1) << k
		n.first[t[0]] |= bit
		if len(t) > 1 {
			n.second[t[1]] |= bit
		} else {
			n.single |= bit
			for b := range n.second {
				n.second[b] |= bit
			}
		}
		set |= bit
	}
	return set
}

// in is the set of those that occur in s.
func (n *needles) in(s string) (found uint64) {
	for i := 0; i < len(s); i++ {
		may := n.first[s[i]] &^ found
		if may == 0 {
			continue
		}
		if i+1 < len(s) {
			may &= n.second[s[i+1]]
		} else {
			may &= n.single
		}
		for ; may != 0; may &= may - 1 {
			if k := bits.TrailingZeros64(may); strings.HasPrefix(s[i:], n.texts[k]) {
				found |= 1 << k
			}
		}
	}
	return found
}
