package server

import (
	"context"
	"strings"

	"github.com/tracegrade/tracegrade/harness/retrieve"
	"github.com/tracegrade/tracegrade/harness/trap"
)

// pageSize is how many results a page of a list has.
const pageSize = 10

var search = Tool{
	Name:        "search",
	Description: "Search the web. Understands \"exact phrase\", -word, site:domain, before:YYYY-MM-DD and after:YYYY-MM-DD.",
	Params: []Param{
		{Name: "query", Type: "string", Description: "what to look for", Required: true},
		{Name: "page", Type: "integer", Description: "page of the results, from 1", Min: 1},
	},
	call: func(ctx context.Context, r *Run, a Args) (trap.Reply, error) {
		if strings.TrimSpace(a.Text("query")) == "" {
			return trap.Reply{}, wrongArguments("parameter \"query\" is empty: want words to look for")
		}
		q := retrieve.ParseQuery(a.Text("query"))
		if err := q.Wrong(); err != nil {
			return trap.Reply{}, wrongArguments("parameter \"query\": %w", err)
		}
		docs, err := r.w.search(ctx, q)
		return trap.Reply{Docs: docs, Total: len(docs)}, err
	},
	render: func(r *Run, a Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		page := a.Number("page", 1)
		from := min((page-1)*pageSize, len(reply.Docs))
		reply.Docs = reply.Docs[from:min(from+pageSize, len(reply.Docs))]
		results := make([]map[string]any, len(reply.Docs))
		for i := range reply.Docs {
			d := &reply.Docs[i]
			results[i] = map[string]any{"rank": from + i + 1, "title": d.Title, "url": d.Address, "snippet": d.Snippet()}
			metadata(r, results[i], d)
			// A snippet that does not show the claim is no evidence for it.
			d.Good = d.Good && shows(r, d.Snippet())
		}
		return map[string]any{
			"query": a.Text("query"), "page": page, "total": reply.Total,
			"has_more": from+len(results) < reply.Total, "results": results,
		}
	},
}
