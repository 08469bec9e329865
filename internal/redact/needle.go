package redact

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/lang"
)

// needles finds which of several short texts occur in a text, in one pass over
// it. A set of them is a bit each; there are at most 64.
type needles struct {
	texts  []string
	first  [256]uint64 // those that begin with a byte
	second [256]uint64 // those whose second byte is one, or that have none
	single uint64      // those of one byte
	folded uint64      // those that are written in small letters, and found in capitals too
}

// add takes texts in and returns their set, which is empty where there is no room
// for all. fold says that case is of no account: the texts are in small letters.
func (n *needles) add(texts []string, fold bool) (set uint64) {
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
		if fold {
			n.folded |= bit
			n.first[lang.Upper(t[0])] |= bit
		}
		if len(t) > 1 {
			n.second[t[1]] |= bit
			if fold {
				n.second[lang.Upper(t[1])] |= bit
			}
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
			k := bits.TrailingZeros64(may)
			if t := n.texts[k]; strings.HasPrefix(s[i:], t) || n.folded&(1<<k) != 0 && i+len(t) <= len(s) && strings.EqualFold(s[i:i+len(t)], t) {
				found |= 1 << k
			}
		}
	}
	return found
}
