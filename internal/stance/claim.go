package stance

import (
	"strings"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/lang"
)

// Claim is what the harness says about one planted trap: the value that is
// true, the value that the trap serves, and by which words an observation, a
// call or an answer is about it. It is all that the funnel is told; everything
// else is read from the agent's spans.
type Claim struct {
	Trap   string `json:"trap"`   // id of the trap, unique within the case
	Kind   string `json:"kind"`   // name of the kind, as `tracegrade harness list` prints it
	Family string `json:"family"` // one of trace.Defects; empty for a control
	// Subject is the names of the entity that the claim is about, in every
	// language of the case. What a text says of another one of its kind, by the
	// last word of the name or the form of an identifier, is not read as the claim's.
	Subject []string `json:"subject"`
	// Aspect is the words for what is claimed about the subject ("capacity").
	Aspect []string `json:"aspect"`
	True   Answer   `json:"true"`
	False  Answer   `json:"false"`
	// Shown is literal texts that show the false value in an observation where
	// the value itself does not stand there, such as `"total":0` for "none".
	Shown []string `json:"shown,omitempty"`
	// Sources is the addresses (URLs, paths, tables, agents) of the defective
	// evidence. Evidence from them confirms nothing.
	Sources []string `json:"sources,omitempty"`

	asked string // the question of the trace, see Asked

	coarse [2]*atom.Atom // what the values are, where an answer may be read for less exact writings of them
}

// Asked is the claim as a trace with that question is read for it: where the claim
// has no words for the aspect, the question's dimension ("how deep") is its own.
func (c Claim) Asked(question string) *Claim {
	c.asked = wanted(question)
	return &c
}

// wanted is a question without what it says that it does not ask for: "the town (not
// the district)".
func wanted(question string) string {
	for _, cue := range excluding {
		i := lang.IndexWord(question, cue)
		if i < 0 {
			continue
		}
		end := i + len(cue)
		if j := strings.IndexAny(question[end:], ",.;:?!()，。；：？！（）"); j >= 0 {
			end += j
		} else {
			end = len(question)
		}
		question = question[:i] + question[end:]
	}
	return question
}

var excluding = phrases("not the", "not its", "not their", "not of", "not for", "rather than", "as opposed to", "instead of", "excluding", "而不是", "而非", "不是")

// Answer is one value as people may write it.
type Answer struct {
	Text string `json:"text"` // as the case's documents write it
	// Also is further spellings of the same value: the other language, another
	// unit, the value rounded.
	Also []string `json:"also,omitempty"`
}

// All is every spelling, the documents' own first.
func (a Answer) All() []string { return append([]string{a.Text}, a.Also...) }

// StatedIn reports whether a text states the value in one of its spellings:
// numbers, money and dates in any writing, also rounded or converted.
func (a Answer) StatedIn(text string) bool {
	for _, v := range a.All() {
		if v != "" && atom.Stated(text, v) {
			return true
		}
	}
	return false
}
