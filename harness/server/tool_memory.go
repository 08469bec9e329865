package server

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

// memoryPrefix marks the notes of earlier sessions among a case's documents.
const memoryPrefix = "memory:"

// maxNotes bounds what a run can remember.
const maxNotes = 1000

var memory = Tool{
	Name:        "memory",
	Description: "Notes that outlive a session: get, set, list or delete.",
	Params: []Param{
		{Name: "action", Type: "string", Description: "what to do", Required: true, Enum: []string{"get", "set", "list", "delete"}},
		{Name: "key", Type: "string", Description: "the name of the note"},
		{Name: "value", Type: "string", Description: "the text to keep, for set"},
	},
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		key := a.Text("key")
		if key == "" && a.Text("action") != "list" {
			return trap.Reply{}, wrongArguments("%s wants a key", a.Text("action"))
		}
		switch a.Text("action") {
		case "set":
			if len(r.memory) >= maxNotes {
				return trap.Reply{}, fmt.Errorf("there are %d notes already: delete some", maxNotes)
			}
			r.memory[key] = a.Text("value")
			delete(r.deleted, key)
			return trap.Reply{Text: "kept"}, nil
		case "delete":
			delete(r.memory, key)
			if r.deleted == nil {
				r.deleted = map[string]bool{}
			}
			r.deleted[key] = true
			return trap.Reply{Text: "deleted"}, nil
		case "list":
			return trap.Reply{Text: strings.Join(r.notes(), "\n")}, nil
		}
		if v, ok := r.memory[key]; ok {
			return trap.Reply{Text: v}, nil
		}
		d, ok := r.w.find(memoryPrefix+key, trap.Workspace)
		if !ok || r.deleted[key] {
			return trap.Reply{}, fmt.Errorf("no note %q", key)
		}
		return trap.Reply{Docs: []trap.Doc{d}, Text: d.Text()}, nil
	},
	render: func(_ *Run, a Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		body := map[string]any{"action": a.Text("action"), "value": reply.Text}
		if len(reply.Docs) > 0 {
			body["written"] = reply.Docs[0].Published
		}
		return body
	},
}

// notes is the keys that can be got, sorted.
func (r *Run) notes() []string {
	var keys []string
	for _, d := range r.w.docs {
		if key, ok := strings.CutPrefix(d.Address, memoryPrefix); ok && !r.deleted[key] {
			keys = append(keys, key)
		}
	}
	for k := range r.memory {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
