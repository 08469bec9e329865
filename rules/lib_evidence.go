package rules

import (
	"slices"

	"github.com/tracegrade/tracegrade/internal/atom"
	"github.com/tracegrade/tracegrade/internal/evidence"
)

var stateNames = func() []string {
	var names []string
	for _, s := range evidence.States {
		names = append(names, string(s))
	}
	return names
}()

var atomKinds = func() []string {
	var names []string
	for _, k := range atom.Kinds {
		names = append(names, string(k))
	}
	return names
}()

// kindArgs is the arguments that pick values by the kind of their atom.
var kindArgs = []Arg{{Name: "kind", Kind: argAtom, Variadic: true}}

var evidenceFunctions = []Function{
	{Name: "observations", Args: []Arg{{Name: "tool", Kind: argPattern, Variadic: true}}, Result: observationsType, Many: true, Evidence: true, Instead: "carriedBy or a value's observations",
		Doc: "what tools and retrievers returned and the model could see, in order, of the named tools; a list of documents is one observation for each", Example: `len(observations("search_web")) == 2 and observations()[0].error`,
		call: func(w *run, args []any) (any, error) {
			l := w.ix.evidence()
			if len(args) == 0 {
				return w.found(l.observations), nil
			}
			var globs []glob
			for _, a := range flat(args) {
				globs = append(globs, newGlob(a.(string)))
			}
			var list []any
			for _, o := range l.observations {
				if slices.ContainsFunc(globs, func(g glob) bool { return g.match(o.(*observation).Tool) }) {
					list = append(list, o)
				}
			}
			return w.found(list), nil
		}},
	{Name: "missing", Result: stringType, Evidence: true,
		Doc: "why observations, or parts of them, may be missing: not_captured, cut, redacted or incomplete; empty where all is there. A rule about what there is not should not apply where it is set.", Example: `missing() == ""`,
		call: func(w *run, _ []any) (any, error) { return w.ix.evidence().Missing, nil }},
	{Name: "answerValues", Args: kindArgs, Result: valuesType, Evidence: true,
		Doc: "values that the answer states, in order, with where each comes from, in a trace of several turns those that the answer of each turn states, the last turn's first; of the given kinds of atoms, without one of all", Example: `len(answerValues("money")) == 2`,
		call: func(w *run, args []any) (any, error) { return w.answerValues(args, "") }},
	{Name: "unsupported", Args: kindArgs, Result: valuesType, Evidence: true,
		Doc: "values of answerValues that occur in no observation, nor in what the model was given, up to that answer, nor follow from such by one step of arithmetic, conversion or rounding", Example: `len(unsupported("money", "number")) == 0`,
		call: func(w *run, args []any) (any, error) { return w.answerValues(args, evidence.Unsupported) }},
	{Name: "contradicted", Args: kindArgs, Result: valuesType, Evidence: true,
		Doc: "values of answerValues where observations say otherwise", Example: `len(contradicted()) == 0`,
		call: func(w *run, args []any) (any, error) { return w.answerValues(args, evidence.Contradicted) }},
	{Name: "argumentValues", Args: []Arg{{Name: "call", Kind: argStep}}, Result: valuesType, Evidence: true,
		Doc: "values in the arguments of a call, with where each comes from", Example: `len(argumentValues(first(tools("calculator")))) == 2`,
		call: onStep(func(w *run, s *step) any {
			w.need(s)
			return w.ix.evidence().argumentsOf(s)
		}, noSteps)},
	{Name: "carriedBy", Args: []Arg{{Name: "text", Kind: argString}}, Result: observationsType, Many: true, Linear: true, Evidence: true, Instead: "carriedBy outside the loop, under let:",
		Doc: "observations that a text rests on: those that carry one of its values", Example: `carriedBy("It costs $1,099.")[0].url == "https://shop.example/x200"`,
		call: func(w *run, args []any) (any, error) {
			text, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			l := w.ix.evidence()
			return w.found(l.at(l.CarriedBy(text))), nil
		}},
	{Name: "flows", Args: []Arg{{Name: "a", Kind: argStep}, {Name: "b", Kind: argStep}}, Result: boolType, Evidence: true,
		Doc: "whether a was over when b began, and a value of its output (number, date, identifier, name, quote) occurs in b's input, in any writing, also rounded or converted, a percentage as its fraction too; a plain word, as of a status, a language or a currency code, is no value, nor is a whole number below 13 without a unit", Example: `flows(last(tools()), answerStep)`,
		call: onPair(func(w *run, a, b *step) any {
			out, outSeen := outputText(w, a)
			in, inSeen := inputText(w, b)
			w.missing = w.missing || !outSeen || !inSeen
			return w.ix.order().before(a, b) && len(evidence.Flows(out, in)) > 0
		})},
	{Name: "toolUsed", Args: []Arg{{Name: "call", Kind: argStep}}, Result: boolType, Evidence: true,
		Doc: "whether used holds for the call or for another call of the same tool, so that its results are used as a whole, as those of a list in pages or of a comparison are", Example: `toolUsed(first(tools("search_web")))`,
		call: onStep(func(w *run, s *step) any { return w.toolUsed(s) }, false)},
	{Name: "used", Args: []Arg{{Name: "call", Kind: argStep}}, Result: boolType, Evidence: true,
		Doc: "whether a value that a call returned is carried into the answer of a turn or into the arguments of another call, itself or as an operand; for an agent, whether a value of its output occurs there that it was not given", Example: `used(last(tools()))`,
		call: onStep(func(w *run, s *step) any { return w.used(s) }, false)},
	{Name: "shares", Args: []Arg{{Name: "a", Kind: argString}, {Name: "b", Kind: argString}}, Result: boolType, Evidence: true,
		Doc: "whether a value of text a (number, date, identifier, name, quote) occurs in text b, as flows says", Example: `shares("It is $1,099 now.", answer)`,
		call: func(_ *run, args []any) (any, error) {
			a, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			b, err := asString(args[1])
			if err != nil {
				return nil, err
			}
			return len(evidence.Flows(a, b)) > 0, nil
		}},
	{Name: "valuesOf", Args: []Arg{{Name: "text", Kind: argString}}, Result: textsType, Evidence: true,
		Doc: "values that a text states, as written: numbers with their units, money, dates, identifiers, addresses, names and quotes; of JSON those of its strings and numbers, where a plain word is none", Example: `valuesOf("It costs $1,099.") == ["$1,099"]`,
		call: func(_ *run, args []any) (any, error) {
			text, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			list := []string{}
			for _, a := range evidence.Values(text) {
				list = append(list, a.Text)
			}
			return list, nil
		}},
	{Name: "states", Args: []Arg{{Name: "text", Kind: argString}, {Name: "value", Kind: argString}}, Result: boolType, Evidence: true,
		Doc: "whether a text states a value in any writing, also rounded or converted: 1,099 dollars and $1099 are one, and so are 50 % and 0.5", Example: `states(answer, "1099 dollars")`,
		call: func(_ *run, args []any) (any, error) {
			text, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			value, err := asString(args[1])
			if err != nil {
				return nil, err
			}
			return atom.Stated(text, value), nil
		}},
	{Name: "conflicts", Result: conflictsType, Many: true, Evidence: true, Instead: "conflicts outside the loop, under let:",
		Doc: "pairs of observations that state different values of one thing", Example: `len(conflicts()) == 0`,
		call: func(w *run, _ []any) (any, error) { return w.found(w.ix.evidence().conflicts), nil }},
	{Name: "stale", Result: staleListType, Many: true, Evidence: true, Instead: "stale outside the loop, under let:",
		Doc: "observations that are too old for the question", Example: `len(stale()) == 0`,
		call: func(w *run, _ []any) (any, error) { return w.found(w.ix.evidence().stale), nil }},
	{Name: "echoes", Result: echoesType, Many: true, Evidence: true, Instead: "echoes outside the loop, under let:",
		Doc: "groups of observations that repeat one origin, so that they do not confirm each other", Example: `len(echoes()) == 0`,
		call: func(w *run, _ []any) (any, error) { return w.found(w.ix.evidence().echoes), nil }},
}

