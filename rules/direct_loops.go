package rules

import (
	"reflect"
)

// loopState is what a loop has gathered so far.
type loopState struct {
	list  []any
	count int
	found any
	over  bool // ended before the last element
}

// loop is a builtin with a predicate: what the value of the predicate for one
// element does, and what comes out in the end.
type loop struct {
	each   func(s *loopState, element any, v any)
	result func(s *loopState) any
}

var loops = map[string]loop{
	"all":       {func(s *loopState, _, v any) { s.over = !v.(bool) }, func(s *loopState) any { return !s.over }},
	"any":       {func(s *loopState, _, v any) { s.over = v.(bool) }, func(s *loopState) any { return s.over }},
	"none":      {func(s *loopState, _, v any) { s.over = v.(bool) }, func(s *loopState) any { return !s.over }},
	"map":       {func(s *loopState, _, v any) { s.list = append(s.list, v) }, (*loopState).made},
	"filter":    {keep, (*loopState).made},
	"count":     {count, func(s *loopState) any { return s.count }},
	"find":      {func(s *loopState, element, v any) { s.stop(element, v) }, func(s *loopState) any { return s.found }},
	"findIndex": {func(s *loopState, _, v any) { s.stop(s.count, v); s.count++ }, func(s *loopState) any { return s.found }},
}

func keep(s *loopState, element, v any) {
	if v.(bool) {
		s.list = append(s.list, element)
	}
}

func count(s *loopState, _, v any) {
	if v.(bool) {
		s.count++
	}
}

// stop ends the loop where the predicate holds, with what was found.
func (s *loopState) stop(found, v any) {
	if s.over = v.(bool); s.over {
		s.found = found
	}
}

func (s *loopState) made() any {
	if s.list == nil {
		return noElements
	}
	return s.list
}

var noElements any = []any{}

// maxMade bounds the elements of the lists that one expression makes, as the
// machine's budget does.
const maxMade = 1_000_000

// errMade is that bound reached. The machine only says that a budget is exceeded.
var errMade = errText("the expression makes more than a million elements: those of all its lists and ranges count together, and repeat makes at most a million copies")

func directLoop(name string, list, body code) code {
	l, known := loops[name]
	if !known {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := list(w)
		if err != nil {
			return nil, err
		}
		items := itemsOf(v)
		w.items, w.loops = append(w.items, nil), append(w.loops, loopState{})
		depth := len(w.items)
		for i := 0; i < len(items) && !w.loops[depth-1].over; i++ {
			w.items[depth-1] = items[i]
			v, err := body(w)
			if err != nil {
				return nil, err
			}
			l.each(&w.loops[depth-1], items[i], v) // the body may have moved the stack
		}
		state := &w.loops[depth-1]
		w.items, w.loops = w.items[:depth-1], w.loops[:depth-1]
		if w.made += len(state.list); w.made >= maxMade {
			return nil, errMade
		}
		v = l.result(state)
		state.list, state.found = nil, nil
		return v, nil
	}
}

// itemsOf is the elements of a list. Like the machine it panics where v has
// none.
func itemsOf(v any) []any {
	switch list := v.(type) {
	case []any:
		return list
	case []string:
		items := make([]any, len(list))
		for i, s := range list {
			items[i] = s
		}
		return items
	}
	r := reflect.ValueOf(v)
	items := make([]any, r.Len())
	for i := range items {
		items[i] = r.Index(i).Interface()
	}
	return items
}
