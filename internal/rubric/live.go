package rubric

import (
	"context"
	"time"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Begun is a grade on its way through a Grader: what needs no judge is decided,
// the prompts for the rest are written, and the trace is not read any more.
type Begun struct {
	g     *Grader
	items []item
	grade *trace.Grade
}

// Begin goes on with a grade that the rules have made as far as that goes at
// once, for callers that wait for judges no longer than wait. unasked is the
// reason why no judge is to be asked about it; empty where they are. No prompt is
// written for judges that would refuse it, or answer too late.
func (g *Grader) Begin(of *trace.Grade, unasked string, wait time.Duration) *Begun {
	items := g.items(of.Trace, of.Findings, ledgerOf(of), func(r *Rubric) string {
		if unasked != "" {
			return unasked
		}
		return g.refuses(r, wait)
	})
	return &Begun{g, items, of}
}

// refuses is the reason for which every judge of a rubric would refuse to be
// asked now, or answer too late; empty where one would not.
func (g *Grader) refuses(r *Rubric, wait time.Duration) (reason string) {
	for _, role := range r.Judges {
		p, ok := g.judges[role].Asker.(interface{ Refuses(time.Duration) string })
		if !ok {
			return ""
		}
		if reason = p.Refuses(wait); reason == "" {
			return ""
		}
	}
	return reason
}

// Waits reports whether a judge has to be asked.
func (b *Begun) Waits() bool {
	for i := range b.items {
		if b.items[i].members != nil {
			return true
		}
	}
	return false
}

// Bytes is the size of the prompts.
func (b *Begun) Bytes() int64 {
	var n int64
	for i := range b.items {
		for _, m := range b.items[i].members {
			n += int64(len(m.prompt.Request.System))
			for _, text := range m.prompt.Request.Messages {
				n += int64(len(text.Text))
			}
		}
	}
	return n
}

// Finish asks the judges, and adds the findings of all rubrics to the grade.
// When ctx ends, what has no reply yet is skipped, with the reason of the
// [pool.Skip] that is the cause of ctx, or as late.
func (b *Begun) Finish(ctx context.Context) {
	findings, counts := b.g.judged(ctx, b.items)
	b.grade.Findings = append(b.grade.Findings, findings...)
	b.grade.Counts = append(b.grade.Counts, counts...)
}

// Grade adds the findings of all rubrics to a grade that the rules have made.
func (g *Grader) Grade(ctx context.Context, of *trace.Grade) {
	(&Begun{g, g.items(of.Trace, of.Findings, ledgerOf(of), nil), of}).Finish(ctx)
}

// ledgerOf is the ledger that the rules looked at; nil where none did.
func ledgerOf(of *trace.Grade) *evidence.Ledger {
	l, _ := of.Evidence.(*evidence.Ledger)
	return l
}
