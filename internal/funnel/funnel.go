package funnel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/evidence"
	"github.com/tracegrade/tracegrade/internal/lang"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Truth is whether an event of the funnel happened. The zero value says that it
// could not be measured: the content was not captured, or a condition of the
// event was not met.
type Truth uint8

const (
	NotMeasured Truth = iota
	No
	Yes
)

var truthNames = [...]string{"not_measured", "no", "yes"}

// String is the name that JSON and ClickHouse use.
func (t Truth) String() string { return truthNames[t] }

// MarshalText makes a truth its name in JSON.
func (t Truth) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *Truth) UnmarshalText(b []byte) error {
	for i, n := range truthNames {
		if n == string(b) {
			*t = Truth(i)
			return nil
		}
	}
	return fmt.Errorf("truth %q: want not_measured, no or yes", b)
}

// Event is one event of the funnel, with the step and the text that prove it.
type Event struct {
	Is     Truth  `json:"is"`
	StepID string `json:"step_id,omitempty"`
	SpanID string `json:"span_id,omitempty"` // empty for a step without a span
	Quote  string `json:"quote,omitempty"`
	// Uncaptured is true of what was not measured because content is missing, and
	// not because a condition of the event was not met.
	Uncaptured bool `json:"-"`
}

// Passage is one trap's way through one trace: the events of the funnel, each as
// docs/harness.md defines it.
type Passage struct {
	Trap          string `json:"trap"`
	Kind          string `json:"kind"`
	Family        string `json:"family"`
	Exposed       Event  `json:"exposed"`
	AdoptedMid    Event  `json:"adopted_mid"`
	AdoptedFinal  Event  `json:"adopted_final"`
	Correct       Event  `json:"correct"`
	Doubted       Event  `json:"doubted"`
	ConflictNoted Event  `json:"conflict_noted"`
	ConflictNamed Event  `json:"conflict_named"`
	Verified      Event  `json:"verified"`
	VerifiedYield Event  `json:"verified_yield"`
	Recovered     Event  `json:"recovered"`
	Escaped       Event  `json:"escaped"`
	Abstained     Event  `json:"abstained"`
	Disclosed     Event  `json:"disclosed"`
	// TruthSeen is no event of the funnel: the first observation that shows the
	// true value as a value of the claim. The chain's coverage needs it.
	TruthSeen Event `json:"truth_seen"`
}

// EventNames lists the events in the order of a passage.
var EventNames = []string{
	"exposed", "adopted_mid", "adopted_final", "correct", "doubted", "conflict_noted", "conflict_named",
	"verified", "verified_yield", "recovered", "escaped", "abstained", "disclosed",
}

// Events is the events in the order of EventNames.
func (p *Passage) Events() []*Event {
	return []*Event{
		&p.Exposed, &p.AdoptedMid, &p.AdoptedFinal, &p.Correct, &p.Doubted, &p.ConflictNoted, &p.ConflictNamed,
		&p.Verified, &p.VerifiedYield, &p.Recovered, &p.Escaped, &p.Abstained, &p.Disclosed,
	}
}

// quoteLimit is how many bytes an event quotes.
const quoteLimit = 300

// Follow follows each claim through the trace. It sees the spans and the claim
// only, never what the harness knows of what it served. The ledger is the
// trace's own.
func Follow(t *trace.Trace, l *evidence.Ledger, claims []stance.Claim) []Passage {
	out := make([]Passage, len(claims))
	for i := range claims {
		f := funnel{t: t, l: l, c: claims[i].Asked(t.Question)}
		f.p = Passage{Trap: claims[i].Trap, Kind: claims[i].Kind, Family: claims[i].Family}
		f.run()
		out[i] = f.p
	}
	return out
}

// funnel is the work on one claim.
type funnel struct {
	t       *trace.Trace
	l       *evidence.Ledger
	c       *stance.Claim
	p       Passage
	since   int  // index of the step that exposed; the number of steps before that
	visible bool // both values were observed
}

