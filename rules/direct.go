package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
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
	case *ast.MapNode:
		return directMap(x)
	case *ast.SliceNode:
		return directSlice(x)
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
	if x.Operator == "??" {
		return func(w *run) (any, error) {
			if v, err := a(w); err != nil || !runtime.IsNil(v) {
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
	re, err := compilePattern(pattern)
	if a == nil || err != nil || pattern == "" {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := a(w)
		if err != nil {
			return nil, err
		}
		return !runtime.IsNil(v) && re.match(v.(string)), nil
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
		list, err := appendValues(w, make([]any, 0, len(elements)), elements)
		if err != nil {
			return nil, err
		}
		return list, nil
	}
}

// appendValues appends the value of each piece of code; the first error ends it.
func appendValues(w *run, values []any, list []code) ([]any, error) {
	for _, c := range list {
		v, err := c(w)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func directMap(x *ast.MapNode) code {
	keys, values := make([]string, len(x.Pairs)), make([]code, len(x.Pairs))
	for i, n := range x.Pairs {
		pair, isPair := n.(*ast.PairNode)
		if !isPair {
			return nil
		}
		key, isText := pair.Key.(*ast.StringNode)
		if values[i] = direct(pair.Value); !isText || values[i] == nil {
			return nil
		}
		keys[i] = key.Value
	}
	return func(w *run) (any, error) {
		m := make(map[string]any, len(keys))
		for i, k := range slices.Backward(keys) { // of equal keys the machine keeps the first
			v, err := values[i](w)
			if err != nil {
				return nil, err
			}
			m[k] = v
		}
		return m, nil
	}
}

func directSlice(x *ast.SliceNode) code {
	list, from, to := operand(x.Node), constant(0), code(nil)
	if x.From != nil {
		from = operand(x.From)
	}
	if x.To != nil {
		if to = operand(x.To); to == nil {
			return nil
		}
	}
	if list == nil || from == nil {
		return nil
	}
	return func(w *run) (any, error) {
		v, err := list(w)
		if err != nil {
			return nil, err
		}
		a, err := from(w)
		if err != nil {
			return nil, err
		}
		var b any
		if to == nil {
			b = runtime.Len(v)
		} else if b, err = to(w); err != nil {
			return nil, err
		}
		return runtime.Slice(v, a, b), nil
	}
}

// runDirect runs code and turns a panic into an error: operators panic on types
// that the checker could not know, as in expr's machine.
func (w *run) runDirect(c code) (v any, err error) {
	args, items, made := len(w.args), len(w.items), w.made // as many loops as items
	w.made = 0
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, errText("%s", inOurWords(fmt.Sprint(r)))
		}
		clear(w.args[args:cap(w.args)])
		w.args, w.items, w.loops, w.made = w.args[:args], w.items[:items], w.loops[:items], made
	}()
	if v, err = c(w); err != nil {
		return nil, errText("%s", inOurWords(err.Error()))
	}
	return v, nil
}
