package rules

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"
)

// code is an expression, or a part of one, as Go: most rules are a few
// comparisons and calls, for which starting expr's machine costs more than the
// work. What it computes is what the machine computes, by test.
type code func(w *run) (any, error)

// direct turns a checked and rewritten tree into code. It returns nil where the
// tree has something that only the machine knows; the machine runs the whole
// expression then.
func direct(n ast.Node) code {
	switch x := n.(type) {
	case *ast.NilNode:
		return constant(nil)
	case *ast.BoolNode:
		return constant(x.Value)
	case *ast.StringNode:
		return constant(x.Value)
	case *ast.IntegerNode:
		switch t := x.Type(); {
		case t == nil || t.Kind() == reflect.Int || t.Kind() == reflect.Interface:
			return constant(x.Value)
		case t.Kind() == reflect.Float64:
			return constant(float64(x.Value))
		}
	case *ast.FloatNode:
		if t := x.Type(); t == nil || t.Kind() != reflect.Float32 {
			return constant(x.Value)
		}
	case *ast.ConstantNode:
		return constant(x.Value)
	case *ast.PointerNode:
		if x.Name == "" {
			return func(w *run) (any, error) { return w.items[len(w.items)-1], nil }
		}
	case *ast.PredicateNode:
		return direct(x.Node)
	case *ast.UnaryNode:
		return directUnary(x)
	case *ast.BinaryNode:
		return directBinary(x)
	case *ast.ConditionalNode:
		return directConditional(x)
	case *ast.ArrayNode:
		return directArray(x)
	case *ast.CallNode:
		return directCall(x)
	case *ast.BuiltinNode:
		return directBuiltin(x)
	}
	return nil
}

func constant(v any) code { return func(*run) (any, error) { return v, nil } }

// operand is direct for an operand of an operator, which the machine follows
// through pointers.
func operand(n ast.Node) code {
	c := direct(n)
	if c == nil || n.Nature().Nil || n.Type() == nil {
		return c
	}
	switch n.Type().Kind() {
	case reflect.Pointer:
		return nil
	case reflect.Interface:
		return func(w *run) (any, error) {
			v, err := c(w)
			return pointedTo(v), err
		}
	}
	return c
}

// pointedTo is what a value of unknown type stands for.
func pointedTo(v any) any {
	switch v.(type) {
	case nil, bool, int, int64, float64, string, []any, []string, map[string]any:
		return v
	}
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return nil
		}
		r = r.Elem()
	}
	return r.Interface()
}

func directUnary(x *ast.UnaryNode) code {
	c := operand(x.Node)
	if c == nil || x.Operator != "not" && x.Operator != "!" {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := c(w)
		if err != nil {
			return nil, err
		}
		return !v.(bool), nil
	}
}

// operators are the binary operators that evaluate both sides.
var operators = map[string]func(a, b any) any{
	"==": func(a, b any) any { return equal(a, b) },
	"!=": func(a, b any) any { return !equal(a, b) },
	"<":  func(a, b any) any { return runtime.Less(a, b) },
	"<=": func(a, b any) any { return runtime.LessOrEqual(a, b) },
	">":  func(a, b any) any { return runtime.More(a, b) },
	">=": func(a, b any) any { return runtime.MoreOrEqual(a, b) },
	"+":  func(a, b any) any { return runtime.Add(a, b) },
	"-":  func(a, b any) any { return runtime.Subtract(a, b) },
	"*":  func(a, b any) any { return runtime.Multiply(a, b) },
	"/":  func(a, b any) any { return runtime.Divide(a, b) },
	"in": func(a, b any) any { return isIn(a, b) },
	"contains": func(a, b any) any {
		return !runtime.IsNil(a) && !runtime.IsNil(b) && strings.Contains(a.(string), b.(string))
	},
	"startsWith": func(a, b any) any {
		return !runtime.IsNil(a) && !runtime.IsNil(b) && strings.HasPrefix(a.(string), b.(string))
	},
	"endsWith": func(a, b any) any {
		return !runtime.IsNil(a) && !runtime.IsNil(b) && strings.HasSuffix(a.(string), b.(string))
	},
}

func equal(a, b any) bool {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return x == y
		}
	case int:
		if y, ok := b.(int); ok {
			return x == y
		}
	}
	return runtime.Equal(a, b)
}

func isIn(v, list any) bool {
	if texts, ok := list.([]string); ok {
		if text, ok := v.(string); ok {
			for _, t := range texts {
				if t == text {
					return true
				}
			}
			return false
		}
	}
	return runtime.In(v, list)
}

