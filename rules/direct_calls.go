package rules

import (
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
)

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
	case "get", "element", "same", "member", "add", "matches":
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
	if f := internalFunctions[callee.Value]; f != nil {
		return directInternal(f, args)
	}
	return nil
}

func directInternal(f func(args ...any) (any, error), args []code) code {
	return func(w *run) (any, error) {
		values, err := appendValues(w, append(make([]any, 0, 1+len(args)), w), args)
		if err != nil {
			return nil, err
		}
		return f(values...)
	}
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
		values, err := appendValues(w, make([]any, 0, len(args)), args)
		if err != nil {
			return nil, err
		}
		switch {
		case f.Fast != nil:
			return f.Fast(values[0]), nil
		case f.Safe != nil:
			v, made, err := f.Safe(values...)
			if w.made += int(made); err == nil && w.made >= maxMade {
				err = errMade
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
