package rubric

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/tracegrade/tracegrade/internal/rubric/classify"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Classify is what a classifier rubric looks for: it passes where a sentence of
// what is looked at is of Class, or with Absent where none is.
type Classify struct {
	// Of is what is looked at: answer (default), question, step, observations or
	// statements.
	Of    string
	Class string  // doubt or certainty
	Min   float64 // the least probability of the class that counts
	// Absent turns the verdict round.
	Absent bool
}

// ClassifyKeys is the keys of classify.
var ClassifyKeys = []Key{
	{"of", "answer (default), question, step, observations or statements (all that the agent's models said)"},
	{"class", "doubt or certainty: a sentence of this class makes it pass"},
	{"absent", "true: such a sentence makes it fail"},
	{"min", "the least probability of the class that counts (default 0.5)"},
}

// classify reads the key classify of a rubric.
func (p *parser) classify(n *yaml.Node) *Classify {
	c := &Classify{Of: "answer", Min: 0.5}
	p.mapping(n, "classify", keyNames(ClassifyKeys), func(key string, v *yaml.Node) {
		switch key {
		case "of":
			c.Of = p.choice(v, "classify", slices.Concat(checkedTexts, []string{"statements"})...)
		case "class":
			c.Class = p.choice(v, "classify", classify.Doubt.String(), classify.Certainty.String())
		case "absent":
			c.Absent = p.yes(v, "classify")
		case "min":
			c.Min = p.number(v, "classify", 0, 1)
		}
	})
	if c.Class == "" {
		p.fail(n, "classify", "classify without class: want doubt or certainty")
	}
	return c
}

// classifierModel names the embedded model among the models of judges.
func classifierModel() string { return "doubt-and-certainty " + classify.Default().Hash() }

// classify settles an item with the embedded model. The score is the highest
// probability of the class among the sentences.
func (g *Grader) classify(it *item, t *trace.Trace) {
	c := it.rubric.Classify
	class, err := classify.ParseClass(c.Class)
	if err != nil {
		it.settle(trace.OutcomeError, ReasonCheck, err.Error())
		return
	}
	texts := lookedAt(c.Of, t, it.subject, StepText)
	if len(texts) == 0 {
		it.settle(trace.OutcomeNotApplicable, ReasonNoContent, c.Of+" was not captured, or does not occur")
		return
	}
	best, sentence, witness, more := -1.0, "", []string(nil), ""
	for _, x := range texts {
		list, whole := classify.Sentences(x.text)
		if !whole {
			more = fmt.Sprintf("in the first %d sentences, and there are more", classify.SentencesMax)
		} else if x.cut && more == "" {
			more = "in what was recorded, and a part was cut or redacted"
		}
		for _, s := range list {
			if p := classify.Default().Sentence(s)[class]; p > best {
				best, sentence, witness = p, s, x.witness
			}
		}
	}
	found := best >= c.Min
	if found {
		it.finding.Witness = witness
	}
	if !found && more != "" {
		it.finding.Score = &best
		it.settle(trace.OutcomeError, ReasonContext, fmt.Sprintf("no %s %s", c.Class, more))
	} else {
		it.record(result{ok: found != c.Absent, score: &best, message: fmt.Sprintf("probability of %s %.2f: %q", c.Class, best, firstWords(sentence, 120))})
	}
	it.finding.Judges = []trace.Judgement{{Model: classifierModel(), Hash: g.hashes[it.rubric.ID], Outcome: it.finding.Outcome}}
}