func directBinary(x *ast.BinaryNode) code {
	if c := directKind(x); c != nil {
		return c
	}
	if x.Operator == "matches" {
		return directMatches(x)
	}
	a, b := operand(x.Left), operand(x.Right)
	if a == nil || b == nil {
		return nil
	}
	switch x.Operator {
	case "and", "&&", "or", "||":
		decides := x.Operator == "or" || x.Operator == "||"
		return func(w *run) (any, error) {
			v, err := a(w)
			if err != nil || v.(bool) == decides {
				return v, err
			}
			return b(w)
		}
	}
	op := operators[x.Operator]
	if op == nil {
		return nil
	}
	return func(w *run) (any, error) {
		u, err := a(w)
		if err != nil {
			return nil, err
		}
		v, err := b(w)
		if err != nil {
			return nil, err
		}
		return op(u, v), nil
	}
}

// directKind compares the kind of a step with constants by its number.
func directKind(x *ast.BinaryNode) code {
	call, ok := x.Left.(*ast.CallNode)
	if !ok || x.Operator != "==" && x.Operator != "in" {
		return nil
	}
	if callee, ok := call.Callee.(*ast.IdentifierNode); !ok || callee.Value != runName+"step.kind" {
		return nil
	}
	bits, known := kindBits(x.Right)
	owner := direct(call.Arguments[1])
	if !known || owner == nil {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := owner(w)
		s := stepOf(v)
		return s != nil && bits&(1<<s.Kind) != 0, err
	}
}

func directMatches(x *ast.BinaryNode) code {
	a, pattern := operand(x.Left), ""
	if s, ok := x.Right.(*ast.StringNode); ok {
		pattern = s.Value
	}
	re, err := regexp.Compile(pattern)
	if a == nil || err != nil || pattern == "" {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := a(w)
		if err != nil {
			return nil, err
		}
		return !runtime.IsNil(v) && re.MatchString(v.(string)), nil
	}
}

func directConditional(x *ast.ConditionalNode) code {
	condition, yes, no := operand(x.Cond), direct(x.Exp1), direct(x.Exp2)
	if condition == nil || yes == nil || no == nil {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := condition(w)
		switch {
		case err != nil:
			return nil, err
		case v.(bool):
			return yes(w)
		}
		return no(w)
	}
}

