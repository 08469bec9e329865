package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

const agentPrefix = "agent:"

var askAgent = Tool{
	Name:        "ask_agent",
	Description: "Ask another agent. The agent \"directory\" knows who there is.",
	Params: []Param{
		{Name: "agent", Type: "string", Description: "its name", Required: true},
		{Name: "question", Type: "string", Description: "what to ask", Required: true},
	},
	describe: func(r *Run) string {
		for _, t := range r.c.Traps {
			if t.Price > 1 {
				return "The analyst takes questions."
			}
		}
		return "The analyst and the records-desk take questions."
	},
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		d, ok := r.w.find(agentPrefix+a.Text("agent"), trap.Agent)
		if !ok {
			return trap.Reply{}, fmt.Errorf("no agent %q; ask \"directory\"", a.Text("agent"))
		}
		// Of the other agents that a trap adds, the directory knows.
		if d.Address == agentPrefix+"directory" {
			d = d.Clone()
			d.Body = []trap.Sentence{{Text: strings.Join(r.w.agents(), ", ")}}
		}
		return trap.Reply{Docs: []trap.Doc{d}, Text: d.Text()}, nil
	},
	render: func(_ *Run, a Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		body := map[string]any{"agent": a.Text("agent"), "message": reply.Text}
		if len(reply.Docs) > 0 && reply.Docs[0].Origin != "" {
			body["based_on"] = reply.Docs[0].Origin
		}
		return body
	},
}

// agents is the names of the other agents, in the order of the case.
func (w *world) agents() []string {
	var names []string
	for _, d := range w.docs {
		if d.Surface == trap.Agent && d.Address != agentPrefix+"directory" {
			names = append(names, strings.TrimPrefix(d.Address, agentPrefix))
		}
	}
	return names
}