// maxCarriers bounds the observations of one value.
const maxCarriers = 20

var observationFields = []Field{
	{Name: "text", Doc: "what it says", Example: `observations()[-1].text contains "1099"`, get: ofObservation(func(_ *run, o *observation) string { return o.Text })},
	{Name: "tool", Doc: "name of the tool or retriever", Example: `any(observations(), .tool == "search_web")`, get: ofObservation(func(_ *run, o *observation) string { return o.Tool })},
	{Name: "step", Doc: "step that returned it", Example: `all(observations(), .step != nil)`, get: ofObservation(func(w *run, o *observation) *step { return w.ix.byID(o.StepID) })},
	{Name: "source", Doc: "origin as stated, else the host of the address", Example: `any(observations(), .source == "shop.example")`, get: ofObservation(func(_ *run, o *observation) string { return o.Source })},
	{Name: "url", Doc: "address", Example: `any(observations(), .url startsWith "https://shop.example/")`, get: ofObservation(func(_ *run, o *observation) string { return o.URL })},
	{Name: "title", Doc: "title", Example: `any(observations(), .title contains "X200")`, get: ofObservation(func(_ *run, o *observation) string { return o.Title })},
	{Name: "date", Doc: "date as ISO 8601 where it can be read, else as written", Example: `any(observations(), .date == "2024-03-01")`, get: ofObservation(func(_ *run, o *observation) string { return o.Date })},
	{Name: "authority", Doc: "authority as the tool states it: official, verified, a rank", Example: `none(observations(), .authority == "official")`, get: ofObservation(func(_ *run, o *observation) string { return o.Authority })},
	{Name: "document", Doc: "whether it is a document: a page or record with an address, a source, a title or an id, rather than the result of a calculation", Example: `any(observations(), .document)`, get: ofObservation(func(_ *run, o *observation) bool {
		return isDocument(o.Observation)
	})},
	{Name: "error", Doc: "whether it is what a failed call returned", Example: `any(observations(), .error)`, get: ofObservation(func(_ *run, o *observation) bool { return o.Error })},
}

