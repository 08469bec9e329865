package card

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
)

// Candidate is one finding that a person may label. It has no verdict: who
// knows what the judge said labels another way, and kappa is biased.
type Candidate struct {
	TraceID  string
	Subject  string
	Session  bool // Subject is a session, and TraceID the one of its traces that the finding is kept with
	Rule     string
	RuleHash string
	Stratum  string // service and version: each gets its share of attention
}

// Next picks what a reader should label next: from the rule and stratum with
// the fewest labels of this reader, the finding that a hash of its ids puts
// first. The choice depends on nothing that the judge said, so that labels are
// a fair sample of each stratum, and on no clock, so that two readers see the
// same findings in the same order. It returns nil where all are labelled.
func Next(candidates []Candidate, labels []Label, reader, seed string) *Candidate {
	type key struct{ trace, subject, rule string }
	type stratum struct{ rule, name string }
	done := map[key]bool{}
	for _, l := range labels {
		if l.Reader == reader {
			done[key{l.TraceID, l.Subject, l.Rule}] = true
		}
	}
	count := map[stratum]int{}
	var open []*Candidate
	for i := range candidates {
		c := &candidates[i]
		if done[key{c.TraceID, c.Subject, c.Rule}] {
			count[stratum{c.Rule, c.Stratum}]++
			continue
		}
		open = append(open, c)
	}
	if len(open) == 0 {
		return nil
	}
	return slices.MinFunc(open, func(a, b *Candidate) int {
		if d := count[stratum{a.Rule, a.Stratum}] - count[stratum{b.Rule, b.Stratum}]; d != 0 {
			return d
		}
		ha, hb := order(a, seed), order(b, seed)
		switch {
		case ha < hb:
			return -1
		case ha > hb:
			return 1
		}
		return 0
	})
}

func order(c *Candidate, seed string) uint64 {
	sum := sha256.Sum256([]byte(seed + "\x00" + c.TraceID + "\x00" + c.Subject + "\x00" + c.Rule))
	return binary.BigEndian.Uint64(sum[:8])
}
