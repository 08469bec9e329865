package rules

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/trace"
)

const evidenceVersion = evidence.Version

// ledger is the evidence of a trace with what expressions need to find again.
type ledger struct {
	*evidence.Ledger
	observations []any            // of *observation
	answer       []any            // of *linked: values of the answers
	arguments    map[string][]any // of *linked, by step id; made on demand
	echoOf       []int            // by observation: the first of its group of copies, else itself
	conflicts    []any            // of *conflict
	stale        []any            // of *stale
	echoes       []any            // of *echo
	lastArgument map[string]*step // last call with a value in its arguments, by atomKey; made on demand
	usedTools    map[string]bool  // tools of such calls; made on demand
	usedSteps    map[string]bool  // whose observations a link rests on; made on demand
	parts        map[int]string   // by observation: what instructs the model; made on demand
	attempts     []int            // observations with such a part; made on demand
	inConflict   map[string]bool  // values of conflicts, by atomKey; made on demand
	stated       map[string]int   // number of the last turn whose answer states a value, 0 for none; made on demand
}

// The values of expressions about evidence. They point into the ledger.
type (
	observation struct {
		*evidence.Observation
		index int
	}
	linked struct {
		*evidence.Link
	}
	conflict struct{ *evidence.Conflict }
	stale    struct{ *evidence.Staleness }
	echo     struct{ *evidence.Echo }
)

// evidence makes the ledger of the trace, once.
func (ix *index) evidence() *ledger {
	if ix.ledger != nil {
		return ix.ledger
	}
	l := &ledger{Ledger: ix.known}
	if l.Ledger == nil {
		l.Ledger = evidence.Build(ix.trace)
	}
	ix.ledger = l
	observations := make([]observation, len(l.Observations))
	l.observations, l.echoOf = make([]any, len(observations)), make([]int, len(observations))
	for i := range observations {
		observations[i] = observation{&l.Observations[i], i}
		l.observations[i], l.echoOf[i] = &observations[i], i
	}
	for i := range l.Echoes {
		group := l.Echoes[i].Observations
		for _, o := range group {
			l.echoOf[o] = min(l.echoOf[o], group[0])
		}
		l.echoes = append(l.echoes, &echo{&l.Echoes[i]})
	}
	for i := range l.Links {
		if link := &l.Links[i]; ofAnswer(link) {
			l.answer = append(l.answer, &linked{link})
		}
	}
	for i := range l.Conflicts {
		l.conflicts = append(l.conflicts, &conflict{&l.Conflicts[i]})
	}
	for i := range l.Stale {
		l.stale = append(l.stale, &stale{&l.Stale[i]})
	}
	return l
}

// ofAnswer reports a value of an answer, rather than of the arguments of
// a call.
func ofAnswer(l *evidence.Link) bool { return l.Place.Field == "answer" }

// argumentsOf is the values in the arguments of a call.
func (l *ledger) argumentsOf(s *step) []any {
	if l.arguments == nil {
		l.arguments = map[string][]any{}
		for i := range l.Links {
			if link := &l.Links[i]; !ofAnswer(link) {
				l.arguments[link.Place.StepID] = append(l.arguments[link.Place.StepID], &linked{link})
			}
		}
	}
	return l.arguments[s.ID]
}

// used reports whether a link of the ledger rests on what a step returned; for
// an agent, whether a value of its output is in the answer or in a later call.
func (w *run) used(s *step) bool {
	l := w.ix.evidence()
	if s.Kind == trace.KindAgent {
		return w.outputUsed(s)
	}
	if l.usedSteps == nil {
		l.usedSteps = map[string]bool{}
		for i := range l.Links {
			for _, o := range l.Links[i].Observations {
				l.usedSteps[l.Observations[o].StepID] = true
				for _, again := range l.Observations[o].Repeats {
					l.usedSteps[again] = true
				}
			}
		}
	}
	used := l.usedSteps[s.ID]
	if !used && l.Missing != "" {
		w.missing = true
	}
	return used
}

