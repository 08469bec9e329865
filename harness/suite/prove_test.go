package suite

import (
	"context"
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/server"
)

func TestEveryCaseIsProved(t *testing.T) {
	for _, seed := range []uint64{1, 2, 99} {
		bad := 0
		duels, err := Generate(Adversarial, seed)
		if err != nil {
			t.Fatal(err)
		}
		// Of other seeds the vectors would have to be computed first.
		embedders := []retrieve.Embedder{nil}
		if seed == Shipped {
			embedders = append(embedders, Embedder(""))
		}
		for _, c := range append(generate(t, seed), duels...) {
			for _, e := range embedders {
				if err := Prove(context.Background(), c, server.Options{Embedder: e}); err != nil {
					bad++
					t.Errorf("seed %d, vectors %v: %v", seed, e != nil, err)
				}
			}
			if bad > 12 {
				t.FailNow()
			}
		}
		if testing.Short() {
			break
		}
	}
}

// A case whose truth cannot be reached is refused.
func TestProveRefuses(t *testing.T) {
	for _, c := range generate(t, 1) {
		if c.ID != "number-tampering-03-search-p2" {
			continue
		}
		good := c.Verify
		c.Verify = good[:1]
		if err := Prove(context.Background(), c, server.Options{}); err == nil || !strings.Contains(err.Error(), "1 calls verify, the price is 2") {
			t.Errorf("one call short: %v", err)
		}
		c.Verify = append(good[:1:1], good[0])
		if err := Prove(context.Background(), c, server.Options{}); err == nil || !strings.Contains(err.Error(), "does not find the true value") {
			t.Errorf("calls that lead nowhere: %v", err)
		}
		c.Verify, c.Chain = good, c.Chain[:0]
		c.Chain = append(c.Chain, good[0])
		if err := Prove(context.Background(), c, server.Options{}); err == nil {
			t.Error("a chain that misses the evidence is accepted")
		}
		return
	}
	t.Fatal("the case is not in the suite")
}
