package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/harness/sandbox"
	"github.com/tracegrade/tracegrade/harness/trap"
)

var runCode = Tool{
	Name:        "run_code",
	Description: "Run a program in Starlark, a dialect of Python without imports, files and network, and return what it prints.",
	Params:      []Param{{Name: "code", Type: "string", Description: "the program", Required: true}},
	call: func(_ context.Context, _ *Run, a Args) (trap.Reply, error) {
		out, err := sandbox.Run(a.Text("code"))
		if err != nil {
			return trap.Reply{}, fmt.Errorf("%s%w", out, err)
		}
		return trap.Reply{Text: strings.TrimSuffix(out, "\n")}, nil
	},
	render: func(_ *Run, _ Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		return map[string]any{"output": reply.Text}
	},
}
