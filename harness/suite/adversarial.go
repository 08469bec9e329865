package suite

import (
	"fmt"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// openings are the kinds that an adversarial case begins with, and answers the
// kinds that join in.
var (
	openings = []string{"number_tampering", "entity_swap", "date_shift", "negation"}
	answers  = []string{"duplicate_echo", "spoofed_metadata", "authority_conflict", "apparent_corroboration"}
)

// adversarialCases is how many cases begin with each opening.
const adversarialCases = 6

// adversarial makes the suite in which every look further is answered by
// another trap. The official page stays where it is.
func adversarial(seed uint64) ([]*cases.Case, error) {
	var list []*cases.Case
	for _, opening := range openings {
		for n := range adversarialCases {
			c, err := duel(seed, opening, n)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// duel makes the n-th case of an opening.
func duel(seed uint64, opening string, n int) (*cases.Case, error) {
	id := fmt.Sprintf("duel-%s-%02d", trap.Slug(opening), n+1)
	r := source(seed, id)
	k, err := trap.Find(opening)
	if err != nil {
		return nil, err
	}
	price := 1 + n%3
	s := spec{kind: k, surface: trap.Search, price: price, trapID: "t1", lang: []string{"en", "zh"}[n%2], shape: k.Shapes[0]}
	b := material(r, s)
	first, err := trap.Plant(k, k.New(), r, b.m)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", id, err)
	}
	c := b.assemble(id, first, n)
	c.Suite, c.Seed, c.Adversarial = Adversarial, seed, true
	for i := range b.m.Docs {
		b.m.Docs[i].Good = b.m.Docs[i].Good && b.m.Docs[i].ID != b.m.Piece.ID
	}
	for i, name := range answers {
		next, err := trap.Find(name)
		if err != nil {
			return nil, err
		}
		b.m.TrapID = fmt.Sprintf("t%d", i+2)
		d, err := trap.Plant(next, next.New(), r, b.m)
		if err != nil {
			return nil, fmt.Errorf("case %s: %s: %w", id, name, err)
		}
		c.Traps = append(c.Traps, planted(next, trap.Search, price, d))
	}
	return c, c.Validate()
}
