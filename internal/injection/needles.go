package injection

import "strings"

// needles looks for many short texts in one pass: a place in the text is looked
// at closely only where its next four bytes begin one of them, which next to
// none does in a text that has none.
type needles struct {
	begin [1 << 16 / 64]uint64 // set of hashed beginnings
	long  map[uint32][]needle  // by their first four bytes
	short []needle             // of fewer
}

// needle is a text and the number of the sign that it belongs to.
type needle struct {
	text string
	sign int
}

func newNeedles(signs []sign) *needles {
	n := &needles{long: map[uint32][]needle{}}
	for i, s := range signs {
		for _, text := range s.needles {
			if len(text) < 4 {
				n.short = append(n.short, needle{text, i})
				continue
			}
			key := beginning(text)
			n.begin[hashed(key)/64] |= 1 << (hashed(key) % 64)
			n.long[key] = append(n.long[key], needle{text, i})
		}
	}
	return n
}

// beginning is the first four bytes of a text.
func beginning(s string) uint32 {
	return uint32(s[0])<<24 | uint32(s[1])<<16 | uint32(s[2])<<8 | uint32(s[3])
}

// hashed spreads beginnings over 16 bits.
func hashed(beginning uint32) uint32 { return beginning * 2654435769 >> 16 }

// in is the signs of which a needle occurs in a text, as bits.
func (n *needles) in(text string) uint64 {
	found := uint64(0)
	for _, s := range n.short {
		if strings.Contains(text, s.text) {
			found |= 1 << s.sign
		}
	}
	key := uint32(0)
	for i := 0; i < len(text); i++ {
		key = key<<8 | uint32(text[i])
		if h := hashed(key); i < 3 || n.begin[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for _, s := range n.long[key] {
			if strings.HasPrefix(text[i-3:], s.text) {
				found |= 1 << s.sign
			}
		}
	}
	return found
}
