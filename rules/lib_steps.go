package rules

import (
	"slices"
	"sort"
	"strings"

	"github.com/tracegrade/tracegrade/internal/trace"
)

const useOrder = "firstAfter, lastBefore, nextSame or within, which look up one step"

var selectionFunctions = []Function{
	{Name: "steps", Args: []Arg{{Name: "kind", Kind: argKind, Variadic: true}}, Result: stepsType, Many: true, Instead: useOrder,
		Doc: "steps of the given kinds, in order; without a kind all steps. Duplicates are left out.", Example: `len(steps("llm", "tool")) == 5`,
		call: func(w *run, args []any) (any, error) {
			if len(args) == 0 {
				return w.ix.list("steps", func(*step) bool { return true }), nil
			}
			mask := uint32(0)
			for _, a := range args {
				k, err := trace.ParseKind(a.(string))
				if err != nil {
					return nil, err
				}
				mask |= 1 << k
			}
			return w.ix.ofKinds(mask), nil
		}},
	{Name: "tools", Args: []Arg{{Name: "name", Kind: argPattern, Variadic: true}}, Result: stepsType, Many: true, Instead: useOrder,
		Doc: "tool steps, in order, whose tool has one of the names; * and ? stand for any text and any character, case does not count", Example: `len(tools("search*")) == 2`,
		call: selectBy("tools", trace.KindTool, (*step).toolName)},
	{Name: "retrievers", Args: []Arg{{Name: "name", Kind: argPattern, Variadic: true}}, Result: stepsType, Many: true, Instead: useOrder,
		Doc: "retriever steps, in order, whose span or tool has one of the names", Example: `len(retrievers()) == 0`,
		call: selectBy("retrievers", trace.KindRetriever, func(s *step) string { return s.Step.Label() })},
	{Name: "llms", Args: []Arg{{Name: "model", Kind: argPattern, Variadic: true}}, Result: stepsType, Many: true, Instead: useOrder,
		Doc: "llm steps, in order, whose model has one of the names", Example: `len(llms("gpt-*")) == 2`,
		call: selectBy("llms", trace.KindLLM, (*step).model)},
	{Name: "agents", Args: []Arg{{Name: "name", Kind: argPattern, Variadic: true}}, Result: stepsType, Many: true, Instead: useOrder,
		Doc: "agent steps, in order, whose agent has one of the names", Example: `len(agents("shop")) == 1`,
		call: selectBy("agents", trace.KindAgent, func(s *step) string { return s.Agent.Name })},
	{Name: "handoffs", Args: []Arg{{Name: "name", Kind: argPattern, Variadic: true}}, Result: stepsType, Many: true, Instead: useOrder,
		Doc: "hand-offs between agents, in order, by name", Example: `len(handoffs()) == 0`,
		call: selectBy("handoffs", trace.KindHandoff, func(s *step) string { return s.Step.Label() })},
	{Name: "member", Args: []Arg{{Name: "step", Kind: argStep}, {Name: "list", Kind: argSteps}}, Result: boolType, Linear: true, OfArgs: true, Instead: "a condition on the step that the list was made with",
		Doc: "whether a step is in a list", Example: `member(answerStep, llms())`,
		call: func(_ *run, args []any) (any, error) { return member(args[0], args[1]) }},
	{Name: "union", Args: []Arg{{Name: "a", Kind: argSteps}, {Name: "b", Kind: argSteps}}, Result: stepsType, Many: true, Linear: true, OfArgs: true, Instead: "union outside the loop, under let:",
		Doc: "steps of two lists, each once, in order; a single step counts as a list", Example: `len(union(tools(), first(llms()))) == 4`,
		call: func(w *run, args []any) (any, error) { return union(args) }},
	{Name: "named", Args: []Arg{{Name: "name", Kind: argPattern}}, Result: stepsType, Many: true, Instead: useOrder,
		Doc: "steps of any kind whose span has the name", Example: `len(named("chat *")) == 2`,
		call: func(w *run, args []any) (any, error) {
			g := newGlob(args[0].(string))
			return w.ix.list("named "+g.pattern, func(s *step) bool { return g.match(s.Name) }), nil
		}},
	{Name: "like", Args: []Arg{{Name: "text", Kind: argString}, {Name: "pattern", Kind: argPattern, Variadic: true}}, Result: boolType,
		Doc: "whether the whole text matches one of the patterns with * and ?; case does not count. Use matches for regular expressions.", Example: `like("search_web", "search*")`,
		call: func(w *run, args []any) (any, error) {
			text, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			for _, a := range flat(args[1:]) {
				if w.glob(a.(string)).match(text) {
					return true, nil
				}
			}
			return false, nil
		}},
	{Name: "nameWords", Args: []Arg{{Name: "name", Kind: argString}}, Result: textsType,
		Doc: "words of a name in lower case, however it joins them: camelCase, snake_case, kebab-case, dots, slashes, spaces", Example: `nameWords("orders.cancelHTTPOrder_2") == ["orders", "cancel", "http", "order", "2"]`,
		call: func(_ *run, args []any) (any, error) {
			name, err := asString(args[0])
			if err != nil {
				return nil, err
			}
			return nameWords(name), nil
		}},
}

