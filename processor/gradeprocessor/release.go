package gradeprocessor

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/grade"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// release grades a ready trace and hands its spans on. It runs on the buffer's
// goroutines and may block: the buffer then fills up and refuses. It never waits
// for a judge; see stage.
func (g *grader) release(r assemble.Released[payload]) {
	td := spansOf(r.Payloads)
	if r.Trace == nil {
		g.ungraded(td, &r)
		g.out.add(td)
		return
	}
	rules := g.rules.use()
	graded := grade.Trace(rules.set, r.Trace, time.Now())
	finish := func() {
		g.write(td, graded, &r, rules)
		rules.done()
		g.out.add(td)
	}
	if rules.judges == nil {
		finish()
		grade.Recycle(rules.set, graded)
		r.Recycle()
		return
	}
	g.stage.judge(rules.judges, graded, r.Bytes, r.Defer, finish)
}

// ungraded counts what is passed on without a grade.
func (g *grader) ungraded(td ptrace.Traces, r *assemble.Released[payload]) {
	switch n := td.SpanCount(); {
	case r.Late:
		g.meters.late(g.stopping, fateStored, r.Spans)
	case n > 0:
		g.meters.untraced(g.stopping, n)
		g.warnUntraced.Do(func() {
			g.logger.Warn("spans without a trace id belong to no trace: they are passed on and not graded (said once; see otelcol_processor_grade_untraced_spans)",
				zap.Int("spans", n), zap.String("first", td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Name()))
		})
	default:
		g.meters.unjoined(g.stopping, r.Spans)
	}
}

// spansOf puts spans back under their resources and scopes.
func spansOf(payloads []payload) ptrace.Traces {
	td := ptrace.NewTraces()
	var last *origin
	var rs ptrace.ResourceSpans
	var ss ptrace.ScopeSpans
	for i := range payloads {
		for _, p := range payloads[i].parts {
			o := p.origin
			if last == nil || o.resource != last.resource {
				rs = td.ResourceSpans().AppendEmpty()
				rs.SetSchemaUrl(o.resource.schema)
				if o.resource.shares == 1 {
					o.resource.MoveTo(rs.Resource())
				} else {
					o.resource.CopyTo(rs.Resource())
				}
			}
			if o != last {
				ss = rs.ScopeSpans().AppendEmpty()
				ss.SetSchemaUrl(o.schema)
				if o.shares == 1 {
					o.scope.MoveTo(ss.Scope())
				} else {
					o.scope.CopyTo(ss.Scope())
				}
			}
			last = o
			p.spans.MoveAndAppendTo(ss.Spans())
		}
	}
	return td
}

// write puts the grade of a released trace on its spans.
func (g *grader) write(td ptrace.Traces, graded *trace.Grade, r *assemble.Released[payload], rules *ruleState) {
	own := make([]*trace.Step, 0, r.Spans)
	var bySpan, byResponse map[string]bool // made for log records
	for _, p := range r.Payloads {
		own = append(own, p.steps...)
		if len(p.joined) > 0 && bySpan == nil {
			bySpan, byResponse = map[string]bool{}, map[string]bool{}
		}
		for _, j := range p.joined {
			bySpan[j.spanID] = true
			byResponse[j.responseID] = true
		}
	}
	delete(bySpan, "")
	delete(byResponse, "")

	wire.Write(td, graded, wire.Options{
		Emit: g.cfg.emit(),
		Text: g.text,
		Own:  own,
		Joined: func(s *trace.Step) bool {
			return bySpan[s.SpanID] || byResponse[s.Model.ResponseID]
		},
		Rules: rules.announce(graded.GradedAt),
		Late:  r.Late,

		Canonical: g.cfg.WriteAttributes,
	})
	g.meters.graded(g.stopping, graded, r)
}

// textMax is the longest text that is written, a little above what the store
// keeps, so that the store sees that there was more.
const textMax = 64<<10 + 8

// text redacts and bounds a text that is about to be written.
func (g *grader) text(s string) string {
	s = g.redact.Text(s).Text
	if len(s) > textMax {
		s = strings.ToValidUTF8(s[:textMax], "")
	}
	return s
}

// Pauses between two attempts to hand on a trace that the next consumer
// refused.
const (
	firstPause = 10 * time.Millisecond
	maxPause   = 5 * time.Second
)

// send hands spans on. They were acknowledged to their sender, so a refusal
// that may pass is tried again until the processor has to stop.
func (g *grader) send(td ptrace.Traces) {
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		offer := td
		if g.next.Capabilities().MutatesData { // it may change td and then refuse it
			offer = ptrace.NewTraces()
			td.CopyTo(offer)
		}
		err := g.next.ConsumeTraces(g.stopping, offer)
		if err == nil {
			g.taken.Add(1)
			return
		}
		if consumererror.IsPermanent(err) {
			g.lost(td, err)
			return
		}
		select {
		case <-g.stopping.Done():
			g.lost(td, err)
			return
		case <-time.After(pause):
		}
	}
}

func (g *grader) lost(td ptrace.Traces, err error) {
	g.meters.lost(context.WithoutCancel(g.stopping), td.SpanCount())
	g.logger.Error("lost spans that the next component refused", zap.Int("spans", td.SpanCount()), zap.Error(err))
}
