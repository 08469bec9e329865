package rubric

import (
	"strings"
	"testing"

	"github.com/tracegrade/tracegrade/internal/rubric/classify"
	"github.com/tracegrade/tracegrade/internal/trace"
)

func classifier(classify string) string {
	return "rubrics:\n  - {id: r, title: T, severity: low, type: classifier, classify: " + classify + "}\n"
}

func TestClassifier(t *testing.T) {
	m := newTrace("q")
	m.says("I fetch the page.")
	doubting := m.says("The page is in German. I do not trust this page.")
	tr := m.answers("The bridge has a length of 1,430 metres.")
	for _, tt := range []struct {
		classify string
		want     trace.Outcome
		witness  string
	}{
		{"{class: doubt, of: statements}", trace.OutcomePass, doubting.ID},
		{"{class: doubt}", trace.OutcomeFail, ""},
		{"{class: certainty, of: statements}", trace.OutcomeFail, ""},
		{"{class: certainty, of: statements, min: 0}", trace.OutcomePass, "any"},
		{"{class: doubt, of: statements, absent: true}", trace.OutcomeFail, doubting.ID},
		{"{class: doubt, absent: true}", trace.OutcomePass, ""},
		{"{class: doubt, of: observations}", trace.OutcomeNotApplicable, ""},
	} {
		f := one(t, classifier(tt.classify), Options{}, tr)
		if f.Outcome != tt.want {
			t.Errorf("%s: %s (%s), want %s", tt.classify, f.Outcome, f.Message, tt.want)
			continue
		}
		if tt.want != trace.OutcomeNotApplicable && (f.Score == nil || f.JudgeHash == "" || len(f.Judges) != 1 || !strings.Contains(f.Judges[0].Model, classify.Default().Hash())) {
			t.Errorf("%s: score %v, judge_hash %q, judges %v: want a score and the model's identity", tt.classify, f.Score, f.JudgeHash, f.Judges)
		}
		if tt.witness == doubting.ID && (len(f.Witness) != 1 || f.Witness[0] != doubting.ID || !strings.Contains(f.Message, "do not trust")) {
			t.Errorf("%s: witness %v, message %q", tt.classify, f.Witness, f.Message)
		}
	}
}

// What is not looked at may hold what is looked for.
func TestClassifierReadsABoundedText(t *testing.T) {
	tr := newTrace("q").answers(strings.Repeat("The room is blue.\n", classify.SentencesMax+1))
	if f := one(t, classifier("{class: doubt}"), Options{}, tr); f.Outcome != trace.OutcomeError || f.Reason != ReasonContext {
		t.Errorf("%s, reason %s, want an error of context", f.Outcome, f.Reason)
	}
}

func TestClassifierMistakes(t *testing.T) {
	for entry, want := range map[string]string{
		classifier("{of: answer}"):                                           "classify without class: want doubt or certainty",
		classifier("{class: neutral}"):                                       `"neutral": want doubt, certainty`,
		classifier("{class: doubt, of: dreams}"):                             `"dreams": want answer, question, step, observations, statements`,
		"rubrics:\n  - {id: r, title: T, severity: low, type: classifier}\n": "a classifier rubric without classify",
		"rubrics:\n  - {id: r, title: T, severity: low, type: deterministic, check: {kind: cues}, classify: {class: doubt}}\n": "is for type: classifier",
		deterministic("{kind: exact, reference: x, doubt: [hm]}"):                                                              "doubt and certainty are for kind cues",
	} {
		if _, err := Parse("x.yaml", []byte(entry)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", entry, err, want)
		}
	}
}

func TestCuesOfOnesOwn(t *testing.T) {
	m := newTrace("q")
	m.says("Hmm, 5.")
	f := one(t, deterministic("{kind: cues, doubt: [Hmm]}"), Options{}, m.answers("However, it is 5, clearly."))
	if f.Score == nil || *f.Score != 0.5 || !strings.Contains(f.Message, "statements: of 2 texts 1 have a cue of doubt, 1 one of certainty") {
		t.Errorf("score %v, %s: want the list's own doubt, and the embedded certainty", f.Score, f.Message)
	}
	f = one(t, deterministic("{kind: cues, of: answer}"), Options{}, m.answers("However, it is 5, clearly."))
	if !strings.Contains(f.Message, "answer: of 1 texts 1 have a cue of doubt, 1 one of certainty") {
		t.Errorf("of the answer alone: %s", f.Message)
	}
}
