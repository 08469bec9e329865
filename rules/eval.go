package rules

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Reasons: the codes of findings, for programs.
const (
	ReasonFailed      = "assertion_failed"
	ReasonHolds       = "assertion_holds"
	ReasonNoSubject   = "no_subject"           // where selected no step
	ReasonNotRelevant = "not_relevant"         // when was false for every subject
	ReasonNoContent   = "content_not_captured" // the verdict would rest on content that the producer did not record
	ReasonError       = "evaluation_error"
	ReasonSessionOpen = "session_open" // a session is judged when all its traces are known
)

// run is one evaluation: the trace, the subject, and what was computed so far.
// It is used by one goroutine at a time and kept between evaluations.
type run struct {
	set     *Set
	env     map[string]any
	vms     []*vm.VM // by depth: a let is evaluated while another program runs
	depth   int
	ix      *index
	spare   index // memory for ix
	step    *step // subject, scope span only
	missing bool  // content was read that had not been captured
	values  []letValue
	globs   map[string]glob // by pattern
	epoch   int             // counts subjects, for the values of lets that read step

	args  []any // of the calls that direct code is making
	items []any // the elements that its loops are at, the innermost last
	loops []loopState
	kept  int // elements that the definitions of the trace hold
	made  int // elements of the lists that the present expression made

	findings []trace.Finding // of the trace, before their number is known
	ids      idBlock
}

// idBlock makes lists of one id, many in one block.
type idBlock struct{ free []string }

func (b *idBlock) one(id string) []string {
	if len(b.free) == 0 {
		b.free = make([]string, 32)
	}
	list := b.free[:1:1]
	list[0], b.free = id, b.free[1:]
	return list
}

type letValue struct {
	value   any
	err     error
	missing bool
	epoch   int // 0: not evaluated
}

func newRun(s *Set) *run {
	w := &run{set: s, values: make([]letValue, len(s.slots)), globs: map[string]glob{}}
	w.env = map[string]any{runName: w}
	return w
}

// maxLetDepth bounds how deep lets may name each other; they cannot be
// circular, since each names only earlier ones.
const maxLetDepth = 64

// eval runs one expression.
func (w *run) eval(x *expression) (any, error) {
	if w.depth == maxLetDepth {
		return nil, errText("more than %d definitions name each other", maxLetDepth)
	}
	if x.direct != nil {
		w.depth++
		v, err := w.runDirect(x.direct)
		w.depth--
		return v, plain(err)
	}
	for w.depth >= len(w.vms) {
		w.vms = append(w.vms, &vm.VM{})
	}
	m := w.vms[w.depth]
	w.depth++
	v, err := m.Run(x.program, w.env)
	w.depth--
	if err != nil {
		return nil, plain(err)
	}
	return v, nil
}

// condition runs an expression that gives true or false.
func (w *run) condition(x *expression) (bool, error) {
	v, err := w.eval(x)
	if err != nil {
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, errText("want true or false, have %s", describe(v))
	}
	return b, nil
}

// let gives the value of a definition, evaluated at most once per trace, or per
// subject where it reads step.
func (w *run) let(slot int) (any, error) {
	l := w.set.slots[slot]
	kept := &w.values[slot]
	epoch := 1
	if l.usesStep {
		epoch = w.epoch
	}
	if kept.epoch != epoch {
		outer := w.missing
		w.missing = false
		v, err := w.eval(l.expression)
		if err == nil && l.makes {
			err = w.keep(v)
		}
		*kept = letValue{value: v, err: err, missing: w.missing, epoch: epoch}
		w.missing = outer
	}
	w.missing = w.missing || kept.missing
	return kept.value, kept.err
}

// machineBudget is what the machine and its builtins say of a bound reached.
const machineBudget = "memory budget exceeded"

// plain strips an error of the machine to its sentence.
func plain(err error) error {
	if err == nil {
		return nil
	}
	var fe *file.Error
	if errors.As(err, &fe) && firstLine(fe.Message) == machineBudget || err.Error() == machineBudget {
		return errMade
	}
	if fe != nil {
		return errText("%s", inOurWords(fe.Message))
	}
	return err
}

// begin prepares for a trace, end forgets it.
func (w *run) begin(ix *index) {
	w.ix, w.epoch, w.kept = ix, 1, 0
	clear(w.values)
}

func (w *run) end() {
	w.ix, w.step = nil, nil
	w.spare.forget()
	clear(w.values)
	w.set.runs.Put(w)
}