// toolUsed is used for any call of the step's tool.
func (w *run) toolUsed(s *step) bool {
	if w.used(s) {
		return true
	}
	l := w.ix.evidence()
	if l.usedTools == nil {
		l.usedTools = map[string]bool{}
		for i := range w.ix.steps {
			if one := &w.ix.steps[i]; isCall(one) && l.usedSteps[one.ID] {
				l.usedTools[one.Tool.Name] = true
			}
		}
	}
	return isCall(s) && l.usedTools[s.Tool.Name]
}

// outputUsed reports whether a value that an agent found is in the answer of a turn
// or in the arguments of a call after it. What it was given is not found, unless it
// returned nothing else.
func (w *run) outputUsed(s *step) bool {
	out, captured := outputText(w, s)
	w.missing = w.missing || !captured
	values := slices.DeleteFunc(evidence.Values(out), func(a atom.Atom) bool { return a.Trivial() })
	if in, ok := inputText(w, s); ok {
		given := atom.NewTexts(in)
		if found := slices.DeleteFunc(slices.Clone(values), func(a atom.Atom) bool { return given.Holds(&a, in) }); len(found) > 0 {
			values = found
		}
	}
	for _, t := range w.ix.since(s) {
		answer := t.(*turn).Answer
		told := atom.NewTexts(answer)
		if slices.ContainsFunc(values, func(a atom.Atom) bool { return told.Holds(&a, answer) }) {
			return true
		}
	}
	l := w.ix.evidence()
	if l.lastArgument == nil {
		l.lastArgument = map[string]*step{}
		for i := range l.Links {
			if link := &l.Links[i]; !ofAnswer(link) {
				if call := w.ix.byID(link.Place.StepID); call != nil {
					if key := atomKey(&link.Atom); l.lastArgument[key] == nil || l.lastArgument[key].pos < call.pos {
						l.lastArgument[key] = call
					}
				}
			}
		}
	}
	return slices.ContainsFunc(values, func(a atom.Atom) bool {
		call := l.lastArgument[atomKey(&a)]
		return call != nil && w.ix.order().before(s, call)
	})
}

// found returns a list, and notes that an empty one says nothing where content
// is missing.
func (w *run) found(list []any) []any {
	if len(list) == 0 && w.ix.evidence().Missing != "" {
		w.missing = true
	}
	return list
}

func (l *ledger) at(indexes []int) []any {
	list := make([]any, len(indexes))
	for i, o := range indexes {
		list[i] = l.observations[o]
	}
	return list
}

// isDocument reports a page or record, rather than the result of a calculation.
func isDocument(o *evidence.Observation) bool {
	return o.URL != "" || o.Source != "" || o.Title != "" || o.DocID != ""
}

