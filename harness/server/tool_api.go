package server

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

var httpAPI = Tool{
	Name:        "http_api",
	Description: "GET a record from the data service: path /{table}, query entity=NAME. /schema describes the fields.",
	Params: []Param{
		{Name: "path", Type: "string", Description: "such as /figures", Required: true},
		{Name: "query", Type: "string", Description: "such as entity=NAME"},
	},
	describe: queryDatabase.describe,
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		table := strings.Trim(a.Text("path"), "/")
		if table == "schema" {
			return trap.Reply{Record: map[string]any{
				"1": map[string]any{"value": "the value of the period as_of"},
				"2": map[string]any{"reported_value": "the value of the period as_of", "value": "the value of the period before, kept for old clients"},
			}}, nil
		}
		values, err := url.ParseQuery(strings.ReplaceAll(a.Text("query"), "+", "%2B"))
		if err != nil {
			return trap.Reply{}, wrongArguments("query %q: want entity=NAME", a.Text("query"))
		}
		for _, d := range r.w.docs {
			if d.Surface == trap.Records && d.Address == table && d.Fields["entity"] == values.Get("entity") {
				return trap.Reply{Docs: []trap.Doc{d}, Record: d.Fields}, nil
			}
		}
		return trap.Reply{Failed: true, Status: 404, Text: fmt.Sprintf("no record for %q in %q", values.Get("entity"), table)}, nil
	},
	render: func(_ *Run, _ Args, reply *trap.Reply) any {
		if reply.Failed {
			reply.Docs = nil
			return map[string]any{"status": cmp.Or(reply.Status, 500), "headers": headers(reply), "body": map[string]any{"error": reply.Text}}
		}
		for _, t := range reply.Traps {
			if t != "" {
				reply.Docs = nil // another record stands in its place
			}
		}
		return map[string]any{"status": cmp.Or(reply.Status, 200), "headers": headers(reply), "body": reply.Record}
	},
}

func headers(reply *trap.Reply) map[string]string {
	h := map[string]string{"content-type": "application/json"}
	for k, v := range reply.Note {
		h[k] = v
	}
	return h
}