// Eval grades one trace: every outcome of every rule, and the counts by rule
// in rule order. It is safe for concurrent use, but not on the same trace,
// whose content is decoded on first use.
func (s *Set) Eval(t *trace.Trace) ([]trace.Finding, []trace.RuleCount) {
	findings, counts, _ := s.EvalEvidence(t, nil)
	return findings, counts
}

// EvalEvidence is Eval, and hands out the evidence ledger of the trace as well.
// known is the trace's ledger where it was made before; with nil it is made when
// a rule looks at evidence, and stays nil where none does.
func (s *Set) EvalEvidence(t *trace.Trace, known *evidence.Ledger) ([]trace.Finding, []trace.RuleCount, *evidence.Ledger) {
	w := s.runs.Get().(*run)
	defer w.end()
	w.begin(w.spare.of(t))
	w.ix.known = known
	findings := w.findings[:0]
	out, recycled := s.outcomes.Get().(*outcome)
	if !recycled {
		out = &outcome{}
	}
	counts := slices.Grow(out.counts, len(s.rules))[:len(s.rules)]
	for i, c := range s.rules {
		before := len(findings)
		switch c.Scope {
		case trace.ScopeSpan:
			findings = w.spanRule(c, findings)
		case trace.ScopeTrace:
			findings = w.traceRule(c, findings)
		case trace.ScopeSession:
			findings = append(findings, w.openSession(c))
		}
		counts[i] = trace.RuleCount{Rule: c.ID, RuleHash: c.Hash}
		for j := range findings[before:] {
			counts[i].Add(findings[before+j].Outcome)
		}
	}
	w.findings = findings
	findings = append(out.findings, findings...)
	clear(w.findings)
	ledger := known
	if w.ix.ledger != nil {
		ledger = w.ix.ledger.Ledger
	}
	return findings, counts, ledger
}

// outcome is what an evaluation hands out.
type outcome struct {
	findings []trace.Finding
	counts   []trace.RuleCount
}

// outcomeMax is how many findings are kept room for: those of a long trace are
// not.
const outcomeMax = 4096

// Recycle takes back what [Set.EvalEvidence] handed out, as memory for later
// evaluations: nothing may look at it from now on. It need not be called.
func (s *Set) Recycle(findings []trace.Finding, counts []trace.RuleCount) {
	if cap(findings) > outcomeMax {
		return
	}
	clear(findings)
	s.outcomes.Put(&outcome{findings[:0], counts[:0]})
}

func (c *compiled) finding() trace.Finding {
	return trace.Finding{Rule: c.ID, RuleHash: c.Hash, Severity: c.Severity, Defect: c.Defect}
}

// openSession is the finding of a session rule on a single trace.
func (w *run) openSession(c *compiled) trace.Finding {
	f := c.finding()
	t := w.ix.trace
	w.subject(&f, nil)
	if t.Session == "" {
		f.Outcome, f.Reason, f.Message = trace.OutcomeNotApplicable, ReasonNoSubject, "the trace belongs to no session"
		return f
	}
	f.Scope, f.SubjectID = trace.ScopeSession, t.Session
	f.Outcome, f.Reason, f.Message = trace.OutcomeSkipped, ReasonSessionOpen, "a session is judged when all its traces are known"
	return f
}

// verdict is what came out for one subject.
type verdict struct {
	outcome trace.Outcome
	reason  string
	key     string // of the expression that erred
	err     error
}

func (w *run) traceRule(c *compiled, findings []trace.Finding) []trace.Finding {
	w.step = nil
	v := w.judge(c)
	return append(findings, w.report(c, nil, v))
}

// spanRule judges each selected step. Steps to which the rule does not apply
// have no finding, unless it applies to none; errors are one finding.
func (w *run) spanRule(c *compiled, findings []trace.Finding) []trace.Finding {
	none := verdict{outcome: trace.OutcomeNotApplicable, reason: ReasonNoSubject}
	judged := false
	var failed verdict
	var failedAt *step
	errs := 0
	for i := range w.ix.steps {
		s := &w.ix.steps[i]
		if s.DuplicateOf != "" || c.kinds&(1<<s.Kind) == 0 {
			continue
		}
		w.step = s
		w.epoch++
		v := w.judge(c)
		switch v.outcome {
		case trace.OutcomeError:
			if errs++; errs == 1 {
				failed, failedAt = v, s
			}
		case trace.OutcomeNotApplicable:
			if rank(v.reason) > rank(none.reason) {
				none = v
			}
		default:
			judged = true
			findings = append(findings, w.report(c, s, v))
		}
	}
	w.step = failedAt
	if errs > 0 {
		f := w.report(c, failedAt, failed)
		if errs > 1 {
			f.Message += fmt.Sprintf(" (and %d more)", errs-1)
		}
		return append(findings, f)
	}
	if !judged {
		w.step = nil
		findings = append(findings, w.report(c, nil, none))
	}
	return findings
}