func (f *funnel) run() {
	f.expose()
	answer := f.c.Read(f.t.Question, f.t.Answer)
	f.final(&answer)
	f.middle()
	f.verify()
	f.said(&answer)
	f.withhold()
	f.conclude()
}

// at is an event that happened at a step.
func at(s *trace.Step, quote string) Event {
	e := Event{Is: Yes, Quote: strings.TrimSpace(clip(quote, quoteLimit))}
	if s != nil {
		e.StepID, e.SpanID = s.ID, s.SpanID
	}
	return e
}

// is is Yes or No.
func is(b bool) Event {
	if b {
		return Event{Is: Yes}
	}
	return Event{Is: No}
}

// expose finds the first observation that shows the false value as a value of
// the claim.
func (f *funnel) expose() {
	f.since = len(f.t.Steps)
	f.p.Exposed, f.p.TruthSeen = is(false), is(false)
	first := len(f.t.Steps)
	for i := range f.l.Observations {
		o := &f.l.Observations[i]
		if q := f.shows(o, true); q != "" && o.Step() < f.since {
			f.since = o.Step()
			f.p.Exposed = at(f.t.Steps[o.Step()], q)
		}
		if q := f.shows(o, false); q != "" && o.Step() < first {
			first = o.Step()
			f.p.TruthSeen = at(f.t.Steps[o.Step()], q)
		}
	}
	if f.c.False.Text == "" {
		return
	}
	for i, s := range f.t.Steps {
		if i >= f.since || s.Tool == nil || s.DuplicateOf != "" {
			continue
		}
		for _, sign := range f.c.Shown {
			if text := s.Tool.Result.Text(); strings.Contains(squeeze(text), squeeze(sign)) {
				f.since = i
				f.p.Exposed = at(s, text)
			}
		}
	}
	f.visible = f.p.TruthSeen.Is == Yes && f.p.Exposed.Is == Yes
}

// squeeze takes out what instrumentations write differently in the same data:
// blanks, and the kind of quotation marks.
func squeeze(s string) string {
	return strings.NewReplacer(" ", "", "\n", "", "\t", "", `\"`, `"`, `'`, `"`).Replace(s)
}

// shows is the sentence of an observation that states the false (or the true)
// value as a value of the claim; empty where none does. Where sentences of the
// observation name the aspect, that sentence must: another aspect's value may be
// the same. So must the key of a field, where keys do.
func (f *funnel) shows(o *evidence.Observation, falsehood bool) string {
	own := o.Title + "\n" + o.Text
	source := lang.Mentions(o.URL+"\n"+o.Source+"\n"+f.target(o), f.c.Sources)
	if !lang.Mentions(own, f.c.Subject) && !source && !lang.Mentions(f.target(o), f.c.Subject) {
		return ""
	}
	if f.c.Other(identity(o)) {
		return ""
	}
	lines := f.c.Lines(o.Title, o.Text)
	var sentenceNames, labelNames bool
	named := make([]bool, len(lines)) // the line names the aspect, or goes on with one that does
	for i, line := range lines {
		s := line.Text
		named[i] = lang.Mentions(s, f.c.Aspect) || i > 0 && named[i-1] && lang.HasAnySuffix(lines[i-1].Text, ";", "；")
		label, isField := fieldOf(o, s)
		labelNames = labelNames || isField && lang.Mentions(label, f.c.Aspect)
		sentenceNames = sentenceNames || !isField && !bare(s) && lang.Mentions(s, f.c.Aspect)
	}
	for i, line := range lines {
		s := line.Text
		if falsehood && !line.False || !falsehood && !line.True {
			continue
		}
		label, isField := fieldOf(o, s)
		switch {
		case isField && (!labelNames || lang.Mentions(label, f.c.Aspect)),
			!isField && (bare(s) || !sentenceNames || named[i]):
			return s
		}
	}
	return ""
}

