// Package tally counts for tests how often a reader found what labels say is
// there: labels and findings in, precision and recall out.
package tally

import (
	"sort"
	"testing"
)

// Counts is how often something was found, wanted, and both, by kind.
type Counts map[string]*[3]int

// At is the counts of a kind, to be added to.
func (c Counts) At(key string) *[3]int {
	if c[key] == nil {
		c[key] = &[3]int{}
	}
	return c[key]
}

// Report logs precision and recall by kind, and returns those of all kinds.
func (c Counts) Report(t *testing.T, title string) (precision, recall float64) {
	t.Helper()
	keys := make([]string, 0, len(c))
	var sum [3]int
	for k, v := range c {
		keys = append(keys, k)
		for i := range sum {
			sum[i] += v[i]
		}
	}
	sort.Strings(keys)
	for _, k := range keys {
		v := c[k]
		t.Logf("%s %-12s precision %d/%d = %.3f  recall %d/%d = %.3f", title, k, v[2], v[0], Ratio(v[2], v[0]), v[2], v[1], Ratio(v[2], v[1]))
	}
	t.Logf("%s %-12s precision %d/%d = %.3f  recall %d/%d = %.3f", title, "all", sum[2], sum[0], Ratio(sum[2], sum[0]), sum[2], sum[1], Ratio(sum[2], sum[1]))
	return Ratio(sum[2], sum[0]), Ratio(sum[2], sum[1])
}

// Count adds a decision and its label.
func (c Counts) Count(got, want bool) {
	n := c.At("yes")
	if got {
		n[0]++
	}
	if want {
		n[1]++
	}
	if got && want {
		n[2]++
	}
}

// Ratio is a / b, and 1 of nothing.
func Ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}