// rank orders the reasons why a rule does not apply: the one that says most is
// kept.
func rank(reason string) int {
	switch reason {
	case ReasonNoContent:
		return 2
	case ReasonNotRelevant:
		return 1
	}
	return 0
}

// judge evaluates where, when and assert for the present subject.
func (w *run) judge(c *compiled) verdict {
	w.missing = false
	for _, guard := range [2]struct {
		x      *expression
		key    string
		reason string
	}{{c.where, "where", ReasonNoSubject}, {c.when, "when", ReasonNotRelevant}} {
		if guard.x == nil || guard.x == c.where && c.whereIsKinds {
			continue // steps of other kinds do not come here
		}
		holds, err := w.condition(guard.x)
		switch {
		case w.missing:
			return verdict{outcome: trace.OutcomeNotApplicable, reason: ReasonNoContent}
		case err != nil:
			return verdict{outcome: trace.OutcomeError, reason: ReasonError, key: guard.key, err: err}
		case !holds:
			return verdict{outcome: trace.OutcomeNotApplicable, reason: guard.reason}
		}
	}
	holds, err := w.condition(c.assert)
	switch {
	case w.missing:
		return verdict{outcome: trace.OutcomeNotApplicable, reason: ReasonNoContent}
	case err != nil:
		return verdict{outcome: trace.OutcomeError, reason: ReasonError, key: "assert", err: err}
	case holds:
		return verdict{outcome: trace.OutcomePass, reason: ReasonHolds}
	}
	return verdict{outcome: trace.OutcomeFail, reason: ReasonFailed}
}

// report makes the finding of a verdict.
func (w *run) report(c *compiled, s *step, v verdict) trace.Finding {
	f := c.finding()
	f.Outcome, f.Reason = v.outcome, v.reason
	w.subject(&f, s)
	switch v.outcome {
	case trace.OutcomeError:
		f.Message = v.key + ": " + v.err.Error()
		return f
	case trace.OutcomeNotApplicable:
		f.Message = notApplicable[v.reason]
		return f
	case trace.OutcomeFail:
		f.Message = w.say(c.message)
		f.Witness = w.witness(c, s)
	case trace.OutcomePass:
		if s != nil {
			f.Witness = w.ids.one(s.Step.Witness())
		}
	}
	if c.score != nil {
		w.score(c, &f)
	}
	return f
}

var notApplicable = map[string]string{
	ReasonNoSubject:   "no step is one that the rule is about",
	ReasonNotRelevant: "the rule's condition does not hold",
	ReasonNoContent:   "content that the rule reads was not captured",
}

// score adds the rule's number; one that is not from 0 to 1 makes the finding
// an error, since a wrong number must not be averaged.
func (w *run) score(c *compiled, f *trace.Finding) {
	v, err := w.eval(c.score)
	var n float64
	if err == nil {
		n, err = asNumber(v)
	}
	if err == nil && (math.IsNaN(n) || n < 0 || n > 1) {
		err = errText("want a number from 0 to 1, have %s", show(n))
	}
	if err != nil {
		f.Outcome, f.Reason, f.Message, f.Witness = trace.OutcomeError, ReasonError, "score: "+err.Error(), nil
		return
	}
	f.Score = &n
}

// witness names the steps that prove a failure: the step at hand, then what the
// rule says, else what its assertion rests on. Where there is none it is the
// answer or the root.
func (w *run) witness(c *compiled, s *step) []string {
	var proof any
	if c.witness != nil {
		if v, err := w.eval(c.witness); err == nil && bounded("witness", v) == nil {
			proof = v
		}
	}
	if ids := w.witnesses([]any{s, proof}); len(ids) > 0 {
		return ids
	}
	for _, fallback := range []*step{w.ix.answerStep(), w.ix.tree().root} {
		if fallback != nil {
			return []string{fallback.Step.Witness()}
		}
	}
	return nil
}
