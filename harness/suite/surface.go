package suite

import (
	"fmt"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// Text is one text of the test of surface.
type Text struct {
	Case      string // texts of one case never stand on both sides of a split
	Body      string
	Defective bool
}

// Pairs makes n clean texts and n defective texts of a kind, of as many cases,
// in one language. Kinds that leave texts alone give an error.
func Pairs(k *trap.Kind, lang string, seed uint64, n int) ([]Text, error) {
	var texts []Text
	surface := k.Surfaces[0]
	for i := range n {
		id := fmt.Sprintf("pair-%s-%s-%d", k.Name, lang, i)
		r := source(seed, id)
		s := spec{kind: k, surface: surface, price: k.Prices[0], trapID: "t1", lang: lang, shape: k.Shapes[i%len(k.Shapes)]}
		b := material(r, s)
		d, err := trap.Plant(k, k.New(), r, b.m)
		if err != nil {
			return nil, fmt.Errorf("pair %s: %w", id, err)
		}
		clean, bad := b.m.Piece, (*trap.Doc)(nil)
		for j := range d.Docs {
			if d.Docs[j].Trap != "" {
				bad = &d.Docs[j]
				break
			}
		}
		if bad == nil {
			return nil, fmt.Errorf("kind %s leaves the texts alone", k.Name)
		}
		texts = append(texts, Text{id, view(&clean, k), false}, Text{id, view(bad, k), true})
	}
	return texts, nil
}

// view is what a kind lets be seen of a document: the window that it cut, or
// the whole text.
func view(d *trap.Doc, k *trap.Kind) string {
	if k.Name == "context_cut" {
		return d.Snippet()
	}
	return d.Text()
}