// origins names the independent sources of a value: what is stated, the host of the
// address, else the tool; copies of one text count once, and what only hands the value
// on is none where something else has it.
func (w *run) origins(v *evidence.Link) []string {
	l := w.ix.evidence()
	own := slices.DeleteFunc(slices.Clone(v.Observations), func(o int) bool { return w.handsOn(o, v) })
	if len(own) == 0 {
		own = v.Observations
	}
	var names []string
	for _, i := range own {
		o := &l.Observations[l.echoOf[i]]
		if name := firstOf(o.Source, o.URL, o.Tool, o.StepID); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// handsOn reports an observation that is no document and whose step was told the
// value, or is around a step that found it: the report of an agent, a tool that
// repeats what it was given.
func (w *run) handsOn(o int, v *evidence.Link) bool {
	l := w.ix.evidence()
	s := w.ix.byID(l.Observations[o].StepID)
	if s == nil || isDocument(&l.Observations[o]) {
		return false
	}
	key := atomKey(&v.Atom)
	if slices.ContainsFunc(l.argumentsOf(s), func(a any) bool { return atomKey(&a.(*linked).Atom) == key }) {
		return true
	}
	return slices.ContainsFunc(v.Observations, func(other int) bool {
		inner := w.ix.byID(l.Observations[other].StepID)
		return inner != nil && inner != s && w.ix.tree().within(inner, s)
	})
}

// answerValues picks values of the answer by kind, and by state unless it is
// empty. Where content is missing and some value is of unknown state, a list
// that could be longer says nothing.
func (w *run) answerValues(kinds []any, state evidence.State) (any, error) {
	l := w.ix.evidence()
	var list []any
	unknown := false
	for _, v := range l.answer {
		link := v.(*linked)
		if len(kinds) > 0 && !slices.Contains(kinds, any(string(link.Atom.Kind))) {
			continue
		}
		unknown = unknown || link.State == evidence.Unknown
		if state == "" || link.State == state {
			list = append(list, v)
		}
	}
	if len(list) == 0 && (unknown || l.Missing != "") {
		w.missing = true
	}
	return list, nil
}

// trivial reports a value that occurs everywhere.
func trivial(a *atom.Atom) bool {
	if a.Kind != atom.Number {
		return false
	}
	n, err := strconv.ParseFloat(a.Value, 64)
	return a.Unit == "th" || err == nil && a.Unit == "" && n == math.Trunc(n) && math.Abs(n) < 13
}

// authorities are the words by which tools state that a source may be relied
// on.
var authorities = []string{"official", "verified", "authoritative", "primary"}

// better is what the observation says that is to be preferred.
func (w *run) better(c *conflict) *atom.Atom {
	l := w.ix.evidence()
	a, b := &l.Observations[c.A], &l.Observations[c.B]
	ranked := func(o *evidence.Observation) bool { return slices.Contains(authorities, strings.ToLower(o.Authority)) }
	switch {
	case ranked(a) && !ranked(b):
		return &c.AtomA
	case ranked(b) && !ranked(a):
		return &c.AtomB
	case a.Date == "" || b.Date == "" || a.Date == b.Date:
		return nil
	case a.Date > b.Date:
		return &c.AtomA
	}
	return &c.AtomB
}

// disclosed reports whether the answer tells the age of a stale observation.
func (w *run) disclosed(s *stale) bool {
	if s.Date == "" {
		return false
	}
	year, asked := s.Date[:min(4, len(s.Date))], s.Asked[:min(4, len(s.Asked))]
	observed := w.ix.byID(w.ix.evidence().Observations[s.Observation].StepID)
	return slices.ContainsFunc(w.ix.since(observed), func(t any) bool {
		answer := t.(*turn).Answer
		return atom.Stated(answer, s.Date) || year != asked && strings.Contains(answer, year)
	})
}

// atomKey identifies the value of an atom, however it is written.
func atomKey(a *atom.Atom) string { return string(a.Kind) + " " + a.Value + " " + a.Unit }

func (l *ledger) disputed(a *atom.Atom) bool {
	if l.inConflict == nil {
		l.inConflict = map[string]bool{}
		for i := range l.Conflicts {
			l.inConflict[atomKey(&l.Conflicts[i].AtomA)] = true
			l.inConflict[atomKey(&l.Conflicts[i].AtomB)] = true
		}
	}
	return l.inConflict[atomKey(a)]
}

// answered reports whether an answer states a value that was given when both sides
// of a conflict had been observed.
func (w *run) answered(c *conflict, a *atom.Atom) bool {
	l := w.ix.evidence()
	both := 1
	for _, o := range [2]int{c.A, c.B} {
		if s := w.ix.byID(l.Observations[o].StepID); s != nil {
			both = max(both, w.ix.turnOf(s).number)
		}
	}
	return w.lastStated(a) >= both
}

// lastStated is the number of the last turn whose answer states a value; 0 where
// none does. Comparing two texts is dear: it is done once for each value, and only
// where the answer has a value of that kind, or another number that may be the
// same, rounded.
func (w *run) lastStated(a *atom.Atom) int {
	l := w.ix.evidence()
	key := atomKey(a)
	last, known := l.stated[key]
	if known {
		return last
	}
	talk := w.ix.conversation()
	alike := make([]bool, len(talk.turns))
	for _, v := range l.answer {
		k := v.(*linked)
		b := &k.Atom
		n := slices.IndexFunc(talk.turns, func(t any) bool { return t.(*turn).id == k.Place.StepID })
		if n < 0 {
			continue
		}
		if atomKey(b) == key {
			last = max(last, n+1)
		}
		alike[n] = alike[n] || b.Kind == a.Kind || b.Numeric() && a.Numeric()
	}
	for n := len(talk.turns) - 1; n >= last; n-- {
		if alike[n] && atom.Stated(talk.turns[n].(*turn).Answer, a.Text) {
			last = n + 1
		}
	}
	if l.stated == nil {
		l.stated = map[string]int{}
	}
	l.stated[key] = last
	return last
}
