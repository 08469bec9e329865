package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/trap"
)

var verifyInformation = Tool{
	Name:        "verify_information",
	Description: "Look into one source and quote the sentence that is nearest to a claim.",
	Params: []Param{
		{Name: "claim", Type: "string", Description: "one statement", Required: true},
		{Name: "source", Type: "string", Description: "the address of a page", Required: true},
	},
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		d, ok := r.w.find(a.Text("source"), trap.Search, trap.Page)
		if !ok {
			return trap.Reply{Failed: true, Status: 404, Text: fmt.Sprintf("no page at %s", a.Text("source"))}, nil
		}
		return trap.Reply{Docs: []trap.Doc{d}}, nil
	},
	render: func(r *Run, a Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		d := &reply.Docs[0]
		sentence, share := nearest(d, a.Text("claim"))
		d.Good = d.Good && shows(r, sentence)
		body := map[string]any{"source": d.Address, "claim": a.Text("claim"), "nearest_sentence": sentence}
		if share < 0.3 {
			body["nearest_sentence"] = ""
			body["remark"] = "the source does not speak of this"
			d.Good = false
		}
		metadata(r, body, d)
		return body
	},
}

// nearest is the sentence that shares most words with the claim, and which
// share of the claim's words it has.
func nearest(d *trap.Doc, claim string) (string, float64) {
	words := retrieve.Tokens(claim)
	best, share := "", -1.0
	for _, s := range d.Body {
		has := map[string]bool{}
		for _, w := range retrieve.Tokens(s.String()) {
			has[w] = true
		}
		n := 0
		for _, w := range words {
			if has[w] {
				n++
			}
		}
		if x := float64(n) / float64(max(len(words), 1)); x > share {
			best, share = s.String(), x
		}
	}
	return strings.TrimSpace(best), share
}
