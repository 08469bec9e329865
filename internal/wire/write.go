package wire

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Emit says which findings leave as events. The zero value is EmitProblems.
type Emit uint8

const (
	EmitProblems Emit = iota // fail, error and skipped, and every rubric finding
	EmitAll                  // every outcome
)

// Emits reports whether f leaves as an event.
func (e Emit) Emits(f *trace.Finding) bool {
	return e == EmitAll || f.Stored()
}

// Options say how a grade is written.
type Options struct {
	Emit Emit
	// Text is applied to every text of the trace that Write adds: redaction
	// and size limit. Nil leaves texts as they are.
	Text func(string) string
	// Own are the steps as their spans alone tell them, in the order of the spans,
	// so that only what assembly changed has to be written. Nil means that
	// nothing is known of the spans, and everything is written.
	Own []*trace.Step
	// Joined names the spans to which log records belong, by the steps of Own. Nil
	// when no log records were read.
	Joined func(own *trace.Step) bool
	// Rules are texts to announce with this grade.
	Rules []Rule
	// Late says that the revision was made by late spans.
	Late bool
	// Canonical adds the canonical form of every step to its span, as attributes
	// of the GenAI semantic conventions, for other backends. An attribute that
	// is there already is never changed.
	Canonical bool
}

// Write puts grade g onto td, which holds the spans of g's trace that leave
// now and no others. What an earlier Write added to them must have been removed
// ([Strip], [Own]).
func Write(td ptrace.Traces, g *trace.Grade, o Options) {
	if o.Text == nil {
		o.Text = func(s string) string { return s }
	}
	w := writer{Options: o, td: td, g: g, root: g.Trace.Root()}
	w.index()
	w.steps()
	w.anchor()
	w.facts()
	for i := range g.Findings {
		if f := &g.Findings[i]; o.Emit.Emits(f) {
			w.finding(f)
		}
	}
	if l := w.ledger(); l != nil {
		w.evidence(l)
	}
	for _, r := range o.Rules {
		w.rule(r)
	}
}

type writer struct {
	Options
	td    ptrace.Traces
	g     *trace.Grade
	spans map[string]place         // leaving spans and derived steps, by step id
	at    ptrace.Span              // the anchor
	made  map[int]ptrace.SpanSlice // where derived spans go, by resource; made on demand
	root  *trace.Step              // nil where there is none

	fields []*stepField // to write on the span at hand
}

// How many attributes the identity and the facts of a trace are at most. Room
// for them is made once: making it copies all attributes of a span.
const (
	identityMax = 12
	factsMax    = 24
)

// place is a span that leaves now.
type place struct {
	span       ptrace.Span
	own        *trace.Step // what it tells alone
	resource   int
	identified bool // carries the identity already
}

// index finds the leaving spans. Of several with one id the first is taken.
func (w *writer) index() {
	w.spans = make(map[string]place, w.td.SpanCount())
	n := 0
	for i, rs := range w.td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				own := nothing
				if n < len(w.Own) {
					own = w.Own[n]
				}
				n++
				key := own.SpanID
				if key == "" {
					id := s.SpanID()
					key = hex.EncodeToString(id[:])
				}
				if _, twice := w.spans[key]; !twice {
					w.spans[key] = place{span: s, own: own, resource: i}
				}
			}
		}
	}
}

// anchor chooses the span that carries the facts of the trace.
func (w *writer) anchor() {
	best, found := "", false
	if w.root != nil {
		_, found = w.spans[w.root.SpanID]
		best = w.root.SpanID
	}
	if !found {
		for id, p := range w.spans {
			if !found || earlier(p.span, w.spans[best].span) {
				best, found = id, true
			}
		}
	}
	if !found {
		best = derivedID(w.g.Trace.ID, "trace", strconv.Itoa(w.g.Trace.Revision))
		s := w.derive(best, spanTrace, 0)
		s.SetStartTimestamp(stamp(w.g.Trace.Start))
		s.SetEndTimestamp(stamp(w.g.Trace.End))
		w.spans[best] = place{span: s}
	}
	w.at = w.identified(best)
}

func earlier(a, b ptrace.Span) bool {
	if a.StartTimestamp() != b.StartTimestamp() {
		return a.StartTimestamp() < b.StartTimestamp()
	}
	x, y := a.SpanID(), b.SpanID()
	return string(x[:]) < string(y[:])
}