func directArray(x *ast.ArrayNode) code {
	elements := make([]code, len(x.Nodes))
	for i, n := range x.Nodes {
		if elements[i] = direct(n); elements[i] == nil {
			return nil
		}
	}
	return func(w *run) (any, error) {
		list := make([]any, len(elements))
		for i, e := range elements {
			v, err := e(w)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	}
}

// directCall calls a getter, or a function of the library or of the rewriter.
func directCall(x *ast.CallNode) code {
	callee, ok := x.Callee.(*ast.IdentifierNode)
	if !ok || len(x.Arguments) == 0 {
		return nil
	}
	args := make([]code, len(x.Arguments)-1) // the first is the evaluation
	for i, n := range x.Arguments[1:] {
		if args[i] = direct(n); args[i] == nil {
			return nil
		}
	}
	lib := library()
	if f := lib.functions[callee.Value]; f != nil {
		return directFunction(f, args)
	}
	name, internal := strings.CutPrefix(callee.Value, runName)
	if !internal {
		return nil
	}
	if f := lib.fields[name]; f != nil {
		return directField(f, args)
	}
	switch name {
	case "let":
		slot := x.Arguments[1].(*ast.IntegerNode).Value
		return func(w *run) (any, error) { return w.let(slot) }
	case "get", "same", "member", "add":
		a, b, f := args[0], args[1], internalFunctions[callee.Value]
		return func(w *run) (any, error) {
			u, err := a(w)
			if err != nil {
				return nil, err
			}
			v, err := b(w)
			if err != nil {
				return nil, err
			}
			return f(w, u, v)
		}
	}
	return nil
}

func directField(f *Field, args []code) code {
	if len(args) == 0 {
		return func(w *run) (any, error) { return f.get(w, nil), nil }
	}
	owner := args[0]
	return func(w *run) (any, error) {
		v, err := owner(w)
		if err != nil {
			return nil, err
		}
		return f.get(w, v), nil
	}
}

// directFunction evaluates arguments on a stack that the evaluation keeps: a
// function uses them while it runs and no longer.
func directFunction(f *Function, args []code) code {
	if len(args) == 0 {
		return func(w *run) (any, error) { return f.call(w, nil) }
	}
	return func(w *run) (any, error) {
		base := len(w.args)
		for _, a := range args {
			v, err := a(w)
			if err != nil {
				return nil, err
			}
			w.args = append(w.args, v)
		}
		v, err := f.call(w, w.args[base:len(w.args):len(w.args)])
		w.args = w.args[:base]
		return v, err
	}
}

func directBuiltin(x *ast.BuiltinNode) code {
	if len(x.Arguments) == 0 || x.Map != nil || x.Threshold != nil {
		return nil
	}
	if len(x.Arguments) == 2 {
		if _, ok := x.Arguments[1].(*ast.PredicateNode); ok {
			list, body := operand(x.Arguments[0]), direct(x.Arguments[1])
			if list == nil || body == nil {
				return nil
			}
			return directLoop(x.Name, list, body)
		}
	}
	f := listFunctions[x.Name]
	if f == nil {
		return directOther(x)
	}
	list := operand(x.Arguments[0])
	if list == nil {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := list(w)
		if err != nil {
			return nil, err
		}
		return f(v)
	}
}

// directOther calls a builtin that has no predicate.
func directOther(x *ast.BuiltinNode) code {
	at, known := builtin.Index[x.Name]
	if !known {
		return nil
	}
	f := builtin.Builtins[at]
	if f.Predicate || f.Fast == nil && f.Func == nil && f.Safe == nil {
		return nil
	}
	args := make([]code, len(x.Arguments))
	for i, n := range x.Arguments {
		if _, ok := n.(*ast.PredicateNode); ok || f.Deref != nil {
			return nil
		}
		if args[i] = operand(n); args[i] == nil {
			return nil
		}
	}
	return func(w *run) (any, error) {
		values := make([]any, len(args))
		for i, a := range args {
			v, err := a(w)
			if err != nil {
				return nil, err
			}
			values[i] = v
		}
		switch {
		case f.Fast != nil:
			return f.Fast(values[0]), nil
		case f.Safe != nil:
			v, made, err := f.Safe(values...)
			if w.made += int(made); err == nil && w.made >= maxMade {
				err = errText("memory budget exceeded")
			}
			return v, err
		}
		return f.Func(values...)
	}
}

// listFunctions are builtins of one list that rules use most.
var listFunctions = map[string]func(v any) (any, error){
	"len": func(v any) (any, error) {
		switch list := v.(type) {
		case []any:
			return len(list), nil
		case []string:
			return len(list), nil
		}
		return builtin.Builtins[builtin.Index["len"]].Fast(v), nil
	},
	"first": func(v any) (any, error) { return end("first", v, func(n int) int { return 0 }) },
	"last":  func(v any) (any, error) { return end("last", v, func(n int) int { return n - 1 }) },
}

// end is the first or last element of a list, nil where it is empty.
func end(name string, v any, at func(n int) int) (any, error) {
	list, ok := v.([]any)
	switch {
	case !ok:
		return builtin.Builtins[builtin.Index[name]].Func(v)
	case len(list) == 0:
		return nil, nil
	}
	return list[at(len(list))], nil
}

// loopState is what a loop has gathered so far.
type loopState struct {
	list  []any
	count int
	over  bool // ended before the last element
}

// loop is a builtin with a predicate: what the value of the predicate for one
// element does, and what comes out in the end.
type loop struct {
	each   func(s *loopState, element any, v any)
	result func(s *loopState) any
}

var loops = map[string]loop{
	"all":    {func(s *loopState, _, v any) { s.over = !v.(bool) }, func(s *loopState) any { return !s.over }},
	"any":    {func(s *loopState, _, v any) { s.over = v.(bool) }, func(s *loopState) any { return s.over }},
	"none":   {func(s *loopState, _, v any) { s.over = v.(bool) }, func(s *loopState) any { return !s.over }},
	"map":    {func(s *loopState, _, v any) { s.list = append(s.list, v) }, (*loopState).made},
	"filter": {keep, (*loopState).made},
	"count":  {count, func(s *loopState) any { return s.count }},
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
		var state loopState
		w.items = append(w.items, nil)
		depth := len(w.items)
		for i := 0; i < len(items) && !state.over; i++ {
			w.items[depth-1] = items[i]
			v, err := body(w)
			if err != nil {
				return nil, err
			}
			l.each(&state, items[i], v)
		}
		w.items = w.items[:depth-1]
		if w.made += len(state.list); w.made >= maxMade {
			return nil, errText("memory budget exceeded")
		}
		return l.result(&state), nil
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

// runDirect runs code and turns a panic into an error: operators panic on types
// that the checker could not know, as in expr's machine.
func (w *run) runDirect(c code) (v any, err error) {
	args, items, made := len(w.args), len(w.items), w.made
	w.made = 0
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, errText("%s", goTypes.Replace(firstLine(fmt.Sprint(r))))
		}
		clear(w.args[args:cap(w.args)])
		w.args, w.items, w.made = w.args[:args], w.items[:items], made
	}()
	if v, err = c(w); err != nil {
		return nil, errText("%s", goTypes.Replace(firstLine(err.Error())))
	}
	return v, nil
}
