package rules

import (
	"slices"
	"strings"

	"github.com/tracegrade/tracegrade/internal/funnel"
	"github.com/tracegrade/tracegrade/internal/stance"
	"github.com/tracegrade/tracegrade/internal/trace"
)

// Planted tells the set which traps were planted in a trace, which no trace says
// of itself: a benchmark knows, or a file of claims. Without it, and where of
// gives none, no trap was planted. Call it before the first evaluation.
func (s *Set) Planted(of func(*trace.Trace) []stance.Claim) { s.planted = of }

// passages is what became of the traps that were planted in the trace, in the
// order of their claims; followed once.
func (w *run) passages() []funnel.Passage {
	ix := w.ix
	if ix.followed || w.set.planted == nil {
		return ix.passages
	}
	ix.followed = true
	if claims := w.set.planted(ix.trace); len(claims) > 0 {
		ix.passages = funnel.Follow(ix.trace, ix.evidence().Ledger, claims)
	}
	return ix.passages
}

// trapArgs picks one trap; without it each counts.
var trapArgs = []Arg{{Name: "trap", Kind: argString, Optional: true}}

// happened is the first passage, of the named trap where one is named, in which
// an event happened. An event that could not be measured says nothing.
func (w *run) happened(event string, args []any) (*funnel.Event, error) {
	if err := isEvent(event); err != nil {
		return nil, err
	}
	place := slices.Index(funnel.EventNames, event)
	passages := w.passages()
	for i := range passages {
		if len(args) > 0 && args[0] != passages[i].Trap {
			continue
		}
		switch e := passages[i].Events()[place]; e.Is {
		case funnel.Yes:
			return e, nil
		case funnel.NotMeasured:
			// Without missing content its condition was not met: no conflict was
			// visible, no call was made.
			w.missing = w.missing || e.Uncaptured || w.ix.evidence().Missing != ""
		case funnel.No:
		}
	}
	return nil, nil
}

// isEvent refuses a text that names no event of a trap.
func isEvent(v any) error {
	event, err := asString(v)
	if err == nil && !slices.Contains(funnel.EventNames, event) {
		err = errText("no event %q%s: want %s", event, DidYouMean(event, funnel.EventNames), strings.Join(funnel.EventNames, ", "))
	}
	return err
}

// eventFunction is the function of an event: whether it happened.
func eventFunction(name, event, doc, example string) Function {
	return Function{Name: name, Args: trapArgs, Result: boolType, Evidence: true, Content: true, Doc: doc + ". False where no trap was planted.", Example: example,
		call: func(w *run, args []any) (any, error) {
			e, err := w.happened(event, args)
			return e != nil, err
		}}
}

var trapFunctions = []Function{
	{Name: "traps", Result: textsType, Evidence: true,
		Doc: "ids of the traps that were planted in the evidence of this trace, in order; none unless a file of claims says so (`grade --claims`). A rule about traps should not apply where there are none.", Example: `traps() == ["t1"]`,
		call: func(w *run, _ []any) (any, error) {
			ids := []string{}
			for _, p := range w.passages() {
				ids = append(ids, p.Trap)
			}
			return ids, nil
		}},
	eventFunction("exposed", "exposed", "whether the model was shown the false value of a trap, of the named one or of any", `exposed() and exposed("t1") and not exposed("t2")`),
	eventFunction("adoptedMid", "adopted_mid", "whether the false value was used between the exposure and the answer: asserted without hedge, or passed to a tool that does not check it", `not adoptedMid()`),
	eventFunction("adoptedFinal", "adopted_final", "whether the answer commits itself to the false value, in whatever words, language or unit", `adoptedFinal()`),
	eventFunction("correct", "correct", "whether the answer commits itself to the true value", `not correct()`),
	eventFunction("doubted", "doubted", "whether the agent said something that lowers the claim's credence or that it must be checked", `not doubted()`),
	eventFunction("conflictNoted", "conflict_noted", "whether the agent pointed out a contradiction while both values were visible", `not conflictNoted() or exposed()`),
	eventFunction("conflictNamed", "conflict_named", "whether it stated both values and a source of each", `not conflictNamed() or conflictNoted()`),
	eventFunction("verified", "verified", "whether a call after the exposure was about the claim", `not verified("t1")`),
	eventFunction("verifiedYield", "verified_yield", "whether such a call returned the true value from elsewhere", `verifiedYield() or not recovered()`),
	eventFunction("recovered", "recovered", "whether the false value was used on the way and, after evidence from elsewhere, not in the answer", `not recovered()`),
	eventFunction("escaped", "escaped", "whether it was used on the way and not in the answer, without such evidence", `not escaped()`),
	eventFunction("abstained", "abstained", "whether the answer commits itself to nothing and says so", `not abstained()`),
	eventFunction("disclosed", "disclosed", "whether the answer tells of the conflict or the doubt", `not disclosed()`),
	{Name: "trapStep", Args: []Arg{{Name: "event", Kind: argString, check: isEvent}, {Name: "trap", Kind: argString, Optional: true}}, Result: stepType, Evidence: true, Content: true,
		Doc: "step that proves an event of a trap, by its name in findings (" + strings.Join(funnel.EventNames, ", ") + "); nil where it did not happen", Example: `trapStep("exposed").tool.name == "search_web"`,
		call: func(w *run, args []any) (any, error) {
			event, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			e, err := w.happened(event, args[1:])
			if e == nil || err != nil {
				return (*step)(nil), err
			}
			return w.ix.byID(e.StepID), nil
		}},
}