// selectBy makes a selection of one kind by name.
func selectBy(what string, kind trace.Kind, name func(s *step) string) func(w *run, args []any) (any, error) {
	return func(w *run, args []any) (any, error) {
		if len(args) == 0 {
			return w.ix.ofKinds(1 << kind), nil
		}
		key := what
		patterns := flat(args)
		for _, a := range patterns {
			key += " " + a.(string)
		}
		if boxed, ok := w.ix.lists[key]; ok {
			return boxed, nil
		}
		globs := make([]glob, len(patterns))
		for i, a := range patterns {
			globs[i] = newGlob(a.(string))
		}
		return w.ix.list(key, func(s *step) bool {
			if s.Kind != kind {
				return false
			}
			for _, g := range globs {
				if g.match(name(s)) {
					return true
				}
			}
			return false
		}), nil
	}
}

func member(v, in any) (any, error) {
	s, err := asStep(v)
	if err != nil {
		return nil, err
	}
	list, err := asList(in)
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if x, ok := e.(*step); ok && x == s && s != nil {
			return true, nil
		}
	}
	return false, nil
}

// union merges two lists in the order of the trace.
func union(args []any) (any, error) {
	seen := map[*step]bool{}
	var list []any
	for _, a := range args {
		more, err := asList(a)
		if err != nil {
			return nil, err
		}
		for _, e := range more {
			s, err := asStep(e)
			if err != nil {
				return nil, err
			}
			if s != nil && !seen[s] {
				seen[s] = true
				list = append(list, s)
			}
		}
	}
	slices.SortFunc(list, func(a, b any) int { return a.(*step).pos - b.(*step).pos })
	return list, nil
}

// glob makes a pattern once; rules have only constant ones.
func (w *run) glob(pattern string) glob {
	g, known := w.globs[pattern]
	if !known {
		g = newGlob(pattern)
		w.globs[pattern] = g
	}
	return g
}

// flat spreads lists among the arguments: patterns may come from a parameter
// of type list.
func flat(args []any) []any {
	if len(args) == 1 {
		if list, ok := args[0].([]any); ok {
			return list
		}
	}
	for _, a := range args {
		if _, ok := a.([]any); ok {
			var all []any
			for _, a := range args {
				if list, ok := a.([]any); ok {
					all = append(all, list...)
				} else {
					all = append(all, a)
				}
			}
			return all
		}
	}
	return args
}

