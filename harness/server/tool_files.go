package server

import (
	"context"
	"fmt"
	"path"
	"sort"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

var readFile = Tool{
	Name:        "read_file",
	Description: "Read a file of the workspace.",
	Params:      []Param{{Name: "path", Type: "string", Description: "relative to the workspace", Required: true}},
	call: func(_ context.Context, r *Run, a Args) (trap.Reply, error) {
		d, ok := r.w.file(a.Text("path"))
		if !ok {
			return trap.Reply{}, fmt.Errorf("%s: no such file", a.Text("path"))
		}
		return trap.Reply{Docs: []trap.Doc{d}, Text: d.Text()}, nil
	},
	render: func(_ *Run, a Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		body := map[string]any{"path": a.Text("path"), "content": reply.Text}
		if len(reply.Docs) > 0 && reply.Docs[0].Published != "" {
			body["modified"] = reply.Docs[0].Published
		}
		return body
	},
}

// file is the file at a path.
func (w *world) file(name string) (trap.Doc, bool) {
	d, ok := w.find(strings.TrimPrefix(path.Clean("/"+name), "/"), trap.Workspace)
	return d, ok
}

// files is the paths of the workspace, sorted.
func (w *world) files() []string {
	var names []string
	for _, d := range w.docs {
		if d.Surface == trap.Workspace && !strings.HasPrefix(d.Address, memoryPrefix) {
			names = append(names, d.Address)
		}
	}
	sort.Strings(names)
	return names
}
