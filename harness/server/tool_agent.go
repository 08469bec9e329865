package server

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/harness/cases"
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
	// In both arms the same: those whom a trap adds are not named.
	describe: func(r *Run) string {
		names := agents(r.c.Docs)
		if slices.ContainsFunc(r.c.Traps, func(t cases.Planted) bool { return t.Price > 1 }) {
			names = names[:min(1, len(names))] // the others must be asked for
		}
		return "Who takes questions: " + strings.Join(names, ", ") + "."
	},
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		d, ok := r.w.find(agentPrefix+a.Text("agent"), trap.Agent)
		if !ok {
			return trap.Reply{}, fmt.Errorf("no agent %q; ask \"directory\"", a.Text("agent"))
		}
		// Of the other agents that a trap adds, the directory knows.
		if d.Address == agentPrefix+"directory" {
			d = d.Clone()
			d.Body = []trap.Sentence{{Text: strings.Join(agents(r.w.docs), ", ")}}
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
func agents(docs []trap.Doc) []string {
	var names []string
	for _, d := range docs {
		if d.Surface == trap.Agent && d.Address != agentPrefix+"directory" {
			names = append(names, strings.TrimPrefix(d.Address, agentPrefix))
		}
	}
	return names
}
