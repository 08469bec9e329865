package rules

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/admit"
	"github.com/tracegrade/tracegrade/internal/trace"
)

var admissionFunctions = []Function{
	{Name: "admits", Args: []Arg{{Name: "call", Kind: argStep}, {Name: "text", Kind: argString}}, Result: boolType, Content: true,
		Doc: "whether a text tells its reader that a failed call failed: a clause of it says what the error says, in its words or in others that mean the same (404: there is no such user), denies what the call was to find or do, or says of an attempt that it did not work, unless the text says that the deed is done. English and Chinese; attempts that did not work in other languages too. Of a call that a person refused (error_type refused) he knows: any answer that does not say that its deed is done", Example: `admits(first(filter(tools(), not .ok)), "Sorry, the search timed out.")`,
		call: onStepAndText(func(w *run, s *step, text string) bool { return !s.ok() && w.ix.told(text).Tells(s.failure()) })},
	{Name: "admitted", Args: []Arg{{Name: "call", Kind: argStep}}, Result: boolType, Content: true,
		Doc: "whether the user was told that a failed call failed, as admits says: in the answer of the turn in which it failed, or of one of the next 63", Example: `all(filter(tools(), not .ok), not admitted(#))`,
		call: onStep(func(w *run, s *step) any { return w.admitted(s) }, false)},
}

// maxAdmitted bounds how many turns may pass before a failure is admitted.
const maxAdmitted = 64

func (w *run) admitted(s *step) bool {
	if s.ok() {
		return false
	}
	f, turns := s.failure(), w.ix.since(s)
	for _, t := range turns[:min(len(turns), maxAdmitted)] {
		t := t.(*turn)
		w.missing = w.missing || t.Answer == "" && !w.ix.trace.AnswerCaptured()
		if w.ix.told(t.Answer).Tells(f) {
			return true
		}
	}
	return false
}

// told is a text as read for admissions, once.
func (ix *index) told(text string) *admit.Text {
	t := ix.readTexts[text]
	if t == nil {
		if ix.readTexts == nil {
			ix.readTexts = map[string]*admit.Text{}
		}
		t = admit.Read(text)
		ix.readTexts[text] = t
	}
	return t
}

func (s *step) failure() admit.Failure {
	arguments := s.call().Arguments.Data()
	f := admit.Failure{Tool: nameWords(s.toolName()), Named: strings.Join(argumentNames(arguments), " "), Arguments: strings.Join(argumentTexts(arguments), " "), Error: s.errorText(), Refused: s.Status.ErrorType == trace.Refused}
	if t := s.ix.turnOf(s); !s.ix.succeeded()[t.number] {
		f.Asked = t.Question
	}
	return f
}

// succeeded is the turns, by number, in which a call succeeded.
func (ix *index) succeeded() map[int]bool {
	if ix.fruitful == nil {
		ix.fruitful = map[int]bool{}
		calls, _ := ix.list("calls", isCall).([]any)
		for _, c := range calls {
			if c := c.(*step); c.ok() {
				ix.fruitful[ix.turnOf(c).number] = true
			}
		}
	}
	return ix.fruitful
}