// derive adds a span of our scope to the resource with the given index.
func (w *writer) derive(id, name string, resource int) ptrace.Span {
	if w.td.ResourceSpans().Len() == 0 {
		a := w.td.ResourceSpans().AppendEmpty().Resource().Attributes()
		putText(a, "service.name", w.g.Trace.Service.Name)
		putText(a, "service.version", w.g.Trace.Service.Version)
	}
	spans, ok := w.made[resource]
	if !ok {
		ss := w.td.ResourceSpans().At(resource).ScopeSpans().AppendEmpty()
		ss.Scope().SetName(Scope)
		spans = ss.Spans()
		if w.made == nil {
			w.made = map[int]ptrace.SpanSlice{}
		}
		w.made[resource] = spans
	}
	s := spans.AppendEmpty()
	s.SetName(name)
	s.SetTraceID(traceID(w.g.Trace.ID))
	s.SetSpanID(SpanID(id))
	s.SetKind(ptrace.SpanKindInternal)
	return s
}

// identified returns a leaving span after writing the identity on it.
func (w *writer) identified(id string) ptrace.Span {
	p := w.spans[id]
	if p.identified {
		return p.span
	}
	p.identified = true
	w.spans[id] = p
	a, t := p.span.Attributes(), w.g.Trace
	a.EnsureCapacity(a.Len() + identityMax)
	w.putRevision(a)
	a.PutStr(traceDigest, t.Digest)
	a.PutInt(traceStart, nanos(t.Start))
	putText(a, traceSession, t.Session)
	putText(a, traceService, t.Service.Name)
	putText(a, traceServiceVer, t.Service.Version)
	putText(a, traceAgentID, t.Agent.ID)
	putText(a, traceAgent, t.Agent.Name)
	putText(a, traceAgentVer, t.Agent.Version)
	a.PutStr(normaliserVer, w.g.NormaliserVersion)
	if w.ledger() != nil {
		a.PutStr(traceEvidence, evidence.Version)
	}
	return p.span
}

// putRevision says which revision a span left with.
func (w *writer) putRevision(a pcommon.Map) {
	a.PutInt(traceRevision, int64(w.g.Trace.Revision))
	a.PutInt(gradedAt, nanos(w.g.GradedAt))
}

func (w *writer) facts() {
	a, t := w.at.Attributes(), w.g.Trace
	a.EnsureCapacity(a.Len() + factsMax)
	putText(a, traceUser, t.User)
	putText(a, traceQuestion, w.Text(t.Question))
	putText(a, traceAnswer, w.Text(t.Answer))
	putText(a, traceAnswerStep, t.AnswerStep)
	a.PutInt(traceEnd, nanos(t.End))
	n := t.Tally()
	a.PutInt(traceSteps, int64(n.Steps))
	putInt(a, traceLLM, int64(n.LLM))
	putInt(a, traceTools, int64(n.Tools))
	putInt(a, traceFailed, int64(n.Failed))
	putInt(a, traceLosses, int64(n.Losses))
	if n.Cost.Amount != 0 {
		a.PutDouble(traceCost, n.Cost.Amount)
		putText(a, traceCurrency, n.Cost.Currency)
	}
	if w.Late {
		a.PutBool(traceLate, true)
	}
	putInt(a, traceUnjoined, int64(t.Unjoined))
	a.PutStr(traceReason, string(t.Release.Reason))
	a.PutBool(traceComplete, t.Release.Complete)
	putInt(a, traceMissing, int64(t.Release.MissingParents))
	putInt(a, traceInput, t.Usage.Input)
	putInt(a, traceOutput, t.Usage.Output)
	putInt(a, traceReasoning, t.Usage.Reasoning)
	putInt(a, traceCacheRead, t.Usage.CacheRead)
	putInt(a, traceCacheWrite, t.Usage.CacheWrite)
	if t.Usage.Scope != trace.UsageNone {
		a.PutStr(traceUsageScope, t.Usage.Scope.String())
	}
	list := a.PutEmptySlice(traceOutcomes)
	list.EnsureCapacity(len(w.g.Counts))
	for i := range w.g.Counts {
		list.AppendEmpty().SetStr(countText(&w.g.Counts[i]))
	}
}

// countText writes a count as one line: "rule hash judge|- pass=1 fail=2".
func countText(c *trace.RuleCount) string {
	var b strings.Builder
	b.Grow(len(c.Rule) + len(c.RuleHash) + len(c.JudgeHash) + 24)
	b.WriteString(c.Rule)
	b.WriteByte(' ')
	b.WriteString(c.RuleHash)
	b.WriteByte(' ')
	if c.JudgeHash == "" {
		b.WriteByte('-')
	} else {
		b.WriteString(c.JudgeHash)
	}
	for _, n := range countFields(c) {
		if *n.count != 0 {
			b.WriteByte(' ')
			b.WriteString(n.outcome.String())
			b.WriteByte('=')
			b.WriteString(strconv.Itoa(*n.count))
		}
	}
	return b.String()
}

type countField struct {
	outcome trace.Outcome
	count   *int
}

