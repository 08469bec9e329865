package rubric

import (
	"github.com/tracegrade/tracegrade/internal/trace"
	"github.com/tracegrade/tracegrade/rules"
)

// Limits of a rubric file. Beyond one of them Parse reports an error.
const (
	FileBytesMax    = 1 << 20
	FileRubricsMax  = 500
	QuestionsMax    = 12
	OptionsMax      = 24
	PromptTextMax   = 16 << 10 // bytes of instructions, and of one question
	SamplesMax      = 15
	SubjectsDefault = 20
	SubjectsMax     = 1000
)

// Types of rubrics.
const (
	TypeJudge         = "judge"         // a model is asked
	TypeDeterministic = "deterministic" // computed; see Check
	TypeClassifier    = "classifier"    // a small model of our own; see Classify
)

// Kinds of questions.
const (
	KindYesNo  = "yes_no"
	KindOneOf  = "one_of"
	KindNumber = "number"
)

// CannotTell is the verdict with which a judge abstains. Every question allows it.
const CannotTell = "cannot_tell"

// Rubric is one question, or several that belong together, to judges.
type Rubric struct {
	ID          string
	Title       string
	Description string
	Limit       string // what it cannot see: shown beside its results
	Severity    trace.Severity
	Defect      string
	Scope       trace.Scope
	Type        string
	Let         []rules.Named
	Where       rules.Text // scope span: which steps
	When        rules.Text // guard
	Select      rules.Text // steps that the selection "steps" shows
	// DecidedBy names rules: where one of them passed or failed on the trace,
	// nothing is left to ask.
	DecidedBy    []string
	Judges       []string // roles; one panel member each
	Samples      int      // how often each judge is asked
	BothOrders   bool     // also with lists of the material in reverse
	Vote         string   // majority or unanimous
	Sample       float64  // share of traces, 0..1
	Subjects     int      // of one trace, at most
	Budget       string   // budget class
	MinKappa     float64  // that its judge card needs before it may gate
	Experimental bool     // shown, never gates
	Material     []Selection
	Instructions string
	Questions    []Question
	Pass         []Condition // all must hold
	NotApply     []Condition // where all hold, the rubric does not apply
	Score        string      // id of a question
	Message      string
	Check        *Check    // type deterministic
	Classify     *Classify // type classifier
	Pos          rules.Pos
	Hash         string // identity of its meaning. Compile sets it.
	Source       string // the canonical text behind Hash. Compile sets it.
}

// Selection names what a judge sees of a trace.
type Selection struct {
	Name string
	N    int // of "turns": how many
}

// Question is one question of a rubric.
type Question struct {
	ID      string
	Ask     string
	Kind    string
	Options []Option // one_of
	Min     float64  // number
	Max     float64  // number
	// Quote lists the verdicts that need a quotation from the material; "any"
	// means every verdict but cannot_tell.
	Quote []string
}

// Option is one possible verdict, with what it means.
type Option struct{ Name, Means string }

// verdicts lists what a question may be answered with; nil for numbers.
func (q Question) verdicts() []string {
	switch q.Kind {
	case KindYesNo:
		return []string{"yes", "no"}
	case KindOneOf:
		names := make([]string, len(q.Options))
		for i, o := range q.Options {
			names[i] = o.Name
		}
		return names
	}
	return nil
}

// needsQuote reports whether a verdict needs evidence.
func (q Question) needsQuote(verdict string) bool {
	return contains(q.Quote, verdict) || contains(q.Quote, "any") && verdict != CannotTell
}

// Condition is one demand on the answer to a question.
type Condition struct {
	Question string
	Verdicts []string // one of them; empty for a number
	Min, Max *float64 // number: both ends count
}

// File is one parsed rubric file.
type File struct {
	Name    string
	Rubrics []Rubric
}

// Key is one key of the file format: the parser and the documentation come
// from these lists.
type Key struct{ Name, Doc string }

// RubricKeys is the keys of one rubric.
var RubricKeys = []Key{
	{"id", "name, unique over all rules and rubrics: lower-case words joined by -"},
	{"title", "one sentence: what should hold"},
	{"description", "why it matters"},
	{"limit", "what the rubric cannot see; shown beside its results"},
	{"severity", "low, medium, high or critical"},
	{"defect", "family of the evidence-grounding defect, for rubrics about evidence"},
	{"type", "judge (default), deterministic or classifier"},
	{"scope", "span, trace (default) or session, which is graded when all its traces are known"},
	{"let", "named expressions for where, when and select; each is evaluated at most once per trace (or per step, if it reads step)"},
	{"where", "scope span: expression that selects the steps"},
	{"when", "guard: expression; where it is false the rubric does not apply"},
	{"select", "expression: the steps that the selection `steps` shows"},
	{"decided_by", "rules that, where they passed or failed on the trace, leave nothing to ask"},
	{"judges", "roles of the judges; several make a panel (default: main)"},
	{"samples", "how often each judge is asked (default 1)"},
	{"both_orders", "true asks again with the lists of the material in reverse"},
	{"vote", "majority (default) or unanimous"},
	{"sample", "share of traces that are graded, 0 to 1 (default 1); the same traces every time"},
	{"subjects", "most subjects of one trace (default 20); the others are skipped"},
	{"budget", "class of the budgets that it is paid from, beside those of all; one of the judges' budgets must have it"},
	{"min_kappa", "kappa that a judge card of this rubric and this judge must show before it may gate (grade --cards); without one it never gates"},
	{"experimental", "true: shown, never gates"},
	{"material", "what the judge sees: list of selections"},
	{"instructions", "what the judge must know to answer"},
	{"questions", "list of questions"},
	{"pass", "answers that make it pass: question: verdict, list of verdicts, or {min, max}"},
	{"not_applicable", "answers that show that it does not apply"},
	{"score", "id of the question whose answer is the score"},
	{"message", "sentence for a failure (default: the title)"},
	{"check", "type deterministic: what is computed"},
	{"classify", "type classifier: what is looked for"},
}

// QuestionKeys is the keys of one question.
var QuestionKeys = []Key{
	{"id", "name, as in pass"},
	{"ask", "the question"},
	{"kind", "yes_no (default), one_of or number"},
	{"options", "one_of: name: meaning; a name is one word of any language, in lower case (letters, digits, _)"},
	{"min", "number: smallest"},
	{"max", "number: largest"},
	{"quote", "verdicts that need a quotation from the material; any, or none (default: yes of yes_no, any of the others)"},
}

func keyNames(keys []Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