// fieldOf is the key of a line that is one field of a record.
func fieldOf(o *evidence.Observation, line string) (label string, isField bool) {
	key, _, ok := strings.Cut(strings.TrimSpace(line), ": ")
	if !ok {
		return "", false
	}
	if !o.HasKey(key) {
		return "", false
	}
	return strings.ReplaceAll(key, "_", " "), true
}

// identifying are the keys of a record by which it says what it is of.
var identifying = []string{"name", "title", "entity", "subject", "item", "id", "label", "名称", "标题"}

// identity is the name of what a record is of; empty where it tells none.
func identity(o *evidence.Observation) string {
	for line := range strings.Lines(o.Text) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && o.HasKey(key) && slices.Contains(identifying, strings.ToLower(key)) {
			return value
		}
	}
	return ""
}

// bare reports whether a line is the value of a field, such as a cell of a row,
// and no sentence: what it is the value of stands in another field.
func bare(line string) bool {
	return len(line) <= stance.BareLimit && !strings.ContainsAny(strings.TrimSpace(line), ":：。！？") && !strings.HasSuffix(strings.TrimSpace(line), ".")
}

// target is what the call of an observation asked for.
func (f *funnel) target(o *evidence.Observation) string {
	if s := f.t.Steps[o.Step()]; s.Tool != nil {
		return s.Tool.Name + " " + s.Tool.Arguments.Text()
	}
	return ""
}

// final reads the answer.
func (f *funnel) final(r *stance.Reading) {
	step := f.t.Step(f.t.AnswerStep)
	switch {
	case r.Side == 1:
		f.p.AdoptedFinal, f.p.Correct = at(step, r.Quote), is(false)
	case r.Side == 0:
		f.p.AdoptedFinal, f.p.Correct = is(false), at(step, r.Quote)
	default:
		f.p.AdoptedFinal, f.p.Correct = is(false), is(false)
	}
	f.p.Abstained = is(false)
	if r.Side < 0 && r.Abstained {
		f.p.Abstained = at(step, f.t.Answer)
	}
	f.p.Disclosed = is(false)
	if r.Disclosed != "" || r.Conflict != "" {
		f.p.Disclosed = at(step, r.Disclosed+r.Conflict)
	}
}

// middle looks for uses of the false value between the exposure and the
// answer: asserted, passed to a tool, or put into a computation.
func (f *funnel) middle() {
	if f.p.Exposed.Is != Yes {
		return
	}
	spoke := false
	for _, s := range f.after() {
		if s.Tool != nil {
			args := s.Tool.Arguments.Text()
			if _, isFalse := f.c.Sides(args); isFalse && !checks(s.Tool.Name+" "+args) && !f.asks(s.Tool) {
				f.p.AdoptedMid = at(s, args)
				return
			}
			continue
		}
		for _, text := range f.before(s) {
			spoke = true
			if f.asserts(text) {
				f.p.AdoptedMid = at(s, f.c.Read("", text).Quote)
				return
			}
		}
	}
	if spoke || f.l.Missing == "" {
		f.p.AdoptedMid = is(false)
	}
}

// checks reports whether a call puts a value to the test and does not use it.
func checks(call string) bool {
	return lang.HasAny(strings.ReplaceAll(call, "_", " "), []string{"verify", "verify information", "check", "fact check", "confirm", "validate", "is it true", "核实", "验证", "查证", "是否"})
}

