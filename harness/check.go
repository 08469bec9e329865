package harness

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tracegrade/tracegrade/harness/cases"
	"github.com/tracegrade/tracegrade/harness/server"
	"github.com/tracegrade/tracegrade/harness/suite"
)

// Check proves cases, as [suite.Prove] does, and prints what does not hold. It is how
// many were not proved.
func Check(ctx context.Context, w io.Writer, list []*cases.Case, p Proxies, o server.Options) (failed int, err error) {
	tools, done, err := p.Open(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, done()) }()
	o.Tools = tools
	for _, c := range list {
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		if err := suite.Prove(ctx, c, o); err != nil {
			failed++
			if _, err := fmt.Fprintln(w, err); err != nil {
				return failed, err
			}
		}
	}
	_, err = fmt.Fprintf(w, "%d cases: %d proved, %d not\n", len(list), len(list)-failed, failed)
	return failed, err
}