func ofObservation[T any](read func(w *run, o *observation) T) getter {
	return func(w *run, v any) any {
		if o, ok := v.(*observation); ok && o != nil {
			return read(w, o)
		}
		var zero T
		return zero
	}
}

var linkedFields = []Field{
	{Name: "text", Doc: "value as it stands in the text", Example: `any(answerValues(), .text == "$1,099")`, get: ofLinked(func(_ *run, v *linked) string { return v.Atom.Text })},
	{Name: "kind", Doc: "kind of value", Values: atomKinds, Example: `any(answerValues(), .kind == "money")`, get: ofLinked(func(_ *run, v *linked) string { return string(v.Atom.Kind) })},
	{Name: "value", Doc: "value in canonical form", Example: `any(answerValues(), .value == "1099")`, get: ofLinked(func(_ *run, v *linked) string { return v.Atom.Value })},
	{Name: "unit", Doc: "unit in canonical form", Example: `any(answerValues(), .unit == "USD")`, get: ofLinked(func(_ *run, v *linked) string { return v.Atom.Unit })},
	{Name: "state", Doc: "where it comes from", Values: stateNames, Example: `all(answerValues("money"), .state in ["carried", "derived"])`, get: ofLinked(func(_ *run, v *linked) string { return string(v.State) })},
	{Name: "given", Doc: "whether the question, the instructions or an earlier message state it, whatever observations carry it too", Example: `none(answerValues("money"), .given)`, get: ofLinked(func(w *run, v *linked) bool { return w.ix.evidence().Gave(v.Link) })},
	{Name: "how", Doc: "how it was derived: rounded, converted, sum, difference, …; empty where it was not", Example: `all(answerValues("money"), .how != "mean")`, get: ofLinked(func(_ *run, v *linked) string { return v.How })},
	{Name: "operands", Doc: "values that it was derived from, or what observations say instead, as written", Example: `none(answerValues("money"), "77" in .operands)`, get: ofLinked(func(_ *run, v *linked) []string { return v.Operands })},
	{Name: "observations", Doc: "observations that carry it, or its operands: the first 20", Example: `all(answerValues("money"), len(.observations) > 0)`, get: ofLinked(func(w *run, v *linked) []any {
		return w.ix.evidence().at(v.Link.Observations[:min(maxCarriers, len(v.Link.Observations))])
	})},
	{Name: "trivial", Doc: "whether it says little by itself: a whole number below 13 without a unit, or an ordinal, as in \"two options\"", Example: `none(answerValues("money"), .trivial)`, get: ofLinked(func(_ *run, v *linked) bool { return trivial(&v.Atom) })},
	{Name: "disputed", Doc: "whether observations contradict each other on it: it is one of the values of a conflict", Example: `none(answerValues(), .disputed)`, get: ofLinked(func(w *run, v *linked) bool { return w.ix.evidence().disputed(&v.Atom) })},
	{Name: "step", Doc: "step that stated it: the one that gave the answer, or the call whose argument it is", Example: `all(answerValues(), .step == answerStep)`, get: ofLinked(func(w *run, v *linked) *step { return w.ix.speaker(v.Place.StepID) })},
	{Name: "sources", Doc: "names of the independent sources of these: copies of one text count once, and what was told the value, or is around what found it, is none where something else has it", Example: `any(answerValues("money"), .sources == ["shop.example"])`, get: ofLinked(func(w *run, v *linked) []string { return w.origins(v.Link) })},
}