var ancestryFunctions = []Function{
	{Name: "parent", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepType,
		Doc: "parent of a step; nil for a root", Example: `parent(first(tools())) == root`,
		call: onStep(func(w *run, s *step) any { return w.ix.tree().parent[s.pos] }, (*step)(nil))},
	{Name: "children", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepsType,
		Doc: "children of a step, in order", Example: `len(children(root)) == 5`,
		call: onStep(func(w *run, s *step) any { return w.ix.tree().children[s.pos] }, noSteps)},
	{Name: "ancestors", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepsType, Many: true, Linear: true, Instead: "within(step, ancestor) or under(step, kind, name)",
		Doc: "ancestors of a step, nearest first", Example: `len(ancestors(first(tools()))) == 1`,
		call: onStep(func(w *run, s *step) any {
			var list []any
			for p := w.ix.tree().parent[s.pos]; p != nil; p = w.ix.forest.parent[p.pos] {
				list = append(list, p)
			}
			return list
		}, noSteps)},
	{Name: "descendants", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepsType, Many: true, Linear: true, Instead: "within(step, ancestor) or descendantCount(step)",
		Doc: "all steps below a step, in order", Example: `len(descendants(root)) == 5`,
		call: onStep(func(w *run, s *step) any {
			f := w.ix.tree()
			if f.leave[s.pos] == 0 {
				return noSteps
			}
			below := slices.Clone(f.walk[f.enter[s.pos]+1 : f.leave[s.pos]])
			slices.SortFunc(below, func(a, b *step) int { return a.pos - b.pos })
			list := make([]any, len(below))
			for i, d := range below {
				list[i] = d
			}
			return list
		}, noSteps)},
	{Name: "descendantCount", Args: []Arg{{Name: "step", Kind: argStep}}, Result: intType,
		Doc: "number of steps below a step", Example: `descendantCount(root) == 5`,
		call: onStep(func(w *run, s *step) any {
			f := w.ix.tree()
			return max(0, f.leave[s.pos]-f.enter[s.pos]-1)
		}, 0)},
	{Name: "siblings", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepsType, Many: true, Linear: true, Instead: "children(parent) outside the loop",
		Doc: "other children of the step's parent, in order", Example: `len(siblings(first(tools()))) == 4`,
		call: onStep(func(w *run, s *step) any {
			f := w.ix.tree()
			p := f.parent[s.pos]
			if p == nil {
				return noSteps
			}
			var list []any
			for _, c := range f.children[p.pos] {
				if c != any(s) {
					list = append(list, c)
				}
			}
			return list
		}, noSteps)},
	{Name: "within", Args: []Arg{{Name: "step", Kind: argStep}, {Name: "ancestor", Kind: argStep}}, Result: boolType,
		Doc: "whether a step stands somewhere below another", Example: `within(first(tools()), root)`,
		call: onPair(func(w *run, a, b *step) any { return w.ix.tree().within(a, b) })},
	{Name: "under", Args: []Arg{{Name: "step", Kind: argStep}, {Name: "kind", Kind: argKind}, {Name: "name", Kind: argPattern, Optional: true}}, Result: stepType,
		Doc: "nearest ancestor of a kind, and with a name (of the tool, agent or model, or of the span); nil where there is none", Example: `under(first(tools()), "agent", "shop") == root`,
		call: func(w *run, args []any) (any, error) {
			s, err := asStep(args[0])
			if s == nil || err != nil {
				return (*step)(nil), err
			}
			pattern := "*"
			if len(args) > 2 {
				pattern = args[2].(string)
			}
			kind, err := trace.ParseKind(args[1].(string))
			if err != nil {
				return nil, err
			}
			return w.ix.nearest(kind, pattern)[s.pos], nil
		}},
}

// nearest gives, for each step, its nearest ancestor of a kind and name: made
// in one pass from the roots.
func (ix *index) nearest(kind trace.Kind, pattern string) []*step {
	key := "under " + kind.String() + " " + pattern
	if list, ok := ix.lists[key]; ok {
		return list.([]*step)
	}
	f, g := ix.tree(), newGlob(pattern)
	list := make([]*step, len(ix.steps))
	for _, s := range f.walk {
		p := f.parent[s.pos]
		switch {
		case p == nil:
		case p.Kind == kind && (g.match(p.Step.Label()) || g.match(p.Name)):
			list[s.pos] = p
		default:
			list[s.pos] = list[p.pos]
		}
	}
	ix.lists[key] = list
	return list
}

