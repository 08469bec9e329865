package gradeprocessor

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.uber.org/zap"

	"github.com/tracegrade/tracegrade/internal/assemble"
	"github.com/tracegrade/tracegrade/internal/normalise"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/internal/wire"
)

// grader is what the pipelines of one id share.
type grader struct {
	cfg    *Config
	logger *zap.Logger
	meters *meters
	redact *redact.Policy
	rules  *ruleSource
	stage  *stage
	next   consumer.Traces
	out    *outbox
	buffer *assemble.Buffer[payload] // set by Start

	warnUntraced sync.Once

	// stopping is done when a shutdown may wait no longer for the next consumer.
	stopping context.Context
	taken    atomic.Int64 // requests that the next consumer took
	giveUp   context.CancelFunc
	watch    sync.WaitGroup
}

// payload is the spans of one trace that arrived in one request, and what the
// log records of that request say.
type payload struct {
	parts  []part
	steps  []*trace.Step // what each span says by itself
	joined []joined
}

// part is the spans of one trace below one scope of a request.
type part struct {
	origin *origin
	spans  ptrace.SpanSlice
}

// joined names the span that a log record belongs to, by either id.
type joined struct{ spanID, responseID string }

// origin is where spans came from that arrived together: a scope.
type origin struct {
	resource *resource
	schema   string
	scope    pcommon.InstrumentationScope
	shares
}

// resource is what several scopes of a request, and several traces, may share.
type resource struct {
	pcommon.Resource
	schema string
	shares
}

// shares counts the parts of traces that need a thing. What only one needs is
// handed on as it is, not copied.
type shares int

func newGrader(cfg *Config, set processor.Settings) (*grader, error) {
	policy, err := redact.New(cfg.Redaction)
	if err != nil {
		return nil, err
	}
	source, err := newRuleSource(cfg, set.Logger)
	if err != nil {
		return nil, err
	}
	m, err := newMeters(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	g := &grader{cfg: cfg, logger: set.Logger, meters: m, redact: policy, rules: source, stage: newStage(cfg.Rubrics.Hold)}
	g.stopping, g.giveUp = context.WithCancel(context.Background())
	g.out = newOutbox(g.send)
	return g, nil
}

// sendTo sets where graded traces go.
func (g *grader) sendTo(next consumer.Traces) error {
	if g.next != nil {
		return errors.New("a grade processor can be in one traces pipeline only: give each pipeline its own (grade/a, grade/b)")
	}
	g.next = next
	return nil
}

// Start begins to take spans in.
func (g *grader) Start(context.Context, component.Host) error {
	if g.next == nil {
		g.logger.Warn("named in a logs pipeline only: without a traces pipeline nothing is graded")
		return nil
	}
	if err := g.rules.open(); err != nil {
		return err
	}
	g.buffer = assemble.NewBuffer(g.cfg.Assemble.options(), g.release)
	if err := g.meters.observe(g.buffer.Stats, g.stage.held, g.rules); err != nil {
		return err
	}
	g.out.start()
	if g.cfg.ReloadInterval > 0 {
		g.watch.Go(func() { g.rules.watch(g.stopping, g.cfg.ReloadInterval, g.reloaded) })
	}
	return nil
}

// reloaded counts a change of the files.
func (g *grader) reloaded(fate string) {
	g.meters.ProcessorGradeReloads.Add(context.Background(), 1, g.meters.fates[fate])
}

// Shutdown grades and hands on everything that is held; judges are not waited
// for. What the next consumer does not take before ctx is done is counted as
// lost.
func (g *grader) Shutdown(ctx context.Context) error {
	defer g.meters.shutdown()
	var err error
	if g.buffer != nil {
		stop := context.AfterFunc(ctx, g.giveUp)
		defer stop()
		handed := make(chan struct{})
		defer close(handed)
		go g.giveUpWithoutProgress(handed)
		g.stage.close()
		if err = g.buffer.Shutdown(ctx); err != nil {
			g.giveUp() // what is left is offered once more, and then lost
			err = errors.Join(err, g.buffer.Shutdown(context.WithoutCancel(ctx)))
		}
		g.out.close()
	}
	g.giveUp()
	g.watch.Wait()
	g.rules.close()
	return err
}

// handOver is how long the next consumer may take nothing at a stop. The
// collector sets no limit of its own, and a queue that is full, or whose disk is,
// would hold up the stop for ever.
const handOver = 10 * time.Second

// giveUpWithoutProgress gives up when the next consumer has taken nothing for
// as long as handOver.
func (g *grader) giveUpWithoutProgress(handed <-chan struct{}) {
	tick := time.NewTicker(handOver)
	defer tick.Stop()
	for last := g.taken.Load(); ; {
		select {
		case <-handed:
			return
		case <-tick.C:
		}
		now := g.taken.Load()
		if now == last {
			g.giveUp()
			return
		}
		last = now
	}
}

// ConsumeTraces takes spans in. They leave when their trace is ready.
func (t *traces) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	g := t.Value
	arrivals, spans := g.arrivals(td)
	g.meters.received(ctx, spans)
	if len(arrivals) == 0 {
		return nil
	}
	if err := g.buffer.Add(arrivals...); err != nil {
		// The sender may try again with the same data: give the spans back.
		var all []payload
		for i := range arrivals {
			all = append(all, arrivals[i].Payload)
		}
		spansOf(all).MoveTo(td)
		g.meters.refused(ctx, spans)
		return retryable(err)
	}
	return nil
}

// retryable marks an error that trying again cannot help. Receivers tell
// clients to send again for all others.
func retryable(err error) error {
	if errors.Is(err, assemble.ErrTooLarge) {
		return consumererror.NewPermanent(err)
	}
	return err
}

