package server

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/big"
	"strings"

	"github.com/tracegrade/tracegrade/harness/trap"
)

var calculator = Tool{
	Name:        "calculator",
	Description: "Compute an arithmetic expression exactly: + - * / ( ), decimals, and the functions min, max, sum, avg, round, abs.",
	Params:      []Param{{Name: "expression", Type: "string", Description: "such as (120 + 45) * 1.5", Required: true}},
	call: func(_ context.Context, _ *Run, a Args) (trap.Reply, error) {
		v, err := calculate(a.Text("expression"))
		return trap.Reply{Text: v}, err
	},
	render: func(_ *Run, a Args, reply *trap.Reply) any {
		if body := failure(reply); body != nil {
			return body
		}
		return map[string]any{"expression": a.Text("expression"), "result": reply.Text}
	},
}

// calculate evaluates an expression over rational numbers. The result has at
// most ten decimals.
func calculate(text string) (string, error) {
	if len(text) > 1000 {
		return "", fmt.Errorf("expression of %d characters, want at most 1000", len(text))
	}
	e, err := parser.ParseExpr(strings.NewReplacer("×", "*", "÷", "/", "−", "-").Replace(text))
	if err != nil {
		return "", fmt.Errorf("expression %q: want numbers, + - * / and parentheses", text)
	}
	v, err := evaluate(e)
	if err != nil {
		return "", fmt.Errorf("expression %q: %w", text, err)
	}
	s := v.FloatString(10)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), "."), nil
}

func evaluate(e ast.Expr) (*big.Rat, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		// An exponent such as 1e999999999 would fill the memory.
		v, ok := new(big.Rat).SetString(strings.ReplaceAll(e.Value, "_", ""))
		if e.Kind != token.INT && e.Kind != token.FLOAT || strings.ContainsAny(e.Value, "eEpPxX") || !ok {
			return nil, fmt.Errorf("%s is no plain number", e.Value)
		}
		return v, nil
	case *ast.ParenExpr:
		return evaluate(e.X)
	case *ast.UnaryExpr:
		v, err := evaluate(e.X)
		if err == nil && e.Op == token.SUB {
			v = v.Neg(v)
		}
		return v, err
	case *ast.BinaryExpr:
		return binary(e)
	case *ast.CallExpr:
		return function(e)
	}
	return nil, fmt.Errorf("only numbers, + - * / ( ) and min, max, sum, avg, round, abs are known")
}

func binary(e *ast.BinaryExpr) (*big.Rat, error) {
	x, err := evaluate(e.X)
	if err != nil {
		return nil, err
	}
	y, err := evaluate(e.Y)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case token.ADD:
		return x.Add(x, y), nil
	case token.SUB:
		return x.Sub(x, y), nil
	case token.MUL:
		return x.Mul(x, y), nil
	case token.QUO:
		if y.Sign() == 0 {
			return nil, fmt.Errorf("division by zero")
		}
		return x.Quo(x, y), nil
	}
	return nil, fmt.Errorf("operator %s is not known", e.Op)
}

func function(e *ast.CallExpr) (*big.Rat, error) {
	name, _ := e.Fun.(*ast.Ident)
	if name == nil || len(e.Args) == 0 {
		return nil, fmt.Errorf("want a function with arguments")
	}
	args := make([]*big.Rat, len(e.Args))
	for i, a := range e.Args {
		v, err := evaluate(a)
		if err != nil {
			return nil, err
		}
		args[i] = v
	}
	total := new(big.Rat)
	least, most := args[0], args[0]
	for _, a := range args {
		total.Add(total, a)
		if a.Cmp(least) < 0 {
			least = a
		}
		if a.Cmp(most) > 0 {
			most = a
		}
	}
	switch name.Name {
	case "sum":
		return total, nil
	case "avg":
		return total.Quo(total, big.NewRat(int64(len(args)), 1)), nil
	case "min":
		return least, nil
	case "max":
		return most, nil
	case "abs":
		return args[0].Abs(args[0]), nil
	case "round":
		digits := 0
		if len(args) > 1 && args[1].IsInt() && args[1].Num().IsInt64() {
			digits = int(max(0, min(args[1].Num().Int64(), 10)))
		}
		v, _ := new(big.Rat).SetString(args[0].FloatString(digits))
		return v, nil
	}
	return nil, fmt.Errorf("function %q is not known", name.Name)
}
