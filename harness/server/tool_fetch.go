package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

var fetchPage = Tool{
	Name:        "fetch_page",
	Description: "Open a web page by its address and return its text and links.",
	Params:      []Param{{Name: "url", Type: "string", Description: "the address, as a search result or a link gives it", Required: true}},
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		d, ok := r.w.find(a.Text("url"), trap.Search, trap.Page)
		if !ok {
			return trap.Reply{Failed: true, Status: 404, Text: fmt.Sprintf("no page at %s", a.Text("url"))}, nil
		}
		return trap.Reply{Docs: []trap.Doc{d}}, nil
	},
	render: func(r *Run, a Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		d := &reply.Docs[0]
		body := map[string]any{"url": d.Address, "title": d.Title, "text": d.Text(), "links": append([]string{}, d.Links...)}
		metadata(r, body, d)
		for k, v := range reply.Note {
			body[k] = v
		}
		return body
	},
}

// shows reports whether a text states the case's true value.
func shows(r *Run, text string) bool {
	for _, v := range r.w.c.Answer.All() {
		if v != "" && strings.Contains(text, v) {
			return true
		}
	}
	return false
}
