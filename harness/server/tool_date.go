package server

import (
	"context"

	"github.com/tracegrade/tracegrade/harness/trap"
)

var currentDate = Tool{
	Name:        "current_date",
	Description: "Today's date.",
	call: func(_ context.Context, r *Run, _ Args) (trap.Reply, error) {
		return trap.Reply{Text: r.w.c.Today}, nil
	},
	render: func(_ *Run, _ Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		return map[string]any{"date": reply.Text}
	},
}