var orderFunctions = []Function{
	{Name: "before", Args: []Arg{{Name: "a", Kind: argStep}, {Name: "b", Kind: argStep}}, Result: boolType,
		Doc: "whether a was over when b began (or b was caused by a); false for steps that overlap, and where one is nil", Example: `before(first(tools()), answerStep)`,
		call: onPair(func(w *run, a, b *step) any { return w.ix.order().before(a, b) })},
	{Name: "after", Args: []Arg{{Name: "a", Kind: argStep}, {Name: "b", Kind: argStep}}, Result: boolType,
		Doc: "whether a began when b was over", Example: `after(answerStep, first(tools()))`,
		call: onPair(func(w *run, a, b *step) any { return w.ix.order().before(b, a) })},
	{Name: "between", Args: []Arg{{Name: "step", Kind: argStep}, {Name: "a", Kind: argStep}, {Name: "b", Kind: argStep}}, Result: boolType,
		Doc: "whether a step came after a and before b", Example: `between(first(tools()), first(llms()), answerStep)`,
		call: func(w *run, args []any) (any, error) {
			s, a, b, err := threeSteps(args)
			if s == nil || a == nil || b == nil || err != nil {
				return false, err
			}
			l := w.ix.order()
			return l.before(a, s) && l.before(s, b), nil
		}},
	{Name: "overlaps", Args: []Arg{{Name: "a", Kind: argStep}, {Name: "b", Kind: argStep}}, Result: boolType,
		Doc: "whether two steps ran at the same time for a while", Example: `not overlaps(first(tools()), answerStep)`,
		call: onPair(func(w *run, a, b *step) any {
			l := w.ix.order()
			return a != b && !l.before(a, b) && !l.before(b, a)
		})},
	{Name: "next", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepType,
		Doc: "step that acts next after this one in order (agents, workflows and unknown spans do not act); nil after the last", Example: `next(first(llms())).kind == "tool"`,
		call: onStep(func(w *run, s *step) any {
			l := w.ix.order()
			i := l.actPos[s.pos]
			if i < len(l.acts) && l.acts[i] == s {
				i++
			}
			if i < len(l.acts) {
				return l.acts[i]
			}
			return (*step)(nil)
		}, (*step)(nil))},
	{Name: "previous", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepType,
		Doc: "step that acted just before this one; nil before the first", Example: `previous(answerStep).tool.name == "search_web"`,
		call: onStep(func(w *run, s *step) any {
			l := w.ix.order()
			if i := l.actPos[s.pos]; i > 0 {
				return l.acts[i-1]
			}
			return (*step)(nil)
		}, (*step)(nil))},
	{Name: "immediately", Args: []Arg{{Name: "a", Kind: argStep}, {Name: "b", Kind: argStep}}, Result: boolType,
		Doc: "whether b is the step that acts next after a, and a was over when it began: calls made at once do not follow each other", Example: `immediately(first(llms()), first(tools()))`,
		call: onPair(func(w *run, a, b *step) any {
			l := w.ix.order()
			i := l.actPos[b.pos]
			return i > 0 && i < len(l.acts) && l.acts[i] == b && l.acts[i-1] == a && l.before(a, b)
		})},
	{Name: "firstAfter", Args: []Arg{{Name: "step", Kind: argStep}, {Name: "list", Kind: argSteps}}, Result: stepType,
		Doc: "first step of a list that began after the step was over; nil where there is none", Example: `firstAfter(first(llms()), tools()).tool.name == "search_web"`,
		call: onStepAndList(func(w *run, s *step, list []any) any {
			l := w.ix.order()
			i := sort.Search(len(list), func(i int) bool {
				x, ok := list[i].(*step)
				return ok && l.before(s, x)
			})
			if i < len(list) {
				return list[i]
			}
			return (*step)(nil)
		})},
	{Name: "lastBefore", Args: []Arg{{Name: "step", Kind: argStep}, {Name: "list", Kind: argSteps}}, Result: stepType,
		Doc: "last step of a list, in order of their start, that was over before the step began; nil where there is none", Example: `lastBefore(answerStep, tools()).tool.name == "search_web"`,
		call: onStepAndList(func(w *run, s *step, list []any) any { return w.ix.lastBefore(s, list) })},
}

// lastBefore finds the last element of an ordered list that ended when s began.
// Those that overlap s stand between it and s: they are passed over, at most
// maxOverlap of them.
func (ix *index) lastBefore(s *step, list []any) *step {
	l := ix.order()
	i := sort.Search(len(list), func(i int) bool {
		x, ok := list[i].(*step)
		return ok && x.pos >= s.pos
	})
	for n := 0; i > 0 && n < maxOverlap; n++ {
		i--
		if x, ok := list[i].(*step); ok && l.before(x, s) {
			return x
		}
	}
	return nil
}