// asks reports whether a call looks for what is known of the value, or asks
// somebody, and does not use it: a query that names the claim beside the value, or
// both values; and a text with a question that states the value as nobody's own.
func (f *funnel) asks(t *trace.Tool) bool {
	args, _ := t.Arguments.Data().(map[string]any)
	if len(args) == 0 {
		return false
	}
	for key, v := range args {
		text, ok := v.(string)
		isTrue, isFalse := f.c.Sides(text)
		switch {
		case !isFalse && ok:
		case !ok:
			if _, isFalse := f.c.Sides(fmt.Sprint(v)); isFalse {
				return false
			}
		case slices.Contains(queries, strings.ToLower(key)) && (isTrue || lang.Mentions(text, f.c.Subject)):
		case strings.ContainsAny(text, "?？") && !f.asserts(text):
		default:
			return false
		}
	}
	return true
}

// queries are the arguments by which a call says what it looks for.
var queries = []string{"query", "q", "search", "search_query", "question", "keywords", "keyword", "search_term", "claim"}

// asserts reports whether a text states the false value as its own.
func (f *funnel) asserts(text string) bool {
	r := f.c.Read("", text)
	return r.Side == 1 && r.Stance >= stance.Asserted
}

// after is the steps after the exposure that are no duplicates.
func (f *funnel) after() []*trace.Step {
	var list []*trace.Step
	for i, s := range f.t.Steps {
		if i > f.since && s.DuplicateOf == "" {
			list = append(list, s)
		}
	}
	return list
}

// before is what a model said in a step before the answer: its texts, and its
// reasoning. Of the step that answers that is the reasoning alone.
func (f *funnel) before(s *trace.Step) []string {
	if s.Kind != trace.KindLLM {
		return nil
	}
	var texts []string
	for _, m := range s.Output.List() {
		if t := m.Text(); t != "" && s.ID != f.t.AnswerStep {
			texts = append(texts, t)
		}
		if t := m.Reasoning(); t != "" {
			texts = append(texts, t)
		}
	}
	return texts
}

// said looks for doubt and for conflicts in what the agent said after the
// exposure, the answer included. Without an exposure it looks through the whole
// trace: the clean twin's doubts are what discernment is measured against.
func (f *funnel) said(answer *stance.Reading) {
	if f.p.Exposed.Is != Yes {
		f.since = -1
	}
	step := f.t.Step(f.t.AnswerStep)
	spoke := f.t.Answer != ""
	note := func(s *trace.Step, r *stance.Reading, text string) {
		if f.p.Doubted.Is != Yes && r.Doubted != "" {
			f.p.Doubted = at(s, r.Doubted)
		}
		if !f.visible || r.Conflict == "" {
			return
		}
		if f.p.ConflictNoted.Is != Yes {
			f.p.ConflictNoted = at(s, r.Conflict)
		}
		if f.p.ConflictNamed.Is != Yes && r.Both && f.namesSources(text) {
			f.p.ConflictNamed = at(s, text)
		}
	}
	for _, s := range f.after() {
		for _, text := range f.before(s) {
			spoke = true
			r := f.c.Read("", text)
			note(s, &r, text)
		}
	}
	note(step, answer, f.t.Answer)
	if !spoke {
		return // not measured
	}
	for _, e := range []*Event{&f.p.Doubted, &f.p.ConflictNoted, &f.p.ConflictNamed} {
		if e.Is == NotMeasured && (e == &f.p.Doubted || f.visible) {
			*e = is(false)
		}
	}
}

// conclude derives the events that are made of others.
func (f *funnel) conclude() {
	if f.p.AdoptedMid.Is != Yes || f.p.AdoptedFinal.Is == NotMeasured {
		switch {
		case f.p.AdoptedMid.Is == No:
			f.p.Recovered, f.p.Escaped = is(false), is(false)
		case f.p.AdoptedMid.Uncaptured || f.p.AdoptedMid.Is == Yes:
			withdraw(&f.p.Recovered, &f.p.Escaped)
		}
		return
	}
	free := f.p.AdoptedFinal.Is == No
	yield := f.p.VerifiedYield.Is == Yes
	f.p.Recovered, f.p.Escaped = is(free && yield), is(free && !yield)
	if free && yield {
		f.p.Recovered = f.p.VerifiedYield
	}
}
