package suite

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/tracegrade/tracegrade/harness/retrieve"
)

var update = flag.Bool("update", false, "write vectors.bin")

// The vectors of every text of the shipped suites are at hand, and a sample of
// them is what the model gives. `go test ./harness/suite -run TestVectors -update`
// computes them all, which takes some minutes.
func TestVectors(t *testing.T) {
	texts := aspects()
	for _, name := range Names {
		list, err := Generate(name, Shipped)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, Texts(list)...)
	}
	if *update {
		if err := os.WriteFile("vectors.bin", retrieve.Ship(texts), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	english := 0
	var sample []string
	for i, text := range texts {
		if !(retrieve.Local{}).Modelled(text) {
			continue
		}
		english++
		if !local.Has(text) {
			t.Fatalf("vectors.bin lacks %q: run this test with -update", text)
		}
		if i%97 == 0 {
			sample = append(sample, text)
		}
	}
	if english < 500 || len(sample) < 5 {
		t.Errorf("%d texts, a sample of %d", english, len(sample))
	}
	for _, text := range sample {
		if one := retrieve.Ship([]string{text}); !bytes.Contains(vectorsFile, one) {
			t.Errorf("the vector of %q is not the model's", text)
		}
	}
}

// The aspects of a topic are pairs of neighbours: what is nearest to one has it as
// its own nearest, so that no aspect is served as a trap more often than it is
// asked for.
func TestNearestArePairs(t *testing.T) {
	for _, topic := range topics {
		if len(topic.near) == 0 {
			continue
		}
		all := append([]pair{topic.aspect, topic.side}, topic.near...)
		near := make([]int, len(all))
		for i := range all {
			var others []pair
			var places []int
			for j := range all {
				if j != i {
					others, places = append(others, all[j]), append(places, j)
				}
			}
			near[i] = places[nearest(all[i], others)]
		}
		for i := range all {
			if near[near[i]] != i {
				t.Errorf("%s is nearest to %s, whose nearest is %s", all[near[i]].en, all[i].en, all[near[near[i]]].en)
			}
		}
	}
}
