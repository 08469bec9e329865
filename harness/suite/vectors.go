package suite

import (
	"context"
	_ "embed"
	"slices"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/trap"
)

//go:embed vectors.bin
var vectorsFile []byte

// Shipped is the seed whose suites' vectors are shipped.
const Shipped = 1

// local has the vectors of the shipped suites at hand.
var local = retrieve.Shipped{Of: retrieve.Local{}, Vectors: vectorsFile}

// Embedder is the built-in embedder with the vectors of the shipped suites, of
// their documents and of the queries of their chains. Other texts are embedded
// once and remembered; kept in a folder for other processes too, where one is named.
func Embedder(folder string) retrieve.Embedder {
	if folder == "" {
		return &retrieve.Cached{Of: local}
	}
	return &retrieve.Cached{Of: retrieve.Shipped{Of: &retrieve.Kept{Dir: folder}, Vectors: vectorsFile}}
}

// Texts is what is embedded of cases: every page that a search can find, in
// either arm, and the queries that the cases themselves name.
func Texts(list []*cases.Case) []string {
	var texts []string
	for _, c := range list {
		docs := slices.Clone(c.Docs)
		for _, t := range c.Traps {
			docs = append(docs, t.Defect.Docs...)
		}
		for _, d := range docs {
			if !d.Hidden && (d.Surface == trap.Search || d.Surface == trap.Page) {
				texts = append(texts, retrieve.Item{Title: d.Title, Text: d.Text()}.Words())
			}
		}
		for _, s := range slices.Concat(c.Chain, c.Verify) {
			if query, ok := s.Args["query"].(string); ok && s.Tool == "search" {
				texts = append(texts, retrieve.ParseQuery(query).Text)
			}
		}
	}
	return texts
}

// nearest is the place of the pair whose English words mean most nearly what
// those of p do.
func nearest(p pair, among []pair) int {
	words := []string{p.en}
	for _, x := range among {
		words = append(words, x.en)
	}
	v, err := local.Embed(context.Background(), words)
	if err != nil {
		panic("suite: " + err.Error())
	}
	best := 0
	for i := range among {
		if retrieve.Cosine(v[0], v[1+i]) > retrieve.Cosine(v[0], v[1+best]) {
			best = i
		}
	}
	return best
}

// aspects is the names that nearest compares.
func aspects() []string {
	var names []string
	for _, t := range topics {
		if len(t.near) > 0 {
			for _, p := range append([]pair{t.aspect, t.side}, t.near...) {
				names = append(names, p.en)
			}
		}
	}
	return names
}
