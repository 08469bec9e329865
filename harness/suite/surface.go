package suite

import (
	"fmt"
	"strings"
	"time"

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
	return pairs(k, lang, seed, n, view)
}

// Labels is the same for what stands around a text: its path, who signs it, how old
// it is and what rank it claims.
func Labels(k *trap.Kind, lang string, seed uint64, n int) ([]Text, error) {
	return pairs(k, lang, seed, n, label)
}

func pairs(k *trap.Kind, lang string, seed uint64, n int, view func(*trap.Material, *trap.Doc, *trap.Kind) string) ([]Text, error) {
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
		texts = append(texts, Text{id, view(b.m, &clean, k), false}, Text{id, view(b.m, bad, k), true})
	}
	return texts, nil
}

// view is what a kind lets be seen of a document: the window that it cut, or
// the whole text.
func view(_ *trap.Material, d *trap.Doc, k *trap.Kind) string {
	if k.Name == "context_cut" {
		return d.Snippet()
	}
	return d.Text()
}

// label is a document's metadata. A date or a rank in which the kind's defect itself
// consists is left out.
func label(m *trap.Material, d *trap.Doc, k *trap.Kind) string {
	text := strings.TrimPrefix(d.Address, "https://"+d.Domain) + "\n"
	switch k.Name {
	case "spoofed_metadata": // the official source's name and rank
		return text
	case "outdated_snapshot", "superseded", "forged_currency", "authority_conflict":
		return text + d.Author
	}
	return text + d.Author + "\n" + d.Authority + "\n" + age(m.Today, d.Published)
}

// age is a word for the weeks between two days.
func age(today, published string) string {
	a, errA := time.Parse(time.DateOnly, today)
	b, errB := time.Parse(time.DateOnly, published)
	if errA != nil || errB != nil {
		return "undated"
	}
	return fmt.Sprintf("weeks%d", int(a.Sub(b).Hours()/24/7))
}
