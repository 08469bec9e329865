package rubric

import (
	"fmt"
	"strings"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/redact"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Section is one piece of material.
type Section struct {
	Name   string // in our own words only: it stands in a delimiter
	StepID string // the step that it shows; empty for question and outline
	Text   string
	// Fixed sections are always shown whole; of the others what has least to do
	// with them is left out where the window is too small.
	Fixed bool
	// Aid is what we show beside the material, so that a judge finds its way: it is
	// cut first, and is no evidence.
	Aid bool
	// Listed sections are one of a list whose order may be reversed.
	Listed bool
	// Incomplete says that something is missing in it: not captured, or cut.
	Incomplete bool
	// own is what of Text is in our words, in order: see [writer].
	own []string
}

// The longest section, by whether it is shown whole; the middle of a longer one is
// left out.
const (
	fixedBytesMax   = 64 << 10
	sectionBytesMax = 1 << 20
)

// material is what a rubric shows of a trace about one subject.
type material struct {
	sections []Section
	// missing names a selection without which there is nothing to judge.
	missing string
	// withheld is why redaction held something back; empty where it did not.
	withheld string
}

// selections is the one list of what a rubric may show: name, what it is, and
// how it is made.
var selections = []struct {
	name, doc string
	make      func(*maker, Selection)
}{
	{"question", "what the user asked", func(m *maker, _ Selection) { m.fixed("question", "", m.trace.Question, false) }},
	{"answer", "the final answer", func(m *maker, _ Selection) { m.answer() }},
	{"conversation", "the question and the answer of each trace of the session, in order", func(m *maker, _ Selection) { m.conversation() }},
	{"step", "the graded step (scope span)", func(m *maker, _ Selection) { m.step("graded step", m.subject.step, true) }},
	{"outline", "one line for each step: the structure of the trace", func(m *maker, _ Selection) { m.outline(false) }},
	{"observations", "what tools and retrievers returned before the answer, or before the graded step", func(m *maker, _ Selection) { m.observations() }},
	{"evidence", "the observations that carry a value of the answer or contradict it; all where none does", func(m *maker, _ Selection) { m.evidence() }},
	{"conflicts", "the observations that contradict one another", func(m *maker, _ Selection) { m.conflicts() }},
	{"after", "what the agent said and did after the graded step", func(m *maker, _ Selection) { m.after() }},
	{"statements", "all that the agent's models said, with reasoning where it was captured", func(m *maker, _ Selection) { m.statements(0) }},
	{"turns", "the last n of them (turns: 4)", func(m *maker, s Selection) { m.statements(s.N) }},
	{"steps", "the steps that the key select names", func(m *maker, _ Selection) { m.selected() }},
	{"system", "the agent's own instructions", func(m *maker, _ Selection) { m.system() }},
	{"tools", "the tools that the agent was offered", func(m *maker, _ Selection) { m.tools() }},
	{"plan", "steps of kind plan", func(m *maker, _ Selection) { m.ofKind("plan", trace.KindPlan) }},
	{"handoffs", "steps of kind handoff", func(m *maker, _ Selection) { m.ofKind("handoff", trace.KindHandoff) }},
	{"reference", "the reference answer, where the caller has one", func(m *maker, _ Selection) { m.reference() }},
	{"trace", "every step", func(m *maker, _ Selection) { m.all() }},
}

// SelectionNames lists what the key material may name.
func SelectionNames() []string {
	names := make([]string, len(selections))
	for i, s := range selections {
		names[i] = s.name
	}
	return names
}

// Selections lists them with what they are, for documentation.
func Selections() []Key {
	keys := make([]Key, len(selections))
	for i, s := range selections {
		keys[i] = Key{s.name, s.doc}
	}
	return keys
}

// maker collects the material about one subject.
type maker struct {
	trace     *trace.Trace
	subject   subject
	ledger    func() *evidence.Ledger // built on first use
	redaction *redact.Policy
	ref       string
	hasRef    bool
	out       material
	seen      map[string]bool // steps that are shown as observations
}

// newMaterial collects what a rubric shows. Question and outline come first
// whether or not the rubric names them: a judge must know what was asked and
// what happened.
func newMaterial(r *Rubric, t *trace.Trace, s subject, ledger func() *evidence.Ledger, o Options) material {
	m := &maker{seen: map[string]bool{}, trace: t, subject: s, ledger: ledger, redaction: o.Redaction}
	if o.Reference != nil {
		m.ref, m.hasRef = o.Reference(t)
	}
	named := func(name string) bool {
		for _, s := range r.Material {
			if s.Name == name {
				return true
			}
		}
		return false
	}
	if !named("question") && t.Question != "" {
		m.fixed("question", "", t.Question, false)
	}
	for _, s := range r.Material {
		for _, known := range selections {
			if known.name == s.Name {
				known.make(m, s)
			}
		}
	}
	if !named("outline") && !named("trace") && len(t.Steps) > 1 {
		m.outline(true)
	}
	if r.Scope == trace.ScopeSpan && !named("step") && s.step != nil {
		m.step("graded step", s.step, true)
	}
	return m.out
}

// add appends a section: redacted, disarmed, and bounded.
func (m *maker) add(s Section) {
	r := m.redaction.Text(s.Text)
	if r.Withheld != "" {
		m.out.withheld = r.Withheld
	}
	s.Text = disarmed(strings.TrimSpace(r.Text))
	most := sectionBytesMax
	if s.Fixed {
		most = fixedBytesMax
	}
	if over := len(s.Text) - most; over > 0 {
		half := most / 2
		note := fmt.Sprintf("[left out: %d bytes]", over)
		s.Text = strings.ToValidUTF8(s.Text[:half], "") + "\n" + note + "\n" + strings.ToValidUTF8(s.Text[len(s.Text)-half:], "")
		s.own = append(s.own, note)
		s.Incomplete = true
	}
	m.out.sections = append(m.out.sections, s)
}

// fixed adds a section that must be there; without its text there is nothing
// to judge.
func (m *maker) fixed(name, step, text string, incomplete bool) {
	if strings.TrimSpace(text) == "" {
		m.out.missing = name
		return
	}
	m.add(Section{Name: name, StepID: step, Text: text, Fixed: true, Incomplete: incomplete})
}

func (m *maker) answer() {
	s := m.trace.Step(m.trace.AnswerStep)
	m.fixed("answer", m.trace.AnswerStep, m.trace.Answer, s != nil && m.lacks(s, m.trace.Answer))
}

// conversation shows each trace by what was asked and answered.
func (m *maker) conversation() {
	parts := m.subject.parts
	if parts == nil {
		parts = []*trace.Trace{m.trace}
	}
	shown := false
	for i, t := range parts {
		if t.Question == "" && t.Answer == "" {
			continue
		}
		shown = true
		var w writer
		w.line("user", t.Question)
		w.line("agent", t.Answer)
		m.add(Section{Name: fmt.Sprintf("exchange %d", i+1), StepID: t.AnswerStep, Text: w.String(), own: w.own, Incomplete: t.Question == "" || t.Answer == ""})
	}
	if !shown {
		m.out.missing = "conversation"
	}
}

func (m *maker) reference() {
	if !m.hasRef {
		m.out.missing = "reference"
		return
	}
	m.fixed("reference", "", m.ref, false)
}

func (m *maker) step(name string, s *trace.Step, fixed bool) {
	if s == nil {
		return
	}
	var w writer
	captured := w.step(s)
	if !captured {
		if fixed {
			m.out.missing = name
			return
		}
		w.ours("[content was not captured]")
	}
	text := w.String()
	m.add(Section{Name: name, StepID: s.ID, Text: text, own: w.own, Fixed: fixed, Listed: !fixed, Incomplete: !captured || unreturned(s) || m.lacks(s, text)})
}

// unreturned reports whether nothing was recorded of what came back from a tool or
// another source of observations.
func unreturned(s *trace.Step) bool {
	return isObservation(s) && (s.Tool == nil || !s.Tool.Result.Captured() && s.Tool.Error == "") &&
		len(s.Documents) == 0 && len(s.Output.List()) == 0 && !s.RawOutput.Captured() && !s.Status.Failed
}

// lacks reports whether something is missing in the text of a step that a judge
// would see in the trace as it was recorded. What was redacted when the trace was
// stored is not missing where a judge is never shown it: live and from the store
// one trace must come to one outcome.
func (m *maker) lacks(s *trace.Step, text string) bool {
	cut, redacted := lost(s)
	switch {
	case s.Capture == trace.CaptureRedacted || s.Capture == trace.CaptureOff: // by the producer: a placeholder, or nothing
		return true
	case cut || s.Capture == trace.CapturePartial && len(s.Losses) == 0:
		return true
	}
	return redacted && !m.redaction.Covers(text)
}

// each calls f for the steps that are no duplicates, with numbers from 1.
func (m *maker) each(f func(n int, s *trace.Step)) {
	for i, s := range m.trace.Steps {
		if s.DuplicateOf == "" {
			f(i+1, s)
		}
	}
}

func isObservation(s *trace.Step) bool {
	return s.Kind == trace.KindTool || s.Kind == trace.KindRetriever || s.Kind == trace.KindMemory || s.Kind == trace.KindReranker
}

// observations shows what came back before the answer began, or before the
// graded step ended.
func (m *maker) observations() { m.observed(func(*trace.Step) bool { return true }) }

// observed shows those of the observations that are wanted, under the numbers
// that they have among all of them, and returns how many there are.
func (m *maker) observed(wanted func(*trace.Step) bool) int {
	limit := m.trace.Step(m.trace.AnswerStep)
	if m.subject.step != nil {
		limit = m.subject.step
	}
	n, shown := 0, 0
	m.each(func(_ int, s *trace.Step) {
		if !isObservation(s) || s == m.subject.step || limit != nil && s.Start.After(limit.End) {
			return
		}
		if n++; wanted(s) {
			shown++
			if m.seen[s.ID] { // by another selection of the rubric
				return
			}
			m.seen[s.ID] = true
			m.step(fmt.Sprintf("observation %d", n), s, false)
		}
	})
	return shown
}

// evidence shows the observations that carry a value of the answer, and those
// that conflict with them.
func (m *maker) evidence() {
	l := m.ledger()
	rests := map[int]bool{}
	for _, k := range l.Links {
		if k.Place.Field == "answer" {
			for _, o := range k.Observations {
				rests[o] = true
			}
		}
	}
	for _, c := range l.Conflicts {
		if rests[c.A] || rests[c.B] {
			rests[c.A], rests[c.B] = true, true
		}
	}
	if m.observed(stepsOf(l, rests)) == 0 {
		m.observations()
	}
}

func (m *maker) conflicts() {
	l := m.ledger()
	in := map[int]bool{}
	for _, c := range l.Conflicts {
		in[c.A], in[c.B] = true, true
	}
	if m.observed(stepsOf(l, in)) == 0 {
		m.out.missing = "a conflict between observations"
	}
}

// stepsOf picks the steps that returned the given observations.
func stepsOf(l *evidence.Ledger, observations map[int]bool) func(*trace.Step) bool {
	steps := map[string]bool{}
	for i := range observations {
		steps[l.Observations[i].StepID] = true
		for _, again := range l.Observations[i].Repeats {
			steps[again] = true
		}
	}
	return func(s *trace.Step) bool { return steps[s.ID] }
}

// after shows what was said and done once the graded step had ended.
func (m *maker) after() {
	n := 0
	m.each(func(_ int, s *trace.Step) {
		if m.subject.step == nil || s == m.subject.step || s.Start.Before(m.subject.step.End) || s.Kind != trace.KindLLM && !isObservation(s) && s.Kind != trace.KindHandoff {
			return
		}
		n++
		m.step(fmt.Sprintf("later step %d", n), s, false)
	})
}

// statements shows what models said; the last n where n is not 0.
func (m *maker) statements(last int) {
	var said []*trace.Step
	m.each(func(_ int, s *trace.Step) {
		if s.Kind == trace.KindLLM {
			said = append(said, s)
		}
	})
	if last > 0 && len(said) > last {
		said = said[len(said)-last:]
	}
	for i, s := range said {
		m.step(fmt.Sprintf("statement %d", i+1), s, false)
	}
}

func (m *maker) selected() {
	n := 0
	m.each(func(_ int, s *trace.Step) {
		if contains(m.subject.steps, s.Witness()) {
			n++
			m.step(fmt.Sprintf("selected step %d", n), s, false)
		}
	})
}

func (m *maker) ofKind(name string, kind trace.Kind) {
	n := 0
	m.each(func(_ int, s *trace.Step) {
		if s.Kind == kind {
			n++
			m.step(fmt.Sprintf("%s %d", name, n), s, false)
		}
	})
	if n == 0 {
		m.out.missing = name
	}
}

func (m *maker) all() {
	m.each(func(n int, s *trace.Step) {
		var w writer
		w.ours(s.Kind.String() + " ")
		w.theirs(s.Label() + "\n")
		if w.step(s) {
			text := w.String()
			m.add(Section{Name: fmt.Sprintf("step %d", n), StepID: s.ID, Text: text, own: w.own, Listed: true, Incomplete: unreturned(s) || m.lacks(s, text)})
		}
	})
}

func (m *maker) system() {
	seen := map[string]bool{}
	m.each(func(_ int, s *trace.Step) {
		for _, msg := range s.Input.List() {
			if text := msg.Text(); msg.Role == trace.RoleSystem && text != "" && !seen[text] {
				seen[text] = true
				m.add(Section{Name: fmt.Sprintf("agent instructions %d", len(seen)), StepID: s.ID, Text: text})
			}
		}
	})
}

func (m *maker) tools() {
	seen := map[string]bool{}
	var b strings.Builder
	m.each(func(_ int, s *trace.Step) {
		for _, d := range s.Tools() {
			if !seen[d.Name] {
				seen[d.Name] = true
				fmt.Fprintf(&b, "%s: %s\n", d.Name, shorten(d.Description, 500))
			}
		}
	})
	if b.Len() > 0 {
		m.add(Section{Name: "offered tools", Text: b.String()})
	}
}

// outlineLinesMax is how many steps an outline names; those in the middle of a
// longer trace are counted.
const outlineLinesMax = 200

// outline shows the structure: one line for each step. It is an aid where the rubric
// does not name it.
func (m *maker) outline(aid bool) {
	steps := 0
	m.each(func(int, *trace.Step) { steps++ })
	if steps == 0 {
		return
	}
	var w writer
	place := map[string]int{}
	line, left := 0, steps-outlineLinesMax
	m.each(func(n int, s *trace.Step) {
		place[s.ID] = n
		line++
		if left > 0 && line > outlineLinesMax/2 && line <= outlineLinesMax/2+left {
			if line == outlineLinesMax/2+1 {
				w.ours(fmt.Sprintf("[left out: %d steps]\n", left))
			}
			return
		}
		w.ours(fmt.Sprintf("%d. %s ", n, s.Kind))
		w.theirs(firstWords(s.Label(), 80)) // on one line, whatever a name holds
		if by, ok := place[s.CausedBy]; ok {
			w.ours(fmt.Sprintf(", asked for by %d", by))
		}
		if s.Status.Failed {
			w.ours(", failed: ")
			w.theirs(firstWords(s.Status.ErrorType, 60))
		}
		if s == m.subject.step {
			w.ours(" <- the graded step")
		}
		w.theirs("\n")
	})
	m.add(Section{Name: "outline", Text: w.String(), own: w.own, Fixed: !aid, Aid: aid})
}