// maxOverlap bounds how many steps that run at the same time lastBefore passes.
const maxOverlap = 256

var causalityFunctions = []Function{
	{Name: "causedBy", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepType,
		Doc: "llm step that asked for this call; nil where none did", Example: `causedBy(first(tools())) == first(llms())`,
		call: onStep(func(w *run, s *step) any { return w.ix.order().cause[s.pos] }, (*step)(nil))},
	{Name: "causes", Args: []Arg{{Name: "step", Kind: argStep}}, Result: stepsType,
		Doc: "calls that an llm step asked for, in order", Example: `len(causes(first(llms()))) == 2`,
		call: onStep(func(w *run, s *step) any { return w.ix.order().caused[s.pos] }, noSteps)},
	{Name: "sawResultOf", Args: []Arg{{Name: "llm", Kind: argStep}, {Name: "call", Kind: argStep}}, Result: boolType,
		Doc: "whether an llm step began after a call of the same agent was over, so that its result can have been in the context", Example: `sawResultOf(answerStep, first(tools()))`,
		call: onPair(func(w *run, a, b *step) any {
			return a.Kind == trace.KindLLM && a.Agent.Name == b.Agent.Name && w.ix.order().before(b, a)
		})},
}

var noSteps []any

// onStep makes a function of one step; a nil step gives none.
func onStep(f func(w *run, s *step) any, none any) func(w *run, args []any) (any, error) {
	return func(w *run, args []any) (any, error) {
		s, err := asStep(args[0])
		if s == nil || err != nil {
			return none, err
		}
		return f(w, s), nil
	}
}

// onStepAndText makes a relation of a step and a text; it is false where the step
// is nil.
func onStepAndText(f func(w *run, s *step, text string) bool) func(w *run, args []any) (any, error) {
	return func(w *run, args []any) (any, error) {
		s, err := asStep(args[0])
		if s == nil || err != nil {
			return false, err
		}
		text, err := asString(args[1])
		if err != nil {
			return nil, err
		}
		return f(w, s, text), nil
	}
}

// onPair makes a relation of two steps; it is false where one is nil.
func onPair(f func(w *run, a, b *step) any) func(w *run, args []any) (any, error) {
	return func(w *run, args []any) (any, error) {
		a, err := asStep(args[0])
		if err != nil {
			return nil, err
		}
		b, err := asStep(args[1])
		if a == nil || b == nil || err != nil {
			return false, err
		}
		return f(w, a, b), nil
	}
}

// onStepAndList makes a look-up of a step in a list.
func onStepAndList(f func(w *run, s *step, list []any) any) func(w *run, args []any) (any, error) {
	return func(w *run, args []any) (any, error) {
		s, err := asStep(args[0])
		if err != nil {
			return nil, err
		}
		list, err := asList(args[1])
		if s == nil || err != nil {
			return (*step)(nil), err
		}
		return f(w, s, list), nil
	}
}

func threeSteps(args []any) (s, a, b *step, err error) {
	if s, err = asStep(args[0]); err != nil {
		return
	}
	if a, err = asStep(args[1]); err != nil {
		return
	}
	b, err = asStep(args[2])
	return
}

func asStep(v any) (*step, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case *step:
		return v, nil
	}
	return nil, errText("want a step, have %s", describe(v))
}

func asList(v any) ([]any, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	case *step:
		if v == nil {
			return nil, nil
		}
		return []any{v}, nil
	}
	return nil, errText("want a list of steps, have %s", describe(v))
}

func asString(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	}
	return "", errText("want a text, have %s", describe(v))
}

// describe names a value for an error message, shortly.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case *step:
		return "a step"
	case []any:
		return "a list"
	case map[string]any, map[any]any, map[any][]any:
		return "a mapping"
	case string:
		if len(v) > 40 {
			v = strings.ToValidUTF8(v[:40], "") + "…"
		}
		return `the text "` + v + `"`
	}
	return trace.EncodeJSON(v)
}