func ofLinked[T any](read func(w *run, v *linked) T) getter {
	return func(w *run, v any) any {
		if l, ok := v.(*linked); ok && l != nil {
			return read(w, l)
		}
		var zero T
		return zero
	}
}

// ofPtr makes a getter of a value of type *V.
func ofPtr[V, T any](read func(w *run, v *V) T) getter {
	return func(w *run, v any) any {
		if p, ok := v.(*V); ok && p != nil {
			return read(w, p)
		}
		var zero T
		return zero
	}
}

var conflictFields = []Field{
	{Name: "subject", Doc: "words that the two have in common", Example: `none(conflicts(), .subject == "")`, get: ofPtr(func(_ *run, c *conflict) string { return c.Subject })},
	{Name: "a", Doc: "earlier observation", Example: `none(conflicts(), .a.error)`, get: ofPtr(func(w *run, c *conflict) any { return w.ix.evidence().observations[c.A] })},
	{Name: "b", Doc: "later observation", Example: `none(conflicts(), .b.error)`, get: ofPtr(func(w *run, c *conflict) any { return w.ix.evidence().observations[c.B] })},
	{Name: "valueA", Doc: "what the earlier one says, as written", Example: `none(conflicts(), .valueA == .valueB)`, get: ofPtr(func(_ *run, c *conflict) string { return c.AtomA.Text })},
	{Name: "better", Doc: "what the newer of the two says, or the one of higher authority where that is stated of one alone; empty where neither is known", Example: `none(conflicts(), .better == "x")`, get: ofPtr(func(w *run, c *conflict) string {
		if a := w.better(c); a != nil {
			return a.Text
		}
		return ""
	})},
	{Name: "used", Doc: "whether the answer states one of the two values, or both; in a trace of several turns, whether an answer does that was given when both had been observed", Example: `none(conflicts(), .used)`, get: ofPtr(func(w *run, c *conflict) bool {
		return w.answered(c, &c.AtomA) || w.answered(c, &c.AtomB)
	})},
	{Name: "named", Doc: "whether the answer states both values; of several turns, the answers that used is about", Example: `none(conflicts(), .named)`, get: ofPtr(func(w *run, c *conflict) bool {
		return w.answered(c, &c.AtomA) && w.answered(c, &c.AtomB)
	})},
	{Name: "heeded", Doc: "whether the answer states what better says; of several turns, the answers that used is about", Example: `none(conflicts(), .heeded)`, get: ofPtr(func(w *run, c *conflict) bool {
		a := w.better(c)
		return a != nil && w.answered(c, a)
	})},
	{Name: "valueB", Doc: "what the later one says, as written", Example: `none(conflicts(), .valueB == "")`, get: ofPtr(func(_ *run, c *conflict) string { return c.AtomB.Text })},
}

var staleFields = []Field{
	{Name: "observation", Doc: "observation that is too old", Example: `none(stale(), .observation.tool == "search_web")`, get: ofPtr(func(w *run, s *stale) any { return w.ix.evidence().observations[s.Observation] })},
	{Name: "date", Doc: "date that makes it stale; empty where the text says so itself", Example: `none(stale(), .date < "2020")`, get: ofPtr(func(_ *run, s *stale) string { return s.Date })},
	{Name: "asked", Doc: "date that the question is about", Example: `none(stale(), .asked == "")`, get: ofPtr(func(_ *run, s *stale) string { return s.Asked })},
	{Name: "reason", Doc: "why it is stale", Values: []string{"old", "before_period", "old_body", "says_so", "superseded"}, Example: `none(stale(), .reason == "superseded")`, get: ofPtr(func(_ *run, s *stale) string { return s.Reason })},
	{Name: "disclosed", Doc: "whether the answer says how old it is: it states the date, or its year where that is not the year asked about", Example: `none(stale(), .disclosed)`, get: ofPtr(func(w *run, s *stale) bool { return w.disclosed(s) })},
	{Name: "used", Doc: "whether a value of the answer is carried by it", Example: `none(stale(), .used)`, get: ofPtr(func(_ *run, s *stale) bool { return s.Used })},
}

var echoFields = []Field{
	{Name: "observations", Doc: "observations of the group, in order", Example: `none(echoes(), len(.observations) > 3)`, get: ofPtr(func(w *run, e *echo) []any { return w.ix.evidence().at(e.Observations) })},
	{Name: "similarity", Doc: "least similarity to the first, from 0 to 1", Example: `none(echoes(), .similarity > 0.9)`, get: ofPtr(func(_ *run, e *echo) float64 { return e.Similarity })},
}