func countFields(c *trace.RuleCount) [5]countField {
	return [5]countField{
		{trace.OutcomePass, &c.Pass},
		{trace.OutcomeFail, &c.Fail},
		{trace.OutcomeNotApplicable, &c.NotApplicable},
		{trace.OutcomeError, &c.Error},
		{trace.OutcomeSkipped, &c.Skipped},
	}
}

// ledger is the evidence that the rules looked at; nil where none did.
func (w *writer) ledger() *evidence.Ledger {
	l, _ := w.g.Evidence.(*evidence.Ledger)
	return l
}

// event adds an event to the first of some spans or steps that leaves now, else
// to the anchor, and returns its attributes.
func (w *writer) event(name string, ids ...string) pcommon.Map {
	at := w.at
	for _, id := range ids {
		if _, leaves := w.spans[id]; leaves && id != "" {
			at = w.identified(id)
			break
		}
	}
	e := at.Events().AppendEmpty()
	e.SetName(name)
	e.SetTimestamp(stamp(w.g.GradedAt))
	return e.Attributes()
}

// finding writes one event, on the graded span when it leaves now.
func (w *writer) finding(f *trace.Finding) {
	a := w.event(EventFinding, f.SpanID, f.StepID)
	a.EnsureCapacity(14)
	a.PutStr(evalName, f.Rule)
	a.PutStr(evalLabel, f.Outcome.String())
	if f.Score != nil {
		a.PutDouble(evalScore, *f.Score)
	}
	putText(a, evalExplanation, w.Text(f.Message))
	if f.Outcome == trace.OutcomeError {
		putText(a, errorType, f.Reason)
	}
	a.PutStr(ruleHash, f.RuleHash)
	putText(a, judgeHash, f.JudgeHash)
	a.PutStr(subjectScope, f.Scope.String())
	a.PutStr(subjectID, f.SubjectID)
	putText(a, findingSpan, f.SpanID)
	putText(a, findingStep, f.StepID)
	if f.Severity != trace.SeverityUnset {
		a.PutStr(severity, f.Severity.String())
	}
	putText(a, defect, f.Defect)
	putText(a, reason, f.Reason)
	if len(f.Witness) > 0 {
		putTexts(a, witness, f.Witness)
	}
	if len(f.Judges) > 0 {
		writeJudges(a.PutEmptySlice(judges), f.Judges)
	}
}

func writeJudges(list pcommon.Slice, said []trace.Judgement) {
	for _, j := range said {
		m := list.AppendEmpty().SetEmptyMap()
		putText(m, "name", j.Name)
		m.PutStr("model", j.Model)
		m.PutStr("hash", j.Hash)
		m.PutStr("outcome", j.Outcome.String())
		m.PutInt("calls", int64(j.Calls))
		m.PutInt("tokens", int64(j.Tokens))
		m.PutDouble("cost", j.Cost)
		putText(m, "currency", j.Currency)
	}
}

func (w *writer) rule(r Rule) {
	a := w.event(EventRule)
	putText(a, ruleKind, r.Kind)
	a.PutStr(ruleID, r.ID)
	a.PutStr(ruleHash, r.Hash)
	putText(a, ruleTitle, r.Title)
	putText(a, subjectScope, r.Scope)
	putText(a, severity, r.Severity)
	putText(a, defect, r.Defect)
	putText(a, ruleSource, r.Source)
	a.PutStr(ruleText, r.Text)
}

// derivedID makes a span id from names, the same for the same names.
func derivedID(names ...string) string {
	h := fnv.New64a()
	for _, n := range names {
		fmt.Fprintf(h, "%d:%s", len(n), n)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func traceID(s string) (id pcommon.TraceID) {
	if b, err := hex.DecodeString(s); err == nil && len(b) == len(id) {
		copy(id[:], b)
	}
	return id
}

// SpanID reads 16 hex digits; anything else is the empty id.
func SpanID(s string) (id pcommon.SpanID) {
	if b, err := hex.DecodeString(s); err == nil && len(b) == len(id) {
		copy(id[:], b)
	}
	return id
}

// nanos is t in Unix nanoseconds; the zero time is 0.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func stamp(t time.Time) pcommon.Timestamp { return pcommon.Timestamp(nanos(t)) }

func putText(a pcommon.Map, key, s string) {
	if s != "" {
		a.PutStr(key, s)
	}
}

func putTexts(a pcommon.Map, key string, texts []string) {
	list := a.PutEmptySlice(key)
	list.EnsureCapacity(len(texts))
	for _, s := range texts {
		list.AppendEmpty().SetStr(s)
	}
}

func putInt(a pcommon.Map, key string, n int64) {
	if n != 0 {
		a.PutInt(key, n)
	}
}