// arrivals groups the spans of a request by trace and reads each once. Derived
// spans of an earlier grader are left out: they are made anew.
func (g *grader) arrivals(td ptrace.Traces) ([]assemble.Arrival[payload], int) {
	in := intake{reader: g.rules.current().reader, index: map[pcommon.TraceID]int{}}
	for _, rs := range td.ResourceSpans().All() {
		from := &resource{Resource: pcommon.NewResource(), schema: rs.SchemaUrl()}
		rs.Resource().MoveTo(from.Resource)
		normalise.Shallow(from.Attributes())
		for _, ss := range rs.ScopeSpans().All() {
			if wire.Own(ss.Scope()) || ss.Spans().Len() == 0 {
				continue
			}
			o := &origin{resource: from, schema: ss.SchemaUrl(), scope: pcommon.NewInstrumentationScope()}
			ss.Scope().MoveTo(o.scope)
			normalise.Shallow(o.scope.Attributes())
			in.take(o, ss.Spans())
		}
	}
	for i := range in.list {
		in.list[i].Payload.steps = in.list[i].Steps
	}
	return in.list, in.spans
}

// intake is the traces of a request while its spans are read.
type intake struct {
	reader *normalise.Reader
	list   []assemble.Arrival[payload]
	index  map[pcommon.TraceID]int // in list
	spans  int
}

// take reads the spans of one scope and moves them to their traces.
func (in *intake) take(from *origin, spans ptrace.SpanSlice) {
	in.spans += spans.Len()
	if id := spans.At(0).TraceID(); all(spans, id) { // moved as they are
		p, a := in.part(from, id)
		spans.MoveAndAppendTo(p.spans)
		a.Steps = slices.Grow(a.Steps, p.spans.Len())
		for _, s := range p.spans.All() {
			in.read(from, s, a)
		}
		return
	}
	for _, s := range spans.All() {
		p, a := in.part(from, s.TraceID())
		own := p.spans.AppendEmpty()
		s.MoveTo(own)
		in.read(from, own, a)
	}
}

// all reports whether the spans are of one trace.
func all(spans ptrace.SpanSlice, id pcommon.TraceID) bool {
	for _, s := range spans.All() {
		if s.TraceID() != id {
			return false
		}
	}
	return true
}

// part is where spans of a trace and of the scope at hand go.
func (in *intake) part(from *origin, id pcommon.TraceID) (*part, *assemble.Arrival[payload]) {
	i, seen := in.index[id]
	if !seen {
		i = len(in.list)
		in.index[id] = i
		in.list = append(in.list, assemble.Arrival[payload]{TraceID: traceID(id)})
	}
	a := &in.list[i]
	if n := len(a.Payload.parts); n == 0 || a.Payload.parts[n-1].origin != from {
		if n == 0 || a.Payload.parts[n-1].origin.resource != from.resource {
			from.resource.shares++
		}
		from.shares++
		a.Payload.parts = append(a.Payload.parts, part{from, ptrace.NewSpanSlice()})
	}
	return &a.Payload.parts[len(a.Payload.parts)-1], a
}

// read reads a span of a as a step.
func (in *intake) read(from *origin, span ptrace.Span, a *assemble.Arrival[payload]) {
	wire.Strip(span)
	normalise.ShallowSpan(span)
	a.Steps = append(a.Steps, in.reader.Span(from.resource.Resource, from.scope, span))
	sizer := ptrace.ProtoMarshaler{}
	a.Bytes += spanOverhead + int64(sizer.SpanSize(span))
}

// spanOverhead is what holding a span costs beyond its content: the decoded
// span, its step and their places in lists (measured, see docs/performance.md).
const spanOverhead = 3 << 10

func traceID(id pcommon.TraceID) string {
	if id.IsEmpty() {
		return ""
	}
	return id.String()
}

// ConsumeLogs takes in what log records say of steps and passes the records on.
func (l *logs) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	g := l.Value
	if g.buffer == nil {
		return l.next.ConsumeLogs(ctx, ld)
	}
	arrivals, content, other := g.fragments(ld)
	if len(arrivals) > 0 {
		if err := g.buffer.Add(arrivals...); err != nil {
			return retryable(err)
		}
	}
	g.meters.logRecords(ctx, content, other)
	return l.next.ConsumeLogs(ctx, ld)
}

// fragments reads records by trace, and counts those that carry something and
// those that do not.
func (g *grader) fragments(ld plog.Logs) (out []assemble.Arrival[payload], content, other int) {
	reader := g.rules.current().reader
	type key struct{ trace, reply string }
	index := map[key]int{}
	sizer := plog.ProtoMarshaler{}
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, r := range sl.LogRecords().All() {
				f := reader.Log(rl.Resource(), sl.Scope(), r)
				if f == nil {
					other++
					continue
				}
				content++
				k := key{trace: f.TraceID}
				switch {
				case f.TraceID != "":
				case f.ResponseID == "" && f.Step != nil && f.Step.Session != "": // a session that is only logged
					k.trace = assemble.SessionTraceID(f.Step.Session)
					f.TraceID, f.Step.TraceID = k.trace, k.trace
				default:
					k.reply = f.ResponseID
				}
				i, seen := index[k]
				if !seen {
					i = len(out)
					index[k] = i
					out = append(out, assemble.Arrival[payload]{TraceID: k.trace, ResponseID: k.reply})
				}
				a := &out[i]
				a.Fragments = append(a.Fragments, f)
				a.Payload.joined = append(a.Payload.joined, joined{f.SpanID, f.ResponseID})
				a.Bytes += spanOverhead + int64(sizer.LogRecordSize(r))
			}
		}
	}
	return out, content, other
}
